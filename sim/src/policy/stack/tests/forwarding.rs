use super::drawn::{NOTHING, POPS, PUSHES, Unit, at, start};
use crate::policy::Policy;
use crate::policy::forwarding::Forwarding;

fn unit() -> Forwarding {
    Forwarding::new(&start())
}

/// Figure 4 of the paper: in (d), D has arrived at F, and B runs next to E.
#[test]
fn figure_4_with_block_b_beside_block_e() {
    let mut unit = unit();
    unit.parts(0, "1000", ['B', 'C'], at('G'));
    assert_eq!(unit.parts(1, "0001", ['E', 'D'], at('F')), PUSHES);
    assert_eq!(unit.listed(), ["E 0001", "D 0110", "B 1000"]); // c
    assert_eq!(unit.goes(1, 'F'), NOTHING);
    assert_eq!(unit.listed(), ["E 0001", "B 1000", "F 0110"]); // d
    assert_eq!((unit.schedulable(), unit.path(1).map(|path| path.mask)), (2, Some(0b0001)));

    // B arrives at G, where its row's other side is still missing.
    assert_eq!(unit.goes(1, 'G'), NOTHING);
    assert_eq!(unit.listed(), ["E 0001", "F 0110", "G 1000"]);
    assert_eq!((unit.schedulable(), unit.path(1)), (1, None));
    assert_eq!(unit.goes(0, 'F'), POPS);
    assert_eq!(unit.listed(), ["F 0111", "G 1000"]);
}

/// A forwarded path that diverges pushes its row: the path in the other slot waits.
#[test]
fn a_forwarded_path_that_parts_takes_both_slots() {
    let mut unit = unit();
    unit.parts(0, "1100", ['B', 'C'], at('G'));
    unit.parts(1, "0001", ['D', 'E'], at('F'));
    unit.goes(0, 'F');
    assert_eq!(unit.listed(), ["B 1100", "D 0001", "F 0010"]);
    assert_eq!(unit.parts(0, "1000", ['H', 'I'], at('G')), PUSHES);
    assert_eq!(unit.listed(), ["H 1000", "I 0100", "D 0001", "F 0010"]);
    assert_eq!(unit.goes(0, 'G'), NOTHING);
    assert_eq!(unit.listed(), ["D 0001", "I 0100", "F 0010", "G 1000"]);
    assert_eq!(unit.goes(0, 'F'), POPS);
}
