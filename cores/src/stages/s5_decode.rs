//! S5, decode: control, operands, and every value that is the same in all lanes.
//!
//! Enters: the instruction with its registers from block RAM, and the immediate that S4 found. Leaves: the operands of
//! each lane, the store data, control for S6 and S7. The decoder is made from the instruction table of [`crate::isa`].

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, join, lit, zeros};

use super::decoder::{CsrAccess, Decoder};
use super::resource::{self, DIVIDER, REQUEST, Reservations};
use super::s4_immediate::Shared;
use crate::functional::lane_operands::{self, OperandControl, Operands};
use crate::isa::{Acts, Alu, Class, CsrKind, Encoding, Format, Operation};
use crate::shape::Shape;
use crate::signals::{Control, LaneControl, Meta};

/// `mcause` of what S5 finds.
const ACCESS_FAULT: u64 = 1;
const ILLEGAL: u64 = 2;
const BREAKPOINT: u64 = 3;
const ENVIRONMENT_CALL: u64 = 11;
/// `jalr x0, 0(x1)`, without hint bits.
const RET: u64 = 0x0000_8067;

/// Elaborates the stage.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let operands_module = lane_operands::elaborate(shape)?;
    let m = Builder::new("s5_decode", "S5, decode: control, operands, uniform values.");
    m.port_group("instruction and registers from S4, and what all lanes share");
    let meta = Meta::inputs(&m, shape, "s5");
    let epoch = m.input("epoch_s5", shape.epoch_bits());
    let fetch_fault = m.input("fetch_fault_s5", 1);
    let rs1 = m.input("rs1_s5", shape.line_bits());
    let rs2 = m.input("rs2_s5", shape.line_bits());
    let shared = Shared::inputs(&m, shape, "s5");

    let word = &meta.instruction;
    let funct3 = word.slice(12, 3);
    let decoder = Decoder::new(shape, word);
    let is = |name: &str, operation: Operation| m.wire(name, &decoder.is(operation));
    let any = |name: &str, wanted: &dyn Fn(&Encoding) -> bool| m.wire(name, &decoder.any(wanted));
    let alu =
        |name: &str, wanted: &'static [Alu]| any(name, &|e| e.operation.alu().is_some_and(|alu| wanted.contains(&alu)));
    let reserved = resource::reserved(shape, &decoder);
    let reserved = Reservations::new(shape, |row| {
        let kept = m.fault(&format!("keeps_the_{}", row.name), &reserved.of(row), &zeros(1));
        m.wire(&format!("{}_reserved", row.name), &kept)
    });
    let is_atomic = any("is_atomic", &|e| e.class == Class::Atomic);
    let is_branch = is("is_branch", Operation::Branch);
    let is_jal = is("is_jal", Operation::Jal);
    let is_jalr = is("is_jalr", Operation::Jalr);
    let is_auipc = is("is_auipc", Operation::Auipc);
    let is_csr = any("is_csr", &|e| matches!(e.operation, Operation::Csr(_)));
    let is_less = alu("is_less", &[Alu::Less, Alu::LessUnsigned]);
    let is_logic = alu("is_logic", &[Alu::Logic]);
    let is_shift = alu("is_shift", &[Alu::Shift]);

    // Only an extension has such instructions.
    let compares = decoder.any(&|e| e.operation.alu() == Some(Alu::Compare));
    let is_idle = decoder.any(&|e| matches!(e.operation.alu(), Some(Alu::Compare | Alu::Idle)));
    let inverts_more = decoder.any(&|e| e.operation.extended().is_some_and(|operation| operation.inverts));
    let selects = |acts: Acts| {
        let is =
            |name: &&str| decoder.any(&|e| e.operation.extended().is_some_and(|operation| operation.name == *name));
        join(&shape.lane_operations(acts).iter().map(is).collect::<Vec<_>>())
    };

    m.comment("Control and status registers.");
    let access = CsrAccess::new(word);
    let csr_writes = m.wire("csr_writes", &access.writes);
    let csr = |kind| &is_csr & decoder.csr_is(kind);
    let is_exit = m.wire("is_exit", &(csr(CsrKind::Exit) & &csr_writes));

    m.comment("Faults of the instruction itself.");
    let csr_legal = decoder.csr_exists() & (!&csr_writes | decoder.csr(&|csr| csr.writable()));
    let legal = m.wire("legal", &(decoder.legal(&m, "is_instruction") & (!&is_csr | csr_legal)));
    let is_ecall = is("is_ecall", Operation::Ecall);
    let is_ebreak = is("is_ebreak", Operation::Ebreak);
    let faults = m.wire("faults", &(&fetch_fault | !&legal | (&legal & (&is_ecall | &is_ebreak))));
    let call = is_ecall.mux(&lit(4, ENVIRONMENT_CALL), &lit(4, BREAKPOINT));
    let is_fetch_fault = m.fault("a_fetch_fault_gets_another_cause", &fetch_fault, &zeros(1));
    let cause = is_fetch_fault.mux(&lit(4, ACCESS_FAULT), &legal.mux(&call, &lit(4, ILLEGAL)));

    m.comment("Operands. A dividend and an exit code pass the adder as rs1 + 0.");
    let exit_code_is_rs1 = m.wire("exit_code_is_rs1", &(&is_exit & !&access.immediate & &access.keeps_operand));
    let subtracts = m.wire("subtracts", &(alu("is_sub", &[Alu::Sub]) | &is_less | &is_branch | compares));
    // Branches that want equality subtract the exclusive or from 0.
    let is_equality = m.wire("is_equality", &(&is_branch & !funct3.bit(2)));
    let shifts_left = m.wire("shifts_left", &(&is_shift & !funct3.bit(2)));
    let combine = [&is_logic & &funct3.bit(0) | !(&is_logic | &is_equality), &is_logic & funct3.bit(1)];
    let operand_control = OperandControl {
        takes_rs2: m
            .wire("takes_rs2", &((any("format_r", &|e| e.format == Format::R) & !reserved.of(&DIVIDER)) | &is_branch)),
        inverts: m.wire("inverts", &(&subtracts | &shifts_left | inverts_more)),
        combine: m.wire("combine", &join(&combine)),
        adds: m.wire(
            "adds",
            &!(&is_logic | &is_equality | &is_shift | is("is_lui", Operation::Lui) | (&is_csr & !&exit_code_is_rs1)),
        ),
        shifts_right: m.wire("shifts_right", &(&is_shift & funct3.bit(2))),
        shifts_left,
        arithmetic: word.bit(30),
        selects: selects(Acts::OnOperands),
    };

    let rd = word.slice(7, 5);
    let (rs1_number, link_register) = (word.slice(15, 5), |r: &Expr| r.is(1) | r.is(5));
    let rd_links = m.wire("rd_links", &link_register(&rd));
    let rs1_links = m.wire("rs1_links", &(link_register(&rs1_number) & &is_jalr));
    let pops = m.wire("pops", &(&rs1_links & (!&rd_links | rd.ne(&rs1_number))));
    let pushes = m.wire("pushes", &((&is_jal | &is_jalr) & &rd_links));
    let has_rd = any("has_rd", &|e| e.format.writes_rd() && !resource::is_late(e.class));

    let pc_is_value = &is_auipc | &is_jal | &is_jalr;
    let lane = LaneControl {
        subtract: subtracts,
        less_unsigned: is_branch.mux(&funct3.bit(1), &funct3.bit(0)),
        set_less: is_less,
        no_result: &pc_is_value | reserved.of(&REQUEST) | is_idle,
        pc_is_value,
        selects: selects(Acts::OnResult),
    };
    let memory_op = |bit: u32| {
        decoder.any(&|e| match e.operation {
            Operation::Store => bit == 0,
            Operation::Atomic(operation) => operation.request_code().is_some_and(|code| code >> bit & 1 == 1),
            _ => false,
        })
    };
    let control = Control {
        is_branch,
        is_jal,
        is_jalr,
        is_atomic,
        memory_op: join(&[0, 1, 2, 3].map(memory_op)),
        is_exit,
        is_barrier: csr(CsrKind::Barrier) & &csr_writes,
        is_fence_i: is("is_fence_i", Operation::FenceI),
        writes: has_rd & rd.any(),
        reads_mask: csr(CsrKind::Mask { high: false }),
        reads_mask_high: csr(CsrKind::Mask { high: true }).slice(0, usize::from(shape.threads > 32)),
        calls: &pushes & !&pops,
        returns: &pops & !&pushes,
        is_ret: word.is(RET).slice(0, usize::from(shape.reconverges)),
        target: m.wire("target", &(&meta.pc + &shared.target_offset)),
        target_misaligned: shared.immediate.bit(1),
        pc_value: m.wire("pc_value", &(&meta.pc + &shared.value_offset)),
        faults,
        cause,
    };

    m.comment("Operands of the lanes.");
    let lanes = m.instance_each(shape.lanes(), "operands", &operands_module);
    lanes.input_parts("rs1", &rs1).input_parts("rs2", &rs2);
    lanes.input("immediate", &shared.immediate).input_each("own", |lane| own(shape, &shared, lane));
    operand_control.connect(&lanes, "");
    let operands = Operands::build(&shape.threads, &mut |field, _| lanes.output(field));

    m.port_group("instruction, control and operands for S6");
    let valid = m.register("valid", 1);
    valid.next(&meta.valid).reset(0);
    let mut next = meta.delay(&m, shape, "q");
    next.valid = valid.q();
    next.outputs(&m, "s6");
    lane.delay(&m, shape, "q").outputs(&m, "s6");
    control.delay(&m, shape, "q").outputs(&m, "s6");
    reserved.delay(&m, shape, "reserved_q").outputs(&m, "reserved_s6");
    operands.delay(&m, &shape.threads, "q").outputs(&m, "s6");
    m.output("store_s6", &m.delay("store", &rs2));
    m.port_group("its epoch, for S8");
    m.output("epoch_s6", &m.delay("epoch_q", &epoch));
    m.finish()
}

/// What a CSR adds in one lane: its number, or the distance from the end of the warp before to the end of its stack.
fn own(shape: &Shape, shared: &Shared, lane: usize) -> Expr {
    // Choices of 0, not masks, which would have another form where the number is 0.
    let number = shared.add_lane.mux(&lit(32, lane as u64), &zeros(32));
    number | shared.add_stack.mux(&lit(32, (lane as u64 + 1) * u64::from(shape.stack_bytes)), &zeros(32))
}
