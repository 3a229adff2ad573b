//! How long a thread that can run waits: a bound for every state, stated in a formal build.
//!
//! The bound counts commits of the warp. F is `fair_after`. The other numbers count threads that can run and are
//! not on the path of the waiting thread: `u` in all, `x` on the active path x, `h` behind x and before the path
//! that began the round.
//!
//! - On the active path, which does not yield: 0. The thread runs next.
//! - Outside a round: m(u) · F, where m(u) = u + m(u − 1). x ends its time slice, and the others have theirs before
//!   the thread's path is next. But the last commit of a time slice can end at the thread's own pc. Then the two
//!   paths merge and yield together, and the thread has not run. It waits until that round is over. Then it is as
//!   far as before, with one thread less that can merge.
//! - On the active path, which yields: a round of u time slices comes first, (u + m(u)) · F. It is the longest wait
//!   of all.
//! - In a round, before the path that began it: (x + h) · F, and (m(u) − u) · F more if a path merges with its
//!   path.
//! - In a round, on the path that began it or behind that: (x + h) · F until the round is over, then m(u) · F.
//!
//! The commits that x has made in its time slice are subtracted. A path of k threads counts as k time slices,
//! because it may split. A rotation is no commit, so a path that yields has none left.

use rtl::{Builder, Bundle, Expr, Instance, clog2, count_ones, decode, join, lit, reduce, select, zeros};

use super::cct;
use super::invariants::claim;
use super::turns::{Table, Turn};
use crate::formal::Watched;
use crate::shape::Shape;
use crate::signals::Path;

/// The most commits of its warp between two commits of a thread that can run; `None` without time slices.
pub fn longest(shape: &Shape) -> Option<u64> {
    let others = shape.threads as u64 - 1;
    (shape.fair_after > 0).then_some((others + turns_met(others)) * shape.fair_after)
}

/// m(u): the time slices of `others` threads while a thread waits outside a round.
fn turns_met(others: u64) -> u64 {
    others * (others + 1) / 2
}

pub struct Waiting<'a> {
    pub turns: &'a Table,
    /// Whether S9 writes the row of the watched warp.
    pub in_s9: &'a Expr,
    /// The paths of the watched warp, x and y first.
    pub list: &'a [Path],
    pub gives_way: &'a Expr,
    pub cct: &'a Instance,
}

impl Waiting<'_> {
    /// Asserts the claims about the time slice of the watched warp, and outputs the bound for its watched thread.
    pub fn state(&self, m: &Builder, shape: &Shape, at: &Watched) {
        m.comment("The time slice of the watched warp.");
        let Table { rows, row, written } = self.turns;
        let stored = m.wire("turn_settled", &self.in_s9.mux(written, &rows.inspect("turn_watched", &at.warp)));
        let current = row.eq(&stored);
        claim(m, at, "s8_has_the_turn", &(!(&at.in_s8 & &at.started_by_s7) | &at.settling | current));
        let Turn { marker, hold, count } = Turn::unpack(m, shape, &stored);
        let last = lit(count.width(), shape.fair_after - 1);
        claim(m, at, "commits_are_counted_to_the_end_of_a_turn", &!last.lt(&count));
        let marked: Vec<Expr> = self.list.iter().map(|path| &path.valid & (&path.mask & &marker).any()).collect();
        let marked = m.wire("marked", &join(&marked));
        let holds_all = |number: usize| !marked.bit(number) | (&marker & !&self.list[number].mask).none();
        let together = join(&(0..self.list.len()).map(holds_all).collect::<Vec<_>>()).all();
        let began = marked.any() & !marked.bit(0) & together;
        claim(m, at, "in_a_round_one_path_behind_x_began_it", &(!&hold | began));
        if cct::exists(shape) {
            let disturbed = &at.settling & self.cct.output("disturbs_watched");
            let rests = !self.cct.output("unsorted_watched") | disturbed;
            claim(m, at, "nothing_is_sorted_in_a_round", &(!&hold | rests));
            let known = self.cct.output("holds_watched").eq(&hold);
            claim(m, at, "s9_knows_the_round", &(!&at.settling | known));
        }
        m.port_group("the most commits for which the watched thread waits");
        m.output("waits_at_most", &self.at_most(m, shape, at, &marked, &hold, &count));
    }

    fn at_most(&self, m: &Builder, shape: &Shape, at: &Watched, marked: &Expr, hold: &Expr, count: &Expr) -> Expr {
        m.comment("The position of the watched thread, and the threads that can run on other paths.");
        let threads = shape.threads as u64;
        let width = clog2(((2 * threads + turns_met(threads)) * shape.fair_after) as usize + 1);
        let thread = m.wire("the_thread", &decode(&at.thread, shape.threads));
        let own: Vec<Expr> = self.list.iter().map(|path| &path.valid & (&path.mask & &thread).any()).collect();
        let own = m.wire("own_path", &join(&own));
        let can_run: Vec<Expr> = self.list.iter().map(|path| &path.valid & !&path.parked).collect();
        let can_run = m.wire("can_run", &join(&can_run));
        let runs = |number: usize| self.list[number].mask.when(&(can_run.bit(number) & !own.bit(number)));
        let union = |masks: &[Expr]| reduce(masks, &|a, b| a | b);
        let before_marked = |number: usize| marked.slice(0, number + 1).none();
        let all: Vec<Expr> = (0..self.list.len()).map(runs).collect();
        let mut ahead: Vec<Expr> = (1..self.list.len()).map(|n| all[n].when(&before_marked(n))).collect();
        ahead.push(zeros(shape.threads));
        let others = m.wire("others", &count_ones(&union(&all)));
        let ahead = m.wire("ahead", &count_ones(&union(&ahead)));
        let (own_x, runs_x) = (own.bit(0), can_run.bit(0) & !own.bit(0) & !self.gives_way);
        let turn_of_x = m.wire("of_x", &count_ones(&all[0].when(&runs_x)));

        let turns = |number: &Expr, turns: &dyn Fn(u64) -> u64| {
            let values: Vec<Expr> = (0..=threads).map(|k| lit(width, turns(k) * shape.fair_after)).collect();
            select(number, &values)
        };
        let each = |number: &Expr| turns(number, &|k| k);
        let met = m.wire("met", &turns(&others, &turns_met));
        let made = count.extend(width);
        let before = (0..self.list.len()).map(|number| own.bit(number) & before_marked(number));
        let before = m.wire("before_the_round_ends", &(join(&before.collect::<Vec<_>>()).any() & !&own_x));
        let until_over = each(&turn_of_x) - made.when(&runs_x) + each(&ahead);
        let in_round = m.wire("in_a_round", &(until_over + &met - each(&others).when(&before)));
        let turn = lit(width, shape.fair_after);
        let spent = made.when(&runs_x) + turn.when(&(can_run.bit(0) & !&own_x & self.gives_way));
        let outside = m.wire("outside_a_round", &(&met + each(&others).when(&own_x) - spent));
        let waits = (&own & &can_run).any() & !(own_x & !self.gives_way);
        hold.mux(&in_round, &outside).when(&waits)
    }
}
