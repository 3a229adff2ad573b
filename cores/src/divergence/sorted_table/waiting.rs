//! How long a thread that can run waits: a bound for every state, stated in a formal build.
//!
//! In commits of the warp, with F for `fair_after`, counting only threads that can run and are not on the path of the
//! one that waits: `u` in all, `x` in charge, `h` behind x and before the path that began the round.
//!
//! - In charge, and not to give way: none, the thread runs next.
//! - Outside a round: m(u) · F, where m(u) = u + m(u − 1). x ends its turn, and the others have theirs before the
//!   thread's path comes. But where the last commit of a turn ends at the thread's own pc, the two paths merge and
//!   give way together, and the thread has not run: it waits until that round is over, and is as far as before with
//!   one thread less to meet.
//! - In charge, and to give way: a round of u turns before that, (u + m(u)) · F. It is the longest wait of all.
//! - In a round, before the path that began it: (x + h) · F, and (m(u) − u) · F more if it is met.
//! - In a round, on that path or behind it: (x + h) · F until the round is over, then m(u) · F.
//!
//! What x has made of its turn is subtracted. A path of k threads is counted as k turns, since it may split; a rotation
//! is no commit, so a path that gives way has none left.

use rtl::{Builder, Bundle, Expr, Instance, clog2, count_ones, decode, join, lit, reduce, select, zeros};

use super::cct;
use super::invariants::claim;
use super::turns::{Table, Turn};
use crate::formal::Watched;
use crate::shape::Shape;
use crate::signals::Path;

/// Commits of its warp that a thread which can run sees at most between two of its own; `None`: without turns.
pub fn longest(shape: &Shape) -> Option<u64> {
    let others = shape.threads as u64 - 1;
    (shape.fair_after > 0).then_some((others + turns_met(others)) * shape.fair_after)
}

/// m(u): turns that `others` threads take while a thread waits outside a round.
fn turns_met(others: u64) -> u64 {
    others * (others + 1) / 2
}

/// What the bound is made of.
pub struct Waiting<'a> {
    pub turns: &'a Table,
    /// Whether S9 writes that of the watched warp.
    pub in_s9: &'a Expr,
    /// The paths of the watched warp, x and y first.
    pub list: &'a [Path],
    /// x gives way.
    pub gives_way: &'a Expr,
    /// The cold table.
    pub cct: &'a Instance,
}

impl Waiting<'_> {
    /// Claims of the turns of the watched warp, and the bound for its watched thread.
    pub fn state(&self, m: &Builder, shape: &Shape, at: &Watched) {
        m.comment("The turns of the watched warp.");
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
        m.port_group("commits for which the watched thread waits at most");
        m.output("waits_at_most", &self.at_most(m, shape, at, &marked, &hold, &count));
    }

    fn at_most(&self, m: &Builder, shape: &Shape, at: &Watched, marked: &Expr, hold: &Expr, count: &Expr) -> Expr {
        m.comment("Where the watched thread is, and the threads that can run on other paths.");
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
