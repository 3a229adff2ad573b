//! Programs whose cycles are worked out manually.
//!
//! Cycle 1 is the first fetch, so the first instruction issues in cycle 3. A run ends in S8 of its last exit, 5
//! cycles after that issues. A program that issues its exit in cycle n takes n + 5 cycles.

use weft_config::{Bandwidth, Config, Latency, Memory, MemoryKind, RAM_BASE, Scheduler, Scoreboard};

use words::*;

pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) config: Config,
    pub(super) words: Vec<u32>,
    pub(super) cycles: u64,
}

/// One warp of four threads with a stack for branches, and 16 loads in flight.
pub(super) fn config(latency: u32) -> Config {
    let latency = Latency { min: latency, max: latency };
    let memory = Memory { ram_bytes: 1 << 17, stack_bytes: 64, latency, ..Memory::default() };
    let mut config = Config { warps: 1, threads: 4, memory, ..Config::default() };
    config.divergence.unit = "pdom-stack".into();
    config
}

fn case(name: &'static str, config: Config, words: &[u32], cycles: u64) -> Case {
    Case { name, config, words: words.to_vec(), cycles }
}

fn and_exit(words: &[u32]) -> Vec<u32> {
    [words, &[exit()]].concat()
}

/// a0 = 0x8001_0000 + 64 · lane, another line for each lane, if `scattered`; else the same address for all. The last
/// two instructions depend on the previous one.
fn address(scattered: bool) -> Vec<u32> {
    let offset = if scattered { slli(10, 10, 6) } else { andi(10, 10, 0) };
    vec![lui(11, (RAM_BASE >> 12) + 0x10), csrrs(10, MHARTID, 0), offset, add(10, 10, 11)]
}

/// One thread, for memory instructions with one part.
fn one_thread(latency: u32) -> Config {
    Config { threads: 1, ..config(latency) }
}

pub(super) fn cases() -> Vec<Case> {
    let load = [lw(12, 10, 0), addi(13, 12, 0)];
    let of_one = |words: &[u32]| and_exit(&[&[lui(10, (RAM_BASE >> 12) + 0x10)], words].concat());
    vec![
        // 3, 7, 11 … 39; the exit has been fetched and issues two cycles later.
        case("chain", config(1), &and_exit(&[addi(10, 10, 1); 10]), 41 + 5),
        // A fetch every third cycle.
        case("straight code, one warp", config(1), &and_exit(&[NOP; 10]), 33 + 5),
        // A fetch every cycle: the last of 44 begins in cycle 43.
        case("straight code, four warps", Config { warps: 4, ..config(1) }, &and_exit(&[NOP; 10]), 46 + 5),
        // 3; S8 in 8, S0 in 9.
        case("a branch that S2 mispredicts", config(1), &and_exit(&[beq(0, 0, 8), NOP]), 12 + 5),
        // 3; S0 in 3, as if it were straight code.
        case("a jump that S2 predicts", config(1), &and_exit(&[jal(0, 8), NOP]), 6 + 5),
        // 3, 7 and 11, 13 and 17, 19 and 23. Wrong fetches begin in 21, 24 and 27, S8 is in 28, and S0 waits for the
        // last of them until 30.
        case(
            "a loop, left by a misprediction",
            config(1),
            &and_exit(&[addi(10, 0, 3), addi(10, 10, -1), bne(10, 0, -4)]),
            33 + 5,
        ),
        // 3 and 7; at the port in 13, answered in 33, written in 36; 37; 39.
        case("a load and its use", one_thread(20), &of_one(&load), 39 + 5),
        // 3, 6 and 10; fetched by 12, but S6 elects its leader from 13 on; written in 42; 43; 45.
        case(
            "a load that was fetched two cycles behind",
            one_thread(20),
            &of_one(&[&[addi(13, 0, 1), addi(13, 13, 1)], &load[..]].concat()),
            45 + 5,
        ),
        // 3, 6, 10, 14, 18; written in 47; 48; 50.
        case("a load of one line", config(20), &and_exit(&[address(false), load.to_vec()].concat()), 50 + 5),
        // Four parts: 18, 27, 36, 45, each after S8 of the one before; the last is written in 74; 75; 77.
        case("a load of four lines", config(20), &and_exit(&[address(true), load.to_vec()].concat()), 77 + 5),
        // Four parts: 18, 28 (a wrong fetch began in 22), 37, 46. After the last the front end goes on: 49.
        case("a store of four lines", config(20), &and_exit(&[address(true), vec![sw(12, 10, 0)]].concat()), 49 + 5),
        // 3 and 7; the second waits for the tag until the first is written in 36: 37; 39.
        case(
            "one load in flight",
            Config { memory: Memory { outstanding: 1, ..config(20).memory }, ..one_thread(20) },
            &of_one(&[lw(12, 10, 0), lw(13, 10, 0)]),
            39 + 5,
        ),
        // The 17th waits until the first, issued in 7, is written in 216: 217; 219.
        case(
            "seventeen loads",
            one_thread(200),
            &of_one(&(0..17).map(|number| lw(11 + number, 10, 0)).collect::<Vec<_>>()),
            219 + 5,
        ),
        // A transaction every hundred cycles. Eight wait; the ninth issues after the first was sent in 100, the tenth
        // in 201; 203.
        case(
            "ten stores to a slow memory",
            Config { memory: Memory { bandwidth: Bandwidth(10), ..config(1).memory }, ..one_thread(1) },
            &of_one(&[sw(0, 10, 0); 10]),
            203 + 5,
        ),
        // 3; written in 11; 12; 14.
        case("a product and its use", config(1), &and_exit(&[mul(11, 10, 10), addi(12, 11, 0)]), 14 + 5),
        // 3 and 4, 6 and 7: S7 of the last is in 11, so that the first product is written in 12 and the second in 13; 13
        // and 14; 15 and 16.
        case(
            "a product that finds the write port taken",
            Config { warps: 2, ..config(1) },
            &and_exit(&[mul(11, 10, 10), addi(13, 0, 1), addi(12, 11, 0)]),
            16 + 5,
        ),
        // 3: its four lanes enter in 8 to 11, and are taken in 30. 12: enter in 30 to 33, taken in 52, written in 55; 56;
        // 58.
        case("two quotients", config(1), &and_exit(&[div(11, 10, 10), div(12, 10, 10), addi(13, 12, 0)]), 58 + 5),
        // 3; S8 in 8, release in 9, S0 in 10.
        case("a barrier", config(1), &and_exit(&[barrier()]), 13 + 5),
        // 7 and 8; the block RAM accepts the first in 13 and the second in 15; written in 17 and 19; 18 and 20. The
        // exit of the first warp lets the other, whose turn it is, issue in 20; the exit of the second is in 22.
        case(
            "two atomic operations on block RAM",
            Config { warps: 2, memory: Memory { kind: MemoryKind::Bram, ..config(1).memory }, ..one_thread(1) },
            &of_one(&[amoadd(11, 10, 0), addi(12, 11, 0)]),
            22 + 5,
        ),
        // 3, 7, 9, 12; the left side: 15, 125, 127. S8 is in 132, a wrong fetch began then; the right side: 138, 248; the
        // exit was predicted: 250.
        case("two sides one after the other", sides("pdom-stack"), &two_sides(), 250 + 5),
        // The left side as before; the right one from S0 in 18 on: 21, 131. S8 is in 136, and the exit is fetched
        // again: 140.
        case("two sides side by side", sides("dual-path"), &two_sides(), 140 + 5),
    ]
}

fn sides(unit: &str) -> Config {
    let mut config = config(100);
    config.divergence.unit = unit.into();
    config
}

/// Programs for the options of `dual-path`: without and with the option.
pub(super) fn options() -> [(Case, Case); 3] {
    let pair = |name, words: &[u32], option: fn(&mut Config)| {
        let mut with = sides("dual-path");
        option(&mut with);
        (case(name, sides("dual-path"), words, 0), case(name, with, words, 0))
    };
    [
        pair("scoreboard", &false_dependence(), |config| config.model.scoreboard = Scoreboard::Optimistic),
        pair("path_forwarding", &unbalanced(), |config| config.model.path_forwarding = true),
        pair("scheduler", &straight_sides(), |config| config.divergence.scheduler = Scheduler::Constrained),
    ]
}

/// Twenty instructions on each side, all without long-latency results.
fn straight_sides() -> Vec<u32> {
    let mut words = vec![csrrs(10, MHARTID, 0), andi(11, 10, 1), beq(11, 0, 4 * 22)];
    words.extend([addi(12, 12, 1); 20]);
    words.push(jal(0, 4 * 21));
    words.extend([addi(12, 12, 1); 20]);
    words.push(exit());
    words
}

/// Odd lanes load into a3 and diverge again, so that the load has a shadow bit. Even lanes then write their own a3,
/// which does not depend on the load.
fn false_dependence() -> Vec<u32> {
    vec![
        csrrs(10, MHARTID, 0),
        andi(11, 10, 1),
        lui(12, (RAM_BASE >> 12) + 0x10),
        andi(14, 10, 2),
        beq(11, 0, 20),
        lw(13, 12, 0),
        beq(14, 0, 8),
        NOP,
        jal(0, 8),
        addi(13, 0, 1),
        exit(),
    ]
}

/// Odd lanes diverge again, and those with bit 1 wait for a load. Even lanes have a load too, but run only when the
/// row of the odd ones is popped, or in the slot that it leaves free.
fn unbalanced() -> Vec<u32> {
    vec![
        csrrs(10, MHARTID, 0),
        andi(11, 10, 1),
        lui(12, (RAM_BASE >> 12) + 0x10),
        andi(14, 10, 2),
        beq(11, 0, 20),
        beq(14, 0, 12),
        lw(13, 12, 0),
        addi(15, 13, 0),
        jal(0, 12),
        lw(13, 12, 4),
        addi(15, 13, 0),
        exit(),
    ]
}

/// Odd lanes and even lanes load, each on their own side of a branch.
fn two_sides() -> Vec<u32> {
    vec![
        csrrs(10, MHARTID, 0),
        andi(11, 10, 1),
        lui(12, (RAM_BASE >> 12) + 0x10),
        beq(11, 0, 16),
        lw(13, 12, 0),
        addi(14, 13, 0),
        jal(0, 12),
        lw(13, 12, 4),
        addi(14, 13, 0),
        exit(),
    ]
}
