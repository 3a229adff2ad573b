//! Path policies: which path of a warp runs next. One file per divergence unit.

use thiserror::Error;

/// Why no policy could be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PolicyError {
    /// No policy is registered under this name.
    #[error(
        "divergence.unit = \"{unit}\": no such divergence unit; known units: {known}; nearest: \"{nearest}\""
    )]
    UnknownUnit {
        /// The name asked for.
        unit: String,
        /// All registered names, separated by commas.
        known: String,
        /// The registered name most like it.
        nearest: &'static str,
    },
}
