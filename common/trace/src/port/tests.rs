use super::*;
use crate::Sizes;

struct Wires<'a>(&'a [(&'static str, u64)]);

impl Source<&'static str> for Wires<'_> {
    fn bits(&self, port: &'static str) -> u64 {
        self.0.iter().find(|(name, _)| *name == port).map_or(0, |(_, value)| *value)
    }

    fn words(&self, _: &'static str) -> &[u32] {
        &[]
    }

    fn long_bits(&self, port: &'static str) -> [u64; 4] {
        [self.bits(port), 0, 0, 0]
    }

    fn number(&self, low: u32) -> u64 {
        (1 << 32) + u64::from(low)
    }
}

#[test]
fn records_are_read_from_the_ports_of_their_names() {
    let ports = TracePorts::build(&mut |field| field.port);
    let wires = Wires(&[
        ("commit_valid", 1),
        ("commit_number", 7),
        ("commit_memory_op", 2),
        ("context_valid", 1),
        ("context_x_valid", 1),
        ("context_x_mask", 5),
        ("context_rotates", 1),
        ("context_extracts", 1),
        ("exchange_valid", 1),
        ("exchange_row", 3),
        ("exchange_folds", 1),
        ("issue_valid", 1),
        ("issue_warp", 2),
    ]);
    let mut commit = Commit::default();
    assert!(ports.commit(&wires, 9, &mut commit));
    assert_eq!((commit.cycle, commit.number, commit.memory), (9, (1 << 32) + 7, crate::MemoryOp::Store));
    let context = ports.context(&wires, 9).expect("a record");
    assert_eq!((context.event, context.x.map(|path| path.mask), context.y), (Event::Rotation, Some(5), None));
    assert_eq!(context.moves, Moves { extracts: true, ..Moves::default() });
    let exchange = ports.exchange(&wires, 9).expect("an exchange");
    assert_eq!((exchange.row, exchange.sorting), (3, Sorting::Fold));
    assert_eq!((ports.issued(&wires), ports.squashed(&wires), ports.released(&wires)), (Some((2, 0)), None, 0));
    assert!(!ports.late_write(&wires, 9, &mut LateWrite::default()));
}

#[test]
fn the_documentation_has_the_table() {
    let page = include_str!("../../../../docs/manual/trace.md");
    assert!(page.contains(&table()), "docs/manual/trace.md must hold this table:\n{}", table());
}

#[test]
fn widths_follow_from_the_sizes_and_every_group_begins_at_a_port() {
    let widths = |warps, threads| {
        let mut widths = Vec::new();
        TracePorts::build(&mut |field| widths.push((field.port, (field.width)(Sizes { warps, threads }))));
        widths
    };
    let of = |widths: &[(&str, usize)], port: &str| widths.iter().find(|(name, _)| *name == port).map(|(_, w)| *w);
    let (one, many) = (widths(1, 1), widths(12, 8));
    for (port, least, more) in
        [("commit_warp", 1, 4), ("exchange_row", 1, 3), ("commit_memory_mask", 4, 32), ("late_values", 32, 256)]
    {
        assert_eq!((of(&one, port), of(&many, port)), (Some(least), Some(more)), "{port}");
    }
    assert!(GROUPS.iter().all(|(port, _)| of(&one, port).is_some()));
}
