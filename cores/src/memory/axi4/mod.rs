//! `memory.kind = "axi4"`: an AXI4 master behind the data port of the pipeline. The fetch port stays a port of the
//! top, or refills of the instruction cache share the channels of reads (`fetch`).
//!
//! A request waits in a register and leaves it for the bus in order. AXI keeps the order of writes with one ID, but
//! no order between a read and a write. So a request waits in the register:
//!
//! - a read, until every write of its line is answered;
//! - a write, until every read of its line is answered;
//! - any request, until an AMO on its line, or an AMO that had its tag, has begun to write back.
//!
//! All other requests are in flight together: loads, each with its tag as ID, and as many writes, all with ID 0. An
//! AMO reads, and then writes the new word back. A request takes its place in the order when it leaves the register.
//! So reservations are kept there, and SC is decided there.
//!
//! An answer never waits for a request channel, as AXI demands. A slave that serves one request at a time takes no
//! write while it offers an answer. So each answered AMO has an entry in which it waits for its write.
//!
//! A device in a window is accessed when nothing is in flight, and nothing leaves before its answer (`window`).
//!
//! An answer of SLVERR or DECERR carries no data. It is dropped, no further request leaves, and `bus_error_*` reports
//! it. AMOs that were answered before are still written back.
//!
//! Storage: the request; `outstanding` rows of reads and of writes, in registers and again in LUT RAM; the storage of
//! the modules below; the beats of a line for each load (`width`).

mod atomics;
mod channels;
mod fetch;
mod in_flight;
mod width;
mod window;

use rtl::{Builder, ElaborationError, Expr, Instance, Module, Register, join, ones, select_one_hot, zeros};
use weft_config::MemoryKind;

use self::fetch::Fetch;
use self::window::Window;
use super::port::Request;
use super::{Adaptor, address, row_bits};
use crate::shape::Shape;

pub const ADAPTOR: Adaptor = Adaptor {
    is_wanted: |config| config.memory.kind == MemoryKind::Axi4,
    elaborate,
    storage: None,
    posts_stores: true,
};

fn id_bits(shape: &Shape) -> usize {
    shape.tag_bits().max(1)
}

/// Text on latency and contract, for the head of the module.
fn timing(shape: &Shape) -> String {
    let waits = if shape.memory_has_atomics() { ", except in the cycle in which SC is answered" } else { "" };
    format!(
        "a request accepted in cycle n is on the bus in cycle n + 2 at the earliest; read data reach the pipeline in their \
         own cycle. Answers of the bus are taken at once{waits}."
    )
}

fn elaborate(shape: &Shape, _: Option<&dyn Fn(usize) -> String>) -> Result<Module, ElaborationError> {
    let m = Builder::new("axi4", "AXI4 master: puts the requests of the pipeline on the bus, and keeps their order.");
    m.keep_inputs();
    m.timing(&timing(shape));
    let restart = restart(&m, shape);
    let port = Request::posted(&m, shape, shape.memory_has_atomics(), ": nothing is in flight");
    let fetch = Fetch::declare(&m, shape);
    let bus = Bus::declare(&m, shape);
    let held = Held::declare(&m, shape, &port, &restart);
    let window = Window::declare(&m, shape, &held.request);
    let in_flight = InFlight::declare(&m, shape, &bus, &held)?;

    let delivered = m.wire("delivered", &(&in_flight.read_answered & !(&bus.read_error | &held.failed)));
    in_flight.instance.input("dropped", &dropped(&m, shape, &in_flight.read_answered, &delivered));
    let line = width::line(&m, shape, &bus, &in_flight.instance, window.as_ref());
    let atomics = Atomics::declare(&m, shape, &bus, &held, &in_flight, [&delivered, &line, &restart])?;
    let order =
        Order::declare(&m, &held, &in_flight, &atomics, fetch.as_ref(), window.as_ref().map(|window| (window, &bus)));

    m.comment("The request channels.");
    let channels = m.instance("channels", &channels::elaborate(shape, row_bits(shape))?);
    let request = &held.request;
    channels.input("read", &in_flight.read).input("tag", &request.tag).input("row", &request.row);
    channels.input("write", &in_flight.write).input("written_row", &in_flight.written_row);
    channels.output_to("read_free", &order.read_free).output_to("write_free", &order.write_free);
    if let Some(fetch) = &fetch {
        let starts = fetch.start(&m, shape, [&order.read_free, &in_flight.read, &held.failed]);
        channels.input("refill", &starts).input("refill_address", &fetch.address);
        fetch.answer(&m, &bus);
    }
    if let Some(window) = &window {
        window.connect(&channels);
    }
    let [mask, data] = atomics.written(shape, request, &order.rewrite);
    channels.input("mask", &mask).input("data", &data);
    bus.connect(&m, &channels);

    atomics.answer(&m, shape, &bus, &delivered, &line, fetch.as_ref());
    let busy = m.register("busy", 1);
    let in_flight_now = in_flight.instance.output("any");
    let works = if shape.control {
        // A request that waits after an error never leaves, and a start drops it.
        &held.offered | (&held.present & !&held.failed) | in_flight_now
    } else {
        &held.offered | &held.present | in_flight_now | &held.failed
    };
    busy.next(&m.fault("is_idle_with_requests_in_flight", &works, &held.offered)).reset(0);
    m.output("dmem_idle", &!&busy);
    if shape.bus_fails() && shape.has_dcache() {
        m.output("dmem_failed", &held.failed);
    }
    bus.report(&m, shape, &held.failed, &restart, &in_flight.instance, window.as_ref());
    m.finish()
}

/// Whether the control block begins a run; never without one. Nothing is in flight then.
fn restart(m: &Builder, shape: &Shape) -> Expr {
    if !shape.control {
        return zeros(1);
    }
    m.port_group("a run begins: reservations, and the error, of the last one are dropped");
    m.input("restart", 1)
}

/// Whether an answered read does not reach the pipeline. An AMO is then not written back; only a control block asks.
fn dropped(m: &Builder, shape: &Shape, answered: &Expr, delivered: &Expr) -> Expr {
    if !shape.control {
        return zeros(0);
    }
    m.fault("amo_of_a_failed_read_is_in_flight", &(answered & !delivered), &zeros(1))
}

struct Held {
    request: Request,
    present: Register,
    /// A request is at the port, or waits in its skid buffer.
    offered: Expr,
    /// The waiting request leaves. The ordering rule drives this.
    leaves: Expr,
    /// An answer was an error, so no further request leaves.
    failed: Register,
    stores: Expr,
    /// The request is an AMO: it reads, and is written back.
    rewrites: Expr,
    reads: Expr,
}

impl Held {
    fn declare(m: &Builder, shape: &Shape, port: &Request, restart: &Expr) -> Self {
        m.comment("The request that waits for the bus.");
        let failed = m.register("failed", 1);
        let present = m.register("present", 1);
        let leaves = m.forward("leaves", 1);
        let ready = !&present | &leaves;
        // After an error a control block ends the run: requests that are still offered are taken, and not performed.
        let ready = if shape.control {
            ready | m.fault("an_error_holds_requests_at_the_port", &failed.q(), &zeros(1))
        } else {
            ready
        };
        let ready = m.wire("ready", &ready);
        // Behind a data cache a further place would let more stores go before a load that could overtake them.
        let buffered;
        let port = if shape.has_dcache() {
            m.output("dmem_req_ready", &ready);
            port
        } else {
            buffered = port.buffered(m, &ready);
            &buffered
        };
        let taken = m.wire("taken", &(&port.valid & &ready));
        let stays = &present & !&leaves;
        let stays = if shape.control { stays & !restart } else { stays };
        present.next(&(&taken | stays)).reset(0);
        let request = port.hold(m, &taken);
        let op = &request.op;
        let stores = m.wire("stores", &op.is(1));
        let rewrites = if shape.memory_has_atomics() { m.wire("rewrites", &op.from(2).any()) } else { zeros(1) };
        let reads = m.wire("reads", &(&rewrites | !op.bit(0)));
        Self { request, present, offered: port.valid.clone(), leaves, failed, stores, rewrites, reads }
    }
}

/// The requests in flight: the module that tracks them, and starts and ends.
struct InFlight {
    instance: Instance,
    /// A read goes to the bus. The ordering rule drives this.
    read: Expr,
    write: Expr,
    written_row: Expr,
    read_answered: Expr,
}

impl InFlight {
    fn declare(m: &Builder, shape: &Shape, bus: &Bus, held: &Held) -> Result<Self, ElaborationError> {
        m.comment("The requests in flight.");
        let [read, write] = ["read", "write"].map(|name| m.forward(name, 1));
        let written_row = m.forward("written_row", row_bits(shape));
        let read_last = m.fault("first_beat_completes_a_read", &bus.read_last, &ones(1));
        let read_answered = m.wire("read_answered", &(&bus.read_answer & read_last));
        let write_answered = m.fault("awready_ends_a_write", &bus.write_answer, &bus.write_ready[0]);
        let instance = m.instance("in_flight", &in_flight::elaborate(shape, row_bits(shape))?);
        instance.input("row", &held.request.row).input("read", &read).input("tag", &held.request.tag);
        instance.input("rewrites", &held.rewrites);
        instance.input("read_answered", &read_answered).input("answered_tag", &bus.read_tag);
        instance.input("write", &write).input("written_row", &written_row).input("write_answered", &write_answered);
        Ok(Self { instance, read, write, written_row, read_answered })
    }
}

/// Reservations, and AMOs that must be written back; none without `isa.a`.
struct Atomics {
    instance: Option<Instance>,
    /// An AMO must be written back.
    waiting: Expr,
}

impl Atomics {
    fn declare(
        m: &Builder,
        shape: &Shape,
        bus: &Bus,
        held: &Held,
        in_flight: &InFlight,
        [delivered, line, restart]: [&Expr; 3],
    ) -> Result<Self, ElaborationError> {
        if !shape.memory_has_atomics() {
            return Ok(Self { instance: None, waiting: zeros(1) });
        }
        m.comment("Atomic operations: reservations, and words to be written back.");
        let Request { op, row, tag, mask, data, hart, .. } = &held.request;
        let word = m.wire("word", &join(mask.lanes(4).iter().map(Expr::any)));
        let atomics = m.instance("atomics", &atomics::elaborate(shape)?);
        atomics.input("restart", &restart.slice(0, usize::from(shape.control)));
        // A row of a window is none of RAM, so it ends no reservation.
        let leaves = if shape.has_windows() {
            m.fault("window_ends_reservations", &(&held.leaves & !&held.request.window), &held.leaves)
        } else {
            held.leaves.clone()
        };
        atomics.input("leaves", &leaves).input("read", &in_flight.read);
        atomics.input("op", op).input("row", row).input("tag", tag).input("word", &word).input("hart", hart);
        atomics.input("operand", &select_one_hot(&word, data.lanes(32)));
        atomics.input("delivered", delivered).input("answered_tag", &bus.read_tag).input("line", line);
        atomics.input("answered_row", &in_flight.instance.net("answered_read_row"));
        Ok(Self { waiting: atomics.net("rewrite_waits"), instance: Some(atomics) })
    }

    /// An output of the module; 0 without it.
    fn net(&self, port: &str, width: usize) -> Expr {
        self.instance.as_ref().map_or_else(|| zeros(width), |atomics| atomics.net(port))
    }

    /// Bytes and data of the write on the bus, from the request or from an AMO that is written back.
    fn written(&self, shape: &Shape, request: &Request, rewrite: &Expr) -> [Expr; 2] {
        let Some(atomics) = &self.instance else { return [request.mask.clone(), request.data.clone()] };
        atomics.input("rewritten", rewrite);
        let mask = join(atomics.net("rewrite_word").lanes(1).iter().map(|word| word.repeat(4)));
        let word = atomics.net("new_word").repeat(shape.threads);
        [rewrite.mux(&mask, &request.mask), rewrite.mux(&word, &request.data)]
    }

    /// Answers the pipeline with a line from the bus, or with the result of SC.
    fn answer(&self, m: &Builder, shape: &Shape, bus: &Bus, delivered: &Expr, line: &Expr, fetch: Option<&Fetch>) {
        m.comment("Answers. In the cycle of SC's answer none is taken from the bus. Nothing else may delay one.");
        let decided = self.net("decided", 1);
        let verdict = self.net("verdict", 1).extend(32).repeat(shape.threads);
        let read_waits = m.fault("read_is_answered_beside_sc", &decided, &zeros(1));
        let read_waits = m.fault("answer_waits_for_amo_to_write", &read_waits, &(&decided | &self.waiting));
        let takes = fetch.map_or_else(|| !&read_waits, |fetch| !&read_waits & &fetch.takes);
        m.drive(&bus.read_ready, &takes);
        m.output("m_axi_rready", &bus.read_ready);
        m.output("m_axi_bready", &ones(1));
        m.output("dmem_rsp_valid", &(delivered | m.fault("sc_is_not_answered", &decided, &zeros(1))));
        let has_sc_tag = m.fault("sc_is_answered_with_rid", &decided, &zeros(1));
        let tag = has_sc_tag.mux(&self.net("decided_tag", shape.tag_bits()), &bus.read_tag);
        m.output("dmem_rsp_tag", &tag.extend(id_bits(shape)));
        m.output("dmem_rsp_data", &decided.mux(&verdict, line));
    }
}

struct Order {
    read_free: Expr,
    write_free: Expr,
    rewrite: Expr,
}

impl Order {
    /// The ordering rule (see the module). Lets the request leave, to read or to write.
    fn declare(
        m: &Builder,
        held: &Held,
        in_flight: &InFlight,
        atomics: &Atomics,
        fetch: Option<&Fetch>,
        window: Option<(&Window, &Bus)>,
    ) -> Self {
        m.comment("The ordering rule. An AMO that is written back goes first.");
        let Held { request: Request { op, row, tag, .. }, stores, rewrites, reads, leaves, .. } = held;
        let [read_free, write_free] = ["read_free", "write_free"].map(|name| m.forward(name, 1));
        let may_store = m.fault("sc_stores_without_reservation", &atomics.net("reserved", 1), &ones(1));
        let conditional = m.wire("stores_conditionally", &(op.is(3) & may_store));
        let writes = m.wire("writes", &(stores | &conditional));
        let uses_bus = m.wire("uses_bus", &(reads | &writes));
        let in_flight_has = |port: &str| in_flight.instance.net(port);
        let is_written = m.fault("read_does_not_wait_for_write", &in_flight_has("writes_row"), &zeros(1));
        let tag_is_taken = in_flight_has("rewrites_tag");
        let tag_is_taken = m.fault("read_does_not_wait_for_amo_of_its_tag", &tag_is_taken, &zeros(1));
        let read_waits = reads & (is_written | tag_is_taken);
        let store = m.fault("store_does_not_wait_for_read", &writes, &zeros(1));
        let amo = m.fault("amo_does_not_wait_for_read", rewrites, &zeros(1));
        let write_waits = (store | amo) & in_flight_has("reads_row");
        let both_wait = &uses_bus & in_flight_has("rewrites_row");
        let both_wait = m.fault("request_does_not_wait_for_amo", &both_wait, &zeros(1));
        let held_back = m.wire("held_back", &(read_waits | write_waits | both_wait));
        let writes_full = m.fault("writes_have_no_limit", &in_flight_has("writes_full"), &zeros(1));
        let may_write = m.wire("may_write", &(&write_free & !&writes_full));
        let rewrite = m.wire("rewrite", &(&atomics.waiting & &may_write));
        let amo_is_first = m.fault("store_does_not_let_amo_go_first", &atomics.waiting, &zeros(1));
        let may_read = fetch.map_or_else(|| read_free.clone(), |fetch| &read_free & !fetch.goes_first());
        let is_free = writes.mux(&(&may_write & !amo_is_first), &(may_read | !&uses_bus));
        let may_start = &held.present & !(&held.failed | &held_back) & is_free;
        let starts = match window {
            Some((window, bus)) => window.order(m, held, in_flight, bus, &may_start),
            None => {
                m.drive(leaves, &may_start);
                leaves.clone()
            }
        };
        m.drive(&in_flight.read, &(&starts & reads));
        m.drive(&in_flight.write, &((&starts & &writes) | &rewrite));
        m.drive(&in_flight.written_row, &rewrite.mux(&atomics.net("rewrite_row", row.width()), row));
        let rewritten_tag = atomics.net("rewrite_tag", tag.width());
        in_flight.instance.input("rewritten", &rewrite).input("rewritten_tag", &rewritten_tag);
        Self { read_free, write_free, rewrite }
    }
}

struct Bus {
    write_ready: [Expr; 2],
    write_answer: Expr,
    write_error: Expr,
    write_response: Expr,
    read_request_ready: Expr,
    read_ready: Expr,
    read_answer: Expr,
    /// A beat of a refill is taken.
    fetch_answer: Expr,
    read_tag: Expr,
    read_data: Expr,
    read_last: Expr,
    read_error: Expr,
    read_response: Expr,
}

impl Bus {
    /// Declares all ports of the bus, in the order of the AXI specification.
    fn declare(m: &Builder, shape: &Shape) -> Self {
        m.port_group("AXI4 write address");
        channels::address_ports(m, shape, "aw");
        let address_ready = m.input("m_axi_awready", 1);
        m.port_group("AXI4 write data");
        m.output_port("m_axi_wvalid", 1);
        let data_ready = m.input("m_axi_wready", 1);
        m.output_port("m_axi_wdata", shape.bus_bits);
        m.output_port("m_axi_wstrb", shape.bus_bits / 8);
        m.output_port("m_axi_wlast", 1);
        m.port_group("AXI4 write response");
        let write_answer = m.input("m_axi_bvalid", 1);
        m.output_port("m_axi_bready", 1);
        m.input("m_axi_bid", id_bits(shape));
        let write_response = m.input("m_axi_bresp", 2);
        m.port_group("AXI4 read address");
        channels::address_ports(m, shape, "ar");
        let read_request_ready = m.input("m_axi_arready", 1);
        m.port_group("AXI4 read data");
        let valid = m.input("m_axi_rvalid", 1);
        m.output_port("m_axi_rready", 1);
        let read_id = m.input("m_axi_rid", id_bits(shape) + fetch::id_bits(shape));
        let (read_tag, of_fetch) = (read_id.slice(0, shape.tag_bits()), read_id.from(id_bits(shape)));
        let read_data = m.input("m_axi_rdata", shape.bus_bits);
        let read_response = m.input("m_axi_rresp", 2);
        let last = m.input("m_axi_rlast", 1);
        m.port_group("the first answer that was an error (sticky): is it a write, is it DECERR, the line");
        m.output_port("bus_error_valid", 1);
        m.output_port("bus_error_write", 1);
        m.output_port("bus_error_decode", 1);
        m.output_port("bus_error_addr", 32);
        let read_ready = m.forward("read_ready", 1);
        let (read_answer, fetch_answer) = if shape.has_icache() {
            let answer = m.wire("answer", &(valid & &read_ready));
            (m.wire("read_answer", &(&answer & !&of_fetch)), &answer & of_fetch)
        } else {
            (m.wire("read_answer", &(valid & &read_ready)), zeros(1))
        };
        Self {
            write_ready: [address_ready, data_ready],
            write_error: &write_answer & write_response.bit(1),
            write_answer,
            write_response,
            read_request_ready,
            read_error: &read_answer & read_response.bit(1),
            read_ready,
            read_answer,
            fetch_answer,
            read_tag,
            read_data,
            read_last: if width::beats(shape) > 1 { last } else { ones(1) },
            read_response,
        }
    }

    fn connect(&self, m: &Builder, channels: &Instance) {
        let [address_ready, data_ready] = &self.write_ready;
        channels.input("m_axi_awready", address_ready).input("m_axi_wready", data_ready);
        channels.input("m_axi_arready", &self.read_request_ready);
        for port in channels::outputs() {
            m.output(&format!("m_axi_{port}"), &channels.output_as(&format!("m_axi_{port}"), &port));
        }
    }

    fn report(
        &self,
        m: &Builder,
        shape: &Shape,
        failed: &Register,
        restart: &Expr,
        in_flight: &Instance,
        window: Option<&Window>,
    ) {
        m.comment("The first error.");
        let before =
            if shape.control { failed & m.fault("a_start_keeps_the_error", &!restart, &ones(1)) } else { failed.q() };
        failed.next(&(before | &self.read_error | &self.write_error)).reset(0);
        let first =
            |name: &str, read: &Expr, write: &Expr| m.hold_reset(name, &self.read_error.mux(read, write), &!failed);
        let rows = ["answered_read_row", "answered_write_row"].map(|port| in_flight.net(port));
        m.output("bus_error_valid", failed);
        m.output("bus_error_write", &first("error_write", &zeros(1), &ones(1)));
        let codes = [&self.read_response, &self.write_response].map(|response| response.bit(0));
        m.output("bus_error_decode", &first("error_decode", &codes[0], &codes[1]));
        let of_error = match window {
            Some(window) => {
                let [read, write] = rows.map(|row| window.begun.mux(&window.address, &address(shape, &row)));
                first("error_address", &read, &write)
            }
            None => address(shape, &first("error_row", &rows[0], &rows[1])),
        };
        m.output("bus_error_addr", &of_error);
    }
}
