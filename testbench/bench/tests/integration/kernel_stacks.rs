//! The memory that kernels need: the depth of their stacks on the golden model, and that they fit a small RAM.

use std::fs;

use kernels::{self, Kernel};
use sim::{Program, Stacks};
use weft_config::{Config, Memory, MemoryKind};
use weft_trace::Record;

fn load(kernel: &Kernel, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    let elf = fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap();
    Program::load(kernel.name, &elf, config).unwrap()
}

fn deepest(kernel: &Kernel, warps: u32, threads: u32) -> u32 {
    let mut config = Config { warps, threads, ..Config::default() };
    kernel.configure(&mut config);
    let program = load(kernel, &config);
    let stacks = Stacks::new(&config);
    let mut deepest = 0;
    let mut observer = |record: &Record| {
        let Record::Commit(commit) = record else { return };
        if commit.rd != 2 || !commit.writes {
            return;
        }
        for lane in (0..threads).filter(|lane| commit.served >> lane & 1 == 1) {
            let end = stacks.end(commit.warp * threads + lane);
            deepest = deepest.max(end.wrapping_sub(commit.values[lane as usize]));
        }
    };
    let ended = sim::run(&config, &program, 100_000_000, &mut observer).unwrap();
    assert!(matches!(ended.outcome, sim::Outcome::Exited), "{}", kernel.name);
    deepest
}

#[test]
fn every_kernel_fits_the_memory_of_a_core_of_64_threads() {
    for kernel in kernels::list().iter().chain(kernels::papers()) {
        let mut config = Config { memory: Memory::of_kind(MemoryKind::Bram), ..Config::default() };
        kernel.configure(&mut config);
        assert_eq!((config.warps * config.threads, config.memory.ram_bytes), (64, 65536));
        load(kernel, &config);
    }
}

#[test]
fn every_kernel_says_how_much_stack_it_needs() {
    for kernel in kernels::list().iter().chain(kernels::papers()) {
        let sizes = [(1, 1), (2, 4), (4, 8), (8, 16)];
        let bytes = sizes.into_iter().map(|(warps, threads)| deepest(kernel, warps, threads)).max().unwrap();
        let needs = if bytes <= 256 { None } else { Some(bytes.next_power_of_two()) };
        assert_eq!(kernel.stack_bytes, needs, "{}: {bytes} bytes", kernel.name);
    }
}
