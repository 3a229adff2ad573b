//! S2, predecode: hazards and the predicted next pc of the word that has arrived. Combinational.
//!
//! Backward branches are predicted taken, forward ones not, `jal` taken, everything else goes on at pc + 4. What is
//! said of a word that is no instruction does not matter: S7 finds it at fault.

use rtl::{Builder, Bundle, ElaborationError, Module, concat, lit};

use super::context::Fetch;
use super::reserving::{Reserving, any_opcode};
use crate::isa::{self, Format, Operation};
use crate::memory::map::in_ram;
use crate::shape::{PC, Shape};
use crate::signals::Hazards;

/// Elaborates the stage.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s2_predecode", "S2, predecode: which registers an instruction uses, and which comes next.");
    m.port_group("the fetched word");
    let fetch = Fetch::inputs(&m, shape, "s2");
    let word = m.input("word_s2", 32);

    let opcode = m.wire("opcode", &word.slice(0, 7));
    let is = |wanted: &dyn Fn(&isa::Encoding) -> bool| any_opcode(shape, &opcode, wanted);
    let operation = |wanted: Operation| is(&|e: &isa::Encoding| e.operation == wanted);
    let is_branch = m.wire("is_branch", &operation(Operation::Branch));
    let is_jal = m.wire("is_jal", &operation(Operation::Jal));

    m.comment("Operands. A CSR instruction with an immediate has no rs1: bit 14 tells.");
    let system = is(&|e| e.format == Format::Csr);
    let uses_rs1 = is(&|e| matches!(e.format, Format::R | Format::I | Format::S | Format::B | Format::Atomic))
        | (&system & !word.bit(14));
    let uses_rs2 = is(&|e| matches!(e.format, Format::R | Format::S | Format::B | Format::Atomic));
    let has_rd = is(&|e| matches!(e.format, Format::R | Format::I | Format::U | Format::J | Format::Atomic)) | &system;
    let rd = word.slice(7, 5);
    let reserving = Reserving::of(shape, &word, &opcode);
    // FENCE, whose bit 12 is clear, has something to wait for only where stores are performed late.
    let fences = operation(Operation::FenceI);
    let hazards = Hazards {
        rs1: word.slice(15, 5),
        rs2: word.slice(20, 5),
        uses_rs1,
        uses_rs2,
        writes_rd: has_rd & rd.any(),
        rd,
        is_load: reserving.is_load,
        is_long: reserving.is_long,
        is_divide: reserving.is_divide,
        is_store: reserving.is_store,
        is_jalr: operation(Operation::Jalr),
        is_fence_i: if shape.posts_stores { fences } else { fences & word.bit(12) },
    };

    m.comment("Next pc.");
    let sign = word.bit(31);
    let branch_offset = concat([&sign.repeat(PC - 10), &word.bit(7), &word.slice(25, 6), &word.slice(9, 3)]);
    let jump_offset = concat([&sign.repeat(PC - 18), &word.slice(12, 8), &word.bit(20), &word.slice(22, 9)]);
    let back = m.wire("branches_back", &(&is_branch & &sign));
    let one = lit(PC, 1).when(&!(&is_jal | &back));
    let step = m.wire("step", &(jump_offset.when(&is_jal) | branch_offset.when(&back) | one));

    m.port_group("hazards and prediction");
    hazards.outputs(&m, "s2");
    m.output("predicted_s2", &(&fetch.pc + step));
    m.output("fetch_fault_s2", &!in_ram(shape, &concat([&fetch.pc, &rtl::zeros(2)])));
    m.finish()
}
