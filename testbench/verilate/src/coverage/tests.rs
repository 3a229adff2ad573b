use super::*;

fn line(keys: &[(&str, &str)], count: u64) -> String {
    let keys: String = keys.iter().map(|(name, value)| format!("\x01{name}\x02{value}")).collect();
    format!("C '{keys}' {count}")
}

#[test]
fn points_are_read_with_their_kind_module_and_name() {
    let user = line(&[("f", "core.v"), ("l", "7"), ("page", "v_user/unit"), ("o", "cover"), ("h", "top.s8.met")], 3);
    let toggle = line(&[("l", "9"), ("page", "v_toggle/s0_steer"), ("o", "grant[2]"), ("h", "top.s0")], 0);
    let block = line(&[("l", "12"), ("page", "v_line/s0_steer"), ("o", "block"), ("h", "top.s0")], 41);
    let of =
        |kind, module: &str, name: &str, count| Some(Point { kind, module: module.into(), name: name.into(), count });
    assert_eq!(point(&user), of(PointKind::Functional, "unit", "met", 3));
    assert_eq!(point(&toggle), of(PointKind::Toggle, "s0_steer", "grant[2]", 0));
    assert_eq!(point(&block), of(PointKind::Line, "s0_steer", "12", 41));
    assert_eq!(point("C 'nothing' 1"), None);
}
