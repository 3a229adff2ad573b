//! Requirements on the kernels of the stack comparison. Their divergent branches have work on both sides or on one,
//! as the kernel declares, and there is no barrier, which a stack could not reach with all threads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use kernels::{self, Comparison, Kernel};
use sim::Program;
use sim::control_flow::{Analysis, Reconvergence};
use weft_config::Config;
use weft_trace::Record;

const SIZES: &[(u32, u32)] = &[(8, 4), (1, 8), (2, 32), (16, 64)];

const RETURN: u32 = 0x0000_8067;

/// The instructions between a branch and its reconvergence point, on one side.
type Side = BTreeMap<u32, u32>;

fn load(kernel: &Kernel, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    let elf = kernels::build(kernel, out.path()).unwrap();
    Program::load(kernel.name, &fs::read(elf).unwrap(), config).unwrap()
}

/// The branches that are divergent in runs at several sizes, with counts.
fn divergent_branches(kernel: &Kernel) -> BTreeMap<u32, u64> {
    let mut counts = BTreeMap::new();
    for &(warps, threads) in SIZES {
        let mut config = Config { warps, threads, ..Config::default() };
        kernel.configure(&mut config);
        let mut observer = |record: &Record| {
            if let Record::Commit(commit) = record
                && commit.divergent
            {
                *counts.entry(commit.pc).or_default() += 1;
            }
        };
        sim::run(&config, &load(kernel, &config), 10_000_000, &mut observer).unwrap();
    }
    counts
}

fn word(program: &Program, pc: u32) -> u32 {
    let at = |address: u32, bytes: &[u8]| {
        let word = bytes.get(pc.checked_sub(address)? as usize..)?.first_chunk()?;
        Some(u32::from_le_bytes(*word))
    };
    program.segments.iter().find_map(|segment| at(segment.address, &segment.bytes)).unwrap()
}

fn target(pc: u32, word: u32) -> u32 {
    let bits = |low: u32, count: u32| word >> low & ((1 << count) - 1);
    let sign = |bits: u32| 0u32.wrapping_sub(word >> 31) << bits;
    pc.wrapping_add(if word & 0x7f == 0x6f {
        sign(20) | bits(12, 8) << 12 | bits(20, 1) << 11 | bits(21, 10) << 1
    } else {
        sign(12) | bits(7, 1) << 11 | bits(25, 6) << 5 | bits(8, 4) << 1
    })
}

/// Every instruction reachable from `pc` before `meeting`, including called functions.
fn side(program: &Program, pc: u32, meeting: Reconvergence) -> Side {
    let (mut side, mut open) = (Side::new(), vec![pc]);
    while let Some(pc) = open.pop() {
        let word = word(program, pc);
        if meeting == Reconvergence::At(pc) || word == RETURN || side.insert(pc, word).is_some() {
            continue;
        }
        match (word & 0x7f, word >> 7 & 31) {
            (0x63, _) | (0x6f, 1) => open.extend([pc + 4, target(pc, word)]),
            (0x6f, _) => open.push(target(pc, word)),
            (0x67, _) => panic!("{pc:#x}: an indirect jump"),
            _ => open.push(pc + 4),
        }
    }
    side
}

fn is_jump(word: u32) -> bool {
    word & 0xfff == 0x06f
}

fn is_load(word: u32) -> bool {
    word & 0x7f == 0x03
}

fn is_barrier(word: u32) -> bool {
    word & 0x7f == 0x73 && word >> 20 == 0x801
}

/// The shares of a kernel's divergent branches with work, and with loads, on both sides.
fn shares(kernel: &Kernel) -> (f64, f64) {
    let program = load(kernel, &Config::default());
    let analysis = Analysis::of(&program);
    let (mut all, mut with_work, mut with_loads) = (0, 0, 0);
    for (pc, count) in divergent_branches(kernel) {
        let place = format!("{}, {pc:#x}", kernel.name);
        let branch = word(&program, pc);
        assert_eq!(branch & 0x7f, 0x63, "{place}: a conditional branch");
        let meeting = analysis.table().at(pc);
        assert_ne!(meeting, Reconvergence::Unknown, "{place}");
        let sides = [pc + 4, target(pc, branch)].map(|next| side(&program, next, meeting));
        assert!(!sides.iter().any(|side| side.values().any(|word| is_barrier(*word))), "{place}: a barrier on a side");
        let loop_end = sides.iter().any(|side| side.contains_key(&pc));
        let both = |has: fn(u32) -> bool| !loop_end && sides.iter().all(|side| side.values().any(|word| has(*word)));
        all += count;
        with_work += if both(|word| !is_jump(word)) { count } else { 0 };
        with_loads += if both(is_load) { count } else { 0 };
    }
    (with_work as f64 / all as f64, with_loads as f64 / all as f64)
}

#[test]
fn divergent_branches_have_work_on_as_many_sides_as_the_kernels_say() {
    let mut names = BTreeSet::new();
    for kernel in kernels::list() {
        let Some(comparison) = kernel.comparison else { continue };
        let (with_work, with_loads) = shares(kernel);
        println!("{}: {with_work:.3} with work on both sides, {with_loads:.3} with loads", kernel.name);
        match comparison {
            Comparison::Interleavable => assert!(with_loads >= 0.25, "{}: {with_loads}", kernel.name),
            Comparison::NotInterleavable => assert!(with_work <= 0.02, "{}: {with_work}", kernel.name),
        }
        names.insert((comparison.name(), kernel.name));
    }
    for half in ["interleavable", "not-interleavable"] {
        assert_eq!(names.iter().filter(|name| name.0 == half).count(), 6);
    }
}
