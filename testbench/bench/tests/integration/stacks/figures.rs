//! The figures of the dual-path execution paper ("The Dual-Path Execution Model for Efficient GPU Control Flow"): the
//! contents of the stacks at each step of figures 2 and 4, and the dependences in figures 6 and 7.
//! The control flow is that of figure 1, for four threads: lane 0 takes B, lane 1 takes C and D, lanes 2 and 3 take C
//! and E. (The masks of the figure are not in its text.)

use crate::stacks::recorded::Recorded;
use crate::stacks::{STACKS, config};
use crate::support::assembly::{Source, text};

/// Blocks of three instructions, F of one, as in the figure; the last one of B is `end_b`, and so on. B waits for a
/// load while C branches.
fn figure_1() -> Source {
    let body = "
    begin
    mv s2, a0
    la s3, word
    li s6, 1
block_a:
    nop
    lw t0, 0(s3)
end_a:
    bnez s2, block_c
block_b:
    lw t1, 0(s3)
b_waits:
    add t2, t1, t1
end_b:
    j block_g
block_c:
    nop
    nop
end_c:
    bltu s6, s2, block_e
block_d:
    nop
    nop
end_d:
    j block_f
block_e:
    nop
    nop
end_e:
    nop
block_f:
    nop
block_g:
    finish
    .bss
word: .zero 4
";
    text("figure_1", body)
}

/// The events that changed the top row or its masks: the instruction, and the paths of the row after it.
fn steps(unit: &str) -> Recorded {
    let recorded = Recorded::run(&figure_1(), &config(unit, (1, 4), (100, 100)));
    assert!(recorded.report.success(), "{unit}: {}", recorded.report.message);
    recorded
}

#[test]
fn the_single_path_stack_holds_what_figure_2_shows() {
    let recorded = steps("pdom-stack");
    // From the bottom, after A: G (all), C, B. After C: G, F (1, 2, 3), E, D.
    let expected = [
        "end_a pushes: block_b 0b1",
        "end_b pops: block_c 0b1110",
        "end_c pushes: block_d 0b10",
        "end_d pops: block_e 0b1100",
        "end_e pops: block_f 0b1110",
        "block_f pops: block_g 0b1111",
    ];
    assert_eq!(recorded.steps("block_a", "block_g"), expected);
    assert_eq!(recorded.report.statistics.high_water(), Some(4));
}

#[test]
fn the_dual_path_stack_holds_what_figure_4_shows() {
    let recorded = steps("dual-path");
    // C, on the right, diverges: D stays in its slot, E goes to the left slot, and B is suspended.
    let expected = [
        "end_a pushes: block_b 0b1 | block_c 0b1110",
        "end_c pushes: block_e 0b1100 | block_d 0b10",
        "end_d: block_e+4 0b1100 | -",
        "end_e pops: b_waits 0b1 | block_f 0b1110",
        "block_f: b_waits 0b1 | -",
        "end_b pops: block_g 0b1111 | -",
    ];
    assert_eq!(recorded.steps("block_a", "block_g"), expected);
    assert_eq!(recorded.report.statistics.high_water(), Some(3));
}

/// Figure 6 with a B that loads late, as after the computation of an address. r0 is a0 here, and so on.
fn figure_6() -> Source {
    let body = "
    begin
    mv s2, a0
    la s3, word
    li s6, 1
    li a1, 10
    li a2, 20
    li a3, 30
load_r0:
    lw a0, 0(s3)
    bnez s2, block_c
    .rept 20
    addi t0, t0, 1
    .endr
load_r1:
    lw a1, 4(s3)
    j add_r8
block_c:
    nop
add_r5:
    add a5, a0, a2
    bltu s6, s2, sub_r4
add_r4:
    add a4, a1, a3
    j load_r7
sub_r4:
    sub a4, a1, a3
load_r7:
    lw a7, 8(s3)
add_r8:
    add s8, a1, a7
    finish
    .data
    .balign 16
word: .word 1000, 2000, 4000
";
    text("figure_6", body)
}

fn figure_7(unit: &str) -> Recorded {
    let recorded = Recorded::run(&figure_6(), &config(unit, (1, 4), (200, 200)));
    assert!(recorded.report.success(), "{unit}: {}", recorded.report.message);
    recorded
}

#[test]
fn what_reads_a_load_of_another_path_waits_for_it_as_in_figure_7() {
    for unit in STACKS {
        let recorded = figure_7(unit);
        let [r0, r1, r7] = ["load_r0", "load_r1", "load_r7"].map(|load| recorded.written(load));
        // (a), (b): the load before the branch, on the right side of it.
        assert!(recorded.committed("add_r5") > r0, "{unit}");
        // (d): the loads of either side of the branch, after it.
        assert!(recorded.committed("add_r8") > r1.max(r7), "{unit}");
        let values = |symbol| recorded.commits(symbol)[0]["values"].clone();
        assert_eq!(values("add_r5").as_array().unwrap()[1..], [1020, 1020, 1020], "{unit}");
        assert_eq!(values("add_r8"), serde_json::json!([2000, 4010, 4010, 4010]), "{unit}");
    }
}

#[test]
fn what_reads_no_load_under_way_does_not_wait() {
    for unit in STACKS {
        let recorded = figure_7(unit);
        assert!(recorded.committed("load_r1") < recorded.written("load_r0"), "{unit}");
    }
    let recorded = figure_7("dual-path");
    // (c): r1 of the left side is another register than r1 of the right one; D stays on the right.
    assert!(recorded.committed("add_r4") < recorded.written("load_r1"));
}

/// Scenario 4 of section 3.2: a register that both sides load counts as two registers.
#[test]
fn loads_of_both_sides_to_one_register_overlap() {
    let body = "
    begin
    la s3, word
    bnez a0, right
    lw a1, 0(s3)
    addi a1, a1, 1
    j meet
right:
    lw a1, 4(s3)
    addi a1, a1, 2
meet:
    addi a1, a1, 3
    finish
    .data
    .balign 16
word: .word 1000, 2000
";
    let cycles = STACKS.map(|unit| {
        let recorded = Recorded::run(&text("both_sides", body), &config(unit, (1, 4), (200, 200)));
        assert!(recorded.report.success(), "{unit}: {}", recorded.report.message);
        assert_eq!(recorded.commits("meet")[0]["values"], serde_json::json!([1004, 2005, 2005, 2005]), "{unit}");
        recorded.report.cycles.unwrap()
    });
    // One latency instead of two.
    assert!(cycles[1] + 180 < cycles[0], "{cycles:?}");
}
