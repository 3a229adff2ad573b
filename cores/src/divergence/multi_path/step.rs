//! The changes that an instruction, or a step without one, makes to the active path of its warp.

use rtl::{Builder, Expr, encode, join, lowest_one, ones, zeros};

use super::meetings::Meetings;
use super::row::{self, Active, Meeting, is_some};
use super::waiting::Waiting;
use crate::divergence::stack::outcome::Outcome;
use crate::divergence::stack::places::Arrivals;
use crate::shape::Shape;
use crate::signals::{Path, Resolve};

/// The instruction in S8, the path that it ran, and the meeting of that path.
pub struct Ran<'a> {
    pub resolve: &'a Resolve,
    pub active: Active,
    pub meeting: Meeting,
    pub has_meeting: Expr,
    /// The live threads of the path, active or not.
    pub whole: Expr,
    pub outcome: Outcome,
}

impl<'a> Ran<'a> {
    pub fn of(
        m: &Builder,
        shape: &Shape,
        resolve: &'a Resolve,
        given_s7: &Path,
        active: Active,
        meetings: &Meetings,
        arrivals: &Arrivals,
    ) -> Self {
        let whole = m.wire("whole", &(&active.mask & !&resolve.exit_mask));
        let meeting = meetings.of_x();
        let has_meeting = m.wire("has_meeting", &is_some(&active.up));
        let outcome = Outcome::of(m, shape, resolve, given_s7, &active.point(&meeting), arrivals, &whole);
        Self { resolve, active, meeting, has_meeting, whole, outcome }
    }
}

/// The instruction without its reconvergence point where divergences make no meetings.
pub fn without_meetings(m: &Builder, resolve: &Resolve, active: &Active) -> Resolve {
    let kind = kind_of_meeting(m, &resolve.reconvergence, active);
    Resolve { reconvergence: join([&kind, &resolve.reconvergence.from(2)]), ..resolve.clone() }
}

/// The kind of the instruction's reconvergence point: none where divergences make no meetings.
pub fn kind_of_meeting(m: &Builder, reconvergence: &Expr, active: &Active) -> Expr {
    let meets = m.fault("a_divergence_always_makes_a_meeting", &!&active.dissolves, &ones(1));
    reconvergence.slice(0, 2).when(&meets)
}

/// The event in S8. Exactly one of `stays`, `frees`, `cascades` and `pops` holds, and says what the next active path is.
pub struct Event {
    /// The paths of a divergence make a new meeting.
    pub meets: Expr,
    /// Its row.
    pub new_row: Expr,
    /// One of them arrives at once.
    pub joins: Expr,
    /// Both go on: one waits in the queue.
    pub two: Expr,
    /// x arrives at its meeting.
    pub arrives: Expr,
    /// x has no threads, or all have ended.
    pub ends: Expr,
    /// x goes to the back of the queue.
    pub to_back: Expr,
    /// It also leaves its meeting.
    pub lets_go: Expr,
    /// Its turn is over, so a step takes place.
    pub yields: Expr,
    /// All threads that the meeting of x still expects have arrived.
    pub completes: Expr,
    /// x is path a or b of the instruction.
    pub stays: Expr,
    /// It is path a, if there is one.
    pub x_is_a: Expr,
    /// x are the threads that waited at the meeting.
    pub frees: Expr,
    /// x is empty, and belongs to the next meeting, which may be complete.
    pub cascades: Expr,
    /// x is f. Without f it is empty.
    pub pops: Expr,
}

impl Event {
    pub fn of(m: &Builder, shape: &Shape, ran: &Ran) -> Self {
        let Ran { resolve, active, meeting, has_meeting, outcome, .. } = ran;
        let Resolve { rotates, b_parked, .. } = resolve;
        m.comment("A step sends x to the back of the queue; where threads wait at a meeting, x also leaves its own.");
        let waits = m.wire("threads_wait", &active.occupied.any());
        let is_far = active.is_far.any();
        let asks = m.wire("must_go_back", &(rotates & active.mask.any() & (b_parked | &active.over | &is_far)));
        let lets = m.fault("a_path_keeps_its_meeting", &waits, &zeros(1));
        let lets_go = m.wire("lets_go", &(&asks & lets & !is_far));

        m.comment("x arrives or ends, or its threads diverge.");
        let ends = &outcome.gone;
        let arrives = m.wire("arrives", &(&outcome.leaves & !(ends | &asks)));
        let joins = m.wire("joins", &(&outcome.diverges & !&outcome.both_go_on));
        let meets = m.wire("meets", &(&outcome.diverges & !&outcome.arrivals.in_place));

        m.comment("The meeting of x is complete if x is the last that it waits for.");
        let still = m.fault("ended_threads_are_expected", &active.live, &ones(active.live.width()));
        let last = (&meeting.arrived | &active.mask).eq(&(&meeting.expected & still));
        let last = m.wire("is_last_to_come", &last);
        let someone = m.wire("someone_waits", &meeting.arrived.any());
        let completes = m.wire("completes", &(has_meeting & &last & (&arrives | ends | &lets_go)));
        let frees = m.wire("frees", &(&completes & (&arrives | &someone)));
        let next_waits = is_some(&meeting.up) & waits;
        let next_waits = m.fault("an_empty_meeting_ends_the_search", &next_waits, &zeros(1));
        let cascades = m.wire("cascades", &(&completes & ends & !&someone & next_waits));
        let stays = m.wire("stays", &!(&arrives | ends | &asks));
        let pops = m.wire("pops", &!(&stays | &frees | &cascades));
        let two = &outcome.both_go_on;
        let far_first = if shape.breadth_first { two.clone() } else { zeros(1) };
        Self {
            x_is_a: m.wire("x_is_a", &(&outcome.stays_with_a ^ far_first)),
            two: two.clone(),
            yields: m.wire("yields", &(&asks & &active.over & !b_parked)),
            to_back: asks,
            new_row: new_row(m, resolve),
            meets,
            joins,
            arrives,
            ends: ends.clone(),
            lets_go,
            completes,
            stays,
            frees,
            cascades,
            pops,
        }
    }
}

/// The next active path.
pub struct Next {
    pub path: Path,
    /// All its threads.
    pub mask: Expr,
    pub up: Expr,
    pub at_meeting: Expr,
    pub leaves_at_ret: Expr,
    /// The path is empty, and threads live.
    pub is_empty: Expr,
}

impl Next {
    pub fn of(m: &Builder, shape: &Shape, ran: &Ran, event: &Event, waiting: &Waiting) -> Self {
        m.comment("The next active path: an outcome, the threads that waited at the meeting, or f.");
        let Ran { resolve, active, meeting, whole, outcome, .. } = ran;
        let Resolve { a_pc, a_depth, a_mask, b_pc, b_depth, b_mask, .. } = resolve;
        let Event { stays, x_is_a, frees, cascades, pops, .. } = event;
        let (front, queued) = (&waiting.queue.front, &waiting.queued);
        let own = |a: &Expr, b: &Expr| x_is_a.mux(a, b);
        let pick = |own: &Expr, freed: &Expr, front: &Expr| stays.mux(own, &frees.mux(freed, front));
        let near_or_far =
            |near: &Expr, far: &Expr| if shape.breadth_first { event.two.mux(far, near) } else { near.clone() };
        let side = own(a_mask, b_mask);
        let pops_f = m.wire("pops_f", &(pops & &front.valid));
        let gathered = m.wire("gathered", &(&meeting.arrived | whole.when(&event.arrives)));
        let f_mask = front.mask.when(&pops_f);
        let (at, none) = (&outcome.arrived, zeros(1));
        let new_up = stays.mux(&event.meets.mux(&row::some(&event.new_row), &active.up), &meeting.up);
        Self {
            path: Path {
                valid: m.wire("new_valid", &(stays | frees | &pops_f)),
                pc: m.wire("new_pc", &pick(&own(a_pc, b_pc), &at.pc, &front.pc)),
                depth: m.wire("new_depth", &pick(&own(a_depth, b_depth), &at.depth, &front.depth)),
                mask: m.wire("new_active", &pick(&near_or_far(&outcome.active, &side), &gathered, &f_mask)),
                parked: m.wire("new_parked", &pick(&outcome.parked, &none, &front.parked)),
            },
            mask: m.wire("new_mask", &pick(&near_or_far(&outcome.whole, &side), &gathered, &f_mask)),
            up: m.wire("new_up", &pops.mux(&queued.up.when(&front.valid), &new_up)),
            at_meeting: m.wire("new_at_meeting", &pick(&outcome.waits_at_rpc, &none, &queued.at_meeting)),
            leaves_at_ret: m.wire(
                "new_leaves_at_ret",
                &pick(
                    &near_or_far(&outcome.leaves_at_ret, &outcome.far_leaves_at_ret),
                    &meeting.leaves_at_ret,
                    &queued.leaves_at_ret,
                ),
            ),
            is_empty: m.wire("new_is_empty", &(cascades | (&event.lets_go & pops & !&front.valid))),
        }
    }
}

/// The row of a new meeting.
fn new_row(m: &Builder, resolve: &Resolve) -> Expr {
    let lowest = |name: &str, mask: &Expr| m.wire(name, &lowest_one(mask));
    let [a, b] = [lowest("lowest_of_a", &resolve.a_mask), lowest("lowest_of_b", &resolve.b_mask)];
    let row = m.wire("lowest_of_the_higher", &a.lt(&b).mux(&b, &a));
    m.wire("new_row", &encode(&row))
}
