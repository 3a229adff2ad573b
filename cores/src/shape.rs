//! The sizes that every module of one core is built from.

use std::sync::Arc;

use rtl::{Each, clog2};
use weft_config::{Extension, External, Isa, UnitKeys};

use crate::isa::{self, Acts, Encoding};

/// Lowest address of RAM.
pub const RAM_BASE: u32 = 0x8000_0000;
/// The console's one word.
pub const CONSOLE: u32 = 0x1000_0000;
/// Entries of the memory request queue. S3 to S8 hold up to six requests while the first is on its way, so fewer
/// than seven could not keep one request a cycle moving.
pub const REQUEST_QUEUE: usize = 8;
/// Cycles that an instruction waits for a place before others leave it the next. A natural wait is seldom as long, and where
/// it is, what the others lose in the meantime is little beside it.
pub const PATIENCE: usize = 1024;
/// Long results (products, quotients) on their way, from S3 to the register file.
pub const LONG_RESULTS: usize = 16;
/// Instructions buffered for each context.
pub const BUFFER: usize = 2;
/// Cycles that a returned load waits for the register file's write port before it forces a bubble at S3.
pub const LATE_WAIT: u64 = 8;
/// Bits of a word-aligned pc, of which bits 1:0 are not kept.
pub const PC: usize = 30;
/// Bits of the call depth.
pub const DEPTH: usize = 8;

/// Sizes and constants of one core.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Warps, W.
    pub warps: usize,
    /// Threads of a warp, T: as many lanes.
    pub threads: usize,
    /// Path slots of a warp that the divergence unit schedules at once: 1 or 2.
    pub slots: usize,
    /// Cycles after S8 in which the divergence unit knows the path in charge.
    pub delay: usize,
    /// Cycles after S8 in which the divergence unit's trace is complete.
    pub record_delay: usize,
    /// Whether the divergence unit rotates: changes the path in charge without an instruction.
    pub rotates: bool,
    /// Whether the divergence unit reads the reconvergence table.
    pub reconverges: bool,
    /// Whether the divergence unit compares the path in charge with the prediction.
    pub compares_prediction: bool,
    /// Whether only one slot of a warp, which changes at long operations, is scheduled: `divergence.scheduler`.
    pub constrained: bool,
    /// Bits of a path's pc, without bits 1:0: [`PC`], fewer where a unit is proved alone.
    pub pc_bits: usize,
    /// Bits of a path's call depth: [`DEPTH`], fewer where a unit is proved alone.
    pub depth_bits: usize,
    /// Loads in flight.
    pub outstanding: usize,
    /// Late results (loads, atomic operations, products, quotients) that a context has under way at most, a power of
    /// two: twice its share of the loads in flight, 8 to 16 (fewer show in restored registers and divisions), or fewer
    /// where the scoreboard is proved.
    pub late_results: usize,
    /// Whether the memory may accept a store and perform it later: `fence`, `fence.i` and `done` then wait for its
    /// `dmem_idle`.
    pub posts_stores: bool,
    /// Bytes of RAM.
    pub ram_bytes: u32,
    /// Bytes of each thread's stack.
    pub stack_bytes: u32,
    /// Whether stacks are interleaved by word between the lanes of a warp.
    pub stack_interleave: bool,
    /// The extensions of the instruction set.
    pub isa: Isa,
    /// Commits of a warp after which another of its paths gets its turn; 0: never.
    pub fair_after: u64,
    /// The keys that belong to single divergence units.
    pub unit_keys: UnitKeys,
    /// Where threads start.
    pub reset_pc: u32,
    /// Whether the core has its trace port.
    pub trace: bool,
    /// Whether the sorted table's sorter merges equal rows of the cold table: from T = 8, and at any T where it is proved.
    pub folds_rows: bool,
    /// The divergence unit's module, if it is one in Verilog: its name, and what is known of it.
    pub external: Option<(String, Arc<External>)>,
    /// Whether divergence units state their invariants, for a proof or a simulation that checks them.
    pub formal: bool,
    /// Whether the core shows what one thread does, and keeps one register alone, for proofs at its edge: never where it
    /// is emitted.
    pub observed: bool,
}

impl Shape {
    /// The instruction table of the core.
    pub fn instructions(&self) -> Vec<Encoding> {
        isa::instructions(self.isa)
    }

    /// Whether the core has an extension.
    pub fn has(&self, extension: &Extension) -> bool {
        self.isa.has(extension)
    }

    /// The operations of extensions that act there: a bit of the lanes' control for each.
    pub fn lane_operations(&self, acts: Acts) -> Vec<&'static str> {
        isa::lane_operations(&self.instructions(), acts)
    }

    /// The pc at which threads start, in `pc_bits`.
    pub fn reset_word(&self) -> u64 {
        u64::from(self.reset_pc >> 2) & (u64::MAX >> (64 - self.pc_bits))
    }

    /// Least distance, in cycles, between two instructions of a context at S3.
    pub fn spacing(&self) -> usize {
        2 + self.delay
    }

    /// Least distance, in cycles, of an instruction that asks for a leader from the one before it of its warp: S6 must know
    /// the threads of its path.
    pub fn election_spacing(&self) -> usize {
        self.spacing() + 1
    }

    /// Bits of a warp number; 0 for one warp.
    pub fn warp_bits(&self) -> usize {
        clog2(self.warps)
    }

    /// Bits of a slot number; 0 for one slot.
    pub fn slot_bits(&self) -> usize {
        clog2(self.slots)
    }

    /// Bits of an entry of the reconvergence table: the kind in bits 1:0, and a pc; none for a unit that reads none.
    pub fn reconvergence_bits(&self) -> usize {
        if self.reconverges { 2 + self.pc_bits } else { 0 }
    }

    /// Bits of the epoch of a context, which a resteer changes. What was issued before must not find the same epoch
    /// again in S7, four cycles later. With one slot nothing else resteers a context until it is there. With two, the
    /// other slot may, once more; the second bit keeps the epochs apart, though S8 would see the first of the two anyway
    /// (`docs/notebook/roadmap.md`).
    pub fn epoch_bits(&self) -> usize {
        self.slots
    }

    /// Whether scoreboard and contexts show their state, for a proof of one warp.
    pub fn shows_scoreboard(&self) -> bool {
        self.formal && self.warps == 1 && self.slots > 1
    }

    /// One bit for each slot where a warp has two, else none.
    pub fn slot_mask_bits(&self) -> usize {
        if self.slots > 1 { self.slots } else { 0 }
    }

    /// Contexts that are fetched and scheduled: one for each slot of each warp, number `warp · slots + slot`.
    pub fn contexts(&self) -> usize {
        self.warps * self.slots
    }

    /// The contexts, as a loop.
    pub fn each_context(&self) -> Each {
        Each::new("index", self.contexts())
    }

    /// Bits of a context number.
    pub fn context_bits(&self) -> usize {
        clog2(self.contexts())
    }

    /// The lanes, as a loop.
    pub fn lanes(&self) -> Each {
        Each::new("lane", self.threads)
    }

    /// Bits of a lane number; 0 for one lane.
    pub fn lane_bits(&self) -> usize {
        clog2(self.threads)
    }

    /// Bits of a load's tag; 0 for one load in flight.
    pub fn tag_bits(&self) -> usize {
        clog2(self.outstanding)
    }

    /// Bits of the number of an entry of a context's scoreboard: one for each of its late results.
    pub fn entry_bits(&self) -> usize {
        clog2(self.late_results)
    }

    /// Bits of one word per lane.
    pub fn line_bits(&self) -> usize {
        32 * self.threads
    }

    /// Bits of the number of a line: an address without the offset inside its 4·T bytes.
    pub fn line_number_bits(&self) -> usize {
        30 - self.lane_bits()
    }

    /// Rows of the register file: 32 registers of each warp.
    pub fn register_rows(&self) -> usize {
        32 * self.warps
    }

    /// Cycles that the core takes after reset to clear its memories.
    pub fn start_cycles(&self) -> usize {
        self.register_rows().max(self.outstanding)
    }

    /// Address of the first stack.
    pub fn stacks(&self) -> u32 {
        let all = self.warps as u32 * self.threads as u32 * self.stack_bytes;
        RAM_BASE.wrapping_add(self.ram_bytes).wrapping_sub(all)
    }
}
