//! The memory behind the ports of the pipeline. There are three implementations: the bench's own
//! ([`modelled`](super::modelled)), block RAM in the core ([`on_chip`](super::on_chip)), and a slave on the AXI4 bus
//! ([`on_the_bus`](super::on_the_bus)).

use std::borrow::Cow;

use sim::Program;
use weft_config::Config;
use weft_config::extension::A;
use weft_trace::MemoryOp;

use super::events::{Asked, Events};
use crate::memory::{DataPort, Offer, Ram, Request, Violation};
use crate::pins::{AtomicPorts, RequestPorts, WindowPorts, byte_mask};
use verilate::{Model, ModelError, Port};

pub(super) trait MemorySide {
    fn reset(&mut self, model: &mut Model);

    /// Samples a cycle of reset, after its clock edge.
    fn in_reset(&mut self, _: &Model) {}

    /// Begins a cycle: drives the inputs of the core.
    fn drive(&mut self, model: &mut Model, cycle: u64, events: &mut Events);

    /// Samples the outputs of the core in a cycle, before its clock edge.
    fn sample(&mut self, model: &Model, cycle: u64, events: &mut Events);

    /// The requests so far, and RAM after them.
    fn requests(&self) -> &Requests;

    fn is_waiting(&self) -> bool {
        self.requests().data_port.in_flight() > 0
    }

    /// Returns whether a fetch was offered and not accepted, or waits for its word.
    fn is_fetching(&self) -> bool {
        false
    }

    /// A control block begins a run. Nothing may be in flight; returns whether that is so.
    #[cfg(test)]
    fn restart(&mut self) -> bool {
        true
    }

    /// Writes a program into RAM.
    #[cfg(test)]
    fn load(&mut self, _: &Ram) {}

    /// The words of RAM in the hardware, by physical address, and the port over which it writes them.
    fn words(&self, model: &Model) -> (Cow<'_, [u32]>, &'static str);

    /// Compares the memory in the hardware with the expected one.
    fn check(&self, model: &Model) -> Result<(), Violation> {
        let (expected, (actual, signal)) = (self.requests().ram.words(), self.words(model));
        let differs = expected.iter().zip(actual.iter()).position(|(expected, actual)| expected != actual);
        let Some(index) = differs else { return Ok(()) };
        let address = self.requests().ram.layout().base + 4 * index as u32;
        let show = |word: u32| format!("{word:#010x} at physical address {address:#010x}");
        Err(Violation::new(signal, show(expected[index]), show(actual[index])))
    }
}

pub(super) struct Requests {
    pub(super) ports: RequestPorts,
    atomic_ports: Option<AtomicPorts>,
    window_ports: Option<WindowPorts>,
    pub(super) data_port: DataPort,
    pub(super) ram: Ram,
    offer: Offer<Asked>,
    /// Physical address of the `tohost` word.
    tohost: Option<u32>,
    /// Whether the core knows that address. It stops for word stores alone.
    hardware_stops: bool,
    /// Whether the request of this cycle writes.
    pub(super) writes: bool,
}

impl Requests {
    /// The requests of the pipeline.
    pub(super) fn new(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        // A gate of the control block has the same ports as the pipeline, and the requests that reach memory.
        let is_cached = config.dcache.exists();
        let ports =
            if is_cached { RequestPorts::of_pipeline(model, config)? } else { RequestPorts::of(model, config)? };
        let atomics = config.isa.has(&A).then(|| AtomicPorts::of_pipeline(model, config)).transpose()?;
        let windows = &config.memory.windows;
        let window_ports = (!windows.is_empty()).then(|| WindowPorts::of_pipeline(model, config)).transpose()?;
        Ok(Self { window_ports, ..Self::over(ports, atomics, config, program) })
    }

    /// The requests behind a data cache: loads and stores.
    pub(super) fn behind_cache(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        Ok(Self::over(RequestPorts::of(model, config)?, None, config, program))
    }

    fn over(ports: RequestPorts, atomic_ports: Option<AtomicPorts>, config: &Config, program: &Program) -> Self {
        let ram = Ram::new(config, program);
        let tohost = Some(config.run.tohost).filter(|address| *address != 0).or(program.tohost());
        Self {
            ports,
            atomic_ports,
            window_ports: None,
            data_port: DataPort::new(config),
            tohost: tohost.map(|address| ram.layout().physical(address & !3)),
            hardware_stops: config.run.tohost != 0,
            ram,
            offer: Offer::default(),
            writes: false,
        }
    }

    /// Drops what was offered and not accepted, and all reservations.
    #[cfg(test)]
    pub(super) fn restart(&mut self) -> bool {
        self.offer = Offer::default();
        self.ram.end_reservations();
        let is_quiet = self.data_port.in_flight() == 0;
        self.data_port.restart();
        is_quiet
    }

    pub(super) fn is_offered(&self) -> bool {
        self.offer.waits()
    }

    /// Performs the request of a cycle in which the memory is `ready` for one.
    pub(super) fn accept(&mut self, model: &Model, cycle: u64, ready: bool, events: &mut Events) {
        let valid = model.bit(self.ports.dmem_req_valid);
        events.request = ready && valid;
        events.tohost = None;
        self.writes = false;
        if valid {
            self.read(model, &mut events.asked);
        }
        if self.offer.waits() || (valid && !ready) {
            let offered = valid.then_some(&events.asked);
            events.violation = self.offer.check("dmem_req", offered, ready).err();
        }
        let Some(request) = events.request() else { return };
        if let Some(ports) = &self.window_ports {
            let is_outside = !self.ram.contains(request.address, request.data.len());
            if model.bit(ports.dmem_req_window) != is_outside {
                let expected = if is_outside { "1 outside RAM" } else { "0 in RAM" };
                events.violation =
                    Some(Violation::new("dmem_req_window", expected, format!("{:#010x}", request.address)));
                return;
            }
        }
        match self.data_port.accept(cycle, &request, &mut self.ram) {
            Ok(written) => {
                self.writes = written;
                events.tohost = self.stored_to_host(&request).filter(|_| written);
            }
            Err(violation) => events.violation = Some(violation),
        }
    }

    fn read(&self, model: &Model, asked: &mut Asked) {
        let ports = &self.ports;
        let get = |port: Port| model.get(port) as u32;
        asked.code = model.get(ports.dmem_req_op);
        asked.address = get(ports.dmem_req_addr);
        asked.tag = get(ports.dmem_req_tag);
        asked.mask = byte_mask(model, ports.dmem_req_mask);
        asked.data.clear();
        asked.data.extend_from_slice(model.words(ports.dmem_req_data));
        asked.hart = self.atomic_ports.as_ref().map_or(0, |ports| get(ports.dmem_req_hart));
    }

    /// The `tohost` word, if the store writes it.
    fn stored_to_host(&self, store: &Request<'_>) -> Option<u32> {
        let tohost = self.tohost?;
        let offset = tohost.wrapping_sub(store.address) as usize / 4;
        let bytes = if offset < store.data.len() { store.mask[offset / 16] >> (4 * (offset % 16)) & 0xf } else { 0 };
        let of_store = MemoryOp::of_request(store.code) == Some(MemoryOp::Store);
        let stops = if self.hardware_stops { bytes == 0xf && of_store } else { bytes != 0 };
        self.ram.read_physical(tohost).filter(|_| stops)
    }
}
