//! Invariants of the tables, stated in a formal build for the watched warp. They include the pending write of S9.

use rtl::{Builder, Bundle, Expr, concat, join};

use super::turns::{Turn, Turns};
use super::waiting::{Behind, Waiting};
use crate::divergence::UnitInputs;
use crate::divergence::hot::{self, HotTable};
use crate::divergence::queue::Settled;
use crate::divergence::row::Row;
use crate::formal::Watched;
use crate::shape::Shape;
use crate::signals::Path;

pub struct State<'a> {
    pub m: &'a Builder,
    pub shape: &'a Shape,
    pub inputs: &'a UnitInputs,
    pub at: &'a Watched,
    /// The watched warp has just been released.
    pub released: Expr,
}

/// A path of the list: its row, and its order to the one behind it.
struct Listed {
    valid: Expr,
    row: Row,
    behind: Behind,
}

impl State<'_> {
    fn claim(&self, name: &str, condition: &Expr) {
        self.m.assert(name, &(!&self.at.started | condition));
    }

    /// Asserts the claims about the tables, and declares the outputs for a proof: the active path, and all paths. Returns
    /// the active path, and whether a step is due.
    pub fn tables(&self, hot: &HotTable, waiting: &Waiting, settled: &Settled) -> (Path, Expr) {
        let Self { m, shape, inputs, at, released } = self;
        m.comment("Invariants of the watched warp.");
        let generation = m.wire("generation_watched", &inputs.generation.index(&at.warp));
        let flags = ["gives_way", "gives_way_later"];
        let word = hot.inspect(&at.warp);
        let (x, [now, later]) = hot::unpack(m, shape, &word, &generation, flags);
        let x_row = Row::unpack(m, shape, &word);
        let gives_way = m.wire("gives_way_watched", &(&now | (&later & !&x.parked)));

        self.claim("no_path_gives_way_over_a_release", &!(&now & released));

        let in_s9 = m.wire("in_s9", &(&*waiting.queue.valid_s9 & waiting.queue.warp_s9.eq(&at.warp)));
        m.assert("nothing_is_in_s9_before_anything_resolves", &(!&at.starting | !&*waiting.queue.valid_s9));
        self.claim("s9_follows_s8", &in_s9.eq(&at.settling));
        let s9_generation = &waiting.queue.generation_s9;
        m.assert("s9_has_the_generation", &(!(&in_s9 & &at.started) | s9_generation.eq(&generation)));
        let stored = waiting.queue.hot.inspect(&at.warp);
        self.claim("s8_has_f", &(!&at.in_s8 | waiting.queue.word.eq(&stored)));
        let f = m.wire("f_settled", &in_s9.mux(&settled.word, &stored));
        let at_behind = 1 + Row::bits(shape);
        let mut list = vec![Listed {
            valid: f.bit(Row::bits(shape)),
            row: Row::unpack(m, shape, &f),
            behind: Behind::unpack(m, shape, &f.from(at_behind)),
        }];
        if let (Some(rings), Some(moved)) = (&waiting.queue.rings, &settled.moved) {
            m.assert("s9_changes_a_ring_for_a_commit", &(&*waiting.queue.valid_s9 | !&moved.changes));
            let rows = rings.state(at, moved, &in_s9, &generation);
            list.extend(rows.into_iter().map(|(valid, word)| Listed {
                valid,
                row: Row::unpack(m, shape, &word),
                behind: Behind::unpack(m, shape, &word.from(Row::bits(shape))),
            }));
        }
        self.order(&list, &generation);
        self.claim("x_is_there_before_f", &(!&list[0].valid | &x.valid));
        let parks = |row: &Row| &row.parked & row.generation.eq(&x_row.generation);
        let all_park: Vec<Expr> = list.iter().map(|path| !&path.valid | parks(&path.row)).collect();
        let all_park = &x_row.parked & join(&all_park).all() & &list[0].valid;
        self.claim("all_paths_are_parked_while_a_step_waits_for_a_release", &(!&later | all_park));

        let rest = list.iter().map(|path| path.row.path(&path.valid, &generation));
        let list: Vec<Path> = std::iter::once(x).chain(rest).collect();
        m.port_group("its active path, and all its paths");
        list[0].outputs(m, "charge");
        m.output("gives_way_charge", &gives_way);
        for (number, path) in list.iter().take(shape.threads).enumerate() {
            path.outputs(m, &format!("list_{number}"));
        }
        (list[0].clone(), now)
    }

    /// Asserts the claims about the time slice, and about the step that is due.
    pub fn turns(&self, x: &Path, step_is_due: &Expr, waiting: &Waiting, turns: &Turns) {
        let Self { m, shape, at, .. } = self;
        m.comment("The time slice of the watched warp.");
        let stored = turns.table.inspect("turn_watched", &at.warp);
        let read = turns.turn.pack().eq(&stored);
        self.claim("s8_has_the_turn", &(!(&at.in_s8 & &at.started_by_s7) | &at.settling | read));
        let in_s9 = &*waiting.queue.valid_s9 & waiting.queue.warp_s9.eq(&at.warp);
        let turn = Turn::unpack(m, shape, &m.wire("turn_settled", &in_s9.mux(&turns.written, &stored)));
        self.claim("a_path_whose_time_slice_is_over_yields", &(!&turn.over | step_is_due));
        self.claim("the_active_path_has_no_marks", &(&turn.marks & &x.mask.when(&x.valid)).none());
    }

    /// A path has one behind it only if it is there itself, and its order to that one is right if it is known.
    fn order(&self, list: &[Listed], generation: &Expr) {
        for (number, pair) in list.windows(2).enumerate() {
            let [path, next] = pair else { continue };
            self.claim(&format!("path_{number}_is_there_before_the_next"), &(!&next.valid | &path.valid));
            let rank = |row: &Row| concat([&!&row.depth, &row.pc]);
            let [own, others] = [&path.row, &next.row].map(rank);
            let Behind { equal, before, parked, generation: of } = &path.behind;
            let right = (!equal | others.eq(&own)) & (!before | others.lt(&own));
            let parked = (parked & of.eq(generation)).eq(&next.row.parked_now(generation));
            let known = equal | before;
            self.claim(
                &format!("path_{number}_is_ordered"),
                &(!(&known & &path.valid) | (&next.valid & right & parked)),
            );
        }
        let Some(last) = list.last().filter(|last| last.behind.equal.width() > 0) else { return };
        let none = !(&last.behind.equal | &last.behind.before);
        self.claim("nothing_is_behind_the_last_path", &(!&last.valid | none));
    }
}
