//! The hardware of Weft: a RISC-V SIMT core of W warps × T threads in ten stages.
//!
//! | stage | file | what happens |
//! |---|---|---|
//! | S0 | `stages/s0_steer.rs` | pick the context to fetch, and its next pc |
//! | S1 | `stages/s1_fetch.rs` | instruction memory |
//! | S2 | `stages/s2_predecode.rs` | operands used, predicted next pc |
//! | S3 | `stages/s3_schedule.rs` and `s3_*.rs` | buffers, scoreboard, reservations, pick one ready instruction |
//! | S4 | `stages/s4_collect.rs`, `s4_immediate.rs`, `s4_lanes.rs` | register file read, immediates, control of the lanes |
//! | S5 | `stages/s5_decode.rs`, `decoder.rs` | control, operands |
//! | S6 | `stages/s6_execute.rs` | lanes |
//! | S7 | `stages/s7_commit.rs`, `s7_faults.rs`, `s7_access.rs` | validation, branch targets, one memory transaction, register write |
//! | S8 | `stages/s8_context.rs`, `s8_barrier.rs`, `s8_end.rs` | divergence unit, resteer, barrier, end of the run |
//! | S9 | `stages/s9_gather.rs`, `s9_response.rs`, `s9_late.rs` | load data, register file's write port |
//!
//! Nothing stalls after S3, because every resource is reserved before issue. An instruction is speculative until S7
//! validates its epoch and takes the mask from the active path of its warp. A squashed instruction writes nothing,
//! and only returns its reservations.

pub mod control;
pub mod divergence;
pub mod formal;
mod functional;
pub mod isa;
mod memory;
mod pipeline;
mod queue;
mod shape;
mod signals;
mod stages;
mod start;
mod top;
mod trace;

use divergence::DivergenceUnit;
use sha2::{Digest, Sha256};
use weft_config::{Config, Counters, KEYS, MemoryKind, NotInHardware, Order, Reset, Scheduler, UnitError};

pub use shape::Shape;
use shape::{DEPTH, PC};

/// A configuration that cannot be elaborated.
#[derive(Debug, thiserror::Error)]
pub enum CoreError {
    /// The divergence unit is unknown, or does not read a key that is set.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// The divergence unit exists in the golden model alone.
    #[error("`divergence.unit`: {0}")]
    NotInHardware(#[from] NotInHardware),
    /// An image was given to a core without memory.
    #[error(
        "memory.kind = \"{kind}\": the core has no memory that could start with a program; memory.kind = \"bram\" has"
    )]
    NoMemory { kind: &'static str },
    /// A key selects a feature that only the golden model has.
    #[error(
        "`{key}` = {value}: only the golden model has this, not the hardware; leave it at its default, {default}, or use \
         `weft run --engine model`"
    )]
    OfTheModel { key: &'static str, value: String, default: String },
    /// The file of a unit in Verilog has not been read into [`weft_config::Divergence::external`].
    #[error("divergence.unit = \"verilog\": `divergence.file` has not been read")]
    UnreadUnit,
    /// The user's module cannot be the core's unit.
    #[error("`divergence.module` = \"{module}\": {message}")]
    UnfitUnit { module: String, message: String },
    /// The hardware description itself is wrong.
    #[error(transparent)]
    Elaboration(#[from] rtl::ElaborationError),
}

/// Name of the top module, without the prefix `emit.prefix`.
pub const TOP: &str = "core";
/// Name of the module that is the core without its memory.
pub const PIPELINE: &str = "pipeline";

pub struct Core {
    top: rtl::Module,
    prefix: String,
    header: String,
    memory: Option<MemoryInCore>,
}

/// The last adaptor in a core, the memory in it, and the scratchpad, as far as there are such. Benches read and write
/// these memories from outside.
#[derive(Clone, Debug, Default)]
pub struct MemoryInCore {
    /// Name of the adaptor's instance in the top, if there is one.
    pub instance: &'static str,
    pub module: String,
    /// Names of its memories of 32-bit words; empty where RAM is elsewhere. Word i of RAM is word i / n of memory i
    /// mod n. If the divergence unit reads the reconvergence table, n more memories hold its entries in the same
    /// order.
    pub banks: Vec<String>,
    /// Number n of the memories that hold RAM.
    pub ram_banks: usize,
    /// The scratchpad's module, and the names of its memories. Word i is word i / T of memory i mod T.
    pub scratchpad: Option<(String, Vec<String>)>,
    /// The nets of the top between the pipeline and its adaptors, with the pipeline's widths and directions.
    pub bus: Vec<rtl::PortInfo>,
}

/// Elaborates the core of a configuration, with a port `rst`. Its threads start at `reset_pc`. Memory in the core starts
/// without content.
pub fn elaborate(config: &Config, reset_pc: u32) -> Result<Core, CoreError> {
    elaborate_from(config, reset_pc, None, Reset::High, false)
}

/// The same with the reset of the configuration (`emit.reset`), for a design of others. `with_image`: memory in the core
/// starts with the content of [`Core::image_files`].
pub fn elaborate_to_emit(config: &Config, reset_pc: u32, with_image: bool) -> Result<Core, CoreError> {
    let image: &dyn Fn(usize) -> String = &|bank| image_path(config, bank);
    elaborate_from(config, reset_pc, with_image.then_some(image), config.emit.reset, false)
}

/// Elaborates a core with assertions, for simulators that check them: the assumptions of its divergence unit's proofs
/// for every warp, and the unit's invariants for warp 0.
pub fn elaborate_asserting(config: &Config, reset_pc: u32) -> Result<Core, CoreError> {
    elaborate_from(config, reset_pc, None, Reset::High, true)
}

fn elaborate_from(
    config: &Config,
    reset_pc: u32,
    image: Option<&dyn Fn(usize) -> String>,
    reset: Reset,
    formal: bool,
) -> Result<Core, CoreError> {
    let unit = config.check_unit()?;
    unit.check_in_hardware()?;
    let unit = divergence::hardware(unit);
    check_buildable(config)?;
    let shape = Shape { formal, ..Shape::new(config, reset_pc, unit) };
    if unit.descriptor().is_external() {
        divergence::check_external(&shape)?;
    }
    let (warps, threads) = (shape.warps, shape.threads);
    let purpose = format!(
        "Weft: RISC-V SIMT core, {warps} warps of {threads} threads, divergence unit {}",
        unit.descriptor().name
    );
    let kind = config.memory.kind.name();
    let pipeline = pipeline::elaborate(&shape, unit)?;
    let prefix = &config.emit.prefix;
    let adaptors = memory::adaptors(config);
    let storage = adaptors.last().and_then(|adaptor| adaptor.storage.as_ref());
    if image.is_some() && storage.is_none() {
        return Err(CoreError::NoMemory { kind });
    }
    let mut modules =
        adaptors.iter().map(|adaptor| (adaptor.elaborate)(&shape, image)).collect::<Result<Vec<_>, _>>()?;
    if shape.control {
        modules.insert(0, control::elaborate(&shape, &pipeline.ports(), unit.descriptor().name)?);
    }
    let behind = if adaptors.is_empty() { String::new() } else { format!(", memory {kind}") };
    let top = top::elaborate(&pipeline, &modules, &format!("{purpose}{behind}."), reset)?;
    let scratchpad = shape.has_scratchpad().then(|| {
        let (module, banks) = memory::scratchpad::banks(&shape);
        (format!("{prefix}{module}"), banks)
    });
    let memory = modules.last().map(|last| {
        let (ram_banks, banks) = storage.map_or((0, Vec::new()), |storage| storage.banks(&shape));
        let (bus, module) = (top::bus(&pipeline, &modules), format!("{prefix}{}", last.name()));
        MemoryInCore { instance: top::MEMORY, module, banks, ram_banks, scratchpad: scratchpad.clone(), bus }
    });
    let beside = scratchpad.map(|scratchpad| MemoryInCore { scratchpad: Some(scratchpad), ..MemoryInCore::default() });
    let memory = memory.or(beside);
    divergence::check_names_of_external(&shape, &top, prefix)?;
    Ok(Core { top, prefix: prefix.clone(), header: header(config, &shape, unit), memory })
}

impl Shape {
    /// The sizes of a configuration, for a divergence unit.
    pub fn new(config: &Config, reset_pc: u32, hardware: &dyn DivergenceUnit) -> Self {
        let unit = hardware.descriptor();
        let slots = unit.slots.of(config.threads) as usize;
        let external = divergence::external_of(config);
        let adaptors = memory::adaptors(config);
        let line = 8 * config.icache.line_bytes as usize;
        let takes_turns =
            unit.takes_turns || external.as_ref().is_some_and(|(_, module)| divergence::takes_turns(module));
        Self {
            warps: config.warps as usize,
            threads: config.threads as usize,
            slots,
            delay: (unit.delay)(config) as usize,
            record_delay: (unit.record_delay)(config) as usize,
            rotates: unit.rotates,
            reconverges: unit.reconverges,
            compares_prediction: hardware.compares_prediction(),
            compares_ahead: hardware.compares_ahead(),
            puts_the_rest_first: hardware.puts_the_rest_first(),
            constrained: slots > 1 && config.divergence.scheduler == Scheduler::Constrained,
            pc_bits: PC,
            depth_bits: DEPTH,
            outstanding: config.memory.outstanding as usize,
            late_results: (2 * config.memory.outstanding as usize / (config.warps as usize * slots))
                .next_power_of_two()
                .clamp(4, 16),
            control: config.control.port,
            shows_paths: config.control.paths,
            counts_stalls: config.control.counters == Counters::Full,
            posts_stores: adaptors.iter().any(|adaptor| adaptor.posts_stores),
            has_bus: config.memory.kind == MemoryKind::Axi4,
            bus_bits: config.bus_bits() as usize,
            dcache_bytes: config.dcache.bytes,
            ram_base: config.memory.base,
            ram_bytes: config.memory.ram_bytes,
            stack_bytes: config.memory.stack_bytes,
            stack_interleave: config.memory.stack_interleave,
            windows: config.memory.windows.clone(),
            loads_lines: config.memory.coalescer.loads_lines() && config.threads > 1,
            stores_lines: config.memory.coalescer.stores_lines() && config.threads > 1,
            icache_bytes: config.icache.bytes,
            icache_line_bytes: config.icache.line_bytes,
            icache_prefetches: config.icache.exists() && config.icache.prefetch,
            ifill_bits: match config.memory.kind {
                // The table puts a line that is part of a beat together with its entries.
                MemoryKind::Axi4 if unit.reconverges => line.min(config.bus_bits() as usize),
                MemoryKind::Axi4 => config.bus_bits() as usize,
                MemoryKind::Model | MemoryKind::Bram => line,
            },
            divider_units: config.divider_units() as usize,
            scratchpad_bytes: config.scratchpad.bytes,
            scratchpad_atomics: config.scratchpad.exists() && config.scratchpad.atomics,
            tohost: config.run.tohost,
            isa: config.isa,
            breadth_first: config.divergence.order == Order::BreadthFirst,
            takes_turns,
            fair_after: if takes_turns { config.divergence.fair_after } else { 0 },
            slice: config.divergence.slice(),
            unit_keys: config.unit_keys.clone(),
            reset_pc,
            trace: config.trace.port,
            folds_rows: config.threads > 4,
            external,
            formal: false,
            observed: false,
        }
    }
}

/// Refuses features that only the golden model has. [`elaborate`] does so, too.
pub fn check_buildable(config: &Config) -> Result<(), CoreError> {
    for key in KEYS.iter().filter(|key| key.is_of_the_model()) {
        let (value, default) = (key.value(config), key.default());
        if value != default {
            return Err(CoreError::OfTheModel {
                key: key.name,
                value: value.to_string(),
                default: default.to_string(),
            });
        }
    }
    Ok(())
}

/// The name of the file with the initial content of a bank.
fn image_file(prefix: &str, bank: usize) -> String {
    format!("{prefix}{TOP}_{bank}.hex")
}

/// The same with the path by which tools find it.
fn image_path(config: &Config, bank: usize) -> String {
    let file = image_file(&config.emit.prefix, bank);
    match config.emit.hex_path.trim_end_matches('/') {
        "" => file,
        folder => format!("{folder}/{file}"),
    }
}

fn header(config: &Config, shape: &Shape, unit: &dyn DivergenceUnit) -> String {
    let hash = Sha256::digest(config.rtl_hash_text());
    let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let storage = unit.storage(shape).into_iter().map(|s| format!("{} {} x {}", s.name, s.words, s.bits));
    let lines = [
        "SPDX-License-Identifier: Apache-2.0 OR MIT".to_owned(),
        format!("Written by weft {}. Use what you emit under any licence you like.", env!("CARGO_PKG_VERSION")),
        format!(
            "warps {}, threads {}, divergence unit {} ({} bits), loads in flight {}, RAM {} bytes, trace port {}",
            shape.warps,
            shape.threads,
            unit.descriptor().name,
            storage.collect::<Vec<_>>().join(" + "),
            shape.outstanding,
            shape.ram_bytes,
            if shape.trace { "on" } else { "off" },
        ),
        format!("reset pc 0x{:08x}, configuration {hash}", shape.reset_pc),
    ];
    lines.iter().map(|line| rtl::comment(line)).collect()
}

impl Core {
    pub fn name(&self) -> String {
        format!("{}{}", self.prefix, self.top.name())
    }

    /// The same core with module names without prefix, as in reports.
    pub fn without_prefix(&self) -> Self {
        let Self { top, header, memory, .. } = self;
        Self { top: top.clone(), prefix: String::new(), header: header.clone(), memory: memory.clone() }
    }

    /// The top module. A test bench can instantiate it.
    pub fn module(&self) -> &rtl::Module {
        &self.top
    }

    /// Names of all modules without prefix, each after the modules that it contains.
    pub fn modules(&self) -> Vec<String> {
        self.top.hierarchy().iter().map(|module| module.name().to_owned()).collect()
    }

    /// The module with this name (without prefix), and the modules in it.
    pub fn part(&self, name: &str) -> Option<Self> {
        let top = self.top.hierarchy().into_iter().find(|module| module.name() == name)?;
        Some(self.within(top))
    }

    /// A core whose top is a module that was built around this core, so that both are printed together. Its
    /// [`memory`](Core::memory) is `None`.
    pub fn within(&self, top: rtl::Module) -> Self {
        Self { top, prefix: self.prefix.clone(), header: self.header.clone(), memory: None }
    }

    pub fn ports(&self) -> Vec<rtl::PortInfo> {
        self.top.ports()
    }

    /// One file per module, as name and text, the top last.
    pub fn files(&self) -> Vec<(String, String)> {
        let modules = self.top.verilog_with_prefix(&self.prefix);
        modules.iter().map(|m| (format!("{}.v", m.name), rtl::file(&self.header, m))).collect()
    }

    /// The last adaptor in the core, if it has adaptors.
    pub fn memory(&self) -> Option<&MemoryInCore> {
        self.memory.as_ref()
    }

    /// The files with the initial memory of [`elaborate_to_emit`], as names and texts; none without memory in the
    /// core. `words` are the words of RAM in the order of memory, with stacks interleaved where configured.
    /// `reconvergence` has the entry of the reconvergence table for each of them; only some divergence units read it.
    pub fn image_files(&self, words: &[u32], reconvergence: &[u32]) -> Vec<(String, String)> {
        let Some(memory) = &self.memory else { return Vec::new() };
        let text = |bank: usize| {
            let (words, bank) =
                if bank < memory.ram_banks { (words, bank) } else { (reconvergence, bank - memory.ram_banks) };
            words.iter().skip(bank).step_by(memory.ram_banks).map(|word| format!("{word:08x}\n")).collect()
        };
        (0..memory.banks.len()).map(|bank| (image_file(&self.prefix, bank), text(bank))).collect()
    }

    pub fn all_in_one(&self) -> String {
        rtl::single_file(&self.header, &self.top.verilog_with_prefix(&self.prefix))
    }
}
