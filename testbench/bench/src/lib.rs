//! The test bench of Weft. It builds the Verilog of a core into a loaded model, supplies its memory and console, and
//! compares it with the golden model of `sim` commit by commit.
//!
//! - [`run`]: a program on one [`Engine`], to a [`Report`]; [`BuiltCore`]: many programs on one core;
//! - [`lockstep`]: the checker, fed with trace records;
//! - [`memory`]: RAM and the data port;
//!
//! Verilog becomes a loaded model in [`verilate`].
#![forbid(unsafe_code)]

mod bench;
mod engine;
pub mod lockstep;
pub mod memory;
mod pins;
pub mod reconvergence;
mod report;
mod text;
mod trace_port;

pub use bench::{BenchError, BuiltCore, RunOptions, run, run_model, run_source};
pub use engine::Engine;
pub use lockstep::Mismatch;
pub use report::{FinalMemory, Outcome, Report};
pub use verilate::Effort;
