//! `pdom-stack`: the single-path reconvergence stack ("The Dual-Path Execution Model for Efficient GPU Control
//! Flow", section 2.1).
//!
//! Latency: the active path, which is the path of the top row, is known in S8.
//!
//! Storage, for each warp: the top row in LUT RAM, and up to 2 · T − 2 rows of (pc, depth, mask, rpc) below it. The
//! next row is in LUT RAM, the others in two banks of block RAM, because a divergence may write two. They cannot
//! overflow: the masks of the rows are different sets, any two of which are nested or disjoint, and T threads have
//! at most 2 · T − 1 such sets.

mod claims;
mod row;
mod step;

use rtl::{Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, lit, zeros};

use super::below::{Below, Size, Step};
use super::outcome::claim_gone;
use super::places::Arrivals;
use super::{invariants, trace};
use crate::divergence::hot::{self, ActiveRows};
use crate::divergence::watch::Watch;
use crate::divergence::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, at_prediction, timing};
use crate::formal::points_at_heights;
use crate::shape::Shape;
use crate::trace::Traced;
use claims::Claims;
use row::{FLAGS, Suspended, Top};
use step::{NewTop, Pushed, Ran, Uncovered};
use weft_config::{PDOM_STACK, Unit};

pub struct PdomStack;

/// The rows below the top.
fn size(shape: &Shape) -> Size {
    Size { bits: Suspended::bits(shape), rows: 2 * shape.threads - 2, at_once: 2, style: MemoryStyle::BlockUnordered }
}

fn height_bits(shape: &Shape) -> usize {
    size(shape).height_bits()
}

impl DivergenceUnit for PdomStack {
    fn descriptor(&self) -> &'static Unit {
        &PDOM_STACK
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let top = |name, bits| Storage { name, words: shape.warps, bits };
        let tops = [top("hot_path", hot::bits(shape, FLAGS.len())), top("tops", Top::bits(shape))];
        tops.into_iter().chain(size(shape).storage(shape.warps)).collect()
    }

    fn listed_paths(&self, shape: &Shape) -> usize {
        invariants::listed_paths(2 * shape.threads - 1, 1)
    }

    fn listed_returns(&self, shape: &Shape) -> usize {
        2 * shape.threads - 1
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let m = Builder::new(
            "pdom_stack",
            "Divergence unit: the single-path reconvergence stack. The path of the top row is active. When it arrives at\n\
             the row's reconvergence point, the row is popped.",
        );
        m.timing(&timing(shape));
        let inputs = UnitInputs::declare(&m, shape);
        let UnitInputs { warp_s7, resolve, .. } = &inputs;
        let [generation_s7, generation_s8] = inputs.generations(&m);
        m.comment("The top row: the path that S7 validates against, and the rest.");
        let (names, bits) = (["path", "tops", "top"], Top::bits(shape));
        let (tops, read) = ActiveRows::declare(&m, shape, &inputs, names, FLAGS, bits, &generation_s7);
        let top_s7 = Top::unpack(&m, shape, &read.rest);
        let top = Top::unpack(&m, shape, &m.delay("top_s8", &read.rest));
        let rows = Below::declare(&m, shape, size(shape), warp_s7, [&top_s7.height, &top.height]);

        let kind = inputs.ahead.reconvergence.slice(0, 2);
        let arrivals = Arrivals::ahead(&m, shape, &inputs, &read.given, &top_s7.rpc(), &kind);
        let ran = Ran::of(&m, shape, resolve, &read.given, top, &arrivals);
        let below = Uncovered::of(&m, shape, &ran, &rows.next);
        let pushed = Pushed::of(&m, &ran);
        let step = Step {
            pops: &below.pops,
            pushes: &(&pushed.one | &pushed.two),
            pushed: &pushed.next,
            two: Some([&pushed.two, &pushed.meeting]),
        };
        let height = rows.height_after(&step);
        rows.write(&m, &resolve.valid, &resolve.warp, &step);

        let new = NewTop::of(&m, &ran, &below, &rows);
        let at_prediction = at_prediction(&m, shape, |at| {
            let below_at = below.at_popped.mux(&at(&ran.top.rpc_pc), &at(&below.stored_pc));
            below.pops.mux(&below_at, &ran.stays(&at(&resolve.a_pc), &at(&resolve.b_pc)))
        });
        let new_top = Top {
            height,
            mask: below.pops.mux(&below.mask, &ran.outcome.whole),
            live: ran.live.clone(),
            rpc_kind: new.rpc.kind.clone(),
            rpc_pc: new.rpc.pc.clone(),
            rpc_depth: new.rpc.depth.clone(),
        };
        let word = hot::pack(&new.path, &generation_s8, [&new.is_empty, &new.at_rpc, &new.leaves_at_ret]);
        tops.write(&m, shape, &inputs, &word, &generation_s8, [&Top::start(shape).pack(), &new_top.pack()]);

        let [is_empty, at_rpc, leaves_at_ret] = read.flags;
        let runs = read.given.can_run();
        let gives_way_s7 = is_empty | (at_rpc & &runs);
        let trace = Traced(trace(shape, resolve, step.pushes, step.pops));
        UnitOutputs {
            leaves_at_ret_s7: leaves_at_ret & runs,
            ..UnitOutputs::of_one_slot([read.given, new.path], [gives_way_s7, new.gives_way], trace)
        }
        .following(&at_prediction)
        .declare(&m, shape);
        cover(&m, shape, &ran, &below, &pushed);
        if shape.formal {
            let (watch, _) = Watch::declare(&m, shape, &inputs, &generation_s8);
            arrivals.state(&watch, resolve, &ran.top.rpc());
            claim_gone(&watch, resolve, &ran.outcome.gone, &ran.whole);
            let mine = m.wire("watched_in_s8", &(&resolve.valid & resolve.warp.eq(&watch.at.warp)));
            let height = &ran.top.height;
            let room = |pushed: usize| match (2 * shape.threads - 2).checked_sub(pushed) {
                Some(most) => !lit(height.width(), most as u64).lt(height),
                None => zeros(1),
            };
            m.assert("a_push_finds_room", &(!(&mine & &pushed.one) | room(1)));
            m.assert("a_push_of_two_finds_room", &(!(&mine & &pushed.two) | room(2)));
            Claims { tops: &tops, rows: &rows, top: &ran.top }.state(&watch);
        }
        m.finish()
    }
}

/// Coverage: which moves happen at which height.
fn cover(m: &Builder, shape: &Shape, ran: &Ran, below: &Uncovered, pushed: &Pushed) {
    let most = 2 * shape.threads - 2;
    let at_heights = |name, heights, happens: &Expr| {
        points_at_heights(m, shape, name, &ran.top.height, heights, &(&ran.resolve.valid & happens));
    };
    let diverging = 0..most.saturating_sub(1);
    at_heights("one_row_is_pushed_at", diverging.clone(), &pushed.one);
    at_heights("two_rows_are_pushed_at", diverging.clone(), &pushed.two);
    at_heights("a_row_is_reused_at", diverging, &(&ran.outcome.diverges & &ran.outcome.arrivals.in_place));
    at_heights("a_row_is_popped_at", 1..most + 1, &below.pops);
    let lost = (&below.stored_mask & !&ran.live).any();
    at_heights("a_row_that_lost_threads_is_popped_at", 1..most, &(&below.pops & lost));
}
