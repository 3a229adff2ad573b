#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Model,
    Rtl,
    /// Both, compared commit by commit.
    Cosim,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rtl => "rtl",
            Self::Cosim => "cosim",
        }
    }
}
