//! S3, scoreboard: long-latency results (loads, atomic operations, products, quotients) of all contexts.
//!
//! Each context has a ring of entries. An instruction with a long-latency result gets the next entry when it comes
//! from S2, and issues only when the entry is free. It occupies the entry from its issue until its result is
//! written or cancelled.
//!
//! Only an instruction that comes from S2 is compared with the registers of its context's entries. It keeps one bit
//! for each entry on which it depends. The bit means nothing while the entry is free. The preceding instruction may
//! not have issued yet, so its entry may still have an old register. It is compared separately. In all other cases only
//! a younger instruction takes an entry again, so no bit becomes stale.
//!
//! The parts of one scattered load use the same entry. They wait for nothing, because no younger instruction has
//! issued since the first part found its registers free. Each entry counts the parts that have started and the
//! parts that have finished.
//!
//! An issue is recorded one cycle later, from S4. A context does not issue in the next cycle, and its next fetch
//! arrives three cycles later at the earliest.
//!
//! If a warp has two slots, threads move from one slot to the other when paths diverge and reconverge. So each
//! entry also has a *shadow bit* ("The Dual-Path Execution Model for Efficient GPU Control Flow", section 3.2): its
//! threads may continue in the other slot. A cycle after such an event the entries in use of the affected slots are copied
//! to their shadow bits. An instruction is compared with the entries of both slots. It waits for the entries in use of
//! its own slot, and for the shadowed entries of the other.
//!
//! Entries of instructions younger than that of the event are not copied. These are in S4 to S6 at the event. Their threads
//! stay in their slot, or they will be squashed. A slot that threads enter is always restarted, so its instructions
//! are compared after the results of those threads were issued.
//!
//! Storage for each context: entries × (1 + 5 + 2 · clog2(T + 1)) + 7 + 2 · clog2(entries) bits, all but the first
//! in LUT RAM. For all together contexts + entries bits, which say what has become free.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, any_of, clog2, decode, increment, join, lit,
    ones, select, zeros,
};

use super::context::{Written, split_context};
use super::resource::Reservations;
use crate::formal::points;
use crate::shape::Shape;
use crate::signals::Hazards;

rtl::bundle! {
    /// A long-latency result that starts in S4.
    pub struct Started(shape: &Shape) {
        valid: 1,
        context: shape.context_bits(),
        entry: shape.entry_bits(),
        rd: 5,
    }
}

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s3_scoreboard", "S3, scoreboard: long-latency results of all contexts.");
    m.timing(
        "the outputs for the instruction in S2 are combinational; the entries in use are registers. A result occupies its \
         entry from the cycle after its S4 until its last part is written or cancelled.",
    );
    let inputs = Inputs::declare(&m, shape);
    let ring = Ring::declare(&m, shape, &inputs);
    let last = Last::declare(&m, shape, &inputs, &ring);
    let registers = Registers::declare(&m, shape, &inputs);
    let touched = registers.touched(shape, &inputs, &last);
    let own = decode(&ring.next, shape.late_results).when(&ring.takes);
    let parts = Parts::declare(&m, shape, &inputs);
    let occupied = Occupied::declare(&m, shape, &inputs, &parts);
    let shadow = (shape.slots > 1).then(|| shadow_bits(&m, shape, &inputs, &parts, &occupied));

    m.port_group("for S3: the entry of the instruction from S2, and the entries on which it depends");
    m.output("entry_s2", &ring.entry);
    m.output("takes_entry_s2", &ring.takes);
    let depends = touched | own.extend(shape.slots * shape.late_results);
    m.output("depends_s2", &depends.when(&!&inputs.replays));
    let reads_last = &last.word.is_early & inputs.reads(&last.word.rd);
    m.output("reads_last_s2", &m.fault("ignores_reads_of_the_last_result", &reads_last, &zeros(1)));
    m.port_group("pending long-latency results, by context and entry");
    m.output("pending", &occupied.pending);
    if let Some(shadow) = shadow {
        m.output("shadowed", &shadow);
    }
    if shape.shows_scoreboard() {
        show(&m, shape, &parts, &registers, &last);
    }
    m.finish()
}

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "start: clears the counts"]
        start_valid: Expr = m.input("start_row_valid", 1),
        start_row: Expr = m.input("start_row", 5 + shape.warp_bits()),
        #[group = "from S2: a part of a scattered load that is replayed keeps its entry"]
        push: Expr = m.input("push", 1),
        context: Expr = m.input("context_s2", shape.context_bits()),
        hazards: Hazards = Hazards::inputs(m, shape, "s2"),
        reserved: Reservations = Reservations::inputs(m, shape, "reserved_s2"),
        /// It is a replayed part of a load.
        replays: Expr = m.input("replays_s2", 1),
        /// The entry of that load.
        replayed_entry: Expr = m.input("replayed_entry_s2", shape.entry_bits()),
        #[group = "whether the preceding instruction has come since the last resteer"]
        follows: Expr = m.input("follows_s2", 1),
        #[group = "S4: a long-latency result starts"]
        started: Started = Started::inputs(m, shape, "s4"),
        #[group = "a long-latency result is written or cancelled"]
        late: Written = Written::inputs(m, shape, "late"),
        /// S8: slots whose entries in use are copied to their shadow bits.
        shadows: Expr = m.input("shadows_s8", shape.slot_mask_bits()),
        shadow_warp: Expr = m.input("shadow_warp_s8", if shape.slots > 1 { shape.warp_bits() } else { 0 }),
    }
}

impl Inputs {
    fn reads(&self, register: &Expr) -> Expr {
        let Hazards { uses_rs1, rs1, uses_rs2, rs2, .. } = &self.hazards;
        (uses_rs1 & rs1.eq(register)) | (uses_rs2 & rs2.eq(register))
    }

    /// The instruction from S2 reads or writes the register.
    fn touches(&self, register: &Expr) -> Expr {
        self.reads(register) | (&self.hazards.writes_rd & self.hazards.rd.eq(register))
    }

    /// The row of a table that is written: the row that the start clears, or `row`.
    fn row(&self, bits: usize, row: &Expr) -> Expr {
        self.start_valid.mux(&self.start_row.slice(0, bits), row)
    }
}

struct Ring {
    is_late: Expr,
    takes: Expr,
    /// The next entry of its context's ring.
    next: Expr,
    /// Its entry. A replayed part has the entry of its load.
    entry: Expr,
}

impl Ring {
    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs) -> Self {
        m.comment("The next entry of each context's ring.");
        let Inputs { start_valid, push, context, replays, .. } = inputs;
        let is_late = m.wire("is_late", &inputs.reserved.any_late());
        let takes = m.wire("takes_entry", &(&is_late & &inputs.hazards.writes_rd));
        let ring = m.memory("ring", shape.contexts(), shape.entry_bits(), MemoryStyle::Distributed);
        let next = ring.read("next_entry", context);
        ring.write(
            &(start_valid | (push & &takes & !replays)),
            &inputs.row(shape.context_bits(), context),
            &increment(&next, 1).when(&!start_valid),
        );
        let entry = m.wire("entry_taken", &replays.mux(&inputs.replayed_entry, &next));
        Self { is_late, takes, next, entry }
    }
}

rtl::bundle! {
    struct Before(shape: &Shape) {
        rd: 5,
        took_entry: 1,
        /// Its result is written in S7.
        is_early: 1,
        entry: shape.entry_bits(),
    }
}

/// The preceding instruction of the same context.
struct Last {
    table: Memory,
    word: Before,
    /// The instruction from S2 reads or writes its register.
    touched: Expr,
    /// Its entry, one-hot, if it has come since the last resteer.
    entry: Expr,
}

impl Last {
    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs, ring: &Ring) -> Self {
        m.comment(
            "The preceding instruction: its entry may not have its register yet, so its own register is compared.",
        );
        let Inputs { push, context, hazards, follows, .. } = inputs;
        let table = m.memory("last_instructions", shape.contexts(), Before::bits(shape), MemoryStyle::Distributed);
        let is_early = !&ring.is_late & &hazards.writes_rd;
        let (rd, entry, took_entry) = (hazards.rd.clone(), ring.entry.clone(), ring.takes.clone());
        table.write(push, context, &Before { rd, took_entry, is_early, entry }.pack());
        let word = Before::unpack(m, shape, &table.read("last_instruction", context));
        let touched = m.wire("touches_last", &inputs.touches(&word.rd));
        let counts = &word.took_entry & follows;
        let counts = m.fault("compares_with_the_old_register_of_the_last_entry", &counts, &zeros(1));
        let entry = m.wire("last_one", &decode(&word.entry, shape.late_results).when(&counts));
        Self { table, word, touched, entry }
    }
}

struct Registers {
    /// For each slot of the warp in S2, and each entry.
    of_slots: Vec<Vec<Expr>>,
    slot: Expr,
}

impl Registers {
    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs) -> Self {
        m.comment("The registers of the long-latency results that have started.");
        let started = &inputs.started;
        let (warp, slot) = split_context(shape, &inputs.context);
        let (started_warp, started_slot) = split_context(shape, &started.context);
        let of_slot = |side: usize| {
            let here =
                if shape.slots > 1 { &started.valid & started_slot.is(side as u64) } else { started.valid.clone() };
            let suffix = ["", "_right"][side];
            let of_entry = |number: usize| {
                let registers =
                    m.memory(&format!("registers_{number}{suffix}"), shape.warps, 5, MemoryStyle::Distributed);
                registers.write(&(&here & started.entry.is(number as u64)), &started_warp, &started.rd);
                registers.read(&format!("register_{number}{suffix}"), &warp)
            };
            (0..shape.late_results).map(of_entry).collect()
        };
        Self { of_slots: (0..shape.slots).map(of_slot).collect(), slot }
    }

    /// The entries whose register the instruction from S2 reads or writes: its own slot's, and above them the
    /// other's.
    fn touched(&self, shape: &Shape, inputs: &Inputs, last: &Last) -> Expr {
        let of_slot = |slot: &Expr, number: usize| select(slot, self.of_slots.iter().map(|side| &side[number]));
        let own = |number: usize| {
            let touches = inputs.touches(&of_slot(&self.slot, number));
            last.entry.bit(number).mux(&last.touched, &touches)
        };
        let mut touched: Vec<Expr> = (0..shape.late_results).map(own).collect();
        if shape.slots > 1 {
            let other = |number| inputs.touches(&of_slot(&!&self.slot, number));
            touched.extend((0..shape.late_results).map(other));
        }
        join(&touched)
    }
}

/// Counts of the parts of each long-latency result.
struct Parts {
    starts: Memory,
    /// One more than have finished.
    finishes: Memory,
    /// The number of the entry that starts, with its context.
    row_s4: Expr,
    /// The number of the entry that is written or cancelled, with its context.
    row_late: Expr,
    /// This is the last part of that entry.
    is_last: Expr,
}

impl Parts {
    /// Bits of the number of an entry among the entries of all contexts.
    fn row_bits(shape: &Shape) -> usize {
        shape.entry_bits() + shape.context_bits()
    }

    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs) -> Self {
        m.comment("Parts started and finished.");
        let Inputs { start_valid, started, late, .. } = inputs;
        let (rows, width) = (shape.contexts() * shape.late_results, clog2(shape.threads + 1));
        let row_s4 = m.wire("row_s4", &join([&started.entry, &started.context]));
        let row_late = m.wire("row_late", &join([&late.entry, &late.context]));
        let counts = |name: &str, happens: &Expr, row: &Expr, from: u64| {
            let memory = m.memory(name, rows, width, MemoryStyle::Distributed);
            let before = memory.read(&format!("{name}_before"), row);
            let next = start_valid.mux(&lit(width, from), &increment(&before, 1));
            memory.write(&(start_valid | happens), &inputs.row(Self::row_bits(shape), row), &next);
            (memory, before)
        };
        let (starts, _) = counts("started", &started.valid, &row_s4, 0);
        // It is late which part finishes. So its number is stored, one more than have finished.
        let (finishes, part) = counts("finished", &late.valid, &row_late, 1);
        let is_last = part.eq(&starts.read("started_of_late", &row_late));
        let is_last = m.fault("every_part_counts_as_the_last", &is_last, &ones(1)) & &late.valid;
        let is_last = m.wire("last_part", &is_last);
        Self { starts, finishes, row_s4, row_late, is_last }
    }
}

/// Entries in use. It is late in a cycle which entry becomes free, so this is stored as its context and its number, and
/// counts from the next cycle on.
struct Occupied {
    pending: Expr,
    /// Entries whose result was complete in the cycle before.
    freed: Expr,
    /// Entries whose result is complete now, for coverage.
    ends: Expr,
}

impl Occupied {
    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs, parts: &Parts) -> Self {
        m.comment("Entries in use. A part that starts as the last one before it ends keeps its entry.");
        let Inputs { started, late, .. } = inputs;
        let starts_anew = &started.valid & parts.row_s4.eq(&parts.row_late);
        let starts_anew = m.fault("a_part_that_starts_anew_loses_its_entry", &starts_anew, &zeros(1));
        let ends = m.wire("ends", &(&parts.is_last & !starts_anew));
        let context_now = decode(&late.context, shape.contexts());
        let entry_now = decode(&late.entry, shape.late_results).when(&ends);
        let context = m.delay("freed_context", &context_now);
        let freed = m.wire("freed", &entries_of(&context, &m.delay_reset("freed_entry", &entry_now)));
        let occupied = m.register("occupied", freed.width());
        let pending = m.wire("in_use", &(&occupied & !&freed));
        let taken = decode(&parts.row_s4, freed.width()).when(&started.valid);
        occupied.next(&(taken | &pending)).reset(0);
        Self { pending, freed, ends: entries_of(&context_now, &entry_now) }
    }
}

/// One bit for each entry of each context: these entries of these contexts.
fn entries_of(contexts: &Expr, entries: &Expr) -> Expr {
    join(contexts.lanes(1).iter().map(|context| entries.when(context)))
}

/// Shadow bits of all entries ("The Dual-Path Execution Model for Efficient GPU Control Flow", section 3.2).
fn shadow_bits(m: &Builder, shape: &Shape, inputs: &Inputs, parts: &Parts, occupied: &Occupied) -> Expr {
    m.comment(
        "Shadow bits, set a cycle after S8, which knows late that they are: what needs them is fetched after a restart. \
         Results that started after the instruction in S8 belong to threads that stay in their slot.",
    );
    let Occupied { pending, freed, ends } = occupied;
    let (contexts, entries) = (shape.contexts(), shape.late_results);
    let slots = m.delay_reset("shadows_s9", &inputs.shadows);
    let warp = m.delay("shadow_warp_s9", &inputs.shadow_warp);
    let younger = younger(m, shape, inputs, parts, &warp);
    let of_slots = !&younger & join((0..shape.slots).map(|slot| slots.bit(slot).repeat(entries)));
    let of_slots = m.wire("older", &of_slots);
    let copied = join(decode(&warp, shape.warps).lanes(1).iter().map(|warp| of_slots.when(warp)));
    let cast = m.wire("cast", &(copied & pending));
    let stays = m.fault("a_shadow_outlives_its_result", &!freed, &ones(freed.width()));
    let shadow = m.register("shadow", contexts * entries);
    let now = m.wire("shadowed_now", &(&shadow & stays));
    shadow.next(&(&now | &cast)).reset(0);
    cover_shadows(m, shape, &slots, &younger, [&cast, &now, ends]);
    if shape.shows_scoreboard() {
        m.output("casts", &cast);
    }
    now
}

/// The entries of both slots of the warp that was in S8 that started after the instruction there. Their instructions are in
/// S5 to S7.
fn younger(m: &Builder, shape: &Shape, inputs: &Inputs, parts: &Parts, shadow_warp: &Expr) -> Expr {
    let mut started = join([&parts.row_s4, &inputs.started.valid]);
    let started = ["s5", "s6", "s7"].map(|stage| {
        started = m.delay(&format!("started_{stage}"), &started);
        (stage, started.clone())
    });
    if shape.shows_scoreboard() {
        m.output("younger_rows", &join(started.each_ref().map(|(_, row)| row)));
    }
    let of_stages = started.map(|(stage, started)| {
        let row = m.field(&started, "row", 0, shape.entry_bits() + shape.slot_bits());
        let here = m.field(&started, "valid", Parts::row_bits(shape), 1)
            & m.field(&started, "warp", row.width(), shape.warp_bits()).eq(shadow_warp);
        m.wire(&format!("younger_{stage}"), &decode(&row, shape.slots * shape.late_results).when(&here))
    });
    any_of(&of_stages)
}

fn cover_shadows(m: &Builder, shape: &Shape, shadows: &Expr, younger: &Expr, [cast, shadow, ends]: [&Expr; 3]) {
    let younger = younger.lanes(shape.late_results);
    let spared = join((0..shape.slots).map(|slot| younger[slot].any() & shadows.bit(slot)));
    let found = [
        ("results_of_one_slot_are_shadowed", cast.any() & !shadows.all()),
        ("results_of_both_slots_are_shadowed", cast.any() & shadows.all()),
        ("a_younger_result_is_not_shadowed", spared.any()),
        ("a_shadow_ends_with_its_result", (shadow & ends).any()),
        ("a_shadow_is_cast_as_its_result_ends", (cast & ends).any()),
        ("a_shadow_is_cast_twice", (cast & shadow).any()),
    ];
    points(m, shape, &found);
}

fn show(m: &Builder, shape: &Shape, parts: &Parts, registers: &Registers, last: &Last) {
    m.port_group("for a proof: the counts of parts, registers and last instructions of the one warp");
    let bits = Parts::row_bits(shape);
    let count =
        |memory: &Memory, name: &str, row: usize| memory.inspect(&format!("{name}_row_{row}"), &lit(bits, row as u64));
    let counts = (0..shape.contexts() * shape.late_results)
        .map(|row| (count(&parts.starts, "started", row), count(&parts.finishes, "finished", row)));
    let counts: Vec<(Expr, Expr)> = counts.collect();
    let compare =
        |unfinished: u64| join(counts.iter().map(|(starts, next)| increment(starts, 1 - unfinished).eq(next)));
    m.output("all_finished", &compare(0));
    m.output("one_unfinished", &compare(1));
    m.output("registers_held", &join(registers.of_slots.concat()));
    let last = (0..shape.contexts())
        .map(|context| last.table.inspect(&format!("last_of_{context}"), &lit(shape.context_bits(), context as u64)));
    m.output("last_held", &join(last));
}
