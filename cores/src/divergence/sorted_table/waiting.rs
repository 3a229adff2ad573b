//! How long a thread that can run waits: a bound for every state, stated in a formal build.
//!
//! The bound counts commits of the warp, and each part of an instruction is one. F is `fair_after`, S the slice of a
//! round. The other numbers count threads that can run and are not on the path of the waiting thread: `u` in all, `r` on
//! the active path x and on the paths behind it, up to the path that began the round.
//!
//! A time slice in a round has S commits, and then the parts that are left of its last instruction. Each slice takes a
//! thread at least out of the round, so with `r` threads in it a slice has at most S + r − 1 commits, and what is left of
//! the round s(r) = (S + r − 1) + s(r − 1).
//!
//! - On the active path, which does not yield: x's other threads, in so many parts.
//! - Outside a round: m(u) = (F + u − 1) + s(u − 1) + m(u − 1). x ends its time slice, and the others have theirs in a
//!   round before the thread's path is next. But the last commit of a time slice can end at the thread's own pc. Then the two paths merge and
//!   yield together, and the thread has not run. It waits until that round is over. Then it is as far as before, with
//!   one thread less that can merge.
//! - On the active path, which yields: a round of the others comes first, s(u) + m(u). It is the longest wait of all.
//! - In a round, before the path that began it: s(r), and m(u − 1) more if a path merges with its path.
//! - In a round, on the path that began it or behind that: s(r) until the round is over, then m(u).
//!
//! All but the first may end with an instruction that serves the threads of the path one by one, and this one last.
//! The commits that x has made in its time slice are subtracted; before the last, x commits once for each of its threads
//! at most. A rotation is no commit, so a path that yields has none left.

use rtl::{Bundle, Expr, Instance, clog2, count_ones, decode, join, lit, reduce, select};

use super::turns::{Table, Turn};
use crate::divergence::ring;
use crate::divergence::watch::Watch;
use crate::shape::Shape;
use crate::signals::Path;

/// The most commits of its warp between two commits of a thread that can run; `None` without time slices.
pub fn longest(shape: &Shape) -> Option<u64> {
    let others = shape.threads as u64 - 1;
    (shape.fair_after > 0).then(|| round(shape, others) + met(shape, others) + others)
}

/// s(r): the commits of a round of which `left` threads are left.
fn round(shape: &Shape, left: u64) -> u64 {
    (0..left).map(|others| shape.slice + others).sum()
}

/// m(u): the commits of `others` threads while a thread waits outside a round.
fn met(shape: &Shape, others: u64) -> u64 {
    (0..others).map(|left| shape.fair_after + left + round(shape, left)).sum()
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
    pub fn state(&self, watch: &Watch) {
        let Watch { m, shape, at, .. } = watch;
        m.comment("The time slice of the watched warp.");
        let Table { rows, row, written } = self.turns;
        let stored = m.wire("turn_settled", &self.in_s9.mux(written, &rows.inspect("turn_watched", &at.warp)));
        let current = row.eq(&stored);
        watch.claim("s8_has_the_turn", &(watch.s8_is_past() | current));
        let Turn { marker, hold, count } = Turn::unpack(m, shape, &stored);
        let last = |commits: u64| lit(count.width(), commits.max(1) - 1);
        let last = hold.mux(&last(shape.slice), &last(shape.fair_after));
        watch.claim("commits_are_counted_to_the_end_of_a_turn", &!last.lt(&count));
        let marked: Vec<Expr> = self.list.iter().map(|path| &path.valid & (&path.mask & &marker).any()).collect();
        let marked = m.wire("marked", &join(&marked));
        let holds_all = |number: usize| !marked.bit(number) | (&marker & !&self.list[number].mask).none();
        let together = join((0..self.list.len()).map(holds_all).collect::<Vec<_>>()).all();
        let began = marked.any() & !marked.bit(0) & together;
        watch.claim("in_a_round_one_path_behind_x_began_it", &(!&hold | began));
        if ring::exists(shape) {
            let disturbed = &at.settling & self.cct.output("disturbs_watched");
            let rests = !self.cct.output("unsorted_watched") | disturbed;
            watch.claim("nothing_is_sorted_in_a_round", &(!&hold | rests));
            let known = self.cct.output("holds_watched").eq(&hold);
            watch.claim("s9_knows_the_round", &(!&at.settling | known));
        }
        m.port_group("the most commits for which the watched thread waits");
        m.output("waits_at_most", &self.at_most(watch, &marked, &hold, &count));
    }

    fn at_most(&self, Watch { m, shape, at, .. }: &Watch, marked: &Expr, hold: &Expr, count: &Expr) -> Expr {
        m.comment("The position of the watched thread, and the threads that can run on other paths.");
        let Self { list, gives_way, .. } = self;
        let threads = shape.threads as u64;
        let width = clog2((round(shape, threads) + met(shape, threads) + threads) as usize + 1);
        let thread = m.wire("the_thread", &decode(&at.thread, shape.threads));
        let own: Vec<Expr> = list.iter().map(|path| &path.valid & (&path.mask & &thread).any()).collect();
        let own = m.wire("own_path", &join(&own));
        let can_run: Vec<Expr> = list.iter().map(Path::can_run).collect();
        let can_run = m.wire("can_run", &join(&can_run));
        let (own_x, x_can_run) = (own.bit(0), can_run.bit(0));
        let runs_x = m.wire("others_are_on_x", &(&x_can_run & !&own_x & !*gives_way));
        let number = |name: &str, is_one: &dyn Fn(usize) -> Expr| {
            let masks: Vec<Expr> = (0..list.len()).map(|number| list[number].mask.when(&is_one(number))).collect();
            m.wire(name, &count_ones(&reduce(&masks, &|a, b| a | b)))
        };
        let before_marked = |number: usize| marked.slice(0, number + 1).none();
        let other = |number: usize| can_run.bit(number) & !own.bit(number);
        let runnable = number("runnable", &|number| can_run.bit(number));
        let others = number("others", &other);
        let in_round = number("left_in_the_round", &|number| match number {
            0 => runs_x.clone(),
            _ => other(number) & before_marked(number),
        });
        let of_x = m.wire("of_x", &count_ones(&list[0].mask).extend(width));

        let table = |number: &Expr, commits: &dyn Fn(u64) -> u64| {
            let values: Vec<Expr> = (0..=threads).map(|k| lit(width, commits(k))).collect();
            select(number, &values)
        };
        let met_by = |number: &Expr| table(number, &|k| met(shape, k));
        let met_by_one_less = m.wire("met_by_one_less", &table(&others, &|k| met(shape, k.saturating_sub(1))));
        let round_of = |number: &Expr| table(number, &|k| round(shape, k));
        let round_after_x = |number: &Expr| table(number, &|k| round(shape, k.saturating_sub(1)));
        let with_x = |left: &Expr, slice: u64| {
            let before_the_last = lit(width, slice - 1) - count.extend(width) + left.extend(width);
            round_after_x(left) + count.is(slice - 1).mux(&of_x, &before_the_last)
        };
        let before: Vec<Expr> = (1..list.len()).map(|number| own.bit(number) & before_marked(number)).collect();
        let before = m.wire("before_the_round_ends", &(join(&before).any() & !&own_x));
        let until_over = runs_x.mux(&with_x(&in_round, shape.slice), &round_of(&in_round));
        let in_round = m.wire("in_a_round", &(until_over + before.mux(&met_by_one_less, &met_by(&others))));
        let yields_x = &x_can_run & *gives_way;
        let with_x = met_by_one_less.clone() + with_x(&others, shape.fair_after);
        let after_x = met_by_one_less + round_after_x(&others);
        let own_yields = round_of(&others) + met_by(&others);
        let others_first = runs_x.mux(&with_x, &yields_x.mux(&after_x, &met_by(&others)));
        let outside = m.wire("outside_a_round", &own_x.mux(&own_yields, &others_first));
        let one = lit(width, 1);
        let served_last = &of_x - &one;
        let until_it_runs = hold.mux(&in_round, &outside) + runnable.extend(width) - one;
        let is_next = own_x & !*gives_way;
        is_next.mux(&served_last, &until_it_runs).when(&(&own & &can_run).any())
    }
}
