//! Run-time elaboration of synthesizable Verilog on the core of rust-hdl.
//!
//! A [`Builder`] describes one module with nets and expressions whose widths are run-time values. [`Builder::finish`]
//! checks it and returns a [`Module`], which other modules instantiate and [`Module::verilog`] prints.
//!
//! rust-hdl provides the hierarchy (its `Block` walk), the checks of connections, loops and inputs, and the walk that
//! prints. This crate adds run-time widths, memories, shared modules, legal names and readable text. It contains
//! nothing specific to one kind of hardware.

mod analysis;
mod builder;
mod bundle;
mod by_name;
mod each;
mod emit;
mod expr;
mod fault;
mod hierarchy;
mod instance;
mod module;
mod names;
mod net;
mod print;
mod select;
mod sheet;
mod state;
mod statement;
mod structure;

pub use builder::{Builder, Pattern};
pub use bundle::Bundle;
pub use each::Each;
pub use emit::{ModuleText, file, single_file};
pub use expr::{Expr, lit, ones, zeros};
pub use fault::{fault_points, faults_are_watched, with_fault};
pub use instance::Instance;
pub use module::{ElaborationError, MemoryStyle, Module, PropertyInfo, PropertyKind};
pub use print::comment;
pub use select::{any_of, clog2, count_ones, decode, encode, increment, lowest_one, reduce, select, select_one_hot};
pub use state::{Memory, Register};
pub use structure::{concat, join};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Input,
    Output,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    pub name: String,
    pub width: usize,
    pub direction: Direction,
}

impl PortInfo {
    /// Returns whether the port is the clock or the reset, which every instance connects by itself.
    pub fn is_implicit(&self) -> bool {
        self.name == "clk" || self.name == "rst"
    }
}
