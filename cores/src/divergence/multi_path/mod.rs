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
//! Latency: the active path is known in S8. The meeting of a path that has waited comes from block RAM in S9.
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

use rtl::{Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, join, zeros};
use weft_config::{MULTI_PATH, Unit};
use weft_trace::{MovePorts, SecondPorts, UnitPorts};

use super::hot::{self, HotTable};
use super::queue::Settled;
use super::ring::{self, Ring};
use super::row::Row;
use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace, timing};
use crate::formal::{Watched, points};
use crate::shape::Shape;
use crate::signals::{Path, Resolve, delay_by};
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

    fn compares_prediction(&self) -> bool {
        true
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let hot = |name, bits| Storage { name, words: shape.warps, bits };
        let table = |name, bits| Storage { name, words: shape.warps * shape.threads, bits };
        let path = 1 + Row::bits(shape);
        let mut tables = vec![
            hot("hot_x", path + FLAGS.len()),
            hot("rest_of_x", Active::bits(shape)),
            hot("hot_f", path + Queued::bits(shape)),
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
        let (tables, read) = Tables::declare(&m, shape, &inputs, &generation_s7);
        let waiting = Waiting::declare(&m, shape, &inputs, &generation_s8);
        let meetings = Meetings::declare(&m, shape, &inputs);

        let resolve = step::without_meetings(&m, &inputs.resolve, &read.active);
        let ran = Ran::of(&m, shape, &resolve, read.active, &meetings);
        let event = Event::of(&m, shape, &ran);
        let next = Next::of(&m, shape, &ran, &event, &waiting);
        let turn = Turn::of(&m, &ran, &event, &next, &waiting, &read.is_last);
        let change = Change::of(&m, &ran, &event, &waiting);
        let met = meetings.update(&change, &waiting.queue);
        let settled = waiting.update(&ran, &event, &next.up, &met);
        let active = turn.active(&ran, &next);
        let flags = join([&turn.is_due, &next.at_meeting, &next.leaves_at_ret]);
        tables.write(&m, shape, &inputs, &word_of_x(&next.path, &flags, &generation_s8), &active);

        let [gives_way, at_meeting, leaves_at_ret] = read.flags;
        let runs = &read.given.valid & !&read.given.parked;
        UnitOutputs {
            gives_way_s7: m.wire("given_gives_way", &(gives_way | (at_meeting & &runs))),
            leaves_at_ret_s7: leaves_at_ret & runs,
            validate: read.given,
            at_prediction: vec![at_prediction(&m, shape, &ran, &event, &waiting)],
            in_charge: vec![(next.path.clone(), turn.gives_way(&m, &next))],
            is_b: Vec::new(),
            restarts: zeros(0),
            shadows: zeros(0),
            trace: trace(&m, shape, &ran, &event, &settled),
        }
        .declare(&m, shape);
        cover(&m, shape, &ran, &event);
        if shape.formal {
            m.port_group("the watched warp");
            let at = Watched::inputs(&m, shape, "watched");
            let released = inputs.state_generation(&m, &at, &generation_s8);
            let generation = m.wire("generation_watched", &inputs.generation.index(&at.warp));
            let claims = Claims { m: &m, shape, at: &at, generation, released };
            claims.state(&tables, &ran.active, &waiting, &settled, &meetings, &met);
        }
        m.finish()
    }
}

/// The active path x of each warp.
struct Tables {
    x: HotTable,
    active: Memory,
}

struct Read {
    /// The path that S7 validates against.
    given: Path,
    flags: [Expr; 3],
    /// The rest of x in S8, and whether its turn ends with the next instruction.
    active: Active,
    is_last: Expr,
}

impl Tables {
    /// Declares the tables, and reads them for the warps in S6 and S7.
    fn declare(m: &Builder, shape: &Shape, inputs: &UnitInputs, generation_s7: &Expr) -> (Self, Read) {
        m.comment("The active path, which S7 validates against, and the rest of it for S8.");
        let x = HotTable::declare(m, shape, "x", FLAGS.len());
        let (given, flags) = hot::unpack(m, shape, &x.read_later(m, &inputs.warp_s6), generation_s7, FLAGS);
        let table = m.memory("rest_of_x", shape.warps, Active::bits(shape), MemoryStyle::Distributed);
        let active_s7 = m.wire("rest_s7", &table.read("rest_read", &inputs.warp_s7));
        let is_last = m.delay("is_last_s8", &turns::is_last(shape, &Active::unpack(m, shape, &active_s7).count));
        let active = Active::unpack(m, shape, &m.delay("rest_s8", &active_s7));
        (Self { x, active: table }, Read { given, flags, active, is_last })
    }

    /// Writes the path of a starting warp, or the next one from S8.
    fn write(&self, m: &Builder, shape: &Shape, inputs: &UnitInputs, word: &Expr, active: &Active) {
        m.comment("x is written in S8.");
        let UnitInputs { start_valid, start_warp, resolve, .. } = inputs;
        let write = m.wire("write", &(start_valid | &resolve.valid));
        let warp = m.wire("write_warp", &start_valid.mux(start_warp, &resolve.warp));
        let started = word_of_x(&inputs.start(shape), &zeros(FLAGS.len()), &zeros(1));
        self.x.write(m, &write, &warp, &start_valid.mux(&started, word));
        self.active.write(&write, &warp, &start_valid.mux(&Active::start(shape).pack(), &active.pack()));
    }
}

fn word_of_x(path: &Path, flags: &Expr, generation: &Expr) -> Expr {
    join([&hot::pack(&path.valid, &Row::of(path, generation)), flags])
}

fn at_prediction(m: &Builder, shape: &Shape, ran: &Ran, event: &Event, waiting: &Waiting) -> Expr {
    m.comment(
        "Whether the new path is at the predicted pc, compared for each path that it can be. A rotation always \
         resteers.",
    );
    let predicted = m.input("predicted_s8", shape.pc_bits);
    let at = |pc: &Expr| pc.eq(&predicted);
    let waited = event.frees.mux(&at(&ran.meeting.rpc_pc), &at(&waiting.queue.front.pc));
    let own = event.x_is_a.mux(&at(&ran.resolve.a_pc), &at(&ran.resolve.b_pc));
    m.wire("is_at_prediction", &event.stays.mux(&own, &waited))
}

fn trace(m: &Builder, shape: &Shape, ran: &Ran, event: &Event, settled: &Settled) -> UnitTrace {
    let Settled { front, moved, .. } = settled;
    let Resolve { valid, rotates, .. } = ran.resolve;
    let s9 = |name: &str, value: &Expr| delay_by(m, name, value, usize::from(shape.trace));
    let trace = UnitPorts {
        second: SecondPorts {
            rotates: s9("rotated", rotates),
            y_valid: front.valid.clone(),
            y_pc: front.pc.clone(),
            y_depth: front.depth.clone(),
            y_mask: front.mask.clone(),
            y_parked: front.parked.clone(),
        },
        moves: MovePorts {
            yields: s9("yielded", &event.yields),
            inserts: moved.as_ref().map_or(zeros(1), |moved| moved.inserts.clone()),
            extracts: moved.as_ref().map_or(zeros(1), |moved| moved.extracts.clone()),
            pushes: s9("pushed", &(valid & &event.meets)),
            pops: s9("popped", &(valid & &event.completes)),
        },
        exchange: UnitTrace::none(shape).0.exchange,
    };
    Traced::of(shape, &trace)
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
