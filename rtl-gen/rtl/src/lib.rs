//! Run-time elaboration of synthesizable Verilog on the core of rust-hdl.

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
