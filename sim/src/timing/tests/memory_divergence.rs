//! A load of which two lanes hit and two miss. Masks and cycles are reasoned out below. Two cycles were found by a run first: that a
//! fetch takes one more, and that a squashed use delays the second part by one, for which the reason below is not traced.

use weft_config::{RAM_BASE, Scoreboard};
use weft_trace::Record;

use super::cases::{Case, config};
use super::*;

/// An issue: its cycle, the number of its word, and the threads that it serves.
type Issue = (u64, u32, &'static str);

/// Lanes 0 and 1 load words 0 and 1 of line A, and lanes 2 and 3 words 2 and 3 of line B. A is in the cache. All then load
/// the first word of line C, whose address depends on what they have loaded.
fn two_of_four_hit(unit: &str, divides: bool) -> Case {
    let words = vec![
        lui(11, (RAM_BASE >> 12) + 0x10),
        csrrs(10, MHARTID, 0),
        slli(12, 10, 2),
        andi(13, 10, 2),
        slli(13, 13, 3),
        add(12, 12, 13),
        add(12, 12, 11),
        lw(14, 11, 0),
        addi(14, 14, 0),
        lw(15, 12, 0),
        add(16, 15, 11),
        lw(17, 16, 64),
        addi(17, 17, 0),
        exit(),
    ];
    let mut config = config(100);
    config.dcache.bytes = 512;
    config.divergence.unit = unit.into();
    config.model.memory_divergence = divides;
    if config.unit().is_ok_and(|unit| unit.reads("model.scoreboard")) {
        config.model.scoreboard = Scoreboard::Optimistic;
    }
    config.check().expect("a configuration");
    Case { name: "two of four hit", config, words, cycles: 0 }
}

/// The issues of a run: it is repeated up to each of its cycles.
fn issues(case: &Case) -> Vec<(u64, u32, String)> {
    let program = Program::from_words(case.name, RAM_BASE, &case.words);
    let run = |limit: u64, observer: &mut dyn FnMut(&Record)| {
        Core::new(&case.config, &program, Constants::of(&case.config), observer).expect("a known unit").run(limit)
    };
    let mut issues = Vec::new();
    let total = run(100_000, &mut |record| {
        if let Record::Commit(commit) = record {
            let mask = (0..4).map(|lane| if commit.served >> lane & 1 == 1 { '1' } else { '0' }).collect();
            issues.push((0, (commit.pc - RAM_BASE) / 4, mask));
        }
    });
    for cycle in 1..=total.cycles.expect("the run is timed").total {
        let until = run(cycle, &mut |_| {}).statistics.issues as usize;
        issues[..until].iter_mut().filter(|issue| issue.0 == 0).for_each(|issue| issue.0 = cycle);
    }
    issues
}

fn check(case: &Case, expected: &[Issue]) {
    let expected: Vec<_> = expected.iter().map(|(cycle, word, mask)| (*cycle, *word, (*mask).to_owned())).collect();
    assert_eq!(issues(case), expected, "{}", case.config.divergence.unit);
    assert_eq!(cycles(case, Constants::of(&case.config)), expected.last().map_or(0, |issue| issue.0 + 5));
}

/// A miss that issues in cycle n is looked up in n + 6, is at memory in n + 7, and is written 103 cycles later: its use
/// issues in n + 111. Line A comes so in 138. The load's part of line A issues in 141, and is written in 151.
const UP_TO_THE_LOAD: [Issue; 10] = [
    (3, 0, "1111"),
    (6, 1, "1111"),
    (10, 2, "1111"),
    (12, 3, "1111"),
    (16, 4, "1111"),
    (20, 5, "1111"),
    (24, 6, "1111"),
    (27, 7, "1111"),
    (138, 8, "1111"),
    (141, 9, "1100"),
];

/// The part of line B issues after S8 of the first one. All wait for it until 150 + 111, and then for line C: 265 + 111.
#[test]
fn on_a_stack_all_threads_wait_twice() {
    let after = [(150, 9, "0011"), (261, 10, "1111"), (265, 11, "1111"), (376, 12, "1111"), (378, 13, "1111")];
    check(&two_of_four_hit("pdom-stack", false), &[&UP_TO_THE_LOAD[..], &after].concat());
}

/// With results by thread, the use of the load issues before S8 finds that the load goes on, since no result of threads 2
/// and 3 is pending yet. It is squashed, and the fetch in flight behind it delays the part of line B by a cycle.
#[test]
fn without_division_all_threads_wait_twice() {
    let after = [(151, 9, "0011"), (262, 10, "1111"), (266, 11, "1111"), (377, 12, "1111"), (379, 13, "1111")];
    for unit in ["dws", "dual-path"] {
        check(&two_of_four_hit(unit, false), &[&UP_TO_THE_LOAD[..], &after].concat());
    }
}

/// S8 restarts the front end in 156, so that the use could issue in 160. Line B was looked up in 157: the path divides.
/// Threads 0 and 1 go on in 161, and load line C in 165; it comes in 272 and is written in 275. Threads 2 and 3 restart in
/// S8, in 165, and wait until 262. Their load of line C is looked up in 272 and hits: it is written in 276. In 266 they have
/// reached the instruction at which threads 0 and 1 wait: the paths merge, restart in 271, and go on together in 277.
#[test]
fn threads_that_hit_load_the_next_line_while_the_others_wait() {
    let after = [
        (151, 9, "0011"),
        (161, 10, "1100"),
        (165, 11, "1100"),
        (262, 10, "0011"),
        (266, 11, "0011"),
        (277, 12, "1111"),
        (279, 13, "1111"),
    ];
    for unit in ["dws", "dual-path"] {
        check(&two_of_four_hit(unit, true), &[&UP_TO_THE_LOAD[..], &after].concat());
    }
}

/// Where all lanes miss, in two lines, the path waits for both: no thread has hit.
#[test]
fn a_load_that_all_threads_miss_divides_no_path() {
    for unit in ["dws", "dual-path"] {
        let [mut with, mut without] = [true, false].map(|divides| two_of_four_hit(unit, divides));
        for case in [&mut with, &mut without] {
            // Line A is not loaded before.
            case.words[7] = NOP;
        }
        assert_eq!(issues(&with), issues(&without), "{unit}");
    }
}
