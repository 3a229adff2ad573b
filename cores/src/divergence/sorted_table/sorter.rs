//! The sorter of the cold context table. It keeps the best of y and the rows in y, and merges rows that have become
//! equal.
//!
//! It has its own read port. It compares each row with y of its warp and with the front row:
//!
//! - a row before y: the two are exchanged;
//! - a row equal to y: it is merged into y, and the front row moves to its position;
//! - a row equal to the front row: the front row is merged into it. This exists from T = 8 on, because with two
//!   rows it is not worth the comparator.
//!
//! With two rows, at T = 4, the row that is merged into y is the front or the back one, so no other row moves.
//!
//! A row takes four cycles: read, capture, compare, decide. The next row is read while this one is compared, so a row
//! behind one that stays takes two more. The register of the row keeps the block RAM out of the comparisons. After a
//! change of its rows or of y, a warp gets one pass over its rows; none if a better path only displaces y. Warps are
//! visited in order, but an idle sorter goes to the warp that changes. The sorter makes changes only in a cycle in which
//! no instruction of the warp is in S8, between the read of c and the write of y. If y or the rows have changed since,
//! the change is cancelled and the pass restarts. Only performance depends on the sorter.
//!
//! Storage: a flag for each warp, and two rows, or one row at T = 4.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, Register, clog2, decode, increment, lit, zeros};

use crate::divergence::row::Row;
use crate::formal::Watched;
use crate::shape::Shape;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("cct_sorter", "Sorter of the cold context table: keeps the best of y and the rows in y.");
    m.timing(
        "read, capture, compare, decide in a cycle with `may_change`, in which the changes are combinational. A commit \
         that changes y or the rows of the warp begins it anew.",
    );
    let inputs = Inputs::declare(&m, shape);
    let state = State::declare(&m, shape);
    let step = state.step(&m, shape, &inputs);
    state.advance(&m, shape, &inputs, &step);

    m.port_group("the sorter's warp, the positions of its row and of the row to read, counted from the front");
    m.output("warp", &state.warp);
    m.output("position", &state.position);
    m.output("read_position", &step.read_position);
    m.port_group("the row and y are exchanged; the row is merged into y; the front row is merged into the row");
    m.output("exchanges", &step.exchanges);
    m.output("merges", &step.merges);
    m.output("folds", &step.folds);
    m.port_group("the row after either merge; y after an exchange or the first merge");
    let kept = Row::unpack(&m, shape, &state.row);
    if let Some(front_row) = &state.front_row {
        let front = Row::unpack(&m, shape, front_row);
        m.output("sorted_row", &Row { mask: &front.mask | kept.mask.when(&step.folds), ..front }.pack());
    }
    m.output("sorted_y", &Row { mask: &kept.mask | inputs.y.mask.when(&step.merges), ..kept }.pack());
    if shape.formal {
        state.claims(&m, shape, &inputs, &step);
    }
    m.finish()
}

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        generation: Expr = m.input("generation", 1),
        #[group = "S9: y or the rows of a warp change; there is something to sort"]
        changes: Expr = m.input("changes_s9", 1),
        changed_warp: Expr = m.input("warp_s9", shape.warp_bits()),
        sorts: Expr = m.input("sorts_s9", 1),
        /// What is sorted stays so.
        keeps_order: Expr = m.input("keeps_order_s9", 1),
        #[group = "the sorter's warp: its rows in use, y, the row read in the previous cycle"]
        rows: Expr = m.input("rows", clog2(shape.threads)),
        y: Row = Row::unpack(m, shape, &m.input("y", Row::bits(shape))),
        row_read: Expr = m.input("row_read", Row::bits(shape)),
        #[group = "a change of y and the rows would disturb no commit"]
        may_change: Expr = m.input("may_change", 1),
    }
}

impl Inputs {
    fn is_better(&self, row: &Row) -> Expr {
        row.comes_before(&self.y, &self.generation)
    }

    fn is_same(&self, row: &Row) -> Expr {
        row.equals(&self.y, &self.generation)
    }
}

struct State {
    warp: Register,
    position: Register,
    row: Register,
    /// Warps with something to sort.
    unsorted: Register,
    /// The row has been read, and is put into its register.
    capturing: Register,
    comparing: Register,
    deciding: Register,
    /// The row comes before y.
    better: Register,
    /// The row equals y.
    same: Register,
    /// The row equals the front row.
    same_front: Register,
    /// The front row, where rows are folded.
    front_row: Option<Register>,
}

struct Step {
    works: Expr,
    /// y or the rows of the warp change, so the pass restarts.
    disturbed: Expr,
    reading: Expr,
    at_front: Expr,
    next_position: Expr,
    read_position: Expr,
    exchanges: Expr,
    merges: Expr,
    folds: Expr,
    decided: Expr,
    finished: Expr,
}

impl State {
    fn declare(m: &Builder, shape: &Shape) -> Self {
        Self {
            warp: m.register("warp_now", shape.warp_bits()),
            position: m.register("position_now", clog2(shape.threads)),
            row: m.register("row", Row::bits(shape)),
            unsorted: m.register("unsorted", shape.warps),
            capturing: m.register("capturing", 1),
            comparing: m.register("comparing", 1),
            deciding: m.register("deciding", 1),
            better: m.register("better", 1),
            same: m.register("same", 1),
            same_front: m.register("same_front", 1),
            front_row: shape.folds_rows.then(|| m.register("front_row", Row::bits(shape))),
        }
    }

    /// Whether a row behind the front one equals it.
    fn folds(m: &Builder, shape: &Shape, inputs: &Inputs, row: &Row, front: &Expr, at_front: &Expr) -> Expr {
        row.equals(&Row::unpack(m, shape, front), &inputs.generation) & !at_front
    }

    fn step(&self, m: &Builder, shape: &Shape, inputs: &Inputs) -> Step {
        let Self { position, row, capturing, comparing, deciding, better, same, same_front, .. } = self;
        let Inputs { changes, row_read, may_change, .. } = inputs;
        m.comment("Read, capture, compare, decide. A change restarts the pass.");
        let works = m.wire("works", &self.unsorted.index(&self.warp));
        let disturbed = changes & self.warp.eq(&inputs.changed_warp);
        let disturbed = m.wire("disturbed", &m.fault("is_not_cancelled", &disturbed, &zeros(1)));
        let reading = m.wire("reading", &!(&**capturing | &**comparing | &**deciding));
        let reads = m.wire("reads", &(&reading & &works & !&disturbed));
        let at_front = m.wire("at_front", &position.none());
        let next_position = m.wire("next_position", &increment(position, 1));
        let read_position = m.wire("read_position_now", &(&**comparing | &**deciding).mux(&next_position, position));

        let compared = Row::unpack(m, shape, row);
        better.next(&inputs.is_better(&compared)).enable(comparing);
        same.next(&inputs.is_same(&compared)).enable(comparing);
        let folding = match &self.front_row {
            Some(front) => Self::folds(m, shape, inputs, &compared, front, &at_front),
            None => lit(1, 0),
        };
        same_front.next(&folding).enable(comparing);
        if let Some(front_row) = &self.front_row {
            front_row.next(row).enable(&(&**comparing & &at_front));
        }

        let may_sort = m.wire("may_sort", &(&**deciding & may_change & !&disturbed));
        let exchanges = m.wire("exchanges_now", &(&may_sort & &**better));
        let merges = m.wire("merges_now", &(&may_sort & &**same));
        let folds = m.wire("folds_now", &(&may_sort & &**same_front & !(&**better | &**same)));
        let stays = m.wire("stays", &!(&**better | &**same | &**same_front));
        let decided = m.wire("decided", &(&**deciding & !&disturbed & (may_change | &stays)));
        let finished = m.wire("finished", &(&decided & next_position.eq(&inputs.rows)));
        let goes_on = m.wire("goes_on", &(&decided & stays & !&finished));
        row.next(row_read).enable(&(&**capturing | &goes_on));
        capturing.next(&reads).reset(0);
        comparing.next(&((&**capturing & !&disturbed) | goes_on)).reset(0);
        deciding.next(&(!&disturbed & (&**comparing | (&**deciding & !&decided)))).reset(0);
        Step {
            works,
            disturbed,
            reading,
            at_front,
            next_position,
            read_position,
            exchanges,
            merges,
            folds,
            decided,
            finished,
        }
    }

    fn advance(&self, m: &Builder, shape: &Shape, inputs: &Inputs, step: &Step) {
        let Self { warp, position, unsorted, .. } = self;
        let Step { works, disturbed, reading, at_front, next_position, .. } = step;
        let Step { exchanges, merges, folds, decided, finished, .. } = step;
        m.comment("The next row, or the next warp.");
        let advances = m.wire("advances", &(finished | (reading & !works)));
        let again = m.wire("again", &(&advances | disturbed | merges | folds | (exchanges & at_front)));
        position.next(&next_position.when(&!&again)).enable(&(decided | &again)).reset(0);
        let next_warp = increment(warp, 1);
        let next_warp = if shape.warps.is_power_of_two() {
            next_warp
        } else {
            next_warp.when(&warp.ne(&lit(shape.warp_bits(), shape.warps as u64 - 1)))
        };
        let jumps = m.wire("jumps", &(&inputs.changes & unsorted.none()));
        warp.next(&jumps.mux(&inputs.changed_warp, &next_warp)).enable(&advances).reset(0);
        let changed_one = decode(&inputs.changed_warp, shape.warps).when(&inputs.changes);
        let changed_one = m.wire("changed_one", &changed_one);
        let finished_one = m.wire("finished_one", &decode(warp, shape.warps).when(finished));
        let set = &changed_one & inputs.sorts.repeat(shape.warps);
        let cleared = (&changed_one & (!&inputs.keeps_order).repeat(shape.warps)) | finished_one;
        unsorted.next(&(set | (&**unsorted & !cleared))).reset(0);
    }

    fn claims(&self, m: &Builder, shape: &Shape, inputs: &Inputs, step: &Step) {
        let Self { warp, position, unsorted, capturing, comparing, deciding, better, same, same_front, .. } = self;
        let Step { works, disturbed, reading, at_front, exchanges, merges, folds, .. } = step;
        let at = Watched::inputs(m, shape, "watched");
        let there = m.input("row_there", Row::bits(shape));
        let next_there = m.input("next_row_there", Row::bits(shape));
        let watched = |condition: &Expr| condition & warp.eq(&at.warp);
        let here = m.wire("sorts_watched", &watched(works));
        let claim = |name: &str, when: &Expr, condition: &Expr| m.assert(name, &(!(&here & when) | condition));
        m.assert("sorts_only_what_is_unsorted", &(reading | works));
        let one_at_a_time =
            !((&**capturing & &**comparing) | (&**capturing & &**deciding) | (&**comparing & &**deciding));
        m.assert("captures_compares_and_decides_in_turn", &one_at_a_time);
        m.assert("rests_before_anything_resolves", &(!&at.starting | (unsorted.none() & reading)));
        claim("has_a_row_to_sort", &lit(1, 1), &position.lt(&inputs.rows));
        let has_next = position.ne(&(&inputs.rows - lit(inputs.rows.width(), 1)));
        claim("captures_the_row_that_is_there", capturing, &inputs.row_read.eq(&there));
        claim("compares_the_row_that_is_there", comparing, &self.row.eq(&there));
        claim("decides_on_the_row_that_is_there", deciding, &self.row.eq(&there));
        claim("has_read_the_next_row", &(&**deciding & has_next), &inputs.row_read.eq(&next_there));
        let row_there = Row::unpack(m, shape, &there);
        claim("exchanges_only_a_better_row", deciding, &better.eq(&inputs.is_better(&row_there)));
        claim("merges_only_equal_paths", deciding, &same.eq(&inputs.is_same(&row_there)));
        if let Some(front_row) = &self.front_row {
            let front_there = m.input("front_there", Row::bits(shape));
            claim("knows_the_front_row", &(!at_front | &**deciding), &front_row.eq(&front_there));
            let equals_front = Self::folds(m, shape, inputs, &row_there, &front_there, at_front);
            claim("folds_only_equal_rows", deciding, &(!&**same_front | equals_front));
        } else {
            let at_back = increment(position, 1).eq(&inputs.rows);
            claim("a_row_is_at_the_front_or_at_the_back", deciding, &(at_front | at_back));
        }
        m.cover("an_exchange", &watched(exchanges));
        m.cover("a_late_merge", &watched(&(merges & !at_front)));
        m.cover("an_exchange_is_given_up", &(&here & &**deciding & &**better & disturbed));
        if shape.folds_rows {
            m.cover("a_fold", &watched(folds));
        }
        m.output("unsorted_watched", &unsorted.index(&at.warp));
    }
}
