//! The golden model: the behaviour of a Weft core, written from the ISA manual and the project's specification alone.
//! It shares no code with the hardware (`cores`, `rtl`), so that the two are independent readings of one contract.
//!
//! - [`Program`]: a 32-bit RISC-V ELF file, checked against the memory map of a configuration;
//! - [`decode`]: one instruction word of RV32IMA to a typed instruction;
//! - [`Memory`]: RAM, and in [`Stacks`] the layout of the threads' stacks;
//! - [`Machine`]: threads, path policy and memory of a whole core, stepped by warp;
//! - [`policy`]: which path of a warp runs next, one file per divergence unit;
//! - [`control_flow`]: the reconvergence points of branches;
//! - [`run`]: the machine alone, round robin over its warps, to an [`Outcome`];
//! - [`timing`]: the same program in the core's order of issue, with cycle counts.
//!
//! Only a timed run has a clock. Without one `mcycle` and `minstret` both read the commits of the whole core so far,
//! unless the caller supplies the values that the hardware read.

mod advice;
pub mod control_flow;
pub mod decode;
mod elf;
mod execution;
mod fault;
mod finished;
mod formation;
mod machine;
mod memory;
mod oracle;
pub mod policy;
mod progress;
mod run;
mod stacks;
pub mod timing;

pub use elf::{ElfError, Function, Program, Segment};
pub use fault::Fault;
pub use finished::{Accesses, Cycles, Finished, Outcome};
pub use machine::{Ending, Exit, Given, Machine, Scratchpad, Step, Stop};
pub use memory::{CONSOLE, Memory, RAM_BASE};
pub use progress::{Group, Progress, Verdict, exits, places};
pub use run::run;
pub use stacks::Stacks;
