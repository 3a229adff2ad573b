//! The outcome of an instruction for the row that it ran from.

use rtl::{Builder, Expr, concat, ones, zeros};

use super::places::{self, Arrivals};
use super::rpc::Rpc;
use crate::divergence::watch::Watch;
use crate::shape::Shape;
use crate::signals::{Path, Resolve};

/// The paths a and b of an instruction, with the names of [`Resolve`].
pub struct Parts {
    /// The path has no threads: they end with this instruction, or its row was empty.
    pub gone: Expr,
    /// Both have threads, and diverge.
    pub diverges: Expr,
    /// Path b are the lanes that a memory instruction still has to serve.
    pub replays: Expr,
    /// Path a has threads, and no lanes are still to be served.
    pub a_alone: Expr,
}

impl Parts {
    /// `given_s7` is the path that S7 validates against.
    pub fn of(m: &Builder, resolve: &Resolve, given_s7: &Path, together: &Expr) -> Self {
        m.comment("Which paths exist, and whether they diverge.");
        let Resolve { a_goes, b_mask, .. } = resolve;
        // A path ends whole. A path without threads is the row of one that has ended.
        let gone = m.wire("is_gone", &(&resolve.ends | !m.delay("was_there", &given_s7.valid)));
        let b_goes = m.wire("b_goes", &b_mask.any());
        // Two parts of a `jalr` are two paths in any case where paths take turns.
        let together = together & !resolve.in_parts.any();
        let diverges = m.wire("diverges", &(a_goes & &b_goes & !together & !&resolve.is_memory & !&resolve.rotates));
        let replays = &resolve.is_memory & &b_goes;
        let replays = m.wire("replays", &m.fault("forgets_the_lanes_still_to_serve", &replays, &zeros(1)));
        let a_alone = m.wire("a_alone", &(a_goes & !&replays));
        Self { gone, diverges, replays, a_alone }
    }
}

/// For proofs: asserts that S8 knows whether the threads of its path, of which `whole` are the live ones, have ended with
/// this instruction, if it is of the watched warp.
pub fn claim_gone(watch: &Watch, resolve: &Resolve, gone: &Expr, whole: &Expr) {
    let known = &resolve.rotates | gone.eq(&whole.none());
    places::claim(watch, "s8_knows_whether_threads_are_left", resolve, &known);
}

/// The paths have the names of [`Resolve`]. *Whole* are the live threads of the side that the instruction ran on,
/// active or not.
pub struct Outcome {
    /// The path has no threads, as in [`Parts`].
    pub gone: Expr,
    /// Both a and b have threads, and diverge.
    pub diverges: Expr,
    /// They diverge, and neither has arrived at the reconvergence point.
    pub both_go_on: Expr,
    /// The reconvergence point of the diverging paths.
    pub rpc: Rpc,
    /// Which paths are at a reconvergence point.
    pub arrivals: Arrivals,
    /// The path that continues in the row is a: the near one of two that diverge, or the only one.
    pub stays_with_a: Expr,
    /// Its active lanes.
    pub active: Expr,
    /// A path continues in the row.
    pub goes_on: Expr,
    /// All its lanes.
    pub whole: Expr,
    pub parked: Expr,
    /// It is at the row's reconvergence point, but cannot arrive before the barrier is released.
    pub waits_at_rpc: Expr,
    /// It pops at a `ret`.
    pub leaves_at_ret: Expr,
    /// The far path of a divergence pops at a `ret`.
    pub far_leaves_at_ret: Expr,
    /// No path continues: all have ended, or arrived at the row's reconvergence point.
    pub leaves: Expr,
    /// The row's reconvergence point after the instruction, and whether the instruction has found its pc, which is its own.
    pub arrived: Rpc,
    pub arrives_first: Expr,
}

impl Outcome {
    /// `given_s7` is the path that S7 validates against, `row` the reconvergence point of the row. `whole` has no threads
    /// that the instruction ended.
    pub fn of(
        m: &Builder,
        shape: &Shape,
        resolve: &Resolve,
        given_s7: &Path,
        row: &Rpc,
        arrivals: &Arrivals,
        whole: &Expr,
    ) -> Self {
        let Resolve { a_mask, b_pc: own_pc, b_depth: own_depth, b_mask, .. } = resolve;
        let Arrivals { in_place, a_at_row, b_at_row, a_has_row_depth, b_has_row_depth, .. } = arrivals;
        let Arrivals { a_arrives, b_arrives, b_before_a, a_returns, b_returns, together, .. } = arrivals;

        m.comment("The reconvergence point of a divergence.");
        let kind = m.field(&resolve.reconvergence, "kind", 0, 2);
        let pc = m.field(&resolve.reconvergence, "pc", 2, shape.pc_bits);
        let chosen = Rpc::mux(in_place, row, &Rpc { kind, pc, depth: own_depth.clone() });
        let rpc = Rpc {
            kind: m.wire("rpc_kind", &chosen.kind),
            pc: m.wire("rpc_pc", &chosen.pc),
            depth: m.wire("rpc_depth", &chosen.depth),
        };

        let Parts { gone, diverges, replays, a_alone } = Parts::of(m, resolve, given_s7, together);
        let both_go_on = m.wire("both_go_on", &(&diverges & !a_arrives & !b_arrives));

        m.comment("The path that continues in the row.");
        // Of two paths a goes on if b is at its point, or if neither is and a is the near one.
        let a_stays = !a_arrives & (b_arrives | !b_before_a);
        let stays_with_a = m.wire("stays_with_a", &diverges.mux(&a_stays, &a_alone));
        let chosen = stays_with_a.mux(a_mask, b_mask);
        let active = m.wire("active", &(&diverges | &replays).mux(&chosen, whole));
        let parked = m.wire("parks", &(&a_alone & &resolve.a_parked & !&diverges));
        let a_runs = m.fault("reconverges_while_parked", &!&resolve.a_parked, &ones(1));
        let at_row = a_alone.mux(&(a_at_row & a_runs), &(b_at_row & !&replays));
        let goes_on = m.wire("goes_on", &(&diverges | &replays | !&gone));
        let leaves = m.wire("leaves_row", &(!&diverges & (at_row | &gone | &resolve.rotates)));

        m.comment("A return as the reconvergence point: the `ret` that was reached first.");
        let moved_returns = stays_with_a.mux(a_has_row_depth, b_has_row_depth) & row.is_return();
        let moved_returns = m.wire("moved_returns", &moved_returns);
        let arrives_first = row.kind.is(2) & &resolve.rotates & !&gone;
        let arrives_first = m.wire("arrives_first", &m.fault("forgets_the_first_return", &arrives_first, &zeros(1)));
        let arrived = Rpc {
            kind: m.wire("arrived_kind", &concat([&row.kind.bit(1), &(row.kind.bit(0) | &arrives_first)])),
            pc: m.wire("arrived_pc", &arrives_first.mux(own_pc, &row.pc)),
            depth: row.depth.clone(),
        };
        Self {
            waits_at_rpc: &parked & a_at_row,
            leaves_at_ret: diverges.mux(&stays_with_a.mux(a_returns, b_returns), &moved_returns),
            far_leaves_at_ret: stays_with_a.mux(b_returns, a_returns),
            whole: diverges.mux(&chosen, whole),
            gone,
            diverges,
            both_go_on,
            rpc,
            arrivals: arrivals.clone(),
            stays_with_a,
            active,
            goes_on,
            parked,
            leaves,
            arrived,
            arrives_first,
        }
    }
}
