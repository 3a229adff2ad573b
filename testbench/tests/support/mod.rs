//! Small programs for tests of the bench: an assembler of a dozen instructions and an ELF writer.
#![allow(dead_code)] // each test file uses its part

pub mod assembler;
pub mod assembly;
pub mod directed;
pub mod elf;
pub mod figures;
pub mod random;

use sim::Program;
use weft_config::Config;

/// A configuration of this size with little RAM.
pub fn config(warps: u32, threads: u32) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.ram_bytes = 1 << 20;
    config.memory.stack_bytes = 256;
    config
}

/// A program of these instructions, with symbols.
pub fn program(config: &Config, words: &[u32], symbols: &[(&str, u32)]) -> Program {
    Program::load("test", &elf::write(words, symbols), config).unwrap()
}
