//! Arithmetic units.

pub mod atomic_alu;
pub mod divider;
pub mod lane_alu;
pub mod lane_operands;
pub mod long_results;
pub mod multiplier;
pub mod round_robin;
