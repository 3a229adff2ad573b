//! S7, end: what S8 reports of the instruction, and the lane. That is a fault, an exit code that is not 0, or a word
//! for `tohost`.

use rtl::{Builder, encode, lit, zeros};

use super::s7_commit::Commit;
use crate::shape::Shape;

pub fn outputs(m: &Builder, shape: &Shape, commit: &Commit) {
    let Commit { inputs, faults, commits, .. } = commit;
    let mut lane_one = faults.lane_one.clone();
    if shape.tohost != 0 {
        m.comment("A word store to `tohost`. The request has the word of the lane of its position, or of the leader.");
        let request = &commit.requested.request;
        let place = shape.tohost as usize / 4 % shape.threads;
        let own = m.wire("tohost_own", &request.own(place));
        let line = request.line.is(u64::from(shape.tohost >> (2 + shape.lane_bits())));
        let word = line & (&own | request.position.is_part(place));
        let stored = &commit.requested.push & &inputs.is_store & inputs.fields.funct3.bit(1) & word;
        let stored = m.wire("to_host", &m.fault("tohost_is_ignored", &stored, &zeros(1)));
        let lane = own.mux(&lit(shape.threads, 1 << place), &inputs.leader);
        lane_one = m.wire("reported_lane", &(lane_one | lane.when(&stored)));
        m.output("tohost_valid_s7", &stored);
        m.output("tohost_word_s7", &own.mux(&inputs.store.lane(place, 32), &request.leaders));
    }
    m.port_group("the end of the run: a fault, or an exit code that is not 0; the instruction and lane");
    m.output("fault_valid_s7", &faults.any);
    let fails = commits & &inputs.control.is_exit & faults.failed_exits.any();
    m.output("exit_fails_s7", &m.fault("an_exit_code_is_lost", &fails, &zeros(1)));
    m.output("fault_cause_s7", &faults.cause);
    m.output("fault_pc_s7", &inputs.meta.pc);
    m.output("fault_warp_s7", &inputs.meta.warp);
    m.output("fault_lane_s7", &encode(&lane_one));
    m.output("fault_lane_one_s7", &lane_one);
}
