//! The ports that say how a run ended, `exit_*` and `error_address`, and the halt at a word in `run.tohost`.
//!
//! A core without trace port shows its ports alone: the expected values are hand-worked. The same programs run in
//! lock step, where the ports are compared with the model in each cycle.

use crate::support;

use sim::Program;
use support::assembly::{Source, config, cosim, program, text};
use testbench::{BuiltCore, Effort, Engine, Outcome, Report, RunOptions};
use weft_config::{Coalescer, Config, Latency, Memory, MemoryKind};

const TOHOST: u32 = 0x8000_4008;

/// A body, and the thread and code that the ports report.
const EXITS: &[(&str, Option<(u32, u32)>)] = &[
    ("li t0, 0\n csrw 0x800, t0", None),
    // The leader's code is 0, and the lowest other code counts.
    ("andi t0, s0, 3\n srli t1, s0, 2\n bnez t1, 2f\n csrw 0x800, t0\n2: finish", Some((1, 1))),
    // Codes of a single bit: bit 31, bit 1.
    ("li t0, 0\n li t1, 6\n bne s0, t1, 1f\n lui t0, 0x80000\n1: nop\n nop\n csrw 0x800, t0", Some((6, 1 << 31))),
    ("srli t0, s0, 1\n xori t0, t0, 3\n seqz t0, t0\n slli t0, t0, 1\n csrw 0x800, t0", Some((6, 2))),
    // The immediate, the bits that are set, and those that are cleared, which leave 0.
    ("li t0, 5\n beq s0, t0, 1f\n finish\n1: csrwi 0x800, 17", Some((5, 17))),
    ("li t0, 3\n beq s0, t0, 1f\n finish\n1: csrrs t1, 0x800, t0", Some((3, 3))),
    ("csrrc t1, 0x800, s0", None),
    // The first of two counts: warp 1 waits.
    (
        "srli t0, s0, 2\n slli t0, t0, 6\n1: addi t0, t0, -1\n bgtz t0, 1b\n addi t0, s0, 7\n csrw 0x800, t0",
        Some((0, 7)),
    ),
    (
        "srli t0, s0, 2\n xori t0, t0, 1\n slli t0, t0, 6\n1: addi t0, t0, -1\n bgtz t0, 1b\n csrw 0x800, s0",
        Some((4, 4)),
    ),
    ("csrrsi x0, 0x800, 9", Some((0, 9))),
    ("csrrci x0, 0x800, 9", None),
    ("csrwi 0x800, 0", None),
];

fn ports_alone(config: &Config, program: &Program) -> Report {
    let mut config = config.clone();
    config.trace.port = false;
    testbench::run(&config, program, Engine::Rtl, options()).unwrap()
}

fn options() -> RunOptions<'static> {
    RunOptions { max_cycles: 100_000, ..RunOptions::default() }
}

/// The only thread with an exit code other than 0 that is known, and its code.
fn reported(report: &Report) -> Option<(u32, u32)> {
    let mut codes = (0..).zip(&report.exit_codes);
    codes.find_map(|(hart, code)| code.filter(|code| *code != 0).map(|code| (hart, code)))
}

#[test]
fn the_first_exit_code_that_is_not_0_is_reported() {
    for (body, expected) in EXITS {
        let source = text("exits", format!("begin\n{body}\n"));
        for latency in [(1, 1), (1, 60)] {
            let mut config = config((2, 4), latency);
            let report = ports_alone(&config, &program(&source, &config));
            let run = format!("latency {latency:?}: {body}: {}", report.message);
            assert_eq!((report.outcome, reported(&report)), (Outcome::Exited, *expected), "{run}");
            assert_eq!(report.success(), expected.is_none(), "{run}");
            for unit in ["sorted-table", "arbiter"] {
                config.divergence.unit = unit.into();
                let report = cosim(&source, &config);
                assert_eq!(report.outcome, Outcome::Exited, "{unit}, {run}: {}", report.message);
            }
        }
    }
}

#[test]
fn codes_of_a_single_thread_and_of_a_wide_warp_are_the_models() {
    for size in [(1, 1), (2, 32)] {
        let report = cosim(&text("exits", "begin\n addi t0, s0, -1\n csrw 0x800, t0\n"), &config(size, (1, 60)));
        assert_eq!((report.outcome, report.success()), (Outcome::Exited, false), "{size:?}: {}", report.message);
    }
}

#[test]
fn a_fault_reports_the_address_of_its_lane() {
    // Lanes 2 and 3 have t1, the others an address in RAM.
    let choose = "andi t2, s0, 2\n seqz t2, t2\n neg t2, t2\n li t3, 0x80004000\n xor t3, t3, t1\n and t3, t3, t2\n\
                  xor t0, t1, t3\n";
    for (address, access, fault) in [
        ("0x90000010", "lw t2, 4(t0)", (5, 0x9000_0014)),
        ("0x90000013", "sw t2, 4(t0)", (6, 0x9000_0017)),
        ("0x7fffffff", "lb t2, 0(t0)", (5, 0x7fff_ffff)),
        ("0x80004003", "jr t0", (0, 0x8000_4002)),
        ("0x8000fffd", "sh t2, 2(t0)", (6, 0x8000_ffff)),
    ] {
        let source = text("fault", format!("begin\n li t1, {address}\n{choose}{access}\n finish\n"));
        let report = cosim(&source, &config((1, 4), (1, 60)));
        let found = report.fault.unwrap_or_else(|| panic!("{access}: {}", report.message));
        assert_eq!((found.lane, found.cause, found.address), (2, fault.0, Some(fault.1)), "{access}");
    }
}

/// A program of which the core knows `tohost`, word 2 of a line of four words.
fn to_host(body: &str) -> (Source, Config, Program) {
    let body = format!(
        "begin\n li s1, {TOHOST:#x}\n andi s2, s0, 3\n srli s3, s0, 2\n li s4, 1\n li s5, 7\n{body}\n1: j 1b\n"
    );
    let (source, mut config) = (text("tohost", body), config((2, 4), (1, 60)));
    config.run.tohost = TOHOST;
    let program = program(&source, &config);
    (source, config, program)
}

#[test]
fn a_word_in_tohost_halts_the_core() {
    let ends = |body: &str, expected: (Outcome, Option<u32>)| {
        for latency in [(1, 1), (1, 60)] {
            let (_, mut config, program) = to_host(body);
            config.memory.latency = Latency { min: latency.0, max: latency.1 };
            let report = testbench::run(&config, &program, Engine::Cosim, options()).unwrap();
            assert_eq!((report.outcome, report.tohost), expected, "{body}: {}", report.message);
            let report = ports_alone(&config, &program);
            assert_eq!(report.outcome, expected.0, "{body}, ports alone: {}", report.message);
        }
    };
    let pass = (Outcome::Pass, Some(1));
    ends("sw s4, 0(s1)", pass);
    ends("bnez s3, 1f\n sw s5, 0(s1)", (Outcome::Fail, Some(7)));
    ends("bnez s3, 1f\n sw zero, 0(s1)", (Outcome::Fault, Some(0)));
    ends("bnez s3, 1f\n li t0, 0x80000002\n sw t0, 0(s1)", (Outcome::Fault, Some(0x8000_0002)));
    // Lane 2 stores its own word of the line, beside the leader's.
    ends(
        "bnez s3, 1f\n addi t0, s1, -8\n slli t1, s2, 2\n add t0, t0, t1\n addi t1, t1, 1\n sw t1, 0(t0)",
        (Outcome::Fail, Some(9)),
    );
    // Loads are in flight; the core is done when all are answered.
    ends("lw t0, 0(s1)\n slli t1, s0, 7\n sub t1, sp, t1\n lw t2, -4(t1)\n sw s4, 0(s1)\n lw t3, -8(t1)", pass);
    // Narrow stores and atomic operations are not for the host, and neither are the words beside it.
    ends("sb s5, 0(s1)\n sh s5, 0(s1)\n amoswap.w t0, s5, (s1)\n sw s5, 4(s1)\n sw s5, -4(s1)\n sw s4, 0(s1)", pass);
    // A thread has ended with a code before.
    ends(
        "li t0, 4\n bne s0, t0, 2f\n csrwi 0x800, 3\n2: li t0, 200\n3: addi t0, t0, -1\n bnez t0, 3b\n sw s4, 0(s1)",
        pass,
    );
}

#[test]
fn a_program_that_stores_nothing_to_tohost_exits() {
    let (_, config, program) = to_host("csrw 0x800, zero");
    let report = testbench::run(&config, &program, Engine::Cosim, options()).unwrap();
    assert!(report.success() && report.outcome == Outcome::Exited, "{}", report.message);
}

#[test]
fn the_highest_lane_stores_the_word_and_bytes_are_none() {
    for (body, expected) in [
        ("bnez s3, 1f\n slli t1, s2, 1\n addi t1, t1, 1\n sw t1, 0(s1)", (Outcome::Fail, Some(7))),
        ("add t0, s1, s2\n sb s5, 0(t0)\n csrw 0x800, zero", (Outcome::Exited, None)),
    ] {
        let (source, mut config, _) = to_host(body);
        config.memory.coalescer = Coalescer::Line;
        let report = cosim(&source, &config);
        assert_eq!((report.outcome, report.tohost), expected, "{body}: {}", report.message);
    }
}

#[test]
fn tohost_halts_cores_with_their_own_memory_and_with_a_bus() {
    for kind in [MemoryKind::Bram, MemoryKind::Axi4] {
        let (source, _, _) = to_host("lw t0, 0(s1)\n sw s5, 0(s1)");
        let mut config = config((2, 4), (1, 1));
        config.memory = Memory::of_kind(kind);
        config.run.tohost = TOHOST;
        let report = cosim(&source, &config);
        assert_eq!((report.outcome, report.tohost), (Outcome::Fail, Some(7)), "{kind:?}: {}", report.message);
    }
}

#[test]
fn a_broken_report_is_found() {
    let misaligned = "slli t0, s2, 2\n add t0, t0, s2\n add t0, t0, s1\n lw t0, 0(t0)";
    let broken = [
        ("s7_commit.each_exit_finds_other_codes", "csrwi 0x800, 1"),
        ("s7_commit.each_exit_finds_other_codes", "csrwi 0x800, 0"),
        ("s7_commit.an_exit_code_is_lost", "csrwi 0x800, 1"),
        ("s7_commit.tohost_is_ignored", "sw s4, 0(s1)"),
        ("s8_end.the_address_is_that_of_lane_0", "csrw 0x800, s0"),
        ("s8_end.the_address_is_that_of_lane_0", misaligned),
        ("s8_end.the_last_exit_code_is_kept", "addi t0, s0, 1\n csrw 0x800, t0"),
    ];
    let (_, config, program) = to_host("");
    let cores =
        BuiltCore::broken_copies(&config, program.entry, &broken.map(|(fault, _)| fault), Effort::Quick).unwrap();
    for ((fault, body), core) in broken.into_iter().zip(cores) {
        let (_, config, program) = to_host(body);
        let report = core.run(&config, &program, Engine::Cosim, options()).unwrap();
        assert_eq!(report.outcome, Outcome::Mismatch, "{fault}: {}", report.message);
    }
}
