//! S2, predecode: hazards and predicted next pc of the word that has arrived. Combinational.
//!
//! Backward branches and `jal` are predicted taken. After every other word, S2 predicts pc + 4. For a word that is
//! no instruction the result does not matter, because S7 detects the fault.

use rtl::{Builder, Bundle, ElaborationError, Module, concat, lit, zeros};

use super::context::Fetch;
use super::decoder::{Decoder, Fields};
use super::resource;
use crate::isa::{Class, Csr, CsrAccess, CsrKind, Format, Operation, RD, RS1, RS2};
use crate::memory::map::in_ram;
use crate::shape::{PC, Shape};
use crate::signals::Hazards;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s2_predecode", "S2, predecode: the registers of an instruction, and the predicted next pc.");
    m.timing(
        "combinational, in S2. S5 derives the same reservations, so S7 uses or S8 returns all that S3 \
         reserves.",
    );
    m.port_group("the fetched word");
    let fetch = Fetch::inputs(&m, shape, "s2");
    let word = m.input("word_s2", 32);
    let error = m.input("error_s2", usize::from(shape.has_icache()));

    let decoder = Decoder::new(&m, shape, &word);
    let operation = |wanted: Operation| decoder.in_opcode(&|e| e.operation == wanted, &|_| false);
    let is_branch = m.wire("is_branch", &operation(Operation::Branch));
    let is_jal = m.wire("is_jal", &operation(Operation::Jal));

    m.comment("Operands. An encoding that always has x0 as an operand may count as one with that operand.");
    let has = |field: u32, wanted: fn(Format) -> bool| decoder.in_opcode(&|e| wanted(e.format), &|e| e.is_zero(field));
    let Fields { rd, rs1, rs2, .. } = &decoder.fields;
    let reserved = resource::reserved(shape, &decoder);
    // FENCE must wait only where memory performs stores after it has accepted them.
    let fences = |class| class == Class::FetchFence || class == Class::Fence && shape.posts_stores;
    let replaces =
        decoder.in_opcode(&|e| e.operation == Operation::Csr(CsrAccess::Write) && e.format == Format::Csr, &|_| false);
    let takes_leader = m.wire("takes_leader", &(replaces & decoder.csr(&Csr::is_of_warp)));
    let is_fence = decoder.in_opcode(&|e| fences(e.class), &|_| false);
    let is_csr = decoder.in_opcode(&|e| matches!(e.operation, Operation::Csr(_)), &|_| false);
    let waits = if shape.has_dcache() { is_fence | (is_csr & decoder.csr_is(CsrKind::Refresh)) } else { is_fence };
    let hazards = Hazards {
        rs1: rs1.clone(),
        rs2: rs2.clone(),
        uses_rs1: has(RS1, Format::reads_rs1),
        uses_rs2: has(RS2, Format::reads_rs2),
        writes_rd: has(RD, Format::writes_rd) & rd.any(),
        rd: rd.clone(),
        needs_leader: operation(Operation::Jalr) | takes_leader,
        is_fence_i: waits,
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
    reserved.outputs(&m, "reserved_s2");
    m.output("predicted_s2", &(&fetch.pc + step));
    let outside = !in_ram(shape, &concat([&fetch.pc, &zeros(2)]));
    let outside = m.fault("no_fetch_is_outside_ram", &outside, &zeros(1));
    m.output("fetch_fault_s2", &if shape.has_icache() { outside | error } else { outside });
    m.finish()
}
