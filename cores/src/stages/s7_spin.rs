//! S7, loops that only wait: whether the path should yield to other paths of its warp.
//!
//! An iteration ends with a backward branch or jump of all threads of the path. It makes *progress* if it stores, or if
//! an instruction changes a register in place (rd is also a source). Such a change does not count if bits 11:7 of the
//! instruction before it name the same register: it continues a computation. Atomic accesses do not count. An iteration
//! that reads memory and makes no progress yields.
//!
//! The record of a warp is read in S7 and written in S8. Storage: W rows of 7 bits, LUT RAM.

use rtl::{Builder, Bundle, Expr, MemoryStyle, zeros};

use super::s7_commit::Inputs;
use crate::shape::Shape;

rtl::bundle! {
    struct Loop(shape: &()) {
        /// There was a backward branch, and no progress since.
        idle: 1,
        /// A load or an atomic access since.
        reads: 1,
        /// Bits 11:7 of the last instruction.
        before: 5,
    }
}

/// Whether the path of the instruction in S7 should yield after it. `divides`: some threads do not take the branch.
pub fn yields(m: &Builder, shape: &Shape, inputs: &Inputs, commits: &Expr, divides: &Expr) -> Expr {
    let asks = &inputs.control.pauses;
    if shape.fair_after == 0 {
        return asks.clone();
    }
    m.comment("Loops that only wait.");
    let rows = m.memory("loops", shape.warps, Loop::bits(&()), MemoryStyle::Distributed);
    let Loop { idle, reads, before } = Loop::unpack(m, &(), &rows.read("loop_s7", &inputs.meta.warp));
    let Inputs { fields, control, meta, .. } = inputs;
    let is = |code: u64| fields.opcode.slice(2, 5).is(code);
    let (of_registers, of_immediate, load) = (is(0b01100), is(0b00100), is(0b00000));
    let first = (&of_registers | of_immediate | load) & fields.rd.eq(&fields.rs1);
    let changes = fields.rd.any() & fields.rd.ne(&before);
    let in_place = m.wire("in_place", &(changes & (first | (of_registers & fields.rd.eq(&fields.rs2)))));
    let jumps = (&control.is_branch & !divides) | &control.is_jal;
    let backward = m.wire("backward", &(jumps & meta.instruction.bit(31)));
    let progress = m.fault("no_iteration_makes_progress", &(&inputs.is_store | in_place), &zeros(1));
    let then = Loop {
        idle: &backward | (&idle & !progress),
        reads: !&backward & (&reads | inputs.is_load()),
        before: fields.rd.clone(),
    };
    let committed = m.register("committed", 1);
    committed.next(commits).reset(0);
    // Zero while the warps start, before the first commit.
    let written = m.register("loop_s8", Loop::bits(&()));
    written.next(&then.pack()).enable(commits).reset(0);
    let warp = inputs.start_valid.mux(&inputs.start_warp, &m.delay("loop_warp", &meta.warp));
    rows.write(&(&inputs.start_valid | &*committed), &warp, &written);
    asks | (backward & idle & reads)
}
