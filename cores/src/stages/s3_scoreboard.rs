//! S3, scoreboard: late results (loads, atomic operations, products, quotients) of all contexts.
//!
//! Each context has a ring of entries. An instruction with a late result is given the next one when it comes from S2
//! and occupies it from its issue until its result is written or called off; it waits until the entry is free. Only
//! what comes from S2 is compared with the registers of its context's entries: it leaves with one bit for each entry it
//! depends on, which mean nothing while the entry is free. The instruction before it may not have issued yet, and its
//! entry then still shows the register before: it is compared apart. Else an entry is taken anew only by a younger
//! instruction, so no bit goes stale.
//!
//! The parts of one scattered load take the same entry, and wait for nothing: nothing younger has issued since its first
//! part found all free. So each entry counts the parts that were started and those that have finished.
//!
//! Issues are noted a cycle later, from S4: a context does not issue in the next cycle, and what is fetched next comes
//! three cycles later at the soonest.
//!
//! Where a warp has two slots, threads pass from one to the other when paths diverge and reconverge. So each entry has a
//! *shadow bit* as well ("The Dual-Path Execution Model for Efficient GPU Control Flow", section 3.2): whether it is that of threads that may go on in
//! the other slot. At such an event the entries in use of the slots concerned are copied to their shadow bits; an
//! instruction is compared with the entries of both slots, and waits for those in use of its own and the shadowed ones
//! of the other. Not copied are the entries of instructions younger than that of the event, then in S4 to S6: those are of
//! threads that stay in their slot, or will be squashed. A slot that threads enter is always restarted, so that what is
//! buffered of it was compared after they had issued.
//!
//! Storage for each context: entries × (1 + 5 + 2 · clog2(T + 1)) + 7 + 2 · clog2(entries) bits, all but the first in
//! LUT RAM.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, clog2, decode, increment, join, lit, ones,
    select, zeros,
};

use super::context::{Written, contexts_of, split_context};
use super::resource::Reservations;
use crate::formal::points;
use crate::shape::Shape;
use crate::signals::Hazards;

rtl::bundle! {
    /// An instruction that has left S3.
    pub struct Started(shape: &Shape) {
        /// Whether there is one with a late result.
        valid: 1,
        /// Warp and slot.
        context: shape.context_bits(),
        /// Its entry.
        entry: shape.entry_bits(),
        /// The register.
        rd: 5,
    }
}

/// Elaborates the scoreboard.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let (contexts, entries) = (shape.contexts(), shape.late_results);
    let m = Builder::new("s3_scoreboard", "S3, scoreboard: late results of all contexts.");
    m.port_group("start: clears the counts");
    let start_valid = m.input("start_valid", 1);
    let start_row = m.input("start_row", 5 + shape.warp_bits());
    m.port_group("from S2: a part of a scattered load that is replayed keeps its entry");
    let push = m.input("push", 1);
    let context = m.input("context_s2", shape.context_bits());
    let hazards = Hazards::inputs(&m, shape, "s2");
    let reserved = Reservations::inputs(&m, shape, "reserved_s2");
    let replays = m.input("replays_s2", 1);
    let replayed_entry = m.input("replayed_entry_s2", shape.entry_bits());
    m.port_group("whether the instruction before has come since the last resteer");
    let follows = m.input("follows_s2", 1);
    m.port_group("S4: a late result is started");
    let started = Started::inputs(&m, shape, "s4");
    m.port_group("a late result is written or called off");
    let late = Written::inputs(&m, shape, "late");
    let shadows = m.input("shadows_s8", shape.slot_mask_bits());
    let shadow_warp = m.input("shadow_warp_s8", if shape.slots > 1 { shape.warp_bits() } else { 0 });

    let style = MemoryStyle::Distributed;
    m.comment("The next entry of each context's ring.");
    let is_late = m.wire("is_late", &reserved.any_late());
    let takes = m.wire("takes_entry", &(&is_late & &hazards.writes_rd));
    let ring = m.memory("ring", contexts, shape.entry_bits(), style);
    let next = ring.read("next_entry", &context);
    ring.write(
        &(&start_valid | (&push & &takes & !&replays)),
        &start_valid.mux(&start_row.slice(0, shape.context_bits()), &context),
        &increment(&next, 1).when(&!&start_valid),
    );
    let entry = m.wire("entry_taken", &replays.mux(&replayed_entry, &next));

    m.comment("The instruction before: it may not stand among the registers yet, so its own number counts.");
    let uses = |register: &Expr| {
        (&hazards.uses_rs1 & hazards.rs1.eq(register)) | (&hazards.uses_rs2 & hazards.rs2.eq(register))
    };
    let touches = |register: &Expr| uses(register) | (&hazards.writes_rd & hazards.rd.eq(register));
    let last = m.memory("last_instructions", contexts, 7 + shape.entry_bits(), style);
    let early = !&is_late & &hazards.writes_rd;
    last.write(&push, &context, &join([&hazards.rd, &takes, &early, &entry]));
    let before = last.read("last_instruction", &context);
    let last_rd = before.slice(0, 5);
    let touches_last = m.wire("touches_last", &touches(&last_rd));
    let last_counts =
        m.fault("compares_with_the_old_register_of_the_last_entry", &(before.bit(5) & follows), &zeros(1));
    let last_one = m.wire("last_one", &decode(&before.from(7), entries).when(&last_counts));

    m.comment("Registers of the late results that have been started.");
    let (warp, slot) = split_context(shape, &context);
    let (started_warp, started_slot) = split_context(shape, &started.context);
    let registers: Vec<Vec<Expr>> = (0..shape.slots)
        .map(|side| {
            let here =
                if shape.slots > 1 { &started.valid & started_slot.is(side as u64) } else { started.valid.clone() };
            let suffix = ["", "_right"][side];
            let of_entry = |number: usize| {
                let registers = m.memory(&format!("registers_{number}{suffix}"), shape.warps, 5, style);
                registers.write(&(&here & started.entry.is(number as u64)), &started_warp, &started.rd);
                registers.read(&format!("register_{number}{suffix}"), &warp)
            };
            (0..entries).map(of_entry).collect()
        })
        .collect();
    let of_slot = |slot: &Expr, number: usize| {
        select(slot, &registers.iter().map(|side| side[number].clone()).collect::<Vec<_>>())
    };
    let touches_own = |number: usize| last_one.bit(number).mux(&touches_last, &touches(&of_slot(&slot, number)));
    let mut touched: Vec<Expr> = (0..entries).map(touches_own).collect();
    if shape.slots > 1 {
        touched.extend((0..entries).map(|number| touches(&of_slot(&!&slot, number))));
    }
    let own = decode(&next, entries).when(&takes);

    m.comment("Parts started and finished.");
    let bits = shape.entry_bits() + shape.context_bits();
    let width = clog2(shape.threads + 1);
    let row = |entry: &Expr, context: &Expr| join([entry, context]);
    let row_s4 = m.wire("row_s4", &row(&started.entry, &started.context));
    let row_late = m.wire("row_late", &row(&late.entry, &late.context));
    let counts = |name: &str, happens: &Expr, row: &Expr| {
        let memory = m.memory(name, contexts * entries, width, style);
        let more = m.wire(&format!("{name}_more"), &increment(&memory.read(&format!("{name}_before"), row), 1));
        memory.write(
            &(&start_valid | happens),
            &start_valid.mux(&start_row.slice(0, bits), row),
            &more.when(&!&start_valid),
        );
        (memory, more)
    };
    let (starts, _) = counts("started", &started.valid, &row_s4);
    let (finishes, finished) = counts("finished", &late.valid, &row_late);
    let is_last = finished.eq(&starts.read("started_of_late", &row_late));
    let last_part = m.wire("last_part", &(m.fault("every_part_counts_as_the_last", &is_last, &ones(1)) & &late.valid));

    m.comment("Entries in use.");
    let one = |row: &Expr, happens: &Expr| decode(row, contexts * entries).when(happens);
    let pending = m.register("occupied", contexts * entries);
    let taken = m.wire("taken", &one(&row_s4, &started.valid));
    let freed = m.wire("freed", &one(&row_late, &last_part));
    pending.next(&(taken | (&*pending & !&freed))).reset(0);
    let shadow = (shape.slots > 1).then(|| {
        m.comment(
            "Shadow bits. What was started after the instruction in S8 is that of threads that stay in their slot.",
        );
        let started_s5 = m.delay("started_s5", &join([&row_s4, &started.valid]));
        let started_s6 = m.delay("started_s6", &started_s5);
        if shape.shows_scoreboard() {
            m.output("younger_rows", &join([&started_s5, &started_s6]));
        }
        let younger = [("younger_s5", &started_s5), ("younger_s6", &started_s6)].map(|(name, started)| {
            let (warp, slot) = split_context(shape, &started.from(shape.entry_bits()).slice(0, shape.context_bits()));
            let here = started.from(bits) & warp.eq(&shadow_warp);
            let row = join([&started.slice(0, shape.entry_bits()), &slot]);
            m.wire(name, &decode(&row, shape.slots * entries).when(&here))
        });
        let older = m.wire("older", &!(&younger[0] | &younger[1])).lanes(entries);
        let shadow = m.register("shadow", contexts * entries);
        let copied = contexts_of(shape, &decode(&shadow_warp, shape.warps), &shadows).lanes(1);
        let copied: Vec<Expr> =
            (0..contexts).map(|context| older[context % shape.slots].when(&copied[context])).collect();
        let stays = m.fault("a_shadow_outlives_its_result", &!&freed, &ones(freed.width()));
        shadow.next(&((&*shadow | (&*pending & join(&copied))) & stays)).reset(0);
        let cast = &*pending & join(&copied);
        let younger = (&younger[0] | &younger[1]).lanes(entries);
        let spared = (0..shape.slots).map(|slot| younger[slot].any() & shadows.bit(slot));
        let found = [
            ("results_of_one_slot_are_shadowed", cast.any() & !shadows.all()),
            ("results_of_both_slots_are_shadowed", cast.any() & shadows.all()),
            ("a_younger_result_is_not_shadowed", join(&spared.collect::<Vec<_>>()).any()),
            ("a_shadow_ends_with_its_result", (&*shadow & &freed).any()),
            ("a_shadow_is_cast_as_its_result_ends", (&cast & &freed).any()),
            ("a_shadow_is_cast_twice", (&cast & &*shadow).any()),
        ];
        points(&m, shape, &found);
        shadow.q()
    });

    m.port_group("for S3: the entry of the instruction from S2, and what it depends on");
    m.output("entry_s2", &entry);
    m.output("takes_entry_s2", &takes);
    m.output("depends_s2", &(join(&touched) | own.extend(shape.slots * entries)).when(&!&replays));
    let reads_last = m.fault("ignores_reads_of_the_last_result", &(before.bit(6) & uses(&last_rd)), &zeros(1));
    m.output("reads_last_s2", &reads_last);
    m.port_group("late results under way, by context and entry");
    m.output("pending", &pending);
    if let Some(shadow) = shadow {
        m.output("shadowed", &shadow);
    }
    if shape.shows_scoreboard() {
        m.port_group("for a proof: the parts counted, registers and last instructions of the one warp");
        let count = |memory: &Memory, name: &str, row: usize| {
            memory.inspect(&format!("{name}_row_{row}"), &lit(bits, row as u64))
        };
        let counts =
            (0..contexts * entries).map(|row| (count(&starts, "started", row), count(&finishes, "finished", row)));
        let counts: Vec<(Expr, Expr)> = counts.collect();
        let compare =
            |step: u64| join(&counts.iter().map(|(one, two)| one.eq(&increment(two, step))).collect::<Vec<_>>());
        m.output("all_finished", &compare(0));
        m.output("one_unfinished", &compare(1));
        m.output("registers_held", &join(&registers.concat()));
        let last = (0..contexts)
            .map(|context| last.inspect(&format!("last_of_{context}"), &lit(shape.context_bits(), context as u64)));
        m.output("last_held", &join(&last.collect::<Vec<_>>()));
    }
    m.finish()
}
