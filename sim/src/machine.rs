//! A whole core: threads, policy and memory, stepped one warp instruction at a time.

use weft_config::Config;
use weft_trace::{Commit, PathRecord};

use crate::{Fault, Memory, PolicyError, Program};

/// What the model takes from outside instead of computing it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// One value per lane for an instruction that reads `mcycle[h]` or `minstret[h]`. Such values
    /// are taken over; the caller checks that they are monotone. Other instructions ignore them.
    pub values: Option<&'a [u32]>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An instruction, or one part of a replayed one, was executed.
    Committed {
        /// A load from RAM to a register other than x0: the hardware writes it later, in a late
        /// write that carries the values now in [`Commit::values`].
        late: bool,
        /// A counter was read: the values depend on the engine.
        volatile: bool,
        /// The `tohost` word after a store that touched it, unless it is zero: the run ends here.
        tohost: Option<u32>,
    },
}

/// Why a warp cannot step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The core halts. Nothing was written.
    Fault(Fault),
    /// The warp has no runnable path: its threads have ended or wait at the barrier.
    Idle,
}

/// Threads, path policy and memory of a whole core.
pub struct Machine {
    memory: Memory,
}

impl Machine {
    /// A core out of reset: every thread at the program's entry, every register zero.
    pub fn new(config: &Config, program: &Program) -> Result<Self, PolicyError> {
        Ok(Self {
            memory: Memory::new(config, program),
        })
    }

    /// Executes one instruction, or one part of it, of the path in charge of `warp`.
    ///
    /// Fills `out` completely, reusing its buffers, except `cycle` and `slot`. After `Err`, `out`
    /// is unspecified and the machine is unchanged.
    pub fn step(&mut self, _warp: u32, _given: &Given, _out: &mut Commit) -> Result<Step, Stop> {
        Err(Stop::Idle)
    }

    /// The path in charge of `warp`; `None` when all its threads have ended.
    pub fn path(&self, _warp: u32) -> Option<PathRecord> {
        None
    }

    /// All paths of `warp`, complete and disjoint, best first.
    pub fn paths(&self, _warp: u32) -> Vec<PathRecord> {
        Vec::new()
    }

    /// How many paths of `warp` its divergence unit could issue from now, for
    /// [`Statistics::paths`](weft_trace::Statistics::paths).
    pub fn schedulable(&self, _warp: u32) -> u32 {
        0
    }

    /// How many paths (stack units: rows) are held for `warp`.
    pub fn held(&self, _warp: u32) -> u32 {
        0
    }

    /// Releases the barrier if it is due (every live thread is parked, and one lives); says whether it did.
    pub fn release(&mut self) -> bool {
        false
    }

    /// RAM.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The word of RAM that holds the byte at `address`; `None` outside RAM.
    pub fn read_word(&self, address: u32) -> Option<u32> {
        self.memory.read_word(address)
    }

    /// A register of one thread.
    pub fn register(&self, _warp: u32, _lane: u32, _register: u8) -> u32 {
        0
    }

    /// The exit code of a thread that has ended.
    pub fn exit_code(&self, _warp: u32, _lane: u32) -> Option<u32> {
        None
    }

    /// Threads that have not ended.
    pub fn live(&self) -> u32 {
        0
    }
}
