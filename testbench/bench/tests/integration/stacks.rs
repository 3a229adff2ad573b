//! The units with reconvergence points on the verilated core, compared with the golden model commit by commit: one small
//! program for each case of their rules.

use crate::support;

mod bad_input;
mod broken;
mod figures;
mod lock_step;
pub mod programs;
mod recorded;

const STACKS: [&str; 2] = ["pdom-stack", "dual-path"];
/// The units that reconverge and have no time slices.
const WITHOUT_SLICES: [&str; 3] = [STACKS[0], STACKS[1], "minority-first"];
/// All units that reconverge.
const UNITS: [&str; 4] = [STACKS[0], STACKS[1], "minority-first", "multi-path"];

fn config(unit: &str, size: (u32, u32), latency: (u32, u32)) -> weft_config::Config {
    let mut config = support::assembly::config(size, latency);
    config.divergence.unit = unit.into();
    config
}
