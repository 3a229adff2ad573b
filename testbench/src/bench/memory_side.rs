//! What is behind the memory ports of the pipeline: one thing with two implementations, the bench's memory at the top of
//! the core, or the core's own.

use sim::Program;
use weft_config::Config;

use super::hardware::Events;
use crate::memory::{DataPort, Ram, Request, Violation};
use crate::model::{Model, ModelError, Port};
use crate::pins::{AtomicPorts, RequestPorts, byte_mask};

/// The memory of a core.
pub(super) trait MemorySide {
    /// Drives what reset must find.
    fn reset(&mut self, model: &mut Model);

    /// Takes in a cycle of reset, after its clock edge.
    fn in_reset(&mut self, _: &Model) {}

    /// Begins a cycle: drives what the core finds at its ports.
    fn drive(&mut self, model: &mut Model, cycle: u64, events: &mut Events);

    /// Takes in what the core asks in a cycle, before its clock edge.
    fn sample(&mut self, model: &Model, cycle: u64, events: &mut Events);

    /// Whether loads are in flight.
    fn is_waiting(&self) -> bool;

    /// RAM after the requests accepted so far.
    fn ram(&self) -> &Ram;

    /// RAM as the hardware holds it, by physical address.
    fn words(&self, model: &Model) -> Vec<u32>;

    /// Whether the hardware holds what it should.
    fn check(&self, model: &Model) -> Result<(), Violation>;
}

/// The requests of a core and the RAM that performs them.
pub(super) struct Requests {
    pub(super) ports: RequestPorts,
    atomic_ports: Option<AtomicPorts>,
    pub(super) data_port: DataPort,
    pub(super) ram: Ram,
    /// Physical address of the `tohost` word.
    tohost: Option<u32>,
    /// Whether the request of this cycle writes.
    pub(super) writes: bool,
}

impl Requests {
    /// Nothing asked yet.
    pub(super) fn new(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        let ram = Ram::new(config, program);
        Ok(Self {
            ports: RequestPorts::of(model, config)?,
            atomic_ports: AtomicPorts::of(model, config)?,
            data_port: DataPort::new(config),
            tohost: program.tohost().map(|address| ram.layout().physical(address & !3)),
            ram,
            writes: false,
        })
    }

    /// Performs the request of a cycle in which the memory is `ready` for one.
    pub(super) fn accept(&mut self, model: &Model, cycle: u64, ready: bool, events: &mut Events) {
        let ports = &self.ports;
        let get = |port: Port| model.get(port) as u32;
        events.request = ready && model.bit(ports.dmem_req_valid);
        events.tohost = None;
        self.writes = false;
        if !events.request {
            return;
        }
        events.request_code = model.get(ports.dmem_req_op);
        events.request_address = get(ports.dmem_req_addr);
        events.request_tag = get(ports.dmem_req_tag);
        events.request_mask = byte_mask(model, ports.dmem_req_mask);
        events.request_data.clear();
        events.request_data.extend_from_slice(model.words(ports.dmem_req_data));
        events.request_hart = self.atomic_ports.as_ref().map_or(0, |ports| get(ports.dmem_req_hart));
        let Some(request) = events.request() else { return };
        match self.data_port.accept(cycle, &request, &mut self.ram) {
            Ok(written) => {
                self.writes = written;
                events.tohost = self.stored_to_host(&request).filter(|_| written);
            }
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
}
