//! The waiting paths of each warp: a [`Queue`] of paths that know their meeting.

use rtl::{Builder, Bundle, Expr, join, lit};

use super::meetings::Met;
use super::row::{Queued, is_some};
use super::step::{Event, Ran};
use crate::divergence::UnitInputs;
use crate::divergence::queue::{Queue, Settled};
use crate::divergence::rings::Change;
use crate::divergence::row::Row;
use crate::shape::Shape;
use crate::signals::{Path, Resolve};

pub struct Waiting<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    pub queue: Queue<'a>,
    pub queued: Queued,
}

impl<'a> Waiting<'a> {
    pub fn declare(m: &'a Builder, shape: &'a Shape, inputs: &'a UnitInputs, generation: &Expr) -> Self {
        let queue = Queue::declare(m, shape, inputs, generation, "queued", [Queued::bits(shape); 2]);
        let queued = Queued::unpack(m, shape, &queue.more);
        Self { m, shape, queue, queued }
    }

    /// Writes the tables in S9.
    pub fn update(&self, ran: &Ran, event: &Event, next_up: &Expr, met: &Met) -> Settled {
        let Self { m, queue, .. } = self;
        let Queue { front, generation, ring_any, .. } = queue;
        let Event { two, to_back, pops, lets_go, .. } = event;
        m.comment("S8: the path that goes to the queue, and whether it is the next f.");
        let (path, more) = self.inserted(ran, event, next_up);
        let at_back = if self.shape.breadth_first { two | to_back } else { to_back.clone() };
        let alone = &at_back & pops.mux(&!ring_any, &!&front.valid);
        let at_back = m.wire("waits_at_back", &(&at_back & !&alone));
        let at_front = if self.shape.breadth_first { lit(1, 0) } else { two.clone() };
        let becomes = m.delay("other_is_next_s9", &(&alone | &at_front));
        let row = |path: &Path, more: &Queued| join([&Row::of(path, generation).pack(), &more.pack()]);
        let other = m.delay("other_s9", &row(&path, &more));
        let kept_path = m.delay("kept_f_s9", &Row::of(front, generation).pack());
        let kept_queued = m.delay("kept_queued_s9", &self.queued.pack());
        let stands = m.delay("kept_f_stands_s9", &(&front.valid & !pops));
        let lets_go = m.delay("lets_go_s9", lets_go);

        m.comment("S9: a path that leaves its meeting may be at the point of the next.");
        let (path_bits, bits) = (Row::bits(self.shape), Queued::bits(self.shape));
        let parts = |row: &Expr| [m.field(row, "path", 0, path_bits), m.field(row, "queued", path_bits, bits)];
        let [path, queued] = parts(&other);
        let queued = Queued::unpack(m, self.shape, &queued);
        let outer = met.seen_from_next(m, &Row::unpack(m, self.shape, &path), &is_some(&queued.up));
        let compared = Queued { at_meeting: outer.at_meeting, leaves_at_ret: outer.leaves_at_ret, ..queued };
        let other = m.wire("other_settled_s9", &lets_go.mux(&join([&path, &compared.pack()]), &other));
        let word = |row: &Expr, valid: &Expr| {
            let [path, queued] = parts(row);
            join([&path, valid, &queued])
        };
        let own = becomes.mux(&word(&other, &lit(1, 1)), &join([&kept_path, &stands, &kept_queued]));
        let (word, moved) = match &queue.rings {
            None => (own, None),
            Some(rings) => {
                let to_front = &at_front & &front.valid;
                let change =
                    rings.change(&Change { to_front: to_front.clone(), to_back: at_back, extracts: pops & ring_any });
                let word = change.extracts.mux(&word(&change.first, &lit(1, 1)), &own);
                let inserted = change.to_front.mux(&join([&kept_path, &kept_queued]), &other);
                let moved = rings.write(change, &inserted, [&queue.warp_s9, &queue.generation_s9]);
                (word, Some(moved))
            }
        };
        let word = m.wire("f_s9", &word);
        queue.write(word, moved)
    }

    /// The path that goes to the queue: x, or a path of a divergence.
    fn inserted(&self, ran: &Ran, event: &Event, next_up: &Expr) -> (Path, Queued) {
        let Self { m, shape, .. } = self;
        let Ran { resolve, active, meeting, has_meeting, outcome, .. } = ran;
        let Resolve { a_pc, a_depth, a_mask, b_pc, b_depth, b_mask, b_parked, .. } = resolve;
        let Event { two, x_is_a, lets_go, .. } = event;
        let is_b = m.wire("other_is_b", &(!two | x_is_a));
        let other = |a: &Expr, b: &Expr| is_b.mux(b, a);
        let path = Path {
            valid: lit(1, 1),
            pc: other(a_pc, b_pc),
            depth: other(a_depth, b_depth),
            mask: other(a_mask, b_mask),
            parked: b_parked & !two,
        };
        let own_up = lets_go.mux(&meeting.up.when(has_meeting), &active.up);
        let far = if shape.breadth_first { &outcome.leaves_at_ret } else { &outcome.far_leaves_at_ret };
        let more = Queued {
            up: two.mux(next_up, &own_up),
            at_meeting: !two & &outcome.arrivals.b_at_row,
            leaves_at_ret: two.mux(far, &outcome.leaves_at_ret),
        };
        (path, more)
    }
}
