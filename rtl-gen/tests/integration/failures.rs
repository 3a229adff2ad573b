//! Programs that no core can finish: faults, threads that wait forever, endless loops.

use crate::common;

use common::elf::*;
use common::engines::*;

#[test]
fn an_illegal_instruction() {
    let printed = run_everywhere(&Elf::new(&[NOP, ILLEGAL]), &[], 1, "fault");
    says(&printed, &["illegal instruction", "80000004", "warp 0"]);
}

#[test]
fn a_jump_to_nowhere() {
    let printed = run_everywhere(&Elf::new(&[NOWHERE_TO_A0, JUMP_TO_A0]), &[], 1, "fault");
    says(&printed, &["instruction access fault", "40000000"]);
}

#[test]
fn a_store_to_nowhere() {
    let printed = run_everywhere(&Elf::new(&[NOWHERE_TO_A0, STORE_TO_A0]), &[], 1, "fault");
    says(&printed, &["store access fault", "80000004"]);
}

#[test]
fn compressed_instructions() {
    let printed = run_everywhere(&Elf { flags: 1, ..Elf::new(&[NOP, COMPRESSED]) }, &[], 1, "fault");
    says(
        &printed,
        &["illegal instruction", "80000004", "a compressed instruction: compile with -march=rv32i (no `c`)"],
    );
}

/// The flag in the header alone is not a fault: a compiler sets it where it may use compressed instructions.
#[test]
fn a_program_that_could_have_compressed_instructions_and_has_none() {
    run_everywhere(&Elf { flags: 1, ..Elf::new(&[NOP, EXIT]) }, &[], 0, "exited");
}

#[test]
fn an_atomic_access_to_the_console() {
    for (instruction, message) in [
        (ATOMIC_ADD_A1, "store access fault"),
        (STORE_CONDITIONAL_A1, "store access fault"),
        (LOAD_RESERVED_A1, "load access fault"),
    ] {
        let printed = run_everywhere(&Elf::new(&[CONSOLE_TO_A0, instruction, EXIT]), &[], 1, "fault");
        says(&printed, &[message, "80000004", "warp 0"]);
    }
}

/// Reserves a word, executes `between`, and retries until the conditional store succeeds.
fn reserve_and_store(between: u32) -> Elf {
    let word = 0;
    let code =
        [HERE_TO_A0, add_to_a0(28), LOAD_RESERVED_A1, between, STORE_CONDITIONAL_A1, branch_if_a1(-12), EXIT, word];
    Elf::new(&code)
}

#[test]
fn a_reservation_that_is_lost_each_time() {
    run_everywhere(&reserve_and_store(NOP), &["--max-cycles", "5000"], 0, "exited");
    let printed = run_everywhere(&reserve_and_store(STORE_TO_A0), &["--max-cycles", "5000"], 1, "limit");
    says(&printed, &["limit", "5000"]);
}

#[test]
fn an_instruction_of_an_extension_that_is_configured_away() {
    for (instruction, key) in [(MULTIPLY_A1, "isa.m"), (ATOMIC_ADD_A1, "isa.a")] {
        let program = Elf::new(&[HERE_TO_A0, instruction, EXIT]);
        run_on_model(&program, &[], 0, "exited");
        let printed = run_on_model(&program, &["--set", &format!("{key}=false")], 1, "fault");
        says(&printed, &["illegal instruction", "80000004"]);
    }
}

#[test]
fn a_barrier_that_one_thread_never_reaches() {
    // Hart 0 spins; the others wait at the barrier.
    let spinning = Elf::new(&[HART_TO_A1, branch_if_a1(8), LOOP_FOR_EVER, BARRIER, EXIT]);
    let printed = run_everywhere(&spinning, &["--set", "divergence.fair_after=16"], 1, "deadlock");
    says(&printed, &["repeats a loop", "waits at the barrier"]);
}

#[test]
fn a_path_that_waits_for_ever_beside_a_spinning_one() {
    // Odd harts wait for a word that hart 0 would write, but its store is later in the program, and the unit prefers the
    // smaller pc.
    let code = [
        HART_TO_A1,
        branch_if_a1(8),
        jump(20),
        HERE_TO_A0,
        load_a1(40),
        branch_unless_a1(-4),
        EXIT,
        HERE_TO_A0,
        set_a1(1),
        store_a1(24),
        EXIT,
        0,
        0,
        0,
    ];
    let printed = run_everywhere(&Elf::new(&code), &["--set", "divergence.fair_after=0"], 1, "deadlock");
    says(&printed, &["waits, as no path yields", "set divergence.fair_after"]);
}

#[test]
fn a_barrier_that_some_threads_reach_after_the_others_have_ended() {
    // Hart 0 ends at once; the others wait twice.
    let program = Elf::new(&[HART_TO_A1, branch_if_a1(8), EXIT, BARRIER, BARRIER, EXIT]);
    run_everywhere(&program, &["--max-cycles", "5000"], 0, "exited");
    // All harts except 0 wait; hart 0 ends after they have reached the barrier.
    let late = Elf::new(&[HART_TO_A1, branch_if_a1(20), NOP, NOP, NOP, EXIT, BARRIER, EXIT]);
    run_everywhere(&late, &["--max-cycles", "5000"], 0, "exited");
}
