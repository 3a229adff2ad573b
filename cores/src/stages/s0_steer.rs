//! S0, steer: which context to fetch, and its next pc: S8's resteer if there is one, else S2's prediction.
//!
//! Enters: resteers (S8), predictions (S2), room in the buffers (S3). Leaves: one fetch a cycle. A context has at most
//! one fetch under way, so its prediction is always that of its last fetched instruction; a resteer that finds one
//! under way marks it dead, and S2 drops it. Stalls while S1 cannot take the fetch.

use rtl::{Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, decode, encode, join, lit, select};

use super::s3_schedule::split_context;
use crate::shape::{PC, Shape};

rtl::bundle! {
    /// A fetch, or the end of one.
    pub struct Fetch(shape: &Shape) {
        /// Whether there is one.
        valid: 1,
        /// Warp and slot.
        context: shape.context_bits(),
        /// Address.
        pc: PC,
    }
}

rtl::bundle! {
    /// S8 changes what the slots of a warp fetch.
    pub struct Resteer(shape: &Shape) {
        /// Which slots.
        valid: shape.slots,
        /// The warp.
        warp: shape.warp_bits(),
        /// From where, each slot.
        pc: PC * shape.slots,
        /// Whether the slot goes on now.
        runs: shape.slots,
        /// Whether it goes on at the release of the barrier.
        waits: shape.slots,
    }
}

/// A bit for each context: those of `slots`, where their warp is the one.
pub fn contexts_of(shape: &Shape, warp: &Expr, slots: &Expr) -> Expr {
    let one = decode(warp, shape.warps);
    if shape.slots == 1 {
        return one.when(slots);
    }
    let warps: Vec<Expr> = one.lanes(1).iter().map(|warp| slots.when(warp)).collect();
    join(&warps)
}

/// Elaborates the stage.
pub fn elaborate(shape: &Shape, round_robin: &Module) -> Result<Module, ElaborationError> {
    let contexts = shape.contexts();
    let m = Builder::new("s0_steer", "S0, steer: picks the context to fetch and its next pc.");
    m.port_group("control");
    let running = m.input("running", 1);
    let release = m.input("barrier_release", 1);
    m.port_group("room in the instruction buffers");
    let room = m.input("room", contexts);
    let urgent = m.input("urgent", contexts);
    m.port_group("the fetch that ends in S2, and what S2 predicts after it");
    let done = Fetch::inputs(&m, shape, "s2");
    m.port_group("resteer from S8");
    let resteer = Resteer::inputs(&m, shape, "resteer");
    m.port_group("fetch for S1");
    let ready = m.input("ready_s1", 1);

    let enabled: Vec<rtl::Register> =
        (0..shape.slots).map(|slot| m.register(&format!("enabled{}", ["", "_right"][slot]), shape.warps)).collect();
    let enabled_now: Vec<Expr> =
        (0..contexts).map(|context| enabled[context % shape.slots].bit(context / shape.slots)).collect();
    let enabled_now = if shape.slots == 1 { enabled[0].q() } else { m.wire("enabled_contexts", &join(&enabled_now)) };
    let waiting = m.register("waiting", contexts);
    let in_flight = m.register("in_flight", contexts);
    let dead = m.register("dead", contexts);
    let from_resteer = m.register("from_resteer", contexts);
    let at_start = m.register("at_start", contexts);

    m.comment(
        "Pick a context that may fetch, has no fetch under way and has room for the instruction; one that\n\
         has nothing to issue before one that would only fetch ahead.",
    );
    let requests = m.wire("requests", &((&enabled_now & !&*in_flight & room) & running.repeat(contexts)));
    let first = m.wire("first", &(&requests & urgent));
    let picker = m.instance("picker", round_robin);
    picker.input("requests", &first.any().mux(&first, &requests)).input("accept", &ready);
    let grant = picker.output_as("grant", "grant");
    let context = m.wire("picked_context", &encode(&grant));
    let picked = m.wire("picked", &grant.when(&ready));
    let done_one = m.wire("done", &decode(&done.context, contexts).when(&done.valid));
    let resteer_one = m.wire("resteered", &contexts_of(shape, &resteer.warp, &resteer.valid));

    m.comment("Next pcs, by who wrote them last.");
    let style = MemoryStyle::Distributed;
    let predictions = m.memory("predictions", contexts, PC, style);
    predictions.write(&done.valid, &done.context, &done.pc);
    let predicted = predictions.read("predicted", &context);
    let (warp, slot) = split_context(shape, &context);
    let resteer_pcs: Vec<Expr> = (0..shape.slots)
        .map(|slot| {
            let side = ["", "_right"][slot];
            let resteers = m.memory(&format!("resteers{side}"), shape.warps, PC, style);
            resteers.write(&resteer.valid.bit(slot), &resteer.warp, &resteer.pc.lane(slot, PC));
            resteers.read(&format!("resteer_pc{side}"), &warp)
        })
        .collect();
    let resteer_pc = select(&slot, &resteer_pcs);
    let of_granted = |name: &str, bits: &rtl::Expr| m.wire(name, &(&grant & bits).any());
    let written = of_granted("resteered_last", &from_resteer).mux(&resteer_pc, &predicted);
    let pc = of_granted("starts", &at_start).mux(&lit(PC, u64::from(shape.reset_pc >> 2)), &written);

    let still = m.wire("still_in_flight", &(&*in_flight & !&done_one));
    in_flight.next(&(&picked | &still)).reset(0);
    dead.next(&((&resteer_one & (&picked | &still)) | (&*dead & !&done_one))).reset(0);
    from_resteer.next(&(&resteer_one | (&*from_resteer & !&picked))).reset(0);
    at_start.next(&(&*at_start & !&picked & !&resteer_one)).reset_ones();
    let every_warp = |slots: &Expr| slots.repeat(shape.warps);
    let released = release.repeat(contexts);
    let woken = &*waiting & &released;
    let unchanged = !&resteer_one;
    let enables = (&resteer_one & every_warp(&resteer.runs)) | (&unchanged & (&enabled_now | woken));
    let waits = every_warp(&resteer.waits);
    waiting.next(&((&resteer_one & waits) | (&unchanged & &*waiting & !released))).reset(0);
    if let [enabled] = enabled.as_slice() {
        enabled.next(&enables).reset_ones();
    } else {
        let enables = m.wire("enables", &enables);
        let of_slot =
            |slot| join(&(0..shape.warps).map(|warp| enables.bit(shape.slots * warp + slot)).collect::<Vec<_>>());
        enabled[0].next(&of_slot(0)).reset_ones();
        enabled[1].next(&of_slot(1)).reset(0);
    }

    let valid = m.register("valid", 1);
    valid.next(&grant.any()).enable(&ready).reset(0);
    let fetch_context = m.register("fetch_context", shape.context_bits());
    fetch_context.next(&context).enable(&ready);
    let fetch_pc = m.register("fetch_pc", PC);
    fetch_pc.next(&pc).enable(&ready);
    Fetch { valid: valid.q(), context: fetch_context.q(), pc: fetch_pc.q() }.outputs(&m, "s1");
    if shape.constrained {
        m.port_group("which contexts run");
        m.output("enabled_contexts_now", &enabled_now);
    }
    m.port_group("whether the fetch that ends in S2 was overtaken by a resteer");
    m.output("dead_s2", &(&*dead & &done_one).any());
    m.finish()
}
