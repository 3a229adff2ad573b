//! A host: the core, its memory, and the master at its control port.

use cores::control::registers::Register;
use sim::Program;
use weft_config::{Config, Counters, Latency, MemoryKind};

use crate::bench::cached::Cached;
use crate::bench::control_port::ControlPort;
use crate::bench::events::Events;
use crate::bench::memory_side::MemorySide;
use crate::bench::modelled::Modelled;
use crate::bench::on_the_bus::OnTheBus;
use crate::memory::axi4::Service;
use crate::memory::{RAM_BASE, Ram};
use tools::cache::Cache;
use verilate::{Built, Effort, Model, Port, Source};

/// Cycles after the last answer within which a stop ends.
const STOPS_WITHIN: u64 = 1000;
/// Cycles of the longest run.
const LONGEST: u64 = 300_000;

/// Memory at ports of the core.
pub fn open() -> Config {
    config(MemoryKind::Model)
}

/// Memory on the bus.
pub fn bus() -> Config {
    config(MemoryKind::Axi4)
}

/// Memory on the bus behind caches of a few lines.
pub fn cached() -> Config {
    with_caches(bus())
}

/// Memory at ports of the core behind caches of a few lines.
pub fn cached_open() -> Config {
    with_caches(open())
}

/// The same with a unit that reads the reconvergence table.
pub fn with_table() -> Config {
    let mut config = cached();
    config.divergence.unit = "pdom-stack".into();
    config
}

/// The same core with all counters, and the trace port.
pub fn counted(mut config: Config) -> Config {
    config.control.counters = Counters::Full;
    config.trace.port = true;
    config
}

/// The first of these cores.
pub fn counted_open() -> Config {
    counted(open())
}

/// Memory at ports of the core, which shows its paths.
pub fn with_paths() -> Config {
    let mut config = open();
    config.control.paths = true;
    config
}

/// Memory at ports of the core, which has a scratchpad.
pub fn with_scratchpad() -> Config {
    let mut config = open();
    config.scratchpad.bytes = 256;
    config
}

fn with_caches(mut config: Config) -> Config {
    config.icache.bytes = 128;
    config.dcache.bytes = 64;
    config
}

fn config(kind: MemoryKind) -> Config {
    let mut config = Config { warps: 2, threads: 2, ..Config::default() };
    config.control.port = true;
    config.trace.port = false;
    config.memory.kind = kind;
    config.memory.latency = Latency { min: 1, max: 60 };
    config.memory.fetch_latency = Latency { min: 1, max: if kind == MemoryKind::Axi4 { 16 } else { 3 } };
    config.memory.outstanding = 4;
    config.memory.ram_bytes = 1 << 18;
    config.memory.stack_bytes = 1024;
    config
}

pub struct Host {
    pub config: Config,
    pub model: Model,
    side: Box<dyn MemorySide>,
    pub port: ControlPort,
    pub irq: Port,
    clk: Port,
    rst: Port,
    restart: Port,
    valids: Vec<Port>,
    errors: Option<[Port; 2]>,
    /// Answers of the bus are errors.
    pub fails: bool,
    events: Events,
    pub rng: fastrand::Rng,
    pub cycle: u64,
    /// A port whose high cycles are counted, and how many there were.
    watched: Option<(Port, u64)>,
    /// The last cycle in which memory had something to answer.
    last_busy: u64,
}

impl Host {
    pub fn new(config: &Config) -> Self {
        Self::of(config, &cores::elaborate(config, RAM_BASE).unwrap())
    }

    pub fn broken(config: &Config, fault: &str) -> Self {
        Self::of(config, &rtl::with_fault(fault, || cores::elaborate(config, RAM_BASE)).unwrap())
    }

    fn of(config: &Config, core: &cores::Core) -> Self {
        let verilog = core.all_in_one();
        let source = Source { top: &core.name(), ports: &core.ports(), verilog: &verilog, memory: core.memory() };
        let model = Built::of(&cache(), &source, false, Effort::Quick).unwrap().instance(1).unwrap();
        let input = |name: &str| model.port(name, 1, rtl::Direction::Input).unwrap();
        let output = |name: &str| model.port(name, 1, rtl::Direction::Output).unwrap();
        let program = compile("none.S", ".globl main\nmain: ret\n", config);
        let on_the_bus = config.memory.kind == MemoryKind::Axi4;
        let side: Box<dyn MemorySide> = if on_the_bus {
            Box::new(OnTheBus::new(&model, config, Service::Together, &program).unwrap())
        } else if config.dcache.exists() {
            Box::new(Cached::new(&model, config, &program).unwrap())
        } else {
            Box::new(Modelled::new(&model, config, &program).unwrap())
        };
        let data: &[&str] = if on_the_bus { &["m_axi_awvalid", "m_axi_wvalid", "m_axi_arvalid"] } else { &[] };
        let fetches: &[&str] = match (config.icache.exists(), on_the_bus) {
            (false, _) => &["imem_req_valid"],
            (true, false) => &["ifill_req_valid"],
            (true, true) => &[],
        };
        let error = |name: &str| model.port(name, 2, rtl::Direction::Input).unwrap();
        let mut host = Self {
            config: config.clone(),
            port: ControlPort::new(&model, config).unwrap(),
            side,
            irq: output("irq"),
            clk: input("clk"),
            rst: input("rst"),
            restart: output("restart"),
            valids: data.iter().chain(fetches).map(|name| output(name)).collect(),
            errors: on_the_bus.then(|| ["m_axi_rresp", "m_axi_bresp"].map(error)),
            fails: false,
            model,
            events: Events::default(),
            rng: fastrand::Rng::with_seed(config.memory.seed),
            cycle: 0,
            watched: None,
            last_busy: 0,
        };
        host.reset();
        if config.unit().unwrap().reconverges {
            // Memory that holds zeros, which no program uses.
            host.write("table_first", RAM_BASE).unwrap();
            host.write("table_base", RAM_BASE + 0x10000).unwrap();
            host.write("table_bytes", 0x10000).unwrap();
        }
        host
    }

    fn reset(&mut self) {
        self.side.reset(&mut self.model);
        self.port.reset(&mut self.model);
        self.model.set(self.rst, 1);
        for _ in 0..2 {
            self.half_cycle(0);
            self.half_cycle(1);
            self.side.in_reset(&self.model);
        }
        self.model.set(self.rst, 0);
    }

    fn half_cycle(&mut self, clk: u64) {
        self.model.set(self.clk, clk);
        self.model.eval().unwrap();
    }

    pub fn step(&mut self) -> Result<(), String> {
        self.side.drive(&mut self.model, self.cycle, &mut self.events);
        self.port.drive(&mut self.model);
        for port in self.errors.into_iter().flatten().filter(|_| self.fails) {
            self.model.set(port, 2);
        }
        self.half_cycle(0);
        self.events.violation = None;
        self.side.sample(&self.model, self.cycle, &mut self.events);
        let checked = self.port.sample(&self.model);
        if let Some(violation) = self.events.violation.take().or(checked.err()).filter(|_| !self.fails) {
            return Err(format!("{violation:?}"));
        }
        if self.model.bit(self.restart) && !self.side.restart() && !self.fails {
            return Err("a run begins while a request of the last one is in flight".into());
        }
        if self.side.is_waiting() || self.events.response {
            self.last_busy = self.cycle;
        }
        if let Some((port, count)) = &mut self.watched {
            *count += u64::from(self.model.bit(*port));
        }
        self.half_cycle(1);
        self.cycle += 1;
        Ok(())
    }

    /// Panics if an input of the control port changes an output of it within the cycle.
    pub fn is_registered(&mut self) {
        self.half_cycle(0);
        let (inputs, outputs) = self.port.ports.sides();
        let values = |model: &Model| outputs.map(|port| model.get(port));
        let before = values(&self.model);
        for input in inputs {
            let value = self.model.get(input);
            self.model.set(input, !value);
            self.model.eval().unwrap();
            assert_eq!(values(&self.model), before, "input {input:?}");
            self.model.set(input, value);
        }
        self.model.eval().unwrap();
    }

    /// How often a port was high, from the first call on.
    pub fn count(&mut self, port: Port) -> u64 {
        self.watched.get_or_insert((port, 0)).1
    }

    pub fn wait(&mut self, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.step())
    }

    fn finish(&mut self) -> Result<(), String> {
        let start = self.cycle;
        while !self.port.is_idle() {
            self.step()?;
            if self.cycle - start > 1000 {
                return Err("the control port does not answer".into());
            }
        }
        Ok(())
    }

    pub fn write(&mut self, register: &str, value: u32) -> Result<(), String> {
        self.port.write(register, value);
        self.finish()
    }

    pub fn write_at(&mut self, offset: u32, value: u32, strobes: u32) -> Result<(), String> {
        self.port.write_at(offset, value, strobes);
        self.finish()
    }

    pub fn read(&mut self, register: &str) -> Result<u32, String> {
        self.read_at(Register::find(register).offset)
    }

    pub fn read_at(&mut self, offset: u32) -> Result<u32, String> {
        self.port.read_at(offset);
        self.finish()?;
        self.port.value.ok_or_else(|| "a read has no value".into())
    }

    /// A field of a register.
    pub fn field(&mut self, register: &str, field: &str) -> Result<u32, String> {
        let field = Register::find(register).field(field);
        Ok(self.read(register)? >> field.bit & (u32::MAX >> (32 - field.bits)))
    }

    pub fn is(&mut self, register: &str, value: u32) -> Result<(), String> {
        let found = self.read(register)?;
        if found == value { Ok(()) } else { Err(format!("{register} is {found:#x}, expected {value:#x}")) }
    }

    pub fn field_is(&mut self, register: &str, field: &str, value: u32) -> Result<(), String> {
        let found = self.field(register, field)?;
        if found == value { Ok(()) } else { Err(format!("{register}.{field} is {found:#x}, expected {value:#x}")) }
    }

    pub fn load(&mut self, program: &Program) {
        self.side.load(&Ram::new(&self.config, program));
    }

    pub fn word(&self, address: u32) -> u32 {
        self.side.words(&self.model).0[(address - RAM_BASE) as usize / 4]
    }

    pub fn start(&mut self, entry: u32, argument: u32) -> Result<(), String> {
        self.write("entry", entry)?;
        self.write("argument", argument)?;
        self.write("control", 1)
    }

    /// Waits until the core has stopped; the status. `asked` says that a stop was written.
    pub fn until_stopped(&mut self, asked: bool) -> Result<u32, String> {
        let start = self.cycle;
        loop {
            let status = self.read("status")?;
            if status & 3 == 0 {
                self.is_quiet()?;
                return Ok(status);
            }
            if status & 1 == 0 && self.cycle > self.last_busy.max(start) + STOPS_WITHIN {
                return Err("a stop does not end".into());
            }
            if self.cycle - start > if asked { 20 * STOPS_WITHIN } else { LONGEST } {
                return Err(format!("the run does not end: status {status:#x}"));
            }
        }
    }

    /// Nothing is offered, in flight, or different from the expected memory.
    fn is_quiet(&mut self) -> Result<(), String> {
        if self.fails {
            return Ok(());
        }
        let offers = self.valids.iter().any(|port| self.model.bit(*port));
        if offers || self.side.is_waiting() || self.side.is_fetching() {
            return Err("a core that has stopped has a request at its port or in flight".into());
        }
        self.side.check(&self.model).map_err(|violation| format!("{violation:?}"))
    }

    pub fn stop(&mut self) -> Result<u32, String> {
        self.write("control", 2)?;
        self.until_stopped(true)
    }

    /// Runs to the end, which must be that of all threads without a failure.
    pub fn run(&mut self, entry: u32, argument: u32) -> Result<(), String> {
        self.start(entry, argument)?;
        match self.until_stopped(false)? {
            4 => Ok(()),
            status => Err(format!("status {status:#x} at the end, expected done alone")),
        }
    }
}

pub fn compile(file: &str, text: &str, config: &Config) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let elf = kernels::compile_for(config.isa, file, text, folder.path()).unwrap();
    Program::load(file, &std::fs::read(elf).unwrap(), config).unwrap()
}

fn cache() -> Cache {
    let test = std::env::current_exe().unwrap();
    Cache::at(test.ancestors().nth(3).unwrap().join("tmp/controlled"))
}
