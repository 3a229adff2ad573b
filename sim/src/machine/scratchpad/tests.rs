//! The rule of the parts against an independent statement of what banks can do, for random accesses.

use fastrand::Rng;
use weft_config::{Config, SCRATCHPAD_BASE};

use super::{Scratchpad, served};

const BYTES: u32 = 1 << 12;

fn scratchpad(threads: u32) -> Scratchpad {
    let mut config = Config { threads, ..Config::default() };
    config.scratchpad.bytes = BYTES;
    Scratchpad::new(&config)
}

/// Addresses of few words or of many, in the scratchpad or some of them in RAM.
fn access(rng: &mut Rng, threads: u32) -> (Vec<u32>, u64) {
    let (stride, spread) = (4 << (rng.u32(0..4) * rng.u32(0..2)), 1 << rng.u32(0..9));
    let (start, ram) = (4 * rng.u32(0..64), rng.u32(0..3) == 0);
    let address = |lane: u32| {
        let offset = (start + stride * lane + 4 * rng.u32(0..spread)) % BYTES;
        if ram && rng.bool() { 0x8000_0000 + offset } else { SCRATCHPAD_BASE + offset + rng.u32(0..4) }
    };
    let addresses: Vec<u32> = (0..threads).map(address).collect();
    let all = u64::MAX >> (64 - threads);
    let mask = [all, rng.u64(..) & all, rng.u64(..) & rng.u64(..) & all][rng.usize(0..3)];
    (addresses, mask)
}

/// Checks one part by the contract: a bank accesses one word in a cycle; lanes in different banks, or at the same word,
/// are served together; of an AMO, one lane for each bank, and the lanes of a word in their order.
fn check(threads: u32, addresses: &[u32], mask: u64, alone: bool, part: u64) {
    let inside = |lane: u32| mask >> lane & 1 == 1 && addresses[lane as usize] < 0x8000_0000;
    let (word, is_served) = (|lane: u32| addresses[lane as usize] / 4, |lane: u32| part >> lane & 1 == 1);
    let bank = |lane: u32| word(lane) % threads;
    assert!(is_served(mask.trailing_zeros()), "the leader");
    for one in 0..threads {
        assert!(!is_served(one) || inside(one), "lane {one} is not there");
        for other in (0..threads).filter(|other| *other != one) {
            let (together, alike) = (is_served(one) && is_served(other), word(one) == word(other));
            assert!(!(together && bank(one) == bank(other)) || (alike && !alone), "a conflict of {one} and {other}");
            if inside(one) && inside(other) && alike && !alone {
                assert_eq!(is_served(one), is_served(other), "{one} and {other} at one word");
            }
            if inside(other) && other < one && is_served(one) && alike {
                assert!(is_served(other) || !alone, "{one} overtakes {other}");
            }
        }
        // A lane waits only for a bank that is busy.
        let busy = (0..threads).any(|other| other != one && is_served(other) && bank(other) == bank(one));
        assert!(!inside(one) || is_served(one) || busy, "lane {one} waits for nothing");
    }
}

#[test]
fn a_part_does_what_the_banks_can_do_and_all_lanes_are_served_in_at_most_t_parts() {
    let mut rng = Rng::with_seed(1);
    for round in 0..30_000 {
        let threads = 1 << (round % 7);
        let scratchpad = scratchpad(threads);
        let (addresses, mut mask) = access(&mut rng, threads);
        let alone = rng.bool();
        for parts in 0.. {
            let is_leader_inside = mask != 0 && addresses[mask.trailing_zeros() as usize] < 0x8000_0000;
            if !is_leader_inside {
                break;
            }
            assert!(parts < threads, "too many parts");
            let part = served(&scratchpad, &addresses, mask, alone);
            check(threads, &addresses, mask, alone, part);
            mask &= !part;
        }
    }
}

/// Strides that conflict in no bank, in all, and the same word for all.
#[test]
fn strides_take_the_parts_of_their_conflicts() {
    let parts = |threads: u32, stride: u32, alone: bool| {
        let addresses: Vec<u32> = (0..threads).map(|lane| SCRATCHPAD_BASE + 4 * stride * lane).collect();
        let (mut mask, mut parts) = (u64::MAX >> (64 - threads), 0);
        while mask != 0 {
            mask &= !served(&scratchpad(threads), &addresses, mask, alone);
            parts += 1;
        }
        parts
    };
    for threads in [1, 2, 4, 8, 16] {
        for alone in [false, true] {
            assert_eq!(parts(threads, 1, alone), 1);
            assert_eq!(parts(threads, threads + 1, alone), 1);
            assert_eq!(parts(threads, 2, alone), 2.min(threads));
            assert_eq!(parts(threads, threads, alone), threads);
            assert_eq!(parts(threads, 0, alone), if alone { threads } else { 1 });
        }
    }
}
