//! The lock-step checker against streams of records: a faithful one passes, and each way to spoil it
//! is found where it happens.

use crate::support;

use std::collections::VecDeque;

use sim::{Fault, Given, Machine, Program, Step};
use testbench::Mismatch;
use testbench::lockstep::{Checker, End};
use testbench::memory::{Ram, Request};
use weft_config::Config;
use weft_trace::{Commit, Context, Event, Exchange, LateWrite, MemoryOp, Moves, PathRecord, Sorting};
use words::*;

const MCYCLE: u32 = 0xb00;

/// What the hardware shows, in order.
#[derive(Clone, Debug)]
enum Shown {
    Commit(Commit, Option<Context>),
    LateWrite(LateWrite),
    LoneContext(Context),
    Exchange(Exchange),
    Release,
    Request { code: u64, address: u32, mask: [u64; 4], data: Vec<u32> },
    Console(u8),
    Fault(Fault),
    Stuck,
    End(End),
}

/// A hardware run: what it shows, and its memory in the end.
#[derive(Clone)]
struct Stream {
    shown: Vec<Shown>,
    ram: Ram,
}

/// Every thread: a divergent branch, a store and a load of its own word, a barrier, its letter to the
/// console, a counter, a call, another load, exit code 0.
const PROGRAM: [fn() -> u32; 22] = [
    || csrr(5, MHARTID),
    || andi(6, 5, 1),
    || beq(6, 0, 12),
    || addi(7, 5, 100),
    || jal(0, 8),
    || addi(7, 5, 200),
    || lui(8, 0x80001),
    || slli(9, 5, 2),
    || add(8, 8, 9),
    || sw(7, 8, 0),
    || lw(10, 8, 0),
    || add(10, 10, 7),
    || csrw(BARRIER, 0),
    || lui(11, 0x10000),
    || addi(12, 5, 65),
    || sb(12, 11, 0),
    || csrr(13, MCYCLE),
    || jal(1, 12),
    || lw(14, 8, 0),
    || csrw(EXIT, 0),
    || jalr(0, 1, 0),
    || 0, // illegal, never reached
];

fn config() -> Config {
    let mut config = support::config(2, 4);
    config.divergence.unit = "arbiter".into();
    config
}

fn program(config: &Config) -> Program {
    let words: Vec<u32> = PROGRAM.iter().map(|word| word()).collect();
    support::program(config, &words, &[("start", 0x8000_0000)])
}

/// A faithful hardware run, taken from a second machine: requests and late writes come some commits
/// after their instructions.
fn faithful(config: &Config, program: &Program) -> Stream {
    let mut machine = Machine::new(config, program).unwrap();
    let mut ram = Ram::new(config, program);
    let mut shown = Vec::new();
    let (mut delayed_loads, mut delayed_requests) = (VecDeque::new(), VecDeque::new());
    let mut cycle = 0;
    while machine.live() > 0 {
        for warp in 0..config.warps {
            cycle += 3;
            let mut commit = Commit { cycle, ..Commit::default() };
            let ticks = vec![cycle as u32; config.threads as usize];
            let given = Given { values: Some(&ticks) };
            let Ok(Step::Committed { late, .. }) = machine.step(warp, 0, &given, &mut commit) else { continue };
            let x = machine.path(warp, 0);
            let context = Context { cycle, ..context(warp, x) };
            if late {
                let Commit { number, rd, served: mask, ref values, .. } = commit;
                let late = LateWrite { cycle: cycle + 6, warp, slot: 0, number, rd, mask, values: values.clone() };
                delayed_loads.push_back((shown.len() + 2, Shown::LateWrite(late)));
            }
            let (address, mask, data) = (commit.memory_address, commit.memory_mask, commit.memory_data.clone());
            match commit.memory {
                MemoryOp::None => {}
                MemoryOp::Console => delayed_requests.push_back(Shown::Console(data[0] as u8)),
                MemoryOp::Load => delayed_requests.push_back(Shown::Request { code: 0, address, mask, data }),
                MemoryOp::Store => {
                    ram.write(address, &data, mask);
                    delayed_requests.push_back(Shown::Request { code: 1, address, mask, data });
                }
                other => unreachable!("the program has no {other:?}"),
            }
            shown.push(Shown::Commit(commit, Some(context)));
            if delayed_requests.len() > 2 {
                shown.extend(delayed_requests.pop_front());
            }
            if delayed_loads.front().is_some_and(|(due, _)| *due <= shown.len()) {
                shown.extend(delayed_loads.pop_front().map(|(_, late)| late));
            }
            if machine.release() {
                shown.push(Shown::Release);
            }
        }
    }
    shown.extend(delayed_requests);
    shown.extend(delayed_loads.into_iter().map(|(_, late)| late));
    shown.push(Shown::End(End::Done));
    Stream { shown, ram }
}

/// The record of a commit in cycle 0 that leaves `x` in charge.
fn context(warp: u32, x: Option<PathRecord>) -> Context {
    Context { cycle: 0, warp, slot: 0, event: Event::Commit, x, y: None, moves: Moves::default() }
}

/// The verdict on a stream.
fn check(stream: &Stream) -> Result<(), Box<Mismatch>> {
    let config = config();
    let program = program(&config);
    let mut checker = Checker::new(&config, &program).unwrap();
    let mut now = 0;
    for shown in &stream.shown {
        match shown {
            Shown::Commit(commit, context) => {
                now = commit.cycle;
                checker.commit(commit, context.as_ref()).map(drop)?;
            }
            Shown::LateWrite(late) => checker.late_write(late)?,
            Shown::LoneContext(context) => checker.context(context)?,
            Shown::Exchange(exchange) => checker.exchange(exchange)?,
            Shown::Release => checker.release(now)?,
            Shown::Request { code, address, mask, data } => {
                let request = Request { code: *code, address: *address, tag: 0, mask: *mask, data, hart: 0 };
                checker.request(now, &request)?;
            }
            Shown::Console(byte) => checker.console(now, *byte)?,
            Shown::Fault(fault) => checker.fault(now, fault)?,
            Shown::Stuck => checker.stuck(now)?,
            Shown::End(end) => checker.finish(now, *end, &stream.ram)?,
        }
    }
    Ok(())
}

/// Index of the `n`th commit that satisfies a condition.
fn find_commit(shown: &[Shown], condition: impl Fn(&Commit) -> bool) -> usize {
    let matches = |shown: &Shown| matches!(shown, Shown::Commit(commit, _) if condition(commit));
    shown.iter().position(matches).unwrap()
}

fn find(shown: &[Shown], condition: impl Fn(&Shown) -> bool) -> usize {
    shown.iter().position(condition).unwrap()
}

fn is_request(operation: MemoryOp) -> impl Fn(&Shown) -> bool {
    move |shown| matches!(shown, Shown::Request { code, .. } if MemoryOp::of_request(*code) == Some(operation))
}

fn is_late(shown: &Shown) -> bool {
    matches!(shown, Shown::LateWrite(_))
}

fn is_console(shown: &Shown) -> bool {
    matches!(shown, Shown::Console(_))
}

/// Changes the first commit that satisfies a condition.
fn alter(stream: &mut Stream, condition: impl Fn(&Commit) -> bool, change: impl Fn(&mut Commit)) {
    let index = find_commit(&stream.shown, condition);
    let Shown::Commit(commit, _) = &mut stream.shown[index] else { unreachable!() };
    change(commit);
}

/// Changes the first context record whose commit satisfies a condition.
fn alter_context(stream: &mut Stream, condition: impl Fn(&Commit) -> bool, change: impl Fn(&mut Context)) {
    let index = find_commit(&stream.shown, condition);
    let Shown::Commit(_, Some(context)) = &mut stream.shown[index] else { unreachable!() };
    change(context);
}

/// Changes its path in charge.
fn alter_x(stream: &mut Stream, condition: impl Fn(&Commit) -> bool, change: impl Fn(&mut PathRecord)) {
    alter_context(stream, condition, |context| change(context.x.as_mut().unwrap()));
}

fn alter_late(stream: &mut Stream, change: impl Fn(&mut LateWrite)) {
    let index = find(&stream.shown, is_late);
    let Shown::LateWrite(late) = &mut stream.shown[index] else { unreachable!() };
    change(late);
}

fn alter_store(stream: &mut Stream, change: impl Fn(&mut u64, &mut u32, &mut [u64; 4], &mut Vec<u32>)) {
    let index = find(&stream.shown, is_request(MemoryOp::Store));
    let Shown::Request { code, address, mask, data } = &mut stream.shown[index] else { unreachable!() };
    change(code, address, mask, data);
}

fn is_store(commit: &Commit) -> bool {
    commit.memory == MemoryOp::Store
}

fn is_load(commit: &Commit) -> bool {
    commit.memory == MemoryOp::Load
}

fn at(offset: u32) -> impl Fn(&Commit) -> bool {
    move |commit| commit.pc == 0x8000_0000 + offset
}

fn any(_: &Commit) -> bool {
    true
}

#[test]
fn a_faithful_stream_passes() {
    let config = config();
    let stream = faithful(&config, &program(&config));
    check(&stream).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let commits = |condition: fn(&Commit) -> bool| {
        stream.shown.iter().filter(|shown| matches!(shown, Shown::Commit(commit, _) if condition(commit))).count()
    };
    assert_eq!(commits(|commit| commit.divergent), 2);
    assert_eq!(commits(|commit| commit.memory == MemoryOp::Console), 8);
    assert_eq!(stream.shown.iter().filter(|shown| is_late(shown)).count(), commits(is_load));
    assert_eq!(stream.shown.iter().filter(|shown| matches!(shown, Shown::Release)).count(), 1);
}

/// A way to spoil a stream, and the field in which the checker must find it.
type Corruption = (&'static str, fn(&mut Stream), &'static str);

const COMMITS: &[Corruption] = &[
    ("pc", |s| alter(s, at(8), |c| c.pc += 4), "pc"),
    ("instruction", |s| alter(s, any, |c| c.instruction ^= 0x80), "instruction"),
    ("mask", |s| alter(s, at(12), |c| c.mask |= 1), "mask"),
    ("served more", |s| alter(s, |c| c.memory == MemoryOp::Console, |c| c.served = c.mask), "served"),
    ("served less", |s| alter(s, is_store, |c| c.served &= !8), "served"),
    ("slot", |s| alter(s, any, |c| c.slot = 1), "slot"),
    ("number", |s| alter(s, at(4), |c| c.number += 1), "number"),
    ("rd", |s| alter(s, at(4), |c| c.rd = 7), "rd"),
    ("writes lost", |s| alter(s, at(4), |c| c.writes = false), "writes"),
    ("writes added", |s| alter(s, at(8), |c| c.writes = true), "writes"),
    ("values", |s| alter(s, at(4), |c| c.values[2] ^= 1), "values"),
    ("exit code", |s| alter(s, at(76), |c| c.values[3] = 1), "values"),
    ("memory lost", |s| alter(s, is_load, |c| c.memory = MemoryOp::None), "memory"),
    ("memory changed", |s| alter(s, is_load, |c| c.memory = MemoryOp::Store), "memory"),
    ("memory address", |s| alter(s, is_store, |c| c.memory_address += 16), "memory_address"),
    ("memory mask", |s| alter(s, is_store, |c| c.memory_mask[0] ^= 1), "memory_mask"),
    ("memory data", |s| alter(s, is_store, |c| c.memory_data[3] ^= 1 << 31), "memory_data"),
    ("console byte", |s| alter(s, |c| c.memory == MemoryOp::Console, |c| c.memory_data[0] ^= 1), "memory_data"),
    ("divergent lost", |s| alter(s, |c| c.divergent, |c| c.divergent = false), "divergent"),
    ("divergent added", |s| alter(s, at(4), |c| c.divergent = true), "divergent"),
    ("warp that does not exist", |s| alter(s, any, |c| c.warp = 2), "warp"),
    ("counter goes back", |s| alter(s, |c| at(64)(c) && c.warp == 1, |c| c.values.fill(0)), "mcycle"),
    ("counter differs by lane", |s| alter(s, at(64), |c| c.values[c.served.ilog2() as usize] += 1), "mcycle"),
    ("commit lost", |s| drop(s.shown.remove(find_commit(&s.shown, at(4)))), "number"),
    (
        "commit doubled",
        |s| {
            let index = find_commit(&s.shown, at(4));
            s.shown.insert(index, s.shown[index].clone());
        },
        "pc",
    ),
    (
        "commit of an ended warp",
        |s| {
            let first = s.shown[0].clone();
            s.shown.insert(s.shown.len() - 1, first);
        },
        "commit",
    ),
    ("commit of a parked path", |s| drop(s.shown.remove(find(&s.shown, |s| matches!(s, Shown::Release)))), "commit"),
];

const CONTEXTS: &[Corruption] = &[
    ("x pc", |s| alter_x(s, at(8), |x| x.pc = 0x8000_0014), "context_x_pc"),
    ("x depth", |s| alter_x(s, at(68), |x| x.depth = 0), "context_x_depth"),
    ("x mask", |s| alter_x(s, at(8), |x| x.mask |= 1), "context_x_mask"),
    ("x parked", |s| alter_x(s, at(48), |x| x.parked = !x.parked), "context_x_parked"),
    (
        "x lost",
        |s| {
            let Shown::Commit(_, Some(context)) = &mut s.shown[0] else { unreachable!() };
            context.x = None;
        },
        "context_x_valid",
    ),
    (
        "x of an ended warp",
        |s| {
            let x = Some(PathRecord { pc: 0x8000_0000, depth: 0, mask: 1, parked: false });
            let is_last = |shown: &Shown| matches!(shown, Shown::Commit(_, Some(Context { x: None, .. })));
            let index = find(&s.shown, is_last);
            let Shown::Commit(_, Some(context)) = &mut s.shown[index] else { unreachable!() };
            context.x = x;
        },
        "context_x_valid",
    ),
    (
        "record lost",
        |s| {
            let Shown::Commit(_, context) = &mut s.shown[0] else { unreachable!() };
            *context = None;
        },
        "context_valid",
    ),
    (
        "warp",
        |s| {
            let Shown::Commit(_, Some(context)) = &mut s.shown[0] else { unreachable!() };
            context.warp = 1;
        },
        "context_warp",
    ),
    ("rotation", |s| alter_context(s, at(8), |context| context.event = Event::Rotation), "context_rotates"),
    ("second path", |s| alter_context(s, at(8), |context| context.y = context.x), "context_y_valid"),
    ("yield", |s| alter_context(s, at(8), |context| context.moves.yields = true), "context_yields"),
    (
        "exchange",
        |s| s.shown.insert(4, Shown::Exchange(Exchange { cycle: 9, warp: 0, row: 0, sorting: Sorting::Exchange })),
        "exchange_valid",
    ),
    (
        "record without a commit",
        |s| s.shown.insert(0, Shown::LoneContext(Context { cycle: 0, ..context(0, None) })),
        "context_valid",
    ),
];

const LATE_WRITES: &[Corruption] = &[
    ("lost", |s| drop(s.shown.remove(find(&s.shown, is_late))), "rd"),
    ("last one lost", |s| drop(s.shown.remove(s.shown.iter().rposition(is_late).unwrap())), "late_write"),
    (
        "doubled",
        |s| {
            let index = find(&s.shown, is_late);
            s.shown.insert(index, s.shown[index].clone());
        },
        "late_write",
    ),
    ("of no load", |s| alter_late(s, |late| late.number = 0), "late_write"),
    ("warp", |s| alter_late(s, |late| late.warp ^= 1), "late_warp"),
    ("slot", |s| alter_late(s, |late| late.slot ^= 1), "late_slot"),
    ("rd", |s| alter_late(s, |late| late.rd ^= 1), "late_rd"),
    ("mask", |s| alter_late(s, |late| late.mask ^= 2), "late_mask"),
    ("values", |s| alter_late(s, |late| late.values[1] ^= 2), "late_values"),
    (
        "overtaken by a younger write of the register",
        |s| {
            let late = s.shown.remove(find(&s.shown, is_late));
            let Shown::LateWrite(LateWrite { warp, .. }) = late else { unreachable!() };
            let index = find_commit(&s.shown, |commit| commit.warp == warp && at(44)(commit));
            s.shown.insert(index + 1, late);
        },
        "rd",
    ),
];

const PORTS: &[Corruption] = &[
    ("request lost", |s| drop(s.shown.remove(find(&s.shown, is_request(MemoryOp::Store)))), "dmem_req_addr"),
    (
        "last request lost",
        |s| {
            let is_any = |shown: &Shown| matches!(shown, Shown::Request { .. });
            s.shown.remove(s.shown.iter().rposition(is_any).unwrap());
        },
        "dmem_req_valid",
    ),
    (
        "request without a commit",
        |s| {
            let request = s.shown[find(&s.shown, is_request(MemoryOp::Store))].clone();
            s.shown.insert(0, request);
        },
        "dmem_req_valid",
    ),
    ("operation", |s| alter_store(s, |code, _, _, _| *code = 0), "dmem_req_op"),
    ("address", |s| alter_store(s, |_, address, _, _| *address ^= 16), "dmem_req_addr"),
    ("mask", |s| alter_store(s, |_, _, mask, _| mask[0] ^= 0x10), "dmem_req_mask"),
    ("data", |s| alter_store(s, |_, _, _, data| data[1] ^= 0x10), "dmem_req_data"),
    (
        "requests out of order",
        |s| {
            let first = find(&s.shown, is_request(MemoryOp::Store));
            let second = find(&s.shown[first + 1..], is_request(MemoryOp::Store)) + first + 1;
            s.shown.swap(first, second);
        },
        "dmem_req_addr",
    ),
    (
        "console byte",
        |s| {
            let index = find(&s.shown, is_console);
            s.shown[index] = Shown::Console(b'!');
        },
        "console_data",
    ),
    (
        "console bytes out of order",
        |s| {
            let first = find(&s.shown, is_console);
            let second = find(&s.shown[first + 1..], is_console) + first + 1;
            s.shown.swap(first, second);
        },
        "console_data",
    ),
    ("console byte too early", |s| s.shown.insert(0, Shown::Console(b'A')), "console_data"),
    ("console byte lost", |s| drop(s.shown.remove(s.shown.iter().rposition(is_console).unwrap())), "console_valid"),
];

const ENDS: &[Corruption] = &[
    ("release too early", |s| s.shown.insert(1, Shown::Release), "release"),
    ("done too early", |s| s.shown.insert(1, Shown::End(End::Done)), "done"),
    ("tohost without a store", |s| s.shown.insert(1, Shown::End(End::ToHost(1))), "tohost"),
    ("memory", |s| s.ram.write(0x8000_1000, &[7], [1, 0, 0, 0]), "final_memory"),
    ("stuck although a path can run", |s| s.shown.insert(1, Shown::Stuck), "commit"),
    (
        "stuck although the release is due",
        |s| {
            let index = find(&s.shown, |shown| matches!(shown, Shown::Release));
            s.shown[index] = Shown::Stuck;
        },
        "release",
    ),
    (
        "fault of an instruction that commits",
        |s| s.shown.insert(0, Shown::Fault(Fault { cause: 2, pc: 0x8000_0000, warp: 0, lane: 0 })),
        "error_valid",
    ),
    (
        "fault of a warp that does not exist",
        |s| s.shown.insert(0, Shown::Fault(Fault { cause: 2, pc: 0x8000_0000, warp: 3, lane: 0 })),
        "error_warp",
    ),
];

#[test]
fn every_corruption_is_found_in_its_field() {
    let config = config();
    let stream = faithful(&config, &program(&config));
    let table =
        [("commit", COMMITS), ("context", CONTEXTS), ("late write", LATE_WRITES), ("port", PORTS), ("end", ENDS)];
    for (kind, corruptions) in table {
        for (name, corrupt, field) in corruptions {
            let mut spoilt = stream.clone();
            corrupt(&mut spoilt);
            match check(&spoilt) {
                Ok(()) => panic!("{kind}, {name}: not found"),
                Err(mismatch) => assert_eq!(mismatch.field, *field, "{kind}, {name}: {mismatch}"),
            }
        }
    }
}

/// A program of one illegal instruction after one that is not, run by warp 1.
fn fault_of(spoil: impl Fn(&mut Fault)) -> Result<(), Box<Mismatch>> {
    let config = config();
    let program = support::program(&config, &[addi(1, 0, 1), 0], &[]);
    let ram = Ram::new(&config, &program);
    let mut machine = Machine::new(&config, &program).unwrap();
    let mut checker = Checker::new(&config, &program).unwrap();
    let mut commit = Commit::default();
    machine.step(1, 0, &Given::default(), &mut commit).unwrap();
    let context = context(1, machine.path(1, 0));
    checker.commit(&commit, Some(&context))?;
    let mut fault = Fault { cause: Fault::ILLEGAL_INSTRUCTION, pc: 0x8000_0004, warp: 1, lane: 0 };
    spoil(&mut fault);
    checker.fault(9, &fault)?;
    checker.finish(9, End::Halted, &ram)
}

/// A way to spoil a fault, and the field in which it must be found.
type Spoil = (fn(&mut Fault), &'static str);

#[test]
fn a_fault_must_be_the_models_fault() {
    fault_of(|_| {}).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let table: [Spoil; 4] = [
        (|fault| fault.cause = 5, "error_cause"),
        (|fault| fault.pc = 0x8000_0000, "error_pc"),
        (|fault| fault.lane = 1, "error_lane"),
        (|fault| fault.warp = 0, "error_valid"),
    ];
    for (spoil, field) in table {
        assert_eq!(fault_of(spoil).unwrap_err().field, field);
    }
}

#[test]
fn a_report_names_place_lane_history_and_paths() {
    let config = config();
    let mut stream = faithful(&config, &program(&config));
    alter(&mut stream, at(12), |commit| commit.values[3] = 7);
    insta::assert_snapshot!(check(&stream).unwrap_err().report);
}

#[test]
fn the_json_of_a_mismatch_has_the_agreed_fields() {
    let config = config();
    let mut stream = faithful(&config, &program(&config));
    alter(&mut stream, at(12), |commit| commit.values[3] = 7);
    let object = serde_json::to_value(*check(&stream).unwrap_err()).unwrap();
    let names: Vec<_> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["cycle", "warp", "slot", "pc", "lane", "field", "expected", "actual"]);
    assert_eq!(object["lane"], 3);
    assert_eq!(object["expected"], "0x00000067");
}
