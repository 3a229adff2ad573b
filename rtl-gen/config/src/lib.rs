//! The configuration of a Weft core and of the bench that runs it: keys, ranges, presets, error texts.

mod keys;

pub use keys::*;
