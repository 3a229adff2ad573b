//! The integration tests of this crate, one module for each subject.

mod constraints;
mod loader;
mod pins;
mod support;
