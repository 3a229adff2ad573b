//! The control block: registers behind an AXI4-Lite port start and stop the core, and report how its run ended.
//!
//! It stands between the pipeline and its memory:
//!
//! - *stopped*: the gate to memory is closed, and nothing is in flight. Before the first run the pipeline is in reset.
//!   A start resets the pipeline for one cycle, and memory drops what belongs to the last run. Then the core
//! - *runs*, with an open gate, until it is done, has halted at a fault and answered its requests, an answer of the
//!   bus was an error, or a stop is written. Then the core
//! - *stops*: the gate is closed, and no instruction issues. When every request that has passed is answered, it is
//!   stopped. The pipeline keeps its state for the reader until the next start.
//!
//! Latency: a start reaches the pipeline in the second cycle, a stop closes the gate in the next. Storage: the
//! registers that can be written, 16 bytes of the console, and nine flags.

pub mod axil;
mod gate;
mod paths;
pub mod registers;
mod scratchpad;
mod stalls;

use rtl::{
    Builder, ElaborationError, Expr, Instance, Module, PortInfo, Register, any_of, concat, join, lit, ones, zeros,
};
use weft_config::EXTENSIONS;

use crate::formal::points;
use crate::pipeline::COUNTERS;
use crate::queue::Queue;
use crate::shape::Shape;
use gate::Quiet;
use registers::{Access, ID, REGISTERS, VERSION};

/// Name of the module and of its instance.
pub const NAME: &str = "control";
/// The registers of the reconvergence table, which are outputs too: its address, the pc of its first entry, and the bytes of
/// code that it covers.
pub const TABLE: [&str; 3] = ["table_base", "table_first", "table_bytes"];
/// They are multiples of so many bytes, the longest line of an instruction cache.
pub const TABLE_LINE: u32 = 64;
/// Bytes of the console that wait for the reader.
pub const CONSOLE_BYTES: usize = 16;

pub fn elaborate(shape: &Shape, pipeline: &[PortInfo], unit: &str) -> Result<Module, ElaborationError> {
    let m = Builder::new(NAME, "Control block: registers start and stop the core, and report how its run ended.");
    m.keep_inputs();
    m.timing(
        "a start resets the pipeline in the next cycle, and the core runs from the cycle after that on. A stop closes \
         the gate to memory in the next cycle; the core has stopped in the cycle after the last answer.",
    );
    let running = m.forward("running", 1);
    let quiet = Quiet::of(&m, shape, pipeline, &running);
    let core = CoreState::declare(&m, shape);
    let bus = Bus::declare(&m)?;
    let mut file = File::default();
    let run = Run::declare(&m, &bus, &core, &quiet, running);
    let held = Held::declare(&m, shape, &bus, &run, &mut file);
    run.update(&m, shape, &held.entry);
    held.outputs(&m);
    constants(shape, unit, &mut file);
    run.report(&m, &bus, &core, &held, &mut file);
    core.report(&held.entry.when(&run.misaligned), &mut file);
    console(&m, &bus, &run, &mut file);
    if shape.counts_stalls {
        stalls::declare(&m, &bus, &run, &mut file);
    }
    if shape.shows_paths {
        paths::declare(&m, shape, &bus, &run, &held, &mut file);
    }
    if shape.shows_scratchpad() {
        scratchpad::declare(&m, shape, &bus, &run, &mut file);
    }
    file.read(&m, &bus);
    m.finish()
}

/// The bus: what is written and read.
struct Bus {
    slave: Instance,
    write: Expr,
    /// The register of the write, and of the read, one-hot by number in the table.
    written: Vec<Expr>,
    read: Vec<Expr>,
    takes_read: Expr,
    /// A read is offered, perhaps before the cycle in which it is taken.
    asks_read: Expr,
    read_at: Expr,
    write_at: Expr,
    data: Expr,
    strobes: Expr,
}

impl Bus {
    fn declare(m: &Builder) -> Result<Self, ElaborationError> {
        m.port_group("AXI4-Lite");
        let slave = m.instance("axil", &axil::elaborate()?);
        let mut inputs = Vec::new();
        for (name, bits, driven) in axil::PORTS {
            let port = format!("s_axil_{name}");
            if !driven {
                inputs.push((name, m.input(&port, bits)));
            } else if name.ends_with("resp") {
                m.output(&port, &zeros(bits));
            } else {
                m.output(&port, &slave.output_as(&port, &format!("axil_{name}")));
            }
        }
        let input = |name: &str| inputs.iter().find(|(port, _)| *port == name).expect("an input").1.clone();
        for name in ["awvalid", "wvalid", "bready", "arvalid", "rready"] {
            slave.input(&format!("s_axil_{name}"), &input(name));
        }
        m.comment("The register that is written, and the one that is read.");
        let select = |name: &str, address: Expr, wanted: &dyn Fn(Access) -> bool| {
            let in_table = m.wire(&format!("{name}_in_table"), &address.from(8).none());
            let number = m.wire(&format!("{name}_number"), &address.slice(2, 6));
            let hit = |register: &registers::Register| {
                let hit = number.is(u64::from(register.offset / 4)) & &in_table;
                if wanted(register.access) { m.wire(&format!("{name}_{}", register.name), &hit) } else { zeros(1) }
            };
            REGISTERS.iter().map(hit).collect::<Vec<_>>()
        };
        let write = slave.output_as("write", "write");
        let written = select("writes", input("awaddr"), &|access| access != Access::Read);
        let read = select("reads", input("araddr"), &|access| access != Access::Write);
        let takes_read = slave.output_as("read", "read");
        Ok(Self {
            write,
            written,
            read,
            takes_read,
            asks_read: input("arvalid"),
            read_at: input("araddr"),
            write_at: input("awaddr"),
            data: input("wdata"),
            strobes: input("wstrb"),
            slave,
        })
    }

    /// Whether a register is written in this cycle.
    fn writes(&self, name: &str) -> Expr {
        let number = REGISTERS.iter().position(|register| register.name == name).expect("a register of the table");
        &self.write & &self.written[number]
    }

    /// Whether a 1 is written to a field of one bit.
    fn sets(&self, m: &Builder, register: &str, field: &str) -> Expr {
        let bit = registers::Register::find(register).field(field).bit;
        let strobe = m.fault("a_command_ignores_strobes", &self.strobes.bit(bit / 8), &ones(1));
        m.wire(&format!("sets_{field}"), &(self.writes(register) & strobe & self.data.bit(bit)))
    }

    /// A word, with the bytes that are written.
    fn merged(&self, m: &Builder, word: &Expr) -> Expr {
        let byte = |number: usize| {
            let strobe = m.fault("byte_strobes_are_ignored", &self.strobes.bit(number), &ones(1));
            strobe.mux(&self.data.lane(number, 8), &word.lane(number, 8))
        };
        join((0..4).map(byte))
    }
}

/// The values of registers by their names, as they are read.
#[derive(Default)]
struct File {
    words: Vec<(Vec<&'static str>, Expr)>,
    /// Values at other addresses, 0 elsewhere.
    others: Vec<Expr>,
}

impl File {
    fn word(&mut self, name: &'static str, value: &Expr) {
        self.words(&[name], value);
    }

    /// Registers that read the same value, which depends on the address.
    fn words(&mut self, names: &[&'static str], value: &Expr) {
        self.words.push((names.to_vec(), value.extend(32)));
    }

    /// Joins fields to a register.
    fn fields(&mut self, name: &'static str, fields: &[(&str, &Expr)]) {
        let register = registers::Register::find(name);
        let place = |(field, value): &(&str, &Expr)| {
            let field = register.field(field);
            let value = value.extend(field.bits);
            concat([&value.extend(32 - field.bit), &zeros(field.bit)])
        };
        self.word(name, &any_of(fields.iter().map(place)));
    }

    fn read(&self, m: &Builder, bus: &Bus) {
        m.comment("The value that is read.");
        let number = |name: &str| REGISTERS.iter().position(|register| register.name == name);
        let value = |(names, value): &(Vec<&'static str>, Expr)| {
            let reads = names.iter().map(|name| bus.read[number(name).expect("a register of the table")].clone());
            value.when(&any_of(reads))
        };
        bus.slave
            .input("value", &m.wire("value", &any_of(self.words.iter().map(value).chain(self.others.iter().cloned()))));
    }
}

/// The state of the pipeline, and of the bus behind it.
struct CoreState {
    done: Expr,
    quiet: Expr,
    error: Expr,
    bus_error: Expr,
    /// The other reports, by name.
    reports: Vec<(&'static str, Expr)>,
}

impl CoreState {
    fn declare(m: &Builder, shape: &Shape) -> Self {
        m.port_group("the end of the run, and the counters");
        let [done, quiet, error] = ["done", "quiet", "error_valid"].map(|name| m.input(name, 1));
        let reports = [
            ("error_cause", 4),
            ("error_pc", 32),
            ("error_warp", shape.warp_bits().max(1)),
            ("error_lane", shape.lane_bits().max(1)),
            ("error_address", 32),
            ("exit_valid", 1),
            ("exit_code", 32),
            ("exit_hart", shape.hart_bits()),
        ];
        let counters = COUNTERS.map(|name| (name, 64));
        let mut reports: Vec<(&str, Expr)> =
            reports.into_iter().chain(counters).map(|(name, bits)| (name, m.input(name, bits))).collect();
        let bus = [("bus_error_valid", 1), ("bus_error_write", 1), ("bus_error_decode", 1), ("bus_error_addr", 32)];
        reports.extend(bus.map(|(name, bits)| match shape.has_bus {
            true => (name, m.input(&format!("next_{name}"), bits)),
            false => (name, zeros(bits)),
        }));
        let mut state = Self { done, quiet, error, bus_error: zeros(1), reports };
        state.bus_error = state.of("bus_error_valid");
        state
    }

    fn of(&self, name: &str) -> Expr {
        self.reports.iter().find(|(report, _)| *report == name).expect("a report of the pipeline").1.clone()
    }

    /// Fault, exit code, counters. The fault's outputs follow the pipeline until there is one. `misaligned` is an entry
    /// that is no multiple of 4, else 0.
    fn report(&self, misaligned: &Expr, file: &mut File) {
        let fault = |name: &str| self.of(name).when(&self.error);
        file.word("fault_cause", &fault("error_cause"));
        file.word("fault_pc", &(fault("error_pc") | misaligned));
        file.fields("fault_thread", &[("warp", &fault("error_warp")), ("lane", &fault("error_lane"))]);
        file.word("fault_address", &(fault("error_address") | misaligned));
        for name in ["exit_code", "exit_hart"] {
            file.word(name, &self.of(name));
        }
        file.word("bus_error_address", &self.of("bus_error_addr").when(&self.bus_error));
        let names = [
            ["cycles", "cycles_high"],
            ["parts", "parts_high"],
            ["instructions", "instructions_high"],
            ["thread_instructions", "thread_instructions_high"],
        ];
        for (counter, [low, high]) in COUNTERS.into_iter().zip(names) {
            let count = self.of(counter);
            file.word(low, &count.lane(0, 32));
            file.word(high, &count.lane(1, 32));
        }
    }
}

/// The state of the run.
struct Run {
    running: Expr,
    stopping: Register,
    /// The pipeline is in reset.
    restart: Register,
    /// A start was accepted in the cycle before.
    starting: Register,
    start: Expr,
    accepted: Expr,
    stopped: Expr,
    /// The run ends with this cycle.
    ends: Expr,
    /// Nothing of the run is left.
    drained: Expr,
    /// The entry of the last start is no multiple of 4.
    misaligned: Register,
}

impl Run {
    fn declare(m: &Builder, bus: &Bus, core: &CoreState, quiet: &Quiet, running: Expr) -> Self {
        m.comment("The state of the run. A fault ends it when the requests before the fault are performed.");
        let [start, stop] = ["start", "stop"].map(|field| bus.sets(m, "control", field));
        let [stopping, restart, starting, misaligned] =
            ["stopping_now", "restart_now", "starting", "misaligned"].map(|name| m.register(name, 1));
        let busy = &running | &stopping | &starting;
        let stopped = m.wire("stopped", &!m.fault("a_start_is_accepted_while_stopping", &busy, &running));
        let accepted = m.wire("accepted", &(&start & !&stop & &stopped));
        let of_core = &core.done | (&core.error & &core.quiet) | &core.bus_error;
        let ends = m.wire("ends", &(&running & (&stop | of_core)));
        let drained = m.wire("drained", &(&stopping & &quiet.fetch & &quiet.data));
        m.port_group("the pipeline: its reset, and whether nothing issues; for what is behind it: a run begins");
        // Also before the first clock edge, so that nothing is written to a memory then.
        let resets = &*restart | m.in_reset();
        m.output("restart", &m.fault("the_pipeline_runs_before_the_first_edge", &resets, &restart));
        m.output("stop", &m.fault("the_core_issues_while_it_stops", &!&running, &zeros(1)));
        m.output("next_restart", &m.fault("memory_does_not_see_a_start", &restart.q(), &zeros(1)));
        Self { running, stopping, restart, starting, start, accepted, stopped, ends, drained, misaligned }
    }

    fn update(&self, m: &Builder, shape: &Shape, entry: &Expr) {
        let Self { running, stopping, restart, starting, accepted, ends, drained, misaligned, .. } = self;
        let runs = m.register("runs", 1);
        let begins = starting & !m.fault("a_misaligned_entry_runs", &misaligned.q(), &zeros(1));
        runs.next(&(begins | (&runs & !ends))).reset(0);
        m.drive(running, &runs);
        stopping.next(&((stopping & !drained) | ends)).reset(0);
        starting.next(accepted).reset(0);
        let resets = m.fault("a_start_does_not_reset_the_pipeline", accepted, &zeros(1));
        restart.next(&(resets | (restart & !starting))).reset(1);
        misaligned.next(&entry.slice(0, 2).any()).enable(accepted).reset(0);
        let found = [
            ("a_stop_comes_at_the_end", ends & &self.start),
            ("a_run_stops_at_once", drained & !running),
            ("a_start_is_refused", &self.start & !accepted),
        ];
        points(m, shape, &found);
    }

    /// Status and interrupt.
    fn report(&self, m: &Builder, bus: &Bus, core: &CoreState, held: &Held, file: &mut File) {
        m.comment("Status, and interrupt.");
        let refused = m.register("refused", 1);
        let refuses = (&self.start & !&self.accepted) | &held.refused;
        refused.next(&((&refused | refuses) & !&self.accepted)).reset(0);
        let fields = [
            ("running", &(&self.running | &self.starting)),
            ("stopping", &self.stopping),
            ("done", &(&core.done & !&core.bus_error)),
            ("fault", &(&core.error | &self.misaligned)),
            ("bus_error", &core.bus_error),
            ("bus_error_write", &(&core.bus_error & core.of("bus_error_write"))),
            ("bus_error_decode", &(&core.bus_error & core.of("bus_error_decode"))),
            ("exit_valid", &core.of("exit_valid")),
            ("refused", &refused),
        ];
        file.fields("status", &fields);
        let (enable, pending) = (m.register("interrupt_enable", 1), m.register("interrupt_pending", 1));
        let [set, clear] = ["enable", "pending"].map(|field| bus.sets(m, "interrupt", field));
        let written = bus.writes("interrupt") & bus.strobes.bit(0);
        enable.next(&set).enable(&written).reset(0);
        let ended = &self.drained | (&self.starting & &self.misaligned);
        pending.next(&(ended | (&pending & !(clear | &self.accepted)))).reset(0);
        file.fields("interrupt", &[("enable", &enable), ("pending", &pending)]);
        m.port_group("interrupt");
        m.output("irq", &(&enable & &pending));
    }
}

/// The registers of a run. They hold still while it runs or stops.
struct Held {
    entry: Expr,
    argument: Expr,
    /// Base, first pc and bytes of the reconvergence table; none without one.
    table: Vec<(&'static str, Expr)>,
    /// A write to one of them is refused.
    refused: Expr,
}

impl Held {
    fn declare(m: &Builder, shape: &Shape, bus: &Bus, run: &Run, file: &mut File) -> Self {
        m.comment("The registers of a run.");
        let mut written = Vec::new();
        let mut register = |name: &'static str, reset: u32, zero_bits: usize| {
            let register = m.register(&format!("{name}_held"), 32 - zero_bits);
            let value = join([&zeros(zero_bits), &*register]);
            let writes = bus.writes(name);
            let takes = &writes & m.fault("a_register_of_the_run_changes_in_it", &run.stopped, &ones(1));
            register.next(&bus.merged(m, &value).from(zero_bits)).enable(&takes).reset(u64::from(reset));
            written.push(writes);
            file.word(name, &value);
            value
        };
        let (entry, argument) = (register("entry", shape.reset_pc, 0), register("argument", 0, 0));
        let names: &[&'static str] = if shape.reconverges { &TABLE } else { &[] };
        let table: Vec<(&str, Expr)> =
            names.iter().map(|name| (*name, register(name, 0, TABLE_LINE.ilog2() as usize))).collect();
        let refused = any_of(&written) & !&run.stopped;
        Self { entry, argument, table, refused }
    }

    fn outputs(&self, m: &Builder) {
        m.output("start_pc", &self.entry.from(2));
        m.output("argument", &self.argument);
        m.port_group("the reconvergence table");
        for (name, value) in &self.table {
            m.output(name, value);
        }
    }
}

/// The constants that describe the core.
fn constants(shape: &Shape, unit: &str, file: &mut File) {
    let number = |value: u32| lit(32, u64::from(value));
    file.word("id", &number(ID));
    file.word("version", &number(VERSION));
    let (warps, threads) = (lit(8, shape.warps as u64), lit(8, shape.threads as u64));
    let flag = |is_set: bool| lit(1, u64::from(is_set));
    let [table, stalls, paths] = [shape.reconverges, shape.counts_stalls, shape.shows_paths].map(flag);
    file.word("scratchpad_bytes", &number(if shape.shows_scratchpad() { shape.scratchpad_bytes } else { 0 }));
    let sizes = [("warps", &warps), ("threads", &threads)];
    file.fields("shape", &[&sizes[..], &[("table", &table), ("stalls", &stalls), ("paths", &paths)]].concat());
    let has = EXTENSIONS.iter().map(|extension| lit(1, u64::from(shape.has(extension))));
    file.word("isa", &join(has));
    let letters = |at: usize| {
        let byte = |place: usize| unit.as_bytes().get(4 * at + place).copied().unwrap_or(0);
        number(u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]))
    };
    for (at, name) in ["unit_0", "unit_1", "unit_2", "unit_3"].into_iter().enumerate() {
        file.word(name, &letters(at));
    }
}

/// The bytes of the console wait for the reader. A byte that finds no room waits in the core.
fn console(m: &Builder, bus: &Bus, run: &Run, file: &mut File) {
    m.port_group("console");
    let valid = m.input("console_valid", 1);
    m.output_port("console_ready", 1);
    let data = m.input("console_data", 8);
    m.comment("Bytes of the console.");
    let push = m.forward("console_push", 1);
    let bytes = Queue::declare(m, "bytes", CONSOLE_BYTES, &push);
    let ready =
        m.wire("console_takes", &(&run.running & !m.fault("a_full_console_takes_bytes", &bytes.full(), &zeros(1))));
    m.drive(&push, &(valid & &ready));
    m.output("console_ready", &ready);
    let first = bytes.field(m, "byte", &data);
    let number = REGISTERS.iter().position(|register| register.name == "console").expect("the console");
    bytes.pop(m, &(&bus.takes_read & &bus.read[number] & &bytes.valid));
    file.fields("console", &[("data", &first.when(&bytes.valid)), ("valid", &bytes.valid)]);
}
