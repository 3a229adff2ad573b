//! The changes that an instruction, or a path that yields, makes to the paths of its warp.

use rtl::{Builder, Bundle, Expr, concat, count_ones, ones, zeros};

use super::row::{Pushed, Region};
use crate::divergence::stack::below::Below;
use crate::divergence::stack::outcome::Parts;
use crate::divergence::stack::places::Places;
use crate::divergence::stack::rpc::Rpc;
use crate::shape::Shape;
use crate::signals::{Path, Resolve};

/// The instruction in S8, and the region that it ran in.
pub struct Ran<'a> {
    pub resolve: &'a Resolve,
    pub region: Region,
    pub is_open: Expr,
    /// The live threads of the path, active or not.
    pub whole: Expr,
    pub parts: Parts,
    pub places: Places,
    /// The reconvergence point of the instruction.
    own: Rpc,
    /// The reconvergence point of the region after the instruction, if the region was open before.
    arrived: Rpc,
}

impl<'a> Ran<'a> {
    pub fn of(
        m: &Builder,
        shape: &Shape,
        resolve: &'a Resolve,
        given_s7: &Path,
        region: Region,
        is_open: Expr,
        places: Places,
    ) -> Self {
        let whole = m.wire("whole", &(&region.mask & !&resolve.exit_mask));
        let parts = Parts::of(m, resolve, given_s7, &places.together());

        m.comment("The instruction's reconvergence point, for a region that it opens.");
        let kind = m.field(&resolve.reconvergence, "kind", 0, 2);
        let own = Rpc {
            kind: m.wire("own_kind", &concat([&kind.is(2), &kind.is(1)])),
            pc: m.field(&resolve.reconvergence, "pc", 2, shape.pc_bits),
            depth: resolve.b_depth.clone(),
        };

        m.comment("The `ret` at which the first threads arrived is noted.");
        let rpc = region.rpc();
        let is_first = m.wire("arrives_first", &(rpc.kind.is(2) & &resolve.rotates));
        let notes = m.fault("forgets_the_first_return", &is_first, &zeros(1));
        let arrived = Rpc {
            kind: &rpc.kind | notes.extend(2),
            pc: m.wire("arrived_pc", &is_first.mux(&resolve.b_pc, &rpc.pc)),
            depth: rpc.depth.clone(),
        };
        Self { resolve, region, is_open, whole, parts, places, own, arrived }
    }

    /// The reconvergence point after the instruction. It has no meaning if the region is then closed.
    pub fn rpc_after(&self) -> Rpc {
        Rpc::mux(&self.is_open, &self.arrived, &self.own)
    }
}

/// The path that goes on, the path that is pushed, and the threads that arrive.
pub struct Outcome {
    pub diverges: Expr,
    /// Path a goes on: the smaller one of two, or the only one.
    pub stays_with_a: Expr,
    /// The other path is pushed.
    pub pushes: Expr,
    pub pushed: Pushed,
    /// No path goes on: all threads have ended, or are at the reconvergence point.
    pub leaves: Expr,
    /// The threads that wait after a divergence.
    pub waiting: Expr,
    /// The active lanes of the path that goes on.
    pub active: Expr,
    /// All its lanes.
    pub mask: Expr,
    pub parked: Expr,
    pub leaves_at_ret: Expr,
}

impl Outcome {
    pub fn of(m: &Builder, ran: &Ran) -> Self {
        let Ran { resolve, region, is_open, whole, own, .. } = ran;
        let Resolve { a_pc, a_depth, a_mask, b_pc, b_depth, b_mask, .. } = resolve;
        let (Parts { gone, diverges, replays, a_alone }, places) = (&ran.parts, &ran.places);

        m.comment("Which paths are at the reconvergence point of the region, or of the one that a divergence opens.");
        let rpc = region.rpc();
        let has_depth = |equal: &Expr| m.fault("the_point_ignores_the_call_depth", equal, &ones(1));
        let [a_has_depth, b_has_depth] = [has_depth(&places.a_has_row_depth), has_depth(&places.b_has_row_depth)];
        let is_at = m.wire("rpc_is_at", &(is_open & rpc.is_at()));
        let a_at_rpc = m.wire("a_at_rpc", &(&is_at & &places.a_at_row & &a_has_depth));
        let b_at_rpc = m.wire("b_at_rpc", &(&is_at & &places.b_at_row & &b_has_depth));
        let opens_at = m.wire("opens_at", &(!is_open & own.is_at()));
        let a_arrives = &opens_at & &places.a_at_entry & &places.a_keeps_depth;
        let a_arrives = m.wire("a_arrives", &(&a_at_rpc | a_arrives));
        let b_arrives = m.wire("b_arrives", &(&b_at_rpc | (&opens_at & &places.b_at_entry)));

        m.comment("Of two paths, the one with fewer threads runs first. Equal ones run in the order of their pcs.");
        // Equal numbers are less with the order of the pcs below them.
        let order = |mask: &Expr, pc: &Expr| concat([&count_ones(mask), pc]);
        let b_is_smaller = order(b_mask, &zeros(1)).lt(&order(a_mask, &places.b_before_a));
        let b_is_smaller = m.wire("b_is_smaller", &b_is_smaller);
        let b_is_smaller = m.fault("the_smaller_pc_runs_first", &b_is_smaller, &places.b_before_a);
        let both_go_on = m.wire("pushes", &(diverges & !(&a_arrives | &b_arrives)));
        let first_is_a = !&a_arrives & (&b_arrives | !b_is_smaller);
        let stays_with_a = m.wire("stays_with_a", &diverges.mux(&first_is_a, a_alone));
        let pick = |a: &Expr, b: &Expr| stays_with_a.mux(a, b);
        let joins = pick(b_mask, a_mask).when(&(&a_arrives | &b_arrives));

        m.comment("The path that goes on.");
        let chosen = pick(a_mask, b_mask);
        let active = m.wire("active", &(diverges | replays).mux(&chosen, whole));
        let parked = m.wire("parks", &(a_alone & &resolve.a_parked & !diverges));
        let a_runs = m.fault("arrives_while_parked", &!&resolve.a_parked, &ones(1));
        let at_rpc = a_alone.mux(&(&a_at_rpc & a_runs), &(&b_at_rpc & !replays));
        let leaves = m.wire("leaves", &(!diverges & (at_rpc | gone | &resolve.rotates)));
        let returns = |has_depth: &Expr, keeps_depth: &Expr| {
            is_open.mux(&(rpc.is_return() & has_depth), &(own.is_return() & keeps_depth & diverges))
        };
        let leaves_at_ret = pick(&returns(&a_has_depth, &places.a_keeps_depth), &returns(&b_has_depth, &ones(1)));
        Self {
            pushed: Pushed { pc: pick(b_pc, a_pc), depth: pick(b_depth, a_depth), mask: pick(b_mask, a_mask) },
            waiting: &region.waiting | joins.when(diverges),
            mask: diverges.mux(&chosen, whole),
            leaves_at_ret: leaves_at_ret & !replays,
            diverges: diverges.clone(),
            pushes: both_go_on,
            stays_with_a,
            leaves,
            active,
            parked,
        }
    }
}

/// The next active path: the one that goes on, or the one that leaves uncovers.
pub struct Next {
    pub path: Path,
    /// All threads of the path.
    pub mask: Expr,
    pub waiting: Expr,
    /// The path is the top row of the stack.
    pub pops: Expr,
    /// The path are the threads that waited, and the region is closed.
    pub closes: Expr,
    /// The pc of the top row.
    pub popped_pc: Expr,
    pub leaves_at_ret: Expr,
}

impl Next {
    pub fn of(m: &Builder, shape: &Shape, ran: &Ran, outcome: &Outcome, rows: &Below) -> Self {
        m.comment("The next active path: the one that goes on, the top of the stack, or the threads that waited.");
        let Ran { resolve, region, is_open, whole, arrived, .. } = ran;
        let Resolve { a_pc, a_depth, b_pc, b_depth, .. } = resolve;
        let leaves = &outcome.leaves;
        let has_rows = m.wire("has_rows", &region.height.any());
        let top = Pushed::unpack(m, shape, &rows.next);
        let gathered = m.wire("gathered", &(&region.waiting | whole));
        let rpc = region.rpc();
        let uncovered = |top: &Expr, waiting: &Expr, goes_on: &Expr| leaves.mux(&has_rows.mux(top, waiting), goes_on);
        let stays = |a: &Expr, b: &Expr| outcome.stays_with_a.mux(a, b);
        let stays_open = !rows.is_one() | arrived.is_known_return();
        let top_returns = &has_rows & arrived.is_return() & top.depth.eq(&rpc.depth) & stays_open;
        Self {
            path: Path {
                valid: m.wire("new_valid", &(!&ran.parts.gone | is_open)),
                pc: m.wire("new_pc", &uncovered(&top.pc, &rpc.pc, &stays(a_pc, b_pc))),
                depth: m.wire("new_depth", &uncovered(&top.depth, &rpc.depth, &stays(a_depth, b_depth))),
                mask: m.wire("new_active", &uncovered(&top.mask, &gathered, &outcome.active)),
                parked: m.wire("new_parked", &(&outcome.parked & !leaves)),
            },
            mask: m.wire("new_mask", &uncovered(&top.mask, &gathered, &outcome.mask)),
            waiting: m.wire("new_waiting", &leaves.mux(&gathered.when(&has_rows), &outcome.waiting)),
            pops: m.wire("pops", &(leaves & &has_rows)),
            closes: m.wire("closes", &(leaves & is_open & !&has_rows)),
            popped_pc: top.pc,
            leaves_at_ret: m.wire("leaves_at_ret", &leaves.mux(&top_returns, &outcome.leaves_at_ret)),
        }
    }
}
