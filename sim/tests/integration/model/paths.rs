//! The example of the path-list paper: `if (A && B) C; else D; E;`, thread 0 through A B C E,
//! thread 1 through A D E, threads 2 and 3 through A B D E.

use crate::model::bench::{Bench, units_by_priority};
use words::*;

/// Traversal by minimum pc (figure 1e) runs each block once, with the threads that reach it:
/// A 1111, B with threads 0, 2, 3, C with thread 0, D with threads 1, 2, 3, E 1111. Bit i of a
/// mask is thread i, as in the paper's text.
#[test]
fn minimum_pc_order_runs_each_block_of_the_figure_once() {
    for unit in units_by_priority() {
        let traced = Bench::new(1, 4)
            .unit(unit)
            .lanes(10, &[1, 0, 1, 1])
            .lanes(11, &[1, 1, 0, 0])
            .code(&[
                beq(10, 0, 16),  // 0: A: not A goes to D
                beq(11, 0, 12),  // 1: B: not B goes to D
                addi(12, 12, 3), // 2: C
                jal(0, 8),       // 3:    goes to E
                addi(12, 12, 4), // 4: D
                addi(13, 12, 5), // 5: E
            ])
            .trace();
        let expected = [(0, 0b1111), (1, 0b1101), (2, 0b0001), (3, 0b0001), (4, 0b1110), (5, 0b1111)];
        assert_eq!(traced.masks(), expected, "{unit}");
        assert_eq!(traced.lanes(13), [8, 9, 9, 9], "{unit}");
        assert_eq!(traced.commits.iter().filter(|commit| commit.divergent).count(), 2, "{unit}");
    }
}

/// After B the list holds C 0001 and D 1110: the lanes that reached D from A and from B have merged.
#[test]
fn threads_that_reach_a_block_from_two_sides_merge_while_they_wait() {
    for unit in units_by_priority() {
        let mut machine = Bench::new(1, 4)
            .unit(unit)
            .lanes(10, &[1, 0, 1, 1])
            .lanes(11, &[1, 1, 0, 0])
            .code(&[beq(10, 0, 16), beq(11, 0, 12), NOP, jal(0, 8), NOP, NOP])
            .ready();
        let start = machine.path(0, 0).expect("one path").pc;
        for _ in 0..2 {
            machine.step(0, 0, &sim::Given::default(), &mut Default::default()).expect("it branches");
        }
        let paths: Vec<(u32, u64)> = machine.paths(0).iter().map(|path| ((path.pc - start) / 4, path.mask)).collect();
        assert_eq!(paths, [(2, 0b0001), (4, 0b1110)], "{unit}");
    }
}
