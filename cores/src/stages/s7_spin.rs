//! S7, loops that only wait: whether the path should yield to other paths of its warp.
//!
//! An iteration ends with a backward branch or jump of all threads of the path. It makes *progress* if it stores, or if
//! an instruction changes a register in place (rd is also a source). Such a change does not count if bits 11:7 of the
//! instruction before it name the same register: it continues a computation. Atomic accesses do not count. An iteration
//! that reads memory and makes no progress yields.
//!
//! The record of a warp is read and written in S7. Storage: W rows of 7 bits, LUT RAM.

use rtl::{Builder, Bundle, Expr, MemoryStyle, zeros};

use super::decoder::{Decoder, Fields};
use super::s7_commit::Inputs;
use crate::isa::{OPCODE, PAUSE};
use crate::shape::Shape;

rtl::bundle! {
    /// What S5 decodes for S7.
    pub struct Step(shape: &Shape) {
        pauses: usize::from(shape.takes_turns),
        /// A backward branch or jump.
        goes_back: usize::from(shape.fair_after > 0),
        /// The instruction changes a register in place.
        in_place: usize::from(shape.fair_after > 0),
    }
}

impl Step {
    /// `jumps`: a branch or `jal`.
    pub fn decode(m: &Builder, shape: &Shape, decoder: &Decoder, word: &Expr, jumps: &Expr) -> Self {
        let pauses = word.is(u64::from(PAUSE)).slice(0, usize::from(shape.takes_turns));
        if shape.fair_after == 0 {
            return Self { pauses, goes_back: zeros(0), in_place: zeros(0) };
        }
        let Fields { rd, rs1, rs2, funct7, .. } = &decoder.fields;
        let (load, of_immediate, of_registers) = (0x03, 0x13, 0x33);
        let of = |opcodes: &[u32]| decoder.any(&|e| opcodes.contains(&(e.value & OPCODE)));
        let first = of(&[load, of_immediate, of_registers]) & rd.eq(rs1);
        let reads_rd = m.wire("reads_rd", &(first | (of(&[of_registers]) & rd.eq(rs2))));
        Self { pauses, goes_back: jumps & funct7.bit(6), in_place: reads_rd & rd.any() }
    }
}

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
    let Step { pauses, goes_back, in_place } = Step::unpack(m, shape, &inputs.control.step);
    if shape.fair_after == 0 {
        return pauses;
    }
    m.comment("Loops that only wait.");
    let rows = m.memory("loops", shape.warps, Loop::bits(&()), MemoryStyle::Distributed);
    let Loop { idle, reads, before } = Loop::unpack(m, &(), &rows.read("loop_s7", &inputs.meta.warp));
    let Inputs { fields, control, meta, .. } = inputs;
    let backward = m.wire("backward", &(goes_back & !(&control.is_branch & divides)));
    let in_place = m.wire("in_place", &(in_place & fields.rd.ne(&before)));
    let progress = m.fault("no_iteration_makes_progress", &(&inputs.is_store | in_place), &zeros(1));
    // While the warps start, `before` may be anything: it is read only after a backward branch.
    let then = Loop {
        idle: (&backward | (&idle & !progress)).when(&!&inputs.start_valid),
        reads: !&backward & (&reads | inputs.is_load()),
        before: fields.rd.clone(),
    };
    let warp = inputs.start_valid.mux(&inputs.start_warp, &meta.warp);
    rows.write(&(&inputs.start_valid | valid), &warp, &then.pack());
    pauses | (backward & idle & reads)
}
