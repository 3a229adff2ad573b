//! The rings of all warps: the paths behind the front f, in block RAM. The path that was left last is the first row.
//!
//! S8 reads the first row, which arrives in S9. S9 writes what changes. A ring has T rows, so that an address is {warp,
//! row}. At most T − 2 are in use. A row begins with a [`Row`].

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, join, lit, select};

use super::ring::{self, Ring};
use super::row::Row;
use super::watch::Watch;
use super::{UnitInputs, flag};
use crate::shape::Shape;

pub struct Rings<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    inputs: &'a UnitInputs,
    row_bits: usize,
    pub pointers: Memory,
    /// The ring of the warp in S7, with the write of S9.
    read: Expr,
    /// The ring that S8 has read.
    pub read_s8: Expr,
    /// The ring of the warp in S8.
    pub ring: Ring,
}

/// The change by the event in S8.
pub struct Change {
    pub to_front: Expr,
    pub to_back: Expr,
    /// The first row is the next f.
    pub extracts: Expr,
}

/// A change in S9.
pub struct Changing {
    pub rows: Memory,
    /// The first row, if there is one.
    pub first: Expr,
    /// The pointers before the change.
    pub before: Expr,
    ring: Ring,
    pub to_front: Expr,
    to_back: Expr,
    pub inserts: Expr,
    /// The first row is the next f.
    pub extracts: Expr,
}

/// A ring in S9.
pub struct Moved {
    pub change: Changing,
    /// There was a first row before the change.
    pub any_before: Expr,
    /// Whether the pointers change, and the pointers afterwards.
    pub changes: Expr,
    pub next: Expr,
    /// The position at which a row is inserted.
    pub place: Expr,
    pub inserted: Expr,
}

impl<'a> Rings<'a> {
    pub fn declare(
        m: &'a Builder,
        shape: &'a Shape,
        inputs: &'a UnitInputs,
        row_bits: usize,
        generation: &Expr,
    ) -> Self {
        let pointers = m.memory("rings", shape.warps, Ring::bits(shape), MemoryStyle::Distributed);
        let read = m.forward("ring_s7", Ring::bits(shape));
        let read_s8 = m.delay("ring_s8", &read);
        let ring = Ring::unpack(m, shape, &read_s8).at(generation);
        Self { m, shape, inputs, row_bits, pointers, read, read_s8, ring }
    }

    /// Reads the first row, and keeps the change for S9.
    pub fn change(&self, change: &Change) -> Changing {
        let Self { m, shape, inputs, row_bits, .. } = self;
        m.comment("S9: the first row of the ring, and the row that is inserted.");
        let s9 = |name: &str, value: &Expr| flag(m, name, &(&inputs.resolve.valid & value));
        let to_front = s9("inserts_front_s9", &change.to_front);
        let to_back = s9("inserts_back_s9", &change.to_back);
        let extracts = s9("extracts_s9", &change.extracts);
        let before = m.delay("ring_s9", &self.ring.pack());
        let ring = Ring::unpack(m, shape, &before);
        let rows = m.memory("rows", shape.warps * shape.threads, *row_bits, MemoryStyle::BlockUnordered);
        let first = rows.read_registered("first_row_s9", &join([&self.ring.front, &inputs.resolve.warp]));
        let inserts = m.wire("inserts", &(&to_front | &to_back));
        Changing { rows, first, before, ring, to_front, to_back, inserts, extracts }
    }

    /// Writes the pointers and the row that is inserted, in S9.
    pub fn write(&self, change: Changing, inserted: &Expr, [warp, generation]: [&Expr; 2]) -> Moved {
        let Self { m, shape, inputs, .. } = self;
        let Changing { rows, first, ring, to_front, to_back, inserts, extracts, .. } = &change;
        m.comment("The pointers.");
        let parked = |row: &Expr| Row::unpack(m, shape, row).parked_now(generation);
        let index = ring.front.width();
        let one = |condition: &Expr| condition.extend(index);
        let before_front = m.wire("before_front", &(&ring.front - lit(index, 1)));
        let next = Ring {
            front: m.wire("front_next", &to_front.mux(&before_front, &(&ring.front + one(extracts)))),
            rows: m.wire("rows_next", &((&ring.rows + one(inserts)) - one(extracts))),
            parked: m.wire(
                "parked_next",
                &((&ring.parked + one(&(inserts & parked(inserted)))) - one(&(extracts & parked(first)))),
            ),
            generation: generation.clone(),
        };
        let place = m.wire("insert_place", &to_back.mux(&(&ring.front + &ring.rows), &before_front));
        rows.write(inserts, &join([&place, warp]), inserted);
        let changes = m.wire("ring_changes", &(inserts | extracts));
        let [write, written_warp] = inputs.write_of(&changes, warp);
        self.pointers.write(&write, &written_warp, &next.pack().when(&!&inputs.start_valid));
        let same = &changes & warp.eq(&inputs.warp_s7);
        m.drive(&self.read, &same.mux(&next.pack(), &self.pointers.read("ring_read", &inputs.warp_s7)));
        let (any_before, inserted) = (ring.rows.any(), inserted.clone());
        Moved { any_before, changes, next: next.pack(), place, inserted, change }
    }

    /// For proofs: asserts the claims about the ring of the watched warp, with the pending write of S9. Returns its rows from
    /// the front, each with whether it is in use.
    pub fn state(&self, watch: &Watch, moved: &Moved, in_s9: &Expr) -> Vec<(Expr, Expr)> {
        let Watch { m, shape, at, generation } = watch;
        let stored = self.pointers.inspect("ring_watched", &at.warp);
        let changes = in_s9 & &moved.changes;
        let ring = Ring::unpack(m, shape, &m.wire("ring_settled", &changes.mux(&moved.next, &stored)));
        let index = ring.front.width();
        let inserts = in_s9 & &moved.change.inserts;
        let cells = ring::cells(watch, &moved.change.rows, [&inserts, &moved.place, &moved.inserted]);
        let rows: Vec<(Expr, Expr)> = (0..shape.threads as u64 - 2)
            .map(|number| {
                let place = m.wire(&format!("place_{number}"), &(&ring.front + lit(index, number)));
                let word = m.wire(&format!("row_{number}"), &select(&place, &cells));
                (m.wire(&format!("row_{number}_is_used"), &lit(index, number).lt(&ring.rows)), word)
            })
            .collect();
        ring.state(watch, ["ring", "ring"], &rows);
        let started = &at.in_s8 & &at.started_by_s7;
        watch.claim("s8_has_the_ring", &(!started | self.read_s8.eq(&stored)));
        let now = Ring::unpack(m, shape, &stored).at(generation).pack();
        watch.claim("s9_has_the_ring", &(!&at.settling | moved.change.before.eq(&now)));
        rows
    }
}
