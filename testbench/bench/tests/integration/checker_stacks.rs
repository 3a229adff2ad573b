//! The lock-step checker against streams of records of the reconvergence stacks, made by the model with warps and slots
//! in random order: faithful ones pass, and each way to spoil one is found.

use crate::support;

use sim::{Given, Machine, Program, Step, Stop};
use testbench::Mismatch;
use testbench::lockstep::Checker;
use weft_config::Config;
use weft_trace::{Commit, Context, Event, LateWrite, Moves, PathRecord};
use words::*;

const UNITS: [&str; 2] = ["pdom-stack", "dual-path"];

/// What the trace port says in one cycle.
#[derive(Clone, Debug, Default)]
struct Cycle {
    commit: Option<Commit>,
    late_write: Option<LateWrite>,
    context: Option<Context>,
    release: bool,
}

/// Cycle by cycle.
type Stream = Vec<Cycle>;

fn config(unit: &str) -> Config {
    let mut config = support::config(2, 8);
    config.divergence.unit = unit.into();
    config
}

/// Threads leave a loop one by one, load on both sides of a branch and part again on each, return from three places of
/// a function, end beside others that wait at a barrier where they would meet, and all wait at another.
fn program(config: &Config) -> Program {
    #[rustfmt::skip]
    let words = [
        csrr(5, MHARTID), andi(6, 5, 7), andi(12, 5, 1),      // 0: the lane, and whether it is odd
        lui(8, 0x80001), slli(9, 5, 6), add(8, 8, 9),         // 3: a line of its own
        addi(7, 6, 1), addi(7, 7, -1), bne(7, 0, -4),         // 6: as many rounds as the lane says
        bne(12, 0, 28),
        lw(10, 8, 0), andi(13, 6, 2), bne(13, 0, 8),          // 10: even lanes
        addi(10, 10, 1), addi(10, 10, 2), jal(0, 28),
        lw(11, 8, 4), andi(13, 6, 4), bne(13, 0, 8),          // 16: odd lanes
        addi(11, 11, 1), addi(11, 11, 2), addi(11, 11, 3),
        jal(1, 48),                                           // 22: all call the function
        addi(14, 0, 6), bltu(6, 14, 28),
        bne(12, 0, 12), beq(5, 5, 16), jal(0, 8),             // 25: lanes 6 and 7 part and end
        beq(5, 5, 8), jal(0, 12), csrw(EXIT, 0),
        csrw(BARRIER, 0),                                     // 31: the others wait where they would meet them
        csrw(BARRIER, 0), csrw(EXIT, 0),
        bne(12, 0, 8), RET,                                 // 34: the function
        addi(15, 5, 1), bne(13, 0, 8), RET, addi(15, 15, 1), RET,
    ];
    support::program(config, &words, &[("start", 0x8000_0000)])
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn context(machine: &Machine, cycle: u64, (warp, slot): (u32, u32), event: Event, moves: Moves) -> Context {
    let (x, y) = (machine.path(warp, 0), machine.second(warp));
    Context { cycle, warp, slot, event, x, y, moves }
}

/// A run in which any slot of any warp may commit, or do what is due, in each cycle.
fn faithful(unit: &str, seed: u64) -> Stream {
    let config = config(unit);
    let program = program(&config);
    let mut machine = Machine::new(&config, &program).unwrap();
    let mut stream = Stream::new();
    let mut state = seed;
    while machine.live() > 0 {
        assert!(stream.len() < 100_000, "{unit}, seed {seed}: a deadlock");
        let warp = random(&mut state) as u32 % config.warps;
        let slot = random(&mut state) as u32 % machine.slots();
        let mut cycle = Cycle::default();
        let now = stream.len() as u64;
        if let Some(moves) = machine.rotate(warp, slot) {
            cycle.context = Some(context(&machine, now, (warp, slot), Event::Rotation, moves));
        } else {
            let mut commit = Commit { cycle: now, ..Commit::default() };
            match machine.step(warp, slot, &Given::default(), &mut commit) {
                Ok(Step::Committed { moves, late, .. }) => {
                    cycle.context = Some(context(&machine, now, (warp, slot), Event::Commit, moves));
                    let Commit { number, rd, served: mask, ref values, .. } = commit;
                    let values = values.clone();
                    cycle.late_write = late.then_some(LateWrite { cycle: now, warp, slot, number, rd, mask, values });
                    cycle.commit = Some(commit);
                }
                Err(Stop::Idle) => continue,
                Err(fault) => panic!("{fault:?}"),
            }
        }
        cycle.release = machine.release();
        stream.push(cycle);
    }
    stream
}

/// The verdict on a stream.
fn check(unit: &str, stream: &Stream) -> Result<(), Box<Mismatch>> {
    let config = config(unit);
    let program = program(&config);
    let mut checker = Checker::new(&config, &program).unwrap();
    for (now, Cycle { commit, late_write, context, release }) in stream.iter().enumerate() {
        match (commit, context) {
            (Some(commit), context) => drop(checker.commit(commit, context.as_ref())?),
            (None, Some(context)) => checker.context(context)?,
            (None, None) => {}
        }
        if let Some(late_write) = late_write {
            checker.late_write(late_write)?;
        }
        if *release {
            checker.release(now as u64)?;
        }
    }
    Ok(())
}

#[test]
fn faithful_streams_pass() {
    for (unit, slots) in UNITS.into_iter().zip([1, 2]) {
        let (mut pushes, mut pops, mut rotations, mut arrivals, mut replays) = (0, 0, 0, 0, 0);
        let mut commits = [0, 0];
        for seed in 0..100 {
            let stream = faithful(unit, seed);
            check(unit, &stream).unwrap_or_else(|mismatch| panic!("{unit}, seed {seed}: {mismatch}"));
            for Cycle { commit, context, .. } in &stream {
                let Some(context) = context else { continue };
                pushes += u32::from(context.moves.pushes);
                pops += u32::from(context.moves.pops);
                rotations += u32::from(context.event == Event::Rotation);
                arrivals += u32::from(context.event == Event::Rotation && !context.moves.pops);
                if let Some(commit) = commit {
                    commits[commit.slot as usize] += 1;
                    replays += u32::from(commit.served != commit.mask);
                }
            }
        }
        let counts = [pushes, pops, rotations, replays, commits[0]];
        assert!(counts.iter().all(|count| *count >= 400), "{unit}: {counts:?}");
        assert_eq!((arrivals > 200, commits[1] > 400), (slots == 2, slots == 2), "{unit}: {arrivals}, {commits:?}");
    }
}

/// Changes the `n`th context record that satisfies a condition; does nothing if there is none.
fn alter(stream: &mut Stream, n: usize, condition: impl Fn(&Context) -> bool, change: impl Fn(&mut Context)) {
    let contexts = stream.iter_mut().filter_map(|cycle| cycle.context.as_mut());
    if let Some(context) = contexts.filter(|context| condition(context)).nth(n) {
        change(context);
    }
}

fn alter_x(stream: &mut Stream, n: usize, change: impl Fn(&mut PathRecord)) {
    alter(stream, n, |context| context.x.is_some(), |context| context.x.iter_mut().for_each(&change));
}

fn alter_y(stream: &mut Stream, n: usize, change: impl Fn(&mut PathRecord)) {
    alter(stream, n, |context| context.y.is_some(), |context| context.y.iter_mut().for_each(&change));
}

fn is_rotation(context: &Context) -> bool {
    context.event == Event::Rotation
}

/// The cycle of the `n`th record that satisfies a condition.
fn find(stream: &Stream, n: usize, condition: impl Fn(&Context) -> bool) -> Option<usize> {
    (0..stream.len()).filter(|cycle| stream[*cycle].context.as_ref().is_some_and(&condition)).nth(n)
}

/// Inserts a rotation of the slot of the `n`th commit, in front of it.
fn insert_rotation(stream: &mut Stream, n: usize, change: impl Fn(&mut Context)) {
    if let Some(at) = find(stream, 20 * n + 20, |context| !is_rotation(context)) {
        let mut cycle = Cycle { context: stream[at].context.clone(), ..Cycle::default() };
        cycle.context.iter_mut().for_each(|context| {
            context.event = Event::Rotation;
            context.moves = Moves::default();
            change(context);
        });
        stream.insert(at, cycle);
    }
}

/// A way to spoil a stream at its `n`th chance, the unit that gives the chances if only one does, and the fields of
/// which one must tell.
type Corruption = (&'static str, Option<&'static str>, fn(&mut Stream, usize), &'static [&'static str]);

const CORRUPTIONS: &[Corruption] = &[
    ("x pc", None, |s, n| alter_x(s, n, |x| x.pc ^= 4), &["context_x_pc"]),
    ("x depth", None, |s, n| alter_x(s, n, |x| x.depth ^= 1), &["context_x_depth"]),
    ("x mask", None, |s, n| alter_x(s, n, |x| x.mask ^= 1), &["context_x_mask"]),
    ("x parked", None, |s, n| alter_x(s, n, |x| x.parked ^= true), &["context_x_parked"]),
    ("x lost", None, |s, n| alter(s, n, |c| c.x.is_some(), |c| c.x = None), &["context_x_valid"]),
    ("y made up", None, |s, n| alter(s, n, |c| c.x.is_some() && c.y.is_none(), |c| c.y = c.x), &["context_y_valid"]),
    ("y pc", Some("dual-path"), |s, n| alter_y(s, n, |y| y.pc ^= 4), &["context_y_pc"]),
    ("y depth", Some("dual-path"), |s, n| alter_y(s, n, |y| y.depth ^= 1), &["context_y_depth"]),
    ("y mask", Some("dual-path"), |s, n| alter_y(s, n, |y| y.mask ^= 1), &["context_y_mask"]),
    ("y parked", Some("dual-path"), |s, n| alter_y(s, n, |y| y.parked ^= true), &["context_y_parked"]),
    ("y lost", Some("dual-path"), |s, n| alter(s, n, |c| c.y.is_some(), |c| c.y = None), &["context_y_valid"]),
    (
        "x and y swapped",
        Some("dual-path"),
        |s, n| alter(s, n, |c| c.x.is_some() && c.y.is_some(), |c| (c.x, c.y) = (c.y, c.x)),
        &["context_x_pc", "context_x_mask"],
    ),
    ("push lost", None, |s, n| alter(s, n, |c| c.moves.pushes, |c| c.moves.pushes = false), &["context_pushes"]),
    ("push made up", None, |s, n| alter(s, n, |c| !c.moves.pushes, |c| c.moves.pushes = true), &["context_pushes"]),
    ("pop lost", None, |s, n| alter(s, n, |c| c.moves.pops, |c| c.moves.pops = false), &["context_pops"]),
    ("pop made up", None, |s, n| alter(s, n, |c| !c.moves.pops, |c| c.moves.pops = true), &["context_pops"]),
    ("yield made up", None, |s, n| alter(s, n, |_| true, |c| c.moves.yields = true), &["context_yields"]),
    ("slot of a record", None, |s, n| alter(s, n, |c| !is_rotation(c), |c| c.slot ^= 1), &["context_slot"]),
    ("warp of a record", None, |s, n| alter(s, n, |c| !is_rotation(c), |c| c.warp ^= 1), &["context_warp"]),
    (
        "slot of a rotation",
        None,
        |s, n| alter(s, n, is_rotation, |c| c.slot ^= 1),
        // Something may be due in the other slot too, with another effect.
        &["context_slot", "context_rotates", "context_x_valid", "context_y_valid"],
    ),
    (
        "slot of a commit",
        None,
        |s, n| s.iter_mut().filter_map(|cycle| cycle.commit.as_mut()).skip(n).take(1).for_each(|c| c.slot ^= 1),
        &["slot", "commit", "pc", "context_rotates"],
    ),
    (
        "commit of the other side",
        Some("dual-path"),
        |s, n| {
            // The mask of one side with the slot of the other.
            let both = |c: &Context| !is_rotation(c) && c.x.is_some() && c.y.is_some() && !c.moves.pushes;
            if let Some(at) = find(s, n, both) {
                s[at].commit.iter_mut().for_each(|commit| commit.slot ^= 1);
            }
        },
        &["pc", "mask", "context_rotates", "commit"],
    ),
    (
        "record lost",
        None,
        |s, n| {
            if let Some(at) = find(s, n, |c| !is_rotation(c)) {
                s[at].context = None;
            }
        },
        &["context_valid"],
    ),
    (
        "rotation lost",
        None,
        |s, n| {
            if let Some(at) = find(s, n, is_rotation) {
                s.remove(at);
            }
        },
        // The other side may show first that this one has not left, or that the stack has a row more.
        &[
            "commit",
            "pc",
            "mask",
            "context_rotates",
            "context_x_valid",
            "context_x_pc",
            "context_x_mask",
            "context_y_valid",
            "context_y_pc",
            "context_y_mask",
            "context_pushes",
            "context_pops",
        ],
    ),
    (
        "rotation said to be a commit",
        None,
        |s, n| alter(s, n, is_rotation, |c| c.event = Event::Commit),
        &["context_valid"],
    ),
    (
        "commit said to be a rotation",
        None,
        |s, n| alter(s, n, |c| !is_rotation(c) && c.x.is_some(), |c| c.event = Event::Rotation),
        &["context_rotates", "context_valid"],
    ),
    ("arrival that is not one", None, |s, n| insert_rotation(s, n, |_| ()), &["context_rotates"]),
    ("rotation in no slot", None, |s, n| insert_rotation(s, n, |c| c.slot = 2), &["context_slot"]),
    ("rotation in no warp", None, |s, n| insert_rotation(s, n, |c| c.warp = 2), &["context_warp"]),
    (
        "side that goes on where it should join the other",
        None,
        |s, n| {
            // What arrived with this commit is shown as if it had not.
            if let Some(at) = find(s, n, |c| !is_rotation(c) && c.moves.pops) {
                let commit = s[at].commit.clone();
                s[at].context.iter_mut().zip(&commit).for_each(|(context, commit)| {
                    let path = PathRecord { pc: commit.pc + 4, depth: 0, mask: commit.mask, parked: false };
                    *(if commit.slot == 0 { &mut context.x } else { &mut context.y }) = Some(path);
                    context.moves.pops = false;
                });
            }
        },
        &[
            "context_x_pc",
            "context_x_mask",
            "context_x_depth",
            "context_x_valid",
            "context_y_valid",
            "context_y_pc",
            "context_y_mask",
            "context_pops",
        ],
    ),
];

#[test]
fn every_corruption_is_found() {
    for (name, only, corrupt, fields) in CORRUPTIONS {
        for unit in UNITS.into_iter().filter(|unit| only.is_none_or(|only| only == *unit)) {
            let mut found = 0;
            for seed in 0..30 {
                let stream = faithful(unit, seed);
                for n in 0..4 {
                    let mut spoilt = stream.clone();
                    corrupt(&mut spoilt, n);
                    let place = format!("{name}, {unit}, seed {seed}");
                    match check(unit, &spoilt) {
                        Err(mismatch) => {
                            assert!(fields.contains(&mismatch.field.as_str()), "{place}: {mismatch}");
                            found += 1;
                        }
                        Ok(()) => assert_eq!(format!("{spoilt:?}"), format!("{stream:?}"), "{place}: not found"),
                    }
                }
            }
            assert!(found >= 5, "{name}, {unit}: {found} chances");
        }
    }
}

#[test]
fn a_report_shows_both_slots_and_what_waits_below() {
    let mut stream = faithful("dual-path", 1);
    // The first record with both sides of a row over another.
    let mut rows = [0, 0];
    let deep = stream.iter().filter_map(|cycle| cycle.context.as_ref()).position(|context| {
        let rows = &mut rows[context.warp as usize];
        *rows += i32::from(context.moves.pushes) - i32::from(context.moves.pops);
        *rows >= 2 && context.x.is_some() && context.y.is_some()
    });
    alter(&mut stream, deep.unwrap(), |_| true, |context| context.y.iter_mut().for_each(|y| y.pc += 4));
    let report = check("dual-path", &stream).unwrap_err().report;
    insta::assert_snapshot!(report.split_once(": ").unwrap().1);
}
