//! The resolved configuration, in the order and with the names of the TOML file.
//!
//! What each key accepts and how it is documented stands in [`crate::table`].

use std::sync::Arc;

use crate::extension::Isa;
use crate::external::External;
use crate::unit::{SORTED_TABLE, UnitKeys};

/// A whole configuration, resolved: every key has a value in range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Warps in the core, 1…64.
    pub warps: u32,
    /// Threads (lanes) per warp: 1, 2, 4 … 64.
    pub threads: u32,
    /// Instruction set.
    pub isa: Isa,
    /// Divergence tracking.
    pub divergence: Divergence,
    /// The keys that belong to single divergence units.
    pub unit_keys: UnitKeys,
    /// Memory port and map.
    pub memory: Memory,
    /// Trace port.
    pub trace: Trace,
    /// The emitted Verilog.
    pub emit: Emit,
    /// Limits of a run.
    pub run: Run,
}

/// `[divergence]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Name of a registered divergence unit, or `verilog`.
    pub unit: String,
    /// Of the unit `verilog`: the path of its file.
    pub file: String,
    /// Of the unit `verilog`: the name of its module.
    pub module: String,
    /// What is in that file, once somebody has read it.
    pub external: Option<Arc<External>>,
    /// Commits of a warp after which its path yields to another one; 0 = never.
    pub fair_after: u64,
    /// How `dual-path` schedules the two paths of a warp.
    pub scheduler: Scheduler,
    /// How `dual-path` tells the late results of its two paths apart.
    pub scoreboard: Scoreboard,
    /// Whether `dual-path` lets paths of lower rows run in slots that the top row leaves free.
    pub path_forwarding: bool,
}

/// `divergence.scoreboard`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoreboard {
    /// A shadow bit for each late result: threads that pass from slot to slot wait for all that are pending.
    Shadow,
    /// Thread by thread: an instruction waits for results of its own threads alone.
    Optimistic,
}

/// `divergence.scheduler`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// Instructions of both paths of a warp are at hand.
    Full,
    /// Those of one path are, and the other's turn comes after a long-latency instruction.
    Constrained,
}

/// `[memory]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// What stands behind the memory port.
    pub kind: MemoryKind,
    /// Cycles from an accepted request to its response.
    pub latency: Latency,
    /// Cycles from an accepted fetch to its word.
    pub fetch_latency: Latency,
    /// Transactions that the memory accepts per cycle, on average.
    pub bandwidth: Bandwidth,
    /// Seed of random latencies.
    pub seed: u64,
    /// Loads in flight, 1…128.
    pub outstanding: u32,
    /// RAM size in bytes, a multiple of `threads · stack_bytes`.
    pub ram_bytes: u32,
    /// Stack of each thread in bytes, a power of two ≥ 64.
    pub stack_bytes: u32,
    /// Whether the stacks of a warp are interleaved word by word.
    pub stack_interleave: bool,
}

/// `memory.kind`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// The port is at the top of the core; the test bench answers.
    Model,
    /// Block RAM in the core: no memory port at the top.
    Bram,
    /// An AXI4 master at the top; the test bench is the slave.
    Axi4,
}

/// `memory.latency` and `memory.fetch_latency`: a number of cycles, or a range `"min..max"` (both ends included) drawn at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Fewest cycles, at least 1.
    pub min: u32,
    /// Most cycles.
    pub max: u32,
}

/// `memory.bandwidth`: thousandths of a transaction per cycle, 1…1000. 250 = one every four cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth(pub u32);

/// `[trace]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Whether the core carries its trace port.
    pub port: bool,
}

/// `[emit]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emit {
    /// What the names of all modules and of the files of memory contents begin with.
    pub prefix: String,
    /// The folder in which tools find the files of memory contents.
    pub hex_path: String,
}

/// `[run]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Cycles without commit, response or outstanding request that make a deadlock.
    pub watchdog: u64,
    /// Cycles that a runnable path may wait while its warp commits before a deadlock is suspected.
    pub starvation: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            warps: 8,
            threads: 8,
            isa: Isa::default(),
            divergence: Divergence::default(),
            unit_keys: UnitKeys::default(),
            memory: Memory::default(),
            trace: Trace::default(),
            emit: Emit::default(),
            run: Run::default(),
        }
    }
}

impl Default for Divergence {
    fn default() -> Self {
        Self {
            unit: SORTED_TABLE.name.into(),
            file: String::new(),
            module: String::new(),
            external: None,
            fair_after: 65536,
            scheduler: Scheduler::Full,
            scoreboard: Scoreboard::Shadow,
            path_forwarding: false,
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::of_kind(MemoryKind::Model)
    }
}

impl Memory {
    /// The defaults with a kind of memory: on chip there is less of it.
    pub fn of_kind(kind: MemoryKind) -> Self {
        let (ram_bytes, stack_bytes) = match kind {
            MemoryKind::Model | MemoryKind::Axi4 => (16 << 20, 2048),
            MemoryKind::Bram => (64 << 10, 256),
        };
        Self {
            kind,
            latency: Latency::ONE,
            fetch_latency: Latency::ONE,
            bandwidth: Bandwidth::FULL,
            seed: 1,
            outstanding: 16,
            ram_bytes,
            stack_bytes,
            stack_interleave: true,
        }
    }
}

impl Default for Trace {
    fn default() -> Self {
        Self { port: true }
    }
}

impl Default for Emit {
    fn default() -> Self {
        Self { prefix: "weft_".into(), hex_path: String::new() }
    }
}

impl Default for Run {
    fn default() -> Self {
        Self { watchdog: 100_000, starvation: 1_000_000 }
    }
}

impl MemoryKind {
    /// Every kind.
    pub const ALL: &[Self] = &[Self::Model, Self::Bram, Self::Axi4];

    /// Its name in the TOML file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Bram => "bram",
            Self::Axi4 => "axi4",
        }
    }

    /// Keys that have no effect with this kind.
    pub fn ignored_keys(self) -> &'static [&'static str] {
        match self {
            Self::Model | Self::Axi4 => &[],
            Self::Bram => &["memory.latency", "memory.fetch_latency", "memory.bandwidth", "memory.seed"],
        }
    }
}

impl Scheduler {
    /// Every scheduler.
    pub const ALL: &[Self] = &[Self::Full, Self::Constrained];

    /// Its name in the TOML file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Constrained => "constrained",
        }
    }
}

impl Scoreboard {
    /// Every scoreboard.
    pub const ALL: &[Self] = &[Self::Shadow, Self::Optimistic];

    /// Its name in the TOML file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shadow => "shadow",
            Self::Optimistic => "optimistic",
        }
    }
}

impl Latency {
    /// The next cycle.
    pub const ONE: Self = Self { min: 1, max: 1 };
}

impl From<Latency> for toml::Value {
    fn from(latency: Latency) -> Self {
        if latency.min == latency.max {
            Self::Integer(latency.min.into())
        } else {
            Self::String(format!("{}..{}", latency.min, latency.max))
        }
    }
}

impl Bandwidth {
    /// A transaction every cycle.
    pub const FULL: Self = Self(1000);
}

impl From<Bandwidth> for toml::Value {
    fn from(bandwidth: Bandwidth) -> Self {
        if bandwidth == Bandwidth::FULL { Self::Integer(1) } else { Self::Float(f64::from(bandwidth.0) / 1000.0) }
    }
}
