//! The queue of paths with meetings: the figure of the report, and single rules.
//!
//! The active path is drawn first, then the queue from its front, and last the threads that wait at each meeting.

use weft_config::Order;
use weft_trace::{Moves, PathRecord};

use super::drawn::{NOTHING, POPS, PUSHES, Unit, at, start};
use crate::control_flow::Reconvergence;
use crate::policy::multi_path::MultiPath;
use crate::policy::{Next, Policy, Start};

const INSERTS: Moves = Moves { inserts: true, ..NOTHING };
const EXTRACTS: Moves = Moves { extracts: true, ..NOTHING };
const YIELDS: Moves = Moves { yields: true, ..NOTHING };

fn unit() -> MultiPath {
    MultiPath::new(&start(), Order::DepthFirst)
}

fn breadth_first() -> MultiPath {
    MultiPath::new(&start(), Order::BreadthFirst)
}

fn in_slices_of(fair_after: u64) -> MultiPath {
    MultiPath::new(&Start { fair_after, ..start() }, Order::DepthFirst)
}

/// `if (A && B) C; else D; E` (figure 1). D runs twice: its threads reconverge at E only.
#[test]
fn figure_1_depth_first() {
    let mut unit = unit();
    assert_eq!(unit.drawn(), ["A 1111"]);
    assert_eq!(unit.parts(0, "1011", ['B', 'D'], at('E')), PUSHES);
    assert_eq!(unit.drawn(), ["B 1011 > E", "D 0100 > E", "- > E"]);
    // The inner branch reconverges at E too, so it creates no meeting.
    assert_eq!(unit.parts(0, "1000", ['C', 'D'], at('E')), INSERTS);
    assert_eq!(unit.drawn(), ["C 1000 > E", "D 0011 > E", "D 0100 > E", "- > E"]);
    assert_eq!(unit.goes(0, 'E'), EXTRACTS);
    assert_eq!(unit.drawn(), ["D 0011 > E", "D 0100 > E", "E 1000 > E"]);
    assert_eq!((unit.listed(), unit.held()), (vec!["D 0011".into(), "D 0100".into(), "E 1000".into()], 3));
    assert_eq!(unit.goes(0, 'E'), NOTHING);
    assert_eq!(unit.goes(0, 'E'), POPS);
    assert_eq!(unit.drawn(), ["E 1111"]);
    assert_eq!((unit.rotates(0), unit.held(), unit.schedulable()), (None, 1, 1));
}

/// Figure 1d of the report: A 1111, B 1011, D 0100, C 1000, D 0011, E 1111.
#[test]
fn figure_1_breadth_first() {
    let mut unit = breadth_first();
    assert_eq!(unit.parts(0, "1011", ['B', 'D'], at('E')), PUSHES);
    assert_eq!(unit.drawn(), ["D 0100 > E", "B 1011 > E", "- > E"]);
    assert_eq!(unit.rotates(0), Some(NOTHING));
    assert_eq!(unit.drawn(), ["B 1011 > E", "D 0100 > E", "- > E"]);
    assert_eq!(unit.rotates(0), None);
    assert_eq!(unit.parts(0, "1000", ['C', 'D'], at('E')), INSERTS);
    assert_eq!(unit.drawn(), ["D 0011 > E", "D 0100 > E", "C 1000 > E", "- > E"]);
    assert_eq!(unit.rotates(0), Some(Moves { extracts: true, ..INSERTS }));
    assert_eq!(unit.drawn(), ["D 0100 > E", "C 1000 > E", "D 0011 > E", "- > E"]);
    assert_eq!(unit.goes(0, 'E'), EXTRACTS);
    assert_eq!(unit.goes(0, 'E'), NOTHING);
    assert_eq!(unit.drawn(), ["D 0011 > E", "E 1100 > E"]);
    assert_eq!(unit.goes(0, 'E'), POPS);
    assert_eq!(unit.drawn(), ["E 1111"]);
}

/// The threads of the inner `if` meet at F, and those of the outer one at G.
#[test]
fn an_if_in_an_if() {
    for (mut unit, order) in [(unit(), "BDEFCG"), (breadth_first(), "BCDEFG")] {
        let mut blocks = String::new();
        unit.parts(0, "1110", ['B', 'C'], at('G'));
        while blocks.len() < order.len() {
            while unit.rotates(0).is_some() {}
            let x = unit.listed().remove(0);
            let block = x.chars().next().expect("a block");
            blocks.push(block);
            match block {
                'B' => unit.parts(0, "1000", ['D', 'E'], at('F')),
                'D' | 'E' => unit.goes(0, 'F'),
                'C' | 'F' => unit.goes(0, 'G'),
                _ => unit.ends(0),
            };
            assert!(block != 'F' || x == "F 1110", "{x}");
            assert!(block != 'G' || x == "G 1111", "{x}");
        }
        assert_eq!((blocks.as_str(), unit.path(0)), (order, None));
    }
}

/// B is a loop that ends at C: threads leave it one by one, and wait at its meeting.
#[test]
fn a_loop_that_sheds_threads_keeps_its_meeting() {
    for mut unit in [unit(), breadth_first()] {
        unit.goes(0, 'B');
        assert_eq!(unit.parts(0, "0111", ['B', 'C'], at('C')), PUSHES);
        assert_eq!(unit.drawn(), ["B 0111 > C", "C 1000 > C"]);
        assert_eq!(unit.parts(0, "0011", ['B', 'C'], at('C')), NOTHING);
        assert_eq!(unit.drawn(), ["B 0011 > C", "C 1100 > C"]);
        assert_eq!((unit.rotates(0), unit.goes(0, 'C')), (None, POPS));
        assert_eq!(unit.drawn(), ["C 1111"]);
    }
}

/// If the point is unknown, threads reconverge at the enclosing meeting, or never.
#[test]
fn an_unknown_branch_creates_no_meeting() {
    let mut unit = unit();
    assert_eq!(unit.parts(0, "1100", ['B', 'C'], Reconvergence::Unknown), NOTHING);
    assert_eq!(unit.drawn(), ["B 1100", "C 0011"]);
    assert_eq!(unit.parts(0, "1000", ['D', 'E'], at('F')), Moves { pushes: true, ..INSERTS });
    assert_eq!(unit.goes(0, 'G'), NOTHING);
    assert_eq!(unit.parts(0, "1000", ['G', 'F'], Reconvergence::Unknown), NOTHING);
    assert_eq!(unit.drawn(), ["G 1000 > F", "E 0100 > F", "C 0011", "- > F"]);
}

/// Two returns of one call: the threads wait before either, and the first represents both.
#[test]
fn paths_wait_before_a_return() {
    let mut unit = unit();
    unit.deeper(0, 'A', 1);
    assert_eq!(unit.parts(0, "1000", ['C', 'D'], Reconvergence::Return), PUSHES);
    assert_eq!(unit.drawn(), ["C' 1000 > return'", "D' 0111 > return'", "- > return'"]);
    // The return of a call from C is another place.
    unit.deeper(0, 'B', 1);
    assert_eq!(unit.returns(0), None);
    unit.deeper(0, 'C', -1);
    assert_eq!((unit.rotates(0), unit.returns(0)), (None, Some(NOTHING)));
    assert_eq!(unit.drawn(), ["D' 0111 > return' at C", "C' 1000 > return' at C"]);
    assert_eq!(unit.parts(0, "0100", ['E', 'F'], Reconvergence::Return), NOTHING);
    assert_eq!(unit.returns(0), Some(NOTHING));
    assert_eq!(unit.returns(0), Some(POPS));
    assert_eq!((unit.drawn(), unit.returns(0)), (vec!["C' 1111".to_owned()], None));
}

/// The same instruction, one call deeper, is another place.
#[test]
fn a_path_one_call_deeper_has_not_arrived() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'D'], at('D'));
    assert_eq!(unit.drawn(), ["B 1100 > D", "D 0011 > D"]);
    assert_eq!(unit.deeper(0, 'D', 1), NOTHING);
    assert_eq!(unit.rotates(0), None);
    // A branch in the call reconverges there.
    unit.jumps(0, "1000", 1, at('E'));
    assert_eq!(unit.drawn(), ["D'' 1000 > E'", "D' 0100 > E'", "- > E'", "D 0011 > D"]);
}

/// A parked path lets go of its meeting, where threads wait. After the release it goes on alone.
#[test]
fn a_barrier_right_before_the_meeting() {
    for mut unit in [unit(), breadth_first()] {
        assert_eq!(unit.parts(0, "1000", ['D', 'E'], at('E')), PUSHES);
        assert_eq!(unit.parks(0, 'E'), NOTHING);
        assert_eq!(unit.drawn(), ["E 1000* > E", "E 0111 > E"]);
        // The others may come to the barrier now.
        assert_eq!(unit.rotates(0), Some(POPS));
        assert_eq!(unit.drawn(), ["E 0111", "E 1000*"]);
        assert_eq!((unit.rotates(0), unit.parks(0, 'F')), (None, NOTHING));
        assert_eq!((unit.drawn(), unit.rotates(0)), (vec!["F 0111*".to_owned(), "E 1000*".to_owned()], None));
        unit.release();
        assert_eq!((unit.drawn(), unit.rotates(0)), (vec!["F 0111".to_owned(), "E 1000".to_owned()], None));
    }
}

/// No thread waits at the meeting, so the path stays expected there, and arrives by a step.
#[test]
fn a_path_arrives_after_its_release() {
    let mut unit = unit();
    unit.parts(0, "1000", ['B', 'C'], at('E'));
    assert_eq!((unit.parks(0, 'E'), unit.rotates(0)), (NOTHING, Some(NOTHING)));
    assert_eq!(unit.drawn(), ["C 0111 > E", "E 1000* > E", "- > E"]);
    assert_eq!((unit.parks(0, 'D'), unit.rotates(0)), (NOTHING, None));
    unit.release();
    assert_eq!((unit.rotates(0), unit.goes(0, 'E')), (None, NOTHING));
    assert_eq!(unit.drawn(), ["E 1000 > E", "E 0111 > E"]);
    assert_eq!((unit.rotates(0), unit.drawn()), (Some(POPS), vec!["E 1111".to_owned()]));
    // The path of a meeting does not arrive at once, even if it is at the next one.
    assert_eq!(unit.rotates(0), None);
}

/// `while (!try); release;` Thread 0 has the lock and waits at D, the end of the loop B, until the others let go.
#[test]
fn a_lock_in_a_loop_is_released() {
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        for fair_after in [1, 2, 5, 64] {
            let mut unit = MultiPath::new(&Start { fair_after, ..start() }, order);
            unit.goes(0, 'B');
            let (mut commits, mut holder) = (0, None);
            while unit.path(0).is_some() {
                while unit.rotates(0).is_some() {}
                let x = unit.path(0).expect("a path");
                let first = 1 << x.mask.trailing_zeros();
                if unit.listed()[0].starts_with('D') {
                    // It releases the lock, and ends.
                    holder = holder.filter(|holder| x.mask & holder == 0);
                    unit.ends(0);
                } else if holder.is_none() && x.mask != first {
                    holder = Some(first);
                    let digits: String = (0..4).map(|lane| if first >> lane & 1 == 1 { '1' } else { '0' }).collect();
                    unit.parts(0, &digits, ['D', 'B'], at('D'));
                } else {
                    let to = if holder.is_none() { 'D' } else { 'B' };
                    holder = holder.or(Some(first));
                    unit.goes(0, to);
                }
                commits += 1;
                assert!(commits <= 20 + 8 * fair_after, "fair_after {fair_after}: {:?}", unit.drawn());
            }
        }
    }
}

/// Without threads that wait, a time slice ends with a place at the back of the queue, and without letting go.
#[test]
fn a_path_lets_go_only_if_threads_wait() {
    let mut unit = in_slices_of(2);
    unit.parts(0, "1000", ['B', 'C'], at('G'));
    assert_eq!((unit.goes(0, 'B'), unit.rotates(0)), (NOTHING, Some(YIELDS)));
    assert_eq!(unit.drawn(), ["C 0111 > G", "B 1000 > G", "- > G"]);
    assert_eq!((unit.goes(0, 'C'), unit.rotates(0)), (NOTHING, None));
    assert_eq!((unit.goes(0, 'G'), unit.drawn()), (NOTHING, vec!["B 1000 > G".to_owned(), "G 0111 > G".to_owned()]));
    // The slice could not end with the arrival: it ends with the next commit. B runs alone from now on.
    assert_eq!((unit.goes(0, 'B'), unit.rotates(0)), (NOTHING, Some(Moves { pops: true, ..YIELDS })));
    assert_eq!(unit.drawn(), ["G 0111", "B 1000"]);
}

/// Letting go is one level: B is still expected at G.
#[test]
fn a_path_that_lets_go_belongs_to_the_next_outer_meeting() {
    let mut unit = unit();
    unit.parts(0, "1110", ['B', 'G'], at('G'));
    unit.parts(0, "1000", ['B', 'F'], at('F'));
    assert_eq!(unit.drawn(), ["B 1000 > F", "F 0110 > F", "G 0001 > G"]);
    let x = unit.path(0);
    unit.resolve(0, &Next { yields: true, ..Next::of(x, None) });
    assert_eq!(unit.rotates(0), Some(Moves { pops: true, ..YIELDS }));
    assert_eq!(unit.drawn(), ["F 0110 > G", "B 1000 > G", "G 0001 > G"]);
    assert_eq!(unit.goes(0, 'G'), NOTHING);
    assert_eq!(unit.goes(0, 'G'), POPS);
    assert_eq!(unit.drawn(), ["G 1111"]);
}

/// All threads of the inner meeting end: it is freed, and then the outer one.
#[test]
fn meetings_of_threads_that_have_ended_are_freed_one_by_one() {
    let mut unit = unit();
    unit.parts(0, "1110", ['B', 'G'], at('G'));
    unit.parts(0, "1100", ['C', 'D'], at('F'));
    unit.parts(0, "1000", ['C', 'D'], at('E'));
    assert_eq!(unit.drawn(), ["C 1000 > E", "D 0100 > E", "D 0010 > F", "- > E", "- > F", "G 0001 > G"]);
    assert_eq!((unit.ends(0), unit.ends(0)), (EXTRACTS, POPS));
    assert_eq!((unit.path(0), unit.rotates(0)), (None, Some(NOTHING)));
    assert_eq!(unit.drawn(), ["D 0010 > F", "- > F", "G 0001 > G"]);
    assert_eq!(unit.ends(0), POPS);
    assert_eq!((unit.path(0), unit.rotates(0)), (None, Some(POPS)));
    assert_eq!(unit.drawn(), ["G 0001"]);
    assert_eq!((unit.rotates(0), unit.ends(0), unit.rotates(0)), (None, NOTHING, None));
}

/// Threads that a memory instruction has served stay on their path, and a time slice counts whole instructions.
#[test]
fn parts_of_a_memory_instruction_are_no_divergence() {
    let mut unit = in_slices_of(2);
    unit.parts(0, "1110", ['B', 'G'], at('G'));
    assert_eq!((unit.rotates(0), unit.serves(0, "1000"), unit.rotates(0)), (None, NOTHING, None));
    assert_eq!((unit.serves(0, "0100"), unit.rotates(0)), (NOTHING, None));
    assert_eq!(unit.drawn(), ["B 1110/0010 > G", "G 0001 > G"]);
    assert_eq!((unit.listed(), unit.held()), (vec!["B 0010".into(), "B+1 1100".into(), "G 0001".into()], 2));
    assert_eq!(unit.serves(0, "0010"), NOTHING);
    assert_eq!(unit.drawn(), ["B+1 1110 > G", "G 0001 > G"]);
    assert_eq!(unit.rotates(0), Some(Moves { pops: true, ..YIELDS }));
    assert_eq!(unit.drawn(), ["G 0001", "B+1 1110"]);
}

/// Threads at one place are one path, whatever the instruction.
#[test]
fn two_paths_at_one_place_are_one() {
    let mut unit = unit();
    assert_eq!(unit.parts(0, "1000", ['A', 'A'], at('A')), NOTHING);
    assert_eq!(unit.drawn(), ["A 1111"]);
}

/// Thread 0 waits at D for the others, which repeat `E: if (a) F; else { G: if (b) H; else I; J } K` until it runs.
/// J has some more instructions. Returns the number of commits until then.
fn spins(unit: &mut MultiPath, more: u32) -> u64 {
    unit.parts(0, "1000", ['D', 'E'], at('D'));
    for commits in 0..10_000 {
        while unit.rotates(0).is_some() {}
        let x = unit.path(0).expect("a path");
        let has_both = |mask: u64| x.mask & mask != 0 && x.mask & !mask != 0;
        let block = unit.listed()[0].chars().next().expect("a block");
        match block {
            'D' if x.mask & 1 != 0 => return commits,
            'E' if has_both(0b0010) => unit.parts(0, "0100", ['F', 'G'], at('K')),
            'E' => unit.goes(0, if x.mask == 0b0010 { 'F' } else { 'G' }),
            'G' if has_both(0b0100) => unit.parts(0, "0010", ['H', 'I'], at('J')),
            'G' => unit.goes(0, if x.mask == 0b0100 { 'H' } else { 'I' }),
            'H' | 'I' => unit.goes(0, 'J'),
            'J' if x.pc % 0x100 < 4 * more => {
                let goes_on = PathRecord { pc: x.pc + 4, ..x };
                unit.resolve(0, &Next::of(Some(goes_on), None))
            }
            'F' | 'J' => unit.goes(0, 'K'),
            _ => unit.goes(0, 'E'),
        };
    }
    panic!("thread 0 waits for ever: {:?}", unit.drawn());
}

/// The time slices end where threads have just diverged twice. If each of these divergences created meetings, thread 0
/// would wait for ever: depth-first with slices of 12 commits, and 2 more instructions at J.
#[test]
fn threads_in_a_loop_with_branches_let_the_others_run() {
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        for fair_after in 1..=40 {
            for more in 0..10 {
                let commits = spins(&mut MultiPath::new(&Start { fair_after, ..start() }, order), more);
                assert!(commits <= 9 * fair_after + 8, "{order:?}, fair_after {fair_after}, {more} more: {commits}");
            }
        }
    }
}
