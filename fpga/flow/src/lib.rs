//! From the Verilog of a core to its area on an FPGA.
//!
//! - [`synthesise`]: a core, or one module of it, to an [`Area`], by Yosys;
//! - [`part`]: the FPGAs and what they hold.
//!
//! Nothing is placed or routed: an area is a count of cells, and there is no frequency.
#![deny(unsafe_code)]

mod area;
pub mod part;
mod statistics;
mod synthesis;
mod yosys;

pub use area::{Area, Cells, ModuleArea};
pub use synthesis::{Request, SynthesisError, synthesise};
