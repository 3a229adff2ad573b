//! S7, end: what S8 reports of the instruction, and the lane. That is a fault, an exit code that is not 0, or a word
//! for `tohost`.

use rtl::{Builder, Expr, join, lit, lowest_one, select_one_hot, zeros};

use super::s7_commit::Commit;
use crate::shape::Shape;

pub fn outputs(m: &Builder, shape: &Shape, commit: &Commit) {
    let Commit { inputs, faults, commits, .. } = commit;
    let mut lane_one = faults.lane_one.clone();
    if shape.tohost != 0 {
        m.comment("A word store to `tohost`: the lane whose word is written, and the word.");
        let request = &commit.requested.request;
        let ToHost { any, lane, word } =
            if shape.routes_stores() { of_lanes(m, shape, commit) } else { of_leader(m, shape, commit) };
        let line = request.line.is(u64::from(shape.tohost >> (2 + shape.lane_bits())));
        let stored = &commit.requested.push & &inputs.is_store & inputs.fields.funct3.bit(1) & line & any;
        let stored = m.wire("to_host", &m.fault("tohost_is_ignored", &stored, &zeros(1)));
        lane_one = m.wire("reported_lane", &(lane_one | lane.when(&stored)));
        m.output("tohost_valid_s7", &stored);
        m.output("tohost_word_s7", &word);
    }
    m.port_group("the end of the run: a fault, or an exit code that is not 0; the instruction and lane");
    m.output("fault_valid_s7", &faults.any);
    let fails = commits & &inputs.control.is_exit & faults.failed_exits.any();
    m.output("exit_fails_s7", &m.fault("an_exit_code_is_lost", &fails, &zeros(1)));
    m.output("fault_cause_s7", &faults.cause);
    m.output("fault_pc_s7", &inputs.meta.pc);
    m.output("fault_warp_s7", &inputs.meta.warp);
    m.output("fault_lane_s7", &lane_one);
}

/// A store to the position of `tohost` in its line.
struct ToHost {
    any: Expr,
    /// The lane, one-hot.
    lane: Expr,
    word: Expr,
}

fn place(shape: &Shape) -> usize {
    shape.tohost as usize / 4 % shape.threads
}

/// The request has the word of the lane of its position, or of the leader.
fn of_leader(m: &Builder, shape: &Shape, commit: &Commit) -> ToHost {
    let (inputs, request, place) = (&commit.inputs, &commit.requested.request, place(shape));
    let own = m.wire("tohost_own", &request.own(place));
    ToHost {
        any: &own | request.position.is_part(place),
        lane: own.mux(&lit(shape.threads, 1 << place), &inputs.leader),
        word: own.mux(&inputs.store.lane(place, 32), &request.leaders),
    }
}

/// The highest lane wins.
fn of_lanes(m: &Builder, shape: &Shape, commit: &Commit) -> ToHost {
    let (inputs, service) = (&commit.inputs, &commit.service);
    let position = u64::try_from(place(shape)).expect("a small number");
    let stores = m.wire_each(shape.lanes(), "stores_to_host", |lane| {
        service.served.bit(lane) & service.positions.lane(lane, shape.lane_bits()).is(position)
    });
    let reversed = |bits: &Expr| join(bits.lanes(1).iter().rev());
    let lane = m.wire("tohost_lane", &reversed(&lowest_one(&reversed(&stores))));
    let word = select_one_hot(&lane, inputs.store.lanes(32));
    ToHost { any: stores.any(), lane, word }
}
