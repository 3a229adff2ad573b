//! S7, loops that only wait: whether the path should yield to other paths of its warp.
//!
//! An iteration ends with a backward branch or jump of all threads of the path. It makes *progress* if it stores, or if
//! an instruction changes a register in place (rd is also a source). Such a change does not count if bits 11:7 of the
//! instruction before it name the same register: it continues a computation. Atomic accesses do not count. An iteration
//! that reads memory and makes no progress yields.
//!
//! The record of a warp is read and written in S7. Storage: W rows of 7 bits, LUT RAM.

use rtl::{Builder, Bundle, Expr, MemoryStyle, zeros};

use super::s7_commit::Inputs;
use crate::isa::PAUSE;
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

/// Whether the path of the instruction in S7 should yield after it. `valid`: it commits, unless it is at fault.
/// `divides`: some threads do not take the branch.
pub fn yields(m: &Builder, shape: &Shape, inputs: &Inputs, valid: &Expr, divides: &Expr) -> Expr {
    let asks = inputs.meta.instruction.is(u64::from(PAUSE));
    if shape.fair_after == 0 {
        return asks;
    }
    m.comment("Loops that only wait.");
    let rows = m.memory("loops", shape.warps, Loop::bits(&()), MemoryStyle::Distributed);
    let Loop { idle, reads, before } = Loop::unpack(m, &(), &rows.read("loop_s7", &inputs.meta.warp));
    let Inputs { fields, control, meta, .. } = inputs;
    let is = |code: u64| fields.opcode.slice(2, 5).is(code);
    let (of_registers, of_immediate, load) = (is(0b01100), is(0b00100), is(0b00000));
    let of_registers = m.wire("of_registers", &of_registers);
    let first = (&of_registers | of_immediate | load) & fields.rd.eq(&fields.rs1);
    let reads_rd = m.wire("reads_rd", &(first | (&of_registers & fields.rd.eq(&fields.rs2))));
    let in_place = m.wire("in_place", &(reads_rd & fields.rd.any() & fields.rd.ne(&before)));
    let jumps = (&control.is_branch & !divides) | &control.is_jal;
    let backward = m.wire("backward", &(jumps & fields.funct7.bit(6)));
    let progress = m.fault("no_iteration_makes_progress", &(&inputs.is_store | in_place), &zeros(1));
    // While the warps start, `before` may be anything: it is read only after a backward branch.
    let then = Loop {
        idle: (&backward | (&idle & !progress)).when(&!&inputs.start_valid),
        reads: !&backward & (&reads | inputs.is_load()),
        before: fields.rd.clone(),
    };
    let warp = inputs.start_valid.mux(&inputs.start_warp, &meta.warp);
    rows.write(&(&inputs.start_valid | valid), &warp, &then.pack());
    asks | (backward & idle & reads)
}
