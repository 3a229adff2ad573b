//! The integration tests of this crate, one module for each subject.

mod analyze;
mod answers;
mod board;
mod common;
mod compare;
mod emit;
mod failures;
mod fusesoc;
mod fuzz;
mod host;
mod image;
mod memory_image;
mod papers;
mod placing;
mod programs;
mod requests;
mod riscof;
mod runs;
mod soc;
mod synth;
mod verilog_unit;
