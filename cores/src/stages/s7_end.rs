//! S7, end: what S8 reports of the instruction, and the lane. That is a fault, an exit code that is not 0, or a word
//! for `tohost`.

use rtl::{Builder, Expr, encode, lit};

use super::s7_commit::Commit;
use crate::shape::Shape;

pub fn outputs(m: &Builder, shape: &Shape, commit: &Commit) {
    let Commit { inputs, faults, commits, .. } = commit;
    let fails = commits & &inputs.control.is_exit & faults.failed_exits.any();
    let to_host = (shape.tohost != 0).then(|| ToHost::of(m, shape, commit));
    let lane_one = match &to_host {
        None => faults.lane_one.clone(),
        Some(to_host) => m.wire("reported_lane", &(&faults.lane_one | to_host.lane.when(&to_host.valid))),
    };
    m.port_group("the end of the run: a fault, or an exit code that is not 0; the instruction and lane");
    m.output("fault_valid_s7", &faults.any);
    m.output("exit_fails_s7", &m.fault("an_exit_code_is_lost", &fails, &rtl::zeros(1)));
    if let Some(ToHost { valid, word, .. }) = &to_host {
        m.output("tohost_valid_s7", valid);
        m.output("tohost_word_s7", word);
    }
    m.output("fault_cause_s7", &faults.cause);
    m.output("fault_pc_s7", &inputs.meta.pc);
    m.output("fault_warp_s7", &inputs.meta.warp);
    m.output("fault_lane_s7", &encode(&lane_one));
    m.output("fault_lane_one_s7", &lane_one);
}

/// A word store to `run.tohost`.
struct ToHost {
    valid: Expr,
    word: Expr,
    /// The lane that stores it, one-hot.
    lane: Expr,
}

impl ToHost {
    /// The request carries the word from the lane of its own position, or from the leader.
    fn of(m: &Builder, shape: &Shape, commit: &Commit) -> Self {
        m.comment("A word store to `tohost`.");
        let (inputs, request) = (&commit.inputs, &commit.requested.request);
        let place = shape.tohost as usize / 4 % shape.threads;
        let line = u64::from(shape.tohost >> (2 + shape.lane_bits()));
        let is_word = &inputs.is_store & inputs.fields.funct3.bit(1);
        let own = m.wire("tohost_own", &request.own(place));
        let written = &own | request.position.is_part(place);
        let valid = &commit.requested.push & is_word & request.line.is(line) & written;
        Self {
            valid: m.wire("to_host", &m.fault("tohost_is_ignored", &valid, &rtl::zeros(1))),
            word: own.mux(&inputs.store.lane(place, 32), &request.leaders),
            lane: own.mux(&lit(shape.threads, 1u64 << place), &inputs.leader),
        }
    }
}
