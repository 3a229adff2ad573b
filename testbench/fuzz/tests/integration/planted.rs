//! Planted bugs of each class that random programs must find.

use std::collections::BTreeMap;

use fuzz::assembly;
use fuzz::build::Assembler;
use fuzz::generate::generate;
use fuzz::point;
use fuzz::profile::Profile;
use fuzz::trial::{self, Verdict};
use testbench::{BuiltCore, Effort};
use weft_config::{Config, Isa, MemoryKind, RAM_BASE, Window};

/// Maximum number of programs to find a bug.
const PROGRAMS: u64 = 400;

struct Bug {
    class: &'static str,
    unit: &'static str,
    profile: &'static str,
    fault: &'static str,
}

const BUGS: &[Bug] = &[
    Bug {
        class: "mask: results are written in lanes of other paths",
        unit: "sorted-table",
        profile: "structured",
        fault: "s7_commit.writes_lanes_of_other_paths",
    },
    Bug {
        class: "bypass: a register is read before it is written",
        unit: "sorted-table",
        profile: "pressure",
        fault: "s3_context.does_not_wait_for_the_last_result",
    },
    Bug {
        class: "bypass: a path is read while it is written",
        unit: "sorted-table",
        profile: "unstructured",
        fault: "sorted_table.y_is_not_forwarded",
    },
    Bug {
        class: "epoch: instructions that were fetched before a resteer are taken",
        unit: "dual-path",
        profile: "pressure",
        fault: "s7_commit.ignores_the_epoch",
    },
    Bug {
        class: "replay: one lane of a scattered access is left out",
        unit: "arbiter",
        profile: "memory",
        fault: "s7_commit.serving_lane_0_drops_the_last_lane",
    },
    Bug {
        class: "replay: a part of a load is counted as the last one",
        unit: "sorted-table",
        profile: "pressure",
        fault: "s3_scoreboard.every_part_counts_as_the_last",
    },
    Bug {
        class: "replay: the entry of a load is free although its next part starts as the one before ends",
        unit: "sorted-table",
        profile: "pressure",
        fault: "s3_scoreboard.a_part_that_starts_anew_loses_its_entry",
    },
    Bug {
        class: "shadow bit: long-latency results of threads that change slots are forgotten",
        unit: "dual-path",
        profile: "pressure",
        fault: "dual_path.no_shadow_bits_at_a_pop",
    },
    Bug {
        class: "sorter race: an exchange goes on though the row has changed",
        unit: "sorted-table",
        profile: "unstructured",
        fault: "cct_sorter.is_not_cancelled",
    },
    Bug {
        class: "reuse: a row whose meeting place is that of a new one is not reused",
        unit: "dual-path",
        profile: "structured",
        fault: "dual_path.does_not_reuse_rows",
    },
    Bug {
        class: "stack: a row that a push covers is lost",
        unit: "minority-first",
        profile: "unstructured",
        fault: "minority_first.a_push_loses_the_covered_row",
    },
    Bug {
        class: "order: the path with the smaller pc runs first, not the one with fewer threads",
        unit: "minority-first",
        profile: "structured",
        fault: "minority_first.the_smaller_pc_runs_first",
    },
    Bug {
        class: "region: it stays open when the threads outside the active path have ended",
        unit: "minority-first",
        profile: "unstructured",
        fault: "minority_first.a_region_stays_open",
    },
    Bug {
        class: "arrival: a path of another call depth arrives",
        unit: "minority-first",
        profile: "calls",
        fault: "minority_first.the_point_ignores_the_call_depth",
    },
    Bug {
        class: "replay: a path arrives with the lanes still to serve forgotten",
        unit: "minority-first",
        profile: "memory",
        fault: "minority_first.forgets_the_lanes_still_to_serve",
    },
    Bug {
        class: "fetch: what was fetched before a fence.i is taken",
        unit: "sorted-table",
        profile: "copies",
        fault: "s8_context.a_fence_i_does_not_resteer",
    },
    Bug {
        class: "fault: the cause is that of another lane than the one that is named",
        unit: "sorted-table",
        profile: "faults",
        fault: "s7_commit.misalignment_of_any_lane_is_the_cause",
    },
    Bug {
        class: "time slice: it ends while an access has lanes that are not served",
        unit: "sorted-table",
        profile: "locks",
        fault: "sorted_table.a_turn_ends_between_parts",
    },
    Bug {
        class: "time slice: lanes that are not served merge with others",
        unit: "sorted-table",
        profile: "locks",
        fault: "ccs.unserved_threads_merge",
    },
    Bug {
        class: "time slice: lanes that are not served do not run next",
        unit: "sorted-table",
        profile: "locks",
        fault: "ccs.unserved_threads_do_not_go_first",
    },
    Bug {
        class: "time slice: a path that only waits, or pauses, runs on",
        unit: "sorted-table",
        profile: "locks",
        fault: "sorted_table.no_path_asks_to_yield",
    },
    Bug {
        class: "time slice: a loop that changes a register yields too",
        unit: "sorted-table",
        profile: "locks",
        fault: "s7_commit.no_iteration_makes_progress",
    },
    Bug {
        class: "path stack: an uncovered path that equals the active one stays apart",
        unit: "path-stack",
        profile: "unstructured",
        fault: "path_stack.an_uncovered_path_is_not_compared",
    },
    Bug {
        class: "path stack: a front that changed places has no order to the path behind it",
        unit: "path-stack",
        profile: "unstructured",
        fault: "path_stack.a_new_front_is_not_compared",
    },
    Bug {
        class: "path stack: lanes that are not served do not run next",
        unit: "path-stack",
        profile: "locks",
        fault: "path_stack.unserved_threads_do_not_go_first",
    },
    Bug {
        class: "path stack: a time slice ends while an access has lanes that are not served",
        unit: "path-stack",
        profile: "locks",
        fault: "path_stack.a_turn_ends_between_parts",
    },
    Bug {
        class: "path stack: a path that only waits, or pauses, runs on",
        unit: "path-stack",
        profile: "locks",
        fault: "path_stack.no_path_asks_to_yield",
    },
    Bug {
        class: "path stack: the priority decides before a round is over",
        unit: "path-stack",
        profile: "locks",
        fault: "path_stack.a_step_interrupts_a_round",
    },
    Bug {
        class: "path stack: a round goes on when all have had their time slice",
        unit: "path-stack",
        profile: "locks",
        fault: "path_stack.a_round_never_ends",
    },
    Bug {
        class: "path stack: a path yields that has not run since it became active",
        unit: "path-stack",
        profile: "locks",
        fault: "path_stack.a_path_yields_that_has_not_run",
    },
    Bug {
        class: "path stack: a better path runs before a time slice ends",
        unit: "path-stack",
        profile: "locks",
        fault: "path_stack.a_better_path_ends_a_turn",
    },
    Bug {
        class: "multi-path: a path that yields while threads wait keeps its meeting",
        unit: "multi-path",
        profile: "locks",
        fault: "multi_path.a_path_keeps_its_meeting",
    },
    Bug {
        class: "multi-path: a meeting waits for a path that has let go",
        unit: "multi-path",
        profile: "locks",
        fault: "multi_path.a_path_that_lets_go_is_expected",
    },
    Bug {
        class: "multi-path: a divergence makes a meeting while paths let go",
        unit: "multi-path",
        profile: "locks",
        fault: "multi_path.a_divergence_always_makes_a_meeting",
    },
    Bug {
        class: "multi-path: a path that only waits, or pauses, runs on",
        unit: "multi-path",
        profile: "locks",
        fault: "multi_path.no_path_asks_to_yield",
    },
    Bug {
        class: "multi-path: a path yields that has not run since it became active",
        unit: "multi-path",
        profile: "locks",
        fault: "multi_path.a_path_yields_that_has_not_run",
    },
    Bug {
        class: "time slice: the tree's lanes that are not served do not run next",
        unit: "arbiter",
        profile: "locks",
        fault: "arbiter.unserved_lanes_do_not_go_first",
    },
    Bug {
        class: "time slice: the tree's path yields while an access has lanes that are not served",
        unit: "arbiter",
        profile: "locks",
        fault: "arbiter.a_turn_ends_between_parts",
    },
];

/// Bugs in the gates of extensions, on cores that have all of them.
const BUGS_OF_EXTENSIONS: &[Bug] = &[
    Bug {
        class: "Zba: an index is not shifted",
        unit: "sorted-table",
        profile: "mixed",
        fault: "lane_operands.sh1add_does_not_shift",
    },
    Bug { class: "Zbb: the maximum is 0", unit: "sorted-table", profile: "mixed", fault: "lane_alu.max_is_nothing" },
    Bug {
        class: "Zicond: the result is always 0",
        unit: "sorted-table",
        profile: "mixed",
        fault: "lane_alu.czero_nez_never_keeps",
    },
];

/// A bug of cores with a scratchpad.
const SCRATCHPAD: Bug = Bug {
    class: "scratchpad: lanes of a bank that want different words are served together",
    unit: "sorted-table",
    profile: "memory",
    fault: "coalescer.lanes_of_a_bank_with_other_rows_are_served",
};

/// A bug of data caches before a window.
const WINDOW: Bug = Bug {
    class: "window: an access does not wait for the stores before it",
    unit: "sorted-table",
    profile: "memory",
    fault: "dcache.window_does_not_wait_for_stores",
};

fn config(bug: &Bug, isa: Isa) -> Config {
    let mut config = Config { warps: 2, threads: 4, isa, ..Config::default() };
    config.divergence.unit = bug.unit.into();
    if bug.profile == "locks" {
        config.divergence.fair_after = 16;
    }
    config.memory.ram_bytes = 1 << 17;
    if bug.class == SCRATCHPAD.class {
        config.scratchpad.bytes = 256;
    }
    if bug.class == WINDOW.class {
        config.memory.kind = MemoryKind::Axi4;
        config.memory.windows = vec![Window { base: 0xf000_0000, bytes: 4096 }];
        config.dcache.bytes = 128;
    }
    config
}

/// The number of programs needed to find a bug, and the message of the failure.
fn found(core: &BuiltCore, bug: &Bug, isa: Isa, assembler: &Assembler) -> Option<(u64, String)> {
    let profile = Profile::find(bug.profile).unwrap();
    (0..PROGRAMS).find_map(|seed| {
        let config = point::memory(&mut fastrand::Rng::with_seed(seed), &config(bug, isa));
        let program = generate(seed, profile, point::abilities(&config));
        let elf = assembler.elf(&assembly::print(&program, "")).unwrap();
        match trial::run(core, &config, &elf, program.may_fault).unwrap() {
            Verdict::Fails { how, message } => {
                Some((seed + 1, format!("{how}: {}", message.lines().next().unwrap_or_default())))
            }
            Verdict::Agrees(_) | Verdict::Endless => None,
        }
    })
}

#[test]
fn programs_agree_on_a_core_with_a_scratchpad_and_find_a_broken_one() {
    agree_and_find(&SCRATCHPAD);
}

#[test]
fn programs_agree_on_a_core_with_a_window_and_find_a_broken_one() {
    agree_and_find(&WINDOW);
}

fn agree_and_find(bug: &Bug) {
    let assembler = Assembler::find().unwrap();
    let (core, profile) = (config(bug, Isa::default()), Profile::find(bug.profile).unwrap());
    let built = BuiltCore::of(&core, RAM_BASE, false).unwrap();
    for seed in 0..60 {
        let config = point::memory(&mut fastrand::Rng::with_seed(seed), &core);
        let program = generate(seed, profile, point::abilities(&config));
        let elf = assembler.elf(&assembly::print(&program, "")).unwrap();
        let verdict = trial::run(&built, &config, &elf, program.may_fault).unwrap();
        assert!(!matches!(verdict, Verdict::Fails { .. }), "seed {seed}: {verdict:?}");
    }
    let broken = BuiltCore::broken(&core, RAM_BASE, bug.fault).unwrap();
    let (programs, how) = found(&broken, bug, Isa::default(), &assembler).unwrap();
    println!("{}: program {programs}: {how}", bug.class);
}

#[test]
fn every_planted_bug_is_found() {
    let assembler = Assembler::find().unwrap();
    let mut survivors = Vec::new();
    for (bugs, isa) in [(BUGS, Isa::default()), (BUGS_OF_EXTENSIONS, Isa::ALL)] {
        let mut of_a_core: BTreeMap<String, Vec<&Bug>> = BTreeMap::new();
        for bug in bugs {
            of_a_core.entry(config(bug, isa).rtl_hash_text()).or_default().push(bug);
        }
        for bugs in of_a_core.into_values() {
            let faults: Vec<_> = bugs.iter().map(|bug| bug.fault).collect();
            let cores = BuiltCore::broken_copies(&config(bugs[0], isa), RAM_BASE, &faults, Effort::Fast).unwrap();
            for (bug, core) in bugs.into_iter().zip(cores) {
                match found(&core, bug, isa, &assembler) {
                    Some((programs, how)) => println!("{}: program {programs}: {how}", bug.class),
                    None => survivors.push(bug.class),
                }
            }
        }
    }
    assert!(survivors.is_empty(), "not found by {PROGRAMS} programs: {survivors:#?}");
}
