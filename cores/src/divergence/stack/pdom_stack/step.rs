//! The changes that an instruction makes to the rows of its warp: the row that a pop uncovers, the rows that a
//! divergence pushes, the new top row.

use rtl::{Builder, Bundle, Expr, ones, zeros};

use super::row::{Suspended, Top};
use crate::divergence::stack::below::Below;
use crate::divergence::stack::outcome::Outcome;
use crate::divergence::stack::places::Arrivals;
use crate::divergence::stack::rpc::Rpc;
use crate::shape::Shape;
use crate::signals::{Path, Resolve};

/// The instruction in S8, and the row that it ran from.
pub struct Ran<'a> {
    pub resolve: &'a Resolve,
    pub top: Top,
    /// The warp's live threads after the instruction.
    pub live: Expr,
    /// The live threads of the row, active or not.
    pub whole: Expr,
    pub outcome: Outcome,
}

impl<'a> Ran<'a> {
    pub fn of(
        m: &Builder,
        shape: &Shape,
        resolve: &'a Resolve,
        given_s7: &Path,
        top: Top,
        arrivals: &Arrivals,
    ) -> Self {
        let live = m.wire("live_now", &(&top.live & !&resolve.exit_mask));
        let whole = m.wire("whole", &(&top.mask & &live));
        let outcome = Outcome::of(m, shape, resolve, given_s7, &top.rpc(), arrivals, &whole);
        Self { resolve, top, live, whole, outcome }
    }

    /// Selects a or b: the path that stays in the row.
    pub fn stays(&self, a: &Expr, b: &Expr) -> Expr {
        self.outcome.stays_with_a.mux(a, b)
    }
}

/// The row that a pop uncovers.
pub struct Uncovered {
    pub pops: Expr,
    /// The path that waited is at the pc at which the row above reconverged.
    pub at_popped: Expr,
    /// The pc of that path, as it was suspended.
    pub stored_pc: Expr,
    pub pc: Expr,
    pub depth: Expr,
    /// Its threads, as they were suspended.
    pub stored_mask: Expr,
    /// Those that still live.
    pub mask: Expr,
    pub rpc: Rpc,
    pub at_rpc: Expr,
    /// It pops at a `ret`.
    pub leaves_at_ret: Expr,
}

impl Uncovered {
    pub fn of(m: &Builder, shape: &Shape, ran: &Ran, word: &Expr) -> Self {
        m.comment("The row that a pop uncovers.");
        let Ran { top, live, outcome, .. } = ran;
        let pops = m.wire("pops", &(&outcome.leaves & top.height.any()));
        let below = Suspended::unpack(m, shape, word);
        let (rpc, same) = below.rpc().uncovered(m, &outcome.arrived, &below.rpc_depth.eq(&top.rpc_depth));
        let at_popped = outcome.arrived.is_known_return() & !same;
        let pc = m.wire("uncovered_pc", &at_popped.mux(&outcome.arrived.pc, &below.pc));
        let still_live = m.fault("ended_threads_come_back", live, &ones(shape.threads));
        let mask = m.wire("below_mask", &(&below.mask & still_live));
        Self {
            pops,
            at_popped,
            stored_pc: below.pc,
            stored_mask: below.mask,
            mask,
            at_rpc: rpc.is_at() & pc.eq(&rpc.pc) & below.depth.eq(&rpc.depth),
            leaves_at_ret: rpc.is_return() & below.depth.eq(&rpc.depth),
            pc,
            depth: below.depth,
            rpc,
        }
    }
}

/// The rows that a divergence pushes.
pub struct Pushed {
    pub one: Expr,
    pub two: Expr,
    /// The new next row.
    pub next: Expr,
    /// The threads of both paths, at the reconvergence point. If two rows are pushed, this one is under the next.
    pub meeting: Expr,
}

impl Pushed {
    /// The threads of both paths wait at the reconvergence point, unless the row has the same one. Above them waits
    /// the far path, unless it is at that point.
    pub fn of(m: &Builder, ran: &Ran) -> Self {
        m.comment(
            "The rows that a divergence pushes: the threads of both paths at the reconvergence point, and the far \
             path.",
        );
        let Ran { top, whole, outcome, .. } = ran;
        let Resolve { a_pc, a_depth, a_mask, b_pc, b_depth, b_mask, .. } = ran.resolve;
        let elsewhere = m.fault("pushes_two_rows_in_place", &!&outcome.arrivals.in_place, &ones(1));
        let two = m.wire("pushes_two", &(&outcome.both_go_on & elsewhere));
        let one = m.wire("pushes_one", &(&outcome.diverges & !(&outcome.arrivals.in_place ^ &outcome.both_go_on)));
        let far = Suspended::new(
            &ran.stays(b_pc, a_pc),
            &ran.stays(b_depth, a_depth),
            &ran.stays(b_mask, a_mask),
            &outcome.rpc,
        );
        let meeting = Suspended::new(&outcome.rpc.pc, &outcome.rpc.depth, whole, &top.rpc());
        let meeting = m.wire("meeting_row", &meeting.pack());
        Self { one, two, next: outcome.both_go_on.mux(&far.pack(), &meeting), meeting }
    }
}

pub struct NewTop {
    pub path: Path,
    pub rpc: Rpc,
    /// All threads of the row have ended, and it is not the bottom row.
    pub is_empty: Expr,
    pub at_rpc: Expr,
    /// It pops at a `ret`.
    pub leaves_at_ret: Expr,
    pub gives_way: Expr,
}

impl NewTop {
    /// The uncovered row, or without a pop the path that continues.
    pub fn of(m: &Builder, ran: &Ran, below: &Uncovered, rows: &Below) -> Self {
        m.comment("The new top row.");
        let (Ran { top, outcome, .. }, pops) = (ran, &below.pops);
        let Resolve { a_pc, a_depth, b_pc, b_depth, .. } = ran.resolve;
        let mask = m.wire("new_active", &pops.mux(&below.mask, &outcome.active));
        let path = Path {
            valid: m.wire("new_valid", &pops.mux(&below.mask.any(), &outcome.goes_on)),
            pc: m.wire("new_pc", &pops.mux(&below.pc, &ran.stays(a_pc, b_pc))),
            depth: m.wire("new_depth", &pops.mux(&below.depth, &ran.stays(a_depth, b_depth))),
            mask,
            parked: m.wire("new_parked", &(&outcome.parked & !pops)),
        };
        let moved_rpc = Rpc::mux(&outcome.diverges, &outcome.rpc, &top.rpc());
        let rpc = Rpc::mux(pops, &below.rpc, &moved_rpc);
        let is_empty = pops & below.mask.none() & !rows.is_one();
        let is_empty = m.wire("is_empty", &m.fault("keeps_emptied_rows", &is_empty, &zeros(1)));
        let at_rpc = m.wire("is_at_rpc", &pops.mux(&below.at_rpc, &outcome.waits_at_rpc));
        let leaves_at_ret = m.wire("leaves_at_ret", &pops.mux(&below.leaves_at_ret, &outcome.leaves_at_ret));
        let gives_way = m.wire("gives_way", &(&is_empty | (&at_rpc & &path.valid & !&path.parked)));
        Self { path, rpc, is_empty, at_rpc, leaves_at_ret, gives_way }
    }
}
