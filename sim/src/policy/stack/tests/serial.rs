//! Paths that never reconverge: the example of the path list traversal report, and single rules.

use super::drawn::{NOTHING, POPS, PUSHES, Unit, start};
use crate::control_flow::Reconvergence::Unknown;
use crate::policy::Policy;
use crate::policy::serial::Serial;

/// Figure 1 of the report: `A: if (a && b) C; else D; E`, with the second condition at B. D runs twice, E three times.
#[test]
fn figure_1() {
    let mut unit = Serial::new(&start());
    assert_eq!(unit.parts(0, "1011", ['B', 'D'], Unknown), PUSHES);
    assert_eq!(unit.drawn(), ["D 0100", "B 1011"]);
    assert_eq!(unit.parts(0, "1000", ['C', 'D'], Unknown), PUSHES);
    assert_eq!(unit.drawn(), ["D 0100", "D 0011", "C 1000"]);
    assert_eq!(unit.goes(0, 'E'), NOTHING);
    assert_eq!(unit.ends(0), POPS);
    assert_eq!(unit.goes(0, 'E'), NOTHING);
    assert_eq!((unit.drawn(), unit.held()), (vec!["D 0100".into(), "E 0011".into()], 2));
    assert_eq!(unit.ends(0), POPS);
    assert_eq!(unit.goes(0, 'E'), NOTHING);
    assert_eq!(unit.drawn(), ["E 0100"]);
    assert_eq!((unit.ends(0), unit.path(0)), (POPS, None));
}

/// The paths below run while the top waits at the barrier. Those that have waited stay apart.
#[test]
fn a_parked_path_gives_way() {
    let mut unit = Serial::new(&start());
    unit.parts(0, "1000", ['B', 'C'], Unknown);
    assert_eq!((unit.parks(0, 'E'), unit.rotates(0)), (NOTHING, Some(NOTHING)));
    assert_eq!(unit.drawn(), ["E 1000*", "C 0111"]);
    assert_eq!(unit.rotates(0), None);
    assert_eq!((unit.parks(0, 'E'), unit.rotates(0), unit.schedulable()), (NOTHING, None, 0));
    unit.release();
    assert_eq!(unit.drawn(), ["E 1000", "E 0111"]);
}

/// Threads that a memory instruction has served wait for the others: that is no divergence.
#[test]
fn parts_of_a_memory_instruction_stay_together() {
    let mut unit = Serial::new(&start());
    assert_eq!(unit.serves(0, "0010"), NOTHING);
    assert_eq!(unit.listed(), ["A 1101", "A+1 0010"]);
    assert_eq!(unit.serves(0, "1101"), NOTHING);
    assert_eq!(unit.drawn(), ["A+1 1111"]);
}
