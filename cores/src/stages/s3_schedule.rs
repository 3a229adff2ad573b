//! S3, schedule: picks one ready instruction a cycle.
//!
//! Enters: predecoded instructions (S2), resteers (S8), registers written (S6, S8, S9), places returned by the memory
//! side. Leaves: the instruction for S4. Nothing after S3 ever stalls: a memory instruction issues only when a place in
//! the request queue, and for a load a tag, is reserved for it. A write-port bubble asked for by S9 suppresses one
//! issue.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, clog2, decode, join, ones, select_one_hot, zeros,
};
use weft_trace::IssuePorts;

use super::context::{Fetch, Written, contexts_of, join_context, split_context};
use super::resource::{REQUEST, Reservations, Resource, resources};
use super::s3_context::{self, Needs};
use super::s3_scoreboard::{self, Started};
use crate::formal::points;
use crate::shape::{BUFFER, PATIENCE, PC, Shape};
use crate::signals::{Hazards, Meta};
use crate::trace::Traced;

/// Elaborates the stage.
pub fn elaborate(shape: &Shape, round_robin: &Module) -> Result<Module, ElaborationError> {
    let context_module = s3_context::elaborate(shape)?;
    let contexts = shape.contexts();
    let m = Builder::new(
        "s3_schedule",
        "S3, schedule: instruction buffers, scoreboards, and the pick of one ready instruction.",
    );
    m.port_group("control");
    let running = m.input("running", 1);
    let bubble = m.input("bubble", 1);
    let epochs = m.input("epochs", contexts * shape.epoch_bits());
    m.port_group("from S2");
    let fetch = Fetch::inputs(&m, shape, "s2");
    let dead = m.input("dead_s2", 1);
    let word = m.input("word_s2", 32);
    let reconvergence = m.input("reconvergence_s2", shape.reconvergence_bits());
    let predicted = m.input("predicted_s2", PC);
    let fetch_fault = m.input("fetch_fault_s2", 1);
    let hazards = Hazards::inputs(&m, shape, "s2");
    let reserved = Reservations::inputs(&m, shape, "reserved_s2");
    m.port_group("resteer, decided in S8 in the cycle before");
    let flush = m.input("resteer_valid", shape.slots);
    let flush_warp = m.input("resteer_warp", shape.warps);
    if shape.slots > 1 {
        m.port_group("S8: late results of these slots of a warp are those of threads that go on in the other");
    }
    let shadows = m.input("shadows_s8", shape.slot_mask_bits());
    let shadow_warp = m.input("shadow_warp_s8", if shape.slots > 1 { shape.warp_bits() } else { 0 });
    m.port_group("replay record: the slot's path stands, whole, at a load that is partly served");
    let record = ReplayRecord::inputs(&m, shape, "record");
    m.port_group("start: clears the counts of late results");
    let start_valid = m.input("start_valid", 1);
    let start_row = m.input("start_row", 5 + shape.warp_bits());
    m.port_group("a late result is written or called off");
    let late = Written::inputs(&m, shape, "late");
    m.port_group("what was reserved is free again, or was not used");
    let freed = Reservations::inputs(&m, shape, "freed");
    let unused = Reservations::inputs(&m, shape, "unused_s8");
    let memory_idle = m.input("memory_idle", usize::from(shape.posts_stores));

    let flush_one = m.wire("flush_one", &contexts_of(shape, &flush_warp, &flush));
    m.comment("Replay records: while one stands, what comes from S2 for its context is the load again.");
    let records = m.register("records", contexts);
    let record_one = m.wire("record_one", &decode(&record.context, contexts).when(&record.valid));
    let dropped = if shape.slots > 1 { &record_one | &flush_one } else { record_one.clone() };
    let record_one_before = m.register("record_one_before", contexts);
    record_one_before.next(&record_one).reset(0);
    let stands = record_one_before.when(&record.stood);
    records.next(&(stands | (&*records & !dropped))).reset(0);
    let record_entries = m.memory("record_entries", contexts, shape.entry_bits(), MemoryStyle::Distributed);
    record_entries.write(&record.valid, &record.context, &record.entry);

    m.comment("Late results.");
    let push = m.wire("push", &(&fetch.valid & !dead));
    let started = Started::forward(&m, shape, "started");
    let scoreboard = m.instance("scoreboard", &s3_scoreboard::elaborate(shape)?);
    scoreboard.input("start_valid", &start_valid).input("start_row", &start_row);
    scoreboard.input("push", &push).input("context_s2", &fetch.context);
    hazards.connect(&scoreboard, "s2");
    reserved.connect(&scoreboard, "reserved_s2");
    scoreboard.input("replays_s2", &records.index(&fetch.context));
    scoreboard.input("replayed_entry_s2", &record_entries.read("record_entry", &fetch.context));
    let follows = m.forward("follows", contexts);
    scoreboard.input("follows_s2", &follows.index(&fetch.context));
    started.connect(&scoreboard, "s4");
    late.connect(&scoreboard, "late");
    if shape.slots > 1 {
        scoreboard.input("shadows_s8", &shadows).input("shadow_warp_s8", &shadow_warp);
    }
    let entry_s2 = scoreboard.net("entry_s2");
    let takes_entry = scoreboard.net("takes_entry_s2");
    let pending = scoreboard.net("pending");
    let shadowed = if shape.slots > 1 { scoreboard.net("shadowed") } else { zeros(0) };

    m.comment("What is lacking: places are reserved at issue, and counted a cycle later.");
    let needs_s4 = m.forward("needs_s4", Needs::bits(shape));
    let valid_s4 = m.register("issued", 1);
    let fence_waits = m.forward("fence_waits", 1);
    let taken = Needs::unpack(shape, &needs_s4).reserved;
    let closes = m.fault("requests_issue_while_a_fence_waits", &fence_waits, &zeros(1));
    let is_request = |resource: &Resource| resource.name == REQUEST.name;
    let places: Vec<(&Resource, Places)> = resources(shape)
        .into_iter()
        .map(|resource| {
            let returned = [&freed.of(resource), &unused.of(resource)];
            let closes = is_request(resource).then_some(&closes);
            let capacity = (resource.capacity)(shape);
            (resource, Places::declare(&m, resource.name, capacity, &taken.of(resource), returned, closes))
        })
        .collect();
    let none = |of: &dyn Fn(&Resource) -> bool| {
        let counts = places.iter().filter(|(resource, _)| of(resource));
        counts.fold(ones(1), |none, (_, places)| none & &places.none)
    };
    let is_idle = m.fault("fence_does_not_wait_for_memory", &memory_idle, &ones(memory_idle.width()));
    let no_requests = none(&is_request);
    let performed = if shape.posts_stores { no_requests & is_idle } else { no_requests };
    let late_idle = none(&|resource| resource.is_late);
    let lacking = places.iter().map(|(_, places)| places.full.clone()).chain([!performed]);
    let lacking = m.wire("lacking", &join(&lacking.collect::<Vec<_>>()));

    m.comment("The contexts.");
    let needs = Needs { reserved: reserved.clone(), no_requests: hazards.is_fence_i.clone() };
    let needs = m.wire("needs_s2", &needs.pack());
    let depends = scoreboard.net("depends_s2");
    let reads_last = scoreboard.net("reads_last_s2");
    let elects = m.wire("elects_s2", &(reserved.of(&REQUEST) | &hazards.is_jalr));
    let grant = m.forward("grant", contexts);
    let pushed = m.wire("pushed", &decode(&fetch.context, contexts).when(&push));
    let mut ports = vec!["ready", "room", "urgent", "read_position", "write_position", "follows", "waits_for_requests"];
    if shape.constrained {
        ports.extend(["issues_late", "waits_late"]);
    }
    if contexts > 1 {
        ports.push("unblocked");
    }
    let held_back = (contexts > 1).then(|| m.register("held_back", contexts));
    let per_context: Vec<Vec<Expr>> = (0..contexts)
        .map(|number| {
            let context = m.instance(&format!("context_{number}"), &context_module);
            context.input("running", &running);
            context.input("push", &pushed.bit(number)).input("picked", &grant.bit(number));
            context.input("needs_s2", &needs).input("depends_s2", &depends).input("reads_last_s2", &reads_last);
            context.input("elects_s2", &elects);
            context.input("flush", &flush_one.bit(number)).input("record", &records.bit(number));
            context.input("record_ends", &record_one.bit(number));
            let sibling = number ^ 1;
            let mut waited_for = pending.lane(number, shape.late_results);
            if shape.slots > 1 {
                context.input("sibling_issues", &(grant.bit(sibling) & !flush_one.bit(sibling)));
                waited_for = join([&waited_for, &shadowed.lane(sibling, shape.late_results)]);
            }
            context.input("pending", &waited_for).input("lacking", &lacking);
            if let Some(held_back) = &held_back {
                context.input("held_back", &held_back.bit(number));
            }
            ports.iter().map(|port| context.output(port)).collect()
        })
        .collect();
    let column = |port: &str| {
        let index = ports.iter().position(|name| *name == port).expect("a port of the context");
        join(per_context.iter().map(|outputs| &outputs[index]))
    };
    let considered = if shape.constrained {
        let enabled = m.input("enabled_contexts", contexts);
        let fences = column("waits_for_requests");
        constrained(&m, shape, &enabled, &column("issues_late"), &column("waits_late"), &fences)
    } else {
        rtl::ones(contexts)
    };
    let ready_but_for_bubble = m.wire("ready_but_for_bubble", &(column("ready") & &considered));
    if let Some(held_back) = &held_back {
        let others = those_beside_who_waits(&m, &(column("unblocked") & &considered), &ready_but_for_bubble);
        held_back.next(&others).reset(0);
    }
    let ready = m.wire("ready", &ready_but_for_bubble.when(&!&bubble));
    let found = [
        ("a_bubble_holds_an_issue_up", &bubble & ready_but_for_bubble.any()),
        ("every_context_waits", column("urgent").none() & ready.none()),
    ];
    points(&m, shape, &found);
    m.drive(&follows, &column("follows"));
    m.drive(&fence_waits, &column("waits_for_requests").any());

    m.comment("Pick.");
    let picker = m.instance("picker", round_robin);
    picker.input("requests", &ready).input("beside", &column("read_position"));
    picker.input("accept", &rtl::ones(1)).output_to("grant", &grant);
    let context = picker.output_as("number", "picked_context");
    let read_position = picker.output_as("beside_grant", "picked_position");
    // A flush would come late to the pick: what is picked of its context does not leave instead.
    let valid = m.wire("valid", &(&grant & !&flush_one).any());
    valid_s4.next(&valid).reset(0);

    m.comment(
        "Buffered words: two for each context, read in S4. A place that is left is written three cycles later at the\n\
         soonest. What an instruction needs must be known to the next pick, and is read at this one.",
    );
    let write_positions = m.wire("write_positions", &column("write_position"));
    let write_row = m.wire("write_row", &join([&write_positions.index(&fetch.context), &fetch.context]));
    let row = m.wire("row", &join([&read_position, &context]));
    let buffer = |name: &str, word: &Expr| {
        let buffer = m.memory(name, BUFFER * contexts, word.width(), MemoryStyle::Distributed);
        buffer.write(&fetch.valid, &write_row, word);
        buffer
    };
    let needs = buffer("buffered_needs", &needs).read("needs", &row);
    let fields = [&word, &fetch.pc, &predicted, &fetch_fault, &takes_entry, &entry_s2, &reconvergence];
    let row_s4 = m.delay("row_s4", &row);
    let entry = buffer("buffer", &join(fields)).read("entry", &row_s4);
    let mut at = 0;
    let [instruction, pc, predicted, fault, takes_entry, entry, reconvergence] = fields.map(|field| {
        at += field.width();
        entry.slice(at - field.width(), field.width())
    });
    if shape.formal {
        m.assert("what_leaves_is_not_overwritten", &!(&*valid_s4 & &fetch.valid & write_row.eq(&row_s4)));
    }

    m.port_group("nothing is on its way to a register");
    m.output("late_idle", &late_idle);
    m.port_group("which contexts have room for a fetch");
    m.output("room", &column("room"));
    m.output("urgent", &column("urgent"));
    m.port_group("the instruction, for S4");
    let (warp, slot) = split_context(shape, &context);
    let meta = Meta {
        valid: valid_s4.q(),
        warp: m.delay("warp", &warp),
        slot: m.delay("slot", &slot),
        entry,
        pc,
        predicted,
        instruction,
        reconvergence,
    };
    meta.outputs(&m, "s4");
    m.drive(&needs_s4, &m.delay("reserves", &needs).when(&valid_s4));
    m.drive(&started.valid, &(&*valid_s4 & takes_entry));
    m.drive(&started.context, &join_context(&meta.warp, &meta.slot));
    m.drive(&started.entry, &meta.entry);
    m.drive(&started.rd, &meta.instruction.slice(7, 5));
    m.output("fetch_fault_s4", &fault);
    m.port_group("the slot's epoch when it was issued, for S8, which compares it while the instruction is in S6");
    m.output("epoch_s4", &m.delay("epoch", &select_one_hot(&grant, &epochs.lanes(shape.epoch_bits()))));
    if shape.trace {
        m.port_group("trace");
        let mut issue = Traced::of(shape, &IssuePorts { valid: valid.clone(), warp: warp.clone(), slot: slot.clone() });
        issue.0.slot = m.fault("reports_issues_of_the_other_slot", &issue.0.slot, &!&issue.0.slot);
        issue.outputs(&m, "s3");
    }
    m.finish()
}

/// The contexts that are to take no places, for the sake of another. The round robin alone would let those above whoever issued
/// last take every place as it becomes free, for ever. All are looked at in turn; the search stays at one that waits for a
/// place and for nothing else, until it issues. If that takes long, the others are held back until then: the places come
/// back, and the round robin, in which the one is ready then, comes to it.
fn those_beside_who_waits(m: &Builder, unblocked: &Expr, ready: &Expr) -> Expr {
    m.comment("One that has waited for a place for long gets the next.");
    let contexts = unblocked.width();
    let looked_at = m.register("looked_at", contexts);
    let waited = m.register("waited", clog2(PATIENCE) + 1);
    let stays = m.register("stays", 1);
    let for_long = waited.bit(clog2(PATIENCE));
    let waits = m.wire("waits", &(&*looked_at & unblocked & (!ready | stays.repeat(contexts))).any());
    stays.next(&waits).reset(0);
    let longer = for_long.mux(&waited, &rtl::increment(&waited, 1));
    waited.next(&longer.when(&waits)).reset(0);
    let next = join([&looked_at.bit(contexts - 1), &looked_at.slice(0, contexts - 1)]);
    looked_at.next(&next).enable(&!&waits).reset(1);
    (!&*looked_at).when(&for_long)
}

/// The contexts that the constrained scheduler considers: of each warp the slot whose turn it is, or the other while that
/// one has nothing to run. The turn goes to the other slot when an instruction with a late result is issued, and when the
/// next one waits for such a result. A `fence.i` is considered whoever's turn it is: accesses wait for it, also those of
/// the slot in turn.
fn constrained(
    m: &Builder,
    shape: &Shape,
    enabled: &Expr,
    issues_late: &Expr,
    waits_for_late: &Expr,
    fences: &Expr,
) -> Expr {
    m.comment("One slot of each warp at a time.");
    let turn = m.register("turn_of_right", shape.warps);
    let slots = |bits: &Expr, warp: usize| [bits.bit(2 * warp), bits.bit(2 * warp + 1)];
    let per_warp = |f: &dyn Fn(usize) -> Vec<Expr>| join(&(0..shape.warps).flat_map(f).collect::<Vec<_>>());
    turn.next(&per_warp(&|warp| {
        let [left_issues, right_issues] = slots(issues_late, warp);
        let [left_waits, right_waits] = slots(waits_for_late, warp);
        let right_keeps = turn.bit(warp) & !right_issues & !right_waits;
        vec![left_issues | (!turn.bit(warp) & left_waits) | right_keeps]
    }))
    .reset(0);
    let in_turn = per_warp(&|warp| {
        let [left, right] = slots(enabled, warp);
        vec![!turn.bit(warp) | !right, turn.bit(warp) | !left]
    });
    m.wire("considered", &(in_turn | fences))
}

rtl::bundle! {
    /// After each commit, and a cycle later: whether its context is left at a load of which only some lanes were served.
    pub struct ReplayRecord(shape: &Shape) {
        /// Whether an instruction committed.
        valid: 1,
        /// Warp and slot.
        context: shape.context_bits(),
        /// Whether, after the commit of the cycle before, exactly the lanes that were not served are in charge, at the load.
        stood: 1,
        /// The load's entry of the scoreboard.
        entry: shape.entry_bits(),
    }
}

/// A count of reserved places.
struct Places {
    full: Expr,
    none: Expr,
}

impl Places {
    /// One place taken in the cycle before and up to two returned now. What `closes` them, does so from the next cycle on.
    fn declare(
        m: &Builder,
        name: &str,
        capacity: usize,
        taken: &Expr,
        returned: [&Expr; 2],
        closes: Option<&Expr>,
    ) -> Self {
        let width = clog2(capacity + 1);
        let used = m.register(&format!("{name}s_used"), width);
        let returned = join(returned);
        let down = if width == 1 { returned.any() } else { rtl::count_ones(&returned).extend(width) };
        let next = m.wire(&format!("{name}s_used_next"), &((&*used + taken.extend(width)) - down));
        used.next(&next).reset(0);
        let register = |state: &str, now: &Expr, at_reset: bool| {
            let register = m.register(&format!("{name}s_{state}"), 1);
            register.next(now).reset(u64::from(at_reset));
            register.q()
        };
        let is_used_up = |state: &str, count: usize| {
            let used_up = m.fault(&format!("{name}s_{state}_is_low"), &next.is(count as u64), &zeros(1));
            let now = closes.map_or(used_up.clone(), |closes| used_up | closes);
            register(state, &now, count == 0)
        };
        let one_left = capacity - 1;
        let one_left = m.fault(&format!("{name}s_one_left_is_one_too_early"), &one_left, &one_left.saturating_sub(1));
        let all = m.fault(&format!("{name}s_full_is_one_too_late"), &capacity, &(capacity + 1));
        let full = taken.mux(&is_used_up("one_left", one_left), &is_used_up("full", all));
        // Whoever closes places waits for all to come back, in every pick. Elsewhere a register would save no delay that counts.
        let none_before = if closes.is_some() { register("none", &next.none(), true) } else { used.none() };
        Self { full, none: none_before & !taken }
    }
}
