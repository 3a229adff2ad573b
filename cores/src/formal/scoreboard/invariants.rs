//! The invariants that make the claim about the scoreboard inductive.

use rtl::{Builder, Bundle, Expr, decode, join, lit};

use super::circuit::{Context, SIDES};
use super::flight::Flying;
use super::{Circuit, Fetches, Flight, Inputs, Results, Thread, Waiting};
use crate::shape::Shape;

const STAGES: [&str; 4] = ["s4", "s5", "s6", "s7"];

pub struct Invariants<'a> {
    pub m: &'a Builder,
    pub shape: &'a Shape,
    pub inputs: &'a Inputs,
    pub circuit: &'a Circuit,
    pub fetches: &'a Fetches,
    pub flight: &'a Flight,
    pub thread: &'a Thread,
    pub results: &'a Results,
}

/// A word that a slot buffers, and the entries that it waits for.
struct Buffered {
    word: Waiting,
    /// It is present, as the older of two or alone.
    first: Expr,
    /// It is present, behind the other.
    second: Expr,
    /// The word in the other position.
    ahead: Waiting,
    /// The entries of its own slot that it waits for.
    on_own: Expr,
    /// The entries of the other slot that it waits for.
    on_others: Expr,
}

impl Invariants<'_> {
    pub fn state(&self) {
        let settled = self.entries();
        self.stages();
        self.fetches(&settled);
        let last = self.circuit.scoreboard.net("last_held");
        for slot in 0..self.shape.slots {
            let last = last.lane(slot, 7 + self.shape.entry_bits());
            self.buffer(slot, &last);
            self.last_instruction(slot, &last);
        }
    }

    /// Asserts the invariants of the scoreboard's entries. Returns whether reset is over.
    fn entries(&self) -> Expr {
        let Self { m, shape, circuit, thread, results, .. } = self;
        let Results { in_use, of_register, mine, .. } = results;
        let Circuit { started, pending, shadowed, .. } = circuit;
        let [s4, s5, s6, s7, _] = &self.flight.stages;
        let (register, entries) = (&self.inputs.register, shape.late_results);
        m.comment("Invariants of the entries.");
        let right = s4.writes.eq(&self.flight.rd_s4.eq(register));
        m.assert("s4_writes_its_register", &(!&started.valid | right));
        let starting = s4.one(shape, &s4.is_late());
        m.assert("entries_in_use_are_those_under_way", &in_use.eq(&(pending | &starting)));
        m.assert("what_starts_was_not_under_way", &(&starting & pending).none());
        m.assert("only_entries_in_use_have_shadows", &(shadowed & !pending).none());
        let output = |name: &str| circuit.scoreboard.net(name);
        let (agree, one_more) = (output("all_finished"), output("one_unfinished"));
        let settled = m.register("settled", 1);
        settled.next(&lit(1, 1)).reset(0);
        let before = output("younger_rows");
        let row_bits = shape.entry_bits() + shape.slot_bits();
        let same_rows = [(s5, 0), (s6, 1), (s7, 2)].map(|(stage, place)| {
            let row = before.lane(place, row_bits + 1);
            let there = stage.is_late();
            let same = join([&stage.entry, &stage.slot, &stage.is_late()]);
            row.bit(row_bits).eq(&there) & (!&there | row.eq(&same))
        });
        let started_rows = join(&same_rows).all();
        m.assume("nothing_is_under_way_at_the_start", &(&*settled | (agree.all() & &started_rows)));
        m.assert("parts_are_counted", &(agree.eq(&!pending) & (pending & !&one_more).none()));
        m.assert("younger_entries_are_known", &started_rows);
        let held: Vec<Expr> = output("registers_held").lanes(5).iter().map(|held| held.eq(register)).collect();
        let differs = pending & (join(&held) ^ &**of_register);
        m.assert("entries_have_their_registers", &differs.none());
        for (slot, side) in SIDES.iter().enumerate() {
            let elsewhere = thread.slot.ne(&lit(1, slot as u64));
            let unshadowed = mine.lane(slot, entries) & !shadowed.lane(slot, entries);
            // A shadow is cast while the slot that the thread has entered is emptied.
            let comes = (&unshadowed & !output("casts").lane(slot, entries)).none();
            let comes = comes & circuit.events.flush.bit(slot ^ 1);
            let casts = !elsewhere | unshadowed.none() | comes;
            m.assert(&format!("what_the_thread_waits_for_on_the_{side}_casts_a_shadow"), &casts);
        }
        settled.q()
    }

    /// The instructions between S4 and S7, alone and in pairs.
    fn stages(&self) {
        let Self { m, thread, results, .. } = self;
        m.comment("Invariants of the instructions between S4 and S7.");
        let [stages @ .., s8] = &self.flight.stages;
        for (number, (stage, name)) in stages.iter().zip(STAGES).enumerate() {
            let has = stage.of_entry(&results.in_use)
                & !stage.of_entry(&results.past)
                & stage.of_entry(&results.of_register).eq(&stage.writes);
            m.assert(&format!("{name}_has_its_entry"), &(!stage.is_late() | has));
            m.assert(&format!("{name}_writes_late"), &(!&stage.writes | &stage.takes | !&stage.valid));
            let hazard = &stage.valid & !&stage.stale & &stage.hazard & thread.slot.eq(&stage.slot);
            m.assert(&format!("{name}_has_waited"), &!hazard);
            for (older, older_name) in stages.iter().zip(STAGES).skip(number + 1) {
                self.two_stages([name, older_name], [stage, older]);
                if older_name == STAGES[number + 1] {
                    let apart = !(&stage.valid & &older.valid);
                    m.assert(&format!("{name}_and_{older_name}_keep_their_distance"), &apart);
                }
            }
        }
        m.assert("s7_and_s8_keep_their_distance", &!(&stages[3].valid & &s8.valid));
    }

    fn two_stages(&self, [name, older_name]: [&str; 2], [stage, older]: [&Flying; 2]) {
        let both = &stage.valid & &older.valid & stage.slot.eq(&older.slot);
        let share = &both & &stage.takes & &older.takes & stage.entry.eq(&older.entry);
        self.m.assert(&format!("{name}_and_{older_name}_have_entries_of_their_own"), &!share);
        self.m.assert(&format!("{name}_does_not_need_{older_name}"), &!(&both & &stage.touches & &older.writes));
    }

    fn fetches(&self, settled: &Expr) {
        let Self { m, shape, circuit, fetches, .. } = self;
        m.comment("Invariants of the words that wait in S3.");
        let s4 = &self.flight.stages[0];
        let room = || circuit.column(|context| &context.room);
        let present = || circuit.column(|context| &context.present);
        let full = || circuit.column(|context| &context.full);
        let lost = (&fetches.room_before & !&fetches.pushed_before)
            | (&fetches.room_earlier & !(&fetches.pushed_before | &fetches.pushed_earlier));
        m.assert("room_stays_until_a_push", &(!settled | (lost & !room()).none()));
        m.assert("nothing_waits_at_the_start", &(settled | (present() | full()).none()));
        m.assert("there_is_room_for_a_second_word", &(!settled | room().eq(&!full())));
        let emptied = decode(&s4.slot, shape.slots).when(&s4.valid) & fetches.still_empty();
        m.assert("what_was_alone_leaves_nothing_behind", &(emptied & present()).none());
    }

    /// The words that a slot buffers. `last` is the scoreboard's row for the one that came from S2 last.
    fn buffer(&self, slot: usize, last: &Expr) {
        let Self { m, shape, circuit, thread, results, .. } = self;
        let (side, entries) = (SIDES[slot], shape.late_results);
        let Context { follows, read_position, write_position, present, full, .. } = &circuit.contexts[slot];
        let positions = read_position.eq(write_position);
        let position = full.eq(&(present & &positions)) & (present | (!full & &positions));
        m.assert(&format!("the_{side}_buffer_is_one_or_two"), &position);
        m.assert(&format!("the_{side}_buffer_follows"), &(!present | follows));
        let own_needed = results.in_use.lane(slot, entries) & results.of_register.lane(slot, entries);
        let others = results.mine.lane(slot ^ 1, entries).when(&thread.slot.is(slot as u64));
        for number in 0..2 {
            let name = format!("{side}_{number}");
            let Buffered { word, first, second, ahead, on_own, on_others } = self.buffered(slot, number);
            let valid = &first | &second;
            let of_ahead = decode(&ahead.entry, entries).when(&(&second & &ahead.takes));
            let missed = (&own_needed & !&of_ahead & !&on_own) | (of_ahead.when(&ahead.writes) & !&on_own);
            let writes = word.writes.eq(&(&word.takes & word.rd.eq(&self.inputs.register)));
            m.assert(&format!("{name}_writes_late"), &(writes | !&valid));
            m.assert(&format!("{name}_needs_what_is_before_it"), &!(&valid & &word.touches & missed.any()));
            let flush = circuit.events.flush.bit(slot);
            let crossed = &valid & !flush & &word.touches & (&others & !&on_others).any();
            m.assert(&format!("{name}_needs_what_the_other_slot_left"), &!crossed);
            let own_entry = (decode(&word.entry, entries) & !&on_own).any();
            m.assert(&format!("{name}_needs_its_entry"), &!(&valid & &word.takes & own_entry));
            let youngest = &second | (&first & !full);
            let same = last.bit(5).eq(&word.takes)
                & (!&word.takes | (last.slice(0, 5).eq(&word.rd) & last.from(7).eq(&word.entry)));
            m.assert(&format!("{name}_came_last"), &(!youngest | same));
        }
    }

    fn buffered(&self, slot: usize, number: usize) -> Buffered {
        let Self { m, shape, circuit, .. } = self;
        let (side, entries) = (SIDES[slot], shape.late_results);
        let Context { read_position, present, full, depends, .. } = &circuit.contexts[slot];
        let held = |number: usize| Waiting::unpack(m, shape, &circuit.words[slot][number]);
        let word = held(number);
        let first = m.wire(&format!("{side}_{number}_is_first"), &(present & read_position.is(number as u64)));
        let second = m.wire(&format!("{side}_{number}_is_second"), &(full & read_position.is(1 - number as u64)));
        let [head, behind] = [0, 1].map(|place| depends.lane(place, shape.slots * entries));
        let depends = first.mux(&head, &behind);
        let (on_own, on_others) = (depends.slice(0, entries), depends.from(entries));
        Buffered { word, first, second, ahead: held(1 - number), on_own, on_others }
    }

    /// The scoreboard's row for the instruction that came from S2 last.
    fn last_instruction(&self, slot: usize, last: &Expr) {
        let Self { m, fetches, results, .. } = self;
        let (side, s4) = (SIDES[slot], &self.flight.stages[0]);
        let Context { follows, present, .. } = &self.circuit.contexts[slot];
        let entry = join([&last.from(7), &lit(1, slot as u64)]);
        let cut_off = &s4.valid & s4.slot.is(slot as u64) & !follows & !fetches.flushed_before.bit(slot);
        m.assert(&format!("the_{side}_slot_follows_unless_it_is_flushed"), &!cut_off);
        let alone = &s4.valid & s4.slot.is(slot as u64) & follows & !present;
        let it = last.bit(5).eq(&s4.takes) & (!&s4.takes | last.from(7).eq(&s4.entry));
        m.assert(&format!("the_{side}_slot_knows_what_is_in_s4"), &(!alone | it));
        let issued_last = follows & !present & last.bit(5) & results.in_use.index(&entry);
        let right = results.of_register.index(&entry).eq(&last.slice(0, 5).eq(&self.inputs.register));
        m.assert(&format!("the_{side}_slot_knows_what_came_last"), &(!issued_last | right));
    }
}
