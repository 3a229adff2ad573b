//! The control port of a core: an AXI4-Lite master that does one access at a time, and checks the rules of the bus.

use std::collections::VecDeque;

use cores::control::registers::Register;
use weft_config::Config;

use crate::memory::{BackPressure, Violation};
use crate::pins::{ControlPorts, ObservedConsole};
#[cfg(test)]
use verilate::Port;
use verilate::{Model, ModelError};

#[derive(Clone, Copy, Debug)]
struct Access {
    offset: u32,
    /// Data and strobes of a write.
    write: Option<(u32, u32)>,
    /// Address, data: offered in an earlier cycle, or not yet; accepted.
    offered: [bool; 2],
    accepted: [bool; 2],
}

pub(super) struct ControlPort {
    ports: ControlPorts,
    console: ObservedConsole,
    waiting: VecDeque<Access>,
    /// Pauses of the master: before it offers, and before it accepts an answer.
    pressure: BackPressure,
    ready: bool,
    /// An answer that was offered and not accepted: of a write, and the data of a read.
    held: (bool, Option<u32>),
    /// The value of the last read that has ended.
    pub(super) value: Option<u32>,
}

impl ControlPort {
    pub(super) fn new(model: &Model, config: &Config) -> Result<Self, ModelError> {
        Ok(Self {
            ports: ControlPorts::of(model, config)?,
            console: ObservedConsole::of(model, config)?,
            waiting: VecDeque::new(),
            pressure: BackPressure::new(config.memory.latency, config.memory.seed ^ 0xa8e1, 2),
            ready: false,
            held: (false, None),
            value: None,
        })
    }

    pub(super) fn reset(&mut self, model: &mut Model) {
        let ControlPorts { awvalid, wvalid, bready, arvalid, rready, awprot, arprot, .. } = self.ports;
        for port in [awvalid, wvalid, bready, arvalid, rready, awprot, arprot] {
            model.set(port, 0);
        }
    }

    pub(super) fn write(&mut self, register: &str, value: u32) {
        self.write_at(Register::find(register).offset, value, 0xf);
    }

    pub(super) fn write_at(&mut self, offset: u32, value: u32, strobes: u32) {
        self.push(offset, Some((value, strobes)));
    }

    pub(super) fn read(&mut self, register: &str) {
        self.read_at(Register::find(register).offset);
    }

    pub(super) fn read_at(&mut self, offset: u32) {
        self.push(offset, None);
    }

    fn push(&mut self, offset: u32, write: Option<(u32, u32)>) {
        self.waiting.push_back(Access { offset, write, offered: [false; 2], accepted: [false; 2] });
    }

    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether the core has taken every access, answered or not.
    pub(super) fn is_taken(&self) -> bool {
        self.waiting.iter().all(|access| access.accepted[0] && (access.accepted[1] || access.write.is_none()))
    }

    pub(super) fn takes_console(&self, model: &Model) -> bool {
        model.bit(self.console.console_ready)
    }

    pub(super) fn drive(&mut self, model: &mut Model) {
        let ports = self.ports;
        self.ready = self.pressure.ready();
        model.set(ports.bready, self.ready.into());
        model.set(ports.rready, self.ready.into());
        let Self { waiting, pressure, .. } = self;
        let mut valid = [false; 2];
        let mut of_write = false;
        if let Some(access) = waiting.front_mut() {
            of_write = access.write.is_some();
            for (offered, accepted) in access.offered.iter_mut().zip(access.accepted) {
                *offered = (*offered || pressure.ready()) && !accepted;
            }
            valid = access.offered;
            model.set(if of_write { ports.awaddr } else { ports.araddr }, access.offset.into());
            let (data, strobes) = access.write.unwrap_or_default();
            model.set(ports.wdata, data.into());
            model.set(ports.wstrb, strobes.into());
        }
        model.set(ports.awvalid, (of_write && valid[0]).into());
        model.set(ports.wvalid, (of_write && valid[1]).into());
        model.set(ports.arvalid, (!of_write && valid[0]).into());
    }

    /// Samples the answers of a cycle, and checks them.
    pub(super) fn sample(&mut self, model: &Model) -> Result<(), Violation> {
        let ports = self.ports;
        let violation = |signal, expected: &str, actual: String| Err(Violation::new(signal, expected, actual));
        let [written, read] = [ports.bvalid, ports.rvalid].map(|port| model.bit(port));
        let data = read.then(|| model.get(ports.rdata) as u32);
        if (self.held.0 && !written) || (self.held.1.is_some() && self.held.1 != data) {
            return violation(
                "s_axil_bvalid",
                "an answer that stays until it is accepted",
                format!("{written}, {data:?}"),
            );
        }
        self.held = (written && !self.ready, data.filter(|_| !self.ready));
        let front = self.waiting.front().copied();
        let answers = |is_write: bool| {
            front.is_some_and(|access| {
                access.write.is_some() == is_write && access.accepted[0] && (!is_write || access.accepted[1])
            })
        };
        if (written && !answers(true)) || (read && !answers(false)) {
            return violation("s_axil_bvalid", "an answer to an access that was taken", format!("{written}, {read}"));
        }
        let [bresp, rresp] = [ports.bresp, ports.rresp].map(|port| model.get(port));
        if (written && bresp != 0) || (read && rresp != 0) {
            return violation("s_axil_bresp", "OKAY", format!("{bresp}, {rresp}"));
        }
        if (written || read) && self.ready {
            self.value = data;
            self.waiting.pop_front();
            return Ok(());
        }
        if let Some(access) = self.waiting.front_mut() {
            let taken = |valid, ready| model.get(valid) == 1 && model.bit(ready);
            if access.write.is_some() {
                access.accepted[0] |= taken(ports.awvalid, ports.awready);
                access.accepted[1] |= taken(ports.wvalid, ports.wready);
            } else {
                access.accepted[0] |= taken(ports.arvalid, ports.arready);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
impl ControlPorts {
    /// The inputs of the core, and its outputs.
    fn sides(&self) -> ([Port; 9], [Port; 8]) {
        let Self { awvalid, awaddr, wvalid, wdata, wstrb, bready, arvalid, araddr, rready, .. } = *self;
        let Self { awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp, .. } = *self;
        let inputs = [awvalid, awaddr, wvalid, wdata, wstrb, bready, arvalid, araddr, rready];
        (inputs, [awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp])
    }
}

#[cfg(test)]
mod tests;
