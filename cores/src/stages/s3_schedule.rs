//! S3, schedule: picks one ready instruction a cycle.
//!
//! Enters: predecoded instructions (S2), resteers (S8), registers written (S6, S8, S9), places returned by the memory
//! side. Leaves: the instruction for S4. Nothing after S3 ever stalls: a memory instruction issues only when a place in
//! the request queue, and for a load a tag, is reserved for it. A write-port bubble asked for by S9 suppresses one
//! issue.

use rtl::{Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, clog2, decode, encode, join, select_one_hot};

use super::s0_steer::Fetch;
use super::s3_context;
use crate::shape::{BUFFER, LONG_RESULTS, PC, REQUEST_QUEUE, Shape};
use crate::signals::{Hazards, Meta};

/// Elaborates the stage.
pub fn elaborate(shape: &Shape, round_robin: &Module) -> Result<Module, ElaborationError> {
    let context_module = s3_context::elaborate(shape)?;
    let contexts = shape.contexts();
    let m = Builder::new(
        "s3_schedule",
        "S3, schedule: instruction buffers, scoreboards, and the pick of one ready instruction.",
    );
    m.port_group("control");
    let running = m.input("running", 1);
    let bubble = m.input("bubble", 1);
    let epochs = m.input("epochs", contexts);
    m.port_group("from S2");
    let fetch = Fetch::inputs(&m, shape, "s2");
    let dead = m.input("dead_s2", 1);
    let word = m.input("imem_rsp_data", 32);
    let predicted = m.input("predicted_s2", PC);
    let fetch_fault = m.input("fetch_fault_s2", 1);
    let hazards = Hazards::inputs(&m, shape, "s2");
    m.port_group("resteer from S8");
    let flush = m.input("resteer_valid_s8", 1);
    let flush_context = m.input("resteer_context_s8", shape.context_bits());
    m.port_group("replay record: the slot's path stands, whole, at a load that is partly served");
    let record = ReplayRecord::inputs(&m, shape, "record");
    m.port_group("start: clears the counts of late results");
    let start_valid = m.input("start_valid", 1);
    let start_register = m.input("start_register", 5);
    m.port_group("a late result is written or called off");
    let late = Written::inputs(&m, shape, "late");
    m.port_group("places returned: request queue (accepted, unused), tags (written, unused)");
    let accepted = m.input("request_accepted", 1);
    let unused = m.input("request_unused_s8", 1);
    let tag_written = m.input("tag_written", 1);
    let tag_unused = m.input("tag_unused_s8", 1);
    m.port_group("long results written or unused, division taken or unused");
    let long_written = m.input("long_written", 1);
    let long_unused = m.input("long_unused_s8", 1);
    let division_taken = m.input("division_taken", 1);
    let division_unused = m.input("division_unused_s8", 1);

    m.comment("Places reserved by the memory instructions after S3.");
    let places = Places::declare(&m, "request", REQUEST_QUEUE);
    let tags = Places::declare(&m, "tag", shape.outstanding);
    let longs = Places::declare(&m, "long_result", LONG_RESULTS);
    let divisions = Places::declare(&m, "divider", 1);
    let idle = m.wire("requests_idle", &places.used.none());

    let write_positions = m.forward("write_positions", contexts);
    let read_positions = m.forward("read_positions", contexts);
    let grant = m.forward("grant", contexts);
    let fence_waits = m.forward("fence_waits", 1);
    let may_request = m.wire("may_request", &(!&places.full & !&fence_waits));
    let pushed = m.wire("pushed", &decode(&fetch.context, contexts).when(&(&fetch.valid & !dead)));
    let flush_one = m.wire("flush_one", &decode(&flush_context, contexts).when(&flush));
    let late_context =
        m.wire("late_context_one", &decode(&late.context, contexts).when(&(&late.valid & late.rd.any())));

    m.comment("Replay records.");
    let records = m.register("records", contexts);
    let record_one = m.wire("record_one", &decode(&record.context, contexts).when(&record.valid));
    records.next(&(&(&record_one & record.stands.repeat(contexts)) | (&*records & !&record_one))).reset(0);
    let record_pcs = m.memory("record_pcs", contexts, PC, MemoryStyle::Distributed);
    record_pcs.write(&record.valid, &record.context, &record.pc);
    m.output("replay_pc_s2", &record_pcs.read("replay_pc", &fetch.context));

    let per_context: Vec<[Expr; 10]> = (0..contexts)
        .map(|number| {
            let context = m.instance(&format!("context_{number}"), &context_module);
            context.input("push", &pushed.bit(number)).input("issue", &grant.bit(number));
            context.input("flush", &flush_one.bit(number)).input("may_request", &may_request);
            context.input("may_load", &!&tags.full).input("requests_idle", &idle);
            context.input("may_go_long", &!&longs.full).input("may_divide", &!&divisions.full);
            context.input("start_valid", &start_valid).input("start_register", &start_register);
            context.input("record", &records.bit(number));
            context.input("late", &late_context.bit(number)).input("late_rd", &late.rd);
            hazards.connect(&context, "s2");
            [
                "ready",
                "room",
                "read_position",
                "write_position",
                "waits_for_requests",
                "head_requests",
                "head_loads",
                "head_goes_long",
                "head_divides",
                "urgent",
            ]
            .map(|port| context.output(port))
        })
        .collect();
    let column = |index: usize| join(per_context.iter().map(|outputs| &outputs[index]));
    let ready = m.wire("ready", &column(0).when(&(running & !bubble)));
    let room = column(1);
    m.drive(&read_positions, &column(2));
    m.drive(&write_positions, &column(3));
    m.drive(&fence_waits, &column(4).any());
    let head_requests = m.wire("head_requests", &column(5));
    let head_loads = m.wire("head_loads", &column(6));

    let head_longs = m.wire("head_longs", &column(7));
    let head_divides = m.wire("head_divides", &column(8));

    m.comment("Pick.");
    let picker = m.instance("picker", round_robin);
    picker.input("requests", &ready).input("accept", &rtl::ones(1)).output_to("grant", &grant);
    let context = m.wire("picked_context", &encode(&grant));
    let valid = m.wire("valid", &grant.any());
    places.count(&m, &(&grant & head_requests).any(), [&accepted, &unused]);
    longs.count(&m, &(&grant & head_longs).any(), [&long_written, &long_unused]);
    divisions.count(&m, &(&grant & head_divides).any(), [&division_taken, &division_unused]);
    tags.count(&m, &(&grant & head_loads).any(), [&tag_written, &tag_unused]);

    m.comment("Buffered words: two for each context.");
    let width = 2 * PC + 33;
    let buffer = m.memory("buffer", BUFFER * contexts, width, MemoryStyle::Distributed);
    let write_address = join([&write_positions.index(&fetch.context), &fetch.context]);
    let packed = join([&word, &fetch.pc, &predicted, &fetch_fault]);
    buffer.write(&fetch.valid, &write_address, &packed);
    let entry = buffer.read("entry", &join([&read_positions.index(&context), &context]));

    m.port_group("nothing is on its way to a register");
    m.output("late_idle", &(tags.used.none() & longs.used.none()));
    m.port_group("which contexts have room for a fetch");
    m.output("room", &room);
    m.output("urgent", &column(9));
    m.port_group("the instruction, for S4");
    let valid_register = m.register("issued", 1);
    valid_register.next(&valid).reset(0);
    let (warp, slot) = split_context(shape, &context);
    Meta {
        valid: valid_register.q(),
        warp: m.delay("warp", &warp),
        slot: m.delay("slot", &slot),
        epoch: m.delay("epoch", &select_one_hot(&grant, &epochs.lanes(1))),
        pc: m.delay("pc", &entry.slice(32, PC)),
        predicted: m.delay("predicted", &entry.slice(32 + PC, PC)),
        instruction: m.delay("instruction", &entry.slice(0, 32)),
    }
    .outputs(&m, "s4");
    m.output("fetch_fault_s4", &m.delay("fault", &entry.bit(32 + 2 * PC)));
    if shape.trace {
        m.port_group("trace");
        m.output("issue_s3", &valid);
        m.output("issue_warp_s3", &warp);
        m.output("issue_slot_s3", &slot);
    }
    m.finish()
}

rtl::bundle! {
    /// After each commit: whether its context is left at a load of which only some lanes were served.
    pub struct ReplayRecord(shape: &Shape) {
        /// Whether an instruction committed.
        valid: 1,
        /// Warp and slot.
        context: shape.context_bits(),
        /// Whether exactly the lanes that were not served are in charge, at the load.
        stands: 1,
        /// The load.
        pc: PC,
    }
}

rtl::bundle! {
    /// A register whose write is done or called off.
    pub struct Written(shape: &Shape) {
        /// Whether there is one.
        valid: 1,
        /// Warp and slot.
        context: shape.context_bits(),
        /// The register.
        rd: 5,
    }
}

/// Warp and slot of a context number.
pub fn split_context(shape: &Shape, context: &Expr) -> (Expr, Expr) {
    (context.from(shape.slot_bits()), context.slice(0, shape.slot_bits()))
}

/// Context number of a warp and slot.
pub fn join_context(warp: &Expr, slot: &Expr) -> Expr {
    join([slot, warp])
}

/// A count of reserved places.
struct Places {
    used: rtl::Register,
    full: Expr,
    name: &'static str,
}

impl Places {
    fn declare(m: &Builder, name: &'static str, capacity: usize) -> Self {
        let used = m.register(&format!("{name}s_used"), clog2(capacity + 1));
        let full = m.wire(&format!("{name}s_full"), &used.is(capacity as u64));
        Self { used, full, name }
    }

    /// One place taken and up to two returned in a cycle.
    fn count(&self, m: &Builder, taken: &Expr, returned: [&Expr; 2]) {
        let width = self.used.width();
        let up = m.wire(&format!("{}_taken", self.name), taken).extend(width);
        let returned = join(returned);
        let down = if width == 1 { returned.any() } else { rtl::count_ones(&returned).extend(width) };
        self.used.next(&((&*self.used + up) - down)).reset(0);
    }
}
