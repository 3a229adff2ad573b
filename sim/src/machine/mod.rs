//! A whole core: threads, policy and memory, stepped one warp instruction at a time.
//!
//! A step takes a path that the divergence unit offers and executes its instruction for the lanes that one pass can
//! serve. It then passes the resulting paths to the policy. Faults are detected before anything is written.

mod access;
mod arithmetic;
mod atomic;
mod barrier;
mod control;
mod csr;
mod ending;
mod group;
mod lanes;
mod part;
mod reservations;
mod scratchpad;
mod spin;
mod threads;
mod windows;

use std::ops::Range;

use weft_config::{Coalescer, Config, UnknownUnit};
use weft_trace::{Commit, MemoryOp, Moves, PathRecord, Sorting};

use crate::control_flow::{Analysis, Reconvergence, ReconvergenceTable};
use crate::decode::{DecodeCache, Form, Instruction, Unit};
use crate::policy::{self, Next, Policy};
use crate::{Fault, Memory, Program};
use arithmetic::Second;
use barrier::Barrier;
use csr::CsrAccess;
pub(crate) use csr::{ARGUMENT, BARRIER, EXIT, GROUP, REFRESH, THREADS, WARPS, is_counter, takes_leader};
pub use ending::{Ending, Exit};
use lanes::{each, keep};
use part::{Part, Refusal};
use reservations::Reservations;
pub use scratchpad::Scratchpad;
use spin::Loop;
use threads::Threads;
use windows::Windows;

/// Values that come from outside the model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// One value per lane for an instruction that reads `mcycle[h]` or `minstret[h]`. The model takes such values
    /// over; the caller checks that they are monotone. Other instructions ignore them.
    pub values: Option<&'a [u32]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An instruction, or one part of a replayed one, was executed.
    Committed {
        /// The result has long latency: the hardware writes it later, in a late write with the values now in
        /// [`Commit::values`].
        /// That holds for a load, store-conditional or atomic operation on RAM or the scratchpad to a register other
        /// than x0, and for a multiplication or division to any register.
        late: bool,
        /// A counter was read into a register: the values depend on the engine.
        volatile: bool,
        /// The `tohost` word after a write to it. The run ends here.
        tohost: Option<u32>,
        /// Changes among the paths that wait.
        moves: Moves,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The core halts. Nothing was written.
    Fault(Fault),
    /// The path waits at the barrier, the slot is empty, or the unit must rotate first.
    Idle,
}

/// Threads, path policy and memory of a whole core. Methods panic if the core has no such warp, lane or register.
pub struct Machine {
    warps: u32,
    lanes: u32,
    threads: Threads,
    policies: Vec<Box<dyn Policy>>,
    /// Per warp, the loop that it runs.
    loops: Vec<Loop>,
    /// Whether a path yields after an iteration that only waits.
    spin_yields: bool,
    slots: u32,
    /// Reconvergence pcs of branches, if the policy reads them.
    reconvergence: Option<ReconvergenceTable>,
    /// The basic blocks in order, if the policy counts their instructions.
    blocks: Vec<Range<u32>>,
    memory: Memory,
    scratchpad: Scratchpad,
    windows: Windows,
    reservations: Reservations,
    decoder: DecodeCache,
    /// Physical address of the `tohost` word.
    tohost: Option<u32>,
    /// Whether the hardware knows that address.
    hardware_stops: bool,
    ending: Ending,
    barrier: Barrier,
    /// The region of each warp, 0 … 31. Only a core with a trace port has regions.
    regions: Vec<u8>,
    regions_exist: bool,
    has_argument: bool,
    has_dcache: bool,
    commits: u64,
    instructions: u64,
    thread_instructions: u64,
    /// The value of `mcycle`, if there is a clock.
    clock: Option<u64>,
    /// Per warp and slot, the pc of the last commit if it left lanes unserved.
    unfinished: Vec<Option<u32>>,
    coalescer: Coalescer,
    /// The physical address per lane of the current access.
    addresses: Vec<u32>,
}

impl Machine {
    /// A core out of reset: every thread at the program's entry, every register zero.
    pub fn new(config: &Config, program: &Program) -> Result<Self, UnknownUnit> {
        let reads = config.unit()?.reconverges;
        let (warps, lanes) = (config.warps, config.threads);
        let policies = policy::of_warps(config, program)?;
        let slots = policies[0].slots();
        let analysis = reads.then(|| Analysis::of(program));
        let counted = analysis.iter().filter(|_| policies[0].counts_blocks()).flat_map(Analysis::blocks);
        let blocks = counted.map(|block| block.range.clone()).collect();
        let memory = Memory::new(config, program);
        let address = Some(config.run.tohost).filter(|address| *address != 0).or(program.tohost());
        let tohost = address.map(|address| memory.stacks().physical(address & !3));
        Ok(Self {
            warps,
            lanes,
            threads: Threads::new(warps, lanes),
            policies,
            loops: vec![Loop::default(); warps as usize],
            spin_yields: config.divergence.fair_after > 0,
            slots,
            blocks,
            reconvergence: analysis.as_ref().map(|analysis| analysis.table().clone()),
            memory,
            scratchpad: Scratchpad::new(config),
            windows: Windows::new(config),
            reservations: Reservations::new(warps * lanes),
            decoder: DecodeCache::new(config.isa),
            tohost,
            hardware_stops: config.run.tohost != 0,
            ending: Ending::default(),
            barrier: Barrier::new(warps, lanes),
            regions: vec![0; warps as usize],
            regions_exist: config.trace.port,
            has_argument: config.control.port,
            has_dcache: config.dcache.exists(),
            commits: 0,
            instructions: 0,
            thread_instructions: 0,
            clock: None,
            coalescer: config.memory.coalescer,
            unfinished: vec![None; (warps * slots) as usize],
            addresses: vec![0; lanes as usize],
        })
    }

    /// Executes one instruction, or one part of it, of the path in `slot` of `warp`.
    ///
    /// Fills `out` completely except `cycle`, and reuses its buffers. Values and data without meaning are zero. After
    /// `Err`, `out` is unspecified and the machine unchanged.
    pub fn step(&mut self, warp: u32, slot: u32, given: &Given, out: &mut Commit) -> Result<Step, Stop> {
        let path = self.policies[warp as usize].path(slot).filter(|path| !path.parked).ok_or(Stop::Idle)?;
        let word = self.memory.read_word(path.pc);
        if self.policies[warp as usize].must_rotate(slot, word) {
            return Err(Stop::Idle);
        }
        out.slot = slot;
        let mut part = Part { warp, path, out, next: Next::default(), late: false, volatile: false, tohost: None };
        let instruction = match self.execute(&mut part, word, given) {
            Ok(instruction) => instruction,
            Err(refusal) => return Err(part.stop(refusal)),
        };
        let spins = self.loops[warp as usize].spins(part.out.instruction, &instruction, part.next.b.is_some());
        part.next.yields = instruction == Instruction::Pause || spins && self.spin_yields;
        if let Some(table) = &self.reconvergence {
            part.next.reconvergence = table.at(path.pc);
            part.next.block = self.block_at(part.next.reconvergence);
        }
        let moves = self.policies[warp as usize].resolve(slot, &part.next);
        self.commits += 1;
        self.instructions += u64::from(part.out.served == path.mask);
        self.thread_instructions += u64::from(part.out.served.count_ones());
        let context = self.context(warp, slot);
        self.unfinished[context] = (part.out.served != path.mask).then_some(path.pc);
        Ok(Step::Committed { late: part.late, volatile: part.volatile, tohost: part.tohost, moves })
    }

    /// Number of instructions of the counted block that begins at a reconvergence point. Any return ends its block.
    fn block_at(&self, point: Reconvergence) -> u32 {
        match point {
            _ if self.blocks.is_empty() => 0,
            Reconvergence::Unknown => 0,
            Reconvergence::Return => 1,
            Reconvergence::At(pc) => {
                let block = self.blocks.binary_search_by_key(&pc, |block| block.start);
                block.map_or(0, |block| self.blocks[block].len() as u32 / 4)
            }
        }
    }

    /// Sets `out` to a commit that serves every lane and has no effect.
    fn begin(&self, part: &mut Part, instruction: u32) {
        let Part { warp, path, out, .. } = part;
        out.warp = *warp;
        out.number = self.commits;
        out.pc = path.pc;
        out.instruction = instruction;
        out.mask = path.mask;
        out.region = self.regions[*warp as usize];
        out.served = path.mask;
        out.rd = 0;
        out.writes = false;
        out.memory = MemoryOp::None;
        out.memory_address = 0;
        out.memory_mask = [0; 4];
        out.divergent = false;
        for lanes in [&mut out.values, &mut out.memory_data] {
            lanes.resize(self.lanes as usize, 0);
            lanes.fill(0);
        }
    }

    fn execute(&mut self, part: &mut Part, word: Option<u32>, given: &Given) -> Result<Instruction, Refusal> {
        let (warp, pc) = (part.warp, part.path.pc);
        let word = word.ok_or(part.refuse(Fault::INSTRUCTION_ACCESS).at(pc))?;
        let instruction = self.decoder.decode(pc, word).ok_or(part.refuse(Fault::ILLEGAL_INSTRUCTION))?;
        self.begin(part, word);
        match instruction {
            Instruction::LoadUpper { rd, immediate } => {
                part.fill(|_| immediate);
                self.write_back(part, rd);
            }
            Instruction::AddUpperToPc { rd, immediate } => {
                part.fill(|_| pc.wrapping_add(immediate));
                self.write_back(part, rd);
            }
            Instruction::Immediate { operation, rd, rs1, immediate } => {
                let a = self.threads.row(warp, rs1);
                arithmetic::immediate(operation, a, immediate, &mut part.out.values);
                self.write_back(part, rd);
            }
            Instruction::Registers { operation, rd, rs1, rs2 } => {
                let (a, b) = (self.threads.row(warp, rs1), self.threads.row(warp, rs2));
                arithmetic::registers(operation, a, b, &mut part.out.values);
                self.write_back(part, rd);
            }
            Instruction::Compute { computation, rd, rs1, rs2 } => {
                let a = self.threads.row(warp, rs1);
                let b = match computation.form {
                    Form::Registers => Second::Rows(self.threads.row(warp, rs2)),
                    Form::Amount | Form::One => Second::Same(u32::from(rs2)),
                };
                arithmetic::computed(computation, a, b, &mut part.out.values);
                match computation.unit {
                    Unit::Lanes => self.write_back(part, rd),
                    Unit::Multiplier | Unit::Divider => self.write_late(part, rd),
                }
            }
            Instruction::Jump { rd, offset } => self.jump(part, rd, offset)?,
            Instruction::JumpRegister { rd, rs1, offset } => self.jump_register(part, (rd, rs1, offset))?,
            Instruction::Branch { condition, rs1, rs2, offset } => self.branch(part, condition, (rs1, rs2, offset))?,
            Instruction::Load { width, signed, rd, rs1, offset } => {
                self.load(part, (width, signed), (rd, rs1, offset))?;
            }
            Instruction::Store { width, rs1, rs2, offset } => self.store(part, width, (rs1, rs2, offset))?,
            Instruction::Atomic { operation, rd, rs1, rs2, .. } => self.atomic(part, operation, (rd, rs1, rs2))?,
            // Stores are performed in commit order and fetches see them at once, so fences only advance.
            Instruction::Fence | Instruction::FenceInstruction | Instruction::Pause => part.advance(),
            Instruction::EnvironmentCall => return Err(part.refuse(Fault::ENVIRONMENT_CALL)),
            Instruction::Breakpoint => return Err(part.refuse(Fault::BREAKPOINT)),
            Instruction::Csr { operation, source, rd, csr } => {
                self.csr(part, CsrAccess { operation, source, rd, csr }, given)?;
            }
        }
        Ok(instruction)
    }

    /// Ends an instruction that serves every lane. Its results are in the values.
    fn write_back(&mut self, part: &mut Part, rd: u8) {
        part.out.rd = rd;
        part.out.writes = rd != 0;
        keep(if rd == 0 { 0 } else { part.path.mask }, &mut part.out.values);
        self.threads.write(part.warp, rd, part.path.mask, &part.out.values);
        part.advance();
    }

    /// Ends an instruction that serves every lane and has a long-latency result.
    fn write_late(&mut self, part: &mut Part, rd: u8) {
        part.out.rd = rd;
        part.late = true;
        keep(part.path.mask, &mut part.out.values);
        self.threads.write(part.warp, rd, part.path.mask, &part.out.values);
        part.advance();
    }

    pub(crate) fn warps(&self) -> u32 {
        self.warps
    }

    /// Number of paths of a warp that the divergence unit offers at once, one per slot.
    #[inline]
    pub fn slots(&self) -> u32 {
        self.slots
    }

    #[inline]
    pub fn path(&self, warp: u32, slot: u32) -> Option<PathRecord> {
        self.policies[warp as usize].path(slot)
    }

    /// The path next to the one in slot 0, for a unit that exposes two paths.
    #[inline]
    pub fn second(&self, warp: u32) -> Option<PathRecord> {
        self.policies[warp as usize].second()
    }

    /// All paths of `warp`, complete and disjoint: those in the slots first, then in the order of the divergence
    /// unit.
    pub fn paths(&self, warp: u32) -> Vec<PathRecord> {
        self.policies[warp as usize].list()
    }

    /// Number of paths of `warp` that the divergence unit could issue from now, for
    /// [`Statistics::paths`](weft_trace::Statistics::paths).
    #[inline]
    pub fn schedulable(&self, warp: u32) -> u32 {
        self.policies[warp as usize].schedulable()
    }

    /// Number of paths (stack units: rows) held for `warp`.
    #[inline]
    pub fn held(&self, warp: u32) -> u32 {
        self.policies[warp as usize].held()
    }

    /// Takes one rotation step in `slot` of `warp`, without an instruction, towards the path that runs next there.
    /// A step is due if the path waits at the barrier and another does not, if its time slice is over, or if it is at
    /// its reconvergence point. `None` means that nothing is due.
    /// Call it after each commit until then: the slot is idle while a rotation is due.
    #[inline]
    pub fn rotate(&mut self, warp: u32, slot: u32) -> Option<Moves> {
        self.must_rotate(warp, slot).then(|| self.policies[warp as usize].rotate(slot))
    }

    /// Divides the path in this slot, of which the threads in `waits` wait for a load that missed in the data cache. `None`
    /// if the divergence unit does not divide it.
    pub(crate) fn divide_on_miss(&mut self, warp: u32, slot: u32, waits: u64) -> Option<Moves> {
        let word = self.path(warp, slot).and_then(|path| self.memory.read_word(path.pc));
        self.policies[warp as usize].divide_on_miss(slot, word, waits)
    }

    #[inline]
    pub fn must_rotate(&self, warp: u32, slot: u32) -> bool {
        // Only units that read the reconvergence table look at the word.
        let path = self.reconvergence.as_ref().and_then(|_| self.policies[warp as usize].path(slot));
        self.policies[warp as usize].must_rotate(slot, path.and_then(|path| self.memory.read_word(path.pc)))
    }

    #[inline]
    fn context(&self, warp: u32, slot: u32) -> usize {
        (warp * self.slots + slot) as usize
    }

    /// Applies a step of the hardware's sorter to the second path of `warp` and the one in entry `row` of its table.
    /// Returns whether the step is legal; an illegal one has no effect.
    pub fn sorted(&mut self, warp: u32, row: u32, sorting: Sorting) -> bool {
        self.policies[warp as usize].sorted(row, sorting)
    }

    /// Applies the next step of an ideal sorter and returns its entry; `None` once the paths of `warp` are sorted.
    #[inline]
    pub fn sort(&mut self, warp: u32) -> Option<(u32, Sorting)> {
        self.policies[warp as usize].sort()
    }

    /// Takes over the active path of `warp` from the hardware. Returns whether that is legal; for units with a
    /// complete model it is always true, since their own path decides.
    pub fn follow(&mut self, warp: u32, path: Option<PathRecord>) -> bool {
        self.policies[warp as usize].follow(path)
    }

    /// The warps whose group is to be released from the barrier, bit w for warp w.
    #[inline]
    pub fn due(&mut self) -> u64 {
        self.barrier.due()
    }

    /// Releases all warps that are due, and returns them. Call it after each commit.
    pub fn release_due(&mut self) -> u64 {
        let due = self.due();
        if due != 0 {
            self.release(due);
        }
        due
    }

    /// Releases these warps from the barrier. Returns whether that is legal: they are [due](Self::due), and their
    /// groups are whole. It has no effect if not.
    pub fn release(&mut self, warps: u64) -> bool {
        let legal = self.barrier.release(warps);
        if legal {
            each(warps).for_each(|warp| self.policies[warp].release());
        }
        legal
    }

    /// Sets the value that `mcycle` reads from now on, instead of the number of commits.
    pub(crate) fn set_clock(&mut self, cycle: u64) {
        self.clock = Some(cycle);
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    pub fn scratchpad(&self) -> &Scratchpad {
        &self.scratchpad
    }

    /// The word of RAM that holds the byte at `address`; `None` outside RAM.
    pub fn read_word(&self, address: u32) -> Option<u32> {
        self.memory.read_word(address)
    }

    pub fn register(&self, warp: u32, lane: u32, register: u8) -> u32 {
        self.threads.row(warp, register)[lane as usize]
    }

    pub fn exit_code(&self, warp: u32, lane: u32) -> Option<u32> {
        self.threads.exit_code(warp, lane)
    }

    pub fn live(&self) -> u32 {
        self.barrier.live()
    }
}
