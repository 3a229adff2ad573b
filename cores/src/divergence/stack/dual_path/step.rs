//! The changes that an instruction makes to the rows of its warp: the top row, the row that a pop uncovers, the row
//! that a push covers.

use rtl::{Builder, Bundle, Expr, lit, ones, zeros};

use super::Read;
use super::row::{Common, LEFT, RIGHT, Side, Suspended, Top, sides};
use super::uncovered::Uncovered;
use crate::divergence::UnitInputs;
use crate::divergence::stack::outcome::Outcome;
use crate::divergence::stack::places::Arrivals;
use crate::divergence::stack::rpc::Rpc;
use crate::shape::Shape;
use crate::signals::{Path, Resolve};

/// The instruction in S8, on one side of the top row.
pub struct Ran<'a> {
    pub resolve: &'a Resolve,
    pub generation: &'a Expr,
    pub top: Top,
    /// The warp's live threads after the instruction.
    pub live: Expr,
    /// The live threads of its side, active or not.
    pub whole: Expr,
    /// The side that it did not run on.
    pub other: Side,
    other_word: Expr,
    /// All threads of the other side.
    pub other_mask: Expr,
    pub outcome: Outcome,
}

impl<'a> Ran<'a> {
    pub fn of(
        m: &Builder,
        shape: &Shape,
        inputs: &'a UnitInputs,
        read: &Read,
        given_s7: &Path,
        arrivals: &Arrivals,
        generation: &'a Expr,
    ) -> Self {
        let resolve = &inputs.resolve;
        let top = Top { height: read.height.clone(), ..Top::unpack(m, shape, &read.top_s8) };
        let live = m.wire("live_now", &(&top.live & !&resolve.exit_mask));
        let whole = m.wire("whole", &(&read.own_mask & &live));
        let other = Side::unpack(m, shape, &read.other_s8, generation);
        let other_word = m.wire("other_side", &other.pack(generation));
        let other_mask = read.other_mask.clone();
        let outcome = Outcome::of(m, shape, resolve, given_s7, &top.common.rpc(), arrivals, &whole);
        Self { resolve, generation, top, live, whole, other, other_word, other_mask, outcome }
    }

    /// Selects a or b: the path that stays on the side of the instruction.
    pub fn stays(&self, a: &Expr, b: &Expr) -> Expr {
        self.outcome.stays_with_a.mux(a, b)
    }

    /// The row that a push covers. The side of the instruction is at the reconvergence point.
    pub fn covered(&self, m: &Builder) -> Suspended {
        m.comment(
            "The row that a divergence covers. Its side waits at the reconvergence point, unless the row has the \
             same one.",
        );
        let Self { generation, outcome, whole, .. } = self;
        let meeting = Side {
            path: Path {
                valid: !&outcome.arrivals.in_place,
                pc: outcome.rpc.pc.clone(),
                depth: outcome.rpc.depth.clone(),
                mask: whole.clone(),
                parked: lit(1, 0),
            },
            at_rpc: lit(1, 0),
            leaves_at_ret: lit(1, 0),
        };
        let slot = &self.resolve.slot;
        let meeting = m.wire("meeting_side", &meeting.pack(generation));
        let [left, right] = sides(slot, [&meeting, &self.other_word]);
        let [left_mask, right_mask] = sides(slot, [&whole.when(&!&outcome.arrivals.in_place), &self.other_mask]);
        Suspended { left, right, common: Common { left_mask, right_mask, ..self.top.common.clone() }.pack() }
    }

    /// The fields of the new top row other than its sides.
    pub fn new_common(&self, moves: &Moves, kept: &Kept, uncovered: &Uncovered) -> Common {
        let Moves { pops, pushes, takes_other, .. } = moves;
        let (outcome, top, below) = (&self.outcome, &self.top.common, &uncovered.common);
        let moved_rpc = Rpc::mux(&outcome.diverges, &outcome.rpc, &outcome.arrived);
        let rpc = Rpc::mux(pops, &uncovered.rpc, &moved_rpc);
        let below_masks = below.masks().map(|mask| mask & &self.live);
        Common {
            left_mask: pops.mux(&below_masks[LEFT], &kept.masks[LEFT]),
            right_mask: pops.mux(&below_masks[RIGHT], &kept.masks[RIGHT]),
            from: pops.mux(&below.from, &pushes.mux(&self.resolve.slot, &top.from)),
            both: pops.mux(&below.both, &(takes_other | (&top.both & !pushes))),
            rpc_kind: rpc.kind,
            rpc_pc: rpc.pc,
            rpc_depth: rpc.depth,
        }
    }
}

pub struct Moves {
    /// The row is popped if its side becomes empty: the other side is empty, and there is a row below.
    pub may_pop: Expr,
    /// The row is popped, because both its sides are empty.
    pub pops: Expr,
    /// A new row covers it.
    pub pushes: Expr,
    /// The far path runs on the other side: of the new row, or of this row if that side is empty.
    pub takes_other: Expr,
}

impl Moves {
    pub fn of(m: &Builder, ran: &Ran) -> Self {
        m.comment("The changes of the rows.");
        let Ran { top, other, outcome, .. } = ran;
        let other_is_gone = m.fault("pops_a_row_whose_other_side_lives", &!&other.path.valid, &ones(1));
        let may_pop = m.wire("may_pop", &(other_is_gone & top.height.any()));
        let pops = m.wire("pops", &(&outcome.leaves & &may_pop));
        let displaces_other = &outcome.both_go_on & &other.path.valid;
        let displaces_other = m.fault("overwrites_the_other_side", &displaces_other, &zeros(1));
        let pushes = m.wire("pushes", &(&outcome.diverges & (!&outcome.arrivals.in_place | displaces_other)));
        let takes_other = m.wire("parts", &(&outcome.both_go_on & (&pushes | !&other.path.valid)));
        Self { may_pop, pops, pushes, takes_other }
    }
}

/// The sides of the top row if it is not popped.
pub struct Kept {
    /// The sides, as words of the tables.
    pub words: [Expr; 2],
    /// All threads of each side.
    pub masks: [Expr; 2],
    /// The side on which the instruction did not run is replaced.
    pub replaced: Expr,
}

impl Kept {
    /// The near path on one side; the far path, or the old one, on the other side.
    pub fn of(m: &Builder, ran: &Ran, moves: &Moves) -> Self {
        m.comment("The path that stays on the side of the instruction, and the path on the other side.");
        let Ran { generation, outcome, .. } = ran;
        let Resolve { slot, a_pc, a_depth, a_mask, b_pc, b_depth, b_mask, .. } = ran.resolve;
        let near = Side {
            path: Path {
                valid: m.wire("stays", &!&outcome.leaves),
                pc: m.wire("stays_pc", &ran.stays(a_pc, b_pc)),
                depth: m.wire("stays_depth", &ran.stays(a_depth, b_depth)),
                mask: outcome.active.clone(),
                parked: outcome.parked.clone(),
            },
            at_rpc: outcome.waits_at_rpc.clone(),
            leaves_at_ret: outcome.leaves_at_ret.clone(),
        };
        let far_mask = m.wire("far_mask", &ran.stays(b_mask, a_mask));
        let far = Side {
            path: Path {
                valid: moves.takes_other.clone(),
                pc: m.wire("far_pc", &ran.stays(b_pc, a_pc)),
                depth: m.wire("far_depth", &ran.stays(b_depth, a_depth)),
                mask: far_mask.clone(),
                parked: lit(1, 0),
            },
            at_rpc: lit(1, 0),
            leaves_at_ret: outcome.far_leaves_at_ret.clone(),
        };
        let replaced = m.wire("other_replaced", &(&moves.takes_other | &moves.pushes));
        let other_word = m.wire("kept_other", &replaced.mux(&far.pack(generation), &ran.other_word));
        let words = sides(slot, [&m.wire("kept_own", &near.pack(generation)), &other_word]);
        let masks = sides(slot, [&outcome.whole, &replaced.mux(&far_mask, &ran.other_mask)]);
        Self { words, masks, replaced }
    }
}
