//! Measures the area of a core on an FPGA and its clock frequency, from the Verilog.
//!
//! - [`synthesise`] makes an [`Area`] from a core or one of its modules, by Yosys. For parts of the ECP5 family it also
//!   makes a [`Placing`], by nextpnr.
//! - [`build`] makes a [`Bitstream`] from a core on a board, by these two tools and ecppack.
//! - [`external`] reads the ports of a divergence unit in Verilog.
//! - [`part`] and [`family`] describe the FPGAs, their size, and their cells.
//!
//! The build cache keeps the results of the tools, by the content of their inputs.
#![deny(unsafe_code)]

mod area;
mod bitstream;
mod cells;
mod error;
pub mod external;
pub mod family;
mod free_rows;
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
