//! What a lane computes.

pub mod lane_alu;
pub mod round_robin;
