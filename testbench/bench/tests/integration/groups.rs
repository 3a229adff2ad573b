//! Groups of warps at the barrier, and the CSRs of a warp and a path: hardware and model agree on every unit.

use std::fmt::Write;

use testbench::{BuiltCore, Engine, Outcome, Report, RunOptions};
use weft_config::{Config, Slots, Unit};

use crate::support;
use support::assembly::{Source, config, file, program, text};

fn run(core: Option<&str>, source: &Source, config: &Config) -> Report {
    let program = program(source, config);
    let core = match core {
        Some(fault) => BuiltCore::broken(config, program.entry, fault).unwrap(),
        None => BuiltCore::of(config, program.entry, false).unwrap(),
    };
    core.run(config, &program, Engine::Cosim, RunOptions { max_cycles: 100_000, ..RunOptions::default() }).unwrap()
}

#[test]
fn pairs_of_warps_wait_for_each_other_alone() {
    for (unit, size) in Unit::names_in_hardware().into_iter().zip([(8, 4), (3, 2), (5, 8), (2, 4)].into_iter().cycle())
    {
        for latency in [(1, 1), (1, 60)] {
            let mut config = config(size, latency);
            config.divergence.unit = unit.into();
            let report = run(None, &file("groups"), &config);
            assert!(report.success(), "{unit} {size:?}, latency {latency:?}: {}", report.message);
            let regions: Vec<u32> = report.regions.iter().map(|counts| counts.region).collect();
            assert_eq!(regions, [0, 5], "{unit}");
        }
    }
}

/// Every level in turn: each warp of a group has done its round when any is released.
fn levels() -> Source {
    let mut body = String::from("begin\n csrr s1, 0xcc0\n divu s3, s0, s1\n remu s2, s0, s1\n csrr s4, 0xcc1\n");
    body += " addi s4, s4, -1\n la s7, seen\n slli t0, s3, 8\n add s6, s7, t0\n li s8, 0\n";
    for (round, level) in [2, 1, 3, 0, 2, 0, 3, 1].into_iter().enumerate() {
        let others = [0, 1, 3, 63][level];
        let write =
            if round % 2 == 0 { format!("csrwi 0x802, {level}") } else { format!("li t2, {level}\n csrw 0x802, t2") };
        let _ = write!(
            body,
            " {write}\n addi s8, s8, 1\n bnez s2, 1f\n sw s8, 0(s6)\n1: barrier\n ori t0, s3, {others}\n \
             bgeu s4, t0, 2f\n mv t0, s4\n2: slli t0, t0, 8\n add t0, t0, s7\n lw t1, 0(t0)\n sltu t1, t1, s8\n \
             expect t1, zero, {}\n",
            round + 1
        );
    }
    // The last warp, alone, writes values that have just been computed.
    body += " bne s3, s4, 2f\n li t0, 100\n1: addi t0, t0, -1\n bnez t0, 1b\n";
    for level in [1, 0, 2, 3] {
        let _ = write!(body, " li t2, {level}\n csrw 0x802, t2\n csrr t1, 0x802\n expect t1, t2, {}\n", 10 + level);
    }
    // All lanes but lane 0 write, right after the branch: the leader is lane 1.
    body += " snez t2, s2\n";
    for fillers in 0..6 {
        let fillers = " nop\n".repeat(fillers);
        let _ = write!(body, " csrwi 0x802, 0\n{fillers} beqz s2, 1f\n csrw 0x802, t2\n1: csrr t1, 0x802\n");
    }
    text("levels", body + "2: finish\n .bss\n .balign 256\nseen: .zero 64 * 256\n")
}

fn level_while_a_thread_waits() -> Source {
    // The even lanes wait first, or are below on a stack.
    let body = "begin\n andi t0, s0, 1\n bnez t0, 1f\n barrier\n j 2f\n1: csrwi 0x802, 1\n2: finish\n";
    text("a level is written while a thread waits", body)
}

/// Each warp releases itself, so that warps have been released different numbers of times. Its lanes arrive on four
/// paths.
fn waiting_paths() -> Source {
    let body = "begin\n csrwi 0x802, 0\n csrr s1, 0xcc0\n remu s2, s0, s1\n andi s2, s2, 3\n divu s3, s0, s1\n slli s3, s3, 2\n \
                addi s3, s3, 13\n li t1, 1\n li t2, 2\n1: beqz s2, 5f\n beq s2, t1, 4f\n beq s2, t2, 3f\n barrier\n \
                addi s5, s5, 1\n j 6f\n3: .rept 9\n addi s5, s5, 1\n .endr\n barrier\n j 6f\n4: .rept 30\n addi s5, s5, 1\n \
                .endr\n barrier\n addi s5, s5, 2\n j 6f\n5: .rept 17\n addi s5, s5, 1\n .endr\n barrier\n6: addi s3, s3, -1\n \
                bnez s3, 1b\n finish\n";
    text("waiting paths", body)
}

/// Programs for the barrier's groups on any core with this unit.
pub fn sources(unit: &Unit) -> Vec<Source> {
    let mut sources = vec![file("groups"), levels(), level_while_a_thread_waits()];
    if unit.takes_turns {
        sources.push(waiting_paths());
    }
    sources
}

#[test]
fn paths_of_a_warp_wait_at_several_barriers() {
    for unit in Unit::names_in_hardware() {
        let mut config = config((3, 4), (1, 60));
        config.divergence.unit = unit.into();
        if Unit::find(unit).is_ok_and(|unit| unit.takes_turns) {
            let report = run(None, &waiting_paths(), &config);
            assert!(report.success(), "{unit}: {}", report.message);
        }
    }
}

#[test]
fn each_level_has_its_groups() {
    for (unit, size) in Unit::names_in_hardware().into_iter().zip([(8, 4), (3, 4), (5, 2), (12, 4)].into_iter().cycle())
    {
        let mut config = config(size, (1, 60));
        config.divergence.unit = unit.into();
        let report = run(None, &levels(), &config);
        assert!(report.success(), "{unit} {size:?}: {}", report.message);
    }
}

#[test]
fn two_levels_in_a_group_are_a_deadlock_that_names_both() {
    let source = text(
        "two levels",
        "begin\n csrr t0, 0xcc0\n divu t0, s0, t0\n seqz t0, t0\n li t1, 2\n sub t1, t1, t0\n csrw 0x802, t1\n barrier\n finish\n",
    );
    let report = run(None, &source, &config((4, 4), (1, 1)));
    assert_eq!(report.outcome, Outcome::Deadlock, "{}", report.message);
    assert!(report.message.contains("level 1") && report.message.contains("level 2"), "{}", report.message);
}

#[test]
fn a_level_written_while_a_thread_waits_is_illegal() {
    for unit in Unit::names_in_hardware() {
        let mut config = config((2, 4), (1, 1));
        config.divergence.unit = unit.into();
        let report = run(None, &level_while_a_thread_waits(), &config);
        // A unit that runs one path up to its reconvergence point runs no other while that one waits.
        let waits =
            Unit::find(unit).is_ok_and(|unit| unit.reconverges && !unit.takes_turns && unit.slots == Slots::One);
        let expected = if waits { (Outcome::Deadlock, None) } else { (Outcome::Fault, Some(2)) };
        assert_eq!((report.outcome, report.fault.map(|fault| fault.cause)), expected, "{unit}: {}", report.message);
    }
}

#[test]
fn barriers_at_several_pcs_are_counted() {
    let source = text("mixed", "begin\n andi t0, s0, 1\n bnez t0, 1f\n barrier\n j 2f\n1: barrier\n nop\n2: finish\n");
    let report = run(None, &source, &config((2, 4), (1, 1)));
    assert!(report.success() && report.mixed_releases == 1, "{} {}", report.mixed_releases, report.message);
}

#[test]
fn broken_groups_are_found() {
    let large = "begin\n li t0, 4\n csrw 0x802, t0\n barrier\n finish\n";
    // The quotient is late, so both CSR instructions are in the buffer, and issue as close together as they can.
    let read_back = "begin\n li t0, 0\n li t1, 1\n divu t0, t0, t1\n csrw 0x802, t0\n csrr t1, 0x802\n finish\n";
    for (fault, source, warps) in [
        ("barrier.warps_of_any_level_release", file("groups"), 8),
        ("barrier.every_warp_is_released", file("groups"), 8),
        ("barrier.s7_misses_the_level_of_s8", text("read back", read_back), 1),
        ("s7_commit.the_level_wraps", text("large", large), 8),
    ] {
        let config = config((warps, 4), (1, 1));
        assert!(run(None, &source, &config).success(), "without {fault}");
        let report = run(Some(fault), &source, &config);
        assert!([Outcome::Mismatch, Outcome::Deadlock].contains(&report.outcome), "{fault}: {}", report.message);
    }
}
