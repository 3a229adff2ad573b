//! The reconvergence table behind an instruction cache: an adaptor between its refills and the bus.
//!
//! The control block says where the table is: the entry of the pc `table_first` is at `table_base`, and the table covers
//! `table_bytes` of code. All three are multiples of a line. A line of code that the table covers has a line of entries, so
//! each of its refills is two requests: first for the code, whose beats are kept here, then for the entries. Its answer has
//! both, beat by beat. The entries of all other code are 0: nothing is known.
//!
//! After an error of the bus no request leaves. If one for entries could not, its refill is answered as an error, so that
//! the cache knows when nothing is in flight.
//!
//! Latency: none. Storage: a line of code, two line numbers, and for each of eight refills whether it has entries.

use rtl::{
    Builder, ElaborationError, Expr, MemoryStyle, Module, clog2, concat, decode, increment, ones, select, zeros,
};
use weft_config::{Config, MemoryKind};

use super::{Adaptor, reset_at_start};
use crate::control::TABLE;
use crate::formal::points;
use crate::shape::Shape;

pub const ADAPTOR: Adaptor = Adaptor { is_wanted, elaborate, storage: None, posts_stores: false };

/// Refills without an answer: up to seven of the cache, and the one that is requested.
const UNANSWERED: usize = 8;

fn is_wanted(config: &Config) -> bool {
    let reconverges = config.unit().is_ok_and(|unit| unit.reconverges);
    config.icache.exists() && config.memory.kind == MemoryKind::Axi4 && reconverges
}

fn elaborate(shape: &Shape, _: Option<&dyn Fn(usize) -> String>) -> Result<Module, ElaborationError> {
    let m = Builder::new("table_refills", "Reconvergence table: the entries of the lines of code.");
    reset_at_start(&m, shape);
    m.keep_inputs();
    m.timing("combinational from the bus to the cache and back. A line with entries takes the bus twice.");
    let lines = Lines::declare(&m, shape);
    let (cache, memory) = (Cache::declare(&m, shape), Memory::declare(&m, shape));
    let requests = Requests::declare(&m, shape, &lines, &cache, &memory);
    answer(&m, shape, &cache, &memory, &requests);
    m.finish()
}

/// Where the table is, in lines.
struct Lines {
    /// Bits of an address below the number of its line.
    below: usize,
    first: Expr,
    end: Expr,
    /// From a line of code to its entries.
    distance: Expr,
}

impl Lines {
    fn declare(m: &Builder, shape: &Shape) -> Self {
        m.port_group("the table: its address, and the code that it covers; constant in a run");
        let below = clog2(shape.icache_line_bytes as usize);
        let [base, first, bytes] = TABLE.map(|name| m.input(name, 32).from(below));
        let distance = m.delay("distance", &(base - &first));
        let end = m.delay("end_line", &(&first + bytes));
        Self { below, first, end, distance }
    }
}

rtl::inputs! {
    /// The port of the cache.
    struct Cache(m: &Builder, shape: &Shape) {
        #[group = "refills of the instruction cache, and their answers with code and entries"]
        valid: Expr = m.input("ifill_req_valid", 1),
        #[output("ifill_req_ready", 1)]
        address: Expr = m.input("ifill_req_addr", 32),
        #[output("ifill_rsp_valid", 1)]
        takes: Expr = {
            let takes = m.input("ifill_rsp_ready", 1);
            m.output_port("ifill_rsp_data", shape.ifill_bits);
            m.output_port("ifill_rsp_reconvergence", shape.ifill_bits);
            m.output_port("ifill_rsp_error", 1);
            m.output_port("ifill_failed", 1);
            takes
        },
    }
}

rtl::inputs! {
    /// The port of memory.
    struct Memory(m: &Builder, shape: &Shape) {
        #[group = "lines of memory, answered in order, in beats from the low end"]
        #[output("next_ifill_req_valid", 1)]
        ready: Expr = m.input("next_ifill_req_ready", 1),
        #[output("next_ifill_req_addr", 32)]
        answers: Expr = m.input("next_ifill_rsp_valid", 1),
        #[output("next_ifill_rsp_ready", 1)]
        data: Expr = m.input("next_ifill_rsp_data", shape.bus_bits),
        error: Expr = m.input("next_ifill_rsp_error", 1),
        /// No request is accepted any more.
        failed: Expr = m.input("next_ifill_failed", 1),
    }
}

/// The refills that memory has not answered, in a ring.
struct Requests {
    /// The oldest has entries.
    covered: Expr,
    /// No entries come any more for the oldest.
    is_cut: Expr,
    /// The parts of a beat that the code and the entries of the oldest are in.
    code_part: Expr,
    entries_part: Expr,
    /// The oldest is answered.
    answered: Expr,
}

impl Requests {
    fn declare(m: &Builder, shape: &Shape, lines: &Lines, cache: &Cache, memory: &Memory) -> Self {
        m.comment("Requests: for the code, and in a later cycle for its entries.");
        let second = m.register("asks_for_entries", 1);
        let line = cache.address.from(lines.below);
        let inside = !line.lt(&lines.first) & line.lt(&lines.end);
        let covered = m.wire("is_covered", &m.fault("each_line_has_entries", &inside, &ones(1)));
        let begins = m.wire("begins", &(&cache.valid & &memory.ready & !&second));
        let cut = m.wire("is_cut", &(&second & &memory.failed));
        second.next(&((&begins & &covered) | (&second & !(&memory.ready | &cut)))).reset(0);
        let entries = m.wire("line_of_entries", &(&line + &lines.distance));
        let asked = second.mux(&entries, &line);
        m.output("next_ifill_req_valid", &cache.valid);
        m.output("next_ifill_req_addr", &concat([&asked, &zeros(lines.below)]));
        m.output("ifill_req_ready", &((&memory.ready & (&*second | !&covered)) | &cut));
        m.output("ifill_failed", &(&memory.failed & !&second));

        m.comment("Refills without an answer. If one is cut it is the last.");
        let answered = m.forward("answered", 1);
        let bits = clog2(UNANSWERED);
        let [head, tail] = [("head", &answered), ("tail", &begins)].map(|(name, moves)| {
            let at = m.register(name, bits);
            at.next(&increment(&at, 1)).enable(moves).reset(0);
            at
        });
        let begun = m.wire("begun", &decode(&tail, UNANSWERED).when(&begins));
        let kept = |name: &str, value: &Expr| {
            let each: Vec<Expr> =
                (0..UNANSWERED).map(|at| m.hold(&format!("{name}_{at}"), value, &begun.bit(at))).collect();
            m.wire(name, &select(&head, &each))
        };
        let parts = clog2(shape.bus_bits / shape.ifill_bits);
        let was_cut = m.register("was_cut", 1);
        was_cut.next(&(&was_cut | &cut)).reset(0);
        let is_last = increment(&head, 1).eq(&tail);
        let found = [
            ("entries_wait_for_the_bus", &*second & !&memory.ready),
            ("a_bus_error_cuts_a_refill", cut),
            ("a_line_has_no_entries", &begins & !&covered),
        ];
        points(m, shape, &found);
        Self {
            covered: kept("has_entries", &covered),
            is_cut: m.fault("waits_for_entries_for_ever", &(&was_cut & is_last), &zeros(1)),
            code_part: kept("code_part", &line.slice(0, parts)),
            entries_part: kept("entries_part", &entries.slice(0, parts)),
            answered,
        }
    }
}

/// Answers the cache. The beats of code of a line with entries are kept until those of its entries come.
fn answer(m: &Builder, shape: &Shape, cache: &Cache, memory: &Memory, requests: &Requests) {
    m.comment("Answers.");
    let beats = 8 * shape.icache_line_bytes as usize / shape.ifill_bits;
    let paired = m.register("has_code", 1);
    let may_keep = m.wire("may_keep", &(&requests.covered & !&paired));
    let keeps = m.wire("keeps_code", &(&memory.answers & &may_keep));
    let ends_without = m.wire("ends_without_entries", &(&*paired & &requests.is_cut));
    let offers = m.wire("offers", &((&memory.answers & !&may_keep) | &ends_without));
    let passes = m.wire("passes", &(&offers & &cache.takes));
    let at = m.counter("beat", clog2(beats), &(&keeps | &passes));
    m.drive(&requests.answered, &(&passes & at.all()));
    paired.next(&((&keeps & at.all()) | (&paired & !&requests.answered))).reset(0);

    let parts = |part: &Expr| select(part, memory.data.lanes(shape.ifill_bits));
    let code = m.wire("code", &parts(&requests.code_part));
    let kept = if beats == 1 {
        m.hold("kept_code", &code, &keeps)
    } else {
        let memory = m.memory("kept_codes", beats, shape.ifill_bits, MemoryStyle::Distributed);
        memory.write(&keeps, &at, &code);
        memory.read("kept_code", &at)
    };
    let error = m.register("code_error", 1);
    error.next(&((&keeps & &memory.error) | (&error & !&requests.answered))).reset(0);
    let error = m.fault("an_error_of_code_is_lost", &error.q(), &zeros(1));
    let entries = parts(&requests.entries_part).when(&paired);
    m.output("next_ifill_rsp_ready", &(&may_keep | &cache.takes));
    m.output("ifill_rsp_valid", &offers);
    m.output("ifill_rsp_data", &paired.mux(&kept, &code));
    m.output("ifill_rsp_reconvergence", &m.fault("entries_are_unknown", &entries, &zeros(shape.ifill_bits)));
    m.output("ifill_rsp_error", &(error | &memory.error | ends_without));
}
