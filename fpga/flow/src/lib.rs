//! From the Verilog of a core to its area on an FPGA, and to the clock frequency that it reaches there.
//!
//! - [`synthesise`]: a core, or one module of it, to an [`Area`], by Yosys, and for parts of the ECP5 family to a
//!   [`Placing`], by nextpnr;
//! - [`build`]: a core on a board to a [`Bitstream`], by these two and ecppack;
//! - [`external`]: the ports of a divergence unit in Verilog;
//! - [`part`], [`family`]: the FPGAs, what they hold, and what their cells are called.
//!
//! What the tools found is kept in the build cache, by the content of what they were given.
#![deny(unsafe_code)]

mod area;
mod bitstream;
mod cells;
mod error;
pub mod external;
pub mod family;
mod mapping;
mod netlist;
mod nextpnr;
pub mod part;
mod path;
mod patience;
mod pins;
mod placing;
mod process;
mod statistics;
mod synthesis;
mod timing;
mod yosys;

pub use area::Area;
pub use bitstream::{Bitstream, BoardRequest, build};
pub use cells::{Cells, ModuleArea};
pub use error::SynthesisError;
pub use nextpnr::Placer;
pub use path::{CriticalPath, Place, Step};
pub use placing::{Outcome, Placing, Seed};
pub use synthesis::{Request, synthesise};
pub use timing::Sites;
