//! The integration tests of this crate, one module for each subject.

mod constraints;
mod pins;
mod support;
