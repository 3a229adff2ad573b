//! Hand-worked cases. Each constant must affect one of them.

mod cases;
mod memory_divergence;

use weft_config::Config;

use super::constants::Constants;
use super::core::Core;
use super::memory_port::{MemoryPort, Request};
use super::write_port::{LateResult, WritePort};
use crate::{Finished, Outcome, Program, RAM_BASE};
use cases::{Case, cases, options};
use words::*;

fn run(case: &Case, constants: Constants) -> Finished {
    let program = Program::from_words(case.name, RAM_BASE, &case.words);
    Core::new(&case.config, &program, constants, &mut |_| {}).expect("a known unit").run(100_000)
}

fn cycles(case: &Case, constants: Constants) -> u64 {
    let finished = run(case, constants);
    assert_eq!(finished.outcome, Outcome::Exited, "{}", case.name);
    finished.cycles.expect("the run is timed").total
}

#[test]
fn cycles_are_those_worked_out_by_hand() {
    let actual: Vec<_> = cases().iter().map(|case| (case.name, cycles(case, Constants::of(&case.config)))).collect();
    let expected: Vec<_> = cases().iter().map(|case| (case.name, case.cycles)).collect();
    assert_eq!(actual, expected);
}

fn under(unit: &str, name: &str) -> (u64, u64) {
    let mut case = cases().into_iter().find(|case| case.name == name).expect("a case");
    case.config.divergence.unit = unit.into();
    (cycles(&case, Constants::of(&case.config)), case.cycles)
}

/// Threads that stay together take as long on pipelines of their own as in a warp: their requests are one transaction.
/// Threads that do not are served at once.
#[test]
fn mimd_runs_threads_on_pipelines_of_their_own() {
    for name in ["chain", "straight code, four warps", "a loop, left by a misprediction", "a load of one line"] {
        let (own, of_warp) = under("mimd", name);
        assert_eq!(own, of_warp, "{name}");
    }
    // Four requests, one a cycle, instead of one every nine cycles: the last is written in 50, not in 74.
    assert_eq!(under("mimd", "a load of four lines").0, 53 + 5);
}

/// The splits of `dws` overlap their loads as the sides of `dual-path` do, and keep no distance to each other.
#[test]
fn dws_runs_both_sides_at_once() {
    let [dws, dual_path, pdom_stack] =
        ["dws", "dual-path", "pdom-stack"].map(|unit| under(unit, "two sides side by side").0);
    assert!(dws <= dual_path && dual_path < pdom_stack, "{dws}, {dual_path}, {pdom_stack}");
}

/// The cases detect a change of any one distance. (`patience` has its own test.)
#[test]
fn each_constant_matters() {
    type Change = fn(&mut Constants);
    let changes: [(&str, Change); 16] = [
        ("fetch", |constants| constants.fetch += 1),
        ("buffer", |constants| constants.buffer -= 1),
        ("spacing", |constants| constants.spacing += 1),
        ("election", |constants| constants.election -= 1),
        ("chain", |constants| constants.chain -= 1),
        ("write", |constants| constants.write -= 1),
        ("resolve", |constants| constants.resolve += 1),
        ("release", |constants| constants.release += 1),
        ("request", |constants| constants.request -= 1),
        ("response", |constants| constants.response -= 1),
        ("product", |constants| constants.product += 1),
        ("quotient", |constants| constants.quotient -= 1),
        ("division", |constants| constants.division += 1),
        ("requests", |constants| constants.requests -= 1),
        ("late_results", |constants| constants.late_results -= 1),
        ("atomic", |constants| constants.atomic ^= 1),
    ];
    for (name, change) in changes {
        let differs = cases().iter().any(|case| {
            let mut constants = Constants::of(&case.config);
            change(&mut constants);
            cycles(case, constants) != case.cycles
        });
        assert!(differs, "no case notices another `{name}`");
    }
}

/// A load takes 100 cycles; twenty dependent instructions take 80, and two such sides as many if they alternate.
#[test]
fn options_of_the_dual_path_do_what_they_are_for() {
    let [scoreboard, forwarding, scheduler] = options().map(|(plain, with)| {
        let of = |case: &Case| cycles(case, Constants::of(&case.config)) as i64;
        of(&with) - of(&plain)
    });
    assert!((-110..=-80).contains(&scoreboard), "no false dependence on a load: {scoreboard:+} cycles");
    assert!((-130..=-80).contains(&forwarding), "two loads at once: {forwarding:+} cycles");
    assert!((60..=90).contains(&scheduler), "one side after the other: {scheduler:+} cycles");
}

fn result(lanes: u64) -> LateResult {
    LateResult { context: 0, entry: 0, lanes, loaded: false }
}

#[test]
fn late_results_take_what_s7_leaves_and_are_written_in_the_order_in_which_they_came() {
    let mut port = WritePort::default();
    port.add(3, result(0b01));
    port.add(2, result(0b10));
    port.take(0, 2);
    port.take(1, 3);
    let written: Vec<_> = (1..8).filter_map(|now| Some((now, port.write(now)?.lanes))).collect();
    assert_eq!(written, [(3, 0b10), (5, 0b01)]);
}

#[test]
fn a_result_that_waits_too_long_gets_one_bubble() {
    let mut port = WritePort::default();
    port.add(2, result(1));
    let mut written = None;
    let bubbles: Vec<u64> = (0..20)
        .filter(|now| {
            let bubble = port.demands_bubble(*now, 8, 4);
            if !bubble {
                port.take(*now, 4);
            }
            if *now >= 4 {
                written = written.or(port.write(*now).map(|_| *now));
            }
            bubble
        })
        .collect();
    assert_eq!((bubbles, written), (vec![10], Some(14)));
}

/// The cycles in which requests that always wait are accepted.
fn accepted(bandwidth: u32, cycles: std::ops::Range<u64>) -> Vec<u64> {
    let mut config = Config::default();
    config.memory.bandwidth = weft_config::Bandwidth(bandwidth);
    let mut port = MemoryPort::new(&config, 0);
    cycles
        .filter(|now| {
            port.request(Request {
                context: 0,
                from: 0,
                answers: None,
                address: RAM_BASE,
                reads: false,
                stores: true,
                atomic: false,
                scratchpad: false,
                window: false,
            });
            port.accept(*now).is_some()
        })
        .collect()
}

#[test]
fn a_bandwidth_is_kept_and_not_saved_up() {
    assert_eq!(accepted(1000, 1..5), [1, 2, 3, 4]);
    assert_eq!(accepted(250, 1..17), [4, 8, 12, 16]);
    assert_eq!(accepted(250, 1000..1016), [1000, 1004, 1008, 1012]);
}

/// With a random latency, responses stay in its range, overtake each other, come one per cycle, and repeat with the
/// seed.
#[test]
fn random_latencies_are_drawn_from_their_range() {
    let answers = |seed| {
        let mut config = Config::default();
        config.memory.latency = weft_config::Latency { min: 5, max: 50 };
        config.memory.seed = seed;
        let mut port = MemoryPort::new(&config, 0);
        let (mut requested, mut accepted) = (0, Vec::new());
        let mut answered = Vec::new();
        for now in 0..400 {
            if let Some(result) = port.respond(now) {
                answered.push((result.lanes, now - accepted[result.lanes as usize]));
            }
            if requested < 200 {
                port.request(Request {
                    context: 0,
                    from: now,
                    answers: Some(result(requested)),
                    address: RAM_BASE,
                    reads: true,
                    stores: false,
                    atomic: false,
                    scratchpad: false,
                    window: false,
                });
                requested += 1;
            }
            if port.accept(now).is_some() {
                accepted.push(now);
            }
        }
        answered
    };
    let answered = answers(1);
    assert_eq!(answered.len(), 200);
    assert!(answered.iter().all(|(_, latency)| (5..60).contains(latency)), "{answered:?}");
    assert!(answered.windows(2).any(|pair| pair[0].0 > pair[1].0));
    assert_eq!(answered, answers(1));
    assert_ne!(answered, answers(2));
}

/// A run that does not exit ends at the right cycle with the right outcome.
#[test]
fn runs_end_in_every_way() {
    let case = |words: &[u32]| Case { name: "ends", config: Config::default(), words: words.to_vec(), cycles: 0 };
    let of = |case: &Case| {
        let finished = run(case, Constants::of(&case.config));
        (finished.outcome, finished.cycles.map(|cycles| cycles.total))
    };
    let endless = case(&[jal(0, 0)]);
    assert_eq!(of(&endless), (Outcome::Limit, Some(100_000)));
    let (outcome, cycles) = of(&case(&[NOP, EBREAK]));
    assert!(matches!(outcome, Outcome::Fault(_)), "{outcome:?}");
    assert!(cycles < Some(40), "{cycles:?}");

    // The even lanes wait at the barrier for the odd ones, which a stack does not run before.
    let mut stuck = case(&[csrrs(10, MHARTID, 0), andi(10, 10, 1), bne(10, 0, 8), barrier(), exit()]);
    stuck.config.divergence.unit = "pdom-stack".into();
    let (outcome, _) = of(&stuck);
    let Outcome::Deadlock(report) = outcome else { panic!("{outcome:?}") };
    assert!(report.contains("waits at the barrier"), "{report}");
    stuck.config.divergence.unit = "sorted-table".into();
    assert_eq!(of(&stuck).0, Outcome::Exited);
}
