//! Dynamic warp subdivision: the figure of the paper, and single rules. The splits of the top row are drawn in it.

use weft_trace::{Moves, PathRecord};

use super::drawn::{NOTHING, POPS, PUSHES, Unit, at, start};
use crate::control_flow::Reconvergence;
use crate::policy::dws::Dws;
use crate::policy::{Next, Policy};

const DIVIDES: Moves = Moves { inserts: true, ..NOTHING };

/// A threshold of two instructions, as in figure 3.
fn unit() -> Dws {
    Dws::new(&start(), 2)
}

/// The threads in a slot diverge, those of `lanes` to the first block. So many instructions follow at `meet`.
fn parts(unit: &mut Dws, slot: u32, lanes: u64, to: [char; 2], (meet, block): (Reconvergence, u32)) -> Moves {
    let path = unit.path(slot).expect("a path");
    let side = |block: char, mask| Some(PathRecord { pc: 0x100 * (u32::from(block) - u32::from('A')), mask, ..path });
    let sides = Next::of(side(to[0], lanes & path.mask), side(to[1], path.mask & !lanes));
    unit.resolve(slot, &Next { reconvergence: meet, block, ..sides })
}

/// Figures 1 and 3: A goes to B or C, C to D or E, which meet at F, of one instruction; B and F meet at G, of three.
/// The splits of C meet at G: F runs twice.
#[test]
fn figure_3() {
    let mut unit = unit();
    assert_eq!(parts(&mut unit, 0, 0b0001, ['B', 'C'], (at('G'), 3)), PUSHES);
    assert_eq!(unit.drawn(), ["G 1111", "C 0111 > G", "B 1000 > G"]); // a
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(parts(&mut unit, 0, 0b0110, ['D', 'E'], (at('F'), 1)), DIVIDES);
    assert_eq!(unit.drawn(), ["G 1111", "D 0110 | E 0001 > G"]); // b
    assert_eq!((unit.schedulable(), unit.held()), (2, 3));
    assert_eq!(unit.goes(0, 'F'), NOTHING);
    assert_eq!(unit.drawn(), ["G 1111", "F 0110 | E 0001 > G"]); // c
    assert_eq!(unit.goes(0, 'G'), NOTHING);
    assert_eq!(unit.listed(), ["E 0001", "G 1110"]);
    assert_eq!(unit.goes(1, 'F'), NOTHING);
    assert_eq!(unit.drawn(), ["G 1111", "F 0001 > G"]);
    assert_eq!(unit.goes(1, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 1111"]); // d
}

/// Without a block of at most one instruction the same graph runs as on the stack: figure 2.
#[test]
fn figure_2_below_the_threshold() {
    let mut unit = Dws::new(&start(), 1);
    parts(&mut unit, 0, 0b0001, ['B', 'C'], (at('G'), 3));
    unit.goes(0, 'G');
    assert_eq!(parts(&mut unit, 0, 0b0110, ['D', 'E'], (at('F'), 2)), PUSHES);
    assert_eq!(unit.drawn(), ["G 1111", "F 0111 > G", "E 0001 > F", "D 0110 > F"]);
    assert_eq!((unit.goes(0, 'F'), unit.goes(0, 'F')), (POPS, POPS));
    assert_eq!(unit.drawn(), ["G 1111", "F 0111 > G"]);
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 1111"]);
}

/// Figure 4 runs B beside C, and D beside E. With a high threshold B runs beside them too, and E, D merge at F only
/// if one is there when the other arrives.
#[test]
fn figure_4_with_every_branch_divided() {
    let mut unit = Dws::new(&start(), 100);
    assert_eq!(parts(&mut unit, 0, 0b0001, ['B', 'C'], (at('G'), 3)), DIVIDES);
    assert_eq!(unit.drawn(), ["B 1000 | C 0111"]);
    assert_eq!(parts(&mut unit, 1, 0b0110, ['D', 'E'], (at('F'), 1)), DIVIDES);
    assert_eq!(unit.drawn(), ["B 1000 | D 0110 | E 0001"]);
    assert_eq!(unit.schedulable(), 3);
    assert_eq!((unit.goes(2, 'F'), unit.goes(1, 'F')), (NOTHING, NOTHING));
    assert_eq!((unit.drawn(), unit.path(1)), (vec!["B 1000 | F 0111".to_owned()], None));
    // The bottom row has no point of its own: G is where they happen to meet.
    assert_eq!((unit.goes(2, 'G'), unit.goes(0, 'G')), (NOTHING, NOTHING));
    assert_eq!((unit.drawn(), unit.held()), (vec!["G 1111".to_owned()], 1));
}

/// In a divided row every divergence divides, whatever follows its point: `if` without `else` has two splits at once.
#[test]
fn a_divided_row_divides_further() {
    let mut unit = unit();
    parts(&mut unit, 0, 0b0011, ['B', 'C'], (at('C'), 2));
    assert_eq!(unit.drawn(), ["B 1100 | C 0011"]);
    assert_eq!(parts(&mut unit, 0, 0b0001, ['D', 'E'], (at('G'), 99)), DIVIDES);
    assert_eq!(unit.drawn(), ["D 1000 | C 0011 | E 0100"]);
    assert_eq!(parts(&mut unit, 1, 0b0100, ['D', 'E'], (Reconvergence::Unknown, 0)), DIVIDES);
    // Both new splits are where others are.
    assert_eq!(unit.drawn(), ["D 1010 | E 0101"]);
}

/// Two threads that merged in one function return to different places: neither may wait for the other there.
#[test]
fn a_divergence_without_a_point_divides() {
    let mut unit = unit();
    assert_eq!(parts(&mut unit, 0, 0b0011, ['B', 'C'], (Reconvergence::Unknown, 0)), DIVIDES);
    assert_eq!(unit.drawn(), ["B 1100 | C 0011"]);
    assert_eq!(unit.schedulable(), 2);
}

/// The split that is left is a row as before: it is pushed again.
#[test]
fn one_split_left_is_no_longer_divided() {
    let mut unit = unit();
    parts(&mut unit, 0, 0b0001, ['B', 'C'], (at('G'), 3));
    unit.goes(0, 'G');
    parts(&mut unit, 0, 0b0110, ['D', 'E'], (at('F'), 1));
    assert_eq!(unit.ends(1), NOTHING);
    assert_eq!(unit.drawn(), ["G 1111", "D 0110 > G"]);
    assert_eq!(parts(&mut unit, 0, 0b0010, ['E', 'F'], (at('H'), 9)), PUSHES);
    assert_eq!(unit.drawn(), ["G 1111", "H 0110 > G", "F 0010 > H", "E 0100 > H"]);
    assert_eq!((unit.goes(0, 'H'), unit.goes(0, 'H')), (POPS, POPS));
    assert_eq!(unit.drawn(), ["G 1111", "H 0110 > G"]);
}

/// The row of a loop is used again while threads leave the loop, and for two sides that meet at its own point.
#[test]
fn a_divergence_to_the_point_of_the_row_reuses_the_row() {
    let mut unit = unit();
    assert_eq!(parts(&mut unit, 0, 0b1110, ['B', 'C'], (at('C'), 9)), PUSHES);
    assert_eq!(unit.drawn(), ["C 1111", "B 0111 > C"]);
    assert_eq!(parts(&mut unit, 0, 0b1100, ['B', 'C'], (at('C'), 9)), NOTHING);
    assert_eq!(unit.drawn(), ["C 1111", "B 0011 > C"]);
    assert_eq!(parts(&mut unit, 0, 0b0100, ['E', 'D'], (at('C'), 9)), PUSHES);
    assert_eq!(unit.drawn(), ["C 1111", "E 0010 > C", "D 0001 > C"]);
    assert_eq!((unit.goes(0, 'C'), unit.goes(0, 'C')), (POPS, POPS));
    assert_eq!(unit.drawn(), ["C 1111"]);
}

/// Splits at one pc merge only at one call depth, neither parked nor in the middle of a memory instruction, unless
/// both are parked.
#[test]
fn splits_merge_at_the_same_instruction_alone() {
    let mut unit = unit();
    parts(&mut unit, 0, 0b0011, ['B', 'C'], (at('E'), 1));
    unit.deeper(1, 'D', 1);
    unit.goes(0, 'D');
    assert_eq!(unit.drawn(), ["D 1100 | D' 0011"]);
    unit.serves(0, "1000");
    assert_eq!(unit.deeper(1, 'D', -1), NOTHING);
    assert_eq!(unit.drawn(), ["D 1100/0100 | D 0011"]);
    unit.parks(1, 'F');
    unit.serves(0, "0100");
    unit.goes(0, 'F');
    assert_eq!(unit.drawn(), ["F 1100 | F 0011*"]);
    unit.parks(0, 'F');
    assert_eq!(unit.drawn(), ["F 1111*"]);
    unit.release();
    assert_eq!(unit.drawn(), ["F 1111"]);
}

/// Two returns of one call: each split waits before its own, and the first represents both.
#[test]
fn splits_wait_before_a_return() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    parts(&mut unit, 0, 0b0001, ['B', 'C'], (Reconvergence::Return, 9));
    assert_eq!(unit.drawn(), ["A' 1111", "C' 0111 > return'", "B' 1000 > return'"]);
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(parts(&mut unit, 0, 0b0010, ['D', 'E'], (at('F'), 1)), DIVIDES);
    assert_eq!((unit.returns(1), unit.returns(1)), (Some(NOTHING), None));
    assert_eq!(unit.listed(), ["D' 0100", "B' 1011"]);
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!(unit.drawn(), ["B' 1111"]);
}

/// Threads 0 and 1 hit. The splits of the row reconverge at its point, or where they happen to be together.
#[test]
fn a_load_that_some_threads_miss_divides() {
    let mut unit = unit();
    parts(&mut unit, 0, 0b1110, ['B', 'C'], (at('G'), 3));
    assert_eq!(unit.drawn(), ["G 1111", "C 1000 > G", "B 0111 > G"]);
    assert_eq!(unit.misses(0, "0011"), Some(DIVIDES));
    assert_eq!(unit.drawn()[2], "B 0100 | B 0011 > G");
    assert_eq!(unit.misses(1, "0001"), Some(DIVIDES));
    assert_eq!((unit.goes(0, 'D'), unit.goes(2, 'D')), (NOTHING, NOTHING));
    assert_eq!(unit.drawn()[2], "D 0101 | B 0010 > G");
    // A branch of a divided row divides.
    assert_eq!(parts(&mut unit, 0, 0b0010, ['E', 'F'], (at('F'), 99)), DIVIDES);
    assert_eq!((unit.goes(0, 'G'), unit.goes(1, 'G'), unit.goes(2, 'G')), (NOTHING, NOTHING, POPS));
    assert_eq!(unit.drawn(), ["G 1111", "C 1000 > G"]);
}

#[test]
fn no_load_divides_a_split_that_waits_whole_or_within_an_instruction() {
    let mut unit = unit();
    assert_eq!((unit.misses(0, "1111"), unit.misses(0, "0000")), (None, None));
    unit.serves(0, "1000");
    assert_eq!(unit.misses(0, "0011"), None);
    unit.serves(0, "0111");
    unit.parks(0, 'B');
    assert_eq!(unit.misses(0, "0011"), None);
    assert_eq!(unit.drawn(), ["B 1111*"]);
}
