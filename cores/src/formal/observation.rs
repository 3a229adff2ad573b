//! The core's edge: what one thread does, as the RISC-V formal interface (RVFI) tells it of a core of one hart.
//!
//! A record is opened where an instruction commits, in S8. Where the result of a load comes later, the late write, of the
//! same order, closes it. A harness chooses the thread and knows the specification: `cores/tests/integration/formal/edge/`.

use rtl::{Builder, Bundle, ElaborationError, Instance, Module, concat, decode, select, zeros};
use weft_trace::{CommitPorts, LatePorts};

use crate::divergence::DivergenceUnit;
use crate::shape::Shape;
use crate::signals::{Resolve, delay_by, flag_delay_by};
use crate::trace::Traced;

rtl::bundle! {
    /// What the observed thread does in a cycle; all but `valid`, `waits` and `late_valid` mean nothing without them.
    pub struct Observation(shape: &Shape) {
        /// An instruction commits that serves the thread, or faults on its path.
        valid: 1,
        /// One commits on its path that leaves it to a later part.
        waits: 1,
        /// Commits of the core before this one.
        order: 32,
        /// The word.
        insn: 32,
        /// Its address.
        pc_rdata: 32,
        /// Where the thread goes.
        pc_wdata: 32,
        /// Whether it is among those that go on (bit 0), that stay or are not taken (1), that end (2).
        goes: 3,
        /// It parks at the barrier.
        parks: 1,
        /// Lanes of the path.
        mask: shape.threads,
        /// Those served.
        served: shape.threads,
        /// The one that S6 elected to choose who is served, for an access of memory or an indirect jump.
        leader: shape.threads,
        /// What was read as rs1.
        rs1_rdata: 32,
        /// What was read as rs2.
        rs2_rdata: 32,
        /// The register that is written, now or late; x0: none.
        rd_addr: 5,
        /// What is written, now; of a thread that ends, its exit code.
        rd_wdata: 32,
        /// It is written now.
        rd_valid: 1,
        /// What is asked of memory, as in the trace: 0 nothing, 1 load, 2 store, 3 console.
        mem_op: 4,
        /// The line.
        mem_addr: 32,
        /// Its bytes that are written.
        mem_wmask: 4 * shape.threads,
        /// What is written to them.
        mem_wdata: shape.line_bits(),
        /// It faults: nothing is written that anybody reads, and nothing commits any more.
        trap: 1,
        /// `mcause`.
        trap_cause: 4,
        /// The lane that is told to be at fault.
        trap_lane: shape.lane_bits(),
        /// A late result of the thread is written.
        late_valid: 1,
        /// The order of its instruction.
        late_order: 32,
        /// The register.
        late_rd_addr: 5,
        /// The value.
        late_rd_wdata: 32,
    }
}

/// Elaborates the pipeline with the observation of a thread, at ports `rvfi_…`, and its register file cut down to one
/// register of each lane ([`registers`](super::registers)), which is chosen at `row_kept`.
pub fn elaborate(shape: &Shape, unit: &dyn DivergenceUnit) -> Result<Module, ElaborationError> {
    let shape = Shape { observed: true, trace: true, ..shape.clone() };
    crate::pipeline::elaborate(&shape, unit)
}

/// Declares the choice of the thread and its observation, from S4, S6, S7 and S9.
pub fn observe(m: &Builder, shape: &Shape, [s4, s6, s7, s9]: [&Instance; 4]) {
    m.port_group("the thread that is observed");
    let warp = m.input("rvfi_warp", shape.warp_bits());
    let lane = m.input("rvfi_lane", shape.lane_bits());
    let of_thread = |mask: &rtl::Expr| (mask & decode(&lane, shape.threads)).any();
    let of_lane = |line: &rtl::Expr| select(&lane, &line.lanes(32));
    let address = |pc: &rtl::Expr| concat([pc, &zeros(2)]);

    let resolve = Resolve::build(shape, &mut |field, _| s7.output(&format!("{field}_s8")));
    let commit = Traced::<CommitPorts<rtl::Expr>>::from_instance(s7, shape, "s8").0;
    let rotates = resolve.rotates.any();
    let commits = m.wire("commits_s8", &(&resolve.valid & !rotates & resolve.warp.eq(&warp) & of_thread(&commit.mask)));
    let faults = flag_delay_by(m, "rvfi_fault", &s7.output("fault_valid_s7"), 1);
    let of_path = of_thread(&commit.mask) & delay_by(m, "rvfi_fault_warp", &s7.output("fault_warp_s7"), 1).eq(&warp);
    let trap = m.wire("traps_s8", &(faults & of_path));
    let serves = of_thread(&commit.served);
    let (in_a, in_b, ends) = (of_thread(&resolve.a_mask), of_thread(&resolve.b_mask), of_thread(&resolve.exit_mask));
    let late = Traced::<LatePorts<rtl::Expr>>::from_instance(s9, shape, "s9").0;
    let late_valid = late.valid & late.warp.slice(0, shape.warp_bits()).eq(&warp);

    m.port_group("what it does");
    Observation {
        valid: (&commits & &serves) | &trap,
        waits: &commits & !&serves,
        order: commit.number.clone(),
        insn: commit.instruction.clone(),
        pc_rdata: commit.pc.clone(),
        pc_wdata: address(&in_a.mux(&resolve.a_pc, &resolve.b_pc)),
        goes: rtl::join([&in_a, &in_b, &ends]),
        parks: &resolve.a_parked & in_a,
        mask: commit.mask.clone(),
        served: commit.served.clone(),
        leader: delay_by(m, "rvfi_leader", &s6.output("leader_s7"), 1),
        rs1_rdata: delay_by(m, "rvfi_rs1", &of_lane(&s4.output("rs1_s5")), 3),
        rs2_rdata: delay_by(m, "rvfi_rs2", &of_lane(&s4.output("rs2_s5")), 3),
        rd_addr: commit.rd.clone(),
        rd_wdata: of_lane(&commit.values),
        rd_valid: &commit.writes & !&ends,
        mem_op: commit.memory.clone(),
        mem_addr: commit.memory_address.clone(),
        mem_wmask: commit.memory_mask.clone(),
        mem_wdata: commit.memory_data.clone(),
        trap,
        trap_cause: delay_by(m, "rvfi_cause", &s7.output("fault_cause_s7"), 1),
        trap_lane: delay_by(m, "rvfi_fault_lane", &s7.output("fault_lane_s7"), 1),
        late_valid: late_valid & of_thread(&late.mask),
        late_order: late.number,
        late_rd_addr: late.rd,
        late_rd_wdata: of_lane(&late.values),
    }
    .fields()
    .into_iter()
    .for_each(|(field, value)| m.output(&format!("rvfi_{field}"), value));
}
