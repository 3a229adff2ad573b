use super::*;
use weft_config::{ARBITER, DUAL_PATH, PDOM_STACK, SORTED_TABLE, VERILOG};
use weft_trace::{Moves, PathRecord};

const PATH: PathRecord = PathRecord { pc: 0, depth: 0, mask: 1, parked: false };

fn held(unit: &str) -> Held {
    let mut config = Config { warps: 2, ..Config::default() };
    config.divergence.unit = unit.into();
    Held::new(&config)
}

fn context(event: Event, y: Option<PathRecord>, moves: Moves) -> Context {
    Context { cycle: 0, warp: 1, slot: 0, event, x: Some(PATH), y, moves, released: 0 }
}

#[test]
fn cold_paths_are_counted_as_they_come_and_go() {
    let mut held = held(SORTED_TABLE.name);
    let inserts = Moves { inserts: true, ..Moves::default() };
    let extracts = Moves { extracts: true, ..Moves::default() };
    let sorting = |sorting| Exchange { cycle: 0, warp: 1, row: 0, sorting };
    assert_eq!(held.context(&context(Event::Commit, None, Moves::default())), Some(1));
    assert_eq!(held.context(&context(Event::Commit, Some(PATH), inserts)), Some(3));
    assert_eq!(held.context(&context(Event::Commit, Some(PATH), inserts)), Some(4));
    let rotation = Moves { inserts: true, extracts: true, ..Moves::default() };
    assert_eq!(held.context(&context(Event::Rotation, Some(PATH), rotation)), None);
    held.exchange(&sorting(Sorting::Exchange));
    assert_eq!(held.context(&context(Event::Commit, Some(PATH), Moves::default())), Some(4));
    held.exchange(&sorting(Sorting::Merge));
    assert_eq!(held.context(&context(Event::Commit, Some(PATH), extracts)), Some(2));
}

#[test]
fn rows_are_counted_where_each_push_is_one() {
    let (pushes, pops) = (Moves { pushes: true, ..Moves::default() }, Moves { pops: true, ..Moves::default() });
    let mut dual_path = held(DUAL_PATH.name);
    assert_eq!(dual_path.context(&context(Event::Commit, Some(PATH), pushes)), Some(2));
    assert_eq!(dual_path.context(&context(Event::Rotation, None, pops)), None);
    assert_eq!(dual_path.context(&context(Event::Commit, None, Moves::default())), Some(1));
    for unit in [&PDOM_STACK, &ARBITER, &VERILOG] {
        let held = held(unit.name).context(&context(Event::Commit, None, Moves::default()));
        assert_eq!(held, None, "{}", unit.name);
    }
}
