//! S0, steer: picks the next context to fetch. S1 reads its pc, which is S8's resteer if there is one, otherwise S2's
//! prediction.
//!
//! Enters: resteers (S8), predictions (S2), room in the buffers (S3). Leaves: one fetch a cycle. Stalls while S1
//! cannot take the fetch.
//!
//! A context has at most one fetch in flight, so its prediction always follows its last fetched instruction. A
//! resteer marks a fetch in flight as dead, and S2 drops it. A fetch that misses the instruction cache is no longer in
//! flight; its context fetches nothing until the word is in S2, or a resteer ends the wait.
//!
//! S8 computes in one cycle the pcs of a warp's paths, and whether there is a resteer. The resteer arrives here in
//! the next cycle, in which the context can already be fetched. Its room is still that of before the resteer, so it takes
//! no part in the pick, but replaces the picked context. It does not do so twice in a row while another context has
//! nothing to issue, so it starves no context.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, Register, decode, encode, join, lowest_one,
    ones, select, zeros,
};

use super::context::{Fetch, contexts_of, join_context, split_context};
use super::pick::{Requests, pick};
use crate::formal::points;
use crate::shape::{PC, Shape};

rtl::bundle! {
    /// A change in the cycle before, by S8, of the pcs that the slots of a warp fetch.
    pub struct Resteer(shape: &Shape) {
        /// The changed contexts.
        contexts: shape.contexts(),
        /// The warp, one-hot. It is decoded before it is known whether there is a resteer.
        warp: shape.warps,
        /// The slot runs now.
        runs: shape.slots,
        /// The slot has a path. If the path does not run now, it runs after the release of the barrier.
        waits: shape.slots,
    }
}

rtl::bundle! {
    /// The pcs of a warp's paths after S8.
    pub struct Stand(shape: &Shape) {
        valid: 1,
        warp: shape.warp_bits(),
        /// The pc of each slot; undefined for a slot without a path.
        pc: PC * shape.slots,
    }
}

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s0_steer", "S0, steer: picks the context to fetch; its pc is read in S1.");
    m.timing(
        "the fetch leaves one cycle after the pick and is held while `ready_s1` is low; `dead_s2` is \
         combinational. A resteer can override the pick of its own cycle; a context has at most one fetch in \
         flight.",
    );
    let inputs = Inputs::declare(&m, shape);
    let contexts = Contexts::declare(&m, shape);
    let now = Now::of(&m, shape, &inputs, &contexts);
    let pick = Pick::of(&m, shape, &inputs, &contexts, &now)?;
    let ends = if shape.has_icache() { &inputs.done.valid | &inputs.missed } else { inputs.done.valid.clone() };
    let done_one = m.wire("done", &decode(&inputs.done.context, shape.contexts()).when(&ends));
    let pcs = NextPcs::declare(&m, shape, &inputs);
    contexts.update(&m, shape, &inputs, &now, &pick, &done_one);
    pcs.read(&m, shape, &inputs, &pick).outputs(&m, "s1");
    if shape.shows_enabled() {
        m.port_group("which contexts run");
        m.output("enabled_contexts_now", &now.enabled);
    }
    if shape.has_icache() {
        m.port_group("contexts whose fetch a resteer has overtaken");
        m.output("imem_cancelled", &(&now.resteered | &contexts.dead));
    }
    m.port_group("whether a resteer has overtaken the fetch that ends in S2");
    m.output("dead_s2", &(&contexts.dead & &done_one).any());
    m.finish()
}

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "control"]
        release: Expr = m.input("barrier_release", shape.warps),
        #[group = "start: every context begins at the reset pc"]
        start_valid: Expr = m.input("start_row_valid", 1),
        start_row: Expr = m.input("start_row", 5 + shape.warp_bits()),
        start_pc: Expr = m.input("start_pc", shape.start_pc_bits()),
        #[group = "room in the instruction buffers"]
        room: Expr = m.input("room", shape.contexts()),
        urgent: Expr = m.input("urgent", shape.contexts()),
        #[group = "the fetch that ends in S2, and the pc that S2 predicts after it"]
        /// The fetch that ends in S2, with the predicted next pc.
        done: Fetch = Fetch::build(shape, &mut |field, width| {
            m.input(if field == "pc" { "predicted_s2".to_owned() } else { format!("{field}_s2") }.as_str(), width)
        }),
        #[group = "instruction cache: that fetch ends without a word; contexts that wait for one"]
        missed: Expr = m.input("missed_s2", usize::from(shape.has_icache())),
        waits: Expr = m.input("imem_waits", if shape.has_icache() { shape.contexts() } else { 0 }),
        #[group = "the pcs of paths after S8; one cycle later, whether that is a resteer"]
        stand: Stand = Stand::inputs(m, shape, "stand_s8"),
        /// The resteer, one cycle after its pcs.
        resteer: Resteer = Resteer::inputs(m, shape, "resteer"),
        #[group = "fetch for S1"]
        ready: Expr = m.input("ready_s1", 1),
    }
}

/// The state of the contexts, one bit each.
struct Contexts {
    /// The context may fetch, by slot and warp.
    enabled: Vec<Register>,
    /// The context may fetch from the release of the barrier on.
    waiting: Register,
    /// The context has a fetch in flight.
    in_flight: Register,
    /// A resteer has overtaken that fetch.
    dead: Register,
    /// The next pc comes from a resteer.
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

    fn update(&self, m: &Builder, shape: &Shape, inputs: &Inputs, now: &Now, pick: &Pick, done_one: &Expr) {
        let Self { enabled, waiting, in_flight, dead, from_resteer } = self;
        let still = m.wire("still_in_flight", &(in_flight & !done_one));
        in_flight.next(&(&pick.fetched | &still)).reset(0);
        dead.next(&((&now.resteered & &still) | (dead & !done_one))).reset(0);
        from_resteer.next(&(&now.from_resteer & !&pick.fetched)).reset(0);
        let released = of_each_slot(shape, &inputs.release);
        let enables = &now.enabled | (&now.waiting & released);
        // A release keeps this bit. A context that fetches does not wait, and the resteer that stops it sets the bit
        // again.
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

fn of_each_slot(shape: &Shape, warps: &Expr) -> Expr {
    if shape.slots == 1 { warps.clone() } else { contexts_of(shape, warps, &ones(shape.slots)) }
}

fn of_slot(shape: &Shape, bits: &Expr, slot: usize) -> Expr {
    join((0..shape.warps).map(|warp| bits.bit(shape.slots * warp + slot)))
}

struct Now {
    resteered: Expr,
    enabled_before: Expr,
    enabled: Expr,
    /// Contexts that may fetch from the release on.
    waiting: Expr,
    from_resteer: Expr,
}

impl Now {
    fn of(m: &Builder, shape: &Shape, inputs: &Inputs, before: &Contexts) -> Self {
        m.comment("A resteer changes which contexts fetch.");
        let resteer = &inputs.resteer;
        let resteered = &resteer.contexts;
        let or_resteered = |name: &str, before: &Expr, slots: &Expr| {
            m.wire(name, &((resteered & slots.repeat(shape.warps)) | (!resteered & before)))
        };
        let before_of = |context: usize| before.enabled[context % shape.slots].bit(context / shape.slots);
        let enabled_before = m.wire("enabled_before", &join((0..shape.contexts()).map(before_of)));
        let enabled = or_resteered("enabled_contexts", &enabled_before, &resteer.runs);
        let waiting = or_resteered("waiting_contexts", &before.waiting, &resteer.waits);
        let from_resteer = m.wire("starts_from_resteer", &(&before.from_resteer | resteered));
        Self { resteered: resteered.clone(), enabled_before, enabled, waiting, from_resteer }
    }
}

struct Pick {
    valid: Expr,
    fetched: Expr,
    context: Expr,
    starts_anew: Expr,
}

/// The influence of a resteer on the pick.
struct First {
    /// A resteered context replaces the round robin's.
    goes: Expr,
    /// It may do so.
    may: Expr,
    /// For each slot, whether it is resteered and can fetch.
    slots: Expr,
    /// The first of these slots, one-hot.
    slot: Expr,
    /// The context of that slot, one-hot.
    grant: Expr,
}

impl Pick {
    fn of(
        m: &Builder,
        shape: &Shape,
        inputs: &Inputs,
        contexts: &Contexts,
        now: &Now,
    ) -> Result<Self, ElaborationError> {
        m.comment(
            "Pick a context that may fetch, has no fetch in flight, and has room for the instruction. One that\n\
             has nothing to issue precedes one that would only fetch ahead.",
        );
        let Inputs { room, urgent, ready, resteer, .. } = inputs;
        let unchanged = m.fault("a_resteered_context_is_picked", &!&now.resteered, &ones(shape.contexts()));
        let mut may_fetch = &now.enabled_before & !&contexts.in_flight & unchanged;
        if shape.has_icache() {
            may_fetch =
                may_fetch & !m.fault("fetches_for_a_context_that_waits", &inputs.waits, &zeros(shape.contexts()));
        }
        let requests = m.wire("requests", &(may_fetch & room));
        let goes_before = m.forward("goes_before", 1);
        let first = First::of(m, shape, inputs, contexts, now, &(&requests & urgent).none(), goes_before.clone());
        let picked = pick(
            m,
            shape,
            &Requests {
                all: &requests,
                preferred: Some(urgent),
                beside: &[&contexts.from_resteer],
                accept: &(ready & !&goes_before),
            },
        )?;
        let valid = &first.goes | requests.any();
        let grant = m.wire("grant", &first.goes.mux(&first.grant, &picked.grant));
        let first_context = join_context(&encode(&resteer.warp), &encode(&first.slot));
        let context = m.wire("picked_context", &first.goes.mux(&first_context, &picked.context));
        let fetched = m.wire("picked", &grant.when(ready));
        first.cover(m, shape, inputs, contexts, now, &requests);
        Ok(Self { valid, fetched, context, starts_anew: &first.goes | picked.beside })
    }
}

impl First {
    /// `none_urgent`: every context of the pick has something to issue. Drives `goes_before`.
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
            "A resteered context that can fetch replaces it, unless one just has and another has nothing to issue.",
        );
        let every_warp = |slots: &Expr| slots.repeat(shape.warps);
        let runs = &inputs.resteer.runs;
        let went_before = m.hold_reset("went_before", &goes_before, &inputs.ready);
        let fetches = m.wire("resteer_fetches", &(&now.resteered & every_warp(runs) & !&contexts.in_flight));
        let slot_fetches = |slot| m.wire(&format!("slot_{slot}_fetches"), &of_slot(shape, &fetches, slot).any());
        let slots = join((0..shape.slots).map(slot_fetches));
        let slot = lowest_one(&slots);
        let may = m.wire("may_go_before", &(none_urgent | !&went_before));
        m.drive(&goes_before, &(slot.any() & &may));
        let grant = &fetches & every_warp(&slot);
        Self { goes: goes_before, may, slots, slot, grant }
    }

    /// Coverage of resteers and the round robin together.
    fn cover(&self, m: &Builder, shape: &Shape, inputs: &Inputs, contexts: &Contexts, now: &Now, requests: &Expr) {
        let found = [
            ("a_resteer_goes_before", &self.goes & requests.any()),
            ("a_resteer_waits_for_another", self.slot.any() & !&self.may),
            ("a_resteer_waits_for_the_fetch_before", (&now.resteered & &contexts.in_flight).any()),
            ("a_fetch_waits_for_memory", (&self.goes | requests.any()) & !&inputs.ready),
        ];
        points(m, shape, &found);
        if shape.slots > 1 {
            points(m, shape, &[("both_slots_start_anew", self.slots.all())]);
        }
    }
}

struct NextPcs {
    /// The predictions of S2, by context.
    predictions: Memory,
    /// The pcs of resteers from S8, by slot and warp.
    resteers: Vec<Memory>,
}

impl NextPcs {
    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs) -> Self {
        m.comment("Next pcs, from predictions and from resteers.");
        let Inputs { start_valid, start_row, start_pc, done, stand, .. } = inputs;
        let style = MemoryStyle::Distributed;
        let predictions = m.memory("predictions", shape.contexts(), PC, style);
        predictions.write(
            &(start_valid | &done.valid),
            &start_valid.mux(&start_row.slice(0, shape.context_bits()), &done.context),
            &start_valid.mux(&shape.start_pc(start_pc), &done.pc),
        );
        let of_slot = |slot: usize| {
            let resteers = m.memory(["resteers", "resteers_right"][slot], shape.warps, PC, style);
            resteers.write(&stand.valid, &stand.warp, &stand.pc.lane(slot, PC));
            resteers
        };
        Self { predictions, resteers: (0..shape.slots).map(of_slot).collect() }
    }

    fn read(&self, m: &Builder, shape: &Shape, inputs: &Inputs, pick: &Pick) -> Fetch {
        let ready = &inputs.ready;
        let valid = m.hold_reset("valid", &pick.valid, ready);
        let context = m.hold("fetch_context", &pick.context, ready);
        let starts_anew = m.hold("starts_anew", &pick.starts_anew, ready);

        m.comment(
            "S1: the next pc, from the last writer. While a fetch is in flight, only a resteer changes these rows, and\n\
             that fetch is dead then. So if memory is not ready, the requested word stays the same.",
        );
        let (warp, slot) = split_context(shape, &context);
        let names = ["resteer_pc", "resteer_pc_right"];
        let resteered = select(&slot, self.resteers.iter().zip(names).map(|(rows, name)| rows.read(name, &warp)));
        let predicted = self.predictions.read("predicted", &context);
        let next_pc = m.wire("next_pc", &starts_anew.mux(&resteered, &predicted));
        let pc = m.forward("fetch_pc", PC);
        let held = m.delay("held", &(&valid & !ready));
        let held_pc = m.delay("held_pc", &pc);
        m.drive(&pc, &m.fault("a_refused_fetch_does_not_hold_its_pc", &held, &zeros(1)).mux(&held_pc, &next_pc));
        Fetch { valid, context, pc }
    }
}
