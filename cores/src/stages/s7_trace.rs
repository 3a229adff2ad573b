//! S7, trace: the commit, reported in S8, and the squash.

use rtl::{Builder, Bundle, Expr, MemoryStyle, concat, decode, increment, lit, zeros};
use weft_trace::{CommitPorts, SquashPorts};

use super::context::join_context;
use super::s7_commit::{Commit, Inputs};
use crate::shape::{PC, Shape};
use crate::signals::Resolve;
use crate::trace::Traced;

/// Declares the ports. `resolved` is the outcome of the instruction in S8.
pub fn outputs(m: &Builder, shape: &Shape, commit: &Commit, resolved: &Resolve) {
    m.port_group("trace");
    let mut traced = Traced::of(shape, &traced_commit(m, shape, commit)).delay(m, shape, "q");
    traced.0.valid = &resolved.valid & resolved.rotates.none();
    traced.outputs(m, "s8");
    let meta = &commit.inputs.meta;
    let squashes = m.fault("reports_commits_as_squashes", &commit.squashed(), &meta.valid);
    let squashes = m.fault("reports_no_squash", &squashes, &zeros(1));
    let squash = SquashPorts { valid: squashes, warp: meta.warp.clone() };
    Traced::of(shape, &squash).outputs(m, "s7");
}

/// The trace fields of the instruction, without `valid`. That comes from the register of the outcome in S8, which
/// reset clears.
fn traced_commit(m: &Builder, shape: &Shape, commit: &Commit) -> CommitPorts<Expr> {
    let Commit { inputs, service, csrs, registers, requested, .. } = commit;
    let Inputs { meta, control, number, .. } = inputs;
    let unserved = &service.unserved;
    let partial_at_this_pc = partial_at_this_pc(m, shape, commit);
    let divergent = (&control.is_branch & inputs.splits()) | (&control.is_jalr & unserved.any() & !partial_at_this_pc);
    let op = &control.memory_op;
    let op = service.at_console.mux(&lit(4, 3), &control.is_atomic.mux(&increment(op, 2), &increment(op, 1)));
    let op = m.wire("traced_op", &op);
    let to_console = &requested.push & &service.at_console;
    let [mask, data] = requested.request.line(m, shape, ["traced_mask", "traced_data"]);
    let values = &registers.write.data;
    let codes = m.wire_each(shape.lanes(), "codes", |lane| zeros(32) - values.lane(lane, 32));
    CommitPorts {
        valid: zeros(1),
        warp: meta.warp.clone(),
        slot: meta.slot.clone(),
        pc: meta.pc.clone(),
        instruction: meta.instruction.clone(),
        mask: inputs.active().clone(),
        served: service.served.clone(),
        number: number.slice(0, 32),
        rd: inputs.rd().when(&(&control.writes | inputs.reserved.any_late())),
        writes: &registers.writes | &control.is_exit,
        values: control.is_exit.mux(&codes, values),
        memory: op.when(&requested.push),
        memory_address: concat([&service.line, &zeros(2 + shape.lane_bits())]),
        memory_data: to_console.mux(&data.slice(0, 8).extend(shape.line_bits()), &data),
        memory_mask: to_console.mux(&lit(4 * shape.threads, 1), &mask),
        divergent,
        region: csrs.region.clone(),
    }
}

/// Whether the preceding commit of this slot was a part of the same instruction.
fn partial_at_this_pc(m: &Builder, shape: &Shape, commit: &Commit) -> Expr {
    let (meta, commits) = (&commit.inputs.meta, &commit.commits);
    let contexts = shape.contexts();
    let context = join_context(&meta.warp, &meta.slot);
    let partial = m.register("previous_partial", contexts);
    let one = m.wire("commit_one", &decode(&context, contexts).when(commits));
    let now = commit.service.unserved.any().repeat(contexts);
    partial.next(&((&one & now) | (!&one & &partial))).reset(0);
    let pcs = m.memory("previous_pcs", contexts, PC, MemoryStyle::Distributed);
    pcs.write(commits, &context, &meta.pc);
    let pc = pcs.read("previous_pc", &context);
    partial.index(&context) & pc.eq(&meta.pc)
}
