//! CCT, cold context table: block RAM for all paths of a warp except the first two ("Path list traversal: a new
//! class of SIMT flow tracking mechanisms", section 3.2).
//!
//! The rows of a warp are a ring. The front row is taken next. A path that better ones displace enters at the
//! front, and a path that yields enters at the back. At most T − 2 rows are in use, because x and y hold a path
//! each whenever the ring holds one. A warp has T rows, so that an address is {warp, row}.
//!
//! Each commit reads the front row in S8. The row arrives in S9, when it is known whether the row is taken. An
//! insertion is also written in S9. The sorter reads a copy of the table, and writes when no commit does.
//!
//! Storage: W · T rows of 2 + T + depth + pc bits in block RAM, twice; W rows of 3 · log2 T + 1 bits in LUT RAM.

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, Memory, MemoryStyle, Module, join, lit, zeros};

use super::invariants::Cold;
use super::sorter;
use crate::divergence::flag;
use crate::divergence::ring::{self, Ring};
use crate::divergence::row::Row;
use crate::divergence::watch::Watch;
use crate::shape::Shape;

const TIMING: &str = "the ring for S8 is read in S7; the front path follows one cycle after the commit, in S9. The \
                      sorter changes rows only in a cycle in which no commit does.";

/// If no warp can have three paths, the table is always empty and its outputs are constant.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "cct",
        "Cold context table: a ring of paths for each warp, and the sorter that keeps the best in y.",
    );
    m.timing(if ring::exists(shape) { TIMING } else { "constant: no warp has a third path." });
    let inputs = Inputs::declare(&m, shape);
    if !ring::exists(shape) {
        output_nothing(&m, shape);
        return m.finish();
    }
    let sorter_module = sorter::elaborate(shape)?;
    let ring_s7 = m.forward("ring_s7", Ring::bits(shape));
    let ring_s8 = m.delay("ring_s8", &ring_s7);
    let ring = Ring::unpack(&m, shape, &ring_s8).at(&inputs.generation_s8);
    m.port_group("for S8: whether the ring has a path, and one that can run");
    m.output("any_s8", &ring.rows.any());
    m.output("runnable_s8", &ring.rows.ne(&ring.parked));

    let commit = Commit::declare(&m, &inputs);
    let front_row = m.forward("front_row_s9", Row::bits(shape));
    let row = m.forward("row_now", Row::bits(shape));
    let sorting = Sorting::declare(&m, shape, &inputs, &commit, &row, &sorter_module);
    let cct = Cct { m: &m, shape, inputs: &inputs, ring, commit, front_row, row, sorting };
    let change = cct.change();
    cct.write_ring(&change, &ring_s7);
    let table = cct.table(&change);

    m.port_group("S9: the front path, if it was extracted");
    m.output("extracted", &cct.commit.extracts);
    m.output("extracted_row", &cct.front_row);
    cct.sorting.outputs(&m, shape);
    if shape.formal {
        cct.state(&change, &table, &ring_s8);
    }
    m.finish()
}

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "start after reset, and each warp's generation at the barrier"]
        start_valid: Expr = m.input("start_valid", 1),
        start_warp: Expr = m.input("start_warp", shape.warp_bits()),
        generation: Expr = m.input("generation", shape.warps),
        #[group = "the warp in S7, whose ring S8 needs"]
        warp_s7: Expr = m.input("warp_s7", shape.warp_bits()),
        #[group = "the changes of the commit in S8, and in S9 the path that it inserts"]
        valid: Expr = m.input("valid_s8", 1),
        warp: Expr = m.input("warp_s8", shape.warp_bits()),
        generation_s8: Expr = m.input("generation_s8", 1),
        to_front: Expr = m.input("to_front_s8", 1),
        to_back: Expr = m.input("to_back_s8", 1),
        extracts: Expr = m.input("extracts_s8", 1),
        inserted: Expr = m.input("inserted_s9", Row::bits(shape)),
        #[group = "for the sorter, in S9: y or a hold changes, even without an extraction; a hold lasts; y was displaced"]
        y_changes: Expr = m.input("y_changes_s9", 1),
        holds: Expr = m.input("holds_s9", 1),
        y_displaced: Expr = m.input("y_displaced_s9", 1),
        #[group = "y of the sorter's warp"]
        y: Expr = m.input("y_sorted", Row::bits(shape)),
    }
}

fn output_nothing(m: &Builder, shape: &Shape) {
    for port in ["any_s8", "runnable_s8", "extracted", "sorts", "sorts_y", "merges", "folds"] {
        m.output(port, &zeros(1));
    }
    m.output("extracted_row", &zeros(Row::bits(shape)));
    m.output("sorted_y", &zeros(Row::bits(shape)));
    m.output("sorter_warp", &zeros(shape.warp_bits()));
    m.output("sorter_position", &zeros(shape.lane_bits()));
}

struct Commit {
    inserts_front: Expr,
    inserts_back: Expr,
    inserts: Expr,
    extracts: Expr,
    warp: Expr,
}

impl Commit {
    fn declare(m: &Builder, inputs: &Inputs) -> Self {
        m.comment("S9: insert and extract.");
        let s9 = |name: &str, value: &Expr| flag(m, name, &(&inputs.valid & value));
        let inserts_front = s9("inserts_front_s9", &inputs.to_front);
        let inserts_back = s9("inserts_back_s9", &inputs.to_back);
        let extracts = s9("extracts_s9", &inputs.extracts);
        let warp = m.delay("warp_s9", &inputs.warp);
        let inserts = m.wire("inserts", &(&inserts_front | &inserts_back));
        Self { inserts_front, inserts_back, inserts, extracts, warp }
    }
}

struct Sorting {
    rings: Memory,
    sorter: Instance,
    warp: Expr,
    ring: Ring,
    /// A commit changes a ring, so the sorter does not.
    commits: Expr,
    /// The ring that changes has rows afterwards.
    rows_after: Expr,
    /// The row that is sorted and y are exchanged.
    exchanges: Expr,
    /// The row is merged into y.
    merges: Expr,
    /// The front row is merged into the row.
    folds: Expr,
    sorts: Expr,
    /// The position of the row, counted from the front.
    position: Expr,
    y: Expr,
}

impl Sorting {
    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs, commit: &Commit, row: &Expr, module: &Module) -> Self {
        m.comment("The sorter changes y and the table in cycles in which no commit needs them.");
        let Inputs { generation, valid, y_changes, .. } = inputs;
        let rings = m.memory("rings", shape.warps, Ring::bits(shape), MemoryStyle::Distributed);
        let sorter = m.instance("sorter", module);
        let warp = sorter.output_as("warp", "sorted_warp");
        let generation = m.wire("generation_sorted", &generation.index(&warp));
        let ring = Ring::unpack(m, shape, &rings.read("sorted_ring", &warp)).at(&generation);
        let commits = m.wire("commit_changes", &(&commit.inserts | &commit.extracts));
        let rows_after = m.forward("rows_after", 1);
        sorter.input("generation", &generation);
        sorter.input("changes_s9", &(&commits | y_changes)).input("warp_s9", &commit.warp);
        let has_rows = &rows_after & !&inputs.holds;
        let keeps_order = &commit.inserts_front & &inputs.y_displaced;
        sorter.input("sorts_s9", &(&has_rows & !&keeps_order)).input("keeps_order_s9", &(has_rows & keeps_order));
        sorter.input("rows", &ring.rows).input("y", &inputs.y).input("row_read", row);
        sorter.input("may_change", &!((valid & inputs.warp.eq(&warp)) | &commits | y_changes));
        let exchanges = sorter.output_as("exchanges", "exchanges_now");
        let merges = sorter.output_as("merges", "merges_now");
        let folds = sorter.output_as("folds", "folds_now");
        let position = sorter.net("position");
        let y = sorter.output_as("sorted_y", "sorted_y_now");
        let sorts = m.wire("sorts_now", &(&exchanges | &merges | &folds));
        Self { rings, sorter, warp, ring, commits, rows_after, exchanges, merges, folds, sorts, position, y }
    }

    fn outputs(&self, m: &Builder, shape: &Shape) {
        m.port_group("the sorter's warp, for the trace its row and action, whether that changes y, and the new y");
        m.output("sorter_warp", &self.warp);
        let traced = |value: &Expr| if shape.trace { value.clone() } else { zeros(0) };
        m.output("sorter_position", &traced(&self.position));
        m.output("sorts", &traced(&self.sorts));
        m.output("merges", &traced(&self.merges));
        m.output("folds", &traced(&self.folds));
        m.output("sorts_y", &(&self.exchanges | &self.merges));
        m.output("sorted_y", &self.y);
    }
}

struct Cct<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    inputs: &'a Inputs,
    /// The ring of the commit in S8.
    ring: Ring,
    commit: Commit,
    /// The front row of the commit in S9.
    front_row: Expr,
    /// The row that the sorter reads.
    row: Expr,
    sorting: Sorting,
}

/// The change of a ring, by the commit in S9 or else by the sorter.
struct Change {
    /// The ring of the commit in S9 before the change.
    ring_s9: Expr,
    /// The changing ring before the change.
    before: Ring,
    /// The position before the front row.
    before_front: Expr,
    /// The changing ring after the change.
    next: Ring,
}

struct Table {
    memory: Memory,
    /// Addresses of the sorter's row and of the row that it reads.
    sorted_at: Expr,
    read_at: Expr,
    /// Position in its ring at which a row is inserted.
    insert_place: Expr,
}

impl Cct<'_> {
    fn change(&self) -> Change {
        let Self { m, shape, inputs, .. } = self;
        let Commit { inserts, extracts, inserts_front, .. } = &self.commit;
        let Sorting { exchanges, merges, folds, sorts, position, .. } = &self.sorting;
        m.comment("The change of a ring, by the commit in S9 or else by the sorter.");
        let ring_s9 = m.delay("ring_s9", &self.ring.pack());
        let before = Ring::unpack(m, shape, &m.wire("ring_before", &sorts.mux(&self.sorting.ring.pack(), &ring_s9)));
        let index = before.front.width();
        let is_parked = |row: &Expr, generation: &Expr| Row::unpack(m, shape, row).parked_now(generation);
        let generation_s9 = m.wire("generation_s9", &inputs.generation.index(&self.commit.warp));
        let generation_sorted = &self.sorting.ring.generation;
        let one = |condition: &Expr| condition.extend(index);
        let leaves = m.wire("leaves", &(extracts | merges | folds));
        // With two rows, the row that is merged into y can also be the back one.
        let merges_front = if shape.folds_rows { merges.clone() } else { merges & position.none() };
        let front_leaves = m.wire("front_leaves", &(extracts | merges_front | folds));
        let y_parked_enters = exchanges & is_parked(&inputs.y, generation_sorted);
        let y_parked_enters = m.fault("an_exchange_does_not_count_a_parked_y", &y_parked_enters, &zeros(1));
        let parked_enters =
            m.wire("parked_enters", &((inserts & is_parked(&inputs.inserted, &generation_s9)) | y_parked_enters));
        let parked_leaves = (extracts & is_parked(&self.front_row, &generation_s9))
            | (sorts & is_parked(&self.sorting.y, generation_sorted));
        let parked_leaves = m.wire("parked_leaves", &parked_leaves);
        let one_row = lit(index, m.fault("an_insert_overwrites_the_front_row", &1, &0));
        let before_front = m.wire("before_front", &(&before.front - one_row));
        let after_front = &before.front + one(&front_leaves);
        let next = Ring {
            front: m.wire("front_next", &inserts_front.mux(&before_front, &after_front)),
            rows: m.wire("rows_next", &((&before.rows + one(inserts)) - one(&leaves))),
            parked: m.wire("parked_next", &((&before.parked + one(&parked_enters)) - one(&parked_leaves))),
            generation: sorts.mux(generation_sorted, &generation_s9),
        };
        Change { ring_s9, before, before_front, next }
    }

    /// Writes the changed ring. Reads the ring of the warp in S7, with that write in it.
    fn write_ring(&self, Change { next, .. }: &Change, ring_s7: &Expr) {
        let Self { m, sorting, commit, .. } = self;
        let Inputs { start_valid, start_warp, warp_s7, .. } = self.inputs;
        m.drive(&sorting.rows_after, &next.rows.any());
        let changes = m.wire("ring_changes", &(&sorting.commits | &sorting.sorts));
        let warp = m.wire("changed_warp", &sorting.sorts.mux(&sorting.warp, &commit.warp));
        let written_warp = start_valid.mux(start_warp, &warp);
        sorting.rings.write(&(&changes | start_valid), &written_warp, &next.pack().when(&!start_valid));
        let same = &changes & warp.eq(warp_s7);
        m.drive(ring_s7, &same.mux(&next.pack(), &sorting.rings.read("ring_read", warp_s7)));
    }

    /// Reads the front row of the commit in S8 and the sorter's row. Writes the row that is inserted or sorted.
    fn table(&self, Change { before, before_front, .. }: &Change) -> Table {
        let Self { m, shape, inputs, sorting, commit: Commit { inserts, inserts_back, warp, .. }, .. } = self;
        m.comment("The table. The front row is read for each commit, before it is known whether it is taken.");
        let rows = shape.warps * shape.threads;
        let memory = m.memory("cold_rows", rows, Row::bits(shape), MemoryStyle::BlockUnordered);
        let sorted_at = m.wire("sorted_at", &join([&(&sorting.ring.front + &sorting.position), &sorting.warp]));
        let front_at = join([&self.ring.front, &inputs.warp]);
        m.drive(&self.front_row, &memory.read_registered("front_row_read", &front_at));
        let read_position = sorting.sorter.output_as("read_position", "read_position");
        let read_at = m.wire("read_at", &join([&(&sorting.ring.front + &read_position), &sorting.warp]));
        m.drive(&self.row, &memory.read_registered("row_read", &read_at));
        let behind_back = m.wire("behind_back", &(&before.front + &before.rows));
        let insert_place = inserts_back.mux(&behind_back, before_front);
        let insert_at = join([&insert_place, warp]);
        let (writes, sorted_row) = if shape.folds_rows {
            (&sorting.sorts, sorting.exchanges.mux(&inputs.y, &sorting.sorter.net("sorted_row")))
        } else {
            (&sorting.exchanges, inputs.y.clone())
        };
        let row = inserts.mux(&inputs.inserted, &sorted_row);
        memory.write(&(inserts | writes), &inserts.mux(&insert_at, &sorted_at), &row);
        Table { memory, sorted_at, read_at, insert_place }
    }

    /// Asserts the claims about the watched warp, and declares the outputs for a proof.
    fn state(&self, change: &Change, table: &Table, ring_s8: &Expr) {
        let Self { m, shape, inputs, sorting, commit, .. } = self;
        let watch = Watch::inputs(m, shape, &inputs.generation);
        let at = &watch.at;
        at.connect(&sorting.sorter, "watched");
        sorting.sorter.input("row_there", &table.memory.inspect("row_sorted", &table.sorted_at));
        sorting.sorter.input("next_row_there", &table.memory.inspect("row_to_read", &table.read_at));
        if shape.folds_rows {
            let front_at = join([&sorting.ring.front, &sorting.warp]);
            sorting.sorter.input("front_there", &table.memory.inspect("front_sorted", &front_at));
        }
        let now = |condition: &Expr| condition & commit.warp.eq(&at.warp);
        let unsorted = sorting.sorter.output("unsorted_watched");
        let state = Cold {
            rings: &sorting.rings,
            table: &table.memory,
            changed: [&now(&sorting.commits), &change.next.pack()],
            inserted: [&now(&commit.inserts), &table.insert_place, &inputs.inserted],
            rings_read: [ring_s8, &change.ring_s9],
            unsorted: &unsorted,
        };
        state.state(&watch);
        m.output("changes_watched", &sorting.commits);
        m.output("disturbs_watched", &(&inputs.y_changes | &commit.extracts));
        m.output("unsorted_watched", &unsorted);
        m.output("holds_watched", &inputs.holds);
    }
}
