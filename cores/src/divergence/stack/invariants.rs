//! Invariants of the rows of a stack, stated in a formal build for the watched warp.

use rtl::{Bundle, Expr, clog2, count_ones, increment, join, lit, reduce, select};

use super::rpc::Rpc;
use crate::divergence::watch::Watch;
use crate::formal::{CHARGES, Standing, output_active};
use crate::signals::Path;

pub struct Side {
    /// The path, with the lanes that are active, or were when the row was suspended.
    pub path: Path,
    /// It was parked when it was last on top. It may have been released since.
    pub was_parked: Expr,
    /// All its threads when it was last on top.
    pub whole: Expr,
    /// It is at the row's reconvergence point; it pops at a `ret`.
    pub flags: [Expr; 2],
}

pub struct Level {
    pub used: Expr,
    pub is_top: Expr,
    /// The sides: one, or left and right.
    pub sides: Vec<Side>,
    /// The side of the row below that diverged to make this one; no bits where a row has one side.
    pub from: Expr,
    pub rpc: Rpc,
}

impl Level {
    fn side(&self, number: usize) -> (Expr, Expr) {
        let side = &self.sides[number];
        let valid = &self.used & &side.path.valid;
        (valid.clone(), side.whole.when(&valid))
    }

    fn threads(&self) -> Expr {
        let each: Vec<Expr> = (0..self.sides.len()).map(|number| self.side(number).1).collect();
        reduce(&each, &|a, b| a | b)
    }
}

/// The reconvergence of a row's paths.
pub struct Meeting {
    /// They reconverge in the row below, and not where that row reconverges.
    pub is_below: Expr,
    /// The threads that wait there.
    pub who: Expr,
}

pub struct Rows<'a> {
    /// The rows, the bottom one first.
    pub levels: Vec<Level>,
    pub live: &'a Expr,
    /// The top row must be popped: all its threads have ended.
    pub empty: &'a Expr,
}

/// Paths in the list of a stack: on each side the active ones and the served ones.
pub fn listed_paths(rows: usize, sides: usize) -> usize {
    2 * rows * sides
}

/// Whether both are equal, apart from the return that was reached first.
fn same(a: &Rpc, b: &Rpc) -> Expr {
    let place = a.pc.eq(&b.pc) | a.is_return();
    (a.is_return().eq(&b.is_return()) & a.is_at().eq(&b.is_at())) & ((place & a.depth.eq(&b.depth)) | a.is_nowhere())
}

fn within(inner: &Expr, outer: &Expr) -> Expr {
    (inner & !outer).none()
}

fn apart(a: &Expr, b: &Expr) -> Expr {
    (a & b).none()
}

impl Rows<'_> {
    /// Asserts the claims about the rows. Declares the outputs for a proof: the active paths, the list of all paths,
    /// and the pcs of returns. Returns where the paths of each row except the bottom one reconverge.
    pub fn state(&self, watch: &Watch) -> Vec<Meeting> {
        let Watch { m, at, .. } = watch;
        m.comment("Invariants of the rows of the watched warp.");
        let stated = Stated::of(watch, self);
        stated.rows();
        let (meets_below, known) = stated.reconvergence();
        let meetings = (1..self.levels.len()).map(|row| stated.meeting(row, &meets_below[row], &known[row])).collect();
        m.comment("Invariants of each side.");
        for (row, level) in self.levels.iter().enumerate() {
            (0..level.sides.len()).for_each(|number| stated.side(row, number));
        }
        let tops = stated.charges();
        stated.list(&meets_below);
        stated.returns();
        m.cover("the_stack_is_full", &(&at.started & &tops[tops.len() - 1] & count_ones(self.live).any()));
        meetings
    }
}

struct Stated<'a> {
    watch: &'a Watch<'a>,
    rows: &'a Rows<'a>,
    threads: Vec<Expr>,
    above: Vec<Expr>,
}

impl<'a> Stated<'a> {
    fn of(watch: &'a Watch, rows: &'a Rows) -> Self {
        let Watch { m, shape, .. } = watch;
        let threads_of = |(row, level): (usize, &Level)| m.wire(&format!("threads_of_row_{row}"), &level.threads());
        let threads: Vec<Expr> = rows.levels.iter().enumerate().map(threads_of).collect();
        let above_row = |row: usize| {
            let above = threads[row + 1..].iter().fold(lit(shape.threads, 0), |any, threads| any | threads);
            m.wire(&format!("above_row_{row}"), &above)
        };
        let above = (0..threads.len()).map(above_row).collect();
        Self { watch, rows, threads, above }
    }

    fn rows(&self) {
        self.watch.claim("the_bottom_row_meets_nowhere", &self.rows.levels[0].rpc.is_nowhere());
        for (row, level) in self.rows.levels.iter().enumerate() {
            if let [left, right] = level.sides.as_slice() {
                let both = &left.path.valid & &right.path.valid & !apart(&left.whole, &right.whole);
                self.watch.claim(&format!("the_sides_of_row_{row}_are_apart"), &!(&level.used & both));
            }
        }
    }

    /// For each row: whether it reconverges in the row below, and whether its return is known.
    fn reconvergence(&self) -> (Vec<Expr>, Vec<Expr>) {
        let (m, levels) = (self.watch.m, &self.rows.levels);
        m.comment("Each row reconverges in the row below, or where that row reconverges.");
        let meets_below = |row: usize| match row.checked_sub(1) {
            Some(below) => m.wire(
                &format!("row_{row}_meets_below"),
                &(&levels[row].used & !same(&levels[row].rpc, &levels[below].rpc)),
            ),
            None => lit(1, 0),
        };
        let meets_below: Vec<Expr> = (0..levels.len()).map(meets_below).collect();
        let mut known = vec![lit(1, 0); levels.len()];
        for row in (1..levels.len()).rev() {
            let passes_on = match levels.get(row + 1) {
                Some(next) => &next.used & !&meets_below[row + 1] & &known[row + 1],
                None => lit(1, 0),
            };
            let arrived = levels[row].rpc.is_known_return() | passes_on;
            known[row] = m.wire(&format!("a_return_of_row_{row}_is_known"), &arrived);
        }
        (meets_below, known)
    }

    /// Where the paths of a row reconverge, and the threads that wait there.
    fn meeting(&self, row: usize, meets_below: &Expr, known: &Expr) -> Meeting {
        let Self { watch, above, threads, rows } = self;
        let (level, below) = (&rows.levels[row], &rows.levels[row - 1]);
        let number = |f: &dyn Fn(usize) -> Expr| match below.sides.len() {
            1 => f(0),
            sides => select(&level.from, (0..sides).map(f).collect::<Vec<_>>()),
        };
        let path = |f: &dyn Fn(&Path) -> &Expr| number(&|side| f(&below.sides[side].path).clone());
        let (valid, whole) = (number(&|side| below.side(side).0), number(&|side| below.side(side).1));
        let place = path(&|path| &path.depth).eq(&level.rpc.depth)
            & (level.rpc.is_return() | path(&|path| &path.pc).eq(&level.rpc.pc));
        let was_parked = number(&|side| below.sides[side].was_parked.clone());
        let waits = &valid & !was_parked & path(&|path| &path.mask).eq(&whole) & place;
        let part = within(&above[row - 1], &whole);
        let part = if below.sides.len() == 1 { part & whole.ne(&threads[row]) } else { part };
        let waits_below = !meets_below | (waits & part & !level.rpc.is_nowhere());
        self.watch.claim(&format!("the_meeting_of_row_{row}_waits_below"), &waits_below);
        let beside =
            if below.sides.len() == 1 { apart(&above[row - 1], &whole) } else { !valid & threads[row - 1].any() };
        self.watch.claim(&format!("row_{row}_meets_where_the_one_below_does"), &(!&level.used | meets_below | beside));
        let who = number(&|side| below.side(side).1) & rows.live & !&above[row - 1];
        let who = watch.m.wire(&format!("who_has_come_from_row_{row}"), &who);
        let unknown = meets_below & level.rpc.is_return() & !known & who.any();
        self.watch.claim(&format!("who_has_come_to_a_return_of_row_{row}_knows_which"), &!unknown);
        Meeting { is_below: meets_below.clone(), who }
    }

    fn side(&self, row: usize, number: usize) {
        let (levels, live) = (&self.rows.levels, self.rows.live);
        let level = &levels[row];
        let name = format!("{}_of_row_{row}", ["left", "right"][number]);
        let claim = |what: &str, condition: &Expr| self.watch.claim(&format!("{name}_{what}"), condition);
        let Side { path, whole, flags, .. } = &level.sides[number];
        let is_base = match levels.get(row + 1) {
            Some(_) if level.sides.len() == 1 => !&level.is_top,
            Some(next) => !&level.is_top & next.from.is(number as u64),
            None => lit(1, 0),
        };
        let valid = &level.used & &path.valid;
        claim("has_threads", &(!&valid | (path.mask.any() & within(&path.mask, whole))));
        let at = level.rpc.is_at() & path.pc.eq(&level.rpc.pc) & path.depth.eq(&level.rpc.depth);
        let returns = level.rpc.is_return() & path.depth.eq(&level.rpc.depth);
        let counts = &valid & !&is_base;
        if level.sides.len() > 1 {
            claim("is_apart_from_the_rows_above", &(!&counts | apart(whole, &self.above[row])));
        }
        claim("lives", &(!&counts | within(whole, live)));
        let rests = &counts & path.mask.ne(whole) & &at;
        claim("has_no_rest_where_it_meets", &!rests);
        if level.sides.len() > 1 {
            let unknown = &level.used & level.rpc.is_return() & !level.rpc.is_known_return();
            let gone = !&path.valid & (whole & live).any();
            claim("has_not_left_for_an_unknown_return", &!(unknown & gone));
        }
        claim("leaves_where_it_meets", &(!&counts | (flags[0].eq(&at) & flags[1].eq(&returns))));
        if level.sides.len() > 1 {
            let bits = clog2(self.watch.shape.threads + 2);
            let most = count_ones(whole).extend(bits).lt(&lit(bits, (self.watch.shape.threads - row + 1) as u64));
            claim("has_fewer_threads_than_in_the_row_below", &(!&valid | most));
        }
        claim("waits_whole", &(!(valid & &path.parked) | path.mask.eq(whole)));
    }

    /// Outputs the active paths. Returns for each row whether it is on top.
    fn charges(&self) -> Vec<Expr> {
        let (Watch { m, shape, .. }, levels) = (self.watch, &self.rows.levels);
        m.port_group("its active paths");
        let tops: Vec<Expr> = levels.iter().map(|level| level.is_top.clone()).collect();
        let of_top = |values: &[Expr]| {
            let values: Vec<Expr> = values.iter().zip(&tops).map(|(value, top)| value.when(top)).collect();
            reduce(&values, &|a, b| a | b)
        };
        let top = |f: &dyn Fn(&Level) -> Expr| of_top(&levels.iter().map(f).collect::<Vec<_>>());
        for (number, name) in CHARGES[..shape.slots].iter().enumerate() {
            let paths: Vec<&Path> = levels.iter().map(|level| &level.sides[number].path).collect();
            let path = Path::choose(&paths, &of_top);
            let [at_rpc, at_ret] = [0, 1].map(|flag| top(&|level| level.sides[number].flags[flag].clone()));
            let runs = path.can_run();
            let empty = if number == 0 { self.rows.empty.clone() } else { lit(1, 0) };
            output_active(m, name, &path, &(empty | (at_rpc & &runs)), &(at_ret & &runs));
        }
        let is_empty = !top(&|level| join(level.sides.iter().map(|side| &side.path.valid)).any()) & !&levels[0].is_top;
        self.watch.claim("a_row_is_empty_when_no_side_of_it_lives", &self.rows.empty.eq(&is_empty));
        tops
    }

    fn list(&self, meets_below: &[Expr]) {
        let (m, levels) = (self.watch.m, &self.rows.levels);
        m.port_group("all its paths: on each side the active one and the served one");
        let mut entry = 0;
        for (row, level) in levels.iter().enumerate().rev() {
            for (number, Side { path, whole, .. }) in level.sides.iter().enumerate() {
                let valid = &level.used & &path.valid;
                let free = (self.rows.live & !&self.above[row]).when(&valid);
                let free = m.wire(&format!("free_of_row_{row}_{number}"), &free);
                let at_return = match levels.get(row + 1) {
                    Some(next) => {
                        let is_from = if level.sides.len() == 1 { lit(1, 1) } else { next.from.is(number as u64) };
                        &meets_below[row + 1] & next.rpc.is_return() & is_from
                    }
                    None => lit(1, 0),
                };
                let active = &path.mask & &free;
                let served = whole & !&path.mask & &free;
                let rest = path.mask.ne(whole);
                let listed = [(path.pc.clone(), active, rest), (increment(&path.pc, 1), served, lit(1, 0))];
                for (pc, mask, rest) in listed {
                    let name = format!("list_{entry}");
                    let mask = m.wire(&format!("mask_listed_{entry}"), &mask);
                    let valid = mask.any();
                    Path { valid, pc, mask, depth: path.depth.clone(), parked: path.parked.clone() }.outputs(m, &name);
                    Standing { rest, at_return: at_return.clone() }.outputs(m, &name);
                    entry += 1;
                }
            }
        }
    }

    /// Outputs the pcs of returns that paths of a row have reached.
    fn returns(&self) {
        let m = self.watch.m;
        m.port_group("known returns");
        for (row, level) in self.rows.levels.iter().enumerate() {
            let known = &level.used & level.rpc.is_known_return();
            m.output(&format!("return_{row}_valid"), &known);
            m.output(&format!("return_{row}_pc"), &level.rpc.pc);
        }
    }
}
