//! `minority-first`: of two paths, the one with fewer threads runs first, until its threads reach the reconvergence
//! point of the outermost divergence.
//!
//! The first divergence of a warp opens a *region*, up to the reconvergence point of that instruction. In it, a
//! divergence pushes the larger path, and the smaller one runs. Threads that arrive at the point wait there, and the
//! top of the stack runs. When the stack is empty, the threads that waited go on, and the region is closed. It also
//! closes when all other threads have ended.
//!
//! Reconvergence points, arrivals and parts of memory instructions are those of the stacks
//! ([`stack`](super::stack)), but for one: a path never arrives after the release of a barrier. While a region is
//! open, some thread is not parked, so there is no release. A path that parks at the point is a deadlock. A path yields
//! only at a `ret`.
//!
//! Latency: the active path is known in S8.
//!
//! Storage, for each warp, in LUT RAM: the active path, the region, and a stack of log2 T rows of (pc, depth, mask).
//! The stack cannot overflow: a row has at least as many threads as the paths above it together, so each row at
//! least doubles the threads.

mod claims;
mod row;
mod step;

use rtl::{Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, count_ones, join, lit, zeros};

use super::hot::{self, HotTable};
use super::row::Row;
use super::stack::below::{Below, Size, Step};
use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace, timing};
use crate::formal::{Watched, points, points_at_heights};
use crate::shape::Shape;
use crate::signals::{Path, Resolve};
use crate::trace::Traced;
use claims::Claims;
use row::{FLAGS, Pushed, Region};
use step::{Next, Outcome, Ran};
use weft_config::{MINORITY_FIRST, Unit};
use weft_trace::{MovePorts, SecondPorts, UnitPorts};

pub struct MinorityFirst;

/// The rows of the stack.
fn size(shape: &Shape) -> Size {
    Size {
        bits: Pushed::bits(shape),
        rows: shape.threads.ilog2() as usize,
        at_once: 1,
        style: MemoryStyle::Distributed,
    }
}

fn height_bits(shape: &Shape) -> usize {
    size(shape).height_bits()
}

impl DivergenceUnit for MinorityFirst {
    fn descriptor(&self) -> &'static Unit {
        &MINORITY_FIRST
    }

    fn compares_prediction(&self) -> bool {
        true
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let table = |name, bits| Storage { name, words: shape.warps, bits };
        let tables = [table("hot_path", 1 + Row::bits(shape) + FLAGS.len()), table("regions", Region::bits(shape))];
        tables.into_iter().chain(size(shape).storage(shape.warps)).collect()
    }

    fn listed_paths(&self, shape: &Shape) -> usize {
        claims::listed_paths(size(shape).rows)
    }

    fn listed_returns(&self, _: &Shape) -> usize {
        1
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let m = Builder::new(
            "minority_first",
            "Divergence unit: of two paths the smaller one runs first. The threads wait for each other at the\n\
             reconvergence point of the outermost divergence.",
        );
        m.timing(&timing(shape));
        let inputs = UnitInputs::declare(&m, shape);
        let UnitInputs { generation, warp_s7, resolve, .. } = &inputs;
        let [generation_s7, generation_s8] = inputs.generations(&m);
        let (tables, read) = Tables::declare(&m, shape, &inputs, &generation_s7);
        let rows = Below::declare(&m, shape, size(shape), warp_s7, [&read.height_s7, &read.region.height]);

        let ran = Ran::of(&m, shape, resolve, read.region, &read.is_open);
        let outcome = Outcome::of(&m, &ran);
        let next = Next::of(&m, shape, &ran, &outcome, &rows);
        let pushed = m.wire("pushed", &outcome.pushed.pack());
        let step = Step { pops: &next.pops, pushes: &outcome.pushes, pushed: &pushed, two: None };
        let height = rows.height_after(&step);
        rows.write(&m, &resolve.valid, &resolve.warp, &step);
        let region = Region::new(&height, &next.mask, &next.waiting, &ran.rpc_after());
        tables.write(&m, shape, &inputs, &next, &region, &generation_s8);

        let [leaves_at_ret] = read.flags;
        UnitOutputs {
            gives_way_s7: lit(1, 0),
            leaves_at_ret_s7: leaves_at_ret & &read.given.valid & !&read.given.parked,
            at_prediction: vec![at_prediction(&m, shape, &ran, &outcome, &next)],
            validate: read.given,
            in_charge: vec![(next.path.clone(), lit(1, 0))],
            is_b: Vec::new(),
            restarts: zeros(0),
            shadows: zeros(0),
            trace: trace(shape, resolve, &outcome, &next),
        }
        .declare(&m, shape);
        cover(&m, shape, &ran, &outcome, &next);
        if shape.formal {
            m.port_group("the watched warp");
            let at = Watched::inputs(&m, shape, "watched");
            inputs.state_generation(&m, &at, &generation_s8);
            let claims = Claims { tables: &tables, rows: &rows, region: &ran.region, is_open: &ran.is_open };
            claims.push_finds_room(&m, shape, &at, resolve, &outcome.pushes);
            claims.state(&m, shape, &at, &generation.index(&at.warp));
        }
        m.finish()
    }
}

struct Tables {
    path: HotTable,
    regions: Memory,
}

struct Read {
    /// The path that S7 validates against.
    given: Path,
    flags: [Expr; 1],
    /// The region in S8, and whether it is open.
    region: Region,
    is_open: Expr,
    /// The number of rows of the stack, in S7.
    height_s7: Expr,
}

impl Tables {
    /// Declares the tables, and reads them for the warps in S6 and S7.
    fn declare(m: &Builder, shape: &Shape, inputs: &UnitInputs, generation_s7: &Expr) -> (Self, Read) {
        m.comment("The active path, which S7 validates against, and the region.");
        let path = HotTable::declare(m, shape, "path", FLAGS.len());
        let (given, flags) = hot::unpack(m, shape, &path.read_later(m, &inputs.warp_s6), generation_s7, FLAGS);
        let regions = m.memory("regions", shape.warps, Region::bits(shape), MemoryStyle::Distributed);
        let region_s7 = m.wire("region_s7", &regions.read("region_read", &inputs.warp_s7));
        let before = Region::unpack(m, shape, &region_s7);
        let is_open = m.fault("a_region_stays_open", &before.is_open(), &before.rpc_kind.any());
        let is_open = m.delay("region_is_open", &is_open);
        let region = Region::unpack(m, shape, &m.delay("region_s8", &region_s7));
        (Self { path, regions }, Read { given, flags, region, is_open, height_s7: before.height })
    }

    /// Writes the path and the region of a starting warp, or the new ones from S8.
    fn write(&self, m: &Builder, shape: &Shape, inputs: &UnitInputs, next: &Next, region: &Region, generation: &Expr) {
        let UnitInputs { start_valid, start_warp, resolve, .. } = inputs;
        let write = m.wire("write", &(start_valid | &resolve.valid));
        let warp = m.wire("write_warp", &start_valid.mux(start_warp, &resolve.warp));
        let word = |path: &Path, flags: &Expr| join([&hot::pack(&path.valid, &Row::of(path, generation)), flags]);
        let started = word(&inputs.start(shape), &zeros(FLAGS.len()));
        self.path.write(m, &write, &warp, &start_valid.mux(&started, &word(&next.path, &next.leaves_at_ret)));
        self.regions.write(&write, &warp, &start_valid.mux(&Region::start(shape).pack(), &region.pack()));
    }
}

fn at_prediction(m: &Builder, shape: &Shape, ran: &Ran, outcome: &Outcome, next: &Next) -> Expr {
    m.comment(
        "Whether the new path is at the predicted pc, compared for each path that it can be. A rotation always \
         resteers.",
    );
    let predicted = m.input("predicted_s8", shape.pc_bits);
    let at = |pc: &Expr| pc.eq(&predicted);
    let uncovered_at = next.pops.mux(&at(&next.popped_pc), &at(&ran.region.rpc_pc));
    let stays_at = outcome.stays_with_a.mux(&at(&ran.resolve.a_pc), &at(&ran.resolve.b_pc));
    m.wire("is_at_prediction", &outcome.leaves.mux(&uncovered_at, &stays_at))
}

fn trace(shape: &Shape, resolve: &Resolve, outcome: &Outcome, next: &Next) -> UnitTrace {
    let none = UnitTrace::none(shape).0;
    let pushes = &resolve.valid & &outcome.pushes;
    let moves = MovePorts { pushes, pops: &next.pops | &next.closes, ..none.moves };
    let second = SecondPorts { rotates: resolve.rotates.clone(), ..none.second };
    Traced(UnitPorts { second, moves, exchange: none.exchange })
}

/// Coverage: which moves happen at which height, and how regions open and close.
fn cover(m: &Builder, shape: &Shape, ran: &Ran, outcome: &Outcome, next: &Next) {
    let (most, valid) = (size(shape).rows, &ran.resolve.valid);
    let at_heights = |name, heights, happens: &Expr| {
        points_at_heights(m, shape, name, &ran.region.height, heights, &(valid & happens));
    };
    at_heights("a_row_is_pushed_at", 0..most, &outcome.pushes);
    at_heights("a_row_is_popped_at", 1..most + 1, &next.pops);
    let Resolve { rotates, a_mask, b_mask, .. } = ran.resolve;
    let (ends, joins) = (ran.whole.none(), &outcome.diverges & !&outcome.pushes);
    let found = [
        ("a_region_opens", valid & &outcome.diverges & !&ran.is_open),
        ("one_of_two_paths_arrives_at_once", valid & joins),
        ("the_threads_that_waited_go_on", valid & &next.closes & !&ends),
        ("they_go_on_because_the_others_ended", valid & &next.closes & ends),
        ("a_path_arrives_without_a_commit", valid & rotates),
        ("equal_paths_diverge", valid & &outcome.pushes & count_ones(a_mask).eq(&count_ones(b_mask))),
    ];
    points(m, shape, &found);
}
