//! A divergence unit in Verilog (`divergence.unit = "verilog"`), as a tool has read its file.

/// Parameters that the module may have, which are then set: `WARPS`, `THREADS`, `RESET_PC`.
pub const PARAMETERS: [&str; 3] = ["WARPS", "THREADS", "RESET_PC"];

/// What is known of the file and of the module `divergence.module` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The text of the file.
    pub text: String,
    /// Names of all modules in it.
    pub modules: Vec<String>,
    /// Names of the parameters of the module.
    pub parameters: Vec<String>,
    /// Its ports, with as many warps and threads as the configuration has.
    pub ports: Vec<ExternalPort>,
}

/// A port of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalPort {
    pub name: String,
    /// Bits.
    pub width: usize,
    /// Whether the module drives it.
    pub is_output: bool,
}
