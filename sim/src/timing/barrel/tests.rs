//! Hand-worked runs on the barrel processor, and where its threads are in each cycle.

use weft_config::{BarrelWarps, Config, DWF, FormedLanes, IssueHeuristic, Latency, Memory, RAM_BASE};
use words::random::{AREA, Options, structured};
use words::*;

use super::*;

fn config(warps: u32, threads: u32, latency: u32) -> Config {
    let latency = Latency { min: latency, max: latency };
    let memory = Memory { ram_bytes: 1 << 17, stack_bytes: 64, latency, ..Memory::default() };
    let mut config = Config { warps, threads, memory, ..Config::default() };
    config.divergence.unit = DWF.name.into();
    config.dwf.issue = IssueHeuristic::ProgramCounter;
    config
}

fn reference(config: &Config) -> Config {
    let mut config = config.clone();
    config.dwf = weft_config::Dwf { warps: BarrelWarps::PostDominator, ..Default::default() };
    config
}

fn finish(config: &Config, words: &[u32]) -> Finished {
    config.check().expect("a legal configuration");
    let program = Program::from_words("case", RAM_BASE, words);
    let finished = run(config, &program, Limit::Cycles(200_000), &mut |_| {}).expect("a known unit");
    assert_eq!(finished.outcome, Outcome::Exited);
    finished
}

/// Cycles and issue slots.
fn figures(config: &Config, words: &[u32]) -> (u64, u64) {
    let finished = finish(config, words);
    (finished.cycles.expect("the run is timed").total, finished.statistics.issues)
}

/// An instruction that is chosen in cycle n issues in n + 3, and its threads can be chosen again in n + 9. The run ends 5
/// cycles after the last exit issues.
#[test]
fn a_thread_has_one_instruction_in_the_pipeline() {
    for of in [|config: &Config| config.clone(), reference] {
        let one = of(&config(1, 4, 1));
        assert_eq!(figures(&one, &[exit()]), (3 + 5, 1));
        assert_eq!(figures(&one, &[NOP, NOP, exit()]), (18 + 3 + 5, 3));
        // The second warp is always one cycle behind.
        assert_eq!(figures(&of(&config(2, 4, 1)), &[NOP, NOP, exit()]), (19 + 3 + 5, 6));
        // Ten warps do not fit between two instructions of a thread: the tenth issues in 12, the first again in 13.
        assert_eq!(figures(&of(&config(10, 4, 1)), &[NOP, exit()]), (19 + 3 + 5, 20));
    }
}

/// lui is chosen in 0, lw in 9. It issues in 12, is at memory in 18, answered in 38 and written in 41. The threads come
/// back in 42, so the exit is chosen in 43. A load of a line for each lane has four issue slots.
#[test]
fn threads_come_back_when_their_result_is_written() {
    let upper = lui(11, (RAM_BASE >> 12) + 0x10);
    let one_line = [upper, lw(12, 11, 0), exit()];
    let four_lines = [csrrs(10, MHARTID, 0), slli(10, 10, 6), upper, add(10, 10, 11), lw(12, 10, 0), exit()];
    for of in [|config: &Config| config.clone(), reference] {
        assert_eq!(figures(&of(&config(1, 4, 20)), &one_line), (43 + 3 + 5, 3));
        // It is chosen in 36 and issues in 39 to 42: the last request is at memory in 48, answered in 68, written in 71.
        assert_eq!(figures(&of(&config(1, 4, 20)), &four_lines), (73 + 3 + 5, 4 + 4 + 1));
    }
}

/// Two warps whose lanes diverge in a complementary way (figure 9): block A has three instructions, B two.
fn figure_9() -> Vec<u32> {
    vec![
        csrrs(10, MHARTID, 0),
        srli(11, 10, 2),
        xor(11, 11, 10),
        andi(11, 11, 1),
        beq(11, 0, 16),
        addi(12, 12, 1),
        addi(12, 12, 1),
        jal(0, 12),
        addi(13, 13, 1),
        addi(13, 13, 1),
        exit(),
    ]
}

/// The branches are chosen in 36 and 37, and come back in 44 and 45. The half of warp 0 at A is alone in the pool in 45 and
/// issues; that at B meets the half of warp 1. So A takes six issue slots and B two, the exits three: those of B in 65,
/// those of A in 72 and 73. With stacks the sides take ten slots, and the exits are chosen in 90 and 91.
#[test]
fn halves_of_two_warps_share_the_slots_of_a_block() {
    let formed = config(2, 4, 1);
    assert_eq!(figures(&formed, &figure_9()), (73 + 3 + 5, 10 + 6 + 2 + 3));
    assert_eq!(figures(&reference(&formed), &figure_9()), (91 + 3 + 5, 10 + 10 + 2));
}

/// Figure 7: `for (i = tid % 2; i < 128; ++i) if (i % 2) data[tid]++;`.
fn figure_7() -> Vec<u32> {
    vec![
        csrrs(10, MHARTID, 0),
        andi(11, 10, 1),
        lui(14, (RAM_BASE >> 12) + 0x10),
        slli(12, 10, 2),
        add(14, 14, 12),
        addi(13, 0, 128),
        andi(12, 11, 1),
        beq(12, 0, 16),
        lw(15, 14, 0),
        addi(15, 15, 1),
        sw(15, 14, 0),
        addi(11, 11, 1),
        blt(11, 13, -24),
        exit(),
    ]
}

/// A stack takes the three instructions of the block for half of the lanes each time: 6 instructions, 127 iterations of 7,
/// one of the even threads alone, and the exit, for each warp. In swizzled warps even and odd threads share the block, if
/// there are more warps than the pipeline has stages: else each half issues before another one comes.
#[test]
fn threads_that_alternate_share_warps_if_these_are_swizzled() {
    const WARPS: u32 = 32;
    let plain = config(WARPS, 4, 1);
    let stack = finish(&reference(&plain), &figure_7());
    assert_eq!(stack.statistics.issues, u64::from(WARPS) * (6 + 127 * 7 + 7 + 1));
    let mut fewest = u64::MAX;
    for issue in IssueHeuristic::ALL {
        let mut swizzled = plain.clone();
        (swizzled.dwf.issue, swizzled.dwf.swizzle) = (*issue, true);
        let formed = finish(&swizzled, &figure_7());
        println!("{}: {} of {}", issue.name(), formed.statistics.issues, stack.statistics.issues);
        for hart in 0..4 * WARPS {
            assert_eq!(formed.machine.read_word(RAM_BASE + 0x10000 + 4 * hart), Some(64), "{}, {hart}", issue.name());
        }
        fewest = fewest.min(formed.statistics.issues);
    }
    assert!(100 * fewest < 95 * stack.statistics.issues, "{fewest}");
}

/// Thread 0 waits for a store of thread 1, in a loop at a smaller pc, which always issues first.
#[test]
fn a_thread_that_is_never_chosen_is_reported() {
    let words = [
        lui(11, (RAM_BASE >> 12) + 0x10),
        csrrs(10, MHARTID, 0),
        bne(10, 0, 12),
        lw(12, 11, 0),
        beq(12, 0, -4),
        sw(10, 11, 0),
        exit(),
    ];
    // Enough waiting threads that one of them is in the pool in each cycle: 63 of 64 wait for the last.
    let words = [&words[..2], &[addi(13, 0, 63), beq(10, 13, 12)], &words[3..]].concat();
    let program = Program::from_words("waits", RAM_BASE, &words);
    let mut ideal = config(64, 1, 1);
    for (issue, ends) in [(IssueHeuristic::ProgramCounter, false), (IssueHeuristic::TimeStamp, true)] {
        ideal.dwf.issue = issue;
        let outcome = run(&ideal, &program, Limit::Cycles(500_000), &mut |_| {}).expect("a known unit").outcome;
        match outcome {
            Outcome::Exited if ends => {}
            Outcome::SuspectedDeadlock(report) if !ends => {
                assert!(report.contains("could run and has not for 65536 cycles"), "{report}");
                assert!(report.contains(IssueHeuristic::TimeStamp.name()), "{report}");
            }
            other => panic!("{}: {other:?}", issue.name()),
        }
    }
}

impl Barrel<'_> {
    /// Asserts that each live thread is in one place: before the pipeline, in it, at the barrier or on the way from it.
    fn check_places(&self) {
        let threads = self.config.threads;
        let mut places = vec![0; (self.config.warps * threads) as usize];
        let mut count = |hart: u32| places[hart as usize] += 1;
        self.warps.harts().into_iter().for_each(&mut count);
        self.staged.iter().flat_map(|staged| staged.threads()).for_each(|hart| count(*hart));
        let flights = self.flights.iter().flatten().flat_map(|flight| flight.arrivals());
        flights.flat_map(|arrival| &arrival.threads).for_each(|hart| count(*hart));
        let released = self.releases.iter().fold(0, |all, (_, warps)| all | warps);
        let mut live = vec![0; places.len()];
        for warp in 0..self.config.warps {
            for path in self.execution.machine.paths(warp) {
                for lane in (0..threads).filter(|lane| path.mask >> lane & 1 != 0) {
                    let hart = (warp * threads + lane) as usize;
                    live[hart] = 1;
                    places[hart] += u32::from(path.parked || released >> warp & 1 == 1);
                }
            }
        }
        assert_eq!(places, live, "cycle {}", self.now);
    }
}

#[test]
fn each_thread_is_in_one_place_in_each_cycle() {
    for seed in 0..12_u64 {
        let words = structured(seed, &Options { length: 12, distance: 0, barriers: true, company: true });
        let program = Program::from_words("random", RAM_BASE, &words);
        let mut config = config(3, 4, 1 + 20 * (seed % 2) as u32);
        config.memory.stack_bytes = AREA;
        config.dwf.lanes = FormedLanes::ALL[seed as usize % 3];
        config.dwf.issue = IssueHeuristic::ALL[seed as usize % 5];
        let mut ignored = |_: &Record| {};
        let mut barrel = Barrel::new(&config, &program, Limit::Cycles(0), &mut ignored).expect("a known unit");
        let mut ended = None;
        while ended.is_none() && barrel.now < 100_000 {
            ended = barrel.cycle();
            if ended.is_none() {
                barrel.check_places();
            }
            barrel.now += 1;
        }
        assert_eq!(ended, Some(Outcome::Exited), "seed {seed}");
    }
}
