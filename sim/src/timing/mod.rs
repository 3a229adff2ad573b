//! The timing layer: how many cycles the core takes for a program, with any policy, also with those that
//! have no hardware.
//!
//! A cycle model of fetch, issue, scoreboard, write port and memory, after `docs/design/pipeline.md`. It
//! decides which warp issues in a cycle, and from which slot; what the instruction does, the [`Machine`] says,
//! at once. What the hardware learns later, where a path goes on or that it has changed, reaches the front end
//! when the instruction gets to S8; until then the front end goes on with what it predicted, and issues
//! instructions of which nothing comes but the lost slot, as in the hardware.
//!
//! - [`constants`]: the distances between stages;
//! - [`predecode`]: what S2 knows of an instruction;
//! - [`fetch_port`]: S1 and S2, for all contexts;
//! - [`front_end`]: fetch and instruction buffer of a context;
//! - [`scoreboard`]: results that a context waits for;
//! - [`memory_port`]: requests and responses;
//! - [`write_port`]: late results on their way to the registers;
//! - [`core`]: the cycle;
//! - [`issue`]: which context issues;
//! - [`effects`]: what comes of it.
//!
//! [`Machine`]: crate::Machine

mod constants;
mod core;
mod effects;
mod fetch_port;
mod front_end;
mod issue;
mod memory_port;
mod predecode;
mod scoreboard;
mod write_port;

#[cfg(test)]
mod tests;

use weft_config::{Config, UnknownUnit};
use weft_trace::Record;

use self::constants::Constants;
use self::core::Core;
use crate::{Finished, Program};

/// Runs `program` from reset for at most `limit` cycles, and counts them. The observer is told the same as
/// by [`run`](crate::run), in the order in which the core would commit.
pub fn run(
    config: &Config,
    program: &Program,
    limit: u64,
    observer: &mut dyn FnMut(&Record),
) -> Result<Finished, UnknownUnit> {
    Ok(Core::new(config, program, Constants::of(config), observer)?.run(limit))
}
