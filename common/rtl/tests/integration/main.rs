//! The integration tests of this crate, one module for each subject.

mod equivalence;
mod errors;
mod faults;
mod guide;
mod random;
mod snapshots;
mod support;
mod tools;
