//! The test bench of Weft.

pub mod cache;
pub mod kernels;
pub mod model;
pub mod tools;
