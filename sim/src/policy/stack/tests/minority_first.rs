//! The stack that runs the smaller set of threads first: the figure of the paper, and single rules.
//!
//! An open region is drawn first, with the threads that wait at its end, and the active path last.

use super::drawn::{NOTHING, POPS, PUSHES, Unit, at, start};
use crate::control_flow::Reconvergence;
use crate::policy::minority_first::MinorityFirst;
use crate::policy::{Policy, Start};

fn unit() -> MinorityFirst {
    MinorityFirst::new(&start())
}

/// Figure 1c of the path list traversal report: `A: if (a && b) C; else D; E`, with the second condition at B.
#[test]
fn figure_1c() {
    let mut unit = unit();
    assert_eq!(unit.drawn(), ["A 1111"]);
    assert_eq!(unit.parts(0, "1011", ['B', 'D'], at('E')), PUSHES);
    assert_eq!(unit.drawn(), ["- > E", "B 1011", "D 0100"]);
    assert_eq!(unit.goes(0, 'E'), POPS);
    assert_eq!(unit.drawn(), ["E 0100 > E", "B 1011"]);
    // The inner branch also meets at E, since its side D does.
    assert_eq!(unit.parts(0, "1000", ['C', 'D'], at('E')), PUSHES);
    assert_eq!(unit.drawn(), ["E 0100 > E", "D 0011", "C 1000"]);
    assert_eq!(unit.listed(), ["C 1000", "D 0011", "E 0100"]);
    assert_eq!((unit.held(), unit.schedulable()), (3, 1));
    assert_eq!(unit.goes(0, 'E'), POPS);
    assert_eq!(unit.drawn(), ["E 1100 > E", "D 0011"]);
    assert_eq!(unit.goes(0, 'E'), POPS);
    assert_eq!(unit.drawn(), ["E 1111"]);
    assert_eq!((unit.held(), unit.rotates(0)), (1, None));
}

/// The same place for all: a region has no inner meeting places, so F runs twice.
#[test]
fn an_inner_divergence_reconverges_at_the_end_of_the_region() {
    let mut unit = unit();
    unit.parts(0, "1110", ['B', 'C'], at('G'));
    assert_eq!(unit.drawn(), ["- > G", "B 1110", "C 0001"]);
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.parts(0, "1000", ['D', 'E'], at('F')), PUSHES);
    assert_eq!(unit.goes(0, 'F'), NOTHING);
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.goes(0, 'F'), NOTHING);
    assert_eq!(unit.drawn(), ["G 1001 > G", "F 0110"]);
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 1111"]);
}

/// Of equally many threads, those at the smaller pc run; at one pc but not at one depth, those of the first path.
#[test]
fn a_tie_goes_to_the_smaller_pc() {
    let mut unit = unit();
    unit.parts(0, "1100", ['C', 'B'], at('G'));
    assert_eq!(unit.drawn(), ["- > G", "C 1100", "B 0011"]);
    unit.parts(0, "0010", ['D', 'E'], at('G'));
    assert_eq!(unit.drawn(), ["- > G", "C 1100", "E 0001", "D 0010"]);

    let mut unit = self::unit();
    unit.deeper(0, 'A', 1);
    unit.jumps(0, "0101", 1, at('G'));
    assert_eq!(unit.drawn(), ["- > G'", "A' 1010", "A'' 0101"]);
    unit.jumps(0, "0100", -1, at('G'));
    assert_eq!(unit.drawn(), ["- > G'", "A' 1010", "A'' 0001", "A' 0100"]);
}

/// `if` without `else`, and a loop that threads leave one by one: those at the point wait, and nothing is pushed.
#[test]
fn a_side_that_is_at_the_end_of_the_region_waits_there() {
    let mut unit = unit();
    assert_eq!(unit.parts(0, "0111", ['B', 'C'], at('C')), NOTHING);
    assert_eq!(unit.drawn(), ["C 1000 > C", "B 0111"]);
    assert_eq!(unit.parts(0, "0100", ['C', 'B'], at('C')), NOTHING);
    assert_eq!(unit.drawn(), ["C 1100 > C", "B 0011"]);
    assert_eq!(unit.goes(0, 'C'), POPS);
    assert_eq!(unit.drawn(), ["C 1111"]);
}

/// A `jalr` to itself, in parts: both are at the point of the instruction, where only one path may arrive.
#[test]
fn two_paths_at_one_place_are_one() {
    let mut unit = unit();
    assert_eq!(unit.parts(0, "1000", ['A', 'A'], at('A')), NOTHING);
    assert_eq!(unit.drawn(), ["A 1111"]);
    unit.parts(0, "1000", ['B', 'C'], at('D'));
    assert_eq!(unit.goes(0, 'D'), POPS);
    assert_eq!(unit.parts(0, "0100", ['D', 'D'], at('D')), POPS);
    assert_eq!(unit.drawn(), ["D 1111"]);
}

/// Threads that a memory instruction has served stay on their path; the next branch counts them too.
#[test]
fn parts_of_a_memory_instruction_are_no_divergence() {
    let mut unit = unit();
    assert_eq!(unit.serves(0, "0010"), NOTHING);
    assert_eq!(unit.drawn(), ["A 1111/1101"]);
    assert_eq!((unit.listed(), unit.held()), (vec!["A 1101".to_owned(), "A+1 0010".to_owned()], 1));
    assert_eq!(unit.serves(0, "0101"), NOTHING);
    assert_eq!(unit.serves(0, "1000"), NOTHING);
    assert_eq!(unit.drawn(), ["A+1 1111"]);
    assert_eq!(unit.parts(0, "1110", ['B', 'C'], at('G')), PUSHES);
    assert_eq!(unit.drawn(), ["- > G", "B 1110", "C 0001"]);
    // The last part of a load directly before the end of the region.
    unit.goes(0, 'G');
    unit.serves(0, "1100");
    assert_eq!(unit.drawn(), ["G 0001 > G", "B 1110/0010"]);
    assert_eq!(unit.listed(), ["B 0010", "B+1 1100", "G 0001"]);
    assert_eq!(unit.returns(0), None);
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 1111"]);
}

/// The same instruction, one call deeper, is another place.
#[test]
fn a_path_one_call_deeper_has_not_arrived() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'D'], at('D'));
    assert_eq!(unit.drawn(), ["D 0011 > D", "B 1100"]);
    assert_eq!(unit.deeper(0, 'A', 1), NOTHING);
    assert_eq!(unit.goes(0, 'D'), NOTHING);
    assert_eq!(unit.rotates(0), None);
    assert_eq!(unit.deeper(0, 'D', -1), POPS);
    assert_eq!(unit.drawn(), ["D 1111"]);
}

/// The place of the instruction is at the depth before it.
#[test]
fn a_call_reconverges_at_the_depth_of_its_caller() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    unit.jumps(0, "1100", 1, at('B'));
    assert_eq!(unit.drawn(), ["- > B'", "A' 0011", "A'' 1100"]);
}

/// Two returns of one call: the threads wait before either, and the first represents both.
#[test]
fn paths_wait_before_a_return() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    assert_eq!(unit.parts(0, "1000", ['C', 'D'], Reconvergence::Return), PUSHES);
    assert_eq!(unit.drawn(), ["- > return'", "D' 0111", "C' 1000"]);
    // The return of a call from C is another place.
    unit.deeper(0, 'B', 1);
    assert_eq!(unit.returns(0), None);
    unit.deeper(0, 'C', -1);
    assert_eq!((unit.rotates(0), unit.returns(0)), (None, Some(POPS)));
    assert_eq!(unit.drawn(), ["C' 1000 > return' at C", "D' 0111"]);
    assert_eq!(unit.listed(), ["D' 0111", "C' 1000"]);
    assert_eq!(unit.parts(0, "0100", ['E', 'F'], Reconvergence::Return), PUSHES);
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!((unit.drawn(), unit.returns(0)), (vec!["C' 1111".to_owned()], None));
}

/// A parked path has not arrived. The core releases no barrier while other threads are in the region; if it did, the
/// path would arrive.
#[test]
fn a_path_at_a_barrier_right_before_the_end_of_the_region_has_not_arrived() {
    let mut unit = unit();
    unit.parts(0, "1000", ['B', 'C'], at('E'));
    assert_eq!(unit.parks(0, 'E'), NOTHING);
    assert_eq!((unit.rotates(0), unit.schedulable()), (None, 0));
    assert_eq!(unit.drawn(), ["- > E", "C 0111", "E 1000*"]);
    unit.release();
    assert_eq!(unit.rotates(0), Some(POPS));
    assert_eq!(unit.drawn(), ["E 1000 > E", "C 0111"]);

    let mut unit = self::unit();
    unit.deeper(0, 'A', 1);
    unit.parts(0, "1000", ['B', 'C'], Reconvergence::Return);
    unit.parks(0, 'E');
    assert_eq!(unit.returns(0), None);
    unit.release();
    assert_eq!(unit.returns(0), Some(POPS));
}

/// Once one path is left, the region is closed: the path passes the old end, and its next divergence has an end of
/// its own.
#[test]
fn the_only_path_left_is_not_held_to_the_old_end() {
    let mut unit = unit();
    unit.parts(0, "1000", ['B', 'C'], at('E'));
    assert_eq!(unit.ends(0), POPS);
    assert_eq!(unit.drawn(), ["C 0111"]);
    assert_eq!(unit.goes(0, 'E'), NOTHING);
    assert_eq!(unit.parts(0, "0100", ['F', 'G'], at('G')), NOTHING);
    assert_eq!(unit.drawn(), ["G 0011 > G", "F 0100"]);
    // The threads that wait are the only ones left.
    assert_eq!(unit.ends(0), POPS);
    assert_eq!(unit.drawn(), ["G 0011"]);
}

/// Without a reconvergence point, threads never meet; but if all but one path have ended, a region begins anew.
#[test]
fn a_region_without_end_lasts_until_one_path_is_left() {
    let mut unit = unit();
    assert_eq!(unit.parts(0, "1000", ['B', 'C'], Reconvergence::Unknown), PUSHES);
    assert_eq!(unit.drawn(), ["-", "C 0111", "B 1000"]);
    assert_eq!((unit.goes(0, 'G'), unit.returns(0)), (NOTHING, None));
    assert_eq!(unit.ends(0), POPS);
    assert_eq!(unit.drawn(), ["C 0111"]);
    assert_eq!(unit.parts(0, "0100", ['D', 'E'], at('G')), PUSHES);
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 0100 > G", "E 0011"]);
}

#[test]
fn a_warp_whose_threads_have_all_ended_has_no_path() {
    let mut unit = unit();
    unit.parts(0, "1000", ['B', 'C'], at('E'));
    assert_eq!((unit.ends(0), unit.ends(0)), (POPS, NOTHING));
    assert_eq!((unit.path(0), unit.listed().len(), unit.held(), unit.returns(0)), (None, 0, 0, None));
}

/// Each row halves the threads: of 16, four rows wait, and the fifth path has one thread.
#[test]
fn sixteen_threads_fill_four_rows() {
    let mut unit = MinorityFirst::new(&Start { mask: 0xffff, ..start() });
    for (height, mask) in (1..).zip(["1111111100000000", "1111000000000000", "11", "1"]) {
        assert_eq!(unit.parts(0, mask, ['B', 'C'], at('G')), PUSHES);
        assert_eq!(unit.height(), height);
    }
    assert_eq!(unit.path(0).expect("a path").mask, 1);
}
