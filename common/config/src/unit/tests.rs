use super::*;

#[test]
fn every_key_of_a_unit_is_a_key() {
    for unit in all() {
        assert!(unit.keys_read().all(|key| Key::find(key).is_some()), "{}", unit.name);
        assert_eq!(unit.takes_turns, unit.reads("divergence.fair_after"), "{}", unit.name);
        let waits = (unit.waits_at_most)(4, &Config::default().divergence);
        assert_eq!(unit.takes_turns, waits > 0, "{}", unit.name);
    }
}

#[test]
fn a_key_that_the_unit_ignores_must_have_its_default() {
    let mut config = Config::default();
    assert!(config.check_unit().is_ok());
    *config.unit_keys.get_mut("arbiter.pipeline_stages") = 2;
    let error = config.check_unit().err().expect("it is ignored");
    assert_eq!(
        error.to_string(),
        "`arbiter.pipeline_stages` = 2: the divergence unit `sorted-table` does not read this key; leave it at its \
         default, 0, or set divergence.unit = \"arbiter\", which does"
    );
    config.divergence.unit = ARBITER.name.to_owned();
    assert!(config.check_unit().is_ok());
}

#[test]
fn an_unknown_unit_is_refused_with_the_nearest_name() {
    let message = |name| Unit::find(name).err().expect("an unknown unit").to_string();
    assert_eq!(message("arbitre"), "no divergence unit `arbitre`; did you mean `arbiter`?");
    assert_eq!(
        message("warp-split"),
        "no divergence unit `warp-split`; the units are `arbiter`, `sorted-table`, `path-stack`, `pdom-stack`, \
         `dual-path`, `minority-first`, `multi-path`, `serial`, `mimd`, `oracle`, `dws`, `dwf`, `verilog`"
    );
}
