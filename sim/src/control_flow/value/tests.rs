use super::*;

fn set(values: &[u32]) -> Value {
    Value::among(values.iter().copied()).expect("not empty")
}

#[test]
fn sets_are_sorted_and_small() {
    assert_eq!(set(&[3, 1, 3]).values(), Some([1, 3].as_slice()));
    assert_eq!(Value::among([]), None);
    assert_eq!(Value::below(3), set(&[0, 1, 2]));
    assert_eq!(Value::below(0), Value::Any);
    assert_eq!(Value::below(1024).values().map(<[u32]>::len), Some(1024));
    assert_eq!(Value::below(1025), Value::Any);
    assert_eq!(Value::submasks(0b101), set(&[0, 1, 4, 5]));
    assert_eq!(Value::submasks(0), set(&[0]));
    assert_eq!(Value::submasks(0x7ff), Value::Any);
}

#[test]
fn what_is_joined_is_in_both_and_known_no_better_than_either() {
    assert_eq!(set(&[1, 2]).join(&set(&[2, 5])), set(&[1, 2, 5]));
    assert_eq!(set(&[1]).join(&Value::Link), Value::Any);
    assert_eq!(Value::Link.join(&Value::Link), Value::Link);
    assert_eq!(set(&[1]).join(&Value::Indexed), Value::Indexed);
    assert_eq!(Value::Any.join(&Value::Indexed), Value::Indexed);
    assert_eq!(Value::Element(4).join(&Value::Element(4)), Value::Element(4));
    assert_eq!(Value::Element(4).join(&Value::Loaded(4)), Value::Indexed);
    assert_eq!(Value::below(1024).join(&set(&[5000])), Value::Any);
}

#[test]
fn operations_go_over_all_values() {
    assert_eq!(set(&[1, 2]).combine(&set(&[10, 20]), u32::wrapping_add), set(&[11, 12, 21, 22]));
    assert_eq!(set(&[1, 2]).combine(&Value::Any, u32::wrapping_add), Value::Any);
    assert_eq!(Value::below(1024).combine(&Value::below(1024), u32::wrapping_add), Value::Any);
}
