//! In random programs without races every thread computes the same as alone.

use sim::{Finished, Outcome, Program};
use weft_config::{
    BarrelWarps, Coalescer, Config, DWF, FormedLanes, IssueHeuristic, Latency, Scoreboard, Unit, UnknownUnit,
};
use weft_trace::{Event, Record};

use crate::model::bench::{CODE, config, units};
use crate::model::scalar::Scalar;
use words::random::{self, AREA, Options};

const RAM_END: u32 = 0x8002_0000;

/// Runs the program of `seed` on a core of this size with this divergence unit, and compares every thread. Returns the
/// number of divergent branches.
fn compare(unit: &str, seed: u64, warps: u32, threads: u32) -> u64 {
    compare_with(unit, seed, (warps, threads), |_| {})
}

/// The same with other keys.
fn compare_with(unit: &str, seed: u64, size: (u32, u32), set: impl Fn(&mut Config)) -> u64 {
    let run = |config: &Config, program: &Program| {
        let mut config = config.clone();
        set(&mut config);
        sim::run(&config, program, 10_000_000, &mut |_| {})
    };
    compare_after(run, unit, seed, size).statistics.divergent_branches
}

/// Compares every thread after a run that `run` performs.
fn compare_after(
    run: impl FnOnce(&Config, &Program) -> Result<Finished, UnknownUnit>,
    unit: &str,
    seed: u64,
    (warps, threads): (u32, u32),
) -> Finished {
    let (distance, stack_interleave) = [(0, true), (0x8000, true), (0, false)][(seed % 3) as usize];
    let barriers = Unit::find(unit).expect("a unit").serves_all();
    let words = random::structured(seed, &Options { length: 16, distance, barriers, company: false });
    let harts = warps * threads;
    let areas = RAM_END - distance - harts * AREA;
    assert!(CODE + 4 * (words.len() as u32) < areas, "the program is short enough");
    let program = Program::from_words("random", CODE, &words);
    let mut config = config(warps, threads);
    config.divergence.unit = unit.into();
    config.divergence.fair_after = [0, 65536, 1, 2, 10][(seed % 5) as usize];
    config.memory.stack_bytes = AREA;
    config.memory.stack_interleave = stack_interleave;
    let finished = run(&config, &program).expect("a known unit");
    assert_eq!(finished.outcome, Outcome::Exited, "{unit}, seed {seed}, {warps} × {threads}");

    for hart in 0..harts {
        let mut memory: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.resize((RAM_END - CODE) as usize, 0);
        let area = areas + hart * AREA;
        let stack_end = area + AREA + distance;
        let mut alone = Scalar { registers: [0; 32], pc: CODE, hart, stack_end, base: CODE, memory };
        let code = alone.run();
        let (warp, lane) = (hart / threads, hart % threads);
        let place = format!("{unit}, seed {seed}, {warps} × {threads}, hart {hart}");
        assert_eq!(finished.machine.exit_code(warp, lane), Some(code), "{place}");
        for register in 0..32 {
            let expected = alone.registers[usize::from(register)];
            assert_eq!(finished.machine.register(warp, lane, register), expected, "{place}: x{register}");
        }
        for address in (area..area + AREA).step_by(4) {
            let place_in_memory = (address - CODE) as usize;
            let bytes = alone.memory[place_in_memory..].first_chunk().expect("four bytes");
            let expected = u32::from_le_bytes(*bytes);
            assert_eq!(finished.machine.read_word(address), Some(expected), "{place}: {address:#x}");
        }
    }
    finished
}

/// The paths that loads divide in a timed run with a small data cache, in which some lanes of a load hit.
fn divisions(unit: &str, seed: u64, size: (u32, u32)) -> u32 {
    let mut divisions = 0;
    let run = |config: &Config, program: &Program| {
        let mut config = config.clone();
        config.dcache.bytes = (8 * config.threads) << (seed % 4);
        config.memory.latency = Latency { min: 30, max: 30 };
        config.memory.coalescer = Coalescer::ALL[seed as usize % 3];
        config.model.memory_divergence = true;
        if Unit::find(unit)?.reads("model.scoreboard") {
            config.model.scoreboard = Scoreboard::Optimistic;
        }
        config.check().expect("a configuration");
        sim::timing::run(&config, program, 10_000_000, &mut |record| {
            let Record::Context(context) = record else { return };
            divisions += u32::from(context.event == Event::Rotation && context.moves.inserts);
        })
    };
    compare_after(run, unit, seed, size);
    divisions
}

/// Paths that divide where only some of their threads hit in the data cache leave the same registers and memory.
#[test]
fn threads_that_miss_compute_what_they_would_alone() {
    for unit in ["dws", "dual-path"] {
        let sizes = [(1, 4), (2, 8), (1, 32)];
        let of_size = |size| (0..60).map(|seed| divisions(unit, seed, size)).sum::<u32>();
        let all = sizes.map(of_size);
        assert!(all.iter().all(|divisions| *divisions > 20), "{unit}: {all:?}");
    }
}

#[test]
fn threads_compute_together_what_they_would_alone() {
    for unit in units() {
        let mut divergent = 0;
        for seed in 0..150 {
            for warps in [1, 3] {
                for threads in [1, 4, 8] {
                    let branches = compare(unit, seed, warps, threads);
                    assert!(threads > 1 || branches == 0, "one thread cannot diverge");
                    divergent += branches;
                }
            }
        }
        // A path of one thread does not diverge.
        let diverges = !Unit::find(unit).expect("a unit").runs_all;
        assert_eq!(divergent > 5_000, diverges, "{unit}: the programs diverge: {divergent} times");
    }
}

#[test]
fn so_do_the_threads_of_the_widest_warp() {
    for unit in units() {
        for seed in 1000..1010 {
            compare(unit, seed, 1, 64);
        }
    }
}

/// Under each heuristic and rule of lanes, each reference and each coalescer.
#[test]
fn so_do_the_threads_of_formed_warps() {
    let variants =
        FormedLanes::ALL.iter().flat_map(|lanes| IssueHeuristic::ALL.iter().map(move |issue| (*lanes, *issue)));
    for (seed, (lanes, issue)) in (2000..).zip(variants) {
        let coalescer = Coalescer::ALL[(seed % 3) as usize];
        compare_with(DWF.name, seed, (5, 4), |config| {
            config.memory.coalescer = coalescer;
            (config.dwf.lanes, config.dwf.issue) = (lanes, issue);
            config.dwf.swizzle = lanes == FormedLanes::LaneAware;
        });
    }
    for (seed, warps) in (2100..).zip(BarrelWarps::ALL) {
        compare_with(DWF.name, seed, (3, 8), |config| config.dwf.warps = *warps);
    }
}
