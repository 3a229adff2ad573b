//! Compares the thread-instructions per second of the model with those of `rrs-lib`, a scalar RV32 simulator, on the
//! same loop.
//! The model runs with several warp widths; the final ratio is the one at 32 threads.
//!
//! `cargo bench -p weft-sim`. If `WEFT_FIGURES` names a file, that ratio is appended to it as a JSON line.

use std::fs::OpenOptions;
use std::io::Write;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use rrs_lib::HartState;
use rrs_lib::instruction_executor::InstructionExecutor;
use rrs_lib::memories::VecMemory;
use serde_json::json;
use sim::{Outcome, Program, RAM_BASE};
use weft_config::{Config, Memory};
use words::*;

/// Each hart updates its own word 512 times. A round has 8 instructions: two memory accesses, which a whole warp
/// makes in one transaction, and one branch.
#[rustfmt::skip]
const LOOP: [u32; 14] = [
    csrr(5, MHARTID),
    slli(5, 5, 2),
    lui(10, 0x80010),
    add(10, 10, 5),
    addi(9, 0, 512),
    lw(6, 10, 0), // loop
    add(7, 7, 6),
    xor(28, 7, 9),
    slli(29, 28, 3),
    add(7, 7, 29),
    sw(7, 10, 0),
    addi(9, 9, -1),
    bne(9, 0, -28),
    exit(),
];
const ROUNDS: u32 = 512;
/// Instructions per round, before the loop, and in total.
const ROUND: u32 = 8;
const BEFORE: u32 = 5;
const OUTSIDE: u32 = BEFORE + 1;

const WARPS: u32 = 8;
/// The scalar simulator takes about as long for these rounds as the model takes for its own.
const SCALAR_ROUNDS: u32 = 8 * ROUNDS * WARPS;

const LEAST: f64 = 3.0;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("thread-instructions");
    group.sample_size(20).measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_millis(500));
    group.throughput(Throughput::Elements((SCALAR_ROUNDS * ROUND).into()));
    group.bench_function("rrs-lib, one hart", |bencher| bencher.iter(scalar));
    for threads in [1, 8, 32, 64] {
        group.throughput(Throughput::Elements((WARPS * threads * (ROUNDS * ROUND + OUTSIDE)).into()));
        group.bench_function(format!("sim, {WARPS} x {threads}"), |bencher| bencher.iter(|| model(threads)));
    }
    group.finish();
    criterion.final_summary();

    // Without `--bench` nothing is measured: each benchmark runs once.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let ratio = ratio(32);
    println!("sim with 32 threads: {ratio:.2} times the thread-instructions a second of rrs-lib 0.1.0");
    if let Some(path) = std::env::var_os("WEFT_FIGURES") {
        let mut file = OpenOptions::new().append(true).create(true).open(path).expect("the file of figures");
        writeln!(file, "{}", json!({ "figure": "model_over_rrs_lib", "value": ratio })).expect("a figure");
    }
    assert!(ratio >= LEAST, "expected: at least {LEAST} times");
}

/// Alternates short runs of both and takes the fastest of each, so that other load on the machine counts little.
fn ratio(threads: u32) -> f64 {
    let rate = |run: &dyn Fn() -> u64| {
        let start = Instant::now();
        run() as f64 / start.elapsed().as_secs_f64()
    };
    let rates = (0..200).map(|_| (rate(&|| model(threads)), rate(&scalar)));
    let (model, scalar) = rates.fold((0.0, 0.0), |best: (f64, f64), now| (best.0.max(now.0), best.1.max(now.1)));
    model / scalar
}

fn model(threads: u32) -> u64 {
    let memory = Memory { ram_bytes: 1 << 21, ..Memory::default() };
    let config = Config { warps: WARPS, threads, memory, ..Config::default() };
    let program = Program::from_words("loop", RAM_BASE, &LOOP);
    let finished = sim::run(&config, &program, u64::MAX, &mut |_| {}).expect("the default unit is known");
    assert_eq!(finished.outcome, Outcome::Exited);
    finished.statistics.thread_instructions
}

fn scalar() -> u64 {
    let mut mem = VecMemory::new(vec![0; 0x10000]);
    mem.mem[..LOOP.len()].copy_from_slice(&LOOP);
    let mut hart_state = HartState::new();
    hart_state.pc = 4 * BEFORE;
    hart_state.registers[9] = SCALAR_ROUNDS;
    hart_state.registers[10] = 0x8000;
    let mut executor = InstructionExecutor { mem: &mut mem, hart_state: &mut hart_state };
    let mut instructions = 0;
    while executor.hart_state.pc != 4 * (LOOP.len() as u32 - 1) {
        executor.step().expect("the loop is legal");
        instructions += 1;
    }
    instructions
}
