//! S5, decode: control, operands, and all values that are the same in every lane.
//!
//! Enters: the instruction, its registers from block RAM, and the immediate from S4. Leaves: the operands of each
//! lane, the store data, control for S6 and S7. The decoder is made from the instruction table of [`crate::isa`].

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, join, lit, zeros};

use super::decoder::{Csrs, Decoder, Fields, Names};
use super::resource::{self, Reservations};
use super::s4_immediate::Shared;
use super::s7_spin::Step;
use crate::functional::lane_operands::{self, OperandControl, Operands, Widths};
use crate::isa::{Class, Csr, CsrKind, Operation};
use crate::shape::Shape;
use crate::signals::{Control, LaneControl, Meta};

/// `mcause` of the faults that S5 detects.
const ACCESS_FAULT: u64 = 1;
const ILLEGAL: u64 = 2;
const BREAKPOINT: u64 = 3;
const ENVIRONMENT_CALL: u64 = 11;
/// `jalr x0, 0(x1)`, without hint bits.
const RET: u64 = 0x0000_8067;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let operands_module = lane_operands::elaborate(shape)?;
    let m = Builder::new("s5_decode", "S5, decode: control, operands, uniform values.");
    m.timing(
        "all outputs are registered at the end of S5; it never stalls. `rs1_s5` and `rs2_s5` arrive from block \
         RAM in the same cycle as the instruction.",
    );
    let inputs = Inputs::declare(&m, shape);
    let word = &inputs.meta.instruction;
    let names = Names { m: &m, decoder: Decoder::new(&m, shape, word) };
    let reserved = reserved(&m, shape, &names.decoder);
    let kinds = Kinds::of(&names);
    let csrs = Csrs::of(&names, &kinds.is_csr);
    let faults = Faults::of(&m, &names, &kinds, &csrs, &inputs.fetch_fault);
    let depth = Depth::of(&m, &kinds, &names.decoder.fields);
    let control = control(shape, &names, kinds, csrs, faults, depth, &inputs);

    m.comment("Operands of the lanes.");
    let shared = &inputs.shared;
    let lanes = m.instance_each(shape.lanes(), "operands", &operands_module);
    lanes.input_parts("rs1", &inputs.rs1).input_parts("rs2", &inputs.rs2);
    lanes.input("immediate", &shared.immediate).input_each("own", |lane| own(shape, shared, lane));
    inputs.operands.connect(&lanes, "");
    let widths = Widths::of(shape, shape.threads);
    let operands = Operands::build(&widths, &mut |field, _| lanes.output(field));

    m.port_group("instruction, control and operands for S6");
    inputs.meta.next_stage(&m, shape).outputs(&m, "s6");
    m.output("lane_control_s6", &m.delay("lane_control", &inputs.lane));
    control.delay(&m, shape, "q").outputs(&m, "s6");
    reserved.delay(&m, shape, "reserved_q").outputs(&m, "reserved_s6");
    operands.delay(&m, &widths, "q").outputs(&m, "s6");
    if shape.shifts_by_products() {
        m.output("factor_s6", &m.delay("factor", &lanes.output("factor")));
    }
    m.output("store_s6", &m.delay("store", &inputs.rs2));
    m.port_group("its epoch, for S8");
    m.output("epoch_s6", &m.delay("epoch_q", &inputs.epoch));
    m.finish()
}

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "instruction and registers from S4, and the values that all lanes share"]
        meta: Meta = Meta::inputs(m, shape, "s5"),
        /// Its slot's epoch at issue.
        epoch: Expr = m.input("epoch_s5", 1),
        /// It was fetched from an address without memory.
        fetch_fault: Expr = m.input("fetch_fault_s5", 1),
        rs1: Expr = m.input("rs1_s5", shape.line_bits()),
        rs2: Expr = m.input("rs2_s5", shape.line_bits()),
        shared: Shared = Shared::inputs(m, shape, "s5"),
        #[group = "control of the lanes, from S4"]
        operands: OperandControl = OperandControl::unpack(m, shape, &m.input("operand_control_s5", OperandControl::bits(shape))),
        lane: Expr = m.input("lane_control_s5", LaneControl::bits(shape)),
    }
}

/// The resources that the instruction has reserved in S3, which S7 returns if they are not used.
fn reserved(m: &Builder, shape: &Shape, decoder: &Decoder) -> Reservations {
    let reserved = resource::reserved(shape, decoder);
    Reservations::new(shape, |row| {
        let kept = m.fault(&format!("keeps_the_{}", row.name), &reserved.of(row), &zeros(1));
        m.wire(&format!("{}_reserved", row.name), &kept)
    })
}

struct Kinds {
    is_atomic: Expr,
    is_branch: Expr,
    is_jal: Expr,
    is_jalr: Expr,
    is_csr: Expr,
}

impl Kinds {
    fn of(names: &Names) -> Self {
        Self {
            is_atomic: names.any("is_atomic", &|e| e.class == Class::Atomic),
            is_branch: names.is("is_branch", Operation::Branch),
            is_jal: names.is("is_jal", Operation::Jal),
            is_jalr: names.is("is_jalr", Operation::Jalr),
            is_csr: names.any("is_csr", &|e| matches!(e.operation, Operation::Csr(_))),
        }
    }
}

struct Faults {
    any: Expr,
    cause: Expr,
}

impl Faults {
    fn of(m: &Builder, names: &Names, kinds: &Kinds, csrs: &Csrs, fetch_fault: &Expr) -> Self {
        m.comment("Faults of the instruction itself.");
        let decoder = &names.decoder;
        let of_form = decoder.csr(&Csr::is_of_warp) | (decoder.csr_is(CsrKind::Depth) & &csrs.access.immediate);
        let writable = decoder.csr(&Csr::is_writable) | (of_form & &csrs.access.replaces);
        let csr_legal = decoder.csr_exists() & (!&csrs.writes | writable);
        let legal = m.wire("legal", &(decoder.legal(m, "is_instruction") & (!&kinds.is_csr | csr_legal)));
        let is_ecall = names.is("is_ecall", Operation::Ecall);
        let is_ebreak = names.is("is_ebreak", Operation::Ebreak);
        let any = m.wire("faults", &(fetch_fault | !&legal | (&legal & (&is_ecall | &is_ebreak))));
        let stop = is_ecall.mux(&lit(4, ENVIRONMENT_CALL), &is_ebreak.mux(&lit(4, BREAKPOINT), &lit(4, ILLEGAL)));
        let is_fetch_fault = m.fault("a_fetch_fault_gets_another_cause", fetch_fault, &zeros(1));
        let cause = is_fetch_fault.mux(&lit(4, ACCESS_FAULT), &legal.mux(&stop, &lit(4, ILLEGAL)));
        Self { any, cause }
    }
}

/// The change of the call depth, by the hints of the link registers.
struct Depth {
    calls: Expr,
    returns: Expr,
}

impl Depth {
    fn of(m: &Builder, kinds: &Kinds, fields: &Fields) -> Self {
        let Fields { rd, rs1, .. } = fields;
        let is_link = |register: &Expr| register.is(1) | register.is(5);
        let rd_links = m.wire("rd_links", &is_link(rd));
        let rs1_links = m.wire("rs1_links", &(is_link(rs1) & &kinds.is_jalr));
        let pops = m.wire("pops", &(&rs1_links & (!&rd_links | rd.ne(rs1))));
        let pushes = m.wire("pushes", &((&kinds.is_jal | &kinds.is_jalr) & &rd_links));
        Self { calls: &pushes & !&pops, returns: &pops & !&pushes }
    }
}

fn control(
    shape: &Shape,
    names: &Names,
    kinds: Kinds,
    csrs: Csrs,
    faults: Faults,
    depth: Depth,
    inputs: &Inputs,
) -> Control {
    let Inputs { meta, shared, .. } = inputs;
    let (m, decoder, word) = (names.m, &names.decoder, &meta.instruction);
    let has_rd = names.any("has_rd", &|e| e.format.writes_rd() && !resource::is_late(e.class));
    let csr = |kind| &kinds.is_csr & decoder.csr_is(kind);
    let traced = usize::from(shape.trace);
    let memory_op = |bit: u32| {
        decoder.any(&|e| match e.operation {
            Operation::Store => bit == 0,
            Operation::Atomic(operation) => operation.request_code().is_some_and(|code| code >> bit & 1 == 1),
            _ => false,
        })
    };
    let is_fence_i = decoder.in_opcode(&|e| e.operation == Operation::FenceI, &|_| false);
    Control {
        memory_op: join([0, 1, 2, 3].map(memory_op)),
        step: Step::decode(m, shape, decoder, word, &(&kinds.is_branch | &kinds.is_jal)).pack(),
        is_barrier: csr(CsrKind::Barrier) & &csrs.writes,
        writes_level: csr(CsrKind::Level) & &csrs.writes,
        writes_depth: csr(CsrKind::Depth) & &csrs.writes,
        writes_region: (csr(CsrKind::Region) & &csrs.writes).slice(0, traced),
        reads_level: csr(CsrKind::Level),
        reads_depth: csr(CsrKind::Depth),
        reads_region: csr(CsrKind::Region).slice(0, traced),
        takes_leader: csrs.takes_leader,
        is_fence_i: names.is("is_fence_i", Operation::FenceI),
        empties_data: if shape.has_dcache() { is_fence_i | csr(CsrKind::Refresh) } else { zeros(0) },
        writes: has_rd & decoder.fields.rd.any(),
        reads_mask: csr(CsrKind::Mask { high: false }),
        reads_mask_high: csr(CsrKind::Mask { high: true }).slice(0, usize::from(shape.threads > 32)),
        is_branch: kinds.is_branch,
        is_jal: kinds.is_jal,
        is_jalr: kinds.is_jalr,
        is_atomic: kinds.is_atomic,
        is_exit: csrs.is_exit,
        calls: depth.calls,
        returns: depth.returns,
        is_ret: word.is(RET).slice(0, usize::from(shape.reconverges)),
        target: m.wire("target", &(&meta.pc + &shared.target_offset)),
        target_misaligned: shared.immediate.bit(1),
        pc_value: m.wire("pc_value", &(&meta.pc + &shared.value_offset)),
        faults: faults.any,
        cause: faults.cause,
    }
}

/// The value that a CSR adds in one lane: its number, or the distance from the end of the previous warp's stacks to
/// the end of its own.
fn own(shape: &Shape, shared: &Shared, lane: usize) -> Expr {
    // These are selections of 0, not masks, which would have another form where the number is 0.
    let number = shared.add_lane.mux(&lit(32, lane as u64), &zeros(32));
    number | shared.add_stack.mux(&lit(32, (lane as u64 + 1) * u64::from(shape.stack_bytes)), &zeros(32))
}
