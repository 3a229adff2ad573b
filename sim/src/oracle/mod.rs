//! The oracle: which threads of a warp execute an instruction together, if the future of each is known (W. Fung,
//! I. Sham, G. Yuan, T. Aamodt, *Dynamic Warp Formation and Scheduling for Efficient GPU Control Flow*, MICRO 2007,
//! section 3.3).
//!
//! The program runs once with every thread on its own ([`traces`]). Then the traces of a warp are aligned, pair by
//! pair, so that as many issues as possible are shared ([`alignment`]). The result is a plan: steps of straight-line
//! code, each with its threads. A second run follows it ([`crate::policy`]).

mod alignment;
mod traces;

use weft_config::{Config, UnknownUnit};

use crate::Program;
pub(crate) use traces::LONGEST;

/// Straight-line code, and the threads that execute it together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) pc: u32,
    pub(crate) instructions: u32,
    /// The call depth modulo 256.
    pub(crate) depth: u8,
    /// One bit per lane.
    pub(crate) mask: u64,
    /// The accesses to memory of one of the threads, in [`Steps::lines`].
    accesses: (u32, u32),
}

#[cfg(test)]
impl Step {
    /// A step at depth 0 without accesses to memory.
    pub(crate) fn new(pc: u32, instructions: u32, mask: u64) -> Self {
        Self { pc, instructions, depth: 0, mask, accesses: (0, 0) }
    }
}

/// What the threads of a warp execute, each alone.
struct Steps {
    /// By part and lane. A barrier ends a part.
    parts: Vec<Vec<Vec<Step>>>,
    /// The lines of memory that are accessed.
    lines: Vec<u32>,
}

/// The plan of each warp: all that its threads execute, up to the end of the first run.
pub(crate) fn plans(config: &Config, program: &Program) -> Result<Vec<Vec<Step>>, UnknownUnit> {
    Ok(traces::of(config, program)?.iter().map(|warp| plan(traces::steps(warp))).collect())
}

/// Aligns the threads of a warp part by part: none goes on behind a barrier before all others have arrived.
fn plan(Steps { parts, lines }: Steps) -> Vec<Step> {
    parts.into_iter().flat_map(|lanes| alignment::of_all(lanes, &lines)).collect()
}

#[cfg(test)]
mod tests;
