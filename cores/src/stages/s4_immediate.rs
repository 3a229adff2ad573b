//! S4, in parallel to the register read: the operand that all lanes share, the offsets to the pc, and control of the lanes
//! (`s4_lanes`).

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, join, lit, zeros};

use super::decoder::{CsrAccess, Decoder, Names};
use super::s4_lanes;
use crate::isa::{CsrKind, Format, Operation};
use crate::shape::{PC, Shape};

rtl::bundle! {
    pub struct Shared(shape: &Shape) {
        /// The immediate, or the CSR value for all lanes; 0 for an atomic operation or a division.
        immediate: 32,
        /// From the pc to the target of a branch or `jal`; for all others, to the next instruction.
        target_offset: PC,
        /// From the pc to the value of `auipc`; for all others, to the next instruction.
        value_offset: PC,
        /// Each lane adds its own number (mhartid).
        add_lane: 1,
        /// Each lane adds the end of its own stack.
        add_stack: 1,
    }
}

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m =
        Builder::new("s4_immediate", "S4: the immediate, the offsets that are added to the pc, control of the lanes.");
    m.timing("all outputs are registered at the end of S4, for S5, which joins the counter. It is read in S4.");
    let word = m.input("instruction_s4", 32);
    let warp = m.input("warp_s4", shape.warp_bits());
    m.port_group("counters");
    let counters = ["cycles", "instructions", "thread_instructions", "commits"].map(|name| m.input(name, 64));
    let argument = m.input("argument", if shape.control { 32 } else { 0 });
    let names = Names { m: &m, decoder: Decoder::new(&m, shape, &word) };
    let decoder = &names.decoder;

    let is_csr = names.any("is_csr", &|e| matches!(e.operation, Operation::Csr(_)));
    let csr = csr_value(&m, shape, decoder, &is_csr, &warp, &argument);
    let counter = counter_value(&m, decoder, &is_csr, &counters);
    let immediate = m.wire("immediate", &(encoded(&m, decoder, &word) | &csr.value));
    let jumps = decoder.any(&|e| matches!(e.operation, Operation::Branch | Operation::Jal));
    let is_auipc = decoder.is(Operation::Auipc);
    let upper = join([&zeros(10), &immediate.from(12)]);
    m.port_group("in S5");
    let mut shared = Shared {
        target_offset: jumps.mux(&immediate.from(2), &lit(PC, 1)),
        value_offset: is_auipc.mux(&upper, &lit(PC, 1)),
        immediate,
        add_lane: csr.adds_lane,
        add_stack: csr.adds_stack,
    }
    .delay(&m, shape, "q");
    shared.immediate = shared.immediate | counter;
    shared.outputs(&m, "s5");
    s4_lanes::outputs(shape, &names, &is_csr);
    m.finish()
}

/// The immediate of the instruction's format; 0 if there is none.
fn encoded(m: &Builder, decoder: &Decoder, word: &Expr) -> Expr {
    let named = |name: &str, formats: &'static [Format]| decoder.wire(m, name, &|e| formats.contains(&e.format));
    use Format::{B, I, J, S, U};
    let is_u = named("format_u", &[U]);
    let is_uj = named("format_uj", &[U, J]);
    let is_j = named("format_j", &[J]);
    let is_b = named("format_b", &[B]);
    let is_i = named("format_i", &[I]);
    let is_s = named("format_s", &[S]);
    let is_ij = named("format_ij", &[I, J]);
    let is_sb = named("format_sb", &[S, B]);
    let sign = word.bit(31);
    let sign_isb = m.wire("sign_isb", &(&sign & (&is_i | &is_sb)));
    let sign_isbj = m.wire("sign_isbj", &(&sign & (&is_ij | &is_sb)));
    let is_isbj = m.wire("format_isbj", &(&is_ij | &is_sb));
    let has_10_to_5 = m.fault("stores_and_branches_lose_bits_10_to_5", &is_isbj, &is_ij);
    join([
        &((word.bit(20) & &is_i) | (word.bit(7) & &is_s)),
        &(word.slice(21, 4).when(&is_ij) | word.slice(8, 4).when(&is_sb)),
        &word.slice(25, 6).when(&has_10_to_5),
        &((&sign & (&is_i | &is_s)) | (word.bit(7) & &is_b) | (word.bit(20) & &is_j)),
        &(word.slice(12, 8).when(&is_uj) | sign_isb.repeat(8)),
        &(word.slice(20, 12).when(&is_u) | sign_isbj.repeat(12)),
    ])
}

/// The value of a CSR instruction that all lanes share: an exit code, a CSR, or the shared bits of one.
struct CsrValue {
    value: Expr,
    adds_lane: Expr,
    adds_stack: Expr,
}

/// The word of a counter that the instruction reads, in S5. All words are registered, and those of other counters are
/// cleared, because the reset of a register costs less than a multiplexer.
fn counter_value(m: &Builder, decoder: &Decoder, is_csr: &Expr, counters: &[Expr; 4]) -> Expr {
    use CsrKind::{Cycle, Instret, Parts, ThreadInstructions};
    let kinds = |high| {
        [
            ("cycles", Cycle { high }),
            ("instructions", Instret { high }),
            ("thread_instructions", ThreadInstructions { high }),
            ("parts", Parts { high }),
        ]
    };
    let words = [(false, "low"), (true, "high")].into_iter().flat_map(|(high, half)| {
        kinds(high).into_iter().zip(counters).map(move |((name, kind), counter)| {
            let reads = is_csr & decoder.csr_is(kind);
            let reads = if high { reads } else { m.wire(&format!("reads_{name}"), &reads) };
            let word = counter.lane(usize::from(high), 32);
            // A selection of 0, not a mask, becomes the reset of the register.
            m.delay(&format!("{name}_{half}"), &reads.mux(&word, &zeros(32)))
        })
    });
    rtl::any_of(words)
}

fn csr_value(m: &Builder, shape: &Shape, decoder: &Decoder, is_csr: &Expr, warp: &Expr, argument: &Expr) -> CsrValue {
    let hit = |name: &str, kind| m.wire(&format!("csr_{name}"), &(is_csr & decoder.csr_is(kind)));
    let hart = hit("mhartid", CsrKind::HartId);
    let stack_end = hit("stack_end", CsrKind::StackEnd);
    let access = CsrAccess::new(&decoder.fields);
    let exit_code = hit("exit", CsrKind::Exit) & &access.immediate & &access.keeps_operand;

    let hart_base = join([&zeros(shape.lane_bits()), warp]).extend(32);
    let stack_shift = shape.stack_bytes.trailing_zeros() as usize + shape.lane_bits();
    let warp_offset = join([&zeros(stack_shift), warp]);
    let stack_base = lit(32, u64::from(shape.stacks())) + warp_offset.extend(warp_offset.width().max(32)).slice(0, 32);
    let mut sources = vec![
        lit(32, shape.threads as u64).when(&hit("threads", CsrKind::Threads)),
        lit(32, shape.warps as u64).when(&hit("warps", CsrKind::Warps)),
        hart_base.when(&hart),
        m.wire("stack_base", &stack_base).when(&stack_end),
        decoder.fields.rs1.extend(32).when(&m.wire("exit_code", &exit_code)),
    ];
    if shape.control {
        sources.push(argument.when(&hit("argument", CsrKind::Argument)));
    }
    CsrValue { value: m.wire("csr_value", &rtl::any_of(&sources)), adds_lane: hart, adds_stack: stack_end }
}
