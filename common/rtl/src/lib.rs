//! Run-time elaboration of synthesizable Verilog on the core of rust-hdl.
//!
//! A [`Builder`] describes one module with nets and expressions whose widths are run-time values; [`Builder::finish`]
//! checks it and gives a [`Module`] that other modules instantiate and that [`Module::verilog`] prints. rust-hdl
//! carries the hierarchy (its `Block` walk), the connection, loop and input checks, and the walk that prints; this
//! crate adds what that layer lacks: run-time widths, checked at construction, memories, shared modules, legal
//! names and readable text. It knows nothing of any particular hardware.

mod analysis;
mod builder;
mod bundle;
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
pub use fault::{fault_points, with_fault};
pub use instance::Instance;
pub use module::{ElaborationError, MemoryStyle, Module, PropertyInfo, PropertyKind};
pub use print::comment;
pub use select::{clog2, count_ones, decode, encode, increment, lowest_one, reduce, select, select_one_hot};
pub use state::{Memory, Register};
pub use structure::{concat, join};

/// Direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Driven from outside.
    Input,
    /// Driven by the module.
    Output,
}

/// One port of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    /// Name in the Verilog.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// Who drives it.
    pub direction: Direction,
}

impl PortInfo {
    /// Whether every instance connects the port by itself: the clock or the reset.
    fn is_implicit(&self) -> bool {
        self.name == "clk" || self.name == "rst"
    }
}
