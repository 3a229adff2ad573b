//! Tops for FPGA boards: a core with block RAM behind the pins of a board.
//!
//! - [`BOARDS`], [`find`]: the boards, what is on them and what places it there;
//! - [`elaborate`]: the top: clock, reset, the console on a serial line, lights;
//! - [`project`]: the files beside the Verilog by which the board's tools build it.
//!
//! One description serves all boards. The pins stand in `constraints/`, one file of each kind for a board.
#![deny(unsafe_code)]

mod board;
mod pll;
mod project;
mod top;
mod uart;

pub use board::{BOARDS, Board, Button, Clock, Tools, find};
pub use project::{File, is_written_for_a_board, project};
pub use top::{BAUD, BoardError, LIGHTS, elaborate};
