//! Invariants of the stack of two paths, stated in a formal build for the watched warp.

use rtl::{Builder, Bundle, Expr, join, lit, select, zeros};

use super::row::{Common, LEFT, RIGHT, Side, Suspended, Top};
use super::{Read, Tops};
use crate::divergence::row::Row;
use crate::divergence::stack::below::Below;
use crate::divergence::stack::invariants::{self, Level};
use crate::divergence::stack::rpc::Rpc;
use crate::divergence::watch::Watch;
use crate::shape::Shape;

/// The sides that a row has had.
struct Parts {
    used: Expr,
    /// The side of the row below that diverged to make it.
    from: Expr,
    /// Threads have taken both sides.
    both: Expr,
    /// The side that is not `from` has a path.
    other: Expr,
}

pub struct Claims<'a> {
    pub tops: &'a Tops,
    pub rows: &'a Below,
    /// The top rows of the warps in S7 and S8.
    pub read: &'a Read,
    pub slot_s7: &'a Expr,
    pub moved: Moved,
}

/// The actions of an instruction in S8.
pub struct Moved {
    pub restarted: Expr,
    /// The slots whose long-latency results were shadowed.
    pub shadowed: Expr,
    pub popped: Expr,
    pub ran: Expr,
}

impl Claims<'_> {
    /// Asserts the claims about the watched warp, and declares the outputs for a proof.
    pub fn state(&self, watch: &Watch) {
        let Watch { m, shape, at, generation } = watch;
        let hot = self.tops.sides.each_ref().map(|table| table.inspect(&at.warp));
        let word = m.wire("top_watched_now", &self.tops.rest.inspect("top_watched", &at.warp));
        let top = Top::unpack(m, shape, &word);
        let past = watch.s8_is_past();
        let sides_s7 = [self.slot_s7.clone(), !self.slot_s7];
        for (number, name) in ["own", "other"].iter().enumerate() {
            let same = self.read.words_s7[number].eq(&select(&sides_s7[number], &hot));
            m.assert(&format!("s7_has_the_{name}_side"), &(!(&at.started & &at.in_s7) | same));
        }
        let Read { other_s8, own_mask, other_mask, top_s8, .. } = self.read;
        m.assert("s8_has_the_top_row", &(&past | top_s8.eq(&word)));
        let (slot, masks) = (m.delay("slot_of_s8", self.slot_s7), top.common.masks());
        m.assert("s8_has_the_other_side", &(&past | other_s8.eq(&select(&!&slot, &hot))));
        let has_masks = own_mask.eq(&select(&slot, masks.clone())) & other_mask.eq(&select(&!&slot, masks));
        m.assert("s8_has_the_masks_of_the_sides", &(&past | has_masks));
        let stored = self.rows.state(watch, &top.height, &past);
        let (levels, parts): (Vec<Level>, Vec<Parts>) = (0..shape.threads)
            .map(|row| {
                let below = stored.get(row).map_or_else(|| zeros(Suspended::bits(shape)), Clone::clone);
                level(m, shape, row, &top, &hot, &Suspended::unpack(m, shape, &below), generation)
            })
            .unzip();
        let empty = join(hot.each_ref().map(|word| word.bit(Row::bits(shape)))).none() & top.height.any();
        for (number, word) in hot.iter().enumerate() {
            let Side { path, at_rpc, .. } = Side::unpack(m, shape, word, generation);
            let yields = if number == LEFT { empty.clone() } else { zeros(1) };
            let name = format!("the_{}_side_yields_without_a_path_if_the_row_is_empty", ["left", "right"][number]);
            watch.claim(&name, &(path.valid | at_rpc.eq(&yields)));
        }
        let meetings = invariants::Rows { levels, live: &top.live, empty: &empty }.state(watch);
        let runs = [LEFT, RIGHT].map(|side| top.common.masks()[side].when(&hot[side].bit(Row::bits(shape))));
        self.slots(watch, &runs, &parts, &meetings);
    }

    /// Asserts the claims about the slot in which each thread runs, or ran last. It changes only when the slot that
    /// the thread enters is restarted.
    fn slots(&self, watch: &Watch, [left, right]: &[Expr; 2], rows: &[Parts], meetings: &[invariants::Meeting]) {
        let Watch { m, shape, at, .. } = watch;
        m.comment("The slot in which each thread runs, or ran last.");
        let claim = |name: &str, condition: &Expr| watch.claim(name, condition);
        let stands = m.register("stands_on_the_right", shape.threads);
        let settled = right | (&*stands & !left);
        stands.next(&at.settling.mux(&settled, &stands).when(&at.started)).reset(0);
        let enters = [m.wire("enters_left", &(left & &*stands)), m.wire("enters_right", &(right & !&*stands))];
        let Moved { restarted, shadowed, popped, ran } = &self.moved;
        for (slot, name) in ["left", "right"].iter().enumerate() {
            let quiet = enters[slot].none() | (&at.settling & restarted.bit(slot));
            claim(&format!("a_thread_enters_the_{name}_slot_when_it_is_restarted"), &quiet);
            let cast = enters[1 - slot].none() | shadowed.bit(slot);
            claim(&format!("a_thread_leaves_the_{name}_slot_when_its_results_are_shadowed"), &cast);
        }
        let entering = &enters[LEFT] | &enters[RIGHT];
        claim("a_thread_changes_slots_at_a_pop_or_from_its_path", &(popped | (entering & !ran).none()));
        for (row, Parts { used, both, other, .. }) in rows.iter().enumerate() {
            claim(&format!("row_{row}_has_one_side_alone"), &!(used & !both & other));
        }
        for (number, meeting) in meetings.iter().enumerate() {
            let row = number + 1;
            let Parts { used, from, both, .. } = &rows[row];
            let elsewhere = (&meeting.who & (&*stands ^ from.repeat(shape.threads))).any();
            let alone = used & &meeting.is_below & !both;
            claim(&format!("who_came_from_one_side_of_row_{row}_ran_there"), &!(&alone & elsewhere));
            let nested = used & !&meeting.is_below & !&rows[number].both;
            claim(&format!("row_{row}_is_beside_another_side"), &!nested);
        }
    }
}

/// The row with this number: the top row with these sides, or a row below.
fn level(
    m: &Builder,
    shape: &Shape,
    row: usize,
    top: &Top,
    hot: &[Expr; 2],
    below: &Suspended,
    generation: &Expr,
) -> (Level, Parts) {
    let is_top = m.wire(&format!("row_{row}_is_top"), &top.height.is(row as u64));
    let (common, below_common) = (&top.common, Common::unpack(m, shape, &below.common));
    let either =
        |name: &str, top: &Expr, below: &Expr| m.wire(&format!("{name}_of_row_{row}"), &is_top.mux(top, below));
    let sides = [("left", &below.left), ("right", &below.right)].into_iter().enumerate();
    let sides = sides.map(|(number, (name, word))| {
        let word = either(name, &hot[number], word);
        let Side { path, at_rpc, leaves_at_ret } = Side::unpack(m, shape, &word, generation);
        let whole = either(&format!("{name}_mask"), &common.masks()[number], &below_common.masks()[number]);
        let was_parked = &path.parked | Side::unpack(m, shape, &word, &!generation).path.parked;
        invariants::Side { path, was_parked, whole, flags: [at_rpc, leaves_at_ret] }
    });
    let (rpc, lower) = (common.rpc(), below_common.rpc());
    let from = either("from", &common.from, &below_common.from);
    let both = either("both", &common.both, &below_common.both);
    let sides: Vec<invariants::Side> = sides.collect();
    let used = !top.height.lt(&lit(top.height.width(), row as u64));
    let other = from.mux(&sides[LEFT].path.valid, &sides[RIGHT].path.valid);
    let other = m.wire(&format!("other_of_row_{row}"), &other);
    let parts = Parts { used: used.clone(), from: from.clone(), both, other };
    let rpc = Rpc {
        kind: either("rpc_kind", &rpc.kind, &lower.kind),
        pc: either("rpc_pc", &rpc.pc, &lower.pc),
        depth: either("rpc_depth", &rpc.depth, &lower.depth),
    };
    (Level { used, sides, from, rpc, is_top }, parts)
}
