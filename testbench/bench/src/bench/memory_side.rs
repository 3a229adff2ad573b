//! The memory behind the ports of the pipeline. Three implementations: the bench's own ([`modelled`](super::modelled)), block
//! RAM in the core ([`on_chip`](super::on_chip)) and a slave on the AXI4 bus ([`on_the_bus`](super::on_the_bus)).

use sim::Program;
use weft_config::Config;
use weft_config::extension::A;

use super::events::{Asked, Events};
use crate::memory::{DataPort, Offer, Ram, Request, Violation};
use crate::pins::{AtomicPorts, RequestPorts, byte_mask};
use verilate::{Model, ModelError, Port};

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

    /// Whether a request or a fetch stands at its port, not accepted, or a fetch waits for its word.
    fn is_asked(&self) -> bool;

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
    offer: Offer<Asked>,
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
            atomic_ports: config.isa.has(&A).then(|| AtomicPorts::of(model, config)).transpose()?,
            data_port: DataPort::new(config),
            tohost: program.tohost().map(|address| ram.layout().physical(address & !3)),
            ram,
            offer: Offer::default(),
            writes: false,
        })
    }

    /// Whether a request stands at the port that was not accepted.
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

    /// The `tohost` word if a store is to it.
    fn stored_to_host(&self, store: &Request<'_>) -> Option<u32> {
        let tohost = self.tohost?;
        let offset = tohost.wrapping_sub(store.address) as usize / 4;
        let touched = offset < store.data.len() && store.mask[offset / 16] >> (4 * (offset % 16)) & 0xf != 0;
        self.ram.read_physical(tohost).filter(|_| touched)
    }
}
