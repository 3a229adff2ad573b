//! The sorter of the cold context table: keeps the best of y and the rows in y, and merges rows that have become equal.
//!
//! Through a read port of its own, a row is read and compared with y of its warp and with the front row:
//!
//! - it comes before y: the two change places;
//! - it equals y: it goes into y, and the front row takes its place;
//! - it equals the front row: the front row goes into it (from T = 8: with two rows it is not worth the comparator).
//!
//! With two rows, at T = 4, the one that goes into y is the front one or the back one: no other has to take its place.
//!
//! Three cycles a row, one pass over a warp's rows after each change of them or of y, the warps in turn. Changes happen
//! in a cycle in which no instruction of the warp is in S8, between reading c and writing y; they are given up, and the
//! pass begun again, where y or the rows have changed since. Nothing but speed depends on it.
//!
//! Storage: a flag for each warp, and two rows, or at T = 4 one.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, Register, clog2, decode, increment, lit, zeros};

use crate::divergence::row::Row;
use crate::formal::Watched;
use crate::shape::Shape;

/// Elaborates the state machine.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("cct_sorter", "Sorter of the cold context table: keeps the best of y and the rows in y.");
    m.timing(
        "a row takes three cycles or more: read, compare, and decide in a cycle with `may_change`, in which the \
         changes are combinational. It begins a warp anew when a commit changes y or the rows of that warp.",
    );
    let inputs = Inputs::declare(&m, shape);
    let state = State::declare(&m, shape);
    let step = state.step(&m, shape, &inputs);
    state.advance(&m, shape, &inputs, &step);

    m.port_group("the warp and the row it is at, counted from the front");
    m.output("warp", &state.warp);
    m.output("position", &state.position);
    m.port_group("the row and y change places, or the row goes into y, or the front row goes into the row");
    m.output("exchanges", &step.exchanges);
    m.output("merges", &step.merges);
    m.output("folds", &step.folds);
    m.port_group("y after the first two; the row after the other two");
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
    /// What enters.
    struct Inputs(m: &Builder, shape: &Shape) {
        generation: Expr = m.input("generation", 1),
        #[group = "S9: a warp's y or rows change; whether there is something to sort"]
        /// S9: y or the rows of a warp change.
        changes: Expr = m.input("changes_s9", 1),
        changed_warp: Expr = m.input("warp_s9", shape.warp_bits()),
        /// There is something to sort then.
        sorts: Expr = m.input("sorts_s9", 1),
        #[group = "the sorter's warp: its rows in use, y, the row read a cycle ago"]
        /// Rows in use of the sorter's warp.
        rows: Expr = m.input("rows", clog2(shape.threads)),
        y: Row = Row::unpack(m, shape, &m.input("y", Row::bits(shape))),
        /// The row that was read, in the word of the table.
        row_read: Expr = m.input("row_read", Row::bits(shape)),
        #[group = "a change of y and the rows would disturb no commit"]
        /// A change of y and the rows would disturb no commit.
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

/// The registers.
struct State {
    warp: Register,
    position: Register,
    /// The row at hand.
    row: Register,
    /// Warps with something to sort.
    unsorted: Register,
    /// The row is there, and is compared.
    comparing: Register,
    /// It has been compared.
    deciding: Register,
    /// It comes before y.
    better: Register,
    /// It equals y.
    same: Register,
    /// It equals the front row.
    same_front: Register,
    /// The front row, where rows are folded.
    front_row: Option<Register>,
}

/// What happens in a cycle.
struct Step {
    /// The warp has something to sort.
    works: Expr,
    /// y or its rows change: from the first row again.
    disturbed: Expr,
    /// A row is to be read.
    reading: Expr,
    at_front: Expr,
    exchanges: Expr,
    merges: Expr,
    folds: Expr,
    /// The row is done with.
    decided: Expr,
}

impl State {
    fn declare(m: &Builder, shape: &Shape) -> Self {
        Self {
            warp: m.register("warp_now", shape.warp_bits()),
            position: m.register("position_now", clog2(shape.threads)),
            row: m.register("row", Row::bits(shape)),
            unsorted: m.register("unsorted", shape.warps),
            comparing: m.register("comparing", 1),
            deciding: m.register("deciding", 1),
            better: m.register("better", 1),
            same: m.register("same", 1),
            same_front: m.register("same_front", 1),
            front_row: shape.folds_rows.then(|| m.register("front_row", Row::bits(shape))),
        }
    }

    /// A row behind the front one equals that.
    fn folds(m: &Builder, shape: &Shape, inputs: &Inputs, row: &Row, front: &Expr, at_front: &Expr) -> Expr {
        row.equals(&Row::unpack(m, shape, front), &inputs.generation) & !at_front
    }

    fn step(&self, m: &Builder, shape: &Shape, inputs: &Inputs) -> Step {
        let Self { row, comparing, deciding, better, same, same_front, .. } = self;
        let Inputs { changes, row_read, may_change, .. } = inputs;
        m.comment("Read, compare, decide; from the first row again when something changes.");
        let works = m.wire("works", &self.unsorted.index(&self.warp));
        let disturbed = changes & self.warp.eq(&inputs.changed_warp);
        let disturbed = m.wire("disturbed", &m.fault("is_not_cancelled", &disturbed, &zeros(1)));
        let reading = m.wire("reading", &!(&**comparing | &**deciding));
        let reads = m.wire("reads", &(&reading & &works & !&disturbed));
        let new_row = Row::unpack(m, shape, row_read);
        let at_front = m.wire("at_front", &self.position.none());
        row.next(row_read).enable(comparing);
        if let Some(front_row) = &self.front_row {
            front_row.next(row_read).enable(&(&**comparing & &at_front));
        }
        better.next(&inputs.is_better(&new_row)).enable(comparing);
        same.next(&inputs.is_same(&new_row)).enable(comparing);
        let folding = match &self.front_row {
            Some(front) => Self::folds(m, shape, inputs, &new_row, front, &at_front),
            None => lit(1, 0),
        };
        same_front.next(&folding).enable(comparing);
        let may_sort = m.wire("may_sort", &(&**deciding & may_change & !&disturbed));
        let exchanges = m.wire("exchanges_now", &(&may_sort & &**better));
        let merges = m.wire("merges_now", &(&may_sort & &**same));
        let folds = m.wire("folds_now", &(&may_sort & &**same_front & !(&**better | &**same)));
        let idle = !(&**better | &**same | &**same_front);
        let decided = m.wire("decided", &(&**deciding & !&disturbed & (may_change | idle)));
        comparing.next(&reads).reset(0);
        deciding.next(&(!&disturbed & (&**comparing | (&**deciding & !&decided)))).reset(0);
        Step { works, disturbed, reading, at_front, exchanges, merges, folds, decided }
    }

    fn advance(&self, m: &Builder, shape: &Shape, inputs: &Inputs, step: &Step) {
        let Self { warp, position, unsorted, .. } = self;
        let Step { works, disturbed, reading, at_front, exchanges, merges, folds, decided } = step;
        m.comment("The next row, or the next warp.");
        let next_position = m.wire("next_position", &increment(position, 1));
        let finished = m.wire("finished", &(decided & next_position.eq(&inputs.rows)));
        let advances = m.wire("advances", &(&finished | (reading & !works)));
        let again = m.wire("again", &(&advances | disturbed | merges | folds | (exchanges & at_front)));
        position.next(&next_position.when(&!&again)).enable(&(decided | &again)).reset(0);
        let next_warp = increment(warp, 1);
        let next_warp = if shape.warps.is_power_of_two() {
            next_warp
        } else {
            next_warp.when(&warp.ne(&lit(shape.warp_bits(), shape.warps as u64 - 1)))
        };
        warp.next(&next_warp).enable(&advances).reset(0);
        let changed_one = decode(&inputs.changed_warp, shape.warps).when(&inputs.changes);
        let changed_one = m.wire("changed_one", &changed_one);
        let finished_one = m.wire("finished_one", &decode(warp, shape.warps).when(&finished));
        let set = &changed_one & inputs.sorts.repeat(shape.warps);
        unsorted.next(&(set | (&**unsorted & !(changed_one | finished_one)))).reset(0);
    }

    /// Claims of the watched warp.
    fn claims(&self, m: &Builder, shape: &Shape, inputs: &Inputs, step: &Step) {
        let Self { warp, position, unsorted, comparing, deciding, better, same, same_front, .. } = self;
        let Step { works, disturbed, reading, at_front, exchanges, merges, folds, .. } = step;
        let at = Watched::inputs(m, shape, "watched");
        let there = m.input("row_there", Row::bits(shape));
        let watched = |condition: &Expr| condition & warp.eq(&at.warp);
        let here = m.wire("sorts_watched", &watched(works));
        let claim = |name: &str, when: &Expr, condition: &Expr| m.assert(name, &(!(&here & when) | condition));
        m.assert("sorts_only_what_is_unsorted", &(reading | works));
        m.assert("compares_and_decides_in_turn", &!(&**comparing & &**deciding));
        m.assert("rests_before_anything_resolves", &(!&at.starting | (unsorted.none() & reading)));
        claim("has_a_row_to_sort", &lit(1, 1), &position.lt(&inputs.rows));
        claim("compares_the_row_that_is_there", comparing, &inputs.row_read.eq(&there));
        claim("decides_on_the_row_that_is_there", deciding, &self.row.eq(&there));
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
