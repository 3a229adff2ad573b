//! S8, context: the divergence unit takes the outcome, and the front end is resteered if it predicted otherwise.
//!
//! Enters: the outcome of S7. Leaves: the path in charge, resteers for S0 and S3, the epochs. Also here: the barrier,
//! which counts the threads that have arrived and those that live, and releases when they are as many. Never stalls.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, Instance, Module, clog2, count_ones, decode, join, lit, ones, zeros,
};
use weft_trace::{ContextPorts, UnitPorts};

use super::context::{contexts_of, join_context};
use super::s0_steer::{Resteer, Stand};
use super::s3_schedule::ReplayRecord;
use crate::divergence::SLOTS;
use crate::formal::{Rules, Watched, points, rules};
use crate::shape::{PC, Shape};
use crate::signals::{Path, Resolve, delay_by, flag_delay_by};
use crate::trace::Traced;

/// Elaborates the stage around a divergence unit.
pub fn elaborate(shape: &Shape, unit: &Module) -> Result<Module, ElaborationError> {
    let barrier_module = barrier(shape)?;
    let contexts = shape.contexts();
    let m = Builder::new("s8_context", "S8, context: divergence unit, resteer, epochs, barrier.");
    m.port_group("start");
    let start_valid = m.input("start_valid", 1);
    let start_warp = m.input("start_warp", shape.warp_bits());
    m.port_group("instructions in S6 and S7");
    let warp_s6 = m.input("warp_s6", shape.warp_bits());
    let slot_s6 = m.input("slot_s6", shape.slot_bits());
    let epoch_s6 = m.input("epoch_s6", shape.epoch_bits());
    let warp_s7 = m.input("warp_s7", shape.warp_bits());
    let slot_s7 = m.input("slot_s7", shape.slot_bits());
    m.port_group("outcome of S7");
    let resolve = Resolve::inputs(&m, shape, "s8");
    let predicted = m.input("predicted_s8", PC);
    let fence_i = m.input("fence_i_s8", 1);
    let load = m.input("load_s8", 1);
    let entry = m.input("entry_s8", shape.entry_bits());

    m.comment("The outcome, when the path in charge after it is known.");
    let delay = shape.delay;
    let outcome = resolve.later(&m, shape, delay);
    let predicted = delay_by(&m, "predicted", &predicted, delay);
    let fence_i = delay_by(&m, "fence_i", &fence_i, delay);
    let load = delay_by(&m, "load", &load, delay);
    let entry = delay_by(&m, "entry", &entry, delay);

    let leaves = if shape.formal && shape.reconverges {
        m.port_group("S7, for the rules: the path gives way, at a `ret` or anywhere");
        m.input("leaves_s7", 1)
    } else {
        zeros(0)
    };

    let barrier = m.instance("barrier", &barrier_module);
    outcome.connect(&barrier, "s8");
    let generation = barrier.net("generation");
    let release = barrier.net("barrier_release");
    let all_ended = barrier.net("all_ended");

    let unit = m.instance("unit", unit);
    unit.input("start_valid", &start_valid).input("start_warp", &start_warp).input("generation", &generation);
    unit.input("warp_s6", &warp_s6).input("slot_s6", &slot_s6).input("warp_s7", &warp_s7).input("slot_s7", &slot_s7);
    resolve.connect(&unit, "s8");
    let validate = Path::build(shape, &mut |field, _| unit.output_as(&format!("{field}_s7"), &format!("path_{field}")));
    let gave_way = unit.net("gives_way_s7");
    let slots: Vec<Slot> = SLOTS[..shape.slots].iter().map(|name| Slot::of(shape, &unit, name)).collect();

    if shape.formal {
        let rules = rules(shape, Rules::Assert)?;
        m.comment("The rules that the proofs of the unit take for granted, for each warp.");
        for warp in 0..shape.warps {
            let watcher = m.instance(&format!("rules_{warp}"), &rules);
            watcher.input("watched", &lit(shape.warp_bits(), warp as u64));
            watcher.input("watched_thread", &zeros(shape.lane_bits()));
            watcher.input("start_valid", &start_valid).input("start_warp", &start_warp);
            watcher.input("generation", &generation);
            watcher.input("warp_s6", &warp_s6).input("slot_s6", &slot_s6);
            watcher.input("warp_s7", &warp_s7).input("slot_s7", &slot_s7);
            resolve.connect(&watcher, "s8");
            validate.connect(&watcher, "s7");
            watcher.input("gives_way_s7", if shape.reconverges { &leaves } else { &gave_way });
            if warp == 0 {
                Watched::from_instance(&watcher, shape, "watched").connect(&unit, "watched");
            }
        }
    }

    m.comment("Resteer whenever the path in charge is not where the front end went on.");
    let each_slot = |f: &dyn Fn(&Slot) -> Expr| join(&slots.iter().map(f).collect::<Vec<_>>());
    let goes_on = m.wire("goes_on", &each_slot(&|Slot { path, gives_way }| &path.valid & !&path.parked & !gives_way));
    let own = if shape.slots > 1 { decode(&outcome.slot, shape.slots) } else { ones(1) };
    let restarts = if shape.slots > 1 { unit.net("restarts") } else { zeros(1) };
    let at_prediction = if shape.compares_prediction {
        unit.input("predicted_s8", &predicted);
        let names = [("at_prediction_x", "at_prediction"), ("at_prediction_y", "at_prediction_right")];
        join(&names[..shape.slots].iter().map(|(port, name)| unit.output_as(port, name)).collect::<Vec<_>>())
    } else {
        each_slot(&|Slot { path, .. }| path.pc.eq(&predicted))
    };
    let fence_i_resteers = m.fault("a_fence_i_does_not_resteer", &fence_i, &zeros(1));
    let follows_prediction = !fence_i_resteers & outcome.rotates.none();
    let as_predicted = &goes_on & at_prediction & follows_prediction.repeat(shape.slots);
    let resteers = m.wire("resteers", &(restarts | (&own & !&as_predicted)).when(&outcome.valid));
    let pcs = each_slot(&|Slot { path, .. }| path.pc.clone());
    let stand = Stand { valid: outcome.valid.clone(), warp: outcome.warp.clone(), pc: pcs };
    let resteered = m.register("resteer", shape.slots);
    resteered.next(&resteers).reset(0);
    let paths = each_slot(&|Slot { path, .. }| path.valid.clone());
    let released = each_slot(&|Slot { path, .. }| &path.valid & &path.parked).when(&release);
    let runs = &goes_on | each_slot(&|slot| slot.gives_way.clone()) | released;
    let resteer = Resteer {
        valid: resteered.q(),
        warp: m.delay("resteer_warp", &decode(&outcome.warp, shape.warps)),
        runs: m.delay("resteer_runs", &runs),
        waits: m.delay("resteer_waits", &paths),
    };

    m.comment("The rest of a partly served load is in charge alone: its next part need not wait for those before.");
    let partial_load = m.wire("partial_load", &(load & outcome.b_mask.any() & outcome.rotates.none()));
    let is_b = || each_slot(&|Slot { path, .. }| path.pc.eq(&outcome.b_pc) & path.mask.eq(&outcome.b_mask));
    let stands = match (shape.reconverges, shape.compares_prediction) {
        // A row waits for the whole of a load.
        (true, _) => partial_load.clone(),
        (false, true) => &partial_load & &goes_on & unit.output_as("is_b_x", "is_b"),
        (false, false) => &partial_load & &goes_on & is_b(),
    };
    let stands = m.wire("rest_stands", &stands);
    if shape.formal {
        let right = stands.eq(&(&partial_load & (&own & &goes_on & is_b()).any()));
        m.assert("it_is_known_whether_the_rest_stands", &(!&outcome.valid | right));
    }
    let record = ReplayRecord {
        valid: outcome.valid.clone(),
        context: join_context(&outcome.warp, &outcome.slot),
        stood: m.delay("record_stands", &stands),
        entry,
    };

    m.comment("Epochs change with the resteer.");
    let changed = m.wire("resteered", &contexts_of(shape, &resteer.warp, &resteer.valid));
    let epochs: Vec<rtl::Register> =
        ["epochs", "epochs_high"][..shape.epoch_bits()].iter().map(|name| m.register(name, contexts)).collect();
    let mut carry = changed.clone();
    for bits in &epochs {
        bits.next(&(&**bits ^ &carry)).reset(0);
        carry = carry & &**bits;
    }

    m.comment(
        "S7 is told whether the epoch of its instruction is the present one. What is between S3 and S7 when its slot is\n\
         resteered is older than that.",
    );
    let context_s6 = join_context(&warp_s6, &slot_s6);
    let [present_epoch, overtaken] =
        [join(&epochs.iter().map(|bits| bits.index(&context_s6)).collect::<Vec<_>>()), changed.index(&context_s6)];
    let was_present = m.delay("epoch_was_present", &(epoch_s6.eq(&present_epoch) & !overtaken));
    let same_warp = m.delay("resteers_warp_s7", &outcome.warp.eq(&warp_s6));
    let is_present = m.wire("epoch_is_present", &(was_present & !(&same_warp & resteer.valid.index(&slot_s7))));

    m.port_group("the path that S7 validates against, and whether its instruction is of the slot's epoch");
    validate.outputs(&m, "s7");
    m.output("path_gives_way", &gave_way);
    if shape.reconverges {
        m.output("path_leaves_at_ret", &unit.output("leaves_at_ret_s7"));
    }
    m.output("epoch_is_present_s7", &is_present);
    let epoch_of = |context| join(&epochs.iter().map(|bits| bits.bit(context)).collect::<Vec<_>>());
    m.output("epochs_now", &join(&(0..contexts).map(epoch_of).collect::<Vec<_>>()));
    m.port_group("where the paths stand, and a cycle later: they are to be fetched from there");
    stand.outputs(&m, "stand");
    resteer.outputs(&m, "resteer");
    if shape.slots > 1 {
        m.output("shadows", &unit.output("shadows").when(&outcome.valid));
    }
    m.port_group("the threads of those paths, for S6");
    m.output("masks", &each_slot(&|Slot { path, .. }| path.mask.clone()));
    if shape.formal {
        // A thread that commits lives and is not parked until its outcome is here. A row of ended threads that is popped
        // commits nothing.
        m.assert("nothing_commits_before_a_release", &!(&release & &outcome.valid & outcome.rotates.none()));
    }
    let own_resteers = &resteers & &own;
    let found = [
        ("a_commit_resteers_its_slot", own_resteers.any() & outcome.rotates.none()),
        ("a_rotation_resteers", own_resteers.any() & outcome.rotates.any()),
        ("a_resteer_to_nothing", (&own_resteers & !&goes_on).any()),
        ("a_fence_resteers", own_resteers.any() & &fence_i),
        ("a_replay_is_recorded", &outcome.valid & &stands),
        ("a_part_that_is_not_alone", &outcome.valid & &partial_load & !&stands),
        ("a_resteer_overtakes_s7", &same_warp & resteer.valid.index(&slot_s7)),
    ];
    points(&m, shape, &found);
    if shape.slots > 1 {
        points(&m, shape, &[("the_other_slot_is_resteered", (&resteers & !&own).any())]);
    }
    m.port_group("replay record, for S3");
    record.outputs(&m, "record");
    m.output("release_barrier", &release);
    m.output("ended", &all_ended);
    if shape.trace {
        m.port_group("trace: the active path after S8, and what else the unit tells");
        let cycles = shape.record_delay - shape.delay;
        let later = |field: &str, value: &Expr| delay_by(&m, &format!("traced_{field}"), value, cycles);
        let x = &slots[0].path;
        let context = ContextPorts {
            valid: flag_delay_by(&m, "traced_outcome", &outcome.valid, cycles),
            warp: later("warp", &outcome.warp),
            slot: later("slot", &outcome.slot),
            x_valid: later("valid", &x.valid),
            x_pc: later("pc", &x.pc),
            x_depth: later("depth", &x.depth),
            x_mask: later("mask", &x.mask),
            x_parked: later("parked", &x.parked),
        };
        Traced::of(shape, &context).outputs(&m, "");
        let trace = Traced::<UnitPorts<Expr>>::from_instance(&unit, shape, "trace");
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
        points(&m, shape, &found);
        trace.outputs(&m, "");
    }
    m.finish()
}

/// What a unit says of a slot after S8.
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

/// The barrier over all live threads of the core.
///
/// Parked threads are not touched by a release: what counts as parked is the generation bit, which flips.
fn barrier(shape: &Shape) -> Result<Module, ElaborationError> {
    let all = shape.warps * shape.threads;
    let bits = clog2(all + 1);
    let m = Builder::new("barrier", "The barrier: released when as many threads have arrived as live.");
    m.port_group("outcome of S7");
    let resolve = Resolve::inputs(&m, shape, "s8");

    let live = m.register("live", bits);
    let arrived = m.register("arrived", bits);
    let generation = m.register("generation_now", 1);
    let count = |mask: &rtl::Expr| count_ones(mask).extend(bits).when(&resolve.valid);
    let ends = m.wire("ends", &count(&resolve.exit_mask));
    let arrives = m.wire("arrives", &count(&resolve.a_mask.when(&resolve.a_parked)));
    let release = m.wire("release_now", &(live.eq(&arrived) & live.any()));
    live.next(&(&*live - &ends)).reset(all as u64);
    arrived.next(&release.mux(&lit(bits, 0), &(&*arrived + &arrives))).reset(0);
    generation.next(&(&*generation ^ &release)).reset(0);

    m.port_group("state");
    m.output("generation", &generation);
    m.output("barrier_release", &release);
    m.output("all_ended", &live.none());
    m.finish()
}
