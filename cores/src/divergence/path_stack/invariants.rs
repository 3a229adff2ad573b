//! Invariants of the tables, stated in a formal build for the watched warp. They include the pending write of S9.

use rtl::{Bundle, Expr, concat, join};

use super::FLAGS;
use super::turns::{Turn, Turns};
use super::waiting::{Behind, Waiting};
use crate::divergence::hot::{self, HotTable};
use crate::divergence::queue::Settled;
use crate::divergence::row::Row;
use crate::divergence::watch::Watch;
use crate::signals::Path;

/// A path of the list: its row, and its order to the one behind it.
struct Listed {
    valid: Expr,
    row: Row,
    behind: Behind,
}

/// Asserts the claims about the tables, and declares the outputs for a proof: the active path, and all paths. Returns
/// the active path, and whether a step is due.
pub fn tables(
    watch: &Watch,
    released: &Expr,
    hot: &HotTable,
    waiting: &Waiting,
    (settled, order_s9): (&Settled, &Expr),
) -> (Path, Expr) {
    let Watch { m, shape, at, generation } = watch;
    let word = hot.inspect(&at.warp);
    let (x, [now, later]) = hot::unpack(m, shape, &word, generation, FLAGS);
    let x_row = Row::unpack(m, shape, &word);
    let gives_way = m.wire("gives_way_watched", &(&now | (&later & !&x.parked)));

    watch.claim("no_path_gives_way_over_a_release", &!(&now & released));

    let in_s9 = waiting.queue.state_s9(watch);
    let f = waiting.queue.state_front(watch, settled, &in_s9);
    let behind = m.wire("order_settled", &in_s9.mux(order_s9, &waiting.orders.state(watch)));
    let mut list = vec![Listed {
        valid: f.bit(Row::bits(shape)),
        row: Row::unpack(m, shape, &f),
        behind: Behind::unpack(m, shape, &behind),
    }];
    let ring = waiting.queue.state_ring(watch, settled, &in_s9);
    list.extend(ring.into_iter().map(|(valid, word)| Listed {
        valid,
        row: Row::unpack(m, shape, &word),
        behind: Behind::unpack(m, shape, &word.from(Row::bits(shape))),
    }));
    order(watch, &list);
    watch.claim("x_is_there_before_f", &(!&list[0].valid | &x.valid));
    let parks = |row: &Row| &row.parked & row.generation.eq(&x_row.generation);
    let all_park: Vec<Expr> = list.iter().map(|path| !&path.valid | parks(&path.row)).collect();
    let all_park = &x_row.parked & join(&all_park).all() & &list[0].valid;
    watch.claim("all_paths_are_parked_while_a_step_waits_for_a_release", &(!&later | all_park));

    let rest = list.iter().map(|path| path.row.path(&path.valid, generation));
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
pub fn turns(watch: &Watch, x: &Path, step_is_due: &Expr, waiting: &Waiting, turns: &Turns) {
    let Watch { m, shape, at, .. } = watch;
    m.comment("The time slice of the watched warp.");
    let stored = turns.table.inspect("turn_watched", &at.warp);
    let read = turns.turn.pack().eq(&stored);
    watch.claim("s8_has_the_turn", &(watch.s8_is_past() | read));
    let in_s9 = &waiting.queue.valid_s9 & waiting.queue.warp_s9.eq(&at.warp);
    let turn = Turn::unpack(m, shape, &m.wire("turn_settled", &in_s9.mux(&turns.written, &stored)));
    watch.claim("a_path_whose_time_slice_is_over_yields", &(!&turn.over | step_is_due));
    watch.claim("the_active_path_has_no_marks", &(&turn.marks & &x.mask.when(&x.valid)).none());
}

/// A path has one behind it only if it is there itself, and its order to that one is right if it is known.
fn order(watch: &Watch, list: &[Listed]) {
    let generation = &watch.generation;
    for (number, pair) in list.windows(2).enumerate() {
        let [path, next] = pair else { continue };
        watch.claim(&format!("path_{number}_is_there_before_the_next"), &(!&next.valid | &path.valid));
        let rank = |row: &Row| concat([&!&row.depth, &row.pc]);
        let [own, others] = [&path.row, &next.row].map(rank);
        let Behind { equal, before, parked, generation: of } = &path.behind;
        let right = (!equal | others.eq(&own)) & (!before | others.lt(&own));
        let parked = (parked & of.eq(generation)).eq(&next.row.parked_now(generation));
        let known = equal | before;
        watch.claim(&format!("path_{number}_is_ordered"), &(!(&known & &path.valid) | (&next.valid & right & parked)));
    }
    let Some(last) = list.last().filter(|last| last.behind.equal.width() > 0) else { return };
    let none = !(&last.behind.equal | &last.behind.before);
    watch.claim("nothing_is_behind_the_last_path", &(!&last.valid | none));
}
