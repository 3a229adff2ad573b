//! The proved circuit: the scoreboard and both contexts of one warp, with notes on the words that they buffer.

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, decode, join, ones, select, zeros};

use super::Inputs;
use crate::divergence::flag;
use crate::shape::Shape;
use crate::stages::s3_context::{self, Needs};
use crate::stages::s3_scoreboard::{self, Started};

pub const SIDES: [&str; 2] = ["left", "right"];

rtl::bundle! {
    pub struct Waiting(shape: &Shape) {
        entry: shape.entry_bits(),
        takes: 1,
        rd: 5,
        writes: 1,
        touches: 1,
    }
}

/// The actions of S8 on the slots of the warp, and the issues of S3.
pub struct Events {
    pub resolves: Expr,
    pub slot: Expr,
    /// The slot, one-hot.
    pub own: Expr,
    /// Slots whose entries in use are copied to their shadow bits.
    pub shadows: Expr,
    pub restarted: Expr,
    /// Slots to fetch again, one cycle later, when their buffers are emptied.
    pub flush: Expr,
}

impl Events {
    /// Declares the events of an instruction that the stages after S3 define later.
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
        Self { resolves, slot, own, shadows, restarted, flush }
    }
}

/// The state of a context of S3.
pub struct Context {
    pub ready: Expr,
    pub room: Expr,
    /// The preceding instruction has come since the last resteer.
    pub follows: Expr,
    /// The position of the older of its two words.
    pub read_position: Expr,
    pub write_position: Expr,
    pub present: Expr,
    pub full: Expr,
    /// The entries that the oldest word waits for, and those of the word behind it.
    pub depends: Expr,
}

pub struct Circuit {
    pub scoreboard: Instance,
    pub pushed: Expr,
    /// The instruction with a long-latency result that leaves S4.
    pub started: Started,
    pub events: Events,
    pub pending: Expr,
    pub shadowed: Expr,
    pub contexts: Vec<Context>,
    pub words: Vec<Vec<Expr>>,
}

impl Circuit {
    pub fn elaborate(m: &Builder, shape: &Shape, inputs: &Inputs) -> Result<Self, ElaborationError> {
        m.comment("Scoreboard and contexts.");
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

    pub fn column(&self, of: impl Fn(&Context) -> &Expr) -> Expr {
        join(self.contexts.iter().map(of))
    }

    fn context(&self, m: &Builder, shape: &Shape, inputs: &Inputs, instance: &Instance, slot: usize) -> Context {
        let (name, entries, Events { flush, .. }) = (SIDES[slot], shape.late_results, &self.events);
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
        instance.input("sibling_issues", &inputs.picked.bit(slot ^ 1));
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

    /// Declares registers for the two words that a slot buffers.
    fn words_of(&self, m: &Builder, word: &Expr, slot: usize) -> Vec<Expr> {
        let register = |position: u64| {
            let here = &self.pushed.bit(slot) & self.contexts[slot].write_position.is(position);
            let held = m.register(&format!("word_{}_{position}", SIDES[slot]), word.width());
            held.next(word).enable(&here);
            held.q()
        };
        (0..2).map(register).collect()
    }

    pub fn heads(&self) -> Vec<Expr> {
        self.contexts.iter().zip(&self.words).map(|(context, words)| select(&context.read_position, words)).collect()
    }
}
