//! The integration tests of this crate, one module for each subject.

mod errors;
mod extending;
mod resolve;
