//! A verilated core with its memory, console and clock.

use std::path::Path;

use cores::control::TABLE;
use sim::decode::{Instruction, decode};
use sim::{Exit, Fault, Program};
use weft_config::{Config, MemoryKind};

use super::cached::Cached;
use super::control_port::ControlPort;
use super::events::Events;
use super::memory_side::MemorySide;
use super::modelled::Modelled;
use super::on_chip::OnChip;
use super::on_the_bus::{OnTheBus, TABLE_BASE};
use crate::memory::axi4::Service;
use crate::memory::{BackPressure, Offer, Ram, Violation};
use crate::pins::{ConsoleAnswer, Ports};
use crate::reconvergence::StoredTable;
use crate::trace_port::TracePort;
use verilate::{Model, ModelError};

const RESET_CYCLES: u64 = 4;

pub(super) struct Hardware {
    model: Model,
    ports: Ports,
    memory: Box<dyn MemorySide>,
    trace: Option<TracePort>,
    /// The bench drives it, or else the control block.
    console_answer: Option<ConsoleAnswer>,
    control: Option<ControlPort>,
    /// The values of the registers of the reconvergence table.
    table: Vec<(&'static str, u32)>,
    console_pressure: BackPressure,
    console_offer: Offer<u8>,
    /// Banks of the scratchpad, which come last.
    scratchpad_banks: usize,
    cycle: u64,
    /// The cycle in which the control block took the start.
    started: Option<u64>,
    wave_time: u64,
}

impl Hardware {
    pub(super) fn new(
        mut model: Model,
        config: &Config,
        program: &Program,
        wave: Option<&Path>,
    ) -> Result<Self, ModelError> {
        let memory: Box<dyn MemorySide> = match config.memory.kind {
            MemoryKind::Model if config.dcache.exists() => Box::new(Cached::new(&model, config, program)?),
            MemoryKind::Model => Box::new(Modelled::new(&model, config, program)?),
            MemoryKind::Bram => Box::new(OnChip::new(&mut model, config, program)?),
            MemoryKind::Axi4 => Box::new(OnTheBus::new(&model, config, Service::Together, program)?),
        };
        let mut hardware = Self {
            ports: Ports::of(&model, config)?,
            memory,
            trace: if config.trace.port { Some(TracePort::of(&model, config)?) } else { None },
            console_answer: (!config.control.port).then(|| ConsoleAnswer::of(&model, config)).transpose()?,
            control: config.control.port.then(|| ControlPort::new(&model, config)).transpose()?,
            table: table_registers(config, program),
            model,
            console_pressure: BackPressure::new(config.memory.latency, config.memory.seed ^ 0x0c05, 4),
            console_offer: Offer::default(),
            scratchpad_banks: if config.scratchpad.exists() { config.threads as usize } else { 0 },
            cycle: 0,
            started: None,
            wave_time: 0,
        };
        if let Some(path) = wave {
            hardware.model.open_wave(path)?;
        }
        hardware.reset()?;
        Ok(hardware)
    }

    pub(super) fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Whether the control block took the start in this cycle.
    pub(super) fn starts(&self, cycle: u64) -> bool {
        self.started == Some(cycle)
    }

    /// RAM after the requests accepted so far.
    pub(super) fn ram(&self) -> &Ram {
        &self.memory.requests().ram
    }

    /// The words of RAM in the hardware, by physical address.
    pub(super) fn words(&self) -> Vec<u32> {
        self.memory.words(&self.model).0.into_owned()
    }

    /// The words of the scratchpad.
    pub(super) fn scratchpad(&self) -> Vec<u32> {
        let count = self.scratchpad_banks;
        let banks: Vec<&[u32]> =
            (self.model.banks() - count..self.model.banks()).map(|bank| self.model.bank(bank)).collect();
        let rows = banks.first().map_or(0, |bank| bank.len());
        (0..rows * count).map(|word| banks[word % count][word / count]).collect()
    }

    /// Compares the memory in the hardware with the expected one.
    pub(super) fn check_memory(&self) -> Result<(), Violation> {
        self.memory.check(&self.model)
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.memory.is_waiting()
    }

    /// Returns whether a request or a fetch was offered and not accepted, or a fetch waits for its word.
    pub(super) fn is_asked(&self) -> bool {
        self.memory.requests().is_offered() || self.memory.is_fetching()
    }

    fn reset(&mut self) -> Result<(), ModelError> {
        let Ports { rst, .. } = self.ports;
        self.accept_console(false);
        if let Some(control) = &mut self.control {
            control.reset(&mut self.model);
        }
        self.memory.reset(&mut self.model);
        self.model.set(rst, 1);
        for _ in 0..RESET_CYCLES {
            self.half_cycle(0)?;
            self.half_cycle(1)?;
            self.memory.in_reset(&self.model);
        }
        self.model.set(rst, 0);
        self.model.forget();
        if let Some(control) = &mut self.control {
            self.table.iter().for_each(|(register, value)| control.write(register, *value));
            control.write("control", 1);
        }
        Ok(())
    }

    fn accept_console(&mut self, accepts: bool) {
        if let Some(answer) = self.console_answer {
            self.model.set(answer.console_ready, accepts.into());
        }
    }

    pub(super) fn step(&mut self, events: &mut Events) -> Result<(), ModelError> {
        let console_accepts = self.console_pressure.ready();
        self.accept_console(console_accepts);
        self.memory.drive(&mut self.model, self.cycle, events);
        if let Some(control) = &mut self.control {
            control.drive(&mut self.model);
        }
        self.half_cycle(0)?;
        let mut checked_control = Ok(());
        let console_accepts = match &mut self.control {
            Some(control) => {
                checked_control = control.sample(&self.model);
                if control.is_taken() {
                    self.started = self.started.or(Some(self.cycle));
                }
                // The bytes are seen as they enter the control block.
                if control.is_idle() {
                    control.read("console");
                }
                control.takes_console(&self.model)
            }
            None => console_accepts,
        };

        if let Some(trace) = &mut self.trace {
            trace.sample(&self.model, self.cycle, &mut events.trace);
        }
        self.memory.sample(&self.model, self.cycle, events);
        let byte = self.model.bit(self.ports.console_valid).then(|| self.model.get(self.ports.console_data) as u8);
        let checked = self.console_offer.check("console_data", byte.as_ref(), console_accepts);
        events.violation = events.violation.take().or(checked.err()).or(checked_control.err());
        events.console = byte.filter(|_| console_accepts);
        events.done = self.model.bit(self.ports.done);
        events.exit = self.model.bit(self.ports.exit_valid).then(|| self.exit());
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

    fn fault(&self) -> Fault {
        let ports = &self.ports;
        let [cause, pc, warp, lane] = [ports.error_cause, ports.error_pc, ports.error_warp, ports.error_lane]
            .map(|port| self.model.get(port) as u32);
        let mut fault = Fault { cause: cause as u8, pc, warp, lane, address: None };
        fault.address = self.address_of(&fault);
        fault
    }

    /// The port names the addresses of accesses and the targets of `jalr`. Those of other jumps are in the instruction.
    fn address_of(&self, fault: &Fault) -> Option<u32> {
        let port = self.model.get(self.ports.error_address) as u32;
        match fault.cause {
            Fault::INSTRUCTION_ACCESS => Some(fault.pc),
            Fault::INSTRUCTION_MISALIGNED => match decode(self.ram().read_physical(fault.pc)?)? {
                Instruction::Jump { offset, .. } | Instruction::Branch { offset, .. } => {
                    Some(fault.pc.wrapping_add(offset))
                }
                _ => Some(port),
            },
            Fault::LOAD_MISALIGNED..=Fault::STORE_ACCESS => Some(port),
            _ => None,
        }
    }

    fn exit(&self) -> Exit {
        let [code, hart] = [self.ports.exit_code, self.ports.exit_hart].map(|port| self.model.get(port) as u32);
        Exit { code, hart }
    }
}

/// The registers of the reconvergence table, if the core reads them.
fn table_registers(config: &Config, program: &Program) -> Vec<(&'static str, u32)> {
    let table = StoredTable::of(config, program).filter(|_| config.icache.exists());
    let values = |StoredTable { code, .. }: StoredTable| [TABLE_BASE, code.start, code.len() as u32];
    table.map(|table| TABLE.into_iter().zip(values(table)).collect()).unwrap_or_default()
}
