//! The stack with both sides running: the figures of the paper, and single rules.

use super::drawn::{NOTHING, POPS, PUSHES, Unit, at, start};
use crate::control_flow::Reconvergence;
use crate::policy::Policy;
use crate::policy::dual_path::DualPath;

fn unit() -> DualPath {
    DualPath::new(&start())
}

/// Figures 1 and 4: A goes to B or C, C to D or E, which reconverge at F; B and F reconverge at G.
#[test]
fn figure_4() {
    let mut unit = unit();
    assert_eq!(unit.drawn(), ["A 1111 | -"]); // a
    assert_eq!(unit.parts(0, "1000", ['B', 'C'], at('G')), PUSHES);
    assert_eq!(unit.drawn(), ["G 1111 | -", "B 1000 | C 0111 > G"]); // b
    assert_eq!(unit.schedulable(), 2);
    assert_eq!(unit.parts(1, "0001", ['E', 'D'], at('F')), PUSHES);
    assert_eq!(unit.drawn(), ["G 1111 | -", "B 1000 | F 0111 > G", "E 0001 | D 0110 > F"]); // c
    assert_eq!(unit.listed(), ["E 0001", "D 0110", "B 1000"]);
    assert_eq!(unit.goes(1, 'F'), NOTHING);
    assert_eq!(unit.drawn(), ["G 1111 | -", "B 1000 | F 0111 > G", "E 0001 | - > F"]); // d
    assert_eq!(unit.listed(), ["E 0001", "B 1000", "F 0110"]);
    assert_eq!((unit.schedulable(), unit.path(1)), (1, None));
    assert_eq!(unit.goes(0, 'F'), POPS);
    assert_eq!(unit.drawn(), ["G 1111 | -", "B 1000 | F 0111 > G"]); // e
    assert_eq!(unit.goes(1, 'G'), NOTHING);
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 1111 | -"]); // f
}

/// `if` without `else`: one side alone, which shrinks in place if it is a loop.
#[test]
fn a_loop_that_sheds_threads_keeps_its_row() {
    let mut unit = unit();
    unit.goes(0, 'B');
    assert_eq!(unit.parts(0, "0111", ['B', 'C'], at('C')), PUSHES);
    assert_eq!(unit.drawn(), ["C 1111 | -", "B 0111 | - > C"]);
    assert_eq!(unit.parts(0, "0011", ['B', 'C'], at('C')), NOTHING);
    assert_eq!(unit.drawn(), ["C 1111 | -", "B 0011 | - > C"]);
    // Both continue to the row's own point: the row is reused.
    assert_eq!(unit.parts(0, "0010", ['E', 'D'], at('C')), NOTHING);
    assert_eq!(unit.drawn(), ["C 1111 | -", "D 0001 | E 0010 > C"]);
    assert_eq!(unit.goes(0, 'C'), NOTHING);
    assert_eq!(unit.goes(1, 'C'), POPS);
    assert_eq!(unit.drawn(), ["C 1111 | -"]);
}

/// With a live sibling the row cannot be reused: the sibling waits for a row of both.
#[test]
fn two_sides_to_the_own_point_beside_a_live_sibling_are_a_row_of_the_same_point() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'C'], at('G'));
    assert_eq!(unit.parts(1, "0010", ['D', 'E'], at('G')), PUSHES);
    assert_eq!(unit.drawn(), ["G 1111 | -", "B 1100 | - > G", "E 0001 | D 0010 > G"]);
    assert_eq!(unit.goes(0, 'G'), NOTHING);
    assert_eq!(unit.goes(1, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 1111 | -", "B 1100 | - > G"]);
    assert_eq!(unit.goes(0, 'G'), POPS);
}

/// The left load has a pending part when the right side diverges; that part runs when the left side resumes.
#[test]
fn a_suspended_side_keeps_what_is_left_to_serve() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'C'], at('G'));
    assert_eq!(unit.serves(0, "1000"), NOTHING);
    assert_eq!(unit.parts(1, "0010", ['D', 'E'], at('F')), PUSHES);
    assert_eq!(unit.drawn(), ["G 1111 | -", "B 1100/0100 | F 0011 > G", "E 0001 | D 0010 > F"]);
    assert_eq!(unit.listed(), ["E 0001", "D 0010", "B 0100", "B+1 1000"]);
    unit.goes(0, 'F');
    assert_eq!(unit.goes(1, 'F'), POPS);
    assert_eq!(unit.path(0).map(|path| path.mask), Some(0b0010));
    assert_eq!(unit.serves(0, "0100"), NOTHING);
    assert_eq!(unit.drawn(), ["G 1111 | -", "B+1 1100 | F 0011 > G"]);
}

/// The same instruction, one call deeper, is another point.
#[test]
fn a_path_that_meets_its_point_one_recursion_deeper_has_not_arrived() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'C'], at('D'));
    assert_eq!(unit.deeper(1, 'A', 1), NOTHING);
    assert_eq!(unit.goes(1, 'D'), NOTHING);
    assert_eq!(unit.rotates(1), None);
    assert_eq!(unit.parts(1, "0010", ['B', 'D'], at('D')), PUSHES);
    assert_eq!(unit.drawn(), ["D 1111 | -", "B 1100 | D' 0011 > D", "- | B' 0010 > D'"]);
    assert_eq!(unit.goes(1, 'D'), POPS);
    assert_eq!(unit.deeper(1, 'D', -1), NOTHING);
    assert_eq!(unit.drawn(), ["D 1111 | -", "B 1100 | - > D"]);
}

/// The sides wait before their returns. The first return represents all, also in rows of the same point.
#[test]
fn sides_that_reconverge_at_a_return_wait_before_it() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    unit.parts(0, "1100", ['C', 'D'], Reconvergence::Return);
    assert_eq!(unit.drawn(), ["A' 1111 | -", "C' 1100 | D' 0011 > return'"]);
    assert_eq!(unit.parts(0, "1000", ['E', 'F'], Reconvergence::Return), PUSHES);
    assert_eq!(unit.drawn(), ["A' 1111 | -", "- | D' 0011 > return'", "E' 1000 | F' 0100 > return'"]);
    assert_eq!(unit.returns(1), Some(NOTHING));
    assert_eq!(unit.drawn(), ["A' 1111 | -", "- | D' 0011 > return'", "E' 1000 | - > return' at F"]);
    assert_eq!(unit.listed(), ["E' 1000", "D' 0011", "F' 0100"]);
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.drawn(), ["A' 1111 | -", "- | D' 0011 > return' at F"]);
    assert_eq!(unit.listed(), ["D' 0011", "F' 1100"]);
    assert_eq!(unit.returns(1), Some(POPS));
    assert_eq!(unit.drawn(), ["F' 1111 | -"]);
}

/// One half returns early, the other is held at a barrier: no side yields, and the first half does not return.
#[test]
fn an_early_return_beside_a_barrier_is_a_deadlock() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    unit.parts(0, "1100", ['C', 'D'], Reconvergence::Return);
    assert_eq!(unit.parks(1, 'E'), NOTHING);
    assert_eq!(unit.returns(0), Some(NOTHING));
    assert_eq!(unit.drawn(), ["A' 1111 | -", "- | E' 0011* > return' at C"]);
    assert_eq!((unit.schedulable(), unit.listed()), (0, vec!["E' 0011*".into(), "C' 1100".into()]));
    assert!([0, 1].iter().all(|slot| !unit.must_rotate(*slot, Some(0x13))));
}

/// A sibling that waits at the barrier may be suspended. The release reaches it there, and it arrives when it is in
/// the top row again.
#[test]
fn a_parked_sibling_is_released_below() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'C'], at('G'));
    assert_eq!(unit.parks(0, 'G'), NOTHING);
    unit.parts(1, "0010", ['D', 'E'], at('F'));
    unit.parks(0, 'F');
    unit.parks(1, 'F');
    assert_eq!(unit.drawn(), ["G 1111 | -", "G 1100* | F 0011 > G", "F 0001* | F 0010* > F"]);
    unit.release();
    assert_eq!(unit.rotates(0), Some(NOTHING));
    assert_eq!(unit.rotates(1), Some(POPS));
    assert_eq!(unit.drawn(), ["G 1111 | -", "G 1100 | F 0011 > G"]);
    assert_eq!((unit.rotates(1), unit.rotates(0)), (None, Some(NOTHING)));
    assert_eq!(unit.drawn(), ["G 1111 | -", "- | F 0011 > G"]);
}

/// One pop per event; slot 0 pops an empty row.
#[test]
fn rows_whose_threads_have_all_ended_are_popped_one_by_one() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'C'], at('G'));
    unit.ends(1);
    assert_eq!(unit.drawn(), ["G 1111 | -", "B 1100 | - > G"]);
    unit.parts(0, "1000", ['D', 'E'], at('F'));
    assert_eq!(unit.ends(1), NOTHING);
    assert_eq!(unit.ends(0), POPS);
    assert_eq!(unit.drawn(), ["G 1111 | -", "- | - > G"]);
    assert_eq!((unit.rotates(1), unit.rotates(0)), (None, Some(POPS)));
    assert_eq!((unit.drawn(), unit.rotates(0)), (vec!["- | -".to_owned()], None));
}
