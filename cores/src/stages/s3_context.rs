//! S3, one context: two buffered instructions, its scoreboard, and whether the older instruction may issue.
//!
//! Results that are written at S7 are ready four cycles after issue, so only the instruction issued last can be too
//! close: one register number and a count of cycles. Late results (loads, products, quotients) are counted for each register: how many
//! were started, at issue, and how many have finished; a register is pending while the two differ. The parts of one
//! scattered load write the same register of different lanes, so a part that is replayed ignores the counts: nothing
//! younger has issued since its first part found them all equal (`replay`, from the record that S8 keeps).
//!
//! Storage: 2 × (15 register number + 7 class) bits; 2 × 32 counts of clog2(T + 1) bits in LUT RAM.

use rtl::{Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, clog2, increment, lit};

use crate::shape::Shape;
use crate::signals::Hazards;

/// Cycles from issue until a register written at S7 may be read: S4 samples block RAM after the write.
const WRITE_LATENCY: u64 = 4;

/// Cycles from issue until S8 may have resteered.
const RESTEER_LATENCY: u64 = 5;

/// Elaborates one context.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s3_context", "S3, one context: its instruction buffer's hazards and its scoreboard.");
    m.port_group("start: clears the counts");
    let start_valid = m.input("start_valid", 1);
    let start_register = m.input("start_register", 5);
    m.port_group("from S2");
    let push = m.input("push", 1);
    let pushed = Hazards::inputs(&m, shape, "s2");
    m.port_group("control");
    let issue = m.input("issue", 1);
    let flush = m.input("flush", 1);
    let may_request = m.input("may_request", 1);
    let may_load = m.input("may_load", 1);
    let requests_idle = m.input("requests_idle", 1);
    let may_go_long = m.input("may_go_long", 1);
    let may_divide = m.input("may_divide", 1);
    let record = m.input("record", 1);
    m.port_group("a late result is written or called off");
    let late = m.input("late", 1);
    let late_rd = m.input("late_rd", 5);

    let (head, present, positions) = buffer(&m, shape, &push, &pushed, &issue, &flush);

    m.comment("The instruction issued last, while its result at S7 cannot be read yet.");
    let last_rd = m.register("last_rd", 5);
    last_rd.next(&head.rd).enable(&issue);
    let last_writes = m.register("last_writes", 1);
    let is_late = m.wire("is_late", &(&head.is_load | &head.is_long));
    last_writes.next(&(&head.writes_rd & !&is_late)).enable(&issue);
    let spacing = shape.spacing() as u64;
    let longest = spacing.max(WRITE_LATENCY) - 1;
    let cooling = m.register("cooling", clog2(longest as usize + 1));
    let cooled = cooling.none();
    let next = cooled.mux(&cooling, &(&*cooling - lit(cooling.width(), 1)));
    cooling.next(&issue.mux(&lit(cooling.width(), longest), &next)).reset(0);
    // `cooling` cycles remain; those above `longest + 1 - spacing` are too soon for any instruction.
    let too_soon = lit(cooling.width(), longest + 1 - spacing).lt(&cooling);
    let is_last = |register: &Expr, used: &Expr| used & register.eq(&last_rd);
    let after_last = is_last(&head.rs1, &head.uses_rs1) | is_last(&head.rs2, &head.uses_rs2);
    let waits_for_last = m.wire("waits_for_last", &(&*last_writes & !&cooled & after_last));

    m.comment("Late results: started at issue, finished when written or called off.");
    let counts = Counts::declare(&m, shape, &head);
    let waits = m.wire("waits_for_late", &counts.pending);
    let starts = &issue & &head.writes_rd & &is_late;
    counts.write([&start_valid, &start_register], [&starts, &head.rd], [&late, &late_rd]);

    m.comment(
        "Fetching beyond a load that may be replayed is wasted if it is: it comes last, and not at all after a replay.",
    );
    let replayed = m.register("replayed", 1);
    replayed.next(&(&record & (&issue | &*replayed) & !&flush)).reset(0);
    let beyond_replay = m.wire("beyond_replay", &(&record & (&present | &*replayed)));
    let loading = m.register("loading", 3);
    let loaded = &issue & &head.is_load;
    let less = loading.any().mux(&(&*loading - lit(3, 1)), &loading);
    loading.next(&loaded.mux(&lit(3, RESTEER_LATENCY), &less)).reset(0);

    let replays = &record & &head.is_replay;
    let blocked = (&waits & !&replays) | (&record & !&head.is_replay) | &waits_for_last | &too_soon;
    let requests = &head.is_load | &head.is_store;
    let units = (!&head.is_long | may_go_long) & (!&head.is_divide | may_divide);
    let resources =
        units & (!requests | may_request) & (!&head.is_load | may_load) & (!&head.is_fence_i | requests_idle);
    m.port_group("for the pick");
    m.output("ready", &(&present & !blocked & resources));
    m.output("room", &(&positions.room & !beyond_replay));
    m.output("urgent", &(!&present & loading.none()));
    m.output("read_position", &positions.read);
    m.output("write_position", &positions.write);
    m.output("waits_for_requests", &(&present & &head.is_fence_i));
    m.output("head_requests", &(&head.is_load | &head.is_store));
    m.output("head_loads", &head.is_load);
    m.output("head_goes_long", &head.is_long);
    m.output("head_divides", &head.is_divide);
    m.finish()
}

/// Where the buffer reads and writes, and whether it has room for a fetch.
struct Positions {
    read: Expr,
    write: Expr,
    room: Expr,
}

/// Two entries, a read and a write position.
fn buffer(
    m: &Builder,
    shape: &Shape,
    push: &Expr,
    pushed: &Hazards,
    issue: &Expr,
    flush: &Expr,
) -> (Hazards, Expr, Positions) {
    m.comment("Two entries, a read and a write position.");
    let count = m.register("count", 2);
    let read_at = m.register("read_at", 1);
    let write_at = m.register("write_at", 1);
    let keep = !flush;
    let step = |up: &Expr, down: &Expr| (&*count + up.extend(2)) - down.extend(2);
    count.next(&step(push, issue).when(&keep)).reset(0);
    read_at.next(&(&(&*read_at ^ issue) & &keep)).reset(0);
    write_at.next(&(&(&*write_at ^ push) & &keep)).reset(0);
    let entry = |position: usize| {
        let here = push & write_at.is(position as u64);
        let fields = pushed.fields().into_iter().map(|(field, value)| {
            let register = m.register(&format!("{field}_{position}"), value.width());
            register.next(value).enable(&here);
            register.q()
        });
        fields.collect::<Vec<Expr>>()
    };
    let (first, second) = (entry(0), entry(1));
    let mut pairs = first.iter().zip(&second);
    let head = Hazards::build(shape, &mut |field, _| {
        let (first, second) = pairs.next().expect("as many values as fields");
        m.wire(&format!("head_{field}"), &read_at.mux(second, first))
    });
    let present = m.wire("present", &count.any());
    let positions = Positions { read: read_at.q(), write: write_at.q(), room: !count.bit(1) };
    (head, present, positions)
}

/// Late results of each register.
struct Counts {
    started: Memory,
    finished: Memory,
    rd_started: Expr,
    pending: Expr,
}

impl Counts {
    fn declare(m: &Builder, shape: &Shape, head: &Hazards) -> Self {
        let width = clog2(shape.threads + 1);
        let started = m.memory("started", 32, width, MemoryStyle::Distributed);
        let finished = m.memory("finished", 32, width, MemoryStyle::Distributed);
        let read = |name: &str, register: &Expr| {
            let (a, b) = (format!("{name}_started"), format!("{name}_finished"));
            (started.read(&a, register), finished.read(&b, register))
        };
        let (rs1_started, rs1_finished) = read("rs1", &head.rs1);
        let (rs2_started, rs2_finished) = read("rs2", &head.rs2);
        let (rd_started, rd_finished) = read("rd", &head.rd);
        let pending = (rs1_started.ne(&rs1_finished) & &head.uses_rs1)
            | (rs2_started.ne(&rs2_finished) & &head.uses_rs2)
            | (rd_started.ne(&rd_finished) & &head.writes_rd);
        Self { started, finished, rd_started, pending }
    }

    /// Each pair: whether, and which register. At start the register's counts are cleared.
    fn write(&self, start: [&Expr; 2], starts: [&Expr; 2], finishes: [&Expr; 2]) {
        let [clear, cleared] = start;
        let late_finished = self.finished.read("late_finished", finishes[1]);
        for (memory, [happens, register], count) in
            [(&self.started, starts, &self.rd_started), (&self.finished, finishes, &late_finished)]
        {
            memory.write(&(clear | happens), &clear.mux(cleared, register), &increment(count, 1).when(&!clear));
        }
    }
}
