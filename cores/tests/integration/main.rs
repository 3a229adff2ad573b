//! The integration tests of this crate, one module for each subject.

mod axi4;
mod bram;
mod control;
mod emitted;
mod formal;
mod heads;
mod sources;
mod style;
mod tools;
