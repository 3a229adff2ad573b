//! The row that a pop uncovers: the next row below the top.

use rtl::{Builder, Bundle, Expr, ones, select, zeros};

use super::Read;
use super::row::{Common, LEFT, RIGHT, Side, Suspended};
use super::step::Ran;
use crate::divergence::UnitInputs;
use crate::divergence::stack::below::Below;
use crate::divergence::stack::places;
use crate::divergence::stack::rpc::Rpc;
use crate::divergence::watch::Watch;
use crate::shape::Shape;
use crate::signals::Path;

rtl::bundle! {
    /// Comparisons with the reconvergence point of the next row. S7 makes them, so that S8 begins with the results.
    pub struct Places(_shape: &Shape) {
        /// The pcs are equal: that of the instruction, that of the top row's point, that of the side that waits.
        own_at: 1,
        popped_at: 1,
        from_at: 1,
        /// The call depths are equal: those of both sides, and of the top row's point.
        left_has_depth: 1,
        right_has_depth: 1,
        popped_has_depth: 1,
    }
}

impl Places {
    /// Compares in S7, for S8.
    pub fn ahead(m: &Builder, shape: &Shape, inputs: &UnitInputs, read: &Read, rows: &Below) -> Self {
        let Common { from, .. } = &read.common_s7;
        m.comment("S7 compares the next row with its reconvergence point.");
        let from = m.fault("the_wrong_side_of_the_next_row_is_compared", from, &!from);
        Self::compare(m, shape, &rows.next_s7, &from, &read.common_s7.rpc(), &inputs.ahead.b_pc).delay(m, shape, "next")
    }

    fn compare(m: &Builder, shape: &Shape, next: &Expr, from: &Expr, popped: &Rpc, own_pc: &Expr) -> Self {
        let next = Next::unpack(m, shape, next, from, &ones(1));
        let rpc = next.common.rpc();
        let has_depth = |side: usize| next.sides[side].path.depth.eq(&rpc.depth);
        Self {
            own_at: own_pc.eq(&rpc.pc),
            popped_at: popped.pc.eq(&rpc.pc),
            from_at: next.from_pc.eq(&rpc.pc),
            left_has_depth: has_depth(LEFT),
            right_has_depth: has_depth(RIGHT),
            popped_has_depth: popped.depth.eq(&rpc.depth),
        }
    }

    /// For proofs: asserts that S8 has what follows from its rows, if they are of the watched warp.
    pub fn state(&self, watch: &Watch, ran: &Ran, rows: &Below) {
        let Common { from, .. } = &ran.top.common;
        let now = Self::compare(watch.m, watch.shape, &rows.next, from, &ran.top.common.rpc(), &ran.resolve.b_pc);
        let has_them = ran.top.height.none() | self.pack().eq(&now.pack());
        places::claim(watch, "s8_has_the_comparisons_of_the_next_row", ran.resolve, &has_them);
    }
}

/// The next row, as it was suspended.
struct Next {
    sides: [Side; 2],
    common: Common,
    /// The pc of the side that waits.
    from_pc: Expr,
}

impl Next {
    fn unpack(m: &Builder, shape: &Shape, word: &Expr, from: &Expr, generation: &Expr) -> Self {
        let Suspended { left, right, common } = Suspended::unpack(m, shape, word);
        let sides = [&left, &right].map(|word| Side::unpack(m, shape, word, generation));
        let from_pc = select(from, sides.each_ref().map(|side| side.path.pc.clone()));
        Self { sides, common: Common::unpack(m, shape, &common), from_pc }
    }
}

pub struct Uncovered {
    pub sides: [Side; 2],
    /// The other fields, as they were suspended.
    pub common: Common,
    pub rpc: Rpc,
    /// The side that waited is at the pc at which the row above reconverged, if the instruction is no rotation.
    pub at_popped: Expr,
    /// The paths of the sides, as they were suspended.
    pub suspended: [Path; 2],
    /// The pc of the side that waited, as it was suspended.
    pub from_pc: Expr,
}

impl Uncovered {
    /// Unpacks the next row, without the threads that have ended since.
    pub fn of(m: &Builder, shape: &Shape, ran: &Ran, places: &Places, rows: &Below) -> Self {
        m.comment("The row that a pop uncovers.");
        let Ran { generation, outcome, live, top, .. } = ran;
        let from = &top.common.from;
        let Next { sides: stored, common, from_pc } = Next::unpack(m, shape, &rows.next, from, generation);
        let (rpc, same) = common.rpc().uncovered(m, &outcome.arrived, &places.popped_has_depth);
        let at_popped = outcome.arrived.is_known_return() & !&same;
        let below_pc = m.wire("below_pc", &at_popped.mux(&outcome.arrived.pc, &from_pc));
        m.comment("Whether the side that waited is at the point of its row.");
        let learned_at = outcome.arrives_first.mux(&places.own_at, &places.popped_at);
        let waits_at = m.wire("waits_at_point", &at_popped.mux(&learned_at, &places.from_at));
        let sides = [LEFT, RIGHT].map(|number| {
            let Side { path, at_rpc, leaves_at_ret } = stored[number].clone();
            let has_depth = [&places.left_has_depth, &places.right_has_depth][number];
            let is_from = from.is(number as u64);
            let side = ["left", "right"][number];
            let served_again = format!("a_pop_serves_lanes_of_the_{side}_side_again");
            let active = m.fault(&served_again, &path.mask, &common.masks()[number]);
            let come_back = format!("ended_threads_come_back_on_the_{side}_side");
            let still_live = m.fault(&come_back, live, &ones(shape.threads));
            let mask = m.wire(&format!("below_{side}"), &(active & still_live));
            let pc = is_from.mux(&below_pc, &path.pc);
            let valid = m.wire(&format!("below_{side}_lives"), &(&path.valid & mask.any()));
            Side {
                at_rpc: is_from.mux(&(common.rpc().is_at() & &waits_at & has_depth), &at_rpc) & &valid,
                leaves_at_ret: is_from.mux(&(rpc.is_return() & has_depth), &leaves_at_ret),
                path: Path { valid, pc, mask, ..path },
            }
        });
        let [left, right] = sides;
        let is_empty = !(&left.path.valid | &right.path.valid | rows.is_one());
        let is_empty = m.wire("uncovers_none", &m.fault("keeps_emptied_rows", &is_empty, &zeros(1)));
        let sides = [Side { at_rpc: &left.at_rpc | is_empty, ..left }, right];
        let suspended = stored.map(|side| side.path);
        let at_popped = top.common.rpc().is_known_return() & !same;
        Self { sides, common, rpc, at_popped, suspended, from_pc }
    }
}
