//! The scoreboard of a warp of two slots, whose threads pass from one slot to the other.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, decode, join, lit, ones, select, zeros};

use crate::shape::Shape;
use crate::signals::Hazards;
use crate::stages::context::Written;
use crate::stages::resource::Reservations;
use crate::stages::s3_context::{self, Needs};
use crate::stages::s3_scoreboard::{self, Started};

rtl::bundle! {
    /// An instruction from S4 to S8.
    struct Flying(shape: &Shape) {
        /// There is one.
        valid: 1,
        /// Its slot has been restarted since it was fetched.
        stale: 1,
        /// Its slot.
        slot: shape.slot_bits(),
        /// Its entry of the scoreboard.
        entry: shape.entry_bits(),
        /// Its result comes late.
        takes: 1,
        /// It writes the watched register.
        writes: 1,
        /// It reads or writes the watched register.
        touches: 1,
        /// It was issued before a result of the thread for that register was there.
        hazard: 1,
    }
}

rtl::bundle! {
    /// An instruction that waits in S3.
    struct Waiting(shape: &Shape) {
        /// Its entry of the scoreboard.
        entry: shape.entry_bits(),
        /// Its result comes late.
        takes: 1,
        /// The register that it writes.
        rd: 5,
        /// It writes the watched register.
        writes: 1,
        /// It reads or writes the watched register.
        touches: 1,
    }
}

/// The scoreboard and the two contexts of one warp, what the pipeline does with their instructions, and where one thread
/// is: a module for a proof.
///
/// All inputs are free; `watched_register` is any register, the same at all times, and the thread is any. Scattered loads
/// that are served in parts are left out. The proof holds `rst` in the first cycle.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let (slots, entries) = (shape.slots, shape.late_results);
    let all = slots * entries;
    let m = Builder::new(
        "scoreboard_proof",
        "The scoreboard of one warp of two slots, and a thread that moves between them.",
    );
    m.port_group("what comes from S2, what is picked");
    let register = m.input("watched_register", 5);
    m.assume("one_register_is_watched", &register.eq(&m.delay("watched_register_before", &register)));
    let push = m.input("push", 1);
    let context = m.input("context_s2", shape.context_bits());
    let hazards = Hazards::inputs(&m, shape, "s2");
    let reserved = Reservations::inputs(&m, shape, "reserved_s2");
    let elects = m.input("elects_s2", 1);
    let picked = m.input("picked", slots);
    m.port_group(
        "S7: it is on its path. S8: what becomes of the paths and of the thread; which slots are fetched anew",
    );
    let commits = m.input("commits_s7", 1);
    let pops = m.input("pops_s8", 1);
    let diverges = m.input("diverges_s8", 1);
    let restarts = m.input("restarts_s8", slots);
    let goes_to = m.input("thread_slot", 1);
    let goes_on = m.input("thread_runs", 1);
    m.port_group("a late result is written or called off");
    let late = Written::inputs(&m, shape, "late");
    let flag = |name: &str, next: &Expr| {
        let register = m.register(name, next.width());
        register.next(next).reset(0);
        register.q()
    };
    let of_context = |context: &Expr, happens: &Expr| decode(context, slots).when(happens);

    m.comment("The scoreboard and the contexts.");
    let scoreboard = m.instance("scoreboard", &s3_scoreboard::elaborate(shape)?);
    let pushed = m.wire("pushed", &of_context(&context, &push));
    let started = Started::forward(&m, shape, "started");
    let event = m.forward("resolves", 1);
    let slot_s8 = m.forward("slot_s8", shape.slot_bits());
    let own = m.wire("own_slot", &decode(&slot_s8, slots));
    let popped = (&pops & &event).repeat(slots);
    let popped = m.fault("a_pop_shadows_its_own_slot_alone", &popped, &(&popped & &own));
    let diverged = own.when(&(&diverges & &event));
    let diverged = m.fault("a_divergence_shadows_nothing", &diverged, &zeros(slots));
    let shadows = m.wire("shadows", &(popped | diverged));
    let restarted_now = m.wire("restarted_now", &restarts.when(&event));
    let flush = flag("flush", &restarted_now);
    let goes = m.fault("a_slot_issues_while_it_is_flushed", &!&flush, &ones(slots));
    let issue = m.wire("issue", &(&picked & goes));
    scoreboard.input("start_valid", &zeros(1)).input("start_row", &zeros(5 + shape.warp_bits()));
    scoreboard.input("push", &push).input("context_s2", &context).input("replays_s2", &zeros(1));
    scoreboard.input("replayed_entry_s2", &zeros(shape.entry_bits()));
    hazards.connect(&scoreboard, "s2");
    reserved.connect(&scoreboard, "reserved_s2");
    started.connect(&scoreboard, "s4");
    late.connect(&scoreboard, "late");
    scoreboard.input("shadows_s8", &shadows).input("shadow_warp_s8", &zeros(shape.warp_bits()));
    let follows = m.forward("follows", slots);
    scoreboard.input("follows_s2", &follows.index(&context));
    let output = |name: &str| scoreboard.net(name);
    let (entry, takes) = (output("entry_s2"), output("takes_entry_s2"));
    let (pending, shadowed) = (output("pending"), output("shadowed"));
    let (depends, reads_last) = (output("depends_s2"), output("reads_last_s2"));
    let uses = |used: &Expr, number: &Expr| used & number.eq(&register);
    let touches = uses(&hazards.uses_rs1, &hazards.rs1)
        | uses(&hazards.uses_rs2, &hazards.rs2)
        | uses(&hazards.writes_rd, &hazards.rd);
    let word = Waiting {
        entry,
        rd: hazards.rd.clone(),
        writes: &takes & uses(&hazards.writes_rd, &hazards.rd),
        takes,
        touches: m.wire("touches_s2", &touches),
    }
    .pack();
    let context_module = s3_context::elaborate(shape)?;
    let ports =
        ["ready", "room", "follows", "read_position", "write_position", "present_now", "full_now", "depends_held"];
    let contexts: Vec<Vec<Expr>> = (0..slots)
        .map(|slot| {
            let name = ["left", "right"][slot];
            let instance = m.instance(name, &context_module);
            instance.input("push", &pushed.bit(slot)).input("picked", &picked.bit(slot));
            instance.input("elects_s2", &elects);
            instance.input("needs_s2", &zeros(Needs::bits(shape))).input("lacking", &zeros(Needs::bits(shape)));
            instance.input("running", &ones(1)).input("record_ends", &zeros(1));
            if shape.contexts() > 1 {
                instance.input("held_back", &zeros(1));
            }
            instance.input("depends_s2", &depends).input("reads_last_s2", &reads_last);
            let flushed = m.fault(&format!("the_{name}_buffer_is_not_flushed"), &flush.bit(slot), &zeros(1));
            instance.input("flush", &flushed).input("record", &zeros(1));
            instance.input("sibling_issues", &issue.bit(slot ^ 1));
            let shadows = shadowed.lane(slot ^ 1, entries);
            let shadows = m.fault(&format!("the_{name}_slot_ignores_shadows"), &shadows, &zeros(entries));
            instance.input("pending", &join([&pending.lane(slot, entries), &shadows]));
            ports.iter().map(|port| instance.output_as(port, &format!("{port}_{name}"))).collect()
        })
        .collect();
    let column = |port: usize| join(contexts.iter().map(|outputs| &outputs[port]));
    m.drive(&follows, &column(2));
    let words: Vec<Vec<Expr>> = (0..slots)
        .map(|slot| {
            let name = ["left", "right"][slot];
            (0..2u64)
                .map(|position| {
                    let here = &pushed.bit(slot) & contexts[slot][4].is(position);
                    let held = m.register(&format!("word_{name}_{position}"), word.width());
                    held.next(&word).enable(&here);
                    held.q()
                })
                .collect()
        })
        .collect();
    let heads: Vec<Expr> = (0..slots).map(|slot| select(&contexts[slot][3], &words[slot])).collect();

    m.comment("What the pipeline sees to.");
    let flushed_before = flag("flushed_before", &flush);
    let pushed_before = flag("pushed_before", &pushed);
    let pushed_earlier = flag("pushed_earlier", &pushed_before);
    let too_early = &flushed_before | &pushed_before | &pushed_earlier;
    m.assume("a_fetch_takes_three_cycles", &(&pushed & too_early).none());
    let room_before = m.delay("room_before", &(column(1) | &flush));
    let room_earlier = m.delay("room_earlier", &room_before);
    m.assume("a_fetch_finds_room", &(&pushed & !&room_earlier).none());
    m.assume("what_is_picked_is_ready", &(&picked & !column(0)).none());
    m.assume("one_is_picked_at_a_time", &!picked.all());

    m.comment("From S4 to S8.");
    let issued = m.wire("issued", &issue.any());
    let slot = m.wire("slot_s3", &issue.bit(1));
    let head = Waiting::unpack(shape, &m.wire("head", &select(&slot, &heads)));
    let in_use = m.register("in_use", all);
    let of_register = m.register("of_register", all);
    let past = m.register("past_s7", all);
    let executed = m.register("executed_late", all);
    let executes_writing = m.forward("executes_writing", 1);
    let mine = m.wire("results_of_the_thread", &(&*in_use & &*of_register & &*past & &*executed));
    let mut stage = Flying {
        valid: issued.clone(),
        stale: lit(1, 0),
        slot: slot.clone(),
        entry: head.entry.clone(),
        takes: head.takes.clone(),
        writes: head.writes.clone(),
        touches: head.touches.clone(),
        hazard: &head.touches & mine.any(),
    };
    let mut stages: Vec<Flying> = Vec::new();
    for name in ["s4", "s5", "s6", "s7", "s8"] {
        let valid = flag(&format!("valid_{name}"), &stage.valid);
        let behind = Flying {
            stale: &stage.stale | restarted_now.index(&stage.slot),
            hazard: &stage.hazard | (&stage.touches & &executes_writing),
            ..stage
        };
        stage = behind.delay(&m, shape, &format!("{name}_was"));
        stage.valid = valid;
        stages.push(stage.clone());
    }
    let [s4, s5, s6, s7, s8] = [0, 1, 2, 3, 4].map(|stage| stages[stage].clone());
    m.assume("issues_keep_their_distance", &!(&issued & &s4.valid));
    m.drive(&started.valid, &(&s4.valid & &s4.takes));
    m.drive(&started.context, &s4.slot);
    m.drive(&started.entry, &s4.entry);
    let rd_s4 = m.delay("rd_s4", &head.rd);
    m.drive(&started.rd, &rd_s4);
    m.drive(&slot_s8, &s8.slot);
    m.drive(&event, &(&s8.valid & !&s8.stale));

    m.comment("The thread: in which slot it runs, or ran last.");
    let stands = m.register("stands", 1);
    let runs = m.register("runs", 1);
    let here = m.wire("it_runs_in_s8", &(&*runs & stands.eq(&slot_s8)));
    let moves = goes_to.ne(&stands);
    stands.next(&goes_to).enable(&event).reset(0);
    runs.next(&goes_on).enable(&event);
    let restarted = restarts.index(&goes_to);
    let free = |name: &str, condition: Expr| m.assume(name, &(!&event | condition));
    free("a_row_is_popped_or_pushed", !(&pops & &diverges));
    free("a_row_is_popped_when_its_other_side_is_gone", !&pops | !&*runs | &here);
    free("a_thread_changes_slots_where_paths_part_or_meet", !&moves | &pops | (&diverges & &here));
    free("a_slot_that_threads_enter_is_restarted", !&moves | &restarted);
    free("a_thread_that_waits_stays_where_it_ran", !&moves | &goes_on);
    free("a_thread_that_waits_runs_after_a_pop", !&goes_on | &*runs | &pops);
    free("a_thread_leaves_by_its_own_path_or_under_a_push", &goes_on | !&*runs | &here | &diverges);
    free("the_other_slot_is_restarted_where_paths_part_or_meet", &pops | &diverges | (&restarts & !&own).none());

    m.comment("What has been issued, and what of it the thread has executed.");
    let one = |slot: &Expr, entry: &Expr, happens: &Expr| decode(&join([entry, slot]), all).when(happens);
    let taken = m.wire("taken", &one(&slot, &head.entry, &(&issued & &head.takes)));
    let finished = m.wire("finished", &one(&late.context, &late.entry, &late.valid));
    in_use.next(&(&taken | (&*in_use & !&finished))).reset(0);
    of_register.next(&((&taken & head.writes.repeat(all)) | (&*of_register & !&taken)));
    let resolved = one(&s7.slot, &s7.entry, &(&s7.valid & &s7.takes));
    past.next(&((&resolved | &*past) & !&taken)).reset(0);
    m.assume("a_result_comes_once_and_after_s7", &(&finished & !(&*in_use & &*past)).none());
    let executes =
        m.wire("the_thread_executes_it", &(&s7.valid & !&s7.stale & &commits & &*runs & stands.eq(&s7.slot)));
    m.drive(&executes_writing, &(&executes & &s7.writes));
    executed.next(&(resolved.when(&executes_writing) | (&*executed & !&resolved))).reset(0);
    m.assert("no_register_is_touched_before_it_is_written", &!(&executes & &s7.hazard));
    m.assert("an_entry_that_is_taken_is_free", &(&taken & &*in_use).none());

    m.comment("What makes that inductive: of the entries.");
    m.assert("s4_writes_its_register", &(!&started.valid | s4.writes.eq(&rd_s4.eq(&register))));
    let starting = one(&s4.slot, &s4.entry, &(&s4.valid & &s4.takes));
    m.assert("entries_in_use_are_those_under_way", &in_use.eq(&(&pending | &starting)));
    m.assert("what_starts_was_not_under_way", &(&starting & &pending).none());
    m.assert("only_entries_in_use_have_shadows", &(&shadowed & !&pending).none());
    let (agree, one_more) = (output("all_finished"), output("one_unfinished"));
    let settled = m.register("settled", 1);
    settled.next(&lit(1, 1)).reset(0);
    let before = output("younger_rows");
    let row_of = |stage: &Flying| join([&stage.entry, &stage.slot, &(&stage.valid & &stage.takes)]);
    let row_bits = shape.entry_bits() + shape.slot_bits();
    let same_rows = [(&s5, 0), (&s6, 1)].map(|(stage, place)| {
        let row = before.lane(place, row_bits + 1);
        let there = &stage.valid & &stage.takes;
        row.bit(row_bits).eq(&there) & (!&there | row.eq(&row_of(stage)))
    });
    let started_rows = join(&same_rows).all();
    m.assume("nothing_is_under_way_at_the_start", &(&*settled | (agree.all() & &started_rows)));
    m.assert("parts_are_counted", &(agree.eq(&!&pending) & (&pending & !&one_more).none()));
    m.assert("younger_entries_are_known", &started_rows);
    let held: Vec<Expr> = output("registers_held").lanes(5).iter().map(|held| held.eq(&register)).collect();
    let differs = &pending & (join(&held) ^ &*of_register);
    m.assert("entries_have_their_registers", &differs.none());
    for slot in 0..slots {
        let side = ["left", "right"][slot];
        let elsewhere = stands.ne(&lit(1, slot as u64));
        let unshadowed = mine.lane(slot, entries) & !shadowed.lane(slot, entries);
        m.assert(&format!("what_the_thread_waits_for_on_the_{side}_casts_a_shadow"), &!(elsewhere & unshadowed.any()));
    }

    m.comment("Of what is between S4 and S7.");
    let of_entry = |stage: &Flying, bits: &Expr| bits.index(&join([&stage.entry, &stage.slot]));
    for (number, stage) in stages[..4].iter().enumerate() {
        let name = ["s4", "s5", "s6", "s7"][number];
        let late = &stage.valid & &stage.takes;
        let has = of_entry(stage, &in_use) & !of_entry(stage, &past) & of_entry(stage, &of_register).eq(&stage.writes);
        m.assert(&format!("{name}_has_its_entry"), &(!late | has));
        m.assert(&format!("{name}_writes_late"), &(!&stage.writes | &stage.takes | !&stage.valid));
        let hazard = &stage.valid & !&stage.stale & &stage.hazard & stands.eq(&stage.slot);
        m.assert(&format!("{name}_has_waited"), &!hazard);
        for (more, older) in stages[number + 1..4].iter().enumerate() {
            let older_name = ["s4", "s5", "s6", "s7"][number + 1 + more];
            let both = &stage.valid & &older.valid & stage.slot.eq(&older.slot);
            let share = &both & &stage.takes & &older.takes & stage.entry.eq(&older.entry);
            m.assert(&format!("{name}_and_{older_name}_have_entries_of_their_own"), &!share);
            m.assert(&format!("{name}_does_not_need_{older_name}"), &!(&both & &stage.touches & &older.writes));
            if more == 0 {
                m.assert(&format!("{name}_and_{older_name}_keep_their_distance"), &!(&stage.valid & &older.valid));
            }
        }
    }
    m.assert("s7_and_s8_keep_their_distance", &!(&s7.valid & &s8.valid));

    m.comment("Of what waits in S3.");
    let lost = (&room_before & !&pushed_before) | (&room_earlier & !(&pushed_before | &pushed_earlier));
    m.assert("room_stays_until_a_push", &(!&*settled | (lost & !column(1)).none()));
    m.assert("nothing_waits_at_the_start", &(&*settled | (column(5) | column(6)).none()));
    m.assert("there_is_room_for_a_second_word", &(!&*settled | column(1).eq(&!column(6))));
    let emptied = decode(&s4.slot, slots).when(&s4.valid) & &room_earlier & !(&pushed_before | &pushed_earlier);
    m.assert("what_was_alone_leaves_nothing_behind", &(emptied & column(5)).none());
    let last = output("last_held");
    for slot in 0..slots {
        let side = ["left", "right"][slot];
        let [present, full, read_at, write_at] = [5, 6, 3, 4].map(|port| contexts[slot][port].clone());
        let position = full.eq(&(&present & read_at.eq(&write_at))) & (&present | (!&full & read_at.eq(&write_at)));
        m.assert(&format!("the_{side}_buffer_is_one_or_two"), &position);
        m.assert(&format!("the_{side}_buffer_follows"), &(!&present | &contexts[slot][2]));
        let [own_entries, other_entries] = [slot, slot ^ 1];
        let own_needed = &in_use.lane(own_entries, entries) & of_register.lane(own_entries, entries);
        let others = mine.lane(other_entries, entries).when(&stands.is(slot as u64));
        let held = |number: usize| Waiting::unpack(shape, &words[slot][number]);
        for number in 0..2 {
            let word = held(number);
            let first = m.wire(&format!("{side}_{number}_is_first"), &(&present & read_at.is(number as u64)));
            let second = m.wire(&format!("{side}_{number}_is_second"), &(&full & read_at.is(1 - number as u64)));
            let valid = &first | &second;
            let [head, behind] = [0, 1].map(|place| contexts[slot][7].lane(place, slots * entries));
            let depends = first.mux(&head, &behind);
            let (on_own, on_others) = (depends.slice(0, entries), depends.from(entries));
            let ahead = held(1 - number);
            let of_ahead = decode(&ahead.entry, entries).when(&(&second & &ahead.takes));
            let missed = (&own_needed & !&of_ahead & !&on_own) | (of_ahead.when(&ahead.writes) & !&on_own);
            let name = format!("{side}_{number}");
            m.assert(
                &format!("{name}_writes_late"),
                &(word.writes.eq(&(&word.takes & word.rd.eq(&register))) | !&valid),
            );
            m.assert(&format!("{name}_needs_what_is_before_it"), &!(&valid & &word.touches & missed.any()));
            m.assert(
                &format!("{name}_needs_what_the_other_slot_left"),
                &!(&valid & !flush.bit(slot) & &word.touches & (&others & !on_others).any()),
            );
            let own_entry = (decode(&word.entry, entries) & !&on_own).any();
            m.assert(&format!("{name}_needs_its_entry"), &!(&valid & &word.takes & own_entry));
            let last = last.lane(slot, 7 + shape.entry_bits());
            let youngest = &second | (&first & !&full);
            let same = last.bit(5).eq(&word.takes)
                & (!&word.takes | (last.slice(0, 5).eq(&word.rd) & last.from(7).eq(&word.entry)));
            m.assert(&format!("{name}_came_last"), &(!youngest | same));
        }
        let last = last.lane(slot, 7 + shape.entry_bits());
        let entry = join([&last.from(7), &lit(1, slot as u64)]);
        let cut_off = &s4.valid & s4.slot.is(slot as u64) & !&contexts[slot][2] & !flushed_before.bit(slot);
        m.assert(&format!("the_{side}_slot_follows_unless_it_is_flushed"), &!cut_off);
        let alone = &s4.valid & s4.slot.is(slot as u64) & &contexts[slot][2] & !&present;
        let it = last.bit(5).eq(&s4.takes) & (!&s4.takes | last.from(7).eq(&s4.entry));
        m.assert(&format!("the_{side}_slot_knows_what_is_in_s4"), &(!alone | it));
        let issued_last = &contexts[slot][2] & !present & last.bit(5) & in_use.index(&entry);
        let right = of_register.index(&entry).eq(&last.slice(0, 5).eq(&register));
        m.assert(&format!("the_{side}_slot_knows_what_came_last"), &(!issued_last | right));
    }
    m.cover(
        "a_result_is_waited_for_in_the_other_slot",
        &(&executes & &s7.touches & &s7.slot & (executed.lane(0, entries) & of_register.lane(0, entries)).any()),
    );
    m.finish()
}
