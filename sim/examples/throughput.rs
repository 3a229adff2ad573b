//! Prints how many thread-instructions a second the model executes, for several warp widths, and
//! what `rrs-lib`, a scalar RV32 simulator, executes on the same loop.
//!
//! `cargo run --release -p sim --example throughput`

use std::time::Instant;

use rrs_lib::HartState;
use rrs_lib::instruction_executor::InstructionExecutor;
use rrs_lib::memories::VecMemory;
use sim::{Outcome, Program, RAM_BASE};
use weft_config::Config;

/// Each hart updates a word of its own 2¹⁸ times: 8 instructions a round, two of them memory
/// accesses that a whole warp makes in one transaction, one a branch.
#[rustfmt::skip]
const LOOP: [u32; 14] = [
    0xf14022f3, //       csrr t0, mhartid
    0x00229293, //       slli t0, t0, 2
    0x80010537, //       lui  a0, 0x80010
    0x00550533, //       add  a0, a0, t0
    0x000404b7, //       lui  s1, 0x40
    0x00052303, // loop: lw   t1, 0(a0)
    0x006383b3, //       add  t2, t2, t1
    0x0093ce33, //       xor  t3, t2, s1
    0x003e1e93, //       slli t4, t3, 3
    0x01d383b3, //       add  t2, t2, t4
    0x00752023, //       sw   t2, 0(a0)
    0xfff48493, //       addi s1, s1, -1
    0xfe0492e3, //       bnez s1, loop
    0x80005073, //       csrw 0x800, 0
];
/// Where the loop proper starts.
const FIRST: usize = 5;

fn main() {
    let scalar = scalar();
    println!("rrs-lib 0.1.0, one hart:  {:7.1} million instructions a second", scalar / 1e6);
    for threads in [1, 8, 32, 64] {
        let rate = model(threads);
        println!(
            "model, 8 warps × {threads:2}:     {:7.1} million thread-instructions a second, {:.1} times rrs-lib",
            rate / 1e6,
            rate / scalar
        );
    }
}

/// Thread-instructions a second of the model.
fn model(threads: u32) -> f64 {
    let config = Config { threads, ..Config::default() };
    let program = Program::from_words("loop", RAM_BASE, &LOOP);
    let start = Instant::now();
    let finished = sim::run(&config, &program, u64::MAX, &mut |_| {}).expect("the default unit is known");
    assert_eq!(finished.outcome, Outcome::Exited);
    finished.statistics.thread_instructions as f64 / start.elapsed().as_secs_f64()
}

/// Instructions a second of the scalar simulator.
fn scalar() -> f64 {
    let mut mem = VecMemory::new(vec![0; 0x10000]);
    mem.mem[..LOOP.len()].copy_from_slice(&LOOP);
    let mut hart_state = HartState::new();
    hart_state.pc = 4 * FIRST as u32;
    hart_state.registers[9] = 1 << 22;
    hart_state.registers[10] = 0x8000;
    let mut executor = InstructionExecutor { mem: &mut mem, hart_state: &mut hart_state };
    let start = Instant::now();
    let mut instructions = 0u64;
    while executor.hart_state.pc != 4 * (LOOP.len() as u32 - 1) {
        executor.step().expect("the loop is legal");
        instructions += 1;
    }
    instructions as f64 / start.elapsed().as_secs_f64()
}
