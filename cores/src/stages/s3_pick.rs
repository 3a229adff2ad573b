//! S3, pick: selects one of the contexts whose oldest instruction can issue.
//!
//! A fair pick ([`super::pick`]). Before it comes the selection of `divergence.scheduler = "constrained"` ("The
//! Dual-Path Execution Model for Efficient GPU Control Flow", section 3.3).

use rtl::{Builder, ElaborationError, Expr, clog2, join};

use super::pick::{Requests, pick};
use super::s3_schedule::{Contexts, Inputs};
use crate::formal::points;
use crate::shape::{PATIENCE, Shape};

pub struct Pick {
    pub valid: Expr,
    pub context: Expr,
    /// The position of its word in the buffer.
    pub read_position: Expr,
    pub epoch: Expr,
    /// Its requirements: the bits of [`super::s3_context::Needs`].
    pub needs: Expr,
}

impl Pick {
    pub fn declare(m: &Builder, shape: &Shape, inputs: &Inputs, contexts: &Contexts) -> Result<Self, ElaborationError> {
        let ready = ready(m, shape, inputs, contexts);
        m.comment("Pick.");
        let accept = !&inputs.bubble;
        let positions = contexts.column("read_position");
        let needs = contexts.column("needs");
        let requests =
            Requests { all: &ready, preferred: None, beside: &[&positions, &inputs.epochs, &needs], accept: &accept };
        let picked = pick(m, shape, &requests)?;
        m.drive(&contexts.grant, &picked.grant.when(&accept));
        let valid = m.wire("valid", &(ready.any() & accept));
        Ok(Self {
            valid,
            context: picked.context,
            read_position: picked.beside.bit(0),
            epoch: picked.beside.bit(1),
            needs: picked.beside.from(2),
        })
    }
}

fn ready(m: &Builder, shape: &Shape, inputs: &Inputs, contexts: &Contexts) -> Expr {
    let considered =
        if shape.constrained { constrained(m, shape, &inputs.enabled, contexts) } else { rtl::ones(shape.contexts()) };
    let ready = m.wire("ready", &(contexts.column("ready") & &considered));
    if let Some(held_back) = &contexts.held_back {
        let others = those_beside_who_waits(m, &(contexts.column("unblocked") & &considered), &ready);
        held_back.next(&others).reset(0);
    }
    let found = [
        ("a_bubble_holds_an_issue_up", &inputs.bubble & ready.any()),
        ("every_context_waits", contexts.column("urgent").none() & ready.none()),
    ];
    points(m, shape, &found);
    ready
}

/// The contexts that may reserve nothing, in favour of another one. Round robin alone can starve a context that needs
/// a credit: contexts ahead of it take each credit as it becomes free. So a search visits one context after another,
/// and stays at one that waits for a credit and for nothing else. If that lasts [`PATIENCE`] cycles, the others are
/// held back until it issues. The credits become free, and the round robin reaches the waiting context.
fn those_beside_who_waits(m: &Builder, unblocked: &Expr, ready: &Expr) -> Expr {
    m.comment("Starvation guard: a context that has waited long for a credit gets the next one.");
    let contexts = unblocked.width();
    let looked_at = m.register("looked_at", contexts);
    let waited = m.register("waited", clog2(PATIENCE) + 1);
    let stays = m.register("stays", 1);
    let for_long = waited.bit(clog2(PATIENCE));
    let not_ready = m.fault("the_search_passes_by_who_waits_for_a_place", &!ready, ready);
    let may_wait = m.wire("may_wait", &(&looked_at & unblocked));
    let waits = m.wire("waits", &((&may_wait & not_ready).any() | (&stays & may_wait.any())));
    stays.next(&waits).reset(0);
    let counted = m.fault("the_wait_is_not_counted", &rtl::increment(&waited, 1), &waited);
    let longer = for_long.mux(&waited, &counted);
    waited.next(&longer.when(&waits)).reset(0);
    let next = join([&looked_at.bit(contexts - 1), &looked_at.slice(0, contexts - 1)]);
    looked_at.next(&next).enable(&!&waits).reset(1);
    (!&looked_at).when(&for_long)
}

/// The contexts that the constrained scheduler considers: in each warp the slot in turn, or the other slot while that
/// one has nothing to run. The turn passes to the other slot when an instruction with a long-latency result issues,
/// and when the next one waits for such a result. A `fence.i` is always considered, because accesses of both slots
/// wait for it.
fn constrained(m: &Builder, shape: &Shape, enabled: &Expr, contexts: &Contexts) -> Expr {
    let [fences, issues_late, waits_late] =
        ["waits_for_requests", "issues_late", "waits_late"].map(|port| contexts.column(port));
    m.comment("One slot of each warp at a time.");
    let turn = m.register("turn_of_right", shape.warps);
    let slots = |bits: &Expr, warp: usize| [bits.bit(2 * warp), bits.bit(2 * warp + 1)];
    let per_warp = |f: &dyn Fn(usize) -> Vec<Expr>| join((0..shape.warps).flat_map(f));
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
