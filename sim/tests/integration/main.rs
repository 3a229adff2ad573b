//! The integration tests of this crate, one module for each subject.

mod allocations;
mod model;
