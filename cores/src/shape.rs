//! The sizes from which every module of a core is built.

use std::sync::Arc;

use rtl::{Each, Expr, clog2, lit};
use weft_config::extension::{A, M, ZBB};
use weft_config::{Extension, External, Isa, SCRATCHPAD_BASE, UnitKeys, Window};

use crate::isa::{self, Acts, Encoding};

/// Lowest address of RAM.
pub const RAM_BASE: u32 = 0x8000_0000;
/// Address of the console, which is one word.
pub const CONSOLE: u32 = 0x1000_0000;
/// The bit that only addresses of the scratchpad have, of those that are not in RAM.
pub const SCRATCHPAD_BIT: usize = SCRATCHPAD_BASE.trailing_zeros() as usize;
/// Entries of the memory request queue. S3 to S8 hold up to six requests while the first is in flight, so one request
/// a cycle needs at least seven.
pub const REQUEST_QUEUE: usize = 8;
/// Starvation threshold in cycles: after so long a wait for a credit, other contexts reserve none until the
/// instruction issues. Normal waits are rarely this long. If one is, briefly blocking the others costs little.
pub const PATIENCE: usize = 1024;
/// Entries for products and quotients, from S3 to the register file.
pub const LONG_RESULTS: usize = 16;
pub const BUFFER: usize = 2;
/// Cycles that a returned load waits for the register file's write port before it forces a bubble in S3.
pub const LATE_WAIT: u64 = 8;
/// Bits of a word-aligned pc, without bits 1:0.
pub const PC: usize = 30;
pub const DEPTH: usize = 8;

#[derive(Clone, Debug)]
pub struct Shape {
    /// Warps, W.
    pub warps: usize,
    /// Threads of a warp, T, and number of lanes.
    pub threads: usize,
    /// Active paths of a warp at a time: 1 or 2.
    pub slots: usize,
    /// Cycles from S8 until the divergence unit outputs the active path.
    pub delay: usize,
    /// Cycles from S8 until the divergence unit's trace is complete.
    pub record_delay: usize,
    /// Whether the divergence unit rotates, that is, changes the active path without an instruction.
    pub rotates: bool,
    pub reconverges: bool,
    /// Whether the divergence unit compares the active path with the prediction.
    pub compares_prediction: bool,
    /// The unit compares where an instruction leads in S7 ([`Ahead`](crate::signals::Ahead)).
    pub compares_ahead: bool,
    /// Whether threads that their instruction has not served come before all others of the warp.
    pub puts_the_rest_first: bool,
    /// Whether only one slot of each warp is scheduled, which changes at long operations: `divergence.scheduler`.
    pub constrained: bool,
    /// Bits of a path's pc, without bits 1:0: [`PC`], or fewer in the proof of a unit.
    pub pc_bits: usize,
    /// Bits of a path's call depth: [`DEPTH`], or fewer in the proof of a unit.
    pub depth_bits: usize,
    pub outstanding: usize,
    /// Most long-latency results (loads, atomic operations, products, quotients) of a context in flight, a power of
    /// two. It is twice the context's share of the loads in flight, from 4 to 16, or less in the proof of the
    /// scoreboard. Fewer cost cycles where memory is slow.
    pub late_results: usize,
    /// Whether the memory may accept a store and perform it later. `fence`, `fence.i` and `done` then wait for its
    /// `dmem_idle`.
    pub posts_stores: bool,
    /// Whether memory is behind AXI4.
    pub has_bus: bool,
    /// Data bits of that bus, a power of two from 32 to 1024.
    pub bus_bits: usize,
    /// Bytes of the data cache; 0 for none.
    pub dcache_bytes: u32,
    pub ram_base: u32,
    pub ram_bytes: u32,
    /// Bytes of each thread's stack.
    pub stack_bytes: u32,
    /// Whether stacks are interleaved by word between the lanes of a warp.
    pub stack_interleave: bool,
    /// Address ranges of devices.
    pub windows: Vec<Window>,
    /// Whether each lane may load any word of the leader's line.
    pub loads_lines: bool,
    /// Whether each lane may store any bytes of the leader's line.
    pub stores_lines: bool,
    /// Bytes of the scratchpad; 0 for none.
    pub scratchpad_bytes: u32,
    /// Whether the scratchpad performs AMOs.
    pub scratchpad_atomics: bool,
    /// Bytes of the instruction cache; 0 for none.
    pub icache_bytes: u32,
    pub icache_line_bytes: u32,
    /// Whether a miss of the instruction cache brings the next line too.
    pub icache_prefetches: bool,
    /// Bits of a beat in which a refill of the instruction cache arrives.
    pub ifill_bits: usize,
    /// Lanes that divide at a time, a power of two of at most 16.
    pub divider_units: usize,
    /// Address of the word whose stores end the run; 0 for none.
    pub tohost: u32,
    pub isa: Isa,
    /// Whether both paths of a divergence go to the back of the queue: `divergence.order`.
    pub breadth_first: bool,
    /// Whether paths run in time slices.
    pub takes_turns: bool,
    /// Commits of a warp after which the active path yields outside a round of time slices; 0 for never.
    pub fair_after: u64,
    /// Commits of each path in a round.
    pub slice: u64,
    pub unit_keys: UnitKeys,
    pub reset_pc: u32,
    /// Whether a control block starts and stops the core: `control.port`.
    pub control: bool,
    /// Whether it counts the cycles in which nothing issues, by cause: `control.counters` = "full".
    pub counts_stalls: bool,
    /// Whether it shows where each warp is: `control.paths`.
    pub shows_paths: bool,
    pub trace: bool,
    /// Whether the sorter of the sorted table merges equal rows of the cold table: from T = 8, and at any T in its
    /// proof.
    pub folds_rows: bool,
    /// Name and description of the divergence unit's module, if the unit is a Verilog module of the user.
    pub external: Option<(String, Arc<External>)>,
    /// Whether divergence units state their invariants, for a proof or for a simulation that checks them.
    pub formal: bool,
    /// Whether the core outputs the actions of one thread and keeps only one register, for proofs at its edge. Never
    /// set in an emitted core.
    pub observed: bool,
}

impl Shape {
    /// Whether S0 shows S3 which contexts run.
    pub fn shows_enabled(&self) -> bool {
        self.constrained || self.counts_stalls
    }

    pub fn instructions(&self) -> Vec<Encoding> {
        isa::instructions(self.isa)
    }

    pub fn has(&self, extension: &Extension) -> bool {
        self.isa.has(extension)
    }

    /// Whether the multiplier shifts too. It cannot rotate.
    pub fn shifts_by_products(&self) -> bool {
        self.has(&M) && !self.has(&ZBB)
    }

    /// The operations of extensions that act at this point. The lanes' control has one bit for each.
    pub fn lane_operations(&self, acts: Acts) -> Vec<&'static str> {
        isa::lane_operations(&self.instructions(), acts)
    }

    pub fn has_icache(&self) -> bool {
        self.icache_bytes > 0
    }

    pub fn has_dcache(&self) -> bool {
        self.dcache_bytes > 0
    }

    /// Whether memory performs atomic operations. A data cache turns them into loads and stores.
    pub fn memory_has_atomics(&self) -> bool {
        self.has(&A) && !self.has_dcache()
    }

    /// Whether the bus can fail and the core start again. Memory then accepts requests after an error, and performs none.
    pub fn bus_fails(&self) -> bool {
        self.has_bus && self.control
    }

    pub fn has_scratchpad(&self) -> bool {
        self.scratchpad_bytes > 0
    }

    /// Whether the control block reads and writes the scratchpad.
    pub fn shows_scratchpad(&self) -> bool {
        self.control && self.has_scratchpad()
    }

    /// Bits of the number of a word in the scratchpad, as far as the control block asks for one.
    pub fn shown_word_bits(&self) -> usize {
        if self.shows_scratchpad() { self.scratchpad_row_bits() + self.lane_bits() } else { 0 }
    }

    pub fn has_windows(&self) -> bool {
        !self.windows.is_empty()
    }

    /// Rows of the scratchpad, each a word in each of T banks.
    pub fn scratchpad_rows(&self) -> usize {
        self.scratchpad_bytes as usize / (4 * self.threads)
    }

    /// Bits of a row number; 0 without a scratchpad.
    pub fn scratchpad_row_bits(&self) -> usize {
        if self.has_scratchpad() { clog2(self.scratchpad_rows()) } else { 0 }
    }

    /// Whether a switch brings words of a line to lanes: of memory, or of the scratchpad's banks.
    pub fn routes_loads(&self) -> bool {
        self.loads_lines || (self.has_scratchpad() && self.threads > 1)
    }

    /// Whether a switch brings bytes of lanes to a line.
    pub fn routes_stores(&self) -> bool {
        self.stores_lines || (self.has_scratchpad() && self.threads > 1)
    }

    /// Bits of the port with the pc at which threads start. It is constant without a control block.
    pub fn start_pc_bits(&self) -> usize {
        if self.control { self.pc_bits } else { 0 }
    }

    /// The pc at which threads start, in `pc_bits`: the value of the port, or the reset pc.
    pub fn start_pc(&self, port: &Expr) -> Expr {
        let reset_pc = u64::from(self.reset_pc >> 2) & (u64::MAX >> (64 - self.pc_bits));
        if self.control { port.clone() } else { lit(self.pc_bits, reset_pc) }
    }

    /// Least distance in cycles between two instructions of a context at S3.
    pub fn spacing(&self) -> usize {
        2 + self.delay
    }

    /// Least distance in cycles from the preceding instruction of a warp to one that needs a leader. S6 needs the
    /// threads of its path.
    pub fn election_spacing(&self) -> usize {
        self.spacing() + 1
    }

    /// Bits of a warp number; 0 for one warp.
    pub fn warp_bits(&self) -> usize {
        clog2(self.warps)
    }

    /// The level of the group of all warps at the barrier.
    pub fn top_level(&self) -> usize {
        clog2(self.warps)
    }

    /// Bits of the level of a warp's group at the barrier.
    pub fn level_bits(&self) -> usize {
        clog2(self.top_level() + 1).max(1)
    }

    /// Bits of the flag that a yielding path is parked. Units that take turns read it, and the rules of a formal build.
    pub fn b_parked_bits(&self) -> usize {
        usize::from(self.rotates && (self.takes_turns || self.formal))
    }

    /// Bits of a slot number; 0 for one slot.
    pub fn slot_bits(&self) -> usize {
        clog2(self.slots)
    }

    /// Bits of an entry of the reconvergence table: the kind in bits 1:0, and a pc; none for a unit that reads none.
    pub fn reconvergence_bits(&self) -> usize {
        if self.reconverges { 2 + self.pc_bits } else { 0 }
    }

    /// Bits of the entries of the reconvergence table that memory has for so many bits of code.
    pub fn entries_bits(&self, code: usize) -> usize {
        if self.reconverges { code } else { 0 }
    }

    /// Whether scoreboard and contexts output their state, for a proof of one warp.
    pub fn shows_scoreboard(&self) -> bool {
        self.formal && self.warps == 1 && self.slots > 1
    }

    /// One bit per slot if a warp has two, otherwise none.
    pub fn slot_mask_bits(&self) -> usize {
        if self.slots > 1 { self.slots } else { 0 }
    }

    /// Number of contexts, which are fetched and scheduled: one for each slot of each warp, numbered `warp · slots +
    /// slot`.
    pub fn contexts(&self) -> usize {
        self.warps * self.slots
    }

    pub fn each_context(&self) -> Each {
        Each::new("index", self.contexts())
    }

    pub fn context_bits(&self) -> usize {
        clog2(self.contexts())
    }

    pub fn lanes(&self) -> Each {
        Each::new("lane", self.threads)
    }

    /// Bits of a lane number; 0 for one lane.
    pub fn lane_bits(&self) -> usize {
        clog2(self.threads)
    }

    /// Bits of a port that numbers the threads of the core.
    pub fn hart_bits(&self) -> usize {
        (self.warp_bits() + self.lane_bits()).max(1)
    }

    /// Bits of a load's tag; 0 for one load in flight.
    pub fn tag_bits(&self) -> usize {
        clog2(self.outstanding)
    }

    /// Bits of the number of a scoreboard entry of a context.
    pub fn entry_bits(&self) -> usize {
        clog2(self.late_results)
    }

    /// Bits of one word per lane.
    pub fn line_bits(&self) -> usize {
        32 * self.threads
    }

    /// Bits of a line number: an address without the offset inside the line's 4·T bytes.
    pub fn line_number_bits(&self) -> usize {
        30 - self.lane_bits()
    }

    /// Rows of the register file: 32 registers of each warp.
    pub fn register_rows(&self) -> usize {
        32 * self.warps
    }

    /// Cycles after reset in which the core clears its memories.
    pub fn start_cycles(&self) -> usize {
        self.register_rows().max(self.outstanding)
    }

    pub fn stacks(&self) -> u32 {
        let all = self.warps as u32 * self.threads as u32 * self.stack_bytes;
        self.ram_base.wrapping_add(self.ram_bytes).wrapping_sub(all)
    }
}
