//! The engines that execute programs.

/// What executes the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The golden model.
    Model,
    /// The verilated core.
    Rtl,
    /// Both, commit by commit.
    Cosim,
}

impl Engine {
    /// The name in `--stats`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rtl => "rtl",
            Self::Cosim => "cosim",
        }
    }
}
