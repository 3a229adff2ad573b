//! The ring of paths behind the front f, in block RAM. The path that was left last is the first row.
//!
//! S8 reads the first row, which arrives in S9. S9 writes what changes. A ring has T rows, so that an address is {warp,
//! row}. At most T − 2 are in use.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, join, lit};

use super::waiting::Behind;
use super::{comes_before, is_at};
use crate::divergence::UnitInputs;
use crate::divergence::ring::Ring;
use crate::divergence::row::Row;
use crate::shape::Shape;

pub fn row_bits(shape: &Shape) -> usize {
    Row::bits(shape) + Behind::bits(shape)
}

pub struct Rings<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    inputs: &'a UnitInputs,
    pub pointers: Memory,
    /// The ring of the warp in S7, with the write of S9.
    read: Expr,
    /// The ring that S8 has read.
    pub read_s8: Expr,
    /// The ring of the warp in S8.
    pub ring: Ring,
}

/// The change by the event in S8.
pub struct Change<'a> {
    /// The row that is inserted.
    pub inserted: Expr,
    pub to_front: Expr,
    pub to_back: Expr,
    /// The first row is the next f.
    pub extracts: Expr,
    /// x and f change places.
    pub changes: &'a Expr,
}

/// A ring in S9.
pub struct Moved {
    pub rows: Memory,
    /// The pointers before the change, whether they change, and afterwards.
    pub before: Expr,
    pub changes: Expr,
    pub next: Expr,
    /// A row is inserted, at this position.
    pub inserts: Expr,
    pub place: Expr,
    pub inserted: Expr,
    /// The first row is the next f.
    pub extracts: Expr,
}

impl<'a> Rings<'a> {
    pub fn declare(m: &'a Builder, shape: &'a Shape, inputs: &'a UnitInputs, generation: &Expr) -> Self {
        let pointers = m.memory("rings", shape.warps, Ring::bits(shape), MemoryStyle::Distributed);
        let read = m.forward("ring_s7", Ring::bits(shape));
        let read_s8 = m.delay("ring_s8", &read);
        let ring = Ring::unpack(m, shape, &read_s8).at(generation);
        Self { m, shape, inputs, pointers, read, read_s8, ring }
    }

    /// Changes the ring in S9. `front` is the next f if it does not come from the ring: its row, whether there is one,
    /// and [`Behind`]. Returns the word of the next f.
    pub fn update(&self, change: &Change, [warp, generation]: [&Expr; 2], front: [Expr; 3]) -> (Expr, Moved) {
        let Self { m, shape, inputs, .. } = self;
        m.comment("S9: the first row of the ring, and the row that is inserted.");
        let flag = |name: &str, value: &Expr| {
            let register = m.register(name, 1);
            register.next(&(&inputs.resolve.valid & value)).reset(0);
            register.q()
        };
        let to_front = flag("inserts_front_s9", &change.to_front);
        let to_back = flag("inserts_back_s9", &change.to_back);
        let extracts = flag("extracts_s9", &change.extracts);
        let inserts = m.wire("inserts", &(&to_front | &to_back));
        let inserted = m.delay("inserted_s9", &change.inserted);
        let before = m.delay("ring_s9", &self.ring.pack());
        let ring = Ring::unpack(m, shape, &before);
        let rows = m.memory("rows", shape.warps * shape.threads, row_bits(shape), MemoryStyle::BlockUnordered);
        let first = rows.read_registered("first_row_s9", &join([&self.ring.front, &inputs.resolve.warp]));

        m.comment("The pointers.");
        let parked = |row: &Expr| Row::unpack(m, shape, row).parked_now(generation);
        let index = ring.front.width();
        let one = |condition: &Expr| condition.extend(index);
        let before_front = m.wire("before_front", &(&ring.front - lit(index, 1)));
        let next = Ring {
            front: m.wire("front_next", &to_front.mux(&before_front, &(&ring.front + one(&extracts)))),
            rows: m.wire("rows_next", &((&ring.rows + one(&inserts)) - one(&extracts))),
            parked: m.wire(
                "parked_next",
                &((&ring.parked + one(&(&inserts & parked(&inserted)))) - one(&(&extracts & parked(&first)))),
            ),
            generation: generation.clone(),
        };
        let place = m.wire("insert_place", &to_back.mux(&(&ring.front + &ring.rows), &before_front));
        rows.write(&inserts, &join([&place, warp]), &inserted);
        let moves = m.wire("ring_changes", &(&inserts | &extracts));
        let start = &inputs.start_valid;
        let written_warp = start.mux(&inputs.start_warp, warp);
        self.pointers.write(&(start | &moves), &written_warp, &next.pack().when(&!start));
        let same = &moves & warp.eq(&inputs.warp_s7);
        m.drive(&self.read, &same.mux(&next.pack(), &self.pointers.read("ring_read", &inputs.warp_s7)));

        m.comment("The next f. If it has changed, it is compared with the first row.");
        let [row, stands, behind] = front;
        let changed = m.delay("changes_s9", change.changes) & ring.rows.any();
        let order = m.wire("order_s9", &self.order(&row, &first, generation).pack());
        let own = join([&row, &stands, &changed.mux(&order, &behind)]);
        let at = Row::bits(shape);
        let word = extracts.mux(&join([&first.slice(0, at), &lit(1, 1), &first.from(at)]), &own);
        let next = next.pack();
        let changes = moves;
        (m.wire("f_s9", &word), Moved { rows, before, changes, next, inserts, place, inserted, extracts })
    }

    /// The order of a row and the one behind it.
    fn order(&self, row: &Expr, behind: &Expr, generation: &Expr) -> Behind {
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
