//! The core's edge: the actions of one thread, as the RISC-V formal interface (RVFI) shows them for a core of one
//! hart.
//!
//! A record opens where an instruction commits, in S8. If the result of a load comes later, the late write with the
//! same `order` closes it. A harness chooses the thread and contains the specification:
//! `cores/tests/integration/formal/edge/`.

use rtl::{Builder, Bundle, ElaborationError, Instance, Module, concat, decode, encode, select, zeros};
use weft_trace::{CommitPorts, LatePorts};

use crate::divergence::DivergenceUnit;
use crate::shape::Shape;
use crate::signals::{Resolve, delay_by, flag_delay_by};
use crate::trace::Traced;

/// Elaborates the pipeline with the observation of a thread, at ports `rvfi_…`. Each bank of its register file is
/// reduced to one register ([`registers`](super::registers)), selected by `row_kept`.
pub fn elaborate(shape: &Shape, unit: &dyn DivergenceUnit) -> Result<Module, ElaborationError> {
    let shape = Shape { observed: true, trace: true, ..shape.clone() };
    crate::pipeline::elaborate(&shape, unit)
}

/// Declares the choice of the thread and its actions in a cycle, from S3, S4, S6, S7 and S9. Only `valid`, `waits` and
/// `late_valid` have a meaning without one of these set.
pub fn observe(m: &Builder, shape: &Shape, [s3, s4, s6, s7, s9]: [&Instance; 5]) {
    m.port_group("the thread that is observed");
    let warp = m.input("rvfi_warp", shape.warp_bits());
    let lane = m.input("rvfi_lane", shape.lane_bits());
    let of_thread = |mask: &rtl::Expr| (mask & decode(&lane, shape.threads)).any();
    let of_lane = |line: &rtl::Expr| select(&lane, line.lanes(32));
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

    m.port_group("what leaves the buffers, of any thread: whether its fetch failed");
    m.output("rvfi_buffered_valid", &s3.output("valid_s4"));
    m.output("rvfi_buffered_pc", &address(&s3.output("pc_s4")));
    m.output("rvfi_buffered_fault", &s3.output("fetch_fault_s4"));

    m.port_group("its actions");
    let actions = [
        // An instruction commits that serves the thread, or faults on its path.
        ("valid", (&commits & &serves) | &trap),
        // An instruction commits on its path that leaves the thread to a later part.
        ("waits", &commits & !&serves),
        // Number of commits of the core before this one.
        ("order", commit.number),
        ("insn", commit.instruction),
        ("pc_rdata", commit.pc),
        // The pc where the thread continues.
        ("pc_wdata", address(&in_a.mux(&resolve.a_pc, &resolve.b_pc))),
        // Whether the thread is in path a (bit 0), in path b (1), or ends (2).
        ("goes", rtl::join([&in_a, &in_b, &ends])),
        ("parks", &resolve.a_parked & in_a),
        ("mask", commit.mask),
        ("served", commit.served),
        // The lane that S6 elected for a memory access or an indirect jump.
        ("leader", delay_by(m, "rvfi_leader", &s6.output("leader_s7"), 1)),
        ("rs1_rdata", delay_by(m, "rvfi_rs1", &of_lane(&s4.output("rs1_s5")), 3)),
        ("rs2_rdata", delay_by(m, "rvfi_rs2", &of_lane(&s4.output("rs2_s5")), 3)),
        // The register that is written, now or late; x0 for none.
        ("rd_addr", commit.rd),
        // The value that is written now; for a thread that ends, its exit code.
        ("rd_wdata", of_lane(&commit.values)),
        ("rd_valid", &commit.writes & !&ends),
        // The memory operation, as in the trace: 0 none, 1 load, 2 store, 3 console.
        ("mem_op", commit.memory),
        ("mem_addr", commit.memory_address),
        // The bytes of the line that are written.
        ("mem_wmask", commit.memory_mask),
        ("mem_wdata", commit.memory_data),
        // The thread faults. Nothing commits from then on, and nothing reads the values that are written.
        ("trap", trap),
        ("trap_cause", delay_by(m, "rvfi_cause", &s7.output("fault_cause_s7"), 1)),
        // The lane that is reported as the one at fault.
        ("trap_lane", delay_by(m, "rvfi_fault_lane", &encode(&s7.output("fault_lane_s7")), 1)),
        // A long-latency result of the thread is written.
        ("late_valid", late_valid & of_thread(&late.mask)),
        ("late_order", late.number),
        ("late_rd_addr", late.rd),
        ("late_rd_wdata", of_lane(&late.values)),
    ];
    for (field, value) in &actions {
        m.output(&format!("rvfi_{field}"), value);
    }
}
