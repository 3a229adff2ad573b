//! What is proved: the scoreboard and both contexts of one warp, with what the proof notes of the words that they buffer.

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, decode, join, ones, select, zeros};

use super::Inputs;
use crate::formal::flag;
use crate::shape::Shape;
use crate::stages::s3_context::{self, Needs};
use crate::stages::s3_scoreboard::{self, Started};

/// Names of the slots of the warp.
pub const SIDES: [&str; 2] = ["left", "right"];

rtl::bundle! {
    /// An instruction that waits in S3.
    pub struct Waiting(shape: &Shape) {
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

/// What S8 does to the slots of the warp, and what S3 issues.
pub struct Events {
    /// An instruction of the warp resolves.
    pub resolves: Expr,
    /// Its slot.
    pub slot: Expr,
    /// The same, a bit for each slot.
    pub own: Expr,
    /// Slots whose entries in use are copied to their shadow bits.
    pub shadows: Expr,
    /// Slots that are fetched anew.
    pub restarted: Expr,
    /// The same a cycle later, when their buffers are emptied.
    pub flush: Expr,
    /// The slot that issues.
    pub issue: Expr,
}

impl Events {
    /// Of an instruction that the stages after S3 name later.
    fn declare(m: &Builder, shape: &Shape, inputs: &Inputs) -> Self {
        let slots = shape.slots;
        let resolves = m.forward("resolves", 1);
        let slot = m.forward("slot_s8", shape.slot_bits());
        let own = m.wire("own_slot", &decode(&slot, slots));
        let popped = (&inputs.pops & &resolves).repeat(slots);
        let popped = m.fault("a_pop_shadows_its_own_slot_alone", &popped, &(&popped & &own));
        let diverged = own.when(&(&inputs.diverges & &resolves));
        let diverged = m.fault("a_divergence_shadows_nothing", &diverged, &zeros(slots));
        let shadows = m.wire("shadows", &(popped | diverged));
        let restarted = m.wire("restarted_now", &inputs.restarts.when(&resolves));
        let flush = flag(m, "flush", &restarted);
        let goes = m.fault("a_slot_issues_while_it_is_flushed", &!&flush, &ones(slots));
        let issue = m.wire("issue", &(&inputs.picked & goes));
        Self { resolves, slot, own, shadows, restarted, flush, issue }
    }
}

/// What a context of S3 shows.
pub struct Context {
    /// Its oldest instruction can issue.
    pub ready: Expr,
    /// It has room for a fetch.
    pub room: Expr,
    /// The instruction before the next one has come since the last resteer.
    pub follows: Expr,
    /// Which of its two words is the oldest.
    pub read_position: Expr,
    /// Where the next word is written.
    pub write_position: Expr,
    /// It holds a word.
    pub present: Expr,
    /// It holds two.
    pub full: Expr,
    /// The entries that the oldest word waits for, and those of the word behind it.
    pub depends: Expr,
}

/// The circuit.
pub struct Circuit {
    /// The scoreboard.
    pub scoreboard: Instance,
    /// The slot that takes a word from S2.
    pub pushed: Expr,
    /// The late result that starts, from S4.
    pub started: Started,
    /// What S8 does, and what issues.
    pub events: Events,
    /// Entries in use.
    pub pending: Expr,
    /// Entries with a shadow.
    pub shadowed: Expr,
    /// The contexts of the two slots.
    pub contexts: Vec<Context>,
    /// The two words of each.
    pub words: Vec<Vec<Expr>>,
}

impl Circuit {
    /// Builds it.
    pub fn elaborate(m: &Builder, shape: &Shape, inputs: &Inputs) -> Result<Self, ElaborationError> {
        m.comment("The scoreboard and the contexts.");
        let scoreboard = m.instance("scoreboard", &s3_scoreboard::elaborate(shape)?);
        let pushed = m.wire("pushed", &decode(&inputs.context, shape.slots).when(&inputs.push));
        let started = Started::forward(m, shape, "started");
        let events = Events::declare(m, shape, inputs);
        scoreboard.input("start_row_valid", &zeros(1)).input("start_row", &zeros(5 + shape.warp_bits()));
        scoreboard.input("push", &inputs.push).input("context_s2", &inputs.context).input("replays_s2", &zeros(1));
        scoreboard.input("replayed_entry_s2", &zeros(shape.entry_bits()));
        inputs.hazards.connect(&scoreboard, "s2");
        inputs.reserved.connect(&scoreboard, "reserved_s2");
        started.connect(&scoreboard, "s4");
        inputs.late.connect(&scoreboard, "late");
        scoreboard.input("shadows_s8", &events.shadows).input("shadow_warp_s8", &zeros(shape.warp_bits()));
        let follows = m.forward("follows", shape.slots);
        scoreboard.input("follows_s2", &follows.index(&inputs.context));
        let [entry, takes, pending, shadowed] =
            ["entry_s2", "takes_entry_s2", "pending", "shadowed"].map(|port| scoreboard.net(port));
        let word = inputs.word(m, &entry, &takes).pack();
        let mut circuit =
            Self { scoreboard, pushed, started, events, pending, shadowed, contexts: Vec::new(), words: Vec::new() };
        let module = s3_context::elaborate(shape)?;
        circuit.contexts = (0..shape.slots)
            .map(|slot| circuit.context(m, shape, inputs, &m.instance(SIDES[slot], &module), slot))
            .collect();
        m.drive(&follows, &circuit.column(|context| &context.follows));
        circuit.words = (0..shape.slots).map(|slot| circuit.words_of(m, &word, slot)).collect();
        Ok(circuit)
    }

    /// A bit, or more, of each context.
    pub fn column(&self, of: impl Fn(&Context) -> &Expr) -> Expr {
        join(self.contexts.iter().map(of))
    }

    fn context(&self, m: &Builder, shape: &Shape, inputs: &Inputs, instance: &Instance, slot: usize) -> Context {
        let (name, entries, Events { flush, issue, .. }) = (SIDES[slot], shape.late_results, &self.events);
        let lacking = zeros(Needs::bits(shape));
        instance.input("push", &self.pushed.bit(slot)).input("picked", &inputs.picked.bit(slot));
        instance.input("elects_s2", &inputs.elects);
        instance.input("needs_s2", &lacking).input("lacking", &lacking);
        instance.input("running", &ones(1)).input("record_ends", &zeros(1));
        if shape.contexts() > 1 {
            instance.input("held_back", &zeros(1));
        }
        self.scoreboard.feeds(instance, &["depends_s2", "reads_last_s2"]);
        let flushed = m.fault(&format!("the_{name}_buffer_is_not_flushed"), &flush.bit(slot), &zeros(1));
        instance.input("flush", &flushed).input("record", &zeros(1));
        instance.input("sibling_issues", &issue.bit(slot ^ 1));
        let shadows = self.shadowed.lane(slot ^ 1, entries);
        let shadows = m.fault(&format!("the_{name}_slot_ignores_shadows"), &shadows, &zeros(entries));
        instance.input("pending", &join([&self.pending.lane(slot, entries), &shadows]));
        let output = |port: &str| instance.output_as(port, &format!("{port}_{name}"));
        Context {
            ready: output("ready"),
            room: output("room"),
            follows: output("follows"),
            read_position: output("read_position"),
            write_position: output("write_position"),
            present: output("present_now"),
            full: output("full_now"),
            depends: output("depends_held"),
        }
    }

    /// Registers for the two words that a slot buffers.
    fn words_of(&self, m: &Builder, word: &Expr, slot: usize) -> Vec<Expr> {
        let register = |position: u64| {
            let here = &self.pushed.bit(slot) & self.contexts[slot].write_position.is(position);
            let held = m.register(&format!("word_{}_{position}", SIDES[slot]), word.width());
            held.next(word).enable(&here);
            held.q()
        };
        (0..2).map(register).collect()
    }

    /// The oldest word of each slot.
    pub fn heads(&self) -> Vec<Expr> {
        self.contexts.iter().zip(&self.words).map(|(context, words)| select(&context.read_position, words)).collect()
    }
}
