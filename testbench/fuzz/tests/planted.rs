//! Bugs of each class that random programs must find: a generator that finds none of them would find none of ours.

use fuzz::assembly;
use fuzz::build::Assembler;
use fuzz::generate::generate;
use fuzz::point;
use fuzz::profile::Profile;
use fuzz::trial::{self, Verdict};
use testbench::BuiltCore;
use weft_config::{Config, RAM_BASE};

/// Programs among which one must find a bug.
const PROGRAMS: u64 = 400;

/// A change of the Verilog of two warps of four threads.
struct Bug {
    class: &'static str,
    unit: &'static str,
    profile: &'static str,
    text: &'static str,
    becomes: &'static str,
}

const BUGS: &[Bug] = &[
    Bug {
        class: "mask: results are written in lanes of other paths",
        unit: "sorted-table",
        profile: "structured",
        text: "one_target ? coalescer_jump_lanes : mask_path;",
        becomes: "one_target ? coalescer_jump_lanes : {4{1'b1}};",
    },
    Bug {
        class: "bypass: a register is read before it is written",
        unit: "sorted-table",
        profile: "pressure",
        text: "wire waits_for_last = reads_last_head & issued_in_last_3;",
        becomes: "wire waits_for_last = 1'b0;",
    },
    Bug {
        class: "bypass: a path is read while it is written",
        unit: "sorted-table",
        profile: "unstructured",
        text: "(y_write & (y_warp == warp_s7)) ? y_written : y_read",
        becomes: "y_read",
    },
    Bug {
        class: "epoch: instructions that were fetched before a resteer are taken",
        unit: "dual-path",
        profile: "pressure",
        text: "on_path = valid_s7 & epoch_is_present",
        becomes: "on_path = valid_s7",
    },
    Bug {
        class: "replay: one lane of a scattered access is left out",
        unit: "arbiter",
        profile: "memory",
        text: "wire [3:0] unserved = mask_path & ~served;",
        becomes: "wire [3:0] unserved = mask_path & ~served & ~{served[0], 3'd0};",
    },
    Bug {
        class: "replay: a part of a load is counted as the last one",
        unit: "sorted-table",
        profile: "pressure",
        text: "wire last_part = (finished_more == started_of_late) & valid_late;",
        becomes: "wire last_part = valid_late;",
    },
    Bug {
        class: "shadow bit: late results of threads that change slots are forgotten",
        unit: "dual-path",
        profile: "pressure",
        text: "shadows = {2{pops}} |",
        becomes: "shadows = 2'd0 |",
    },
    Bug {
        class: "sorter race: an exchange goes on though the row has changed",
        unit: "sorted-table",
        profile: "unstructured",
        text: "wire disturbed = changes_s9 & (warp_now == warp_s9);",
        becomes: "wire disturbed = 1'b0;",
    },
    Bug {
        class: "reuse: a row whose meeting place is that of a new one is not reused",
        unit: "dual-path",
        profile: "structured",
        text: "(reconvergence_s8[31:2] == top_s8[41:12])) |",
        becomes: "(reconvergence_s8[31:2] == top_s8[41:12]) & 1'b0) |",
    },
    Bug {
        class: "fetch: what was fetched before a fence.i is taken",
        unit: "sorted-table",
        profile: "copies",
        text: "(goes_on & at_prediction & ~fence_i_s8 & ~rotates_s8)",
        becomes: "(goes_on & at_prediction & ~rotates_s8)",
    },
    Bug {
        class: "fault: the cause is that of another lane than the one that is named",
        unit: "sorted-table",
        profile: "faults",
        text: "~|(fault_lane_one & misaligned)",
        becomes: "~|misaligned",
    },
];

fn config(unit: &str) -> Config {
    let mut config = Config { warps: 2, threads: 4, ..Config::default() };
    config.divergence.unit = unit.into();
    config.memory.ram_bytes = 1 << 17;
    config
}

/// How many programs it takes, and what is said of the bug.
fn found(bug: &Bug, assembler: &Assembler) -> Option<(u64, String)> {
    let core = BuiltCore::edited(&config(bug.unit), RAM_BASE, &|verilog| {
        assert_eq!(verilog.matches(bug.text).count(), 1, "`{}` of {}", bug.text, bug.unit);
        verilog.replace(bug.text, bug.becomes)
    });
    let (core, profile) = (core.unwrap(), Profile::find(bug.profile).unwrap());
    (0..PROGRAMS).find_map(|seed| {
        let config = point::memory(&mut fastrand::Rng::with_seed(seed), &config(bug.unit));
        let program = generate(seed, profile, point::abilities(&config));
        let elf = assembler.elf(&assembly::print(&program, "")).unwrap();
        match trial::run(&core, &config, &elf, program.may_fault).unwrap() {
            Verdict::Fails { how, message } => {
                Some((seed + 1, format!("{how}: {}", message.lines().next().unwrap_or_default())))
            }
            Verdict::Agrees(_) | Verdict::Endless => None,
        }
    })
}

#[test]
fn every_planted_bug_is_found() {
    let assembler = Assembler::find().unwrap();
    let mut survivors = Vec::new();
    for bug in BUGS {
        match found(bug, &assembler) {
            Some((programs, how)) => println!("{}: program {programs}: {how}", bug.class),
            None => survivors.push(bug.class),
        }
    }
    assert!(survivors.is_empty(), "not found by {PROGRAMS} programs: {survivors:#?}");
}
