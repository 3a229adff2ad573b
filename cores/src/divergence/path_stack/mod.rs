//! `path-stack`: the paths of a warp in the order in which they were left, depth first, with one comparison ("Path list
//! traversal: a new class of SIMT flow tracking mechanisms", the class of depth-first traversals).
//!
//! The active path x runs. The front f is the path that was left last. The other paths wait behind it in a ring. If an
//! instruction leaves one outcome, it is compared with f: it merges with an equal f, and lets a better one run. If it
//! leaves two, the better one runs. The other one joins an equal f, or becomes the front.
//!
//! - `choice`: the outcomes of an instruction, compared with f;
//! - `waiting`: f in LUT RAM, and the ring behind it in block RAM;
//! - `orders`: the order of f and the first row of the ring;
//! - `turns`: time slices, `divergence.fair_after`.
//!
//! Latency: the active path is known in S8. A *step* changes it without an instruction, as a rotation: x goes to the
//! back, merges with f, or changes places with f. Whether a step is due after f was taken depends on the row behind
//! f, which comes from block RAM in S9. So each row is stored with its order to the row behind it ([`Behind`]).
//!
//! Storage: W rows of 5 + T + depth + pc bits (x), of 3 + T + depth + pc bits (f) and of 4 bits (orders) in LUT RAM, W · T
//! rows of 6 + T + depth + pc bits in block RAM, and the rows of the rings and the time slices.

mod choice;
mod invariants;
mod orders;
mod turns;
mod waiting;

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, ones, zeros};
use weft_config::{PATH_STACK, Unit};

use super::hot::{self, HotTable};
use super::queue::Queue;
use super::ring::{self, Ring};
use super::watch::Watch;
use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs};
use crate::shape::Shape;
use crate::signals::Resolve;
use crate::trace::Traced;
use choice::{Choice, Outcomes, Pcs};
use turns::{Turn, Turns};
use waiting::{Behind, Waiting};

/// The flags of x: a step is due, or will be once the barrier is released.
const FLAGS: [&str; 2] = ["gives_way", "gives_way_later"];

pub struct PathStack;

impl DivergenceUnit for PathStack {
    fn descriptor(&self) -> &'static Unit {
        &PATH_STACK
    }

    fn compares_ahead(&self) -> bool {
        true
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let hot = |name, bits| Storage { name, words: shape.warps, bits };
        let [x, front] = [FLAGS.len(), 0].map(|more| hot::bits(shape, more));
        let mut tables = vec![hot("hot_x", x), hot("hot_f", front)];
        if ring::exists(shape) {
            tables.push(Storage { name: "rows", words: shape.warps * shape.threads, bits: waiting::row_bits(shape) });
            tables.push(hot("rings", Ring::bits(shape)));
            tables.push(hot("orders", Behind::bits(shape)));
        }
        tables.push(hot("turns", Turn::bits(shape)));
        tables
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let m = Builder::new(
            "path_stack",
            "Divergence unit: the active path of each warp, the path that it left last, and a ring of all others.",
        );
        m.timing(&super::timing(shape));
        let inputs = UnitInputs::declare(&m, shape);
        let [generation_s7, generation_s8] = inputs.generations(&m);

        m.comment("x for the validation in S7. A read sees the write of the same cycle.");
        let hot_x = HotTable::declare(&m, shape, "x", FLAGS.len());
        let word = hot_x.read_later(&m, &inputs.warp_s6);
        let (validate, [gave_way, later]) = hot::unpack(&m, shape, &word, &generation_s7, FLAGS);
        let gave_way = m.wire("gave_way", &(gave_way | (later & !&validate.parked)));

        let waiting = Waiting::declare(&m, shape, &inputs, &generation_s8);
        let pcs = Pcs::ahead(&m, &inputs);
        let outcomes = Outcomes::of(&m, &inputs.resolve, &pcs);
        let turns = Turns::of(&m, shape, &inputs, &outcomes, &waiting);
        let predicted = m.input("predicted_s8", shape.pc_bits);
        let choice = Choice::of(&m, &outcomes, &waiting, &turns, &inputs.resolve.rotates, &predicted);
        let over = turns.update(&m, shape, &inputs, &outcomes, &choice, &waiting);
        let due = Due::of(&m, &choice, &waiting, &turns, &over);
        hot_x.write_s8(&m, shape, &inputs, &hot::pack(&choice.x, &generation_s8, [&due.now, &due.later]));
        let (settled, order) = waiting.update(&choice);

        let rotates = &inputs.resolve.rotates;
        let trace = Traced::of(shape, &settled.trace(&m, shape, rotates, &(rotates & &turns.is_over)));
        UnitOutputs {
            is_b: vec![choice.is_b.clone()],
            ..UnitOutputs::of_one_slot([validate, choice.x.clone()], [gave_way, due.now.clone()], trace)
        }
        .following(&choice.at_prediction)
        .declare(&m, shape);
        if shape.formal {
            let (watch, released) = Watch::declare(&m, shape, &inputs, &generation_s8);
            m.comment("Invariants of the watched warp.");
            let Resolve { valid, a_pc, b_pc, .. } = &inputs.resolve;
            let compared = pcs.differ.eq(&a_pc.ne(b_pc)) & pcs.a_first.eq(&a_pc.lt(b_pc));
            m.assert("s8_has_the_comparisons", &(!valid | compared));
            let watch = watch.with_named_generation();
            let Choice { takes_front, none, merges, changes, to_back, .. } = &choice;
            let others = !valid | inputs.resolve.warp.ne(&watch.at.warp);
            m.assert("x_is_f_if_f_leaves_its_place", &(others | takes_front.eq(&(none | merges | changes | to_back))));
            let (x, step_is_due) = invariants::tables(&watch, &released, &hot_x, &waiting, (&settled, &order));
            invariants::turns(&watch, &x, &step_is_due, &waiting, &turns);
        }
        m.finish()
    }
}

/// Whether a path comes before another that is parked as it is: it has the greater depth, or the same and a smaller pc.
/// Both are given as depth and pc.
fn comes_before([depth, pc]: [&Expr; 2], [other_depth, other_pc]: [&Expr; 2]) -> Expr {
    // Each key contains the other side's depth, which needs no inverters in front of the carry chain.
    concat([other_depth, pc]).lt(&concat([depth, other_pc]))
}

/// Whether two paths are at one depth and pc.
fn is_at(path: [&Expr; 2], other: [&Expr; 2]) -> Expr {
    concat(path).eq(&concat(other))
}

/// Whether a step is due after the commit or rotation in S8.
struct Due {
    now: Expr,
    /// All paths of the warp are parked, and the step is due once the barrier is released.
    later: Expr,
}

impl Due {
    fn of(m: &Builder, choice: &Choice, waiting: &Waiting, turns: &Turns, over: &Expr) -> Self {
        m.comment("A step is due: the time slice of x is over, x equals f or comes after it, or another path can run.");
        let Waiting { queue: Queue { front, ring_any, .. }, behind, .. } = waiting;
        let Choice { x, to_back, f_at_other, f_before_other, others_run, .. } = choice;
        let uncovers = &choice.none | &choice.merges | to_back;
        let uncovers = m.wire("uncovers", &(uncovers & ring_any & &waiting.both_parked));
        let uncovers = m.fault("an_uncovered_path_is_not_compared", &uncovers, &zeros(1));
        let swaps = m.wire("swaps", &(to_back & !ring_any & !&choice.other.parked));
        let equals = (&uncovers & behind.equal.any()) | (&swaps & f_at_other);
        let comes_after = &uncovers & behind.before.any();
        m.comment("There is no round, and none begins.");
        let no_round = &turns.marks_front | (&turns.no_marks & !to_back);
        let no_round = m.wire("no_round", &m.fault("a_step_interrupts_a_round", &no_round, &ones(1)));
        let swapped = &swaps & !f_at_other & !f_before_other;
        let step = &equals | ((&comes_after | swapped) & no_round);
        let waits = m.fault("a_parked_path_stays_active", &x.parked, &zeros(1));
        let now = over | waits.mux(others_run, &step);
        let later = &equals | comes_after | (&choice.stays & f_before_other & &front.valid & &front.parked);
        Self {
            now: m.wire("step_is_due", &(&x.valid & now)),
            later: m.wire("step_after_release", &(&x.valid & &x.parked & !others_run & later)),
        }
    }
}
