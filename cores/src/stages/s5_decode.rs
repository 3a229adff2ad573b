//! S5, decode: immediates, control, and every value that is the same in all lanes.
//!
//! Enters: the instruction with its operands from block RAM. Leaves: operands `a` and `b` of each lane, the store data,
//! control for S6 and S7. The decoder is the instruction table of [`crate::isa`], gate for gate.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, increment, join, lit, zeros};

use super::reserving::Reserving;
use crate::isa::{self, Alu, CsrKind, Encoding, Format, Operation};
use crate::shape::{PC, Shape};
use crate::signals::{Control, LaneControl, Meta};

/// `mcause` of what S5 finds.
const ACCESS_FAULT: u64 = 1;
const ILLEGAL: u64 = 2;
const BREAKPOINT: u64 = 3;
const ENVIRONMENT_CALL: u64 = 11;

/// Elaborates the stage.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s5_decode", "S5, decode: immediates, control, uniform values.");
    m.port_group("instruction and operands from S4");
    let meta = Meta::inputs(&m, shape, "s5");
    let fetch_fault = m.input("fetch_fault_s5", 1);
    let rs1 = m.input("rs1_s5", shape.line_bits());
    let rs2 = m.input("rs2_s5", shape.line_bits());
    m.port_group("counters");
    let cycles = m.input("cycles", 64);
    let commits = m.input("commits", 64);

    let word = &meta.instruction;
    let decoder = Decoder::declare(&m, shape, word);
    let op = |operation: Operation| decoder.any(&|e| e.operation == operation);
    let is_lui = op(Operation::Lui);
    let is_auipc = op(Operation::Auipc);
    let is_jal = op(Operation::Jal);
    let is_jalr = op(Operation::Jalr);
    let is_branch = op(Operation::Branch);
    let is_load = op(Operation::Load);
    let is_store = op(Operation::Store);
    let is_atomic = decoder.any(&|e| e.format == Format::Atomic);
    let is_multiply = op(Operation::Multiply);
    let is_divide = op(Operation::Divide);
    let is_csr = decoder.any(&|e| matches!(e.operation, Operation::Csr(_)));
    let alu = |operation: Alu| op(Operation::Lanes(operation));
    let (is_sub, is_less) = (alu(Alu::Sub), alu(Alu::Less) | alu(Alu::LessUnsigned));
    let (is_logic, is_shift) = (alu(Alu::Logic), alu(Alu::Shift));

    m.comment("Immediates.");
    let sign = word.bit(31);
    let i_immediate = concat([&sign.repeat(20), &word.slice(20, 12)]);
    let s_immediate = concat([&sign.repeat(20), &word.slice(25, 7), &word.slice(7, 5)]);
    let b_offset = concat([&sign.repeat(20), &word.bit(7), &word.slice(25, 6), &word.slice(8, 4), &zeros(1)]);
    let u_immediate = concat([&word.slice(12, 20), &zeros(12)]);
    let j_offset = concat([&sign.repeat(12), &word.slice(12, 8), &word.bit(20), &word.slice(21, 10), &zeros(1)]);
    let lane_immediate = m.wire("lane_immediate", &is_store.mux(&s_immediate, &i_immediate));
    let offset = is_auipc.mux(&u_immediate, &is_jal.mux(&j_offset, &b_offset));
    let pc = concat([&meta.pc, &zeros(2)]);
    let target = m.wire("target", &(&pc + m.wire("offset", &offset)));
    let link = concat([&increment(&meta.pc, 1), &zeros(2)]);
    let link = m.wire("link", &link);

    m.comment("Control and status registers.");
    let csr = CsrDecode::declare(&m, shape, &meta, &is_csr, &cycles, &commits);

    m.comment("Faults of the instruction itself.");
    let legal = decoder.any(&|_| true) & (!&is_csr | &csr.legal);
    let is_ecall = op(Operation::Ecall);
    let is_ebreak = op(Operation::Ebreak);
    let faults = m.wire("faults", &(&fetch_fault | !&legal | &is_ecall | &is_ebreak));
    let cause = fetch_fault.mux(
        &lit(4, ACCESS_FAULT),
        &is_ecall.mux(&lit(4, ENVIRONMENT_CALL), &is_ebreak.mux(&lit(4, BREAKPOINT), &lit(4, ILLEGAL))),
    );

    m.comment("Operands: b is rs2 or the immediate; the exit code passes the adder as rs1 + 0.");
    let exit_code_is_rs1 = m.wire("exit_code_is_rs1", &(&csr.is_exit & &csr.takes_rs1));
    // A dividend too: S7 has it as the result, and the divisor as store data.
    let b_is_rs2 = (decoder.any(&|e| e.format == Format::R) & !&is_divide) | &is_branch;
    let passes_rs1 = m.wire("passes_rs1", &(&exit_code_is_rs1 | &is_atomic | &is_divide));
    let b_immediate = m.wire("b_immediate", &lane_immediate.when(&!&passes_rs1));
    let b: Vec<Expr> = rs2.lanes(32).iter().map(|lane| b_is_rs2.mux(lane, &b_immediate)).collect();
    let sums = alu(Alu::Add) | &is_sub | &exit_code_is_rs1 | &is_divide;
    let result_select = join([&(&sums | &is_shift), &(&is_logic | &is_shift)]);
    let uniform_sources =
        [u_immediate.when(&is_lui), target.when(&is_auipc), link.when(&(&is_jal | &is_jalr)), csr.uniform.clone()];
    let uniform = rtl::reduce(&uniform_sources, &|a, b| a | b);

    let rd = word.slice(7, 5);
    let (rs1_number, link_register) = (word.slice(15, 5), |r: &Expr| r.is(1) | r.is(5));
    let rd_links = m.wire("rd_links", &link_register(&rd));
    let rs1_links = m.wire("rs1_links", &(link_register(&rs1_number) & &is_jalr));
    let jumps = &is_jal | &is_jalr;
    let pops = m.wire("pops", &(&rs1_links & (!&rd_links | rd.ne(&rs1_number))));
    let pushes = m.wire("pushes", &(jumps & &rd_links));
    let writes_rd = decoder.any(&|e| matches!(e.format, Format::R | Format::I | Format::U | Format::J)) | &is_csr;

    let funct3 = word.slice(12, 3);
    let lane = LaneControl {
        subtract: m.wire("subtracts", &(&is_sub | &is_less | &is_branch)),
        less_unsigned: is_branch.mux(&funct3.bit(1), &funct3.bit(0)),
        set_less: is_less,
        result_select,
        uniform,
        add_lane: csr.adds_lane.clone(),
        add_stack: csr.adds_stack.clone(),
    };
    let reserving = Reserving::of(shape, word, &word.slice(0, 7));
    let memory_code = |code: &dyn Fn(Operation) -> u64| {
        let bits: Vec<Expr> = (0..4).map(|bit| decoder.any(&|e| code(e.operation) >> bit & 1 == 1)).collect();
        join(&bits)
    };
    let memory_op = memory_code(&|operation| match operation {
        Operation::Store => 1,
        Operation::Atomic(code) => code as u64,
        _ => 0,
    });
    let control = Control {
        is_branch,
        is_jal,
        is_jalr,
        is_load: reserving.is_load,
        is_store: reserving.is_store,
        is_atomic,
        memory_op,
        is_exit: csr.is_exit.clone(),
        is_barrier: csr.is_barrier.clone(),
        is_fence_i: op(Operation::FenceI),
        writes: writes_rd & !(&is_load | &is_multiply | &is_divide) & rd.any(),
        is_multiply: reserving.is_long & !&reserving.is_divide,
        is_divide: reserving.is_divide,
        reads_mask: csr.reads_mask.clone(),
        reads_mask_high: csr.reads_mask_high.clone(),
        calls: &pushes & !&pops,
        returns: &pops & !&pushes,
        target: target.slice(2, PC),
        target_misaligned: target.bit(1),
        faults,
        cause,
    };

    m.port_group("instruction, control and operands for S6");
    let valid = m.register("valid", 1);
    valid.next(&meta.valid).reset(0);
    let mut next = meta.delay(&m, shape, "q");
    next.valid = valid.q();
    next.outputs(&m, "s6");
    lane.delay(&m, shape, "q").outputs(&m, "s6");
    control.delay(&m, shape, "q").outputs(&m, "s6");
    m.output("a_s6", &m.delay("a", &rs1));
    m.output("b_s6", &m.delay("b", &join(&b)));
    m.output("store_s6", &m.delay("store", &rs2));
    m.finish()
}

/// One wire for each encoding of the table.
struct Decoder(Vec<(Encoding, Expr)>);

impl Decoder {
    fn declare(m: &Builder, shape: &Shape, word: &Expr) -> Self {
        m.comment("One wire for each encoding.");
        let fields = [(0, 7), (7, 5), (12, 3), (15, 5), (20, 5), (25, 2), (27, 5)];
        let hit = |e: &Encoding| {
            let wanted = fields.iter().filter(|(lo, width)| e.mask >> lo & ((1 << width) - 1) != 0);
            let matches: Vec<Expr> = wanted
                .map(|(lo, width)| word.slice(*lo, *width).is(u64::from(e.value >> lo & ((1 << width) - 1))))
                .collect();
            m.wire(&format!("is_{}", e.name.replace('.', "_")), &rtl::reduce(&matches, &|a, b| a & b))
        };
        Self(isa::instructions(shape.multiply, shape.atomic).into_iter().map(|e| (e, hit(&e))).collect())
    }

    /// Whether the word is one of the encodings that are wanted.
    fn any(&self, wanted: &dyn Fn(&Encoding) -> bool) -> Expr {
        let hits: Vec<Expr> = self.0.iter().filter(|(e, _)| wanted(e)).map(|(_, hit)| hit.clone()).collect();
        if hits.is_empty() { zeros(1) } else { rtl::reduce(&hits, &|a, b| a | b) }
    }
}

/// What a CSR instruction reads and does.
struct CsrDecode {
    legal: Expr,
    uniform: Expr,
    adds_lane: Expr,
    adds_stack: Expr,
    reads_mask: Expr,
    reads_mask_high: Expr,
    is_exit: Expr,
    is_barrier: Expr,
    takes_rs1: Expr,
}

impl CsrDecode {
    fn declare(m: &Builder, shape: &Shape, meta: &Meta, is_csr: &Expr, cycles: &Expr, commits: &Expr) -> Self {
        let word = &meta.instruction;
        let number = word.slice(20, 12);
        let hits: Vec<(isa::Csr, Expr)> = isa::csrs()
            .into_iter()
            .map(|csr| (csr, m.wire(&format!("csr_{}", csr.name), &(is_csr & number.is(u64::from(csr.number))))))
            .collect();
        let hit = |kind: CsrKind| {
            hits.iter().find(|(csr, _)| csr.kind == kind).map_or_else(|| zeros(1), |(_, hit)| hit.clone())
        };
        let any = |wanted: &dyn Fn(&isa::Csr) -> bool| {
            let hits: Vec<Expr> = hits.iter().filter(|(csr, _)| wanted(csr)).map(|(_, hit)| hit.clone()).collect();
            rtl::reduce(&hits, &|a, b| a | b)
        };
        // funct3[1:0]: 1 write, 2 set, 3 clear; funct3[2]: immediate in the rs1 field.
        let operand = word.slice(15, 5);
        let writes = m.wire("csr_writes", &(!word.bit(13) | operand.any()));
        let clears = word.slice(12, 2).is(3);
        let is_exit = m.wire("writes_exit", &(hit(CsrKind::Exit) & &writes));
        let immediate_code = operand.extend(32).when(&(&is_exit & word.bit(14) & !&clears));

        let word_of = |value: &Expr, high: bool| value.slice(if high { 32 } else { 0 }, 32);
        let hart_base = join([&zeros(shape.lane_bits()), &meta.warp]).extend(32);
        let stack_shift = shape.stack_bytes.trailing_zeros() as usize + shape.lane_bits();
        let warp_offset = join([&zeros(stack_shift), &meta.warp]);
        let stack_base =
            lit(32, u64::from(shape.stacks())) + warp_offset.extend(warp_offset.width().max(32)).slice(0, 32);
        let mut sources = vec![
            lit(32, shape.threads as u64).when(&hit(CsrKind::Threads)),
            lit(32, shape.warps as u64).when(&hit(CsrKind::Warps)),
            hart_base.when(&hit(CsrKind::HartId)),
            m.wire("stack_base", &stack_base).when(&hit(CsrKind::StackEnd)),
            immediate_code,
        ];
        for high in [false, true] {
            sources.push(word_of(cycles, high).when(&hit(CsrKind::Cycle { high })));
            sources.push(word_of(commits, high).when(&hit(CsrKind::Instret { high })));
        }
        Self {
            legal: m.wire("csr_legal", &(any(&|_| true) & (!&writes | any(&|csr| csr.writable())))),
            uniform: m.wire("csr_value", &rtl::reduce(&sources, &|a, b| a | b)),
            adds_lane: hit(CsrKind::HartId),
            adds_stack: hit(CsrKind::StackEnd),
            reads_mask: hit(CsrKind::Mask { high: false }),
            reads_mask_high: hit(CsrKind::Mask { high: true }),
            is_barrier: hit(CsrKind::Barrier) & &writes,
            takes_rs1: !word.bit(14) & !clears,
            is_exit,
        }
    }
}
