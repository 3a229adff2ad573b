//! S0, steer: which context to fetch next. Its pc, S8's resteer if there is one, else S2's prediction, is read in S1.
//!
//! Enters: resteers (S8), predictions (S2), room in the buffers (S3). Leaves: one fetch a cycle. A context has at most
//! one fetch under way, so its prediction is always that of its last fetched instruction; a resteer that finds one
//! under way marks it dead, and S2 drops it. Stalls while S1 cannot take the fetch.
//!
//! S8 computes in one cycle where the paths of a warp stand, and whether that is a resteer; it is one here in the next,
//! in which the context can be picked already. It comes too late to take part in the pick: it goes before whatever is
//! picked, but not twice in a row while a context has nothing to issue, so that it holds up nobody for ever.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, Register, decode, encode, join, lit,
    lowest_one, select, zeros,
};

use super::context::{Fetch, contexts_of, join_context, split_context};
use crate::formal::points;
use crate::shape::{PC, Shape};

rtl::bundle! {
    /// S8 changed, in the cycle before, what the slots of a warp fetch.
    pub struct Resteer(shape: &Shape) {
        /// Which slots.
        valid: shape.slots,
        /// The warp: its bit, decoded before it is known whether there is a resteer.
        warp: shape.warps,
        /// Whether the slot goes on now.
        runs: shape.slots,
        /// Whether it has a path: if that does not go on now, it does at the release of the barrier.
        waits: shape.slots,
    }
}

rtl::bundle! {
    /// Where the paths of a warp stand after S8.
    pub struct Stand(shape: &Shape) {
        /// Whether they may have moved.
        valid: 1,
        /// The warp.
        warp: shape.warp_bits(),
        /// Of each slot; meaningless for one that has no path.
        pc: PC * shape.slots,
    }
}

/// Elaborates the stage.
pub fn elaborate(shape: &Shape, round_robin: &Module) -> Result<Module, ElaborationError> {
    let m = Builder::new("s0_steer", "S0, steer: picks the context to fetch; its pc is read in S1.");
    m.timing(
        "the fetch leaves one cycle after the pick and is held while `ready_s1` is low; `dead_s2` is \
         combinational. A resteer can override the pick of its own cycle; a context has at most one fetch under \
         way.",
    );
    let inputs = Inputs::declare(&m, shape);
    let contexts = Contexts::declare(&m, shape);
    let now = Now::of(&m, shape, &inputs, &contexts);
    let pick = Pick::of(&m, shape, &inputs, &contexts, &now, round_robin);
    let done_one = m.wire("done", &decode(&inputs.done.context, shape.contexts()).when(&inputs.done.valid));
    let pcs = NextPcs::declare(&m, shape, &inputs);
    contexts.update(&m, shape, &inputs, &now, &pick, &done_one);
    pcs.read(&m, shape, &inputs, &pick).outputs(&m, "s1");
    if shape.constrained {
        m.port_group("which contexts run");
        m.output("enabled_contexts_now", &now.enabled);
    }
    m.port_group("whether the fetch that ends in S2 was overtaken by a resteer");
    m.output("dead_s2", &(&*contexts.dead & &done_one).any());
    m.finish()
}

rtl::inputs! {
    /// What enters.
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "control"]
        /// The barrier is released.
        release: Expr = m.input("barrier_release", 1),
        #[group = "start: every context begins at the reset pc"]
        /// A context begins at the reset pc.
        start_valid: Expr = m.input("start_row_valid", 1),
        /// Which.
        start_row: Expr = m.input("start_row", 5 + shape.warp_bits()),
        #[group = "room in the instruction buffers"]
        /// Contexts whose buffer has room.
        room: Expr = m.input("room", shape.contexts()),
        /// Those that have nothing to issue.
        urgent: Expr = m.input("urgent", shape.contexts()),
        #[group = "the fetch that ends in S2, and what S2 predicts after it"]
        /// The fetch that ends in S2, with the pc that S2 predicts after it.
        done: Fetch = Fetch::build(shape, &mut |field, width| {
            m.input(if field == "pc" { "predicted_s2".to_owned() } else { format!("{field}_s2") }.as_str(), width)
        }),
        #[group = "where paths stand after S8, and a cycle later: they are to be fetched from there"]
        /// Where paths are after S8.
        stand: Stand = Stand::inputs(m, shape, "stand_s8"),
        /// The same, a cycle later, if it is a resteer.
        resteer: Resteer = Resteer::inputs(m, shape, "resteer"),
        #[group = "fetch for S1"]
        /// S1 takes the fetch.
        ready: Expr = m.input("ready_s1", 1),
    }
}

/// A bit for each context.
struct Contexts {
    /// It may fetch, by slot and warp.
    enabled: Vec<Register>,
    /// It may at the release of the barrier.
    waiting: Register,
    /// It has a fetch under way.
    in_flight: Register,
    /// That has been overtaken by a resteer.
    dead: Register,
    /// Its next pc is that of a resteer.
    from_resteer: Register,
}

impl Contexts {
    fn declare(m: &Builder, shape: &Shape) -> Self {
        let enabled = (0..shape.slots).map(|slot| m.register(&format!("enabled{}", ["", "_right"][slot]), shape.warps));
        Self {
            enabled: enabled.collect(),
            waiting: m.register("waiting", shape.contexts()),
            in_flight: m.register("in_flight", shape.contexts()),
            dead: m.register("dead", shape.contexts()),
            from_resteer: m.register("from_resteer", shape.contexts()),
        }
    }

    /// The next state.
    fn update(&self, m: &Builder, shape: &Shape, inputs: &Inputs, now: &Now, pick: &Pick, done_one: &Expr) {
        let Self { enabled, waiting, in_flight, dead, from_resteer } = self;
        let still = m.wire("still_in_flight", &(&**in_flight & !done_one));
        in_flight.next(&(&pick.fetched | &still)).reset(0);
        dead.next(&((&now.resteered & &still) | (&**dead & !done_one))).reset(0);
        from_resteer.next(&(&now.from_resteer & !&pick.fetched)).reset(0);
        let released = inputs.release.repeat(shape.contexts());
        let enables = &now.enabled | (&now.waiting & released);
        // A release leaves it: a context that fetches waits no longer, and the resteer that stops it says so anew.
        waiting.next(&now.waiting).reset(0);
        if let [enabled] = enabled.as_slice() {
            enabled.next(&enables).reset_ones();
        } else {
            let enables = m.wire("enables", &enables);
            enabled[0].next(&of_slot(shape, &enables, 0)).reset_ones();
            enabled[1].next(&of_slot(shape, &enables, 1)).reset(0);
        }
    }
}

/// The bits of a slot of every warp.
fn of_slot(shape: &Shape, bits: &Expr, slot: usize) -> Expr {
    join(&(0..shape.warps).map(|warp| bits.bit(shape.slots * warp + slot)).collect::<Vec<_>>())
}

/// The contexts with the resteer of this cycle.
struct Now {
    /// Those that are resteered.
    resteered: Expr,
    /// Those that could fetch before.
    enabled_before: Expr,
    /// Those that may fetch.
    enabled: Expr,
    /// Those that may at the release.
    waiting: Expr,
    /// Those whose next pc is that of a resteer.
    from_resteer: Expr,
}

impl Now {
    fn of(m: &Builder, shape: &Shape, inputs: &Inputs, before: &Contexts) -> Self {
        m.comment("A resteer changes which contexts fetch.");
        let resteer = &inputs.resteer;
        let resteered = m.wire("resteered", &contexts_of(shape, &resteer.warp, &resteer.valid));
        let or_resteered = |name: &str, before: &Expr, slots: &Expr| {
            m.wire(name, &((&resteered & slots.repeat(shape.warps)) | (!&resteered & before)))
        };
        let enabled_before: Vec<Expr> = (0..shape.contexts())
            .map(|context| before.enabled[context % shape.slots].bit(context / shape.slots))
            .collect();
        let enabled_before = m.wire("enabled_before", &join(&enabled_before));
        let enabled = or_resteered("enabled_contexts", &enabled_before, &resteer.runs);
        let waiting = or_resteered("waiting_contexts", &before.waiting, &resteer.waits);
        let from_resteer = m.wire("starts_from_resteer", &(&*before.from_resteer | &resteered));
        Self { resteered, enabled_before, enabled, waiting, from_resteer }
    }
}

/// The context that is picked.
struct Pick {
    /// Its bit.
    grant: Expr,
    /// The same, if S1 takes the fetch.
    fetched: Expr,
    /// Its number.
    context: Expr,
    /// It begins where S8 said last.
    starts_anew: Expr,
}

/// What a resteer asks of the pick.
struct First {
    /// A resteered context goes before the round robin's.
    goes: Expr,
    /// It may.
    may: Expr,
    /// Of each slot, whether it is resteered and can fetch.
    slots: Expr,
    /// The first of these.
    slot: Expr,
    /// Its context, a bit for each.
    grant: Expr,
    /// Contexts that a resteer stops.
    stops: Expr,
}

impl Pick {
    fn of(m: &Builder, shape: &Shape, inputs: &Inputs, contexts: &Contexts, now: &Now, round_robin: &Module) -> Self {
        m.comment(
            "Pick a context that may fetch, has no fetch under way and has room for the instruction; one that\n\
             has nothing to issue before one that would only fetch ahead.",
        );
        let Inputs { room, urgent, ready, resteer, .. } = inputs;
        let requests = m.wire("requests", &(&now.enabled_before & !&*contexts.in_flight & room));
        let picker = m.instance("picker", round_robin);
        let goes_before = m.forward("goes_before", 1);
        picker.input("requests", &requests).input("preferred", urgent).input("beside", &now.from_resteer);
        picker.input("accept", &(ready & !&goes_before));
        let local = picker.output_as("grant", "local_grant");
        let local_context = picker.output_as("number", "local_context");
        let resteered_last = picker.output_as("beside_grant", "resteered_last");

        let first = First::of(m, shape, inputs, contexts, now, &(&requests & urgent).none(), goes_before);
        let grant = m.wire("grant", &first.goes.mux(&first.grant, &(&local & !&first.stops)));
        let first_context = join_context(&encode(&resteer.warp), &encode(&first.slot));
        let context = m.wire("picked_context", &first.goes.mux(&first_context, &local_context));
        let fetched = m.wire("picked", &grant.when(ready));
        first.cover(m, shape, inputs, contexts, now, [&local, &grant]);
        Self { grant, fetched, context, starts_anew: &first.goes | &resteered_last }
    }
}

impl First {
    /// `none_urgent`: of those that request a fetch, each has something to issue. Drives `goes_before`.
    fn of(
        m: &Builder,
        shape: &Shape,
        inputs: &Inputs,
        contexts: &Contexts,
        now: &Now,
        none_urgent: &Expr,
        goes_before: Expr,
    ) -> Self {
        m.comment(
            "A resteered context that can fetch goes before it, unless one has just done so and a context has nothing to\n\
             issue.",
        );
        let every_warp = |slots: &Expr| slots.repeat(shape.warps);
        let runs = &inputs.resteer.runs;
        let went_before = m.register("went_before", 1);
        went_before.next(&goes_before).enable(&inputs.ready).reset(0);
        let fetches = m.wire("resteer_fetches", &(&now.resteered & every_warp(runs) & !&*contexts.in_flight));
        let slots: Vec<Expr> = (0..shape.slots)
            .map(|slot| m.wire(&format!("slot_{slot}_fetches"), &of_slot(shape, &fetches, slot).any()))
            .collect();
        let slots = join(&slots);
        let slot = lowest_one(&slots);
        let may = m.wire("may_go_before", &(none_urgent | !&*went_before));
        m.drive(&goes_before, &(slot.any() & &may));
        let grant = &fetches & every_warp(&slot);
        let stops = m.wire("resteer_stops", &(&now.resteered & !every_warp(runs)));
        Self { goes: goes_before, may, slots, slot, grant, stops }
    }

    /// Coverage: how resteers and the round robin meet. `local` is what the round robin granted, `grant` what is picked.
    fn cover(
        &self,
        m: &Builder,
        shape: &Shape,
        inputs: &Inputs,
        contexts: &Contexts,
        now: &Now,
        [local, grant]: [&Expr; 2],
    ) {
        let found = [
            ("a_resteer_goes_before", &self.goes & local.any()),
            ("a_resteer_waits_for_another", self.slot.any() & !&self.may),
            ("a_resteer_stops_what_is_picked", (local & &self.stops).any() & !&self.goes),
            ("a_resteer_waits_for_the_fetch_before", (&now.resteered & &*contexts.in_flight).any()),
            ("a_fetch_waits_for_memory", grant.any() & !&inputs.ready),
        ];
        points(m, shape, &found);
        if shape.slots > 1 {
            points(m, shape, &[("both_slots_start_anew", self.slots.all())]);
        }
    }
}

/// The next pc of each context, by who wrote it last.
struct NextPcs {
    /// What S2 predicted, by context.
    predictions: Memory,
    /// Where S8 found the path, by slot and warp.
    resteers: Vec<Memory>,
}

impl NextPcs {
    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs) -> Self {
        m.comment("Next pcs, by who wrote them last.");
        let Inputs { start_valid, start_row, done, stand, .. } = inputs;
        let style = MemoryStyle::Distributed;
        let predictions = m.memory("predictions", shape.contexts(), PC, style);
        let reset_pc = lit(PC, u64::from(shape.reset_pc >> 2));
        predictions.write(
            &(start_valid | &done.valid),
            &start_valid.mux(&start_row.slice(0, shape.context_bits()), &done.context),
            &start_valid.mux(&reset_pc, &done.pc),
        );
        let of_slot = |slot: usize| {
            let resteers = m.memory(["resteers", "resteers_right"][slot], shape.warps, PC, style);
            resteers.write(&stand.valid, &stand.warp, &stand.pc.lane(slot, PC));
            resteers
        };
        Self { predictions, resteers: (0..shape.slots).map(of_slot).collect() }
    }

    /// The fetch in S1.
    fn read(&self, m: &Builder, shape: &Shape, inputs: &Inputs, pick: &Pick) -> Fetch {
        let ready = &inputs.ready;
        let valid = m.register("valid", 1);
        valid.next(&pick.grant.any()).enable(ready).reset(0);
        let context = m.register("fetch_context", shape.context_bits());
        context.next(&pick.context).enable(ready);
        let starts_anew = m.register("starts_anew", 1);
        starts_anew.next(&pick.starts_anew).enable(ready);

        m.comment(
            "S1: the next pc, by who wrote it last. Neither row of a context that has a fetch under way changes, but by a\n\
             resteer, which makes the fetch a dead one: memory, if it is not ready, goes on being asked for the same word.",
        );
        let (warp, slot) = split_context(shape, &context);
        let names = ["resteer_pc", "resteer_pc_right"];
        let resteer_pcs: Vec<Expr> =
            self.resteers.iter().zip(names).map(|(rows, name)| rows.read(name, &warp)).collect();
        let predicted = self.predictions.read("predicted", &context);
        let next_pc = m.wire("next_pc", &starts_anew.mux(&select(&slot, &resteer_pcs), &predicted));
        let pc = m.forward("fetch_pc", PC);
        let held = m.delay("held", &(&*valid & !ready));
        let held_pc = m.delay("held_pc", &pc);
        m.drive(&pc, &m.fault("a_refused_fetch_does_not_hold_its_pc", &held, &zeros(1)).mux(&held_pc, &next_pc));
        Fetch { valid: valid.q(), context: context.q(), pc }
    }
}
