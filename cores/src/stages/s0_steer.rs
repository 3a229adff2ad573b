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
    Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, decode, encode, join, lit, lowest_one, select, zeros,
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
    let contexts = shape.contexts();
    let m = Builder::new("s0_steer", "S0, steer: picks the context to fetch; its pc is read in S1.");
    m.port_group("control");
    let release = m.input("barrier_release", 1);
    m.port_group("start: every context begins at the reset pc");
    let start_valid = m.input("start_valid", 1);
    let start_row = m.input("start_row", 5 + shape.warp_bits());
    m.port_group("room in the instruction buffers");
    let room = m.input("room", contexts);
    let urgent = m.input("urgent", contexts);
    m.port_group("the fetch that ends in S2, and what S2 predicts after it");
    let done = Fetch::inputs(&m, shape, "s2");
    m.port_group("where paths stand after S8, and a cycle later: they are to be fetched from there");
    let stand = Stand::inputs(&m, shape, "stand");
    let resteer = Resteer::inputs(&m, shape, "resteer");
    m.port_group("fetch for S1");
    let ready = m.input("ready_s1", 1);

    let enabled: Vec<rtl::Register> =
        (0..shape.slots).map(|slot| m.register(&format!("enabled{}", ["", "_right"][slot]), shape.warps)).collect();
    let waiting = m.register("waiting", contexts);
    let in_flight = m.register("in_flight", contexts);
    let dead = m.register("dead", contexts);
    let from_resteer = m.register("from_resteer", contexts);

    m.comment("A resteer changes which contexts fetch.");
    let resteer_one = m.wire("resteered", &contexts_of(shape, &resteer.warp, &resteer.valid));
    let every_warp = |slots: &Expr| slots.repeat(shape.warps);
    let or_resteered = |name: &str, now: &Expr, slots: &Expr| {
        m.wire(name, &((&resteer_one & every_warp(slots)) | (!&resteer_one & now)))
    };
    let enabled_before: Vec<Expr> =
        (0..contexts).map(|context| enabled[context % shape.slots].bit(context / shape.slots)).collect();
    let enabled_before = join(&enabled_before);
    let enabled_now = or_resteered("enabled_contexts", &enabled_before, &resteer.runs);
    let waiting_now = or_resteered("waiting_contexts", &waiting, &resteer.waits);
    let from_resteer_now = m.wire("starts_from_resteer", &(&*from_resteer | &resteer_one));

    m.comment(
        "Pick a context that may fetch, has no fetch under way and has room for the instruction; one that\n\
         has nothing to issue before one that would only fetch ahead.",
    );
    let requests = m.wire("requests", &(&enabled_before & !&*in_flight & room));
    let picker = m.instance("picker", round_robin);
    let goes_before = m.forward("goes_before", 1);
    picker.input("requests", &requests).input("preferred", &urgent).input("beside", &from_resteer_now);
    picker.input("accept", &(&ready & !&goes_before));
    let local = picker.output_as("grant", "local_grant");
    let local_context = picker.output_as("number", "local_context");
    let resteered_last = picker.output_as("beside_grant", "resteered_last");

    m.comment(
        "A resteered context that can fetch goes before it, unless one has just done so and a context has nothing to\n\
         issue.",
    );
    let went_before = m.register("went_before", 1);
    went_before.next(&goes_before).enable(&ready).reset(0);
    let fetches = m.wire("resteer_fetches", &(&resteer_one & every_warp(&resteer.runs) & !&*in_flight));
    let of_slot = |bits: &Expr, slot: usize| {
        join(&(0..shape.warps).map(|warp| bits.bit(shape.slots * warp + slot)).collect::<Vec<_>>())
    };
    let slot_fetches: Vec<Expr> = (0..shape.slots).map(|slot| of_slot(&fetches, slot).any()).collect();
    let first_slot = lowest_one(&join(&slot_fetches));
    let may_go_before = m.wire("may_go_before", &((&requests & &urgent).none() | !&*went_before));
    m.drive(&goes_before, &(first_slot.any() & &may_go_before));
    let before = &fetches & every_warp(&first_slot);
    let stops = m.wire("resteer_stops", &(&resteer_one & !every_warp(&resteer.runs)));
    let grant = m.wire("grant", &goes_before.mux(&before, &(&local & !&stops)));
    let first_context = join_context(&encode(&resteer.warp), &encode(&first_slot));
    let context = m.wire("picked_context", &goes_before.mux(&first_context, &local_context));
    let picked = m.wire("picked", &grant.when(&ready));
    let found = [
        ("a_resteer_goes_before", &goes_before & local.any()),
        ("a_resteer_waits_for_another", first_slot.any() & !&may_go_before),
        ("a_resteer_stops_what_is_picked", (&local & &stops).any() & !&goes_before),
        ("a_resteer_waits_for_the_fetch_before", (&resteer_one & &*in_flight).any()),
        ("a_fetch_waits_for_memory", grant.any() & !&ready),
    ];
    points(&m, shape, &found);
    if shape.slots > 1 {
        points(&m, shape, &[("both_slots_start_anew", join(&slot_fetches).all())]);
    }
    let done_one = m.wire("done", &decode(&done.context, contexts).when(&done.valid));

    m.comment("Next pcs, by who wrote them last.");
    let style = MemoryStyle::Distributed;
    let predictions = m.memory("predictions", contexts, PC, style);
    let reset_pc = lit(PC, u64::from(shape.reset_pc >> 2));
    predictions.write(
        &(&start_valid | &done.valid),
        &start_valid.mux(&start_row.slice(0, shape.context_bits()), &done.context),
        &start_valid.mux(&reset_pc, &done.pc),
    );
    let resteers: Vec<rtl::Memory> = (0..shape.slots)
        .map(|slot| {
            let resteers = m.memory(["resteers", "resteers_right"][slot], shape.warps, PC, style);
            resteers.write(&stand.valid, &stand.warp, &stand.pc.lane(slot, PC));
            resteers
        })
        .collect();

    let still = m.wire("still_in_flight", &(&*in_flight & !&done_one));
    in_flight.next(&(&picked | &still)).reset(0);
    dead.next(&((&resteer_one & &still) | (&*dead & !&done_one))).reset(0);
    from_resteer.next(&(&from_resteer_now & !&picked)).reset(0);
    let released = release.repeat(contexts);
    let enables = &enabled_now | (&waiting_now & released);
    // A release leaves it: a context that fetches waits no longer, and the resteer that stops it says so anew.
    waiting.next(&waiting_now).reset(0);
    if let [enabled] = enabled.as_slice() {
        enabled.next(&enables).reset_ones();
    } else {
        let enables = m.wire("enables", &enables);
        enabled[0].next(&of_slot(&enables, 0)).reset_ones();
        enabled[1].next(&of_slot(&enables, 1)).reset(0);
    }

    let valid = m.register("valid", 1);
    valid.next(&grant.any()).enable(&ready).reset(0);
    let fetch_context = m.register("fetch_context", shape.context_bits());
    fetch_context.next(&context).enable(&ready);
    let starts_anew = m.register("starts_anew", 1);
    starts_anew.next(&(&goes_before | &resteered_last)).enable(&ready);

    m.comment(
        "S1: the next pc, by who wrote it last. Neither row of a context that has a fetch under way changes, but by a\n\
         resteer, which makes the fetch a dead one: memory, if it is not ready, goes on being asked for the same word.",
    );
    let (warp, slot) = split_context(shape, &fetch_context);
    let names = ["resteer_pc", "resteer_pc_right"];
    let resteer_pcs: Vec<Expr> = resteers.iter().zip(names).map(|(rows, name)| rows.read(name, &warp)).collect();
    let predicted = predictions.read("predicted", &fetch_context);
    let next_pc = m.wire("next_pc", &starts_anew.mux(&select(&slot, &resteer_pcs), &predicted));
    let pc = m.forward("fetch_pc", PC);
    let held = m.delay("held", &(&*valid & !&ready));
    let held_pc = m.delay("held_pc", &pc);
    m.drive(&pc, &m.fault("a_refused_fetch_does_not_hold_its_pc", &held, &zeros(1)).mux(&held_pc, &next_pc));
    Fetch { valid: valid.q(), context: fetch_context.q(), pc }.outputs(&m, "s1");
    if shape.constrained {
        m.port_group("which contexts run");
        m.output("enabled_contexts_now", &enabled_now);
    }
    m.port_group("whether the fetch that ends in S2 was overtaken by a resteer");
    m.output("dead_s2", &(&*dead & &done_one).any());
    m.finish()
}
