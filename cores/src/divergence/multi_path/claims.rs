//! Invariants of the paths and meetings, stated in a formal build for the watched warp. They include the pending writes of
//! S9.

use rtl::{Bundle, Expr, clog2, count_ones, decode, join, lit, lowest_one, reduce, zeros};

use super::meetings::{Meetings, Met};
use super::row::{Active, FLAGS, Meeting, Queued, is_some, row_of};
use super::waiting::Waiting;
use crate::divergence::hot::{self, ActiveRows};
use crate::divergence::queue::Settled;
use crate::divergence::row::Row;
use crate::divergence::watch::Watch;
use crate::formal::{CHARGES, Standing, output_active, output_list};
use crate::shape::Shape;
use crate::signals::Path;

/// The most threads for which the claims about meetings are stated. They grow with the cube of the threads.
const MOST_THREADS: usize = 8;

/// Paths in the list: the active lanes and the served ones, the queue, and the threads at each meeting.
pub fn listed_paths(shape: &Shape) -> usize {
    2 + 2 * (shape.threads - 1)
}

pub struct Claims<'a> {
    pub watch: &'a Watch<'a>,
    /// The watched warp has just been released.
    pub released: Expr,
}

/// x, with all its threads, or a path of the queue.
struct Placed {
    path: Path,
    up: Expr,
    flags: [Expr; 2],
}

/// A row of the meetings.
struct Place {
    number: usize,
    meeting: Meeting,
    /// A path or another such meeting refers to it.
    is_used: Expr,
    /// The live threads that it expects.
    threads: Expr,
}

impl Claims<'_> {
    /// Asserts the claims about the watched warp, and declares the outputs for a proof.
    pub fn state(
        &self,
        tables: &ActiveRows,
        active_s8: &Active,
        waiting: &Waiting,
        settled: &Settled,
        meetings: &Meetings,
        met: &Met,
    ) {
        let Watch { m, shape, at, generation } = self.watch;
        m.comment("Invariants of the watched warp.");
        let queue = &waiting.queue;
        let (path, flags) = hot::unpack(m, shape, &tables.path.inspect(&at.warp), generation, FLAGS);
        let word = m.wire("rest_watched_now", &tables.rest.inspect("rest_watched", &at.warp));
        let active = Active::unpack(m, shape, &word);
        let past = self.watch.s8_is_past();
        self.watch.claim("s8_has_the_rest_of_x", &(&past | active_s8.pack().eq(&word)));

        let in_s9 = queue.state_s9(self.watch);
        m.assert("s9_writes_a_meeting_for_a_commit", &(&queue.valid_s9 | !&met.writes));
        let paths = self.queue(&in_s9, waiting, settled);
        let stated = (2..=MOST_THREADS).contains(&shape.threads);
        let places = if stated { self.meetings(&in_s9, meetings, met, &active, &paths) } else { Vec::new() };
        let of_x = self.of_x(&in_s9, &past, meetings, met, waiting);

        let [must_yield, at_meeting, leaves_at_ret] = &flags;
        let x = Placed {
            path: Path { mask: active.mask.clone(), ..path.clone() },
            up: active.up.clone(),
            flags: [at_meeting.clone(), leaves_at_ret.clone()],
        };
        for place in &places {
            let same = !is_some(&x.up) | !row_of(&x.up).is(place.number as u64) | of_x.eq(&place.meeting.pack());
            self.watch.claim(&format!("x_has_meeting_{}", place.number), &same);
        }
        self.active(&active, &path, [must_yield, at_meeting], &paths);
        if stated {
            self.flags("x", &x, &places);
            paths.iter().enumerate().for_each(|(number, path)| self.flags(&format!("path_{number}"), path, &places));
            self.places(&active, &x, &paths, &places);
            self.rows(&x, &paths, &places);
        }
        self.outputs(&path, [must_yield, at_meeting, leaves_at_ret], &active, &paths, &places);
    }

    /// The paths of the queue, from the front.
    fn queue(&self, in_s9: &Expr, waiting: &Waiting, settled: &Settled) -> Vec<Placed> {
        let Watch { m, shape, generation, .. } = self.watch;
        let f = waiting.queue.state_front(self.watch, settled, in_s9);
        let bits = Row::bits(shape);
        let mut rows = vec![(f.bit(bits), join([&f.slice(0, bits), &f.from(bits + 1)]))];
        rows.extend(waiting.queue.state_ring(self.watch, settled, in_s9));
        for (number, pair) in rows.windows(2).enumerate() {
            self.watch.claim(&format!("path_{number}_is_there_before_the_next"), &(!&pair[1].0 | &pair[0].0));
        }
        let placed = |(valid, row): (Expr, Expr)| {
            let queued = Queued::unpack(m, shape, &row.from(bits));
            let path = Row::unpack(m, shape, &row).path(&valid, generation);
            Placed { path, up: queued.up.when(&valid), flags: [queued.at_meeting, queued.leaves_at_ret] }
        };
        let most = shape.threads - 1;
        rows.into_iter().take(most).map(placed).collect()
    }

    /// The meetings, from row 1: a meeting is never in row 0.
    fn meetings(&self, in_s9: &Expr, meetings: &Meetings, met: &Met, active: &Active, paths: &[Placed]) -> Vec<Place> {
        let Watch { m, shape, at, .. } = self.watch;
        let rows: Vec<Meeting> = (1..shape.threads)
            .map(|number| {
                let row = lit(shape.lane_bits(), number as u64);
                let stored = meetings.rows.inspect(&format!("meeting_{number}_watched"), &join([&row, &at.warp]));
                let here = in_s9 & &met.writes & met.row.eq(&row);
                let word = m.wire(&format!("meeting_{number}_settled"), &here.mux(&met.written, &stored));
                Meeting::unpack(m, shape, &word)
            })
            .collect();
        let refers = |up: &Expr, number: usize| is_some(up) & row_of(up).is(number as u64);
        let ups: Vec<&Expr> = paths.iter().map(|path| &path.up).chain([&active.up]).collect();
        let direct = |number| join(ups.iter().map(|up| refers(up, number)).collect::<Vec<_>>()).any();
        let mut used: Vec<Expr> = (1..shape.threads).map(direct).collect();
        for round in 1..shape.threads.saturating_sub(1) {
            let more = |number: usize| {
                let from = rows.iter().zip(&used).map(|(row, used)| used & refers(&row.up, number));
                let from: Vec<Expr> = from.collect();
                m.wire(&format!("meeting_{number}_is_used_{round}"), &(&used[number - 1] | join(&from).any()))
            };
            used = (1..shape.threads).map(more).collect();
        }
        let place = |(index, (meeting, is_used)): (usize, (Meeting, Expr))| Place {
            number: index + 1,
            threads: m.wire(&format!("threads_of_meeting_{}", index + 1), &(&meeting.expected & &active.live)),
            meeting,
            is_used,
        };
        rows.into_iter().zip(used).enumerate().map(place).collect()
    }

    /// What S8 has read: the meeting of x, which is returned, that of f, and the next one of x's meeting.
    fn of_x(&self, in_s9: &Expr, past: &Expr, meetings: &Meetings, met: &Met, waiting: &Waiting) -> Expr {
        let Watch { m, at, .. } = self.watch;
        let ups = [&waiting.queued.up, &meetings.of_x().up];
        let read = [("meeting_of_f", &meetings.of_front), ("next_meeting", &meetings.of_next)];
        for ((name, read), up) in read.into_iter().zip(ups) {
            let stored = meetings.rows.inspect(&format!("{name}_watched"), &join([&row_of(up), &at.warp]));
            m.assert(&format!("s8_has_{name}"), &(past | read.eq(&stored)));
        }
        let stored = meetings.of_x.inspect("meeting_of_x_watched", &self.watch.at.warp);
        self.watch.claim("s8_has_the_meeting_of_x", &(past | meetings.word.eq(&stored)));
        self.watch.m.wire("meeting_of_x_settled", &in_s9.mux(&met.of_x, &stored))
    }

    fn active(&self, active: &Active, path: &Path, [must_yield, at_meeting]: [&Expr; 2], paths: &[Placed]) {
        let there = active.mask.any();
        self.watch.claim("the_active_path_is_there_while_it_has_threads", &path.valid.eq(&there));
        let has_lanes = path.mask.any() & (&path.mask & !&active.mask).none();
        self.watch.claim("the_active_path_has_active_lanes", &(!&there | has_lanes));
        let in_parts = &there & path.mask.ne(&active.mask);
        self.watch.claim("no_step_comes_between_parts", &!(&in_parts & (must_yield | at_meeting | &path.parked)));
        let runs = paths.iter().map(|waits| waits.path.can_run());
        let others_run = join(runs.collect::<Vec<_>>()).any() | active.occupied.any();
        let must_go = &active.over | active.is_far.any() | (&path.parked & &others_run);
        let must = there.mux(&must_go, &active.live.any());
        self.watch.claim("a_step_is_due_when_x_must_go", &must_yield.eq(&must));
        self.watch.claim("x_goes_back_when_others_run", &(!(&there & must_yield) | others_run));
        let nobody_waits = &active.live.any() & active.occupied.none();
        self.watch.claim("threads_wait_while_x_is_empty", &(&there | !nobody_waits));
        self.watch.claim("no_step_meets_a_release", &!(must_yield & &self.released));
    }

    /// A path arrives only at the point of its meeting.
    fn flags(&self, name: &str, placed: &Placed, places: &[Place]) {
        let Placed { path, up, flags: [at_meeting, leaves_at_ret] } = placed;
        let of = |of: &dyn Fn(&Meeting) -> Expr| {
            let is_up = |place: &Place| is_some(up) & row_of(up).is(place.number as u64);
            let each: Vec<Expr> = places.iter().map(|place| is_up(place) & of(&place.meeting)).collect();
            join(&each).any()
        };
        let stands = of(&|meeting| {
            let rpc = meeting.rpc();
            rpc.is_at() & rpc.pc.eq(&path.pc) & rpc.depth.eq(&path.depth)
        });
        let returns = of(&|meeting| meeting.rpc().is_return() & meeting.rpc_depth.eq(&path.depth));
        self.watch.claim(&format!("{name}_is_at_its_meeting"), &!(&path.valid & at_meeting & !stands));
        self.watch.claim(&format!("{name}_arrives_at_returns"), &!(&path.valid & leaves_at_ret & !returns));
    }

    /// The threads that a meeting expects are those that have arrived, and those of its paths and inner meetings.
    fn places(&self, active: &Active, x: &Placed, paths: &[Placed], places: &[Place]) {
        let m = self.watch.m;
        let masks = paths.iter().chain([x]).map(|placed| placed.path.mask.when(&placed.path.valid));
        let arrived = places.iter().map(|place| place.meeting.arrived.when(&place.is_used));
        let all: Vec<Expr> = masks.chain(arrived).collect();
        self.watch.claim("the_live_threads_are_on_paths_or_wait", &reduce(&all, &|a, b| a | b).eq(&active.live));
        let mut occupied = Vec::new();
        for Place { number, meeting, is_used, threads } in places {
            let Meeting { arrived, rpc_kind, .. } = meeting;
            let claim = |what: &str, condition: &Expr| {
                self.watch.claim(&format!("meeting_{number}_{what}"), &(!is_used | condition));
            };
            let refers = |up: &Expr| is_some(up) & row_of(up).is(*number as u64);
            let inner = places.iter().filter(|inner| inner.number != *number);
            let inner = inner.map(|inner| inner.threads.when(&(&inner.is_used & refers(&inner.meeting.up))));
            let own =
                paths.iter().chain([x]).map(|placed| placed.path.mask.when(&(&placed.path.valid & refers(&placed.up))));
            let parts: Vec<Expr> = inner.chain(own).chain([arrived.clone()]).collect();
            claim("has_its_threads", &reduce(&parts, &|a, b| a | b).eq(threads));
            claim("is_somewhere", &rpc_kind.any());
            claim("has_no_row_0", &!(is_some(&meeting.up) & row_of(&meeting.up).none()));
            let known = meeting.rpc().is_at() | meeting.rpc().is_known_return();
            claim("is_at_a_known_pc", &(arrived.none() | known));
            claim("knows_a_return_when_threads_have_come", &!(meeting.rpc().is_known_return() & arrived.none()));
            let is_of_empty = active.mask.none() & refers(&x.up);
            let outer = places.iter().map(|outer| {
                let up = is_some(&meeting.up) & row_of(&meeting.up).is(outer.number as u64);
                up & outer.meeting.rpc().is_return() & outer.meeting.rpc_depth.eq(&meeting.rpc_depth)
            });
            let outer = join(outer.collect::<Vec<_>>()).any();
            claim("arrives_at_returns", &(!&meeting.leaves_at_ret | outer));
            claim("has_threads", &(threads.any() | is_of_empty));
            claim("still_waits_for_others", &(threads.ne(arrived) | active.mask.none()));
            occupied.push(m.wire(&format!("meeting_{number}_is_occupied"), &(is_used & arrived.any())));
        }
        let width = active.occupied.width();
        let count = if occupied.is_empty() {
            zeros(width)
        } else {
            count_ones(&join(&occupied)).extend(width + 1).slice(0, width)
        };
        self.watch.claim("occupied_meetings_are_counted", &active.occupied.eq(&count));
        for (name, placed) in
            paths.iter().enumerate().map(|(n, path)| (format!("path_{n}"), path)).chain([("x".to_owned(), x)])
        {
            self.watch
                .claim(&format!("{name}_refers_to_no_row_0"), &!(is_some(&placed.up) & row_of(&placed.up).none()));
        }
    }

    /// No new meeting has the row of one in use: the row is the lowest thread in all that the meeting is not around.
    fn rows(&self, x: &Placed, paths: &[Placed], places: &[Place]) {
        let Watch { m, shape, .. } = self.watch;
        // For each meeting, those that it is inside of, in more steps each round.
        let bits = shape.threads;
        let direct = |place: &Place| {
            decode(&row_of(&place.meeting.up), bits).when(&(&place.is_used & is_some(&place.meeting.up)))
        };
        let mut around: Vec<Expr> = places.iter().map(direct).collect();
        for round in 1..clog2(bits) + 1 {
            let more = |(own, place): (&Expr, &Place)| {
                let outer = around.iter().zip(places).map(|(outer, place)| outer.when(&own.bit(place.number)));
                let all: Vec<Expr> = outer.chain([own.clone()]).collect();
                m.wire(&format!("around_{}_{round}", place.number), &reduce(&all, &|a, b| a | b))
            };
            around = around.iter().zip(places).map(more).collect();
        }
        let lowest = |name: String, threads: &Expr| m.wire(&format!("lowest_of_{name}"), &lowest_one(threads));
        let of_paths: Vec<(Expr, &Expr)> = paths
            .iter()
            .chain([x])
            .enumerate()
            .map(|(number, Placed { path, .. })| {
                (lowest(format!("path_{number}"), &path.mask.when(&path.valid)), &path.mask)
            })
            .collect();
        let of_places: Vec<Expr> = places
            .iter()
            .map(|place| lowest(format!("meeting_{}", place.number), &place.threads.when(&place.is_used)))
            .collect();
        for (index, Place { number, is_used, .. }) in places.iter().enumerate() {
            self.watch
                .claim(&format!("meeting_{number}_is_not_inside_itself"), &!(is_used & around[index].bit(*number)));
            let own =
                |valid: &Expr, threads: &Expr, lowest: &Expr| !valid | !threads.bit(*number) | lowest.bit(*number);
            let paths = of_paths.iter().map(|(lowest, mask)| own(&lowest.any(), mask, lowest));
            let others = places.iter().zip(&of_places).filter(|(place, _)| place.number != *number);
            let places = others
                .map(|(place, lowest)| around[index].bit(place.number) | own(&place.is_used, &place.threads, lowest));
            let all: Vec<Expr> = paths.chain(places).collect();
            let all = m.wire(&format!("row_of_meeting_{number}_is_lowest"), &join(&all).all());
            self.watch.claim(&format!("meeting_{number}_has_a_row_of_its_own"), &(!is_used | all));
        }
    }

    /// Outputs the active path, the list of all paths, and the pcs of known returns.
    fn outputs(&self, path: &Path, flags: [&Expr; 3], active: &Active, paths: &[Placed], places: &[Place]) {
        let m = self.watch.m;
        let [must_yield, at_meeting, leaves_at_ret] = flags;
        let runs = path.can_run();
        let none = lit(1, 0);
        m.port_group("its active path");
        output_active(m, CHARGES[0], path, &(must_yield | (at_meeting & &runs)), &(leaves_at_ret & &runs));
        m.port_group("all its paths: the active lanes, the served lanes, the queue, and the threads at meetings");
        let mut list = Standing::of_active(m, path, &active.mask).to_vec();
        let standing = |at_return| Standing { rest: none.clone(), at_return };
        list.extend(paths.iter().map(|placed| (placed.path.clone(), standing(none.clone()))));
        list.extend(places.iter().map(|Place { meeting, is_used, .. }| {
            let rpc = meeting.rpc();
            let path = Path {
                valid: is_used & meeting.arrived.any(),
                pc: rpc.pc.clone(),
                depth: rpc.depth.clone(),
                mask: meeting.arrived.clone(),
                parked: none.clone(),
            };
            (path, standing(rpc.is_return()))
        }));
        output_list(m, list);
        m.port_group("known returns");
        for Place { number, meeting, is_used, .. } in places {
            let name = format!("return_{}", number - 1);
            m.output(&format!("{name}_valid"), &(is_used & meeting.rpc().is_known_return()));
            m.output(&format!("{name}_pc"), &meeting.rpc_pc);
        }
    }
}
