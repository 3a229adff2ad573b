//! `multi-path`: post-dominator reconvergence where every path takes its turn, so that no path waits for ever.
//!
//! The active path x runs. The other paths wait in a queue. A divergence makes a *meeting*: the reconvergence point of the
//! instruction, the threads that it expects, and those that have arrived. A path that arrives is stored in its meeting
//! only. When all threads that live have arrived, they are one path again and run. Meetings are nested: each path and each
//! meeting knows the next one, its `up`.
//!
//! A turn sends x to the back of the queue. If threads wait at some meeting of the warp, x also leaves its own meeting for
//! the next one, so that they do not wait for a path that spins or waits at the barrier.
//!
//! - `step`: what an instruction, or a step without one, does to the active path;
//! - `meetings`: the meetings in block RAM, and the meeting of x in LUT RAM;
//! - `waiting`: the queue: the front f in LUT RAM, and the paths behind it in a ring;
//! - `turns`: the end of a turn, `divergence.fair_after`.
//!
//! Reconvergence points, and the arrival of an instruction's paths, are those of the stacks ([`stack`](super::stack)).
//!
//! Latency: the active path is known in S8. The meeting of a path that has waited comes from block RAM, read in S7.
//!
//! Storage, for each warp: x, f, the meeting of x and some counts in LUT RAM; T meetings and T paths in block RAM. The
//! meetings of a warp are inner nodes of one binary tree over its threads, so T − 1 are enough. A new meeting has the row
//! of the lowest thread of one side, the one that does not have the lowest thread of both. No two have the same.

mod claims;
mod meetings;
mod row;
mod step;
mod turns;
mod waiting;

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, zeros};
use weft_config::{MULTI_PATH, Unit};
use weft_trace::{MovePorts, UnitPorts};

use super::hot::{self, ActiveRows};
use super::queue::Settled;
use super::ring::{self, Ring};
use super::row::Row;
use super::stack::outcome::claim_gone;
use super::stack::places::Arrivals;
use super::watch::Watch;
use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace, at_prediction, timing};
use crate::formal::points;
use crate::shape::Shape;
use crate::signals::{Resolve, delay_by};
use crate::trace::Traced;

use claims::Claims;
use meetings::{Change, Meetings};
use row::{Active, FLAGS, Meeting, Queued};
use step::{Event, Next, Ran};
use turns::Turn;
use waiting::Waiting;

pub struct MultiPath;

impl DivergenceUnit for MultiPath {
    fn descriptor(&self) -> &'static Unit {
        &MULTI_PATH
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let hot = |name, bits| Storage { name, words: shape.warps, bits };
        let table = |name, bits| Storage { name, words: shape.warps * shape.threads, bits };
        let mut tables = vec![
            hot("hot_x", hot::bits(shape, FLAGS.len())),
            hot("rest_of_x", Active::bits(shape)),
            hot("hot_f", hot::bits(shape, Queued::bits(shape))),
            hot("meeting_of_x", Meeting::bits(shape)),
            table("meetings", Meeting::bits(shape)),
        ];
        if ring::exists(shape) {
            tables.push(table("rows", Row::bits(shape) + Queued::bits(shape)));
            tables.push(hot("rings", Ring::bits(shape)));
        }
        tables
    }

    fn listed_paths(&self, shape: &Shape) -> usize {
        claims::listed_paths(shape)
    }

    fn listed_returns(&self, shape: &Shape) -> usize {
        shape.threads - 1
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let m = Builder::new(
            "multi_path",
            "Divergence unit: reconvergence at meetings, where threads wait for each other. Each path takes its turn.",
        );
        m.timing(&timing(shape));
        let inputs = UnitInputs::declare(&m, shape);
        let [generation_s7, generation_s8] = inputs.generations(&m);
        m.comment("The active path, which S7 validates against, and the rest of it for S8.");
        let (names, bits) = (["x", "rest_of_x", "rest"], Active::bits(shape));
        let (tables, read) = ActiveRows::declare(&m, shape, &inputs, names, FLAGS, bits, &generation_s7);
        let active_s7 = Active::unpack(&m, shape, &read.rest);
        let is_last = m.delay("is_last_s8", &turns::is_last(shape, &active_s7.count));
        let active = Active::unpack(&m, shape, &m.delay("rest_s8", &read.rest));
        let waiting = Waiting::declare(&m, shape, &inputs, &generation_s8);
        let meetings = Meetings::declare(&m, shape, &inputs, &waiting.queue);

        let resolve = step::without_meetings(&m, &inputs.resolve, &active);
        let kind = step::kind_of_meeting(&m, &inputs.ahead.reconvergence, &active_s7);
        let point = active_s7.point(&meetings.of_x_s7());
        let arrivals = Arrivals::ahead(&m, shape, &inputs, &read.given, &point, &kind);
        let ran = Ran::of(&m, shape, &resolve, &read.given, active, &meetings, &arrivals);
        let event = Event::of(&m, shape, &ran);
        let next = Next::of(&m, shape, &ran, &event, &waiting);
        let turn = Turn::of(&m, &ran, &event, &next, &waiting, &is_last);
        let change = Change::of(&m, &ran, &event, &waiting);
        let met = meetings.update(&change, &waiting.queue);
        let settled = waiting.update(&ran, &event, &next.up, &met);
        m.comment("x is written in S8.");
        let word = hot::pack(&next.path, &generation_s8, [&turn.is_due, &next.at_meeting, &next.leaves_at_ret]);
        let rest = [&Active::start(shape).pack(), &turn.active.pack()];
        tables.write(&m, shape, &inputs, &word, &zeros(1), rest);

        let [gives_way, at_meeting, leaves_at_ret] = read.flags;
        let runs = read.given.can_run();
        let gives_way_s7 = m.wire("given_gives_way", &(gives_way | (at_meeting & &runs)));
        let at_prediction = at_prediction(&m, shape, |at| {
            let waited = event.frees.mux(&at(&ran.meeting.rpc_pc), &at(&waiting.queue.front.pc));
            event.stays.mux(&event.x_is_a.mux(&at(&resolve.a_pc), &at(&resolve.b_pc)), &waited)
        });
        let gives_way = turn.gives_way(&m, &next);
        let trace = trace(&m, shape, &ran, &event, &settled);
        UnitOutputs {
            leaves_at_ret_s7: leaves_at_ret & runs,
            ..UnitOutputs::of_one_slot([read.given, next.path.clone()], [gives_way_s7, gives_way], trace)
        }
        .following(&at_prediction)
        .declare(&m, shape);
        cover(&m, shape, &ran, &event);
        if shape.formal {
            let (watch, released) = Watch::declare(&m, shape, &inputs, &generation_s8);
            let watch = watch.with_named_generation();
            arrivals.state(&watch, &resolve, &ran.active.point(&ran.meeting));
            claim_gone(&watch, &resolve, &ran.outcome.gone, &ran.whole);
            let claims = Claims { watch: &watch, released };
            claims.state(&tables, &ran.active, &waiting, &settled, &meetings, &met);
        }
        m.finish()
    }
}

fn trace(m: &Builder, shape: &Shape, ran: &Ran, event: &Event, settled: &Settled) -> UnitTrace {
    let Resolve { valid, rotates, .. } = ran.resolve;
    let trace = settled.trace(m, shape, rotates, &event.yields);
    let s9 = |name: &str, value: &Expr| delay_by(m, name, &(valid & value), usize::from(shape.trace));
    let moves = MovePorts { pushes: s9("pushed", &event.meets), pops: s9("popped", &event.completes), ..trace.moves };
    Traced::of(shape, &UnitPorts { moves, ..trace })
}

/// Coverage: how meetings begin and end.
fn cover(m: &Builder, shape: &Shape, ran: &Ran, event: &Event) {
    let Resolve { valid, rotates, .. } = ran.resolve;
    let found = [
        ("a_meeting_begins", valid & &event.meets),
        ("one_of_two_paths_arrives_at_once", valid & &event.joins),
        ("a_path_arrives_without_a_commit", valid & rotates & &event.arrives),
        ("the_threads_that_waited_go_on", valid & &event.frees & &event.arrives),
        ("they_go_on_because_the_others_ended", valid & &event.frees & &event.ends),
        ("they_go_on_because_a_path_lets_go", valid & &event.frees & &event.lets_go),
        ("a_path_lets_go_of_others_that_run", valid & &event.lets_go & !&event.completes),
        ("a_meeting_without_threads_completes_the_next", valid & &event.cascades),
    ];
    points(m, shape, &found);
}
