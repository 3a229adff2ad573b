//! The adaptor without a pipeline: a wrapper with the ports of a core, and random requests.

use std::fmt::Write;

use rtl::{Direction, PortInfo};
use sim::Program;
use weft_config::extension::A;
use weft_config::{Bandwidth, Config, Latency, MemoryKind};
use weft_trace::MemoryOp;

use crate::bench::events::Events;
use crate::bench::memory_side::MemorySide;
use crate::bench::on_the_bus::OnTheBus;
use crate::memory::axi4::Service;
use crate::memory::{RAM_BASE, Violation};
use tools::cache::Cache;
use verilate::{Built, Effort, Model, Port, Source};

/// Inputs of the wrapper that replace the request of a pipeline. Some cores also have `hart` and `window`.
const DRIVEN: [&str; 6] = ["valid", "op", "addr", "tag", "mask", "data"];

/// Cycles without a response after which it is lost.
const PATIENCE: u64 = 4000;

/// A core that has this adaptor, and little memory.
pub fn config(threads: u32, outstanding: u32, (min, max): (u32, u32), bandwidth: u32) -> Config {
    let mut config = Config { warps: 2, threads, ..Config::default() };
    config.memory.kind = MemoryKind::Axi4;
    config.memory.outstanding = outstanding;
    config.memory.latency = Latency { min, max };
    config.memory.bandwidth = Bandwidth(bandwidth);
    config.memory.ram_bytes = 1 << 20;
    config.memory.stack_bytes = 64;
    config
}

#[derive(Clone, Default)]
struct Request {
    operation: u64,
    address: u32,
    tag: u32,
    mask: [u64; 4],
    data: Vec<u32>,
    hart: u64,
    window: bool,
}

pub struct Alone {
    pub model: Model,
    pub side: OnTheBus,
    config: Config,
    driven: [Port; 6],
    hart: Option<Port>,
    window: Option<Port>,
    finished: Port,
    idle: Port,
    clk: Port,
    rst: Port,
    rng: fastrand::Rng,
    offered: Option<Request>,
    waiting: Vec<u32>,
    cycle: u64,
    events: Events,
}

impl Alone {
    /// The adaptor, with a slave that serves reads and writes together.
    pub fn new(config: &Config) -> Self {
        Self::with(config, Service::Together)
    }

    /// The adaptor with a slave of this service.
    pub fn with(config: &Config, service: Service) -> Self {
        Self::of(config, service, &cores::elaborate(config, RAM_BASE).unwrap())
    }

    pub fn broken(config: &Config, service: Service, fault: &str) -> Self {
        let core = rtl::with_fault(fault, || cores::elaborate(config, RAM_BASE));
        Self::of(config, service, &core.unwrap())
    }

    fn of(config: &Config, service: Service, core: &cores::Core) -> Self {
        let adaptor = core.without_prefix().part("axi4").unwrap();
        let (wrapper, ports) = wrap(&adaptor.ports());
        let verilog = adaptor.all_in_one() + &wrapper;
        let source = Source { top: "alone", ports: &ports, verilog: &verilog, memory: None };
        let model = Built::of(&cache(), &source, false, Effort::Quick).unwrap().instance(1).unwrap();
        let port = |name: &str| {
            let port = ports.iter().find(|port| port.name == name).unwrap();
            model.port(name, port.width, port.direction).unwrap()
        };
        let driven = DRIVEN.map(|name| port(&format!("drive_{name}")));
        let hart = config.isa.has(&A).then(|| port("drive_hart"));
        let window = (!config.memory.windows.is_empty()).then(|| port("drive_window"));
        let [finished, idle, clk, rst] = ["finished", "dmem_idle", "clk", "rst"].map(port);
        let mut alone = Self {
            side: OnTheBus::new(&model, config, service, &program(config)).unwrap(),
            model,
            config: config.clone(),
            driven,
            hart,
            window,
            finished,
            idle,
            clk,
            rst,
            rng: fastrand::Rng::with_seed(config.memory.seed),
            offered: None,
            waiting: Vec::new(),
            cycle: 0,
            events: Events::default(),
        };
        alone.reset();
        alone
    }

    fn reset(&mut self) {
        self.model.set(self.finished, 0);
        self.side.reset(&mut self.model);
        self.offer(None);
        self.model.set(self.rst, 1);
        for _ in 0..4 {
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

    fn offer(&mut self, request: Option<Request>) {
        let Request { operation, address, tag, mask, mut data, hart, window } = request.clone().unwrap_or_default();
        data.resize(self.config.threads as usize, 0);
        let [valid, op, at_address, at_tag, at_mask, at_data] = self.driven;
        let values = [request.is_some().into(), operation, address.into(), tag.into()];
        for (port, value) in [valid, op, at_address, at_tag].into_iter().zip(values) {
            self.model.set(port, value);
        }
        for (port, value) in [(self.hart, hart), (self.window, window.into())] {
            port.into_iter().for_each(|port| self.model.set(port, value));
        }
        if self.model.bits(at_mask) <= 64 {
            self.model.set(at_mask, mask[0]);
        } else {
            for (word, part) in self.model.words_mut(at_mask).iter_mut().enumerate() {
                *part = (mask[word / 2] >> (32 * (word % 2))) as u32;
            }
        }
        self.model.words_mut(at_data).copy_from_slice(&data);
        self.offered = request;
    }

    /// Simulates a cycle; `change` may change the slave's response.
    pub fn step(&mut self, change: impl FnOnce(&mut Model)) -> Result<(), String> {
        self.side.drive(&mut self.model, self.cycle, &mut self.events);
        change(&mut self.model);
        self.half_cycle(0);
        self.events.violation = None;
        self.events.response = false;
        self.side.sample(&self.model, self.cycle, &mut self.events);
        if self.events.response {
            let tag = self.model.get(self.side.expected.answers.dmem_rsp_tag) as u32;
            self.waiting.retain(|waiting| *waiting != tag);
        }
        self.half_cycle(1);
        self.cycle += 1;
        if self.events.request {
            let request = self.offered.take().ok_or("a request is accepted that was not made")?;
            if MemoryOp::of_request(request.operation).is_some_and(MemoryOp::is_answered) {
                self.waiting.push(request.tag);
            }
            self.offer(None);
        }
        let told = |Violation { signal, expected, actual }| format!("{signal}: expected {expected}, actual {actual}");
        self.events.violation.take().map_or(Ok(()), |violation| Err(told(violation)))
    }

    fn free_tag(&mut self) -> Option<u32> {
        let free: Vec<u32> = (0..self.config.memory.outstanding).filter(|tag| !self.waiting.contains(tag)).collect();
        self.rng.choice(free)
    }

    /// A request of any kind for one of few lines; stores have any tag.
    fn random_request(&mut self) -> Option<Request> {
        if !self.config.memory.windows.is_empty() && self.rng.u8(0..4) == 0 {
            return self.random_access();
        }
        let threads = self.config.threads as usize;
        let kinds: &[u64] = if self.config.isa.has(&A) {
            &[0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
        } else {
            &[0, 1]
        };
        let operation = self.rng.choice(kinds).copied()?;
        let tag = if operation == 1 { self.rng.u32(0..self.config.memory.outstanding) } else { self.free_tag()? };
        let line = 4 * self.config.threads;
        let last = self.config.memory.ram_bytes / line - 1;
        let row = [0, 1, 2, last, self.rng.u32(0..=last)][self.rng.usize(0..5)];
        let mut mask = [0_u64; 4];
        if operation == 1 {
            while mask == [0; 4] {
                for byte in 0..4 * threads {
                    mask[byte / 64] |= u64::from(self.rng.bool()) << (byte % 64);
                }
            }
        } else {
            let word = self.rng.usize(0..2) * (threads - 1);
            mask[word / 16] = 0xf << (4 * (word % 16));
        }
        let data = (0..threads).map(|_| self.rng.u32(..)).collect();
        let (address, hart) = (RAM_BASE + line * row, self.rng.u64(0..2));
        Some(Request { operation, address, tag, mask, data, hart, window: false })
    }

    /// A load or store of any size in a window.
    fn random_access(&mut self) -> Option<Request> {
        let window = *self.rng.choice(&self.config.memory.windows)?;
        let size = self.rng.u32(0..3);
        let address = window.base + (self.rng.u32(0..window.bytes.min(1024)) >> size << size);
        let operation = self.rng.u64(0..2);
        let tag = if operation == 1 { 0 } else { self.free_tag()? };
        self.ask_window(operation, address, 1 << size, tag);
        self.offered.take()
    }

    /// Runs this many random requests, with and without gaps, the last a store, until all are performed.
    pub fn run(&mut self, requests: u32) -> Result<(), String> {
        let (mut left, mut last, mut eager) = (requests, 0, true);
        while left > 0 {
            if self.offered.is_none() && left == 1 {
                self.ask(1, 0, 0);
            } else if self.offered.is_none() && (eager || self.rng.u8(0..8) == 0) {
                let request = self.random_request();
                self.offer(request);
            }
            eager ^= self.rng.u8(0..64) == 0;
            self.step(|_| ())?;
            if self.events.request {
                (left, last) = (left - 1, self.cycle);
            }
            self.has_patience_since(last)?;
        }
        self.finish()
    }

    /// Returns an error if the last accepted request is too long ago.
    fn has_patience_since(&self, last: u64) -> Result<(), String> {
        if self.cycle - last > PATIENCE {
            return Err(format!("no request is accepted any more; tags {:?} wait", self.waiting));
        }
        Ok(())
    }

    /// Waits for all requests; drives `done` as a core does.
    pub fn finish(&mut self) -> Result<(), String> {
        let start = self.cycle;
        while !self.waiting.is_empty() || !self.is_idle() {
            self.model.set(self.finished, self.waiting.is_empty().into());
            self.step(|_| ())?;
            if self.cycle - start > PATIENCE {
                return Err(format!("tags {:?} are never answered, or it is never idle", self.waiting));
            }
        }
        self.model.set(self.finished, 1);
        self.step(|_| ())?;
        self.side.check(&self.model).map_err(|violation| format!("{violation:?}"))
    }

    /// Sends requests of one kind at full speed, each for another line; returns the number of cycles.
    pub fn stream(&mut self, operation: u64, requests: u32) -> Result<u64, String> {
        let (mut sent, start, mut last) = (0, self.cycle, self.cycle);
        while sent < requests {
            if self.offered.is_none()
                && let Some(tag) = if operation == 1 { Some(0) } else { self.free_tag() }
            {
                self.ask(operation, sent, tag);
            }
            self.step(|_| ())?;
            if self.events.request {
                (sent, last) = (sent + 1, self.cycle);
            }
            self.has_patience_since(last)?;
        }
        let cycles = self.cycle - start;
        self.finish().map(|()| cycles)
    }

    /// Drives a request for `bytes` bytes of a window.
    pub fn ask_window(&mut self, operation: u64, address: u32, bytes: u32, tag: u32) {
        let line = address & !(4 * self.config.threads - 1);
        let (first, mut mask) = (address - line, [0_u64; 4]);
        mask[first as usize / 64] = ((1 << bytes) - 1) << (first % 64);
        let data = (0..self.config.threads).map(|_| self.rng.u32(..)).collect();
        self.offer(Some(Request { operation, address: line, tag, mask, data, hart: 0, window: true }));
    }

    /// Drives a request for the first word of a line.
    pub fn ask(&mut self, operation: u64, row: u32, tag: u32) {
        let threads = self.config.threads;
        let (address, data) = (RAM_BASE + 4 * threads * row, vec![row; threads as usize]);
        self.offer(Some(Request { operation, address, tag, mask: [0xf, 0, 0, 0], data, hart: 0, window: false }));
    }

    pub fn is_accepted(&self) -> bool {
        self.offered.is_none()
    }

    /// The adaptor's `idle` output.
    pub fn is_idle(&self) -> bool {
        self.model.bit(self.idle)
    }

    pub fn is_answered(&self) -> bool {
        self.events.response
    }
}

fn cache() -> Cache {
    let test = std::env::current_exe().unwrap();
    Cache::at(test.ancestors().nth(3).unwrap().join("tmp/alone"))
}

/// A program for the bench, which needs one.
fn program(config: &Config) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let elf = kernels::compile("none.S", ".globl main\nmain: ret\n", folder.path()).unwrap();
    Program::load("none", &std::fs::read(elf).unwrap(), config).unwrap()
}

/// A module `alone` around the adaptor: the ports of a core, and `drive_*` for the requests of its pipeline.
fn wrap(adaptor: &[PortInfo]) -> (String, Vec<PortInfo>) {
    let port = |name: &str, width: usize, direction: Direction| PortInfo { name: name.into(), width, direction };
    let mut ports = Vec::new();
    let mut assignments = String::new();
    for PortInfo { name, width, direction } in adaptor {
        match name.strip_prefix("dmem_req_").filter(|_| *direction == Direction::Input) {
            Some(field) => {
                ports.push(port(&format!("drive_{field}"), *width, Direction::Input));
                ports.push(port(name, *width, Direction::Output));
                let _ = writeln!(assignments, "    assign {name} = drive_{field};");
            }
            None => ports.push(port(name, *width, *direction)),
        }
    }
    for (name, width) in [("imem_req_valid", 1), ("imem_req_addr", 32)] {
        ports.push(port(name, width, Direction::Output));
        let _ = writeln!(assignments, "    assign {name} = 0;");
    }
    for (name, width) in [("imem_req_ready", 1), ("imem_rsp_valid", 1), ("imem_rsp_data", 32)] {
        ports.push(port(name, width, Direction::Input));
    }
    ports.push(port("finished", 1, Direction::Input));
    ports.push(port("done", 1, Direction::Output));
    assignments += "    assign done = finished & dmem_idle;\n";
    let declared: Vec<String> = ports
        .iter()
        .map(|PortInfo { name, width, direction }| {
            let direction = if *direction == Direction::Input { "input" } else { "output" };
            format!("    {direction} wire [{}:0] {name}", width - 1)
        })
        .collect();
    let connections: Vec<String> = adaptor.iter().map(|PortInfo { name, .. }| format!(".{name}({name})")).collect();
    let text = format!(
        "module alone (\n{}\n);\n{assignments}    axi4 adaptor ({});\nendmodule\n",
        declared.join(",\n"),
        connections.join(", ")
    );
    (text, ports)
}
