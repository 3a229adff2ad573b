use super::*;

/// The cycles in which a transaction is accepted, if one is always offered from cycle `from` on.
fn accepted(thousandths: u32, from: u64, to: u64) -> Vec<u64> {
    let mut tokens = Tokens::new(Bandwidth(thousandths));
    let mut cycles = Vec::new();
    for cycle in 0..to {
        if tokens.refill() && cycle >= from {
            tokens.take();
            cycles.push(cycle);
        }
    }
    cycles
}

#[test]
fn full_bandwidth_accepts_every_cycle() {
    assert!(accepted(1000, 0, 100).into_iter().eq(0..100));
}

#[test]
fn a_bandwidth_is_kept_on_average_and_spread_evenly() {
    assert_eq!(accepted(250, 0, 16), [3, 7, 11, 15]);
    assert_eq!(accepted(300, 0, 20), [3, 6, 9, 13, 16, 19]);
    assert_eq!(accepted(999, 0, 2000).len(), 1998);
    assert_eq!(accepted(1, 0, 3000), [999, 1999, 2999]);
}

#[test]
fn a_pause_is_followed_by_no_burst() {
    assert_eq!(accepted(250, 1000, 1016), [1000, 1004, 1008, 1012]);
    assert_eq!(accepted(1, 5000, 6100), [5000, 6000]);
}
