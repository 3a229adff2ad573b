//! CCT, cold context table: the paths of each warp that are neither first nor second, in block RAM (seed
//! `path-lists-simty.txt`, section 3.2).
//!
//! A warp's rows are a ring: the front one is taken next, a path pushed out by better ones enters there, and one that
//! yields its turn enters at the back. At most T − 2 rows are in use, since x and y hold a path each whenever one is in
//! the table; a warp has T rows so that an address is {warp, row}. Each commit reads the front row in S8 and has it in
//! S9, where it is known whether it is taken; one that inserts writes in S9. The sorter reads a copy of the table, and
//! writes when no commit does.
//!
//! Storage: W · T rows of 2 + T + depth + pc bits in block RAM, twice; W rows of 3 · log2 T + 1 bits in LUT RAM.

use rtl::{Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, clog2, join, lit, zeros};

use super::invariants::Cold;
use super::sorter;
use crate::divergence::row::Row;
use crate::formal::Watched;
use crate::shape::Shape;

/// Whether a warp can have three paths.
pub fn exists(shape: &Shape) -> bool {
    shape.threads > 2
}

/// Bits that say where a warp's ring stands.
pub fn ring_bits(shape: &Shape) -> usize {
    3 * clog2(shape.threads) + 1
}

/// Elaborates the table; where no warp can have three paths, one that is always empty.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "cct",
        "Cold context table: a ring of paths for each warp, and the sorter that keeps the best in y.",
    );
    m.port_group("start after reset, and the barrier's generation");
    let start_valid = m.input("start_valid", 1);
    let start_warp = m.input("start_warp", shape.warp_bits());
    let generation = m.input("generation", 1);
    m.port_group("the warp in S7, whose ring S8 needs");
    let warp_s7 = m.input("warp_s7", shape.warp_bits());
    m.port_group("what the commit in S8 does, and in S9 the path that it inserts");
    let valid = m.input("valid_s8", 1);
    let warp = m.input("warp_s8", shape.warp_bits());
    let to_front = m.input("to_front_s8", 1);
    let to_back = m.input("to_back_s8", 1);
    let extracts = m.input("extracts_s8", 1);
    let inserted = m.input("inserted_s9", Row::bits(shape));
    m.port_group("for the sorter, in S9: that commit changes y or turns, even if it extracts nothing; turns last");
    let y_changes = m.input("y_changes_s9", 1);
    let holds = m.input("holds_s9", 1);
    m.port_group("y of the sorter's warp");
    let y = m.input("y_sorted", Row::bits(shape));

    if !exists(shape) {
        for port in ["any_s8", "runnable_s8", "extracted", "sorts", "sorts_y", "merges", "folds"] {
            m.output(port, &zeros(1));
        }
        m.output("extracted_row", &zeros(Row::bits(shape)));
        m.output("sorted_y", &zeros(Row::bits(shape)));
        m.output("sorter_warp", &zeros(shape.warp_bits()));
        m.output("sorter_position", &zeros(shape.lane_bits()));
        return m.finish();
    }

    let sorter_module = sorter::elaborate(shape)?;
    let index = clog2(shape.threads);
    let ring_s7 = m.forward("ring_s7", ring_bits(shape));
    let ring_s8 = m.delay("ring_s8", &ring_s7);
    let ring = Ring::unpack(shape, &ring_s8).at(&generation);
    m.port_group("for S8: whether the ring has a path, and one that can run");
    m.output("any_s8", &ring.rows.any());
    m.output("runnable_s8", &ring.rows.ne(&ring.parked));

    m.comment("S9: insert and extract.");
    let flag = |name: &str, value: &Expr| {
        let register = m.register(name, 1);
        register.next(&(&valid & value)).reset(0);
        register.q()
    };
    let inserts_front = flag("inserts_front_s9", &to_front);
    let inserts_back = flag("inserts_back_s9", &to_back);
    let extracts_s9 = flag("extracts_s9", &extracts);
    let warp_s9 = m.delay("warp_s9", &warp);
    let inserts = m.wire("inserts", &(&inserts_front | &inserts_back));
    let front_row = m.forward("front_row_s9", Row::bits(shape));
    let row = m.forward("row_now", Row::bits(shape));

    m.comment("The sorter, which changes y and the table in cycles in which no commit needs them.");
    let rings = m.memory("rings", shape.warps, ring_bits(shape), MemoryStyle::Distributed);
    let sorter = m.instance("sorter", &sorter_module);
    let sorted_warp = sorter.output_as("warp", "sorted_warp");
    let sorted = Ring::unpack(shape, &rings.read("sorted_ring", &sorted_warp)).at(&generation);
    let commits = m.wire("commit_changes", &(&inserts | &extracts_s9));
    let sorts_after = m.forward("rows_after", 1);
    sorter.input("generation", &generation);
    sorter.input("changes_s9", &(&commits | &y_changes)).input("warp_s9", &warp_s9);
    sorter.input("sorts_s9", &(&sorts_after & !&holds));
    sorter.input("rows", &sorted.rows).input("y", &y).input("row_read", &row);
    sorter.input("may_change", &!((&valid & warp.eq(&sorted_warp)) | &commits | &y_changes));
    let exchanges = sorter.output_as("exchanges", "exchanges_now");
    let merges = sorter.output_as("merges", "merges_now");
    let folds = sorter.output_as("folds", "folds_now");
    let position = sorter.net("position");
    let sorted_y = sorter.output_as("sorted_y", "sorted_y_now");
    let sorts = m.wire("sorts_now", &(&exchanges | &merges | &folds));

    m.comment("The ring that changes: that of the commit in S9, or else the sorter's.");
    let ring_s9 = m.delay("ring_s9", &ring.pack());
    let changing = Ring::unpack(shape, &m.wire("ring_before", &sorts.mux(&sorted.pack(), &ring_s9)));
    let is_parked = |row: &Expr| Row::unpack(shape, row).parked_now(&generation);
    let one = |condition: &Expr| condition.extend(index);
    let leaves = m.wire("leaves", &(&extracts_s9 | &merges | &folds));
    // With two rows, the one that goes into y may also be the back one.
    let merges_front = if shape.folds_rows { merges.clone() } else { &merges & position.none() };
    let front_leaves = m.wire("front_leaves", &(&extracts_s9 | merges_front | &folds));
    let y_parked_enters = m.fault("an_exchange_does_not_count_a_parked_y", &(&exchanges & is_parked(&y)), &zeros(1));
    let parked_enters = m.wire("parked_enters", &((&inserts & is_parked(&inserted)) | y_parked_enters));
    let parked_leaves =
        m.wire("parked_leaves", &((&extracts_s9 & is_parked(&front_row)) | (&sorts & is_parked(&sorted_y))));
    let one_row = lit(index, m.fault("an_insert_overwrites_the_front_row", &1, &0));
    let before_front = m.wire("before_front", &(&changing.front - one_row));
    let after_front = &changing.front + one(&front_leaves);
    let next = Ring {
        front: m.wire("front_next", &inserts_front.mux(&before_front, &after_front)),
        rows: m.wire("rows_next", &((&changing.rows + one(&inserts)) - one(&leaves))),
        parked: m.wire("parked_next", &((&changing.parked + one(&parked_enters)) - one(&parked_leaves))),
        generation: generation.clone(),
    };
    m.drive(&sorts_after, &next.rows.any());
    let changes = m.wire("ring_changes", &(&commits | &sorts));
    let changed_warp = m.wire("changed_warp", &sorts.mux(&sorted_warp, &warp_s9));
    let written_warp = start_valid.mux(&start_warp, &changed_warp);
    rings.write(&(&changes | &start_valid), &written_warp, &next.pack().when(&!&start_valid));
    let same = &changes & changed_warp.eq(&warp_s7);
    m.drive(&ring_s7, &same.mux(&next.pack(), &rings.read("ring_read", &warp_s7)));

    m.comment("The table. The front row is read for each commit, before it is known whether it is taken.");
    let cold = m.memory("cold_rows", shape.warps * shape.threads, Row::bits(shape), MemoryStyle::BlockUnordered);
    let sorted_at = m.wire("sorted_at", &join([&(&sorted.front + &position), &sorted_warp]));
    m.drive(&front_row, &cold.read_registered("front_row_read", &join([&ring.front, &warp])));
    m.drive(&row, &cold.read_registered("row_read", &sorted_at));
    let behind_back = m.wire("behind_back", &(&changing.front + &changing.rows));
    let insert_place = inserts_back.mux(&behind_back, &before_front);
    let insert_at = join([&insert_place, &warp_s9]);
    let (writes, sorted_row) =
        if shape.folds_rows { (&sorts, exchanges.mux(&y, &sorter.net("sorted_row"))) } else { (&exchanges, y.clone()) };
    cold.write(&(&inserts | writes), &inserts.mux(&insert_at, &sorted_at), &inserts.mux(&inserted, &sorted_row));

    m.port_group("S9: the front path, if it was extracted");
    m.output("extracted", &extracts_s9);
    m.output("extracted_row", &front_row);
    m.port_group("the sorter's warp and row, what it does, whether that changes y, and y then");
    m.output("sorter_warp", &sorted_warp);
    m.output("sorter_position", &position);
    m.output("sorts", &sorts);
    m.output("merges", &merges);
    m.output("folds", &folds);
    m.output("sorts_y", &(exchanges | merges));
    m.output("sorted_y", &sorted_y);
    if shape.formal {
        let at = Watched::inputs(&m, shape, "watched");
        at.connect(&sorter, "watched");
        sorter.input("row_there", &cold.inspect("row_sorted", &sorted_at));
        if shape.folds_rows {
            sorter.input("front_there", &cold.inspect("front_sorted", &join([&sorted.front, &sorted_warp])));
        }
        let now = |condition: &Expr| condition & warp_s9.eq(&at.warp);
        let unsorted = sorter.output("unsorted_watched");
        let state = Cold {
            rings: &rings,
            table: &cold,
            changed: [&now(&commits), &next.pack()],
            inserted: [&now(&inserts), &insert_place, &inserted],
            rings_read: [&ring_s8, &ring_s9],
            unsorted: &unsorted,
            generation: &generation,
        };
        state.state(&m, shape, &at);
        m.output("changes_watched", &commits);
        m.output("disturbs_watched", &(&y_changes | &extracts_s9));
        m.output("unsorted_watched", &unsorted);
        m.output("holds_watched", &holds);
    }
    m.finish()
}

/// Where a warp's ring stands.
pub struct Ring {
    /// The row that is taken next.
    pub front: Expr,
    /// Rows in use.
    pub rows: Expr,
    /// Those among them that were parked in `generation`: none after a release.
    pub parked: Expr,
    generation: Expr,
}

impl Ring {
    /// All fields as one word.
    pub fn pack(&self) -> Expr {
        join([&self.front, &self.rows, &self.parked, &self.generation])
    }

    /// The fields of a word.
    pub fn unpack(shape: &Shape, bits: &Expr) -> Self {
        let index = clog2(shape.threads);
        Self {
            front: bits.slice(0, index),
            rows: bits.slice(index, index),
            parked: bits.slice(2 * index, index),
            generation: bits.bit(3 * index),
        }
    }

    /// With the count of parked rows as of the barrier's generation.
    pub fn at(self, generation: &Expr) -> Self {
        let parked = self.parked.when(&self.generation.eq(generation));
        Self { parked, generation: generation.clone(), ..self }
    }
}
