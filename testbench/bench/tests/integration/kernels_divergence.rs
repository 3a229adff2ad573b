//! Instruction counts and divergent branches of the golden model, compared with harts that another simulator executes
//! one by one. That covers branches in the compiler's library, which no algorithm on paper predicts.

mod harts;

use std::fs;

use harts::{Core, Counts, Size};
use kernels::{self, Kernel};
use sim::Program;
use weft_config::Config;

const SIZES: &[(u32, u32)] = &[(1, 2), (8, 4), (3, 8), (1, 64)];

/// Returns whether branches depend on the core as well as on the program: on the order of warps, or on time slices.
fn is_dependent(kernel: &Kernel) -> bool {
    kernel.needs_turns || kernel.name == "lock_free_list"
}

fn compare(kernel: &Kernel, warps: u32, threads: u32) {
    let config = Config { warps, threads, ..Config::default() };
    let out = tempfile::tempdir().unwrap();
    let elf = kernels::build(kernel, out.path()).unwrap();
    let program = Program::load(kernel.name, &fs::read(elf).unwrap(), &config).unwrap();
    let statistics = sim::run(&config, &program, 10_000_000, &mut |_| {}).unwrap().statistics;

    let (ram_bytes, stack_bytes) = (config.memory.ram_bytes, config.memory.stack_bytes);
    let size = Size { warps, threads, ram_bytes, stack_bytes };
    let segments = program.segments.iter().map(|segment| (segment.address, segment.bytes.as_slice()));
    let (counts, exit_codes) = Core::new(size, program.entry, segments).run();

    let name = format!("{} at {warps}x{threads}", kernel.name);
    assert!(exit_codes.iter().all(|code| *code == 0), "{name}");
    let of_model = Counts {
        warp_instructions: statistics.warp_instructions,
        thread_instructions: statistics.thread_instructions,
        divergent_branches: statistics.divergent_branches,
    };
    assert_eq!(of_model, counts, "{name}");
}

#[test]
fn the_model_counts_what_harts_one_by_one_imply() {
    for kernel in kernels::list().iter().chain(kernels::papers()).filter(|kernel| !is_dependent(kernel)) {
        for &(warps, threads) in SIZES {
            compare(kernel, warps, threads);
        }
    }
}
