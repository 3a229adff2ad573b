//! What the tests of several policies share.

use super::*;

/// Sometimes makes b the threads that the instruction of `path` has not served, or lets the path ask to yield.
pub fn in_parts_or_yielding(next: Next, path: &PathRecord, state: &mut u64) -> Next {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let served = next.a.filter(|a| !a.parked).map_or(0, |a| a.mask);
    let rest = path.mask & !served;
    match *state >> 60 {
        0..4 if served != 0 && rest != 0 => {
            Next { b: Some(PathRecord { mask: rest, ..*path }), unserved: true, ..next }
        }
        4 => Next { yields: true, ..next },
        _ => next,
    }
}

#[test]
fn every_unit_has_a_policy_of_as_many_slots() {
    let mut config = Config::default();
    for name in Unit::names().into_iter().chain([VERILOG.name]) {
        config.divergence.unit = name.into();
        let policy = create(&config, 0x8000_0000).expect("a policy");
        assert_eq!(policy.slots(), Unit::find(name).expect("a unit").slots, "{name}");
    }
}
