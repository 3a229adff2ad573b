//! Tops for FPGA boards: a core with block RAM behind the pins of a board.
//!
//! - [`BOARDS`], [`find`]: the boards, their parts and their constraints;
//! - [`elaborate`]: the top with clock, reset, the console on a serial line, and lights;
//! - [`project`]: the build files next to the Verilog.
//!
//! One description serves all boards. The pins are in `constraints/`, with one file of each kind per board.
#![deny(unsafe_code)]

mod board;
mod loader;
mod pll;
mod project;
mod top;
mod uart;

pub use board::{BOARDS, Board, Button, Clock, Tools, find};
pub use project::{File, is_written_for_a_board, project};
pub use top::{BAUD, BoardError, LIGHTS, elaborate};
