//! S3, pick: which of the contexts whose oldest instruction can issue does.
//!
//! A round robin over the contexts; ahead of it the choice of `divergence.scheduler = "constrained"` ("The Dual-Path
//! Execution Model for Efficient GPU Control Flow", section 3.3), and behind it the flush, which comes too late for it.

use rtl::{Builder, Expr, Module, clog2, join};

use super::s3_schedule::{Contexts, Inputs};
use crate::formal::points;
use crate::shape::{PATIENCE, Shape};

/// What is picked.
pub struct Pick {
    /// Something leaves S3.
    pub valid: Expr,
    /// Its context.
    pub context: Expr,
    /// Where its word is in the buffer.
    pub read_position: Expr,
}

impl Pick {
    /// Picks among the ready contexts, and drives their `grant`.
    pub fn declare(m: &Builder, shape: &Shape, inputs: &Inputs, contexts: &Contexts, round_robin: &Module) -> Self {
        let ready = ready(m, shape, inputs, contexts);
        m.comment("Pick.");
        let picker = m.instance("picker", round_robin);
        picker.input("requests", &ready).input("beside", &contexts.column("read_position"));
        picker.input("accept", &rtl::ones(1)).output_to("grant", &contexts.grant);
        let context = picker.output_as("number", "picked_context");
        let read_position = picker.output_as("beside_grant", "picked_position");
        // A flush would come late to the pick: what is picked of its context does not leave instead.
        let valid = m.wire("valid", &(&contexts.grant & !&inputs.flush_one).any());
        Self { valid, context, read_position }
    }
}

/// The contexts that the round robin may pick.
fn ready(m: &Builder, shape: &Shape, inputs: &Inputs, contexts: &Contexts) -> Expr {
    let considered = if shape.constrained {
        let enabled = m.input("enabled_contexts_now", shape.contexts());
        constrained(m, shape, &enabled, contexts)
    } else {
        rtl::ones(shape.contexts())
    };
    let ready_but_for_bubble = m.wire("ready_but_for_bubble", &(contexts.column("ready") & &considered));
    if let Some(held_back) = &contexts.held_back {
        let others = those_beside_who_waits(m, &(contexts.column("unblocked") & &considered), &ready_but_for_bubble);
        held_back.next(&others).reset(0);
    }
    let ready = m.wire("ready", &ready_but_for_bubble.when(&!&inputs.bubble));
    let found = [
        ("a_bubble_holds_an_issue_up", &inputs.bubble & ready_but_for_bubble.any()),
        ("every_context_waits", contexts.column("urgent").none() & ready.none()),
    ];
    points(m, shape, &found);
    ready
}

/// The contexts that are to take no places, for the sake of another. The round robin alone would let those above whoever issued
/// last take every place as it becomes free, for ever. All are looked at in turn; the search stays at one that waits for a
/// place and for nothing else, until it issues. If that takes long, the others are held back until then: the places come
/// back, and the round robin, in which the one is ready then, comes to it.
fn those_beside_who_waits(m: &Builder, unblocked: &Expr, ready: &Expr) -> Expr {
    m.comment("One that has waited for a place for long gets the next.");
    let contexts = unblocked.width();
    let looked_at = m.register("looked_at", contexts);
    let waited = m.register("waited", clog2(PATIENCE) + 1);
    let stays = m.register("stays", 1);
    let for_long = waited.bit(clog2(PATIENCE));
    let not_ready = m.fault("the_search_passes_by_who_waits_for_a_place", &!ready, ready);
    let may_wait = m.wire("may_wait", &(&*looked_at & unblocked));
    let waits = m.wire("waits", &((&may_wait & not_ready).any() | (&*stays & may_wait.any())));
    stays.next(&waits).reset(0);
    let longer = for_long.mux(&waited, &rtl::increment(&waited, 1));
    waited.next(&longer.when(&waits)).reset(0);
    let next = join([&looked_at.bit(contexts - 1), &looked_at.slice(0, contexts - 1)]);
    looked_at.next(&next).enable(&!&waits).reset(1);
    (!&*looked_at).when(&for_long)
}

/// The contexts that the constrained scheduler considers: of each warp the slot whose turn it is, or the other while that
/// one has nothing to run. The turn goes to the other slot when an instruction with a late result is issued, and when the
/// next one waits for such a result. A `fence.i` is considered whoever's turn it is: accesses wait for it, also those of
/// the slot in turn.
fn constrained(m: &Builder, shape: &Shape, enabled: &Expr, contexts: &Contexts) -> Expr {
    let [fences, issues_late, waits_late] =
        ["waits_for_requests", "issues_late", "waits_late"].map(|port| contexts.column(port));
    m.comment("One slot of each warp at a time.");
    let turn = m.register("turn_of_right", shape.warps);
    let slots = |bits: &Expr, warp: usize| [bits.bit(2 * warp), bits.bit(2 * warp + 1)];
    let per_warp = |f: &dyn Fn(usize) -> Vec<Expr>| join(&(0..shape.warps).flat_map(f).collect::<Vec<_>>());
    turn.next(&per_warp(&|warp| {
        let [left_issues, right_issues] = slots(&issues_late, warp);
        let [left_waits, right_waits] = slots(&waits_late, warp);
        let right_keeps = turn.bit(warp) & !right_issues & !right_waits;
        vec![left_issues | (!turn.bit(warp) & left_waits) | right_keeps]
    }))
    .reset(0);
    let in_turn = per_warp(&|warp| {
        let [left, right] = slots(enabled, warp);
        vec![!turn.bit(warp) | !right, turn.bit(warp) | !left]
    });
    m.wire("considered", &(in_turn | fences))
}
