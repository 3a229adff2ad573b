//! The two reconvergence stacks, on the verilated core, commit by commit against the golden model: the cases that their
//! rules were made for, one small program each.

use crate::support;

mod bad_input;
mod broken;
mod figures;
mod lock_step;
pub mod programs;
mod recorded;

/// The units.
const STACKS: [&str; 2] = ["pdom-stack", "dual-path"];

/// A configuration of `tests/support` with another unit.
fn config(unit: &str, size: (u32, u32), latency: (u32, u32)) -> weft_config::Config {
    let mut config = support::assembly::config(size, latency);
    config.divergence.unit = unit.into();
    config
}
