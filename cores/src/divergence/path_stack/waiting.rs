//! The waiting paths of each warp: a [`Queue`] in which each path knows its order to the one behind it.

use rtl::{Builder, Bundle, Expr, join, lit, zeros};

use super::choice::Choice;
use super::orders::Orders;
use super::{comes_before, is_at};
use crate::divergence::UnitInputs;
use crate::divergence::queue::{Queue, Settled};
use crate::divergence::ring;
use crate::divergence::rings::{Change, Changing, Moved};
use crate::divergence::row::Row;
use crate::shape::Shape;
use crate::signals::Path;

rtl::bundle! {
    /// The order of a path and the one behind it. No bits are set if there is none, or if it came to the back without a
    /// comparison.
    pub struct Behind(shape: &Shape) {
        /// The path behind is at the same pc and depth.
        equal: usize::from(ring::exists(shape)),
        /// The path behind has a greater depth, or the same depth and a smaller pc.
        before: usize::from(ring::exists(shape)),
        /// The path behind was parked in `generation`.
        parked: usize::from(ring::exists(shape)),
        generation: usize::from(ring::exists(shape)),
    }
}

/// Bits of a row of the ring.
pub fn row_bits(shape: &Shape) -> usize {
    Row::bits(shape) + Behind::bits(shape)
}

/// The queue, and the order of f and the path behind it.
pub struct Waiting<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    pub queue: Queue<'a>,
    pub orders: Orders<'a>,
    pub behind: Behind,
    /// f and the path behind it are parked, or neither is.
    pub both_parked: Expr,
}

impl<'a> Waiting<'a> {
    pub fn declare(m: &'a Builder, shape: &'a Shape, inputs: &'a UnitInputs, generation: &Expr) -> Self {
        let queue = Queue::declare(m, shape, inputs, generation, "behind", [0, Behind::bits(shape)]);
        let start = [&inputs.start_valid, &inputs.start_warp];
        let orders = Orders::declare(m, shape, start, &inputs.warp_s7, &queue);
        let behind = Behind::unpack(m, shape, &orders.word);
        let bits = |value: &Expr| value.slice(0, behind.parked.width());
        let behind_parked = m.wire("behind_parked", &(&behind.parked & !(&behind.generation ^ bits(generation))).any());
        let both_parked = m.wire("both_parked", &behind_parked.eq(&queue.front.parked));
        Self { m, shape, queue, orders, behind, both_parked }
    }

    /// Writes the tables. Returns f in S9, and for proofs its order to the path behind it.
    pub fn update(&self, choice: &Choice) -> (Settled, Expr) {
        let Self { m, shape, queue, .. } = self;
        let Queue { front, generation, ring_any, .. } = queue;
        let Choice { none, merges, changes, to_back, stays, joins, pushes, other, .. } = choice;
        m.comment("S8: f leaves, and the first row of the ring is next; or f stays; or the other path is f.");
        let leaves = m.wire("f_leaves", &(none | merges | to_back));
        let alone = to_back & !ring_any;
        let becomes = m.wire("other_is_next", &(pushes | changes | alone));
        let covers = m.wire("covers_f", &(pushes & &front.valid));
        let joined = m.fault("a_second_outcome_is_lost", joins, &zeros(1));
        let kept = Path { mask: &front.mask | other.mask.when(&joined), ..front.clone() };
        let [kept, other] = [&kept, other].map(|path| Row::of(path, generation).pack());
        let row = m.delay("next_f_s9", &becomes.mux(&other, &kept));
        let stands = m.delay("next_f_stands_s9", &(&becomes | (&front.valid & !&leaves)));
        let bits = |value: &Expr| value.slice(0, self.behind.equal.width());
        let covered = Behind {
            equal: bits(&choice.f_at_other),
            before: bits(&choice.f_before_other),
            parked: bits(&front.parked),
            generation: bits(generation),
        };
        let kept = self.behind.pack().when(&(stays | joins));
        let behind = m.delay("next_behind_s9", &covers.mux(&covered.pack(), &kept));

        let (word, order, moved) = match &queue.rings {
            None => (join([&row, &stands]), self.orders.update([&zeros(1), &behind, &behind]), None),
            Some(rings) => {
                let uncompared = zeros(Behind::bits(shape));
                let own = join([&Row::of(front, generation).pack(), &self.behind.pack()]);
                let inserted = to_back.mux(&join([&other, &uncompared]), &own);
                let change = rings.change(&Change {
                    to_front: covers,
                    to_back: to_back & ring_any,
                    extracts: leaves & ring_any,
                });
                let inserted = m.delay("inserted_s9", &inserted);
                let moved = rings.write(change, &inserted, [&queue.warp_s9, &queue.generation_s9]);
                let [word, order] = self.next_front(&moved, changes, [row, stands, behind]);
                (word, order, Some(moved))
            }
        };
        (queue.write(word, moved), order)
    }

    /// The word of the next f, and its order. If f has changed places with x, it is compared with the first row of the
    /// ring. `now` is f if it does not come from the ring: its row, whether there is one, and [`Behind`].
    fn next_front(&self, moved: &Moved, changes: &Expr, now: [Expr; 3]) -> [Expr; 2] {
        let Self { m, shape, .. } = self;
        m.comment("The next f. If it has changed, it is compared with the first row.");
        let ([row, stands, behind], Changing { first, extracts, .. }) = (now, &moved.change);
        let changed = m.delay("changes_s9", changes) & &moved.any_before;
        let changed = m.wire("f_changed", &(changed & !extracts));
        let order = m.wire("order_s9", &self.order(&row, first).pack());
        let at = Row::bits(shape);
        let order = self.orders.update([&changed, &order, &extracts.mux(&first.from(at), &behind)]);
        let own = join([&row, &stands]);
        [m.wire("f_s9", &extracts.mux(&join([&first.slice(0, at), &lit(1, 1)]), &own)), order]
    }

    /// The order of a row and the one behind it.
    fn order(&self, row: &Expr, behind: &Expr) -> Behind {
        let generation = &self.queue.generation_s9;
        let [row, behind] = [row, behind].map(|row| Row::unpack(self.m, self.shape, row));
        let [own, other] = [[&row.depth, &row.pc], [&behind.depth, &behind.pc]];
        let before = comes_before(other, own);
        let before = self.m.fault("a_new_front_is_not_compared", &before, &lit(1, 0));
        Behind {
            equal: is_at(other, own),
            before,
            parked: behind.parked_now(generation),
            generation: generation.clone(),
        }
    }
}
