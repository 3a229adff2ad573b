//! Cycles per second of the verilated core, alone and in lock step.
//!
//! `cargo run --release -p testbench --example throughput [WARPS THREADS]` runs twenty times the longest
//! bundled kernel that runs on the default configuration, and prints the best figure of each engine. The
//! build of the model is not counted.

use std::error::Error;
use std::fs;
use std::time::Instant;

use sim::Program;
use testbench::kernels::{self, Kernel};
use testbench::{Engine, RunOptions};
use weft_config::Config;

fn main() -> Result<(), Box<dyn Error>> {
    let sizes: Vec<u32> = std::env::args().skip(1).map(|size| size.parse()).collect::<Result<_, _>>()?;
    let mut config = Config::default();
    if let [warps, threads] = sizes[..] {
        (config.warps, config.threads) = (warps, threads);
    }
    // What a run costs once, whatever its length, is not the point.
    config.memory.ram_bytes = 4 << 20;
    let out = std::env::temp_dir().join(format!("weft-throughput-{}", std::process::id()));
    fs::create_dir_all(&out)?;
    let mut programs = Vec::new();
    let as_it_is = |kernel: &&Kernel| {
        let mut needed = config.clone();
        kernel.configure(&mut needed);
        needed == config
    };
    for kernel in kernels::list().iter().filter(as_it_is) {
        let elf = kernels::build(kernel, &out)?;
        programs.push(Program::load(kernel.name, &fs::read(elf)?, &config)?);
    }
    fs::remove_dir_all(&out)?;

    let run = |program: &Program, engine| testbench::run(&config, program, engine, RunOptions::default());
    let started = Instant::now();
    let mut lengths = Vec::new();
    for program in &programs {
        lengths.push((run(program, Engine::Rtl)?.cycles.unwrap_or(0), program));
    }
    let (_, program) = lengths.into_iter().max_by_key(|(cycles, _)| *cycles).ok_or("there are no kernels")?;
    println!(
        "{}x{}, {}: first runs {:.1} s",
        config.warps,
        config.threads,
        program.name,
        started.elapsed().as_secs_f64()
    );
    for engine in [Engine::Rtl, Engine::Cosim] {
        let mut best = 0.0_f64;
        for _ in 0..20 {
            let report = run(program, engine)?;
            best = best.max(report.cycles.unwrap_or(0) as f64 / report.wall.as_secs_f64());
        }
        println!("{:6} {best:.0} cycles/s", engine.name());
    }
    Ok(())
}
