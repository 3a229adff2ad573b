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

use rtl::{Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, count_ones, lit};

use super::hot::{self, ActiveRows};
use super::stack;
use super::stack::below::{Below, Size, Step};
use super::stack::outcome::claim_gone;
use super::stack::places::{self, COMPARES, Places};
use super::watch::Watch;
use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, at_prediction, timing};
use crate::formal::{points, points_at_heights};
use crate::shape::Shape;
use crate::signals::Resolve;
use crate::trace::Traced;
use claims::Claims;
use row::{FLAGS, Pushed, Region};
use step::{Next, Outcome, Ran};
use weft_config::{MINORITY_FIRST, Unit};

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

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let table = |name, bits| Storage { name, words: shape.warps, bits };
        let tables = [table("hot_path", hot::bits(shape, FLAGS.len())), table("regions", Region::bits(shape))];
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
        let UnitInputs { warp_s7, resolve, .. } = &inputs;
        let [generation_s7, generation_s8] = inputs.generations(&m);
        m.comment("The active path, which S7 validates against, and the region.");
        let (names, bits) = (["path", "regions", "region"], Region::bits(shape));
        let (tables, read) = ActiveRows::declare(&m, shape, &inputs, names, FLAGS, bits, &generation_s7);
        let before = Region::unpack(&m, shape, &read.rest);
        let is_open = m.fault("a_region_stays_open", &before.is_open(), &before.rpc_kind.any());
        let is_open = m.delay("region_is_open", &is_open);
        let region = Region::unpack(&m, shape, &m.delay("region_s8", &read.rest));
        let rows = Below::declare(&m, shape, size(shape), warp_s7, [&before.height, &region.height]);

        m.comment("S7 compares the places where the instruction leads.");
        let places = Places::ahead(&inputs, &read.given, &before.rpc()).delay(&m, shape, "s8");
        let ran = Ran::of(&m, shape, resolve, &read.given, region, is_open, places);
        let outcome = Outcome::of(&m, &ran);
        let next = Next::of(&m, shape, &ran, &outcome, &rows);
        let pushed = m.wire("pushed", &outcome.pushed.pack());
        let step = Step { pops: &next.pops, pushes: &outcome.pushes, pushed: &pushed, two: None };
        let height = rows.height_after(&step);
        rows.write(&m, &resolve.valid, &resolve.warp, &step);
        let region = Region::new(&height, &next.mask, &next.waiting, &ran.rpc_after());
        let word = hot::pack(&next.path, &generation_s8, [&next.leaves_at_ret]);
        let regions = [&Region::start(shape).pack(), &region.pack()];
        tables.write(&m, shape, &inputs, &word, &generation_s8, regions);

        let at_prediction = at_prediction(&m, shape, |at| {
            let uncovered_at = next.pops.mux(&at(&next.popped_pc), &at(&ran.region.rpc_pc));
            let stays_at = outcome.stays_with_a.mux(&at(&resolve.a_pc), &at(&resolve.b_pc));
            outcome.leaves.mux(&uncovered_at, &stays_at)
        });
        let [leaves_at_ret] = read.flags;
        let trace = Traced(stack::trace(shape, resolve, &outcome.pushes, &(&next.pops | &next.closes)));
        UnitOutputs {
            leaves_at_ret_s7: leaves_at_ret & &read.given.valid & !&read.given.parked,
            ..UnitOutputs::of_one_slot([read.given, next.path.clone()], [lit(1, 0), lit(1, 0)], trace)
        }
        .following(&at_prediction)
        .declare(&m, shape);
        cover(&m, shape, &ran, &outcome, &next);
        if shape.formal {
            let (watch, _) = Watch::declare(&m, shape, &inputs, &generation_s8);
            let claims = Claims { tables: &tables, rows: &rows, region: &ran.region, is_open: &ran.is_open };
            let now = Places::now(resolve, &ran.region.rpc());
            places::claim(&watch, COMPARES, resolve, &ran.places.pack().eq(&now.pack()));
            claim_gone(&watch, resolve, &ran.parts.gone, &ran.whole);
            claims.push_finds_room(&watch, resolve, &outcome.pushes);
            claims.state(&watch);
        }
        m.finish()
    }
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
    let (ends, joins) = (&ran.parts.gone, &outcome.diverges & !&outcome.pushes);
    let found = [
        ("a_region_opens", valid & &outcome.diverges & !&ran.is_open),
        ("one_of_two_paths_arrives_at_once", valid & joins),
        ("the_threads_that_waited_go_on", valid & &next.closes & !ends),
        ("they_go_on_because_the_others_ended", valid & &next.closes & ends),
        ("a_path_arrives_without_a_commit", valid & rotates),
        ("equal_paths_diverge", valid & &outcome.pushes & count_ones(a_mask).eq(&count_ones(b_mask))),
    ];
    points(m, shape, &found);
}
