//! Turns: after `divergence.fair_after` instructions of a warp with other paths, or when its instruction asks for it, x
//! goes to the back of the queue. Only a path that has just run does, and only after all parts of its instruction.

use rtl::{Builder, Expr, increment, ones, zeros};

use super::row::Active;
use super::step::{Event, Next, Ran};
use super::waiting::Waiting;
use crate::shape::Shape;

pub fn count_bits(shape: &Shape) -> usize {
    match shape.fair_after {
        0 => 0,
        most => 64 - (most - 1).leading_zeros() as usize,
    }
}

/// Whether the next instruction is the last of the turn, if others wait.
pub fn is_last(shape: &Shape, count: &Expr) -> Expr {
    match shape.fair_after {
        0 => zeros(1),
        most => count.is(most - 1),
    }
}

pub struct Turn {
    /// The row of the next active path.
    pub active: Active,
    /// x is empty, or must go to the back of the queue.
    pub is_due: Expr,
}

impl Turn {
    pub fn of(m: &Builder, ran: &Ran, event: &Event, next: &Next, waiting: &Waiting, is_last: &Expr) -> Self {
        m.comment(
            "The turn, and whether a step is due: x is empty, its turn is over, or it is parked and others are not.",
        );
        let Ran { resolve, active, meeting, outcome, .. } = ran;
        let Event { two, meets, joins, arrives, to_back, lets_go, completes, stays, frees, pops, .. } = event;
        let queue = &waiting.queue;
        let unserved = &resolve.is_memory & resolve.b_mask.any();
        let counts = m.wire("counts", &(!&resolve.rotates & !unserved));
        let others = &queue.front_runs | &queue.ring_runs | active.occupied.any() | &outcome.diverges;
        let others = m.wire("others", &others);
        let asks = m.fault("no_path_asks_to_yield", &resolve.yields, &zeros(1));
        let due = m.wire("turn_ends", &(&counts & ((is_last & &others) | asks)));

        m.comment("Afterwards: whether threads wait at a meeting, and whether another path can run.");
        let comes_first = arrives & !completes & meeting.arrived.none();
        let adds = m.wire("occupies", &(comes_first | (joins & (meets | meeting.arrived.none()))));
        let removes = m.wire("vacates", &(completes & meeting.arrived.any()));
        let waits = &adds | (active.occupied.any() & !(&removes & active.occupied.is(1)));
        let waits = m.wire("threads_will_wait", &waits);
        let runs = two | (to_back & !&resolve.b_parked) | &queue.ring_runs | (&queue.front_runs & !pops);
        let others_run = m.wire("others_will_run", &(runs | &waits));

        let has_run = m.fault("a_path_yields_that_has_not_run", &(stays | (frees & arrives)), &ones(1));
        let is_far = m.wire("is_far", &ones(active.is_far.width()).when(two));
        let over = m.wire("over", &(due & &others_run & has_run & !is_far.any()));
        let again = (to_back & !active.is_far.any()) | (&counts & !&others);
        let counted = &counts & !is_last;
        let count = counted.mux(&increment(&active.count, 1), &active.count).when(&!again);
        let width = active.occupied.width();
        let occupied = (&active.occupied + adds.extend(width)) - removes.extend(width);
        let must_go = &over | is_far.any() | (&next.path.parked & others_run);
        let is_due = m.wire("step_is_due", &(&next.is_empty | (&next.path.valid & must_go)));
        let active = Active {
            mask: next.mask.clone(),
            live: &active.live & !&resolve.exit_mask,
            up: next.up.clone(),
            occupied,
            count,
            dissolves: (&active.dissolves | lets_go) & &waits,
            over,
            is_far,
        };
        Self { active, is_due }
    }

    /// Whether the next active path yields.
    pub fn gives_way(&self, m: &Builder, next: &Next) -> Expr {
        let Next { path, at_meeting, .. } = next;
        m.wire("gives_way", &(&self.is_due | (&path.valid & at_meeting & !&path.parked)))
    }
}
