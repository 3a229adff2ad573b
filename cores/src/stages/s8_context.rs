//! S8, context: the divergence unit processes the outcome, and S8 resteers the front end if it predicted otherwise.
//!
//! Enters: the outcome of S7. Leaves: the active path, resteers for S0 and S3, the epochs, the release of the barrier
//! (`s8_barrier`). Never stalls.

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, Module, Register, decode, join, lit, ones, zeros};
use weft_trace::{ContextPorts, UnitPorts};

use super::context::{contexts_of, join_context};
use super::s0_steer::{Resteer, Stand};
use super::s3_schedule::ReplayRecord;
use super::s8_barrier;
use crate::divergence::{SLOTS, UnitInputs, goes_on, known_in};
use crate::formal::{Rules, Watched, points, rules};
use crate::shape::{PC, Shape};
use crate::signals::{Ahead, Level, Path, Resolve, delay_by, flag_delay_by};
use crate::trace::Traced;

pub fn elaborate(shape: &Shape, unit: &Module) -> Result<Module, ElaborationError> {
    let shows_all = shape.formal || unit.ports().iter().any(|port| port.name == "generation");
    let barrier_module = s8_barrier::elaborate(shape, shows_all)?;
    let m = Builder::new("s8_context", "S8, context: divergence unit, resteer, epochs, barrier.");
    let (known, spacing) = (known_in(shape), shape.spacing());
    m.timing(&format!(
        "the active path after an instruction is known {known}; a resteer is registered and leaves one cycle after that. It \
         never stalls; instructions of one warp arrive at least {spacing} cycles apart."
    ));
    let inputs = Inputs::declare(&m, shape);
    let outcome = Outcome::of(&m, shape, &inputs);
    let leaves_s7 = leaves_s7(&m, shape);

    let barrier = m.instance("barrier", &barrier_module);
    barrier.input("start_valid", &inputs.start_valid).input("start_warp", &inputs.start_warp);
    barrier.input("warp_s6", &inputs.warp_s6).input("warp_s7", &inputs.warp_s7);
    outcome.resolve.connect(&barrier, "s8");
    outcome.level.connect(&barrier, "level");
    let generation = if shows_all { barrier.net("generation") } else { zeros(shape.warps) };
    let generations = [generation, barrier.net("generation_s7")];
    let release = barrier.output_as("barrier_release", "released");
    let all_ended = barrier.net("all_ended");

    let unit = m.instance("unit", unit);
    let unit_inputs = inputs.of_unit(generations);
    unit_inputs.connect(&unit);
    let validate = Path::build(shape, &mut |field, _| unit.output_as(&format!("{field}_s7"), &format!("path_{field}")));
    let gave_way = unit.net("gives_way_s7");
    let slots = Slots::of(shape, &unit);
    if shape.formal {
        let gives_way = if shape.reconverges { &leaves_s7 } else { &gave_way };
        watch(&m, shape, &unit, &unit_inputs, &validate, gives_way)?;
    }

    let charge = Charge::of(&m, shape, &outcome, &slots, &unit);
    let stand = Stand {
        valid: outcome.resolve.valid.clone(),
        warp: outcome.resolve.warp.clone(),
        pc: slots.each(&|Slot { path, .. }| path.pc.clone()),
    };
    let release_s8 = m.wire("released_s8", &release.index(&outcome.resolve.warp));
    let resteer = charge.resteer(&m, shape, &outcome, &slots, &release_s8);
    let rest = Rest::of(&m, shape, &outcome, &slots, &charge, &unit);
    let record = ReplayRecord {
        valid: outcome.resolve.valid.clone(),
        context: join_context(&outcome.resolve.warp, &outcome.resolve.slot),
        stood: m.delay("record_stands", &rest.stands),
        entry: outcome.entry.clone(),
    };
    let epochs = Epochs::declare(&m, shape, &resteer);
    let present = Present::of(&m, &inputs, &outcome, &charge, &epochs);

    m.port_group("the path that S7 validates against; whether the epoch of S7's instruction is current");
    validate.outputs(&m, "path");
    m.output("path_gives_way", &gave_way);
    if shape.reconverges {
        m.output("path_leaves_at_ret", &unit.output("leaves_at_ret_s7"));
    }
    m.output("epoch_is_present_s7", &present.is_present);
    m.output("epochs", &epochs.bits);
    m.port_group("the pcs of the paths; one cycle later, whether that is a resteer");
    stand.outputs(&m, "stand_s8");
    resteer.outputs(&m, "resteer");
    if shape.slots > 1 {
        m.output("shadows_s8", &unit.output("shadows").when(&outcome.resolve.valid));
    }
    m.port_group("the threads of those paths, for S6");
    m.output("masks_s8", &slots.each(&|Slot { path, .. }| path.mask.clone()));
    if shape.shows_paths {
        m.port_group("for the control block: whether the slots have these paths, and which wait at the barrier");
        m.output("paths_s8", &slots.each(&|Slot { path, .. }| path.valid.clone()));
        m.output("parked_s8", &slots.each(&|Slot { path, .. }| path.parked.clone()));
    }
    check(&m, shape, &outcome, &charge, &rest, &present, &release_s8);
    m.port_group("replay record, for S3");
    record.outputs(&m, "record");
    m.output("barrier_release", &release);
    m.port_group("for S7: whether a thread of its warp waits at the barrier, and the warp's level there");
    m.output("waits_s7", &barrier.output("waits_s7"));
    m.output("level_s7", &barrier.output("level_s7"));
    m.output("ended", &all_ended);
    if shape.has_icache() {
        m.port_group("a `fence.i` empties the instruction cache");
        m.output("imem_empty", &(&inputs.outcome.resolve.valid & &inputs.outcome.fence_i));
    }
    if shape.trace {
        trace(&m, shape, &outcome.resolve, &slots, &unit);
    }
    m.finish()
}

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "start"]
        start_valid: Expr = m.input("start_warp_valid", 1),
        start_warp: Expr = m.input("start_warp", shape.warp_bits()),
        start_pc: Expr = m.input("start_pc", shape.start_pc_bits()),
        #[group = "instructions in S6 and S7"]
        warp_s6: Expr = m.input("warp_s6", shape.warp_bits()),
        slot_s6: Expr = m.input("slot_s6", shape.slot_bits()),
        /// The epoch at the issue of the instruction in S6.
        epoch_s6: Expr = m.input("epoch_s6", 1),
        warp_s7: Expr = m.input("warp_s7", shape.warp_bits()),
        slot_s7: Expr = m.input("slot_s7", shape.slot_bits()),
        ahead: Ahead = Ahead::inputs(m, shape, "s7"),
        #[group = "outcome of S7"]
        outcome: Outcome = Outcome {
            resolve: Resolve::inputs(m, shape, "s8"),
            predicted: m.input("predicted_s8", PC),
            fence_i: m.input("fence_i_s8", 1),
            load: m.input("load_s8", 1),
            entry: m.input("entry_s8", shape.entry_bits()),
            level: Level::inputs(m, shape, "level_s8"),
        },
    }
}

/// The outcome of an instruction, from S7.
struct Outcome {
    resolve: Resolve,
    predicted: Expr,
    fence_i: Expr,
    load: Expr,
    /// The instruction's entry of the scoreboard.
    entry: Expr,
    level: Level,
}

impl Inputs {
    fn of_unit(&self, [generation, generation_s7]: [Expr; 2]) -> UnitInputs {
        UnitInputs {
            start_valid: self.start_valid.clone(),
            start_warp: self.start_warp.clone(),
            start_pc: self.start_pc.clone(),
            generation,
            generation_s7,
            warp_s6: self.warp_s6.clone(),
            slot_s6: self.slot_s6.clone(),
            warp_s7: self.warp_s7.clone(),
            slot_s7: self.slot_s7.clone(),
            ahead: self.ahead.clone(),
            resolve: self.outcome.resolve.clone(),
        }
    }
}

impl Outcome {
    /// The outcome, delayed to S8 + delay.
    fn of(m: &Builder, shape: &Shape, inputs: &Inputs) -> Self {
        m.comment("The outcome, in the cycle in which the next active path is known.");
        let Self { resolve, predicted, fence_i, load, entry, level } = &inputs.outcome;
        let later = |name: &str, value: &Expr| delay_by(m, name, value, shape.delay);
        Self {
            resolve: resolve.later(m, shape, shape.delay),
            predicted: later("predicted", predicted),
            fence_i: later("fence_i", fence_i),
            load: later("load", load),
            entry: later("entry", entry),
            level: Level { write: later("writes_level", &level.write), value: later("level", &level.value) },
        }
    }

    /// The slot of the instruction, one-hot.
    fn own(&self, shape: &Shape) -> Expr {
        if shape.slots > 1 { decode(&self.resolve.slot, shape.slots) } else { ones(1) }
    }
}

/// For the rules of a stack: whether the path in S7 yields, at a `ret` or anywhere.
fn leaves_s7(m: &Builder, shape: &Shape) -> Expr {
    if !(shape.formal && shape.reconverges) {
        return zeros(0);
    }
    m.port_group("S7, for the rules: the path yields, at a `ret` or anywhere");
    m.input("leaves_s7", 1)
}

/// Asserts, for each warp, the assumptions of the unit's proofs. The unit states its invariants for warp 0.
fn watch(
    m: &Builder,
    shape: &Shape,
    unit: &Instance,
    inputs: &UnitInputs,
    validate: &Path,
    gives_way: &Expr,
) -> Result<(), ElaborationError> {
    let rules = rules(shape, Rules::Assert)?;
    m.comment("The assumptions of the unit's proofs, checked for each warp.");
    for warp in 0..shape.warps {
        let watcher = m.instance(&format!("rules_{warp}"), &rules);
        watcher.input("watched", &lit(shape.warp_bits(), warp as u64));
        watcher.input("watched_thread", &zeros(shape.lane_bits()));
        inputs.connect(&watcher);
        validate.connect(&watcher, "s7");
        watcher.input("gives_way_s7", gives_way);
        if warp == 0 {
            Watched::from_instance(&watcher, shape, "watched").connect(unit, "watched");
        }
    }
    Ok(())
}

/// The active paths after S8, and whether the front end follows them.
struct Charge {
    own: Expr,
    /// Slots whose path runs next.
    goes_on: Expr,
    resteers: Expr,
}

impl Charge {
    fn of(m: &Builder, shape: &Shape, outcome: &Outcome, slots: &Slots, unit: &Instance) -> Self {
        m.comment("Resteer if the active path is not at the predicted pc.");
        let goes_on = m.wire("goes_on", &slots.each(&|Slot { path, gives_way }| goes_on(path, gives_way)));
        let own = outcome.own(shape);
        let restarts = if shape.slots > 1 { unit.net("restarts") } else { zeros(1) };
        let follows = if shape.compares_prediction {
            unit.input("predicted_s8", &outcome.predicted);
            join(["follows_x", "follows_y"][..shape.slots].iter().map(|port| unit.output_as(port, port)))
        } else {
            slots.each(&|Slot { path, .. }| path.can_run() & path.pc.eq(&outcome.predicted))
        };
        let fence_i_resteers = m.fault("a_fence_i_does_not_resteer", &outcome.fence_i, &zeros(1));
        let Resolve { rotates, ends, .. } = &outcome.resolve;
        let follows_prediction = !(fence_i_resteers | rotates.any() | ends.any());
        let as_predicted = follows & follows_prediction.repeat(shape.slots);
        let resteers = (restarts | (&own & !&as_predicted)).when(&outcome.resolve.valid);
        Self { own, goes_on, resteers: m.wire("resteers", &resteers) }
    }

    fn resteer(&self, m: &Builder, shape: &Shape, outcome: &Outcome, slots: &Slots, release: &Expr) -> Resteer {
        let warp = m.wire("warp_one", &decode(&outcome.resolve.warp, shape.warps));
        let contexts = contexts_of(shape, &warp, &self.resteers);
        let paths = slots.each(&|Slot { path, .. }| path.valid.clone());
        let released = slots.each(&|Slot { path, .. }| &path.valid & &path.parked).when(release);
        let runs = &self.goes_on | slots.each(&|slot| slot.gives_way.clone()) | released;
        Resteer {
            contexts: m.delay_reset("resteered_contexts", &contexts),
            warp: m.delay("resteer_warp", &warp),
            runs: m.delay("resteer_runs", &runs),
            waits: m.delay("resteer_waits", &paths),
        }
    }
}

/// The unserved lanes of a partly served load.
struct Rest {
    partial_load: Expr,
    /// The unserved lanes are an active path of their own.
    stands: Expr,
}

impl Rest {
    fn of(m: &Builder, shape: &Shape, outcome: &Outcome, slots: &Slots, charge: &Charge, unit: &Instance) -> Self {
        m.comment("If the unserved lanes of a load are the active path, its next part does not wait for those before.");
        let Resolve { valid, b_pc, b_mask, rotates, .. } = &outcome.resolve;
        let partial_load = m.wire("partial_load", &(&outcome.load & b_mask.any() & rotates.none()));
        let is_b = || slots.each(&|Slot { path, .. }| path.pc.eq(b_pc) & path.mask.eq(b_mask));
        let stands = match (shape.reconverges, shape.compares_prediction) {
            // A row of a stack waits until a load has served all its lanes.
            (true, _) => partial_load.clone(),
            (false, _) if shape.puts_the_rest_first => &partial_load & &charge.goes_on,
            (false, true) => &partial_load & &charge.goes_on & unit.output_as("is_b_x", "is_b"),
            (false, false) => &partial_load & &charge.goes_on & is_b(),
        };
        let stands = m.wire("rest_stands", &stands);
        if shape.formal {
            let right = stands.eq(&(&partial_load & (&charge.own & &charge.goes_on & is_b()).any()));
            m.assert("it_is_known_whether_the_rest_stands", &(!valid | right));
        }
        Self { partial_load, stands }
    }
}

/// The epoch of each context: a bit that changes with its resteer.
///
/// One bit is enough. The resteers of a context are at least two cycles apart, and nothing is issued in the cycle of one.
/// An instruction older than a resteer is in S7 or S6 then, where the resteer itself is visible, or it reaches S6 in
/// one of the next two cycles, before the bit changes again.
struct Epochs {
    /// Contexts that were resteered in the cycle before.
    changed: Expr,
    /// The epochs before the change.
    bits: Register,
}

impl Epochs {
    fn declare(m: &Builder, shape: &Shape, resteer: &Resteer) -> Self {
        m.comment("Epochs change with the resteer.");
        let bits = m.register("epoch", shape.contexts());
        bits.next(&(&bits ^ &resteer.contexts)).reset(0);
        Self { changed: resteer.contexts.clone(), bits }
    }
}

/// Whether the epoch of the instruction in S7 is its slot's current one.
struct Present {
    is_present: Expr,
    /// The epoch is not current, because the slot was resteered in the cycle before.
    overtaken: Expr,
}

impl Present {
    fn of(m: &Builder, inputs: &Inputs, outcome: &Outcome, charge: &Charge, epochs: &Epochs) -> Self {
        m.comment(
            "S7 receives whether the epoch of its instruction is current. An instruction between S3 and S7 when its slot is\n\
             resteered has an older epoch.",
        );
        let context_s6 = join_context(&inputs.warp_s6, &inputs.slot_s6);
        let [present_epoch, overtaken] = [&*epochs.bits, &epochs.changed].map(|bits| bits.index(&context_s6));
        let was_present = m.delay("epoch_was_present", &(inputs.epoch_s6.eq(&present_epoch) & !overtaken));
        let same_warp = m.delay("resteers_warp_s7", &outcome.resolve.warp.eq(&inputs.warp_s6));
        let overtaken = &same_warp & m.delay_reset("resteer", &charge.resteers).index(&inputs.slot_s7);
        Self { is_present: m.wire("epoch_is_present", &(was_present & !&overtaken)), overtaken }
    }
}

fn check(
    m: &Builder,
    shape: &Shape,
    outcome: &Outcome,
    charge: &Charge,
    rest: &Rest,
    present: &Present,
    release: &Expr,
) {
    let Charge { own, goes_on, resteers } = charge;
    let Resolve { valid, rotates, .. } = &outcome.resolve;
    if shape.formal {
        // A committing thread lives and is not parked until its outcome is here. The pop of a row of ended threads
        // commits nothing.
        m.assert("nothing_commits_before_a_release", &!(release & valid & rotates.none()));
    }
    let own_resteers = resteers & own;
    let found = [
        ("a_commit_resteers_its_slot", own_resteers.any() & rotates.none()),
        ("a_rotation_resteers", own_resteers.any() & rotates.any()),
        ("a_resteer_to_nothing", (&own_resteers & !goes_on).any()),
        ("a_fence_resteers", own_resteers.any() & &outcome.fence_i),
        ("a_replay_is_recorded", valid & &rest.stands),
        ("a_part_that_is_not_alone", valid & &rest.partial_load & !&rest.stands),
        ("a_resteer_overtakes_s7", present.overtaken.clone()),
    ];
    points(m, shape, &found);
    if shape.slots > 1 {
        points(m, shape, &[("the_other_slot_is_resteered", (resteers & !own).any())]);
    }
}

/// The trace port and its coverage points: the paths after S8, and the events of the unit.
fn trace(m: &Builder, shape: &Shape, outcome: &Resolve, slots: &Slots, unit: &Instance) {
    m.port_group("trace: the active path after S8, and the events of the unit");
    let cycles = shape.record_delay - shape.delay;
    let later = |field: &str, value: &Expr| delay_by(m, &format!("traced_{field}"), value, cycles);
    let x = &slots.0[0].path;
    let context = ContextPorts {
        valid: flag_delay_by(m, "traced_outcome", &outcome.valid, cycles),
        warp: later("warp", &outcome.warp),
        slot: later("slot", &outcome.slot),
        x_valid: later("valid", &x.valid),
        x_pc: later("pc", &x.pc),
        x_depth: later("depth", &x.depth),
        x_mask: later("mask", &x.mask),
        x_parked: later("parked", &x.parked),
    };
    Traced::of(shape, &context).outputs(m, "");
    let trace = Traced::<UnitPorts<Expr>>::from_instance(unit, shape, "trace");
    let (moves, exchange) = (&trace.0.moves, &trace.0.exchange);
    let found = [
        ("a_row_goes_to_the_cold_table", moves.inserts.clone()),
        ("a_row_comes_from_the_cold_table", moves.extracts.clone()),
        ("a_path_yields", moves.yields.clone()),
        ("a_push", moves.pushes.clone()),
        ("a_pop", moves.pops.clone()),
        ("rows_change_places", &exchange.valid & !&exchange.merges & !&exchange.folds),
        ("a_row_is_merged", &exchange.valid & &exchange.merges),
        ("a_row_is_folded", &exchange.valid & &exchange.folds),
    ];
    points(m, shape, &found);
    trace.outputs(m, "");
}

/// The outputs of a unit for a slot after S8.
struct Slot {
    path: Path,
    gives_way: Expr,
}

impl Slot {
    fn of(shape: &Shape, unit: &Instance, name: &str) -> Self {
        let output = |port: &str| unit.output_as(&format!("{port}_{name}"), &format!("{port}_{name}"));
        Self { path: Path::build(shape, &mut |field, _| output(field)), gives_way: output("gives_way") }
    }
}

struct Slots(Vec<Slot>);

impl Slots {
    fn of(shape: &Shape, unit: &Instance) -> Self {
        Self(SLOTS[..shape.slots].iter().map(|name| Slot::of(shape, unit, name)).collect())
    }

    fn each(&self, of: &dyn Fn(&Slot) -> Expr) -> Expr {
        join(self.0.iter().map(of))
    }
}
