//! The lock-step checker against streams of records of the unit `sorted-table`, made by the model with a sorter that
//! works at random times: faithful ones pass, and each way to spoil one is found.

use crate::support;

use sim::{Given, Machine, Program, Stop};
use testbench::Mismatch;
use testbench::lockstep::Checker;
use weft_config::Config;
use weft_trace::{Commit, Context, Event, Exchange, Moves, PathRecord, Sorting};
use words::*;

/// What the trace port says in one cycle.
#[derive(Clone, Debug, Default)]
struct Cycle {
    commit: Option<Commit>,
    context: Option<Context>,
    exchange: Option<Exchange>,
    release: bool,
}

/// Cycle by cycle.
type Stream = Vec<Cycle>;

fn config() -> Config {
    let mut config = support::config(2, 8);
    config.divergence.unit = "sorted-table".into();
    config.divergence.fair_after = 5;
    config
}

/// Cycles from a commit to its context record, if there is hardware of this unit.
fn delay(config: &Config) -> usize {
    config.unit().map_or(0, |unit| (unit.record_delay)(config) as usize)
}

/// Each lane jumps to a block of its own, every second of which has a barrier; all meet at another barrier and end.
fn program(config: &Config) -> Program {
    let mut words = vec![csrr(5, MHARTID), andi(6, 5, 7), slli(7, 6, 4), auipc(8, 0), add(8, 8, 7), jalr(0, 8, 12)];
    for block in 0..8 {
        let second = if block % 2 == 1 { csrw(BARRIER, 0) } else { addi(9, 9, 1) };
        let to_the_end = 4 * (38 - (words.len() as i32 + 3));
        words.extend([addi(9, 5, block), second, addi(9, 9, 2), jal(0, to_the_end)]);
    }
    words.extend([csrw(BARRIER, 0), csrw(EXIT, 0)]);
    support::program(config, &words, &[("start", 0x8000_0000)])
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn context(machine: &Machine, cycle: usize, warp: u32, event: Event, moves: Moves) -> Context {
    let (x, y) = (machine.path(warp, 0), machine.second(warp));
    Context { cycle: cycle as u64, warp, slot: 0, event, x, y, moves }
}

/// A run in which a warp commits or rotates every fourth cycle, and the sorter works in between.
fn faithful(seed: u64) -> Stream {
    let config = config();
    let program = program(&config);
    let delay = delay(&config);
    let mut machine = Machine::new(&config, &program).unwrap();
    let mut stream = Stream::new();
    let mut state = seed;
    while machine.live() > 0 {
        for warp in 0..config.warps {
            let mut cycles: [Cycle; 4] = Default::default();
            let now = stream.len();
            if let Some(moves) = machine.rotate(warp, 0) {
                cycles[delay].context = Some(context(&machine, now + delay, warp, Event::Rotation, moves));
            } else {
                let mut commit = Commit { cycle: now as u64, ..Commit::default() };
                match machine.step(warp, 0, &Given::default(), &mut commit) {
                    Ok(sim::Step::Committed { moves, .. }) => {
                        cycles[delay].context = Some(context(&machine, now + delay, warp, Event::Commit, moves));
                        cycles[0].commit = Some(commit);
                    }
                    Err(Stop::Idle) => {}
                    Err(fault) => panic!("{fault:?}"),
                }
            }
            for (cycle, shown) in cycles.iter_mut().enumerate().skip(1) {
                let kinds = [Sorting::Exchange, Sorting::Merge, Sorting::Fold];
                let sorting = kinds[random(&mut state) as usize % 3];
                let row = (random(&mut state) % 6) as u32;
                if machine.sorted(warp, row, sorting) {
                    shown.exchange = Some(Exchange { cycle: (now + cycle) as u64, warp, row, sorting });
                }
            }
            cycles[3].release = machine.release();
            stream.extend(cycles);
        }
    }
    stream
}

/// The verdict on a stream.
fn check(stream: &Stream) -> Result<(), Box<Mismatch>> {
    let config = config();
    let program = program(&config);
    let mut checker = Checker::new(&config, &program).unwrap();
    for (now, Cycle { commit, context, exchange, release }) in stream.iter().enumerate() {
        match (commit, context) {
            (Some(commit), context) => drop(checker.commit(commit, context.as_ref())?),
            (None, Some(context)) => checker.context(context)?,
            (None, None) => {}
        }
        if let Some(exchange) = exchange {
            checker.exchange(exchange)?;
        }
        if *release {
            checker.release(now as u64)?;
        }
    }
    Ok(())
}

#[test]
fn faithful_streams_pass() {
    let (mut rotations, mut exchanges, mut merges, mut folds) = (0, 0, 0, 0);
    let (mut yields, mut inserts, mut extracts) = (0, 0, 0);
    for seed in 0..100 {
        let stream = faithful(seed);
        check(&stream).unwrap_or_else(|mismatch| panic!("seed {seed}: {mismatch}"));
        for context in stream.iter().filter_map(|cycle| cycle.context.as_ref()) {
            rotations += u32::from(context.event == Event::Rotation);
            yields += u32::from(context.moves.yields);
            inserts += u32::from(context.moves.inserts);
            extracts += u32::from(context.moves.extracts);
        }
        for exchange in stream.iter().filter_map(|cycle| cycle.exchange) {
            *match exchange.sorting {
                Sorting::Exchange => &mut exchanges,
                Sorting::Merge => &mut merges,
                Sorting::Fold => &mut folds,
            } += 1;
        }
    }
    let counts = [rotations, exchanges, merges, folds, yields, inserts, extracts];
    assert!(counts.iter().all(|count| *count >= 20), "{counts:?}");
}

/// Changes the `n`th context record that satisfies a condition; does nothing if there is none.
fn alter(stream: &mut Stream, n: usize, condition: impl Fn(&Context) -> bool, change: impl Fn(&mut Context)) {
    let contexts = stream.iter_mut().filter_map(|cycle| cycle.context.as_mut());
    if let Some(context) = contexts.filter(|context| condition(context)).nth(n) {
        change(context);
    }
}

fn alter_y(stream: &mut Stream, n: usize, change: impl Fn(&mut PathRecord)) {
    alter(stream, n, |context| context.y.is_some(), |context| context.y.iter_mut().for_each(&change));
}

/// Cycle in which the sorter does this for the `n`th time.
fn exchange(stream: &Stream, n: usize, sorting: Sorting) -> Option<usize> {
    let at = |cycle: &Cycle| cycle.exchange.is_some_and(|exchange| exchange.sorting == sorting);
    (0..stream.len()).filter(|cycle| at(&stream[*cycle])).nth(n)
}

fn alter_exchange(stream: &mut Stream, n: usize, sorting: Sorting, change: impl Fn(&mut Exchange)) {
    if let Some(cycle) = exchange(stream, n, sorting) {
        stream[cycle].exchange.iter_mut().for_each(change);
    }
}

/// A way to spoil a stream at its `n`th chance, and the fields of which one must tell.
type Corruption = (&'static str, fn(&mut Stream, usize), &'static [&'static str]);

const CORRUPTIONS: &[Corruption] = &[
    ("y pc", |s, n| alter_y(s, n, |y| y.pc ^= 4), &["context_y_pc"]),
    ("y depth", |s, n| alter_y(s, n, |y| y.depth ^= 1), &["context_y_depth"]),
    ("y mask", |s, n| alter_y(s, n, |y| y.mask ^= 1), &["context_y_mask"]),
    ("y parked", |s, n| alter_y(s, n, |y| y.parked ^= true), &["context_y_parked"]),
    ("y lost", |s, n| alter(s, n, |c| c.y.is_some(), |c| c.y = None), &["context_y_valid"]),
    ("y made up", |s, n| alter(s, n, |c| c.x.is_some() && c.y.is_none(), |c| c.y = c.x), &["context_y_valid"]),
    (
        "x and y swapped",
        |s, n| alter(s, n, |c| c.y.is_some(), |c| (c.x, c.y) = (c.y, c.x)),
        &["context_x_pc", "context_x_depth", "context_x_mask"],
    ),
    ("yield lost", |s, n| alter(s, n, |c| c.moves.yields, |c| c.moves.yields = false), &["context_yields"]),
    ("yield made up", |s, n| alter(s, n, |c| !c.moves.yields, |c| c.moves.yields = true), &["context_yields"]),
    ("insert lost", |s, n| alter(s, n, |c| c.moves.inserts, |c| c.moves.inserts = false), &["context_inserts"]),
    ("insert made up", |s, n| alter(s, n, |c| !c.moves.inserts, |c| c.moves.inserts = true), &["context_inserts"]),
    ("extract lost", |s, n| alter(s, n, |c| c.moves.extracts, |c| c.moves.extracts = false), &["context_extracts"]),
    ("extract made up", |s, n| alter(s, n, |c| !c.moves.extracts, |c| c.moves.extracts = true), &["context_extracts"]),
    (
        "commit said to be a rotation",
        |s, n| alter(s, n, |c| c.event == Event::Commit && c.x.is_some(), |c| c.event = Event::Rotation),
        &["context_rotates"],
    ),
    (
        "rotation said to be a commit",
        |s, n| alter(s, n, |c| c.event == Event::Rotation, |c| c.event = Event::Commit),
        &["context_valid"],
    ),
    (
        "rotation lost",
        |s, n| {
            let rotates = |cycle: &&mut Cycle| cycle.context.as_ref().is_some_and(|c| c.event == Event::Rotation);
            s.iter_mut().filter(rotates).skip(n).take(1).for_each(|cycle| cycle.context = None);
        },
        // A sorter may notice first, or the next rotation.
        &["context_rotates", "exchange_row", "exchange_merges", "exchange_folds", "context_x_pc", "context_x_mask"],
    ),
    (
        "record lost",
        |s, n| {
            let commits = |cycle: &&mut Cycle| cycle.context.as_ref().is_some_and(|c| c.event == Event::Commit);
            s.iter_mut().filter(commits).skip(n).take(1).for_each(|cycle| cycle.context = None);
        },
        &["context_valid"],
    ),
    (
        "exchange lost",
        |s, n| {
            if let Some(cycle) = exchange(s, n, Sorting::Exchange) {
                s[cycle].exchange = None;
            }
        },
        &[
            "context_x_pc",
            "context_x_mask",
            "context_y_pc",
            "context_y_mask",
            "context_y_parked",
            "context_inserts",
            "context_extracts",
            "exchange_row",
            "exchange_merges",
            "exchange_folds",
            "context_x_parked",
        ],
    ),
    (
        "exchange of a path that is not better",
        |s, n| {
            // The path that y was comes after it.
            if let Some(cycle) = exchange(s, n, Sorting::Exchange) {
                let again = s[cycle].exchange.map(|exchange| Exchange { cycle: exchange.cycle + 1, ..exchange });
                s.insert(cycle + 1, Cycle { exchange: again, ..Cycle::default() });
            }
        },
        &["exchange_row"],
    ),
    ("exchange with no row", |s, n| alter_exchange(s, n, Sorting::Exchange, |e| e.row = 6), &["exchange_row"]),
    (
        "exchange said to merge",
        |s, n| alter_exchange(s, n, Sorting::Exchange, |e| e.sorting = Sorting::Merge),
        &["exchange_merges"],
    ),
    (
        "merge said to exchange",
        |s, n| alter_exchange(s, n, Sorting::Merge, |e| e.sorting = Sorting::Exchange),
        &["exchange_row"],
    ),
    ("merge of no row", |s, n| alter_exchange(s, n, Sorting::Merge, |e| e.row = 6), &["exchange_merges"]),
    (
        "fold said to merge",
        |s, n| alter_exchange(s, n, Sorting::Fold, |e| e.sorting = Sorting::Merge),
        &["exchange_merges", "context_y_mask", "context_x_mask"],
    ),
    ("fold of the front", |s, n| alter_exchange(s, n, Sorting::Fold, |e| e.row = 0), &["exchange_folds"]),
    ("exchange in no warp", |s, n| alter_exchange(s, n, Sorting::Exchange, |e| e.warp = 2), &["exchange_warp"]),
    (
        "exchange in the cycle of a commit",
        |s, n| {
            let commits = |cycle: &&mut Cycle| cycle.commit.is_some();
            s.iter_mut().filter(commits).skip(n).take(1).for_each(|cycle| {
                let (at, warp) = cycle.commit.as_ref().map_or((0, 0), |commit| (commit.cycle, commit.warp));
                cycle.exchange = Some(Exchange { cycle: at, warp, row: 0, sorting: Sorting::Exchange });
            });
        },
        &["exchange_valid", "exchange_warp"],
    ),
];

#[test]
fn every_corruption_is_found() {
    for (name, corrupt, fields) in CORRUPTIONS {
        let mut found = 0;
        for seed in 0..30 {
            let stream = faithful(seed);
            for n in 0..4 {
                let mut spoilt = stream.clone();
                corrupt(&mut spoilt, n);
                match check(&spoilt) {
                    Err(mismatch) => {
                        assert!(fields.contains(&mismatch.field.as_str()), "{name}, seed {seed}: {mismatch}");
                        found += 1;
                    }
                    Ok(()) => {
                        assert_eq!(format!("{spoilt:?}"), format!("{stream:?}"), "{name}, seed {seed}: not found")
                    }
                }
            }
        }
        assert!(found >= 5, "{name}: {found} chances");
    }
}

#[test]
fn a_report_shows_the_paths_that_wait() {
    let (mut stream, mut n) = (faithful(1), 0);
    // The first record with two paths behind x and y.
    let behind = |stream: &Stream, n: usize| {
        let cycles = stream.iter().filter_map(|cycle| cycle.context.as_ref()).filter(|context| context.y.is_some());
        cycles
            .take(n + 1)
            .map(|context| i32::from(context.moves.inserts) - i32::from(context.moves.extracts))
            .sum::<i32>()
    };
    while behind(&stream, n) < 3 {
        n += 1;
    }
    alter_y(&mut stream, n, |y| y.pc += 4);
    // When the record comes is the unit's business.
    let report = check(&stream).unwrap_err().report;
    insta::assert_snapshot!(report.split_once(": ").unwrap().1);
}
