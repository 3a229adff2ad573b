//! A divergence unit in Verilog (`divergence.unit = "verilog"`): the facts that a tool read from its file.

/// Optional parameters of the module, which receive values: `WARPS`, `THREADS`, `RESET_PC`.
pub const PARAMETERS: [&str; 3] = ["WARPS", "THREADS", "RESET_PC"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    pub text: String,
    /// The names of all modules in the file.
    pub modules: Vec<String>,
    pub parameters: Vec<String>,
    /// The ports of the module, for the warps and threads of the configuration.
    pub ports: Vec<ExternalPort>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalPort {
    pub name: String,
    pub width: usize,
    pub is_output: bool,
}
