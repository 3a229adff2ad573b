//! The stack with two sides whose slots also take the threads of a load that hit and those that missed.

use super::drawn::{BRANCH, NOTHING, POPS, PUSHES, Unit, at, start};
use crate::control_flow::Reconvergence;
use crate::policy::Policy;
use crate::policy::dual_path::Halves;
use crate::policy::tests::INSERTS;

fn unit() -> Halves {
    Halves::new(&start())
}

/// A load of which threads 0 and 1 hit. They go on to the branch and wait there; the branch then pushes one row.
#[test]
fn halves_meet_before_a_branch() {
    let mut unit = unit();
    assert_eq!(unit.misses(0, "0011"), Some(INSERTS));
    assert_eq!(unit.drawn(), ["A 1100 | A 0011"]);
    assert_eq!((unit.schedulable(), unit.held()), (2, 1));
    assert_eq!(unit.goes(0, 'B'), NOTHING);
    assert_eq!(unit.rotates(0), None);
    assert_eq!(unit.branches(0), Some(NOTHING));
    assert_eq!((unit.path(0), unit.must_rotate(0, Some(BRANCH))), (None, false));
    assert_eq!(unit.listed(), ["B 1100", "A 0011"]);
    assert_eq!(unit.goes(1, 'B'), NOTHING);
    assert_eq!(unit.drawn(), ["- | B 1111"]);
    assert_eq!(unit.branches(1), None);
    assert_eq!(unit.parts(1, "1000", ['C', 'D'], at('E')), PUSHES);
    assert_eq!(unit.drawn(), ["- | E 1111", "D 0111 | C 1000 > E"]);
}

/// They merge wherever they are at the same instruction, and then may divide again.
#[test]
fn a_half_that_catches_up_merges() {
    let mut unit = unit();
    unit.misses(0, "0011");
    unit.goes(0, 'B');
    unit.serves(0, "1000");
    assert_eq!(unit.goes(1, 'B'), NOTHING);
    assert_eq!(unit.drawn(), ["B 1100/0100 | B 0011"]);
    unit.serves(0, "0100");
    unit.goes(0, 'C');
    unit.goes(1, 'C');
    assert_eq!(unit.drawn(), ["- | C 1111"]);
    assert_eq!(unit.misses(1, "0100"), Some(INSERTS));
    assert_eq!(unit.drawn(), ["C 0100 | C 1011"]);
}

/// The row's point, the barrier and the end of threads are no branches.
#[test]
fn halves_arrive_park_and_end_as_two_sides_do() {
    let mut unit = unit();
    unit.parts(0, "0111", ['B', 'G'], at('G'));
    unit.misses(0, "0011");
    assert_eq!(unit.drawn(), ["G 1111 | -", "B 0100 | B 0011 > G"]);
    assert_eq!(unit.goes(0, 'G'), NOTHING);
    assert_eq!(unit.drawn(), ["G 1111 | -", "- | B 0011 > G"]);
    // One alone is no half: it need not wait.
    assert_eq!(unit.branches(1), None);
    assert_eq!(unit.goes(1, 'G'), POPS);
    unit.misses(0, "0001");
    unit.parks(0, 'H');
    assert_eq!(unit.branches(0), None);
    unit.parks(1, 'H');
    assert_eq!(unit.drawn(), ["- | H 1111*"]);
    unit.release();
    unit.misses(1, "0001");
    assert_eq!(unit.ends(1), NOTHING);
    assert_eq!((unit.branches(0), unit.listed()), (None, vec!["H 0001".to_owned()]));
}

/// At the return where its row reconverges a half waits too, and both arrive together.
#[test]
fn halves_meet_before_a_return() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    unit.parts(0, "1110", ['B', 'C'], Reconvergence::Return);
    assert_eq!(unit.misses(0, "0010"), None, "both slots have a side");
    assert_eq!(unit.returns(1), Some(NOTHING));
    assert_eq!(unit.misses(0, "0010"), Some(INSERTS));
    assert_eq!(unit.drawn(), ["A' 1111 | -", "B' 1100 | B' 0010 > return' at C"]);
    unit.goes(0, 'D');
    assert_eq!((unit.returns(0), unit.path(0)), (Some(NOTHING), None));
    unit.goes(1, 'D');
    assert_eq!(unit.returns(1), Some(POPS));
    assert_eq!(unit.drawn(), ["C' 1111 | -"]);
}

/// Not where no thread or all wait, within an instruction, or while another path has the second slot.
#[test]
fn other_paths_do_not_divide() {
    let mut unit = unit();
    assert_eq!((unit.misses(0, "1111"), unit.misses(0, "0000")), (None, None));
    unit.serves(0, "1000");
    assert_eq!(unit.misses(0, "0011"), None);
    unit.serves(0, "0111");
    unit.misses(0, "0011");
    assert_eq!((unit.misses(0, "0100"), unit.misses(1, "0010")), (None, None));
    assert_eq!(unit.drawn(), ["A+1 1100 | A+1 0011"]);
    unit.goes(0, 'B');
    unit.goes(1, 'B');
    // At a branch both halves would wait for each other.
    assert_eq!(unit.divide_on_miss(1, Some(BRANCH), 0b0001), None);
    assert_eq!(unit.drawn(), ["- | B 1111"]);
}
