//! The stack that follows one path: the figures of the paper, and single rules.

use super::drawn::{NOTHING, POPS, PUSHES, Unit, at, start};
use crate::control_flow::Reconvergence;
use crate::policy::Policy;
use crate::policy::pdom_stack::PdomStack;

fn unit() -> PdomStack {
    PdomStack::new(&start())
}

/// Figures 1 and 2: A goes to B or C, C to D or E, which reconverge at F; B and F reconverge at G.
#[test]
fn figure_2() {
    let mut unit = unit();
    assert_eq!(unit.drawn(), ["A 1111"]);
    assert_eq!(unit.parts(0, "1000", ['B', 'C'], at('G')), PUSHES);
    assert_eq!(unit.drawn(), ["G 1111", "C 0111 > G", "B 1000 > G"]); // b
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 1111", "C 0111 > G"]); // c
    // The not-taken side D has the smaller pc, whether it is a or b.
    assert_eq!(unit.parts(0, "0001", ['E', 'D'], at('F')), PUSHES);
    assert_eq!(unit.drawn(), ["G 1111", "F 0111 > G", "E 0001 > F", "D 0110 > F"]); // d
    assert_eq!(unit.listed(), ["D 0110", "E 0001", "G 1000"]);
    assert_eq!(unit.goes(0, 'F'), POPS);
    assert_eq!(unit.goes(0, 'F'), POPS);
    assert_eq!(unit.drawn(), ["G 1111", "F 0111 > G"]); // e
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 1111"]); // f
    assert_eq!((unit.held(), unit.schedulable()), (1, 1));
}

/// `if` without `else`: a side that is already at the reconvergence point gets no row.
#[test]
fn one_side_that_has_arrived_is_not_pushed() {
    let mut unit = unit();
    assert_eq!(unit.parts(0, "0110", ['C', 'B'], at('C')), PUSHES);
    assert_eq!(unit.drawn(), ["C 1111", "B 1001 > C"]);
    // A load whose last lanes are served at the end of the block arrives with that commit.
    assert_eq!(unit.goes(0, 'B'), NOTHING);
    assert_eq!(unit.serves(0, "1000"), NOTHING);
    assert_eq!(unit.drawn(), ["C 1111", "B 1001/0001 > C"]);
    assert_eq!(unit.listed(), ["B 0001", "B+1 1000", "C 0110"]);
    assert_eq!(unit.serves(0, "0001"), NOTHING);
    assert_eq!(unit.drawn(), ["C 1111", "B+1 1001 > C"]);
    assert_eq!(unit.goes(0, 'C'), POPS);
}

/// B is a loop that ends at C: threads leave it one by one, and its row is reused.
#[test]
fn a_loop_that_sheds_threads_keeps_its_row() {
    let mut unit = unit();
    unit.goes(0, 'B');
    assert_eq!(unit.parts(0, "0111", ['B', 'C'], at('C')), PUSHES);
    assert_eq!(unit.drawn(), ["C 1111", "B 0111 > C"]);
    assert_eq!(unit.parts(0, "0011", ['B', 'C'], at('C')), NOTHING);
    assert_eq!(unit.drawn(), ["C 1111", "B 0011 > C"]);
    // Of two sides that continue to the row's own point, the farther reuses the row.
    assert_eq!(unit.parts(0, "0010", ['E', 'D'], at('C')), PUSHES);
    assert_eq!(unit.drawn(), ["C 1111", "E 0010 > C", "D 0001 > C"]);
    assert_eq!(unit.goes(0, 'C'), POPS);
    assert_eq!(unit.goes(0, 'C'), POPS);
    assert_eq!(unit.drawn(), ["C 1111"]);
}

/// If the point is unknown, threads reconverge at the enclosing point; in the bottom row there is none.
#[test]
fn an_unknown_branch_meets_at_the_enclosing_point() {
    let mut unit = unit();
    assert_eq!(unit.parts(0, "1100", ['B', 'C'], Reconvergence::Unknown), PUSHES);
    assert_eq!(unit.drawn(), ["C 0011", "B 1100"]);
    assert_eq!(unit.parts(0, "1000", ['D', 'E'], at('F')), PUSHES);
    assert_eq!(unit.goes(0, 'G'), NOTHING);
    assert_eq!(unit.parts(0, "1000", ['G', 'F'], Reconvergence::Unknown), NOTHING);
    assert_eq!(unit.drawn(), ["C 0011", "F 1100", "E 0100 > F", "G 1000 > F"]);
}

/// The same instruction, one call deeper, is another point.
#[test]
fn a_path_that_meets_its_point_one_recursion_deeper_has_not_arrived() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'D'], at('D'));
    assert_eq!(unit.drawn(), ["D 1111", "B 1100 > D"]);
    assert_eq!(unit.deeper(0, 'A', 1), NOTHING);
    assert_eq!(unit.parts(0, "1000", ['B', 'D'], at('D')), PUSHES);
    assert_eq!(unit.drawn(), ["D 1111", "D' 1100 > D", "B' 1000 > D'"]);
    assert_eq!(unit.goes(0, 'D'), POPS);
    assert_eq!(unit.rotates(0), None);
    assert_eq!(unit.deeper(0, 'C', -1), NOTHING);
    assert_eq!(unit.goes(0, 'D'), POPS);
    assert_eq!(unit.drawn(), ["D 1111"]);
}

/// Two returns of one call: neither commits before both are there, and the first represents both.
#[test]
fn sides_that_reconverge_at_a_return_wait_before_it() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    assert_eq!(unit.parts(0, "1100", ['C', 'D'], Reconvergence::Return), PUSHES);
    assert_eq!(unit.drawn(), ["A' 1111", "D' 0011 > return'", "C' 1100 > return'"]);
    // A branch in C that also ends in two returns: the same point, so the row is reused.
    assert_eq!(unit.parts(0, "1000", ['E', 'F'], Reconvergence::Return), PUSHES);
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.drawn(), ["A' 1111", "D' 0011 > return'", "F' 0100 > return' at E"]);
    assert_eq!(unit.listed(), ["F' 0100", "D' 0011", "E' 1000"]);
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.drawn(), ["A' 1111", "D' 0011 > return' at E"]);
    // The return of a call from D is another point.
    unit.deeper(0, 'B', 1);
    assert_eq!(unit.returns(0), None);
    unit.deeper(0, 'D', -1);
    assert_eq!(unit.rotates(0), None);
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.drawn(), ["E' 1111"]);
}

/// A nested call: its return is another point than that of the caller.
#[test]
fn returns_of_two_depths_are_two_points() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    unit.parts(0, "1100", ['B', 'D'], Reconvergence::Return);
    unit.deeper(0, 'C', 1);
    assert_eq!(unit.parts(0, "1000", ['E', 'F'], Reconvergence::Return), PUSHES);
    assert_eq!(
        unit.drawn(),
        ["A' 1111", "D' 0011 > return'", "C'' 1100 > return'", "F'' 0100 > return''", "E'' 1000 > return''"]
    );
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.drawn(), ["A' 1111", "D' 0011 > return'", "E'' 1100 > return'"]);
    assert_eq!(unit.returns(0), None, "its row reconverges one call higher");
    unit.deeper(0, 'B', -1);
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.drawn(), ["B' 1111"]);
}

/// A parked path arrives when the barrier is released, without an instruction.
#[test]
fn a_barrier_right_before_the_point_is_passed_first() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'C'], at('C'));
    unit.ends(0);
    assert_eq!(unit.drawn(), ["C 0011"]);
    unit.parts(0, "0010", ['D', 'E'], at('E'));
    assert_eq!(unit.parks(0, 'E'), NOTHING);
    assert_eq!(unit.drawn(), ["E 0011", "E 0010* > E"]);
    assert_eq!((unit.rotates(0), unit.schedulable()), (None, 0));
    unit.release();
    assert_eq!(unit.rotates(0), Some(POPS));
    assert_eq!(unit.drawn(), ["E 0011"]);
}

/// The same at a return: a path that waits before it at the barrier has not arrived yet.
#[test]
fn a_barrier_right_before_a_return_is_passed_first() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    unit.parts(0, "1100", ['C', 'D'], Reconvergence::Return);
    unit.ends(0);
    assert_eq!(unit.parks(0, 'E'), NOTHING);
    assert_eq!(unit.returns(0), None);
    unit.release();
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.drawn(), ["E' 0011"]);
}

/// One pop per event: a row that is uncovered without live threads is popped by the next event.
#[test]
fn rows_whose_threads_have_all_ended_are_popped_one_by_one() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'C'], at('G'));
    unit.parts(0, "1000", ['D', 'E'], at('F'));
    assert_eq!(unit.drawn(), ["G 1111", "C 0011 > G", "F 1100 > G", "E 0100 > F", "D 1000 > F"]);
    assert_eq!(unit.ends(0), POPS);
    assert_eq!(unit.ends(0), POPS);
    assert_eq!(unit.drawn(), ["G 1111", "C 0011 > G", "- > G"]);
    assert_eq!((unit.path(0), unit.listed().len()), (None, 1));
    assert_eq!(unit.rotates(0), Some(POPS));
    assert_eq!(unit.rotates(0), None);
    assert_eq!(unit.drawn(), ["G 1111", "C 0011 > G"]);
    unit.ends(0);
    assert_eq!((unit.drawn(), unit.rotates(0)), (vec!["-".to_owned()], None));
}
