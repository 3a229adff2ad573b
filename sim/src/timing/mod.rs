//! The timing layer: the core's cycles for a program, with any policy, including those without hardware.
//!
//! It is a cycle model of fetch, issue, scoreboard, write port and memory, after `docs/design/pipeline.md`.
//! It selects the warp and slot that issue in a cycle; the [`Machine`] executes the instruction at once.
//! Changes of a path reach the front end when the instruction is in S8. Until then the front end follows its
//! prediction and may issue instructions that are squashed, as in the hardware.
//!
//! - [`constants`]: the distances between stages;
//! - [`predecode`]: properties of an instruction in S2;
//! - [`fetch_port`]: S1 and S2, for all contexts;
//! - [`instruction_cache`], [`data_cache`]: what they answer, and when;
//! - [`front_end`]: fetch and instruction buffer of a context;
//! - [`scoreboard`]: pending results of a context;
//! - [`memory`], [`memory_port`]: requests and responses;
//! - [`second_level`]: a cache behind the data port, and memory behind it;
//! - [`divider`]: when divisions start and end;
//! - [`write_port`]: long-latency results before their write to the registers;
//! - [`pipe`]: what a pipeline has for itself;
//! - [`core`]: the cycle;
//! - [`issue`]: the context that issues;
//! - [`effects`]: the effects of its instruction;
//! - [`division`]: paths that divide because some of their threads miss in the data cache.
//! - [`barrel`]: another pipeline, for instructions with threads of several warps.
//!
//! [`Machine`]: crate::Machine

mod barrel;
mod constants;
mod core;
mod data_cache;
mod divider;
mod division;
mod effects;
mod fetch_port;
mod front_end;
mod instruction_cache;
mod issue;
mod memory;
mod memory_port;
mod pipe;
mod predecode;
mod scoreboard;
mod second_level;
mod write_port;

#[cfg(test)]
mod tests;

use weft_config::{Config, UnknownUnit};
use weft_trace::Record;

use self::barrel::Limit;
use self::constants::Constants;
use self::core::Core;
use crate::{Finished, Program};

/// Runs `program` from reset for at most `limit` cycles, and counts them. The observer receives the same records as
/// in [`run`](crate::run), in the commit order of the core.
pub fn run(
    config: &Config,
    program: &Program,
    limit: u64,
    observer: &mut dyn FnMut(&Record),
) -> Result<Finished, UnknownUnit> {
    if config.unit()?.regroups {
        return barrel::run(config, program, Limit::Cycles(limit), observer);
    }
    Ok(Core::new(config, program, Constants::of(config), observer)?.run(limit))
}

/// Runs `program` on the barrel processor for at most `limit` issues. Programs see no clock, and no cycles are reported.
pub(crate) fn run_untimed(
    config: &Config,
    program: &Program,
    limit: u64,
    observer: &mut dyn FnMut(&Record),
) -> Result<Finished, UnknownUnit> {
    barrel::run(config, program, Limit::Issues(limit), observer)
}
