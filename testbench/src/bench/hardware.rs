//! A verilated core with its memory, console and clock.

use std::path::Path;

use sim::{Fault, Program};
use weft_config::Config;

use crate::memory::{BackPressure, DataPort, Ram, Request, Violation};
use crate::model::{Model, ModelError};
use crate::pins::{AtomicPorts, Ports, byte_mask};
use crate::trace_port::{Sample, TracePort};

/// Cycles that reset is held.
const RESET_CYCLES: u64 = 4;

/// What the core finds on a response port that has nothing to say.
const JUNK: u32 = 0xdead_beef;

/// A core and what it is connected to.
pub(super) struct Hardware {
    model: Model,
    ports: Ports,
    atomic_ports: Option<AtomicPorts>,
    trace: Option<TracePort>,
    ram: Ram,
    data_port: DataPort,
    fetch_pressure: BackPressure,
    console_pressure: BackPressure,
    /// The word to answer on the fetch port.
    fetched: Option<u32>,
    /// Physical address of the `tohost` word.
    tohost: Option<u32>,
    cycle: u64,
    wave_time: u64,
}

/// What happened in a cycle. Kept from cycle to cycle for its buffers.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// Records of the trace port.
    pub(super) trace: Sample,
    /// A fetch was accepted.
    pub(super) fetch: bool,
    /// A load was answered.
    pub(super) response: bool,
    /// A request was accepted; it is in the other `request_` fields.
    pub(super) request: bool,
    request_code: u64,
    request_address: u32,
    request_tag: u32,
    request_mask: [u64; 4],
    request_data: Vec<u32>,
    request_hart: u32,
    /// The request cannot be served.
    pub(super) violation: Option<Violation>,
    /// The byte that the console took.
    pub(super) console: Option<u8>,
    /// The `tohost` word after a store to it, if not zero.
    pub(super) tohost: Option<u32>,
    /// The core halts.
    pub(super) fault: Option<Fault>,
    /// The core is done.
    pub(super) done: bool,
}

impl Events {
    /// The accepted request.
    pub(super) fn request(&self) -> Option<Request<'_>> {
        self.request.then_some(Request {
            code: self.request_code,
            address: self.request_address,
            tag: self.request_tag,
            mask: self.request_mask,
            data: &self.request_data,
            hart: self.request_hart,
        })
    }
}

impl Hardware {
    /// Connects a model, and resets it.
    pub(super) fn new(
        model: Model,
        config: &Config,
        program: &Program,
        wave: Option<&Path>,
    ) -> Result<Self, ModelError> {
        let memory = &config.memory;
        let ram = Ram::new(config, program);
        let mut hardware = Self {
            ports: Ports::of(&model, config)?,
            atomic_ports: AtomicPorts::of(&model, config)?,
            trace: if config.trace.port { Some(TracePort::of(&model, config)?) } else { None },
            model,
            data_port: DataPort::new(config),
            fetch_pressure: BackPressure::new(memory.latency, memory.seed ^ 0x0fe7, 16),
            console_pressure: BackPressure::new(memory.latency, memory.seed ^ 0x0c05, 4),
            fetched: None,
            tohost: program.tohost().map(|address| ram.layout().physical(address & !3)),
            ram,
            cycle: 0,
            wave_time: 0,
        };
        if let Some(path) = wave {
            hardware.model.open_wave(path)?;
        }
        hardware.reset()?;
        Ok(hardware)
    }

    /// Cycles since reset.
    pub(super) fn cycle(&self) -> u64 {
        self.cycle
    }

    /// RAM.
    pub(super) fn ram(&self) -> &Ram {
        &self.ram
    }

    /// RAM at the end of a run.
    pub(super) fn into_ram(self) -> Ram {
        self.ram
    }

    /// Whether loads are in flight.
    pub(super) fn is_waiting(&self) -> bool {
        self.data_port.in_flight() > 0
    }

    fn reset(&mut self) -> Result<(), ModelError> {
        let Ports { rst, imem_req_ready, dmem_req_ready, console_ready, imem_rsp_reconvergence, .. } = self.ports;
        for port in [imem_req_ready, dmem_req_ready, console_ready, imem_rsp_reconvergence] {
            self.model.set(port, 0);
        }
        self.answer_fetch();
        self.answer_load();
        self.model.set(rst, 1);
        for _ in 0..RESET_CYCLES {
            self.half_cycle(0)?;
            self.half_cycle(1)?;
        }
        self.model.set(rst, 0);
        Ok(())
    }

    /// Runs one clock cycle.
    pub(super) fn step(&mut self, events: &mut Events) -> Result<(), ModelError> {
        let Ports { imem_req_ready, dmem_req_ready, console_ready, .. } = self.ports;
        let (fetch_ready, request_ready) = (self.fetch_pressure.ready(), self.data_port.ready());
        let console_accepts = self.console_pressure.ready();
        self.model.set(imem_req_ready, fetch_ready.into());
        self.model.set(dmem_req_ready, request_ready.into());
        self.model.set(console_ready, console_accepts.into());
        self.answer_fetch();
        events.response = self.answer_load();
        self.half_cycle(0)?;

        if let Some(trace) = &mut self.trace {
            trace.sample(&self.model, self.cycle, &mut events.trace);
        }
        self.accept_fetch(fetch_ready, events);
        self.accept_request(request_ready, events);
        let sends = console_accepts && self.model.bit(self.ports.console_valid);
        events.console = sends.then(|| self.model.get(self.ports.console_data) as u8);
        events.done = self.model.bit(self.ports.done);
        events.fault = self.model.bit(self.ports.error_valid).then(|| self.fault());

        self.half_cycle(1)?;
        self.cycle += 1;
        Ok(())
    }

    fn half_cycle(&mut self, clk: u64) -> Result<(), ModelError> {
        self.model.set(self.ports.clk, clk);
        self.model.eval()?;
        self.model.dump_wave(self.wave_time);
        self.wave_time += 1;
        Ok(())
    }

    fn answer_fetch(&mut self) {
        let word = self.fetched.take();
        self.model.set(self.ports.imem_rsp_valid, word.is_some().into());
        self.model.set(self.ports.imem_rsp_data, word.unwrap_or(JUNK).into());
    }

    fn answer_load(&mut self) -> bool {
        let Ports { dmem_rsp_valid, dmem_rsp_tag, dmem_rsp_data, .. } = self.ports;
        let response = self.data_port.respond(self.cycle);
        let valid = response.is_some();
        match response {
            Some(response) => {
                self.model.set(dmem_rsp_tag, response.tag.into());
                self.model.words_mut(dmem_rsp_data).copy_from_slice(response.data);
            }
            None if self.model.words_mut(dmem_rsp_data)[0] != JUNK => self.model.words_mut(dmem_rsp_data).fill(JUNK),
            None => {}
        }
        self.model.set(dmem_rsp_valid, valid.into());
        valid
    }

    fn accept_fetch(&mut self, ready: bool, events: &mut Events) {
        events.fetch = ready && self.model.bit(self.ports.imem_req_valid);
        if events.fetch {
            let address = self.model.get(self.ports.imem_req_addr) as u32;
            // Outside RAM: zero; the core knows that the address is bad.
            self.fetched = Some(self.ram.read_physical(address).unwrap_or(0));
        }
    }

    fn accept_request(&mut self, ready: bool, events: &mut Events) {
        let ports = &self.ports;
        events.request = ready && self.model.bit(ports.dmem_req_valid);
        events.tohost = None;
        if !events.request {
            return;
        }
        events.request_code = self.model.get(ports.dmem_req_op);
        events.request_address = self.model.get(ports.dmem_req_addr) as u32;
        events.request_tag = self.model.get(ports.dmem_req_tag) as u32;
        events.request_mask = byte_mask(&self.model, ports.dmem_req_mask);
        events.request_data.clear();
        events.request_data.extend_from_slice(self.model.words(ports.dmem_req_data));
        events.request_hart = self.atomic_ports.as_ref().map_or(0, |ports| self.model.get(ports.dmem_req_hart) as u32);
        let Some(request) = events.request() else { return };
        match self.data_port.accept(self.cycle, &request, &mut self.ram) {
            Ok(written) => events.tohost = self.stored_to_host(&request).filter(|_| written),
            Err(violation) => events.violation = Some(violation),
        }
    }

    /// The `tohost` word if a request is for it and it is not zero.
    fn stored_to_host(&self, store: &Request<'_>) -> Option<u32> {
        let tohost = self.tohost?;
        let offset = tohost.wrapping_sub(store.address) as usize / 4;
        let touched = offset < store.data.len() && store.mask[offset / 16] >> (4 * (offset % 16)) & 0xf != 0;
        self.ram.read_physical(tohost).filter(|value| touched && *value != 0)
    }

    fn fault(&self) -> Fault {
        let ports = &self.ports;
        Fault {
            cause: self.model.get(ports.error_cause) as u8,
            pc: self.model.get(ports.error_pc) as u32,
            warp: self.model.get(ports.error_warp) as u32,
            lane: self.model.get(ports.error_lane) as u32,
        }
    }
}
