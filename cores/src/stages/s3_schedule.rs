//! S3, schedule: picks one ready instruction per cycle.
//!
//! Enters: predecoded instructions (S2), resteers (S8), registers written (S6, S8, S9), credits returned by the
//! memory side. Leaves: the instruction for S4. Nothing after S3 ever stalls: a memory instruction issues only when
//! an entry of the request queue, and for a load a tag, is reserved for it. When S9 needs the write port, one issue
//! is suppressed.
//!
//! Other files: `s3_scoreboard`, long-latency results; `s3_context`, the hazards of the instructions that a context
//! buffers; `s3_places`, credits; `s3_pick`, the pick; `s3_stalls`, why nothing issues. This file: replay records, the buffers, and the outputs.

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, Memory, MemoryStyle, Module, Register, decode, join};
use weft_trace::IssuePorts;

use super::context::{Fetch, Written, join_context, split_context};
use super::resource::{REQUEST, Reservations};
use super::s3_context::{self, Needs};
use super::s3_pick::Pick;
use super::s3_places::{Availability, Returned};
use super::s3_scoreboard::{self, Started};
use super::s3_stalls;
use crate::shape::{BUFFER, PC, Shape};
use crate::signals::{Hazards, Meta};
use crate::trace::Traced;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let context_module = s3_context::elaborate(shape)?;
    let m = Builder::new(
        "s3_schedule",
        "S3, schedule: instruction buffers, scoreboards, and the pick of one ready instruction.",
    );
    m.timing(
        "a word from S2 can be picked in the next cycle, and leaves one cycle after the pick, in S4; nothing \
         stalls after that. S0 fetches only for a context with `room` or with a buffer that a resteer has \
         emptied, so a word finds a free entry.",
    );
    let inputs = Inputs::declare(&m, shape);
    let replays = Replays::declare(&m, shape, &inputs);

    m.comment("Long-latency results.");
    let push = m.wire("push", &(&inputs.fetch.valid & !&inputs.dead));
    let started = Started::forward(&m, shape, "started");
    let scoreboard = m.instance("scoreboard", &s3_scoreboard::elaborate(shape)?);
    replays.connect(&scoreboard, &inputs.fetch.context);
    let follows = m.forward("follows", shape.contexts());
    inputs.connect(&scoreboard, shape, &push, &follows);
    started.connect(&scoreboard, "s4");

    m.comment("The requirements that are lacking. Credits are reserved at issue, and counted one cycle later.");
    let needs_s4 = m.forward("needs_s4", Needs::bits(shape));
    let valid_s4 = m.register("issued", 1);
    let fence_waits = m.forward("fence_waits", 1);
    let places = Availability::declare(&m, shape, &needs_s4, &fence_waits, &inputs.returned);

    m.comment("The contexts.");
    let arrives = Arrives::of(&m, &inputs, scoreboard);
    let contexts = Contexts::declare(&m, shape, &context_module, &inputs.fetch.context, &push);
    contexts.connect(shape, &inputs, &replays, &arrives, &places.lacking);
    let pick = Pick::declare(&m, shape, &inputs, &contexts)?;
    m.drive(&follows, &contexts.column("follows"));
    m.drive(&fence_waits, &contexts.column("waits_for_requests").any());
    valid_s4.next(&pick.valid).reset(0);
    let leaves = Leaves::read(&m, shape, &inputs, &arrives, &contexts, &pick, &valid_s4);

    m.port_group("no credit for a long-latency result is in use");
    m.output("late_idle", &places.late_idle);
    m.port_group("contexts with room for a fetch");
    m.output("room", &contexts.column("room"));
    m.output("urgent", &contexts.column("urgent"));
    m.port_group("the instruction, for S4");
    leaves.meta.outputs(&m, "s4");
    m.drive(&needs_s4, &m.delay("reserves", &pick.needs).when(&valid_s4));
    leaves.start(&m, &started);
    m.output("fetch_fault_s4", &leaves.fault);
    m.port_group("the slot's epoch at issue, for S8, which compares it while the instruction is in S6");
    m.output("epoch_s4", &m.delay("epoch", &pick.epoch));
    if shape.counts_stalls {
        s3_stalls::report(&m, &inputs, &contexts, &pick);
    }
    if shape.trace {
        trace(&m, shape, &pick);
    }
    m.finish()
}

rtl::inputs! {
    pub struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "control"]
        /// The core has started and not halted.
        running: Expr = m.input("running", 1),
        /// S9 needs the write port of the register file, so nothing issues.
        pub bubble: Expr = m.input("bubble", 1),
        pub epochs: Expr = m.input("epochs", shape.contexts()),
        /// The contexts with threads to run.
        pub enabled: Expr = {
            let contexts = if shape.shows_enabled() { shape.contexts() } else { 0 };
            m.input("enabled_contexts_now", contexts)
        },
        #[group = "from S2"]
        fetch: Fetch = Fetch::inputs(m, shape, "s2"),
        /// A resteer has overtaken it.
        dead: Expr = m.input("dead_s2", 1),
        word: Expr = m.input("word_s2", 32),
        /// Its entry of the reconvergence table.
        reconvergence: Expr = m.input("reconvergence_s2", shape.reconvergence_bits()),
        /// The next pc that S2 predicted.
        predicted: Expr = m.input("predicted_s2", PC),
        /// It was fetched from an address without memory.
        fetch_fault: Expr = m.input("fetch_fault_s2", 1),
        hazards: Hazards = Hazards::inputs(m, shape, "s2"),
        reserved: Reservations = Reservations::inputs(m, shape, "reserved_s2"),
        #[group = "resteer, decided by S8 in the previous cycle"]
        /// Contexts that were resteered in the previous cycle.
        pub flush_one: Expr = m.input("contexts_resteer", shape.contexts()),
        #[group = "S8: slots of a warp whose long-latency results belong to threads that continue in the other slot"]
        shadows: Expr = m.input("shadows_s8", shape.slot_mask_bits()),
        shadow_warp: Expr = m.input("warp_stand_s8", if shape.slots > 1 { shape.warp_bits() } else { 0 }),
        #[group = "replay record: the slot's active path is exactly the unserved lanes, at the load"]
        record: ReplayRecord = ReplayRecord::inputs(m, shape, "record"),
        #[group = "start: clears the counts of long-latency results"]
        start_valid: Expr = m.input("start_row_valid", 1),
        start_row: Expr = m.input("start_row", 5 + shape.warp_bits()),
        #[group = "a long-latency result is written or cancelled"]
        late: Written = Written::inputs(m, shape, "late"),
        returned: Returned = Returned::declare(m, shape),
    }
}

impl Inputs {
    fn connect(&self, scoreboard: &Instance, shape: &Shape, push: &Expr, follows: &Expr) {
        let context = &self.fetch.context;
        scoreboard.input("start_row_valid", &self.start_valid).input("start_row", &self.start_row);
        scoreboard.input("push", push).input("context_s2", context).input("follows_s2", &follows.index(context));
        self.hazards.connect(scoreboard, "s2");
        self.reserved.connect(scoreboard, "reserved_s2");
        self.late.connect(scoreboard, "late");
        if shape.slots > 1 {
            scoreboard.input("shadows_s8", &self.shadows).input("shadow_warp_s8", &self.shadow_warp);
        }
    }
}

/// Replay records: for each context, whether the next word from S2 is again a load of which some lanes were served.
struct Replays {
    /// The contexts that have a record.
    stand: Register,
    /// The context whose record a commit ends.
    ended: Expr,
    /// The scoreboard entries of the loads.
    entries: Memory,
}

impl Replays {
    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs) -> Self {
        m.comment("Replay records: while a context has one, the next word from S2 for it is the load again.");
        let (contexts, record) = (shape.contexts(), &inputs.record);
        let stand = m.register("records", contexts);
        let ended = m.wire("record_one", &decode(&record.context, contexts).when(&record.valid));
        let dropped = if shape.slots > 1 { &ended | &inputs.flush_one } else { ended.clone() };
        let stands = m.delay_reset("record_one_before", &ended).when(&record.stood);
        stand.next(&(stands | (&stand & !dropped))).reset(0);
        let entries = m.memory("record_entries", contexts, shape.entry_bits(), MemoryStyle::Distributed);
        entries.write(&record.valid, &record.context, &record.entry);
        Self { stand, ended, entries }
    }

    fn connect(&self, scoreboard: &Instance, context: &Expr) {
        scoreboard.input("replays_s2", &self.stand.index(context));
        scoreboard.input("replayed_entry_s2", &self.entries.read("record_entry", context));
    }
}

struct Arrives {
    needs: Expr,
    /// It needs a leader from S6.
    elects: Expr,
    /// The scoreboard, which knows the entries on which the word depends, and the pending results.
    scoreboard: Instance,
}

impl Arrives {
    fn of(m: &Builder, inputs: &Inputs, scoreboard: Instance) -> Self {
        let Inputs { hazards, reserved, .. } = inputs;
        let needs = Needs { reserved: reserved.clone(), no_requests: hazards.is_fence_i.clone() };
        let needs = m.wire("needs_s2", &needs.pack());
        let elects = m.wire("elects_s2", &(reserved.of(&REQUEST) | &hazards.needs_leader));
        Self { needs, elects, scoreboard }
    }
}

pub struct Contexts {
    instances: Instance,
    /// The context that takes the word from S2, one-hot.
    pushed: Expr,
    /// The context that issues, one-hot. The pick drives it.
    pub grant: Expr,
    /// The contexts that may reserve nothing, in favour of another one; `None` with a single context.
    pub held_back: Option<Register>,
}

impl Contexts {
    fn declare(m: &Builder, shape: &Shape, module: &Module, context: &Expr, push: &Expr) -> Self {
        let contexts = shape.contexts();
        let grant = m.forward("grant", contexts);
        let pushed = m.wire("pushed", &decode(context, contexts).when(push));
        let held_back = (contexts > 1).then(|| m.register("held_back", contexts));
        let instances = m.instance_each(shape.each_context(), "context_state", module);
        Self { instances, pushed, grant, held_back }
    }

    fn connect(&self, shape: &Shape, inputs: &Inputs, replays: &Replays, arrives: &Arrives, lacking: &Expr) {
        let (scoreboard, late, contexts) = (&arrives.scoreboard, shape.late_results, &self.instances);
        contexts.input("running", &inputs.running).input("lacking", lacking);
        contexts.input_parts("push", &self.pushed).input_parts("picked", &self.grant);
        contexts.input("needs_s2", &arrives.needs).input("elects_s2", &arrives.elects);
        scoreboard.feeds(contexts, &["depends_s2", "reads_last_s2"]);
        contexts.input_parts("flush", &inputs.flush_one).input_parts("record", &replays.stand);
        contexts.input_parts("record_ends", &replays.ended);
        let pending = scoreboard.net("pending");
        if shape.slots > 1 {
            let sibling = |number: usize| number ^ 1;
            contexts.input_each("sibling_issues", |number| self.grant.bit(sibling(number)));
            let shadowed = scoreboard.net("shadowed");
            contexts.input_each("pending", |number| {
                join([&pending.lane(number, late), &shadowed.lane(sibling(number), late)])
            });
        } else {
            contexts.input_parts("pending", &pending);
        }
        if let Some(held_back) = &self.held_back {
            contexts.input_parts("held_back", held_back);
        }
    }

    pub fn column(&self, port: &str) -> Expr {
        self.instances.output(port)
    }
}

/// The instruction that leaves, in S4.
struct Leaves {
    meta: Meta,
    takes_entry: Expr,
    fault: Expr,
}

impl Leaves {
    /// Writes the word from S2 to the buffers, and reads the picked word.
    fn read(
        m: &Builder,
        shape: &Shape,
        inputs: &Inputs,
        arrives: &Arrives,
        contexts: &Contexts,
        pick: &Pick,
        valid_s4: &Expr,
    ) -> Self {
        m.comment("Buffered words: two for each context, read in S4, and written again three cycles later or more.");
        let fetch = &inputs.fetch;
        let write_positions = m.wire("write_positions", &contexts.column("write_position"));
        let write_row = m.wire("write_row", &join([&write_positions.index(&fetch.context), &fetch.context]));
        let row = m.wire("row", &join([&pick.read_position, &pick.context]));
        let buffer = |name: &str, word: &Expr| {
            let buffer = m.memory(name, BUFFER * shape.contexts(), word.width(), MemoryStyle::Distributed);
            buffer.write(&fetch.valid, &write_row, word);
            buffer
        };
        let [entry_s2, takes_entry] = ["entry_s2", "takes_entry_s2"].map(|port| arrives.scoreboard.net(port));
        let Inputs { word, predicted, fetch_fault, reconvergence, .. } = inputs;
        let [instruction, pc, predicted] = [word, &fetch.pc, predicted].map(Clone::clone);
        let [fault, reconvergence] = [fetch_fault, reconvergence].map(Clone::clone);
        let written = Buffered { instruction, pc, predicted, fault, takes_entry, entry: entry_s2, reconvergence };
        let row_s4 = m.delay("row_s4", &row);
        let read = Buffered::unpack(m, shape, &buffer("buffer", &written.pack()).read("buffered", &row_s4));
        let Buffered { instruction, pc, predicted, fault, takes_entry, entry, reconvergence } = read;
        if shape.formal {
            m.assert("what_leaves_is_not_overwritten", &!(valid_s4 & &fetch.valid & write_row.eq(&row_s4)));
        }
        let (warp, slot) = split_context(shape, &pick.context);
        let (warp, slot) = (m.delay("warp", &warp), m.delay("slot", &slot));
        let valid = valid_s4.clone();
        let meta = Meta { valid, warp, slot, entry, pc, predicted, instruction, reconvergence };
        Self { meta, takes_entry, fault }
    }

    fn start(&self, m: &Builder, started: &Started) {
        m.drive(&started.valid, &(&self.meta.valid & &self.takes_entry));
        m.drive(&started.context, &join_context(&self.meta.warp, &self.meta.slot));
        m.drive(&started.entry, &self.meta.entry);
        m.drive(&started.rd, &self.meta.instruction.slice(7, 5));
    }
}

rtl::bundle! {
    struct Buffered(shape: &Shape) {
        instruction: 32,
        pc: PC,
        predicted: PC,
        /// The word could not be fetched.
        fault: 1,
        takes_entry: 1,
        entry: shape.entry_bits(),
        reconvergence: shape.reconvergence_bits(),
    }
}

fn trace(m: &Builder, shape: &Shape, pick: &Pick) {
    m.port_group("trace");
    let (warp, slot) = split_context(shape, &pick.context);
    let mut issue = Traced::of(shape, &IssuePorts { valid: pick.valid.clone(), warp, slot });
    issue.0.slot = m.fault("reports_issues_of_the_other_slot", &issue.0.slot, &!&issue.0.slot);
    issue.outputs(m, "s3");
}

rtl::bundle! {
    /// The replay record, written after each commit. A context has one if it is at a load of which only some lanes
    /// were served.
    pub struct ReplayRecord(shape: &Shape) {
        valid: 1,
        context: shape.context_bits(),
        /// One cycle after the commit: the active path is exactly the unserved lanes, at the load.
        stood: 1,
        /// The load's entry of the scoreboard.
        entry: shape.entry_bits(),
    }
}
