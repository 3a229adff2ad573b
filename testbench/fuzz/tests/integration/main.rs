//! The integration tests of this crate, one module for each subject.

mod campaign;
mod coverage;
mod faults;
mod planted;
mod reference;
