//! Invariants of the tables, stated in a formal build for the watched warp. They include the pending write of S9.

use rtl::{Bundle, Expr, Instance, Memory, concat, join, lit, select};

use crate::divergence::hot::{self, HotTable};
use crate::divergence::ring::{self, Ring};
use crate::divergence::row::Row;
use crate::divergence::watch::Watch;
use crate::formal::points;
use crate::signals::{Path, Resolve};

/// The state of the cold table that the claims read.
pub struct Cold<'a> {
    pub rings: &'a Memory,
    pub table: &'a Memory,
    /// Whether S9 changes the watched warp's ring, and the ring after that.
    pub changed: [&'a Expr; 2],
    /// Whether S9 inserts a row of the watched warp, its position, and the row.
    pub inserted: [&'a Expr; 3],
    /// The ring read for S8, and the ring of S9 before the change.
    pub rings_read: [&'a Expr; 2],
    pub unsorted: &'a Expr,
}

impl Cold<'_> {
    /// Asserts the claims about the cold table. Outputs for the unit which rows are in use, and the rows from the
    /// front.
    pub fn state(&self, watch: &Watch) {
        let Watch { m, shape, at, generation } = watch;
        m.comment("The ring and the rows of the watched warp.");
        let [changes, next] = self.changed;
        let stored = self.rings.inspect("ring_watched", &at.warp);
        let ring = Ring::unpack(m, shape, &m.wire("ring_settled", &changes.mux(next, &stored)));
        let index = ring.front.width();
        let cells = ring::cells(watch, self.table, self.inserted);
        let rows: Vec<(Expr, Expr)> = (0..shape.threads - 2)
            .map(|number| {
                let position = lit(index, number as u64);
                let place = m.wire(&format!("place_{number}"), &(&ring.front + &position));
                let word = m.wire(&format!("row_{number}"), &select(&place, &cells));
                (position.lt(&ring.rows), word)
            })
            .collect();
        ring.state(watch, ["cold_table", "table"], &rows);
        let now = Ring::unpack(m, shape, &stored);
        watch.claim("what_is_unsorted_has_rows", &(!self.unsorted | now.rows.any()));
        let current = self.rings_read[0].eq(&stored);
        watch.claim("s8_has_the_ring", &(!(&at.in_s8 & &at.started_by_s7) | current));
        let same = self.rings_read[1].eq(&now.at(generation).pack());
        watch.claim("s9_has_the_ring", &(!&at.settling | same));
        m.port_group("the cold paths of the watched warp");
        m.output("used_watched", &join(rows.iter().map(|(used, _)| used)));
        m.output("rows_watched", &join(rows.iter().map(|(_, row)| row)));
    }
}

/// The state of the hot tables that the claims read.
pub struct Hot<'a> {
    pub x: &'a HotTable,
    pub y: &'a HotTable,
    /// S9: whether there is a commit, its warp, y from the CCS, and the word to write unless the sorter writes.
    pub s9: [&'a Expr; 4],
    /// y as read for S8.
    pub c: &'a Path,
    /// The watched warp has just been released, so S8 changes nothing.
    pub released: &'a Expr,
    pub cct: &'a Instance,
}

impl Hot<'_> {
    /// Asserts the claims about the tables, and declares the outputs for a proof: the active path and the list of
    /// all paths. Returns the list, and whether the active path yields.
    pub fn state(&self, watch: &Watch) -> (Vec<Path>, Expr) {
        let Watch { m, shape, at, generation } = watch;
        m.comment("Invariants of the watched warp.");
        let [valid_s9, warp_s9, sorted, settled] = self.s9;
        let path = |word: &Expr| hot::unpack(m, shape, word, generation, []).0;
        let in_s9 = m.wire("in_s9", &(valid_s9 & warp_s9.eq(&at.warp)));
        let (x, [gives_way]) = hot::unpack(m, shape, &self.x.inspect(&at.warp), generation, ["gives_way"]);
        let stored = path(&self.y.inspect(&at.warp));
        let settled = path(settled);
        let mut either = settled.fields().into_iter().zip(stored.fields());
        let y = Path::build(shape, &mut |field, _| {
            let ((_, settled), (_, stored)) = either.next().expect("as many values as fields");
            m.wire(&format!("y_{field}_settled"), &in_s9.mux(settled, stored))
        });
        m.assert("nothing_is_in_s9_before_anything_resolves", &(!&at.starting | !valid_s9));
        watch.claim("s9_follows_s8", &in_s9.eq(&at.settling));
        watch.claim("x_is_there_before_y", &(!&y.valid | &x.valid));
        let fields = stored.fields().into_iter().zip(self.c.fields());
        let fields: Vec<Expr> = fields.map(|((_, stored), (_, c))| stored.eq(c)).collect();
        watch.claim("s8_has_y", &(!(&at.in_s8 & !self.released) | join(&fields).all()));
        let mut list = vec![x, y];
        list.truncate(shape.threads);
        if ring::exists(shape) {
            at.connect(self.cct, "watched");
            let (used, rows) = (self.cct.output("used_watched"), self.cct.output("rows_watched"));
            let (changes, disturbs) = (self.cct.output("changes_watched"), self.cct.output("disturbs_watched"));
            m.assert("s9_changes_tables_for_a_commit", &(valid_s9 | !(&changes | &disturbs)));
            watch.claim("y_is_there_before_cold_paths", &(!used.any() | &list[1].valid));
            let is = path(sorted);
            let same =
                stored.valid.eq(&is.valid) & (!&is.valid | (rank(&stored).eq(&rank(&is)) & stored.mask.eq(&is.mask)));
            watch.claim("y_may_give_way_where_it_does_not_change", &(!&in_s9 | changes | disturbs | same));
            let width = Row::bits(shape);
            list.extend(
                (0..shape.threads - 2)
                    .map(|number| Row::unpack(m, shape, &rows.lane(number, width)).path(&used.bit(number), generation)),
            );
        }
        m.port_group("its active path, and all its paths");
        list[0].outputs(m, "charge");
        m.output("gives_way_charge", &gives_way);
        for (number, path) in list.iter().enumerate() {
            path.outputs(m, &format!("list_{number}"));
        }
        (list, gives_way)
    }
}

/// Inputs and results of a commit in S8.
pub struct Commit<'a> {
    /// Paths a, b and c.
    pub paths: [&'a Path; 3],
    /// The active path after it.
    pub x: &'a Path,
    pub cold_any: &'a Expr,
    /// The second path waits: a hold lasts, or a time slice ends.
    pub deferred: &'a Expr,
    /// b are threads that their instruction has not served.
    pub parts_remain: &'a Expr,
    /// In a rotation: b continues, because the round is over.
    pub goes_on: &'a Expr,
    /// A path goes to the front of the cold table; to its back; or comes from its front.
    pub moves: [&'a Expr; 3],
}

impl Commit<'_> {
    /// Asserts the claims about a commit of the watched warp.
    pub fn state(&self, Watch { m, shape, at, .. }: &Watch, resolve: &Resolve) {
        let mine = m.wire("watched_in_s8", &(&resolve.valid & resolve.warp.eq(&at.warp)));
        for (name, promise) in promises(self.paths, self.cold_any, [&resolve.rotates, &resolve.in_parts]) {
            m.assert(&name, &(!&mine | promise));
        }
        let best = self.paths.map(|path| !&path.valid | !rank(path).lt(&rank(self.x)));
        let chosen = &mine & !&resolve.rotates & !self.deferred & !self.parts_remain;
        let none = self.paths.map(|path| !&path.valid);
        let best = (&self.x.valid & join(&best).all()) | (!&self.x.valid & join(&none).all());
        m.assert("x_is_the_best_of_a_b_and_c", &(!chosen | best));
        let is_b = self.x.mask.eq(&self.paths[1].mask) & rank(self.x).eq(&rank(self.paths[1]));
        m.assert("x_is_b_while_parts_remain", &(!(&mine & self.parts_remain) | is_b));
        let [to_front, to_back, extracts] = self.moves;
        let rotates = &mine & &resolve.rotates;
        m.cover("a_third_path", &(&mine & to_front));
        m.cover("a_path_comes_from_the_cold_table", &(&mine & !&resolve.rotates & extracts & &self.x.valid));
        m.cover("a_parked_path_gives_way", &(&rotates & &resolve.b_parked & !to_back));
        m.cover("a_parked_path_goes_to_the_back", &(&rotates & &resolve.b_parked & to_back));
        m.cover("a_turn_passes_on", &(&rotates & !&resolve.b_parked & !self.goes_on & to_back));
        m.cover("a_round_is_over", &(&rotates & self.goes_on));
        points(m, shape, &self.orders(&(&mine & !&resolve.rotates)));
        m.cover(
            "three_paths_become_one",
            &(&mine
                & self.paths[0].mask.any()
                & self.paths[1].mask.any()
                & &self.paths[2].valid
                & self.x.mask.eq(&(&self.paths[0].mask | &self.paths[1].mask | &self.paths[2].mask))),
        );
    }

    /// The orders of a, b and c, also with some of them equal or missing, and with a c that waits for its time
    /// slice.
    fn orders(&self, commits: &Expr) -> Vec<(String, Expr)> {
        const NAMES: [&str; 3] = ["a", "b", "c"];
        let [before, equal] = [Expr::lt, Expr::eq]
            .map(|compare| move |p: usize, q: usize| compare(&rank(self.paths[p]), &rank(self.paths[q])));
        let there = |number: usize| self.paths[number].valid.clone();
        let mut points = Vec::new();
        let mut point = |name: String, condition: Expr| points.push((format!("order_{name}"), commits & condition));
        point("of_none".into(), !there(0) & !there(1) & !there(2));
        for [p, q, r] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let [first, second, third] = [p, q, r].map(|number| NAMES[number]);
            let two = there(p) & there(q);
            let all = &two & there(r);
            let undisturbed = !self.deferred;
            point(format!("{first}_{second}_{third}"), &all & before(p, q) & before(q, r) & &undisturbed);
            point(format!("{first}_{second}"), &two & !there(r) & before(p, q) & &undisturbed);
            if p < q {
                point(format!("{first}{second}_{third}"), &all & equal(p, q) & before(q, r) & &undisturbed);
                point(format!("{third}_{first}{second}"), &all & equal(p, q) & before(r, p) & &undisturbed);
                point(format!("{first}{second}"), &two & !there(r) & equal(p, q));
                point(third.into(), !there(p) & !there(q) & there(r));
            }
        }
        point("of_c_that_waits".into(), self.deferred & there(2) & there(0) & before(2, 0));
        points
    }
}

/// The sort key of a path: the path with the least key comes first.
pub fn rank(path: &Path) -> Expr {
    concat([&path.parked, &!&path.depth, &path.pc])
}

/// The assumptions that the CCS may make: names and conditions.
pub fn promises(paths: [&Path; 3], cold_any: &Expr, [rotates, in_parts]: [&Expr; 2]) -> Vec<(String, Expr)> {
    let [a, b, c] = paths;
    let meet = |p: &Path, q: &Path| &p.valid & &q.valid & (&p.mask & &q.mask).any();
    let names = ["a", "b", "c"].iter().zip(paths);
    let threads = names.map(|(name, path)| (format!("{name}_has_threads"), !&path.valid | path.mask.any()));
    let more = [
        ("a_b_and_c_are_disjoint", !(meet(a, b) | meet(a, c) | meet(b, c))),
        ("c_is_there_before_cold_paths", !cold_any | &c.valid),
        ("an_instruction_in_parts_parks_no_path", !in_parts | !(&a.parked | &b.parked | rotates)),
        ("a_rotation_is_of_two_paths", !rotates | (!&a.valid & &b.valid & &c.valid)),
    ];
    threads.chain(more.map(|(name, condition)| (name.to_owned(), condition))).collect()
}
