//! The refill that has arrived: its words go to the cache, and to the contexts that wait for them.
//!
//! First the tag is written; then the words, one a cycle. Between them, and after the last, the contexts that wait are
//! served, one at a time, in three steps: pick a context; select its word; present it to S2, as a *late* word.

use rtl::{
    Builder, Expr, Memory as Rows, MemoryStyle, Register, clog2, decode, encode, increment, join, lowest_one, ones,
    select, zeros,
};

use super::Cache;
use crate::shape::Shape;

pub struct Line {
    pub present: Register,
    /// The answer was an error.
    pub error: Register,
    /// Its words were written, and look-ups may read them.
    pub is_written: Expr,
    pub writes_tag: Expr,
    pub writes_word: Expr,
    /// The number of words written so far.
    pub written: Register,
    /// The word that is written or served, with its entry of the reconvergence table.
    pub word: Expr,
    /// A context is in the second step. Its word is late in the next cycle.
    pub picked: Expr,
    pub late: Late,
    /// For each context, the position of the word for which it waits.
    pub offsets: Rows,
    /// The refill ends.
    pub ends: Expr,
}

impl Line {
    /// `joins`: the look-up begins to wait for a refill on its way.
    pub fn declare(m: &Builder, shape: &Shape, cache: &Cache, joins: &Expr) -> Self {
        let Cache { port, refills, waits, .. } = cache;
        m.comment("The line that has arrived.");
        let [present, tagged, picked] = ["line_present", "line_is_tagged", "picked"].map(|name| m.register(name, 1));
        let (words, error) = arrives(m, shape, cache, &present);
        let ends = m.forward("refill_ends", 1);
        let stays = m.fault("a_fence_keeps_the_refills", &!&port.empty, &ones(1));
        let writes_tag = m.wire("writes_tag", &(&present & !&tagged & !&cache.sweep.active));
        present.next(&((&refills.arrived | (&present & !&ends)) & &stays)).reset(0);
        tagged.next(&((&writes_tag | (&tagged & !&ends)) & &stays)).reset(0);
        let bits = cache.sizes.offset;
        let written = m.register("written", bits + 1);
        let all_written = written.bit(bits);
        m.comment(
            "A word that is read at the edge of its write is undefined, so look-ups read the words a cycle later.",
        );
        let may_read = &present & &tagged & &all_written & !&error & !&ends & &stays;
        let is_written = m.delay_reset("is_written", &may_read);

        m.comment("Pick a context that waits for it: every second cycle, while words are written.");
        let waiting = waits.of(m, shape, &refills.head);
        let context = m.register("picked_context", shape.context_bits());
        let late = Late::declare(m, shape);
        let served = decode(&context, shape.contexts()).when(&picked) | late.served(shape);
        let may_pick = m.wire("may_pick", &(&present & &tagged & (&all_written | !&picked)));
        let unserved = m.wire("unserved", &(&waiting & !served));
        let pick = m.wire("pick", &lowest_one(&unserved).when(&may_pick));
        picked.next(&pick.any()).reset(0);
        context.next(&encode(&pick));

        m.comment("Select its word, or the next one to be written.");
        let offsets = m.memory("offsets", shape.contexts(), bits, MemoryStyle::Distributed);
        let offset = picked.mux(&offsets.read("picked_offset", &context), &written.slice(0, bits));
        let word = m.wire("word", &select(&offset, &words));
        let writes_word = m.wire("writes_word", &(&present & &tagged & !&picked & !&all_written));
        written.next(&increment(&written, 1).when(&tagged)).enable(&(&writes_word | &writes_tag));
        let still = waits.contexts.index(&context) & !port.cancelled.index(&context);
        let still = m.fault("serves_a_cancelled_fetch", &still, &ones(1));
        late.next(&(&picked & &present & still), [&context, &word, &error]);

        let joined = joins & &refills.matches_head;
        let joined = m.fault("a_refill_ends_as_a_miss_joins_it", &joined, &zeros(1));
        let is_over = &present & &tagged & &all_written & !&picked;
        m.drive(&ends, &(is_over & !(waiting.any() | joined)));
        Self {
            present,
            error,
            is_written,
            writes_tag,
            writes_word,
            written,
            word,
            picked: picked.q(),
            late,
            offsets,
            ends,
        }
    }
}

/// Takes the beats of an answer. Returns the words of the line, each with its entry of the reconvergence table, and whether
/// a beat was an error.
fn arrives(m: &Builder, shape: &Shape, cache: &Cache, present: &Register) -> (Vec<Expr>, Register) {
    let Cache { memory, refills, .. } = cache;
    let (line, beat) = (8 * shape.icache_line_bytes as usize, shape.ifill_bits);
    let ready = m.wire("takes_beat", &(!present | refills.outstanding.none()));
    m.output("next_ifill_rsp_ready", &ready);
    let taken = m.wire("beat_taken", &(&memory.answers & ready));
    let [words, entries] =
        [("line", line), ("line_entries", shape.entries_bits(line))].map(|(name, bits)| m.register(name, bits));
    let error = m.register("line_error", 1);
    let beats = (line / beat).max(1);
    let at = m.counter("beat", clog2(beats), &taken);
    error.next(&(&memory.error | (&error & at.any()))).enable(&taken);
    m.drive(&refills.answered, &(&taken & at.all()));
    let next = |kept: &Register, data: &Expr| {
        if beats > 1 {
            return join([&kept.from(beat), data]);
        }
        let parts = data.lanes(line);
        select(&refills.head_number.slice(0, clog2(parts.len())), &parts)
    };
    words.next(&next(&words, &memory.data)).enable(&taken);
    if !shape.reconverges {
        return (words.lanes(32), error);
    }
    entries.next(&next(&entries, &memory.entries)).enable(&taken);
    (words.lanes(32).iter().zip(entries.lanes(32)).map(|(word, entry)| join([word, &entry])).collect(), error)
}

/// The word of a missed fetch, in the cycle in which S2 takes it.
pub struct Late {
    pub valid: Register,
    context: Register,
    word: Register,
    error: Register,
}

impl Late {
    fn declare(m: &Builder, shape: &Shape) -> Self {
        let register = |name: &str, width: usize| m.register(&format!("late_{name}"), width);
        let (valid, context) = (register("valid", 1), register("context", shape.context_bits()));
        Self { valid, context, word: register("word", 32 + shape.entries_bits(32)), error: register("error", 1) }
    }

    fn next(&self, valid: &Expr, [context, word, error]: [&Expr; 3]) {
        self.valid.next(valid).reset(0);
        self.context.next(context);
        self.word.next(word);
        self.error.next(error);
    }

    pub fn served(&self, shape: &Shape) -> Expr {
        decode(&self.context, shape.contexts()).when(&self.valid)
    }

    /// Answers the pipeline with the late word, or with the verdict of the look-up.
    pub fn answer(&self, m: &Builder, shape: &Shape, [hits, context, word, missed]: [&Expr; 4]) {
        m.output("imem_rsp_valid", &(&self.valid | hits));
        m.output("imem_rsp_missed", missed);
        // A look-up that stalls is answered only in a cycle without a late word.
        m.output("imem_rsp_context", &self.valid.mux(&self.context, context));
        let word = self.valid.mux(&self.word, word);
        m.output("imem_rsp_data", &word.slice(0, 32));
        if shape.reconverges {
            m.output("imem_rsp_reconvergence", &word.from(32));
        }
        m.output("imem_rsp_error", &(&self.valid & &self.error));
    }
}
