//! What the tests of several policies share.

use super::*;

pub mod game;
pub mod lanes;
pub mod program;
pub mod threads;

pub const NOTHING: Moves = Moves { yields: false, inserts: false, extracts: false, pushes: false, pops: false };
pub const INSERTS: Moves = Moves { inserts: true, ..NOTHING };
pub const EXTRACTS: Moves = Moves { extracts: true, ..NOTHING };

/// A warp whose rounds have slices of at most four commits.
pub fn start(threads: u32, fair_after: u64) -> Start {
    let slice = if fair_after == 0 { 4 } else { fair_after.min(4) };
    Start { mask: u64::MAX >> (64 - threads), entry: 0x8000_0000, fair_after, slice }
}

/// A path of depth 0 that can run.
pub fn at(pc: u32, mask: u64) -> PathRecord {
    PathRecord { pc, depth: 0, mask, parked: false }
}

pub fn parked(pc: u32, mask: u64) -> PathRecord {
    PathRecord { parked: true, ..at(pc, mask) }
}

pub fn next(a: impl Into<Option<PathRecord>>, b: impl Into<Option<PathRecord>>) -> Next {
    Next::of(a.into(), b.into())
}

/// `if (A && B) C; else D; E;` (figure 1): A 1111, B 1011, C 1000, D 0111, E 1111. Threads are written from the left:
/// thread 0 is the first bit. `create` makes the policy.
pub fn the_example_of_the_paper(create: impl Fn(&Start) -> Box<dyn Policy>) {
    let [a, b, c, d, e] = [0, 4, 8, 12, 16];
    let mut unit = create(&Start { entry: a, mask: 0b1111, ..start(4, 0) });
    let mut done = Vec::new();
    for (to_a, to_b) in [
        (at(d, 0b0100), Some(at(b, 0b1011))), // A: thread 1 to D
        (at(d, 0b0011), Some(at(c, 0b1000))), // B: threads 2 and 3 to D, where thread 1 is
        (at(e, 0b1000), None),                // C
        (at(e, 0b0111), None),                // D
    ] {
        done.push(unit.path(0).expect("threads live"));
        assert_eq!(unit.resolve(0, &next(to_a, to_b)), NOTHING);
        assert!(!unit.must_rotate(0, None));
    }
    assert_eq!(done, [at(a, 0b1111), at(b, 0b1011), at(c, 0b1000), at(d, 0b0111)]);
    assert_eq!(unit.list(), [at(e, 0b1111)]);
}

/// Parked last, then greater depth, then smaller pc.
pub fn key(path: &PathRecord) -> (bool, u8, u32) {
    (path.parked, u8::MAX - path.depth, path.pc)
}

/// Sometimes makes b the threads that the instruction of `path` has not served, or lets the path ask to yield.
pub fn in_parts_or_yielding(next: Next, path: &PathRecord, state: &mut u64) -> Next {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let served = next.a.filter(|a| !a.parked).map_or(0, |a| a.mask);
    let rest = path.mask & !served;
    let b = Some(PathRecord { mask: rest, ..*path });
    let goes_on = PathRecord { pc: path.pc + 4, mask: served, ..*path };
    match *state >> 60 {
        0..2 if served != 0 && rest != 0 => Next { b, unserved: true, ..next },
        2..4 if served != 0 && rest != 0 => Next { unserved: true, replays: true, ..Next::of(Some(goes_on), b) },
        4 => Next { yields: true, ..next },
        _ => next,
    }
}

#[test]
fn every_unit_has_a_policy_of_as_many_slots() {
    let mut config = Config::default();
    // `ebreak`, a fault.
    let program = crate::Program::from_words("fault", 0x8000_0000, &[0x0010_0073]);
    for name in Unit::names_in_model().into_iter().chain([VERILOG.name]) {
        config.divergence.unit = name.into();
        let policies = of_warps(&config, &program).expect("policies");
        assert_eq!(policies.len(), config.warps as usize);
        assert_eq!(policies[0].slots(), Unit::find(name).expect("a unit").slots.of(config.threads), "{name}");
    }
}
