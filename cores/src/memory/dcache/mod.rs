//! `dcache.bytes`: a data cache between the pipeline and its memory. Direct mapped, write-through, without
//! allocation for stores. Lines are those of the port, a word for each lane.
//!
//! An accepted request reads its tag and the banks at once, and is looked up in the next cycle:
//!
//! - a load that finds its line is answered. One whose line is on its way joins the refill. Any other leaves for
//!   memory, and begins a refill, unless one is on its way into the same line of the cache;
//! - a store writes the line if it is there, and enters the write buffer;
//! - an atomic operation is a load, a store or both ([`atomics`]), so memory gets loads and stores alone.
//!
//! Loads are answered with what memory would hold if all requests were performed in order of acceptance:
//!
//! - a store to a line whose refill is on its way: the loads before it get the answer, the line is not installed, and no
//!   later load joins;
//! - a load does not leave while the write buffer has an entry of its line. Behind the buffer requests leave in order;
//! - an error answer of the bus is none ([`axi4`](super::axi4)), so it installs nothing.
//!
//! An access to a window passes the cache alone ([`window`]).
//!
//! In a cycle with an answer of memory no request is looked up: the answer has the port of the pipeline, and a
//! refill the banks. A look-up is repeated if its line was written when it was read. After reset, and at
//! `dcache_empty`, a sweep over all tags empties the cache, and no request is accepted.
//!
//! Storage: that of [`lines`], [`refills`], [`write_buffer`] and [`atomics`]; the request that is looked up, and a
//! request that leaves without its data, in registers.

mod atomics;
mod lines;
mod refills;
mod window;
mod write_buffer;

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, Module, Register, clog2, increment, join, ones, zeros};
use weft_config::extension::A;

use super::port::{Request, request_outputs};
use super::{Adaptor, address, reset_at_start, row_bits};
use crate::formal::points;
use crate::shape::Shape;
use atomics::Atomics;
use lines::Tag;
use window::Window;

pub const ADAPTOR: Adaptor =
    Adaptor { is_wanted: |config| config.dcache.exists(), elaborate, storage: None, posts_stores: true };

/// The sizes of a cache.
pub struct Geometry {
    threads: usize,
    outstanding: usize,
    tag_bits: usize,
    /// Bits of the number of a line in RAM.
    row_bits: usize,
    /// Bits of the number of a line in the cache.
    index_bits: usize,
}

impl Geometry {
    fn of(shape: &Shape) -> Self {
        let row_bits = row_bits(shape);
        Self {
            threads: shape.threads,
            outstanding: shape.outstanding,
            tag_bits: shape.tag_bits(),
            row_bits,
            index_bits: clog2(shape.dcache_bytes as usize / (4 * shape.threads)).min(row_bits),
        }
    }

    fn lines(&self) -> usize {
        1 << self.index_bits
    }

    /// Bits of a row that the index does not have.
    fn upper_bits(&self) -> usize {
        self.row_bits - self.index_bits
    }
}

pub fn elaborate(shape: &Shape, _: Option<&dyn Fn(usize) -> String>) -> Result<Module, ElaborationError> {
    let geometry = &Geometry::of(shape);
    let m = Builder::new("dcache", "Data cache: answers loads of lines that it holds, and performs atomic operations.");
    reset_at_start(&m, shape);
    m.keep_inputs();
    m.timing(
        "a load that finds its line is answered in the cycle after its request. Any other request is at the next port \
         in the second cycle after it at the earliest. Answers of memory reach the pipeline in their own cycle.",
    );
    let port = Request::posted(&m, shape, shape.has(&A), "; the cache is to be emptied");
    let empties = m.input("dcache_empty", 1);
    let next = Next::declare(&m, shape);
    let cache = Cache::declare(&m, shape, geometry, &port, &next)?;
    let found = cache.decide(&m, &next);
    cache.look_up(&m, &empties, &found, &next);
    cache.write(&m, &found, &next);
    cache.leave(&m, shape, &found, &next);
    cache.answer(&m, shape, &found, &next);
    cache.points(&m, shape, &found, &next);
    m.finish()
}

rtl::inputs! {
    /// The ports towards memory.
    struct Next(m: &Builder, shape: &Shape) {
        #[group = "data memory behind the cache"]
        #[output("next_dmem_req_valid", 1)]
        ready: Expr = m.input("next_dmem_req_ready", 1),
        answers: Expr = {
            request_outputs(m, shape, "next_");
            m.input("next_dmem_rsp_valid", 1)
        },
        tag: Expr = m.input("next_dmem_rsp_tag", shape.tag_bits().max(1)).slice(0, shape.tag_bits()),
        data: Expr = m.input("next_dmem_rsp_data", shape.line_bits()),
        idle: Expr = if shape.has_bus { m.input("next_dmem_idle", 1) } else { ones(1) },
        /// No request is performed any more.
        failed: Expr = if shape.bus_fails() { m.input("next_dmem_failed", 1) } else { zeros(1) },
    }
}

/// The request that is looked up, and the parts of the cache.
struct Cache<'a> {
    geometry: &'a Geometry,
    /// The next request.
    port: Request,
    present: Register,
    accepted: Expr,
    request: Request,
    /// The request of the look-up is finished.
    done: Expr,
    /// The line was written when it was read, so it is read again.
    stale: Register,
    /// All tags are being invalidated.
    sweeps: Register,
    lines: Instance,
    refills: Instance,
    buffer: Instance,
    atomics: Option<Atomics>,
    window: Option<Window>,
    /// What a store writes.
    data: Expr,
}

impl<'a> Cache<'a> {
    fn declare(
        m: &Builder,
        shape: &Shape,
        geometry: &'a Geometry,
        port: &Request,
        next: &Next,
    ) -> Result<Self, ElaborationError> {
        m.comment("The request that is looked up.");
        let present = m.register("present", 1);
        let [stale, sweeps] = ["stale", "sweeps"].map(|name| m.register(name, 1));
        let [done, lists] = ["done", "lists"].map(|name| m.forward(name, 1));
        let ready = m.wire("ready", &((!&present | &done) & !(&lists | &sweeps)));
        let port = port.buffered(m, &ready);
        let accepted = m.wire("accepted", &(&port.valid & &ready));
        present.next(&(&accepted | (&present & !&done))).reset(0);
        let request = port.hold(m, &accepted);
        let atomics = Atomics::declare(m, shape, &request)?;
        let data = match &atomics {
            Some(atomics) => m.wire("stored", &request.op.is(1).mux(&request.data, &atomics.data)),
            None => request.data.clone(),
        };
        m.comment("Its line; the refills on their way; stores on their way.");
        let lines = m.instance("lines", &lines::elaborate(geometry)?);
        let refills = m.instance("refills", &refills::elaborate(geometry)?);
        refills.output_to("lists", &lists);
        refills.input("answered", &next.answers).input("answered_tag", &next.tag);
        refills.input("tag", &request.tag).input("row", &request.row);
        let buffer = m.instance("write_buffer", &write_buffer::elaborate(geometry)?);
        buffer.input("row", &request.row).input("mask", &request.mask).input("data", &data);
        let window = Window::declare(m, shape, &present, &request, &buffer);
        Ok(Self {
            geometry,
            port,
            present,
            accepted,
            request,
            done,
            stale,
            sweeps,
            lines,
            refills,
            buffer,
            atomics,
            window,
            data,
        })
    }

    fn index(&self, row: &Expr) -> Expr {
        row.slice(0, self.geometry.index_bits)
    }

    fn upper(&self, row: &Expr) -> Expr {
        row.from(self.geometry.index_bits)
    }

    /// Decides what becomes of the request.
    fn decide(&self, m: &Builder, next: &Next) -> Found {
        m.comment("What becomes of the request. It waits in cycles in which memory answers.");
        let Request { op, row, .. } = &self.request;
        let Tag { upper, valid, pending, primary } = Tag::from_instance(&self.lines, self.geometry, "found");
        let waits = &next.answers | self.refills.net("lists");
        let stale = m.fault("answers_with_a_line_that_is_written", &self.stale.q(), &zeros(1));
        let acts = &self.present & !(waits | stale);
        let acts = self.window.as_ref().map_or_else(|| acts.clone(), |window| window.keep(m, &acts));
        let acts = m.wire("acts", &acts);
        let is_row = m.wire("is_row", &upper.eq(&self.upper(row)));
        let hit = m.wire("hit", &(&valid & &is_row));
        let in_refill = m.wire("in_refill", &(&pending & &is_row));
        let [is_load, is_store] = [("is_load", 0), ("is_store", 1)].map(|(name, code)| m.wire(name, &op.is(code)));
        let (reads, stores) = match &self.atomics {
            Some(atomics) => (is_load | atomics.reads(m), is_store | atomics.stores(m)),
            None => (is_load, is_store),
        };
        let (reads, stores) = (m.wire("reads", &reads), m.wire("stores", &stores));
        let live = self.refills.net("primary_is_live");
        let joinable = &in_refill & m.fault("load_joins_a_refill_before_a_store", &live, &ones(1));
        let joinable = m.wire("joinable", &joinable);
        let behind_store = m.fault("load_overtakes_a_buffered_store", &self.buffer.net("holds_row"), &zeros(1));
        let misses = m.wire("misses", &(&reads & !(&hit | &joinable)));
        let blocked = m.wire("is_behind_a_store", &(&misses & behind_store));
        let load_leaves = m.forward("load_leaves", 1);
        let load_done = m.wire("load_is_done", &(&reads & (&hit | &joinable | &load_leaves)));
        let enters = m.wire("enters", &(&acts & &stores & self.buffer.net("takes")));
        let (done, verdict) = match &self.atomics {
            Some(atomics) => {
                // A failed SC stores nothing.
                let fails = &atomics.knows & &atomics.is_conditional & !&stores;
                let verdict = m.wire("sc_is_answered", &(&atomics.is_conditional & (&enters | (&acts & fails))));
                ((&acts & &load_done & !&atomics.is_amo) | &enters | &verdict, verdict)
            }
            None => ((&acts & &load_done) | &enters, zeros(1)),
        };
        let done = self.window.as_ref().map_or_else(|| done.clone(), |window| done.clone() | &window.leaves);
        m.drive(&self.done, &done);
        self.refills.input("primary", &primary);
        let one = |name: &str, value: Expr| m.wire(name, &value);
        let waits_for_buffer = &blocked | &stores;
        let waits_for_buffer = match &self.window {
            Some(_) => waits_for_buffer | &self.request.window,
            None => waits_for_buffer,
        };
        Found {
            answered: one("load_hits", &acts & &reads & &hit),
            joins: one("joins", &acts & &reads & &joinable),
            wants: one("load_wants", &acts & &misses & !&blocked),
            waits_for_buffer: one("waits_for_buffer", &self.present & !&self.done & waits_for_buffer),
            enters,
            verdict,
            leaves: load_leaves,
            hit,
            in_refill,
            pending,
        }
    }

    /// Reads the line of the request, or of a list that is being answered.
    fn look_up(&self, m: &Builder, empties: &Expr, found: &Found, next: &Next) {
        m.comment("The look-up, and its repetition if the line changes at its edge or later.");
        let [list_reads, list_index] = ["list_reads", "list_index"].map(|port| self.refills.net(port));
        let own = self.index(&self.request.row);
        let lists = self.refills.net("lists");
        let repeats = m.wire("repeats", &(&self.stale & !&lists));
        self.lines.input("looks_up", &(&self.accepted | &repeats)).input("reads", &list_reads);
        // A request for a window is done without a look-up, so it reads for the next request.
        let again = match &self.window {
            Some(window) => m.fault("window_is_read_again", &(&*self.stale & !&window.is_held), &self.stale.q()),
            None => self.stale.q(),
        };
        let again = again.mux(&own, &self.index(&self.port.row));
        self.lines.input("read_index", &m.wire("read_index", &list_reads.mux(&list_index, &again)));
        let filled = m.wire("filled_index", &self.index(&self.refills.net("answered_row")));
        let written = m.wire("written_index", &next.answers.mux(&filled, &own));
        let fills = self.refills.net("is_refill");
        let stores = &found.enters & &found.hit;
        let changes = m.wire("changes", &(&fills | stores | &found.leaves));
        let stays = m.wire("stays", &(&self.present & !&self.done));
        let comes = m.fault("look_up_of_no_request_is_repeated", &self.accepted, &ones(1));
        let lost = m.fault("look_up_reads_the_line_of_a_list", &lists, &zeros(1));
        let own_changes = lost | (&fills & filled.eq(&own));
        let next_changes = comes & &changes & written.eq(&self.index(&self.port.row));
        self.stale.next(&stays.mux(&own_changes, &next_changes)).reset(0);

        m.comment("The sweep over all tags.");
        let empty = m.wire("is_empty", &!(&self.present | self.refills.net("any_refill") | self.refills.net("lists")));
        let sweep = m.register("sweep_index", self.geometry.index_bits);
        let moves = m.wire("sweep_moves", &(&self.sweeps & empty));
        sweep.next(&increment(&sweep, 1)).enable(&moves).reset(0);
        let ends = &moves & sweep.all();
        let starts = m.fault("is_not_emptied", empties, &zeros(1));
        self.sweeps.next(&(starts | (&self.sweeps & !ends))).reset(1);
        let swept = m.fault("keeps_tags_in_a_sweep", &moves, &zeros(1));
        let index = moves.mux(&sweep, &written);
        let begins = &found.leaves & !&found.pending;
        self.lines.input("writes_tag", &m.wire("writes_tag", &(swept | fills | begins)));
        self.lines.input("tag_index", &m.wire("tag_index", &index));
    }

    /// Writes tags, banks, refills and write buffer.
    fn write(&self, m: &Builder, found: &Found, next: &Next) {
        m.comment(
            "A refill writes its line. A load that leaves begins one, unless another refill will write that line.",
        );
        let Request { row, tag, mask, .. } = &self.request;
        let fills = self.refills.net("is_refill");
        let answered_row = self.refills.net("answered_row");
        let replaces = m.fault("refill_takes_the_line_of_another", &found.pending, &zeros(1));
        let begins = m.wire("begins_refill", &(&found.leaves & !replaces));
        self.refills.input("starts", &found.leaves).input("fills", &begins).input("joins", &found.joins);
        self.refills.input("kills", &m.wire("kills", &(&found.enters & &found.in_refill)));
        let written = Tag {
            upper: next.answers.mux(&self.upper(&answered_row), &self.upper(row)),
            valid: &fills & self.refills.net("is_live"),
            pending: begins.clone(),
            primary: tag.clone(),
        };
        written.connect(&self.lines, "written");
        let stores = &found.enters & &found.hit;
        let bytes = next.answers.mux(&fills.repeat(mask.width()), &mask.when(&stores));
        self.lines.input("mask", &m.wire("written_bytes", &bytes));
        let index = next.answers.mux(&self.index(&answered_row), &self.index(row));
        self.lines.input("index", &index).input("data", &next.answers.mux(&next.data, &self.data));
        let window = self.window.as_ref().map(|window| &window.enters);
        self.buffer.input("push", &window.map_or_else(|| found.enters.clone(), |enters| &found.enters | enters));
    }

    /// Passes requests to memory: loads that miss, and the first of the write buffer. A load goes first, but not
    /// twice while the buffer waits.
    fn leave(&self, m: &Builder, shape: &Shape, found: &Found, next: &Next) {
        m.comment("The request at the next port. Loads overtake the write buffer, one at a time.");
        let Request { row, tag, .. } = &self.request;
        let waits = m.delay_reset("look_up_waits", &found.waits_for_buffer);
        let wants = self.buffer.net("wants");
        let valid = m.register("leaving", 1);
        let free = m.wire("is_free", &(!&valid | &next.ready));
        let overtook = m.register("overtook", 1);
        m.drive(&found.leaves, &(&found.wants & &free & !(&wants & &overtook)));
        let drains = m.wire("drains", &(&wants & &free & !&found.leaves));
        overtook.next(&(&found.leaves & &wants)).enable(&(&found.leaves | &drains)).reset(0);
        self.buffer.input("waits", &waits).input("leaves", &drains);
        let moves = m.wire("leaves_next", &(&found.leaves | &drains));
        valid.next(&(&moves | !&free)).reset(0);
        let register = |name: &str, value: &Expr| m.hold(name, value, &moves);
        let loads = found.leaves.clone();
        let loads =
            self.window.as_ref().map_or(loads, |window| &found.leaves | window.loads(m, &drains, &self.request));
        let loads = register("leaving_load", &loads);
        let row = register("leaving_row", &found.leaves.mux(row, &self.buffer.net("first_row")));
        let tag = register("leaving_tag", tag);
        let address = match &self.window {
            Some(window) => window.leave(m, &self.request, &moves, &address(shape, &row)),
            None => address(shape, &row),
        };
        m.output("next_dmem_req_valid", &valid);
        m.output("next_dmem_req_op", &(!&loads).extend(4));
        m.output("next_dmem_req_addr", &address);
        m.output("next_dmem_req_tag", &tag.extend(shape.tag_bits().max(1)));
        m.output("next_dmem_req_mask", &self.buffer.net("left_mask"));
        m.output("next_dmem_req_data", &self.buffer.net("left_data"));
        let busy = m.register("busy", 1);
        let works = &self.port.valid | &self.present | self.buffer.net("any") | &valid | self.refills.net("lists");
        // The bus knows of loads on their way. After an error it answers none, and drops what is left here.
        let works = if shape.has_bus { works & !&next.failed } else { works | self.refills.net("any_load") };
        busy.next(&m.fault("is_idle_with_buffered_stores", &works, &self.port.valid)).reset(0);
        m.output("dmem_idle", &(!&busy & &next.idle));
    }

    /// Answers the pipeline.
    fn answer(&self, m: &Builder, shape: &Shape, found: &Found, next: &Next) {
        m.comment("Answers: of memory, else of a list, else of the look-up.");
        let [list_answers, list_tag] = ["list_answers", "list_tag"].map(|port| self.refills.net(port));
        let own = list_answers.mux(&list_tag, &self.request.tag);
        let valid = m.wire("answers", &(&next.answers | list_answers | &found.answered | &found.verdict));
        let tag = m.wire("answered_tag", &next.answers.mux(&next.tag, &own));
        let line = m.wire("answered_line", &next.answers.mux(&next.data, &self.lines.net("line")));
        m.output("dmem_rsp_valid", &valid);
        m.output("dmem_rsp_tag", &tag.extend(shape.tag_bits().max(1)));
        let Some(atomics) = &self.atomics else {
            m.output("dmem_rsp_data", &line);
            return;
        };
        m.comment("A store-conditional answers 0 if it wrote, otherwise 1.");
        let verdict = (!&atomics.holds).extend(32).repeat(shape.threads);
        m.output("dmem_rsp_data", &found.verdict.mux(&verdict, &line));
        let own = &valid & tag.eq(&self.request.tag);
        let asks = &found.joins | &found.leaves;
        let written = join(self.request.mask.lanes(4).iter().map(Expr::any)).when(&found.enters);
        atomics.update(m, [&self.present, &asks, &self.done], [&own, &line], &written);
    }

    fn points(&self, m: &Builder, shape: &Shape, found: &Found, next: &Next) {
        let found = [
            ("a_load_hits", found.answered.clone()),
            ("a_load_joins_a_refill", found.joins.clone()),
            ("a_load_finds_another_refill", &found.leaves & &found.pending),
            ("a_store_kills_a_refill", &found.enters & &found.in_refill),
            ("a_load_waits_for_a_store", &found.waits_for_buffer & self.request.op.is(0)),
            ("a_list_waits_for_memory", self.refills.net("list_answers") & &next.answers),
        ];
        points(m, shape, &found);
    }
}

/// The outcome of the look-up in a cycle.
struct Found {
    /// A load is answered from its line.
    answered: Expr,
    /// A load joins a refill.
    joins: Expr,
    /// A load is to leave for memory.
    wants: Expr,
    /// It leaves. The next port drives this.
    leaves: Expr,
    /// A store enters the write buffer.
    enters: Expr,
    /// SC is answered.
    verdict: Expr,
    waits_for_buffer: Expr,
    hit: Expr,
    /// The line's refill is on its way.
    in_refill: Expr,
    /// A refill is on its way into this line of the cache.
    pending: Expr,
}
