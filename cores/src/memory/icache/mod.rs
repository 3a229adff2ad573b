//! The instruction cache (`icache.bytes`): direct mapped, in block RAM, between the fetch port of the pipeline and
//! memory.
//!
//! A hit is answered in the cycle after the fetch. A miss is answered too, without a word: its context then waits for a
//! *refill*, and the others go on. Up to [`REFILLS`] refills are in flight, each for one line, and memory answers them
//! in order. A context that misses a line on its way joins that refill. If all refills are taken, the look-up waits
//! (*stalled*), so they are given in the order of the misses.
//!
//! The refill itself serves the contexts that wait for it (`line`), so each gets its word even if the line is replaced
//! at once. Until all words are written each look-up of the line joins the refill, so nothing reads words that are being
//! written. Later look-ups hit, so the refill ends as soon as no context waits for it. A context that is resteered no
//! longer waits (`imem_cancelled`); the refill goes on.
//!
//! With `icache.prefetch` a miss also brings the next line (`prefetch`).
//!
//! `fence.i` empties the cache (`imem_empty`): a sweep writes each tag, and fetches wait. The answers to all requests
//! that were sent before are dropped, and the lines requested again. So a word that is fetched after `fence.i` is read
//! from memory after it. A bus error is an answer without a line to keep; its words are faults.
//!
//! Latency: 1 cycle for a hit. Storage: `icache.bytes` and the tags in block RAM; a line and 4 line numbers in
//! registers; 3 bits and the number of a word for each context.

mod line;
mod prefetch;
mod refills;

use rtl::{Builder, ElaborationError, Expr, Module, Register, concat, decode, join, lit, ones, zeros};

use self::line::Line;
use self::prefetch::Prefetch;
use self::refills::Refills;
use super::map::in_ram;
use super::{Adaptor, reset_at_start};
use crate::formal::points;
use crate::queue;
use crate::shape::Shape;

pub const ADAPTOR: Adaptor =
    Adaptor { is_wanted: |config| config.icache.exists(), elaborate, storage: None, posts_stores: false };

/// Refills in flight.
const REFILLS: usize = 4;

/// The sizes of the cache.
struct Sizes {
    /// Bits of the number of a word in its line, of a line in the cache, and of a line in memory.
    offset: usize,
    index: usize,
    number: usize,
    /// First address of RAM.
    base: u32,
}

impl Sizes {
    fn of(shape: &Shape) -> Self {
        let line = shape.icache_line_bytes;
        let index = rtl::clog2((shape.icache_bytes / line) as usize);
        let number = rtl::clog2(shape.ram_bytes as usize / line as usize).max(index);
        Self { offset: rtl::clog2(line as usize / 4), index, number, base: shape.ram_base }
    }

    fn number(&self, address: &Expr) -> Expr {
        address.slice(2 + self.offset, self.number)
    }

    /// The address of a line of memory.
    fn address(&self, number: &Expr) -> Expr {
        let above = 32 - 2 - self.offset - self.number;
        concat([&lit(above, u64::from(self.base) >> (32 - above)), number, &zeros(2 + self.offset)])
    }
}

fn elaborate(shape: &Shape, _: Option<&dyn Fn(usize) -> String>) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "icache",
        &format!("Instruction cache of {} bytes in lines of {}.", shape.icache_bytes, shape.icache_line_bytes),
    );
    reset_at_start(&m, shape);
    m.keep_inputs();
    m.timing(
        "a fetch accepted in cycle n is answered in n + 1: with its word, or as missed, unless all refills are taken. \
         The word of a missed fetch comes later, in a cycle in which no other is answered.",
    );
    let sizes = Sizes::of(shape);
    let (port, memory) = (Port::declare(&m, shape), Memory::declare(&m, shape));
    let sweep = Sweep::declare(&m, &sizes, &port.empty);
    let ready = m.forward("is_ready", 1);
    let prefetch = Prefetch::declare(&m, shape, &sizes, &port, &ready);
    let look = LookUp::declare(&m, shape, &sizes, &port, &prefetch, &ready);
    let refills = Refills::declare(&m, &sizes, &look.number);
    let cache = Cache { sizes, port, memory, sweep, refills, waits: Waits::declare(&m, shape) };
    let Cache { sizes, port, sweep, refills, waits, .. } = &cache;

    m.comment("The verdict. A line on its way is no hit until its words are written.");
    let tag = m.forward("tag", 1 + sizes.number - sizes.index);
    let known = m.wire("known", &(tag.bit(0) & tag.from(1).eq(&look.number.from(sizes.index))));
    let is_written = m.forward("line_is_written", 1);
    let may_hit = &known & &refills.matches_head & m.fault("a_line_is_joined_for_ever", &is_written, &zeros(1));
    let may_hit = m.fault("hits_while_the_line_is_written", &may_hit, &known);
    let on_its_way = m.wire("on_its_way", &(&refills.matched & !may_hit));
    let fresh = m.wire("fresh", &(&look.present & !&look.stalled));
    let found = m.wire("found", &(&fresh & (&known & !&on_its_way | &look.outside)));
    let coming = m.wire("is_coming", &(&fresh & !&look.outside & &on_its_way));
    let hits = m.wire("hits", &(&found & &prefetch.is_fetch));
    let joins = m.wire("joins", &(&coming & &prefetch.is_fetch));
    let wants = m.wire("wants_refill", &(&look.present & !(&found | &coming)));

    let line = Line::declare(&m, shape, &cache, &joins);
    m.drive(&is_written, &line.is_written);
    let begins = m.wire("begins", &(&wants & !(&refills.full | &line.late.valid)));
    refills.update(&m, &cache, &line.ends, [&begins, &look.number]);
    let stalls = m.wire("stalls", &(&wants & !&begins & &prefetch.is_fetch));
    look.stalled.next(&stalls).reset(0);
    look.present.next(&(((&port.valid | prefetch.waits()) & &ready) | stalls)).reset(0);
    prefetch.update(port, &ready, [&begins, &look.number]);
    let missed = m.wire("missed", &(&joins | (&begins & &prefetch.is_fetch)));
    let entry = joins.mux(&refills.matching, &refills.tail);
    waits.update(&m, shape, &port.cancelled, &line, [&missed, &look.context, &entry]);
    line.offsets.write(&missed, &look.context, &look.offset);

    m.comment("A look-up waits for the sweep, for a tag that is written, and for the word of a missed fetch.");
    let may_stall = &*look.present & (&refills.full | &look.stalled);
    m.drive(&ready, &!(&sweep.active | &port.empty | &line.writes_tag | &line.picked | may_stall));
    m.output("imem_req_ready", &ready);
    let word = cache.read(&m, shape, &line, &look.asked, &tag);
    line.late.answer(&m, shape, [&hits, &look.context, &word, &missed]);
    m.output("imem_waits", &waits.contexts);
    if shape.control {
        cache.idle(&m, &look, &prefetch);
    }
    let found = [
        ("a_miss_joins_a_refill", joins),
        ("a_look_up_stalls", look.stalled.q()),
        ("a_look_up_waits_for_a_late_word", &port.valid & &line.picked),
        ("a_wait_is_cancelled", (&waits.contexts & &port.cancelled).any()),
        ("a_fence_drops_refills", &port.empty & refills.outstanding.any()),
        ("a_fence_drops_a_line", &port.empty & &line.present),
    ];
    points(&m, shape, &found);
    if shape.icache_prefetches {
        points(&m, shape, &[("a_line_is_prefetched", &begins & !&prefetch.is_fetch)]);
    }
    m.finish()
}

/// The parts that others read.
struct Cache {
    sizes: Sizes,
    port: Port,
    memory: Memory,
    sweep: Sweep,
    refills: Refills,
    waits: Waits,
}

rtl::inputs! {
    /// The fetch port of the pipeline.
    struct Port(m: &Builder, shape: &Shape) {
        #[group = "fetches: a word or a miss in the next cycle; the word of a miss later"]
        valid: Expr = m.input("imem_req_valid", 1),
        #[output("imem_req_ready", 1)]
        address: Expr = m.input("imem_req_addr", 32),
        context: Expr = {
            let context = m.input("imem_req_context", shape.context_bits());
            m.output_port("imem_rsp_valid", 1);
            m.output_port("imem_rsp_missed", 1);
            m.output_port("imem_rsp_context", shape.context_bits());
            m.output_port("imem_rsp_data", 32);
            m.output_port("imem_rsp_reconvergence", shape.entries_bits(32));
            m.output_port("imem_rsp_error", 1);
            context
        },
        #[group = "contexts that wait for a refill; those whose fetch a resteer has overtaken; `fence.i`"]
        #[output("imem_waits", shape.contexts())]
        /// The contexts whose fetch, or wait, has been overtaken by a resteer.
        cancelled: Expr = m.input("imem_cancelled", shape.contexts()),
        empty: Expr = m.input("imem_empty", 1),
    }
}

rtl::inputs! {
    /// The port towards memory.
    struct Memory(m: &Builder, shape: &Shape) {
        #[group = "refills: answered in the order of the requests, in beats from the low end of the line"]
        #[output("next_ifill_req_valid", 1)]
        ready: Expr = m.input("next_ifill_req_ready", 1),
        #[output("next_ifill_req_addr", 32)]
        answers: Expr = m.input("next_ifill_rsp_valid", 1),
        #[output("next_ifill_rsp_ready", 1)]
        data: Expr = m.input("next_ifill_rsp_data", shape.ifill_bits),
        /// The entries of the reconvergence table of the same words.
        entries: Expr = m.input("next_ifill_rsp_reconvergence", shape.entries_bits(shape.ifill_bits)),
        error: Expr = m.input("next_ifill_rsp_error", 1),
        /// No request is accepted any more.
        failed: Expr = if shape.bus_fails() { m.input("next_ifill_failed", 1) } else { zeros(1) },
    }
}

/// The sweep that empties the cache, after reset and for `fence.i`.
struct Sweep {
    active: Register,
    at: Register,
}

impl Sweep {
    fn declare(m: &Builder, sizes: &Sizes, empty: &Expr) -> Self {
        m.comment("A sweep empties the cache.");
        let (active, at) = (m.register("sweeps", 1), m.register("sweep_at", sizes.index));
        let starts = m.fault("a_fence_keeps_the_lines", empty, &zeros(1));
        active.next(&(&starts | (&active & !at.all()))).reset(1);
        at.next(&rtl::increment(&at, 1).when(&!&starts)).enable(&(&active | &starts)).reset(0);
        Self { active, at }
    }
}

/// The fetch whose tag was read at the last clock edge, or that waits for a refill to become free.
struct LookUp {
    present: Register,
    /// It is a miss, found in an earlier cycle.
    stalled: Register,
    number: Expr,
    offset: Expr,
    context: Expr,
    /// The address is outside RAM: any word will do.
    outside: Expr,
    /// The address that is looked up next.
    asked: Expr,
}

impl LookUp {
    fn declare(m: &Builder, shape: &Shape, sizes: &Sizes, port: &Port, prefetch: &Prefetch, ready: &Expr) -> Self {
        m.comment("The look-up.");
        let taken = m.wire("taken", &((&port.valid | prefetch.waits()) & ready));
        let asked = prefetch.address(m, sizes, port);
        let hold = |name: &str, value: &Expr| m.hold(name, value, &taken);
        Self {
            present: m.register("looks_up", 1),
            stalled: m.register("stalled", 1),
            number: hold("looked_up", &sizes.number(&asked)),
            offset: hold("look_offset", &asked.slice(2, sizes.offset)),
            context: hold("look_context", &port.context),
            outside: hold("outside_ram", &!in_ram(shape, &asked)),
            asked,
        }
    }
}

/// The contexts that wait, and for which refill.
struct Waits {
    contexts: Register,
    entries: Register,
}

impl Waits {
    fn declare(m: &Builder, shape: &Shape) -> Self {
        m.comment("The contexts that wait, and the entries of their refills.");
        let contexts = m.register("waiting", shape.contexts());
        Self { contexts, entries: m.register("entries", rtl::clog2(REFILLS) * shape.contexts()) }
    }

    /// The contexts that wait for the refill of an entry.
    fn of(&self, m: &Builder, shape: &Shape, entry: &Expr) -> Expr {
        let bits = entry.width();
        m.wire_each(shape.each_context(), "waits_for_head", |context| {
            self.contexts.bit(context) & self.entries.lane(context, bits).eq(entry)
        })
    }

    fn update(&self, m: &Builder, shape: &Shape, cancelled: &Expr, line: &Line, [missed, context, entry]: [&Expr; 3]) {
        let bits = entry.width();
        let begins = m.wire("begins_to_wait", &decode(context, shape.contexts()).when(missed));
        let served = line.late.served(shape);
        let cancelled = m.fault("a_resteer_does_not_end_the_wait", cancelled, &zeros(shape.contexts()));
        self.contexts.next(&(((&self.contexts & !served) | &begins) & !cancelled)).reset(0);
        let next = m.wire_each(shape.each_context(), "next_entry", |context| {
            begins.bit(context).mux(entry, &self.entries.lane(context, bits))
        });
        self.entries.next(&next);
    }
}

impl Cache {
    /// Tells the control block that memory has answered all. After an error of the bus, memory takes no refill, and what
    /// would need one stays until the next start.
    fn idle(&self, m: &Builder, look: &LookUp, prefetch: &Prefetch) {
        let Self { memory, refills, .. } = self;
        let waits = &look.present | prefetch.waits() | refills.any();
        let works = (waits & !&memory.failed) | refills.at_memory(&memory.failed);
        m.port_group("no fetch is looked up, and no refill on its way");
        m.output("imem_idle", &!m.fault("is_idle_with_refills", &works, &look.present));
    }

    /// Declares tags and words. Drives the tag of the look-up, and returns its word.
    fn read(&self, m: &Builder, shape: &Shape, line: &Line, asked: &Expr, tag: &Expr) -> Expr {
        let Self { sizes, sweep, refills, .. } = self;
        m.comment("Tags: the bit that the line is there, and its number above the index.");
        let lines = 1 << sizes.index;
        let [number, head] = [&sizes.number(asked), &refills.head_number];
        let index = number.slice(0, sizes.index);
        let style = queue::style(lines, tag.width());
        let tags = m.memory("tags", lines, tag.width(), style);
        let kept = m.fault("a_line_with_an_error_is_kept", &!&line.error, &ones(1));
        let written = join([&(!&sweep.active & kept), &head.from(sizes.index)]);
        let at = sweep.active.mux(&sweep.at, &head.slice(0, sizes.index));
        tags.write(&(&sweep.active | &line.writes_tag), &at, &written);
        m.drive(tag, &queue::read_at_edge(m, &tags, style, "read_tag", &index));

        m.comment("Words.");
        let count = shape.icache_bytes as usize / 4;
        let bits = line.word.width();
        let style = queue::style(count, bits);
        let words = m.memory("words", count, bits, style);
        let at = join([&line.written.slice(0, sizes.offset), &head.slice(0, sizes.index)]);
        words.write(&line.writes_word, &at, &line.word);
        let at = join([&asked.slice(2, sizes.offset), &index]);
        queue::read_at_edge(m, &words, style, "read_word", &at)
    }
}
