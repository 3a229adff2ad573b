//! S7, CSRs: those that belong to the warp or the path, which the instruction reads and writes here.

use rtl::{Builder, Expr, MemoryStyle, ones, zeros};

use super::s7_commit::Inputs;
use crate::shape::Shape;
use crate::signals::Level;

pub struct Csrs {
    /// The value of the CSR that is read, 0 for all others.
    pub read: Expr,
    /// The level of the warp at the barrier that a commit writes.
    pub level: Level,
    /// The region of the warp after the instruction, for the trace; no bits without a trace port.
    pub region: Expr,
}

impl Csrs {
    pub fn of(m: &Builder, shape: &Shape, inputs: &Inputs, commits: &Expr) -> Self {
        m.comment("CSRs of the warp or the path. The leader's value is written.");
        let Inputs { control, path, fields, leader_address, level, .. } = inputs;
        let word = m.wire("csr_written", &control.takes_leader.mux(leader_address, &fields.rs1.extend(32)));
        let is_large = m.wire("level_is_large", &word.from(shape.level_bits()).any());
        let small = word.slice(0, shape.level_bits());
        let value = is_large.mux(&ones(shape.level_bits()), &small);
        let value = m.fault("the_level_wraps", &value, &small);
        let write = commits & &control.writes_level;
        let [of_region, region] = match shape.trace {
            true => region(m, shape, inputs, &(commits & &control.writes_region), &word),
            false => [zeros(32), zeros(0)],
        };
        let of_depth = path.depth.extend(32).when(&control.reads_depth);
        let read = level.extend(32).when(&control.reads_level) | of_depth | of_region;
        Self { read, level: Level { write, value }, region }
    }
}

/// Bits of a region's number.
const REGION: usize = 5;

/// The value that is read, and the region after the instruction.
fn region(m: &Builder, shape: &Shape, inputs: &Inputs, writes: &Expr, word: &Expr) -> [Expr; 2] {
    let Inputs { meta, control, start_valid, start_warp, .. } = inputs;
    let regions = m.memory("regions", shape.warps, REGION, MemoryStyle::Distributed);
    let (warp, written) = (start_valid.mux(start_warp, &meta.warp), word.slice(0, REGION));
    regions.write(&(start_valid | writes), &warp, &written.when(&!start_valid));
    let before = regions.read("region_before", &meta.warp);
    [before.extend(32).when(&control.reads_region), control.writes_region.mux(&written, &before)]
}
