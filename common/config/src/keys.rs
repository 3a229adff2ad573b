//! The resolved configuration, in the order and with the names of the TOML file.
//!
//! [`crate::table`] holds the range and the description of each key.

use std::sync::Arc;

use crate::extension::{A, Isa};
use crate::external::External;
use crate::unit::{SORTED_TABLE, UnitKeys};
use crate::window::Window;
use crate::{RAM_BASE, SCRATCHPAD_BASE};

/// Bits of the widest data bus of AXI.
pub(crate) const WIDEST_BUS: u32 = 1024;

/// A value with a name, one of a few.
pub(crate) trait Choice {
    fn name(&self) -> &'static str;

    fn names(&self) -> &'static [&'static str];

    /// Takes the value of this name, and returns whether there is one.
    fn choose(&mut self, name: &str) -> bool;
}

/// Declares an enumeration whose variants have names in the configuration.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            const NAMES: &[&'static str] = &[$($text),+];

            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }
        }

        impl Choice for $name {
            fn name(&self) -> &'static str {
                Self::name(*self)
            }

            fn names(&self) -> &'static [&'static str] {
                Self::NAMES
            }

            fn choose(&mut self, name: &str) -> bool {
                let chosen = Self::ALL.iter().find(|choice| choice.name() == name);
                *self = chosen.copied().unwrap_or(*self);
                chosen.is_some()
            }
        }
    };
}

mod dwf;

pub use dwf::{BarrelWarps, Dwf, FormedLanes, IssueHeuristic};

/// A resolved configuration: every key has a value in range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Warps in the core, 1…64.
    pub warps: u32,
    /// Threads (lanes) per warp: 1, 2, 4 … 64.
    pub threads: u32,
    /// Where threads start without a program; 0 for the start of RAM. See [`Config::first_pc`].
    pub reset_pc: u32,
    pub isa: Isa,
    pub divergence: Divergence,
    pub unit_keys: UnitKeys,
    pub dwf: Dwf,
    pub divider: Divider,
    pub memory: Memory,
    pub scratchpad: Scratchpad,
    pub axi: Axi,
    pub control: Control,
    pub icache: InstructionCache,
    pub dcache: DataCache,
    pub trace: Trace,
    pub emit: Emit,
    pub run: Run,
    pub model: Model,
}

/// `[divergence]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The name of a registered divergence unit, or `verilog`.
    pub unit: String,
    pub file: String,
    pub module: String,
    /// The content of that file, after it was read.
    pub external: Option<Arc<External>>,
    /// Commits of a warp after which its path yields to another one; 0 = never, except at `pause`.
    pub fair_after: u64,
    /// Which of two paths `multi-path` runs first.
    pub order: Order,
    /// The way in which `dual-path` schedules the two paths of a warp.
    pub scheduler: Scheduler,
}

impl Divergence {
    /// Commits of each path in a round of time slices, which begins when a path yields.
    pub fn slice(&self) -> u64 {
        const SLICE: u64 = 64;
        if self.fair_after == 0 { SLICE } else { SLICE.min(self.fair_after) }
    }
}

choice! {
    /// `divergence.order`
    #[derive(Hash)]
    Order {
        /// The near path of a divergence goes on, up to the point where it reconverges.
        DepthFirst = "depth-first",
        /// Both paths of a divergence go to the back of the queue.
        BreadthFirst = "breadth-first",
    }
}

choice! {
    /// `model.scoreboard`
    Scoreboard {
        /// One shadow bit per long-latency result: threads that move between slots wait for all pending results.
        Shadow = "shadow",
        /// Tracking per thread: an instruction waits only for results of its own threads.
        Optimistic = "optimistic",
    }
}

choice! {
    /// `divergence.scheduler`
    Scheduler {
        /// Both paths of a warp have instructions ready.
        Full = "full",
        /// One path has instructions ready. The other runs after a long-latency instruction.
        Constrained = "constrained",
    }
}

/// `[divider]`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Divider {
    /// Lanes that divide at a time: 1, 2, 4, 8 or 16, and at most T; 0 for what fits T.
    pub units: u32,
}

/// `[memory]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The memory behind the port.
    pub kind: MemoryKind,
    /// Cycles from an accepted request to its response.
    pub latency: Latency,
    /// Cycles from an accepted fetch to its word.
    pub fetch_latency: Latency,
    /// Transactions that the memory accepts per cycle, on average.
    pub bandwidth: Bandwidth,
    pub seed: u64,
    /// The lanes that one transaction serves.
    pub coalescer: Coalescer,
    /// Loads in flight, 1…128.
    pub outstanding: u32,
    /// First address of RAM, a multiple of its size rounded up to a power of two.
    pub base: u32,
    /// RAM size in bytes, a multiple of `threads · stack_bytes`.
    pub ram_bytes: u32,
    /// Stack of each thread in bytes, a power of two ≥ 64.
    pub stack_bytes: u32,
    /// Whether the stacks of a warp are interleaved word by word.
    pub stack_interleave: bool,
    /// Address ranges outside RAM, for devices; only with an AXI4 master.
    pub windows: Vec<Window>,
}

choice! {
    /// `memory.kind`
    MemoryKind {
        /// A port at the top of the core, which the test bench answers.
        Model = "model",
        /// Block RAM in the core, without a memory port at the top.
        Bram = "bram",
        /// An AXI4 master at the top, with the test bench as slave.
        Axi4 = "axi4",
    }
}

choice! {
    /// `memory.coalescer`: which lanes share a transaction with the leader, the lowest lane that is not served yet.
    Coalescer {
        /// Those that load the leader's word, and each lane i that loads or stores word i of its line.
        Word = "word",
        /// The same for stores; for loads, all lanes in the leader's line.
        LineLoads = "line-loads",
        /// All lanes in the leader's line. Of two that store a byte, the higher lane wins.
        Line = "line",
    }
}

/// `[scratchpad]`: a memory in the core, at [`SCRATCHPAD_BASE`](crate::SCRATCHPAD_BASE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratchpad {
    /// Its size, a power of two of at least a word for each thread of a warp; 0 for none.
    pub bytes: u32,
    /// Whether it performs atomic memory operations, which needs RV32A.
    pub atomics: bool,
}

/// `[icache]`: the instruction cache between the pipeline and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionCache {
    /// Its size, a power of two of at least two lines; 0 for none.
    pub bytes: u32,
    /// Bytes of a line: 32 or 64.
    pub line_bytes: u32,
    /// Whether a miss brings the next line too.
    pub prefetch: bool,
}

/// `[dcache]`: the data cache between the pipeline and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataCache {
    /// Its size, a power of two of at least two lines of 4 · T bytes; 0 for none.
    pub bytes: u32,
}

/// `memory.latency` and `memory.fetch_latency`: a number of cycles, or a random range `"min..max"` (inclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// The minimum, at least 1.
    pub min: u32,
    pub max: u32,
}

/// `memory.bandwidth`: thousandths of a transaction per cycle, 1…1000. 250 = one every four cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth(pub u32);

/// `[model]`: what the golden model has, and no core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The way in which `dual-path` tracks the long-latency results of its two paths.
    pub scoreboard: Scoreboard,
    /// Whether `dual-path` runs paths of lower rows in slots that the top row leaves free.
    pub path_forwarding: bool,
    /// Whether `dual-path` and `dws` also divide a path where some lanes of a load miss in the data cache.
    pub memory_divergence: bool,
    /// Bytes of the second-level cache behind the data port, a power of two; 0 for none.
    pub l2_bytes: u32,
    pub l2_ways: u32,
    /// Bytes of its line, a power of two, at least a word for each thread of a warp.
    pub l2_line_bytes: u32,
    /// Cycles from a miss of it to the line.
    pub memory_latency: u32,
    /// Lines a cycle between it and memory.
    pub memory_bandwidth: Bandwidth,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            scoreboard: Scoreboard::Shadow,
            path_forwarding: false,
            memory_divergence: false,
            l2_bytes: 0,
            l2_ways: 8,
            l2_line_bytes: 128,
            memory_latency: 100,
            memory_bandwidth: Bandwidth::FULL,
        }
    }
}

/// `[axi]`: the AXI4 master of `memory.kind` = "axi4".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Axi {
    /// Bits of its data, a power of two; 0 for a line. See [`Config::bus_bits`].
    pub data_bits: u32,
}

/// `[control]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Whether registers behind an AXI4-Lite port start and stop the core.
    pub port: bool,
    pub counters: Counters,
    /// Whether the paths of a core that has stopped can be read.
    pub paths: bool,
}

choice! {
    /// `control.counters`
    #[derive(Default)]
    Counters {
        /// Cycles, parts, and instructions of warps and of threads.
        #[default]
        Basic = "basic",
        /// The same, and the cycles in which nothing issues, by cause.
        Full = "full",
    }
}

/// `[trace]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub port: bool,
}

choice! {
    /// `emit.reset`
    Reset {
        /// A port `rst`, high in reset, synchronous to the clock.
        High = "high",
        /// A port `rst_n`, low in reset, and two registers that synchronise it.
        ActiveLow = "active-low",
    }
}

/// `[emit]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emit {
    /// The reset of an emitted core. Models, areas and boards have it high.
    pub reset: Reset,
    /// The prefix of all module names and of the files of memory contents.
    pub prefix: String,
    /// The folder in which tools find the files of memory contents.
    pub hex_path: String,
}

/// `[run]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Cycles without commit, response or outstanding request that count as a deadlock.
    pub watchdog: u64,
    /// Factor on [`waiting_bound`](crate::waiting_bound): after so many commits of its warp without one of a thread
    /// that can run, a deadlock is suspected.
    pub starvation: u64,
    /// Address of the word whose stores end the run; 0 for none.
    pub tohost: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            warps: 8,
            threads: 8,
            reset_pc: 0,
            isa: Isa::default(),
            divergence: Divergence::default(),
            unit_keys: UnitKeys::default(),
            dwf: Dwf::default(),
            divider: Divider::default(),
            memory: Memory::default(),
            scratchpad: Scratchpad::beside(Isa::default()),
            axi: Axi::default(),
            control: Control::default(),
            icache: InstructionCache::default(),
            dcache: DataCache::default(),
            trace: Trace::default(),
            emit: Emit::default(),
            run: Run::default(),
            model: Model::default(),
        }
    }
}

impl Config {
    /// The first pc of all threads of a core without a program.
    pub fn first_pc(&self) -> u32 {
        if self.reset_pc == 0 { self.memory.base } else { self.reset_pc }
    }

    /// Lanes that divide at a time: as `divider.units` says, or for a division of the whole warp in about 40 cycles.
    pub fn divider_units(&self) -> u32 {
        match (self.divider.units, self.threads) {
            (0, threads @ ..=4) => threads,
            (0, 8) => 4,
            (0, _) => 16,
            (units, _) => units,
        }
    }

    /// Data bits of the AXI4 master: as `axi.data_bits` says, or those of a line.
    pub fn bus_bits(&self) -> u32 {
        if self.axi.data_bits == 0 { self.line_of_bus() } else { self.axi.data_bits }
    }

    /// Bits of a line, 32 · T, at most those of the widest bus of AXI.
    pub(crate) fn line_of_bus(&self) -> u32 {
        (32 * self.threads).min(WIDEST_BUS)
    }

    /// Returns the defaults of the keys that depend on others of `config`, and of all that do not.
    pub(crate) fn defaults_beside(config: &Self) -> Self {
        let (of_kind, scratchpad) = (Memory::of_kind(config.memory.kind), Scratchpad::beside(config.isa));
        // Many warps hide a long latency only with many loads in flight.
        let outstanding = of_kind.outstanding.max(config.warps.next_power_of_two() / 2);
        // A scratchpad has the switches that serving whole lines needs.
        let coalescer = if config.scratchpad.exists() { Coalescer::Line } else { of_kind.coalescer };
        let memory = Memory { outstanding, coalescer, ..of_kind };
        Self { memory, scratchpad, ..Self::default() }
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
            order: Order::DepthFirst,
            scheduler: Scheduler::Full,
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::of_kind(MemoryKind::Model)
    }
}

impl Memory {
    /// Returns the defaults for a kind of memory. Memory on chip is smaller.
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
            coalescer: Coalescer::Word,
            outstanding: 16,
            base: RAM_BASE,
            ram_bytes,
            stack_bytes,
            stack_interleave: true,
            windows: Vec::new(),
        }
    }
}

impl Scratchpad {
    /// Returns the defaults beside an instruction set.
    pub fn beside(isa: Isa) -> Self {
        Self { bytes: 0, atomics: isa.has(&A) }
    }

    pub fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(SCRATCHPAD_BASE) < self.bytes
    }

    pub fn exists(&self) -> bool {
        self.bytes > 0
    }
}

impl InstructionCache {
    pub fn exists(&self) -> bool {
        self.bytes > 0
    }
}

impl DataCache {
    pub fn exists(&self) -> bool {
        self.bytes > 0
    }
}

impl Default for InstructionCache {
    fn default() -> Self {
        Self { bytes: 0, line_bytes: 32, prefetch: false }
    }
}

impl Default for Trace {
    fn default() -> Self {
        Self { port: true }
    }
}

impl Default for Emit {
    fn default() -> Self {
        Self { reset: Reset::High, prefix: "weft_".into(), hex_path: String::new() }
    }
}

impl Default for Run {
    fn default() -> Self {
        Self { watchdog: 100_000, starvation: 4, tohost: 0 }
    }
}

impl MemoryKind {
    /// Returns the keys that have no effect with this kind.
    pub fn ignored_keys(self) -> &'static [&'static str] {
        match self {
            Self::Axi4 => &[],
            Self::Model => &["axi.data_bits"],
            Self::Bram => {
                &["memory.latency", "memory.fetch_latency", "memory.bandwidth", "memory.seed", "axi.data_bits"]
            }
        }
    }
}

impl Coalescer {
    /// Whether each lane may load any word of the leader's line.
    pub fn loads_lines(self) -> bool {
        self != Self::Word
    }

    /// Whether each lane may store any bytes of the leader's line.
    pub fn stores_lines(self) -> bool {
        self == Self::Line
    }
}

impl Latency {
    /// One cycle.
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
    /// One transaction per cycle.
    pub const FULL: Self = Self(1000);
}

impl From<Bandwidth> for toml::Value {
    fn from(bandwidth: Bandwidth) -> Self {
        if bandwidth == Bandwidth::FULL { Self::Integer(1) } else { Self::Float(f64::from(bandwidth.0) / 1000.0) }
    }
}
