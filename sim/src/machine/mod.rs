//! A whole core: threads, policy and memory, stepped one warp instruction at a time.
//!
//! A step executes the instruction of a path that its divergence unit offers for the lanes that it can serve at
//! once, and hands the policy what became of the path. Faults are found before anything is written.

mod access;
mod arithmetic;
mod atomic;
mod control;
mod csr;
mod group;
mod lanes;
mod part;
mod reservations;
mod threads;

use weft_config::{Config, UnknownUnit};
use weft_trace::{Commit, MemoryOp, Moves, PathRecord, Sorting};

use crate::control_flow::{Analysis, ReconvergenceTable};
use crate::decode::{DecodeCache, Form, Instruction, Unit};
use crate::policy::{self, Next, Policy};
use crate::{Fault, Memory, Program};
use arithmetic::Second;
use csr::CsrAccess;
use lanes::keep;
use part::{Part, Refusal};
use reservations::Reservations;
use threads::Threads;

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
        /// A load, store-conditional or atomic operation on RAM to a register other than x0, or a multiplication or division to any
        /// register: the hardware writes it later, in a late write that carries the values now in
        /// [`Commit::values`].
        late: bool,
        /// A counter was read into a register: the values depend on the engine.
        volatile: bool,
        /// The `tohost` word after a write that touched it: the run ends here.
        tohost: Option<u32>,
        /// What it did with the paths that wait.
        moves: Moves,
    },
}

/// Why a warp cannot step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The core halts. Nothing was written.
    Fault(Fault),
    /// The path waits at the barrier, there is none, or the unit has something to do first.
    Idle,
}

/// Threads, path policy and memory of a whole core. Methods that take a warp, lane or register
/// panic if the core has no such thing.
pub struct Machine {
    warps: u32,
    lanes: u32,
    threads: Threads,
    /// Of each warp.
    policies: Vec<Box<dyn Policy>>,
    /// Of each policy.
    slots: u32,
    /// Where branches reconverge, if the policy reads that.
    reconvergence: Option<ReconvergenceTable>,
    memory: Memory,
    reservations: Reservations,
    decoder: DecodeCache,
    /// Physical address of the `tohost` word.
    tohost: Option<u32>,
    /// Threads that have not ended.
    live: u32,
    /// Live threads that wait at the barrier.
    parked: u32,
    /// Commits so far.
    commits: u64,
    /// What `mcycle` reads, if there is a clock.
    clock: Option<u64>,
    /// Per warp and slot, the pc of the last commit if it left lanes unserved.
    unfinished: Vec<Option<u32>>,
    /// The physical address per lane of the access being executed.
    addresses: Vec<u32>,
}

impl Machine {
    /// A core out of reset: every thread at the program's entry, every register zero.
    pub fn new(config: &Config, program: &Program) -> Result<Self, UnknownUnit> {
        let reads = config.unit()?.reconverges;
        let (warps, lanes) = (config.warps, config.threads);
        let policies: Vec<_> = (0..warps).map(|_| policy::create(config, program.entry)).collect::<Result<_, _>>()?;
        let slots = policies[0].slots();
        let memory = Memory::new(config, program);
        let tohost = program.tohost().map(|address| memory.stacks().physical(address & !3));
        Ok(Self {
            warps,
            lanes,
            threads: Threads::new(warps, lanes),
            policies,
            slots,
            reconvergence: reads.then(|| Analysis::of(program).table().clone()),
            memory,
            reservations: Reservations::new(warps * lanes),
            decoder: DecodeCache::new(config.isa),
            tohost,
            live: warps * lanes,
            parked: 0,
            commits: 0,
            clock: None,
            unfinished: vec![None; (warps * slots) as usize],
            addresses: vec![0; lanes as usize],
        })
    }

    /// Executes one instruction, or one part of it, of the path in `slot` of `warp`.
    ///
    /// Fills `out` completely, reusing its buffers, except `cycle`; values and data
    /// that mean nothing are zero. After `Err`, `out` is unspecified and the machine unchanged.
    pub fn step(&mut self, warp: u32, slot: u32, given: &Given, out: &mut Commit) -> Result<Step, Stop> {
        let path = self.policies[warp as usize].path(slot).filter(|path| !path.parked).ok_or(Stop::Idle)?;
        let word = self.memory.read_word(path.pc);
        if self.policies[warp as usize].must_rotate(slot, word) {
            return Err(Stop::Idle);
        }
        out.slot = slot;
        let mut part = Part { warp, path, out, next: Next::default(), late: false, volatile: false, tohost: None };
        if let Err(refusal) = self.execute(&mut part, word, given) {
            return Err(part.stop(refusal));
        }
        if let Some(table) = &self.reconvergence {
            part.next.reconvergence = table.at(path.pc);
        }
        let moves = self.policies[warp as usize].resolve(slot, &part.next);
        self.commits += 1;
        let context = self.context(warp, slot);
        self.unfinished[context] = (part.out.served != path.mask).then_some(path.pc);
        Ok(Step::Committed { late: part.late, volatile: part.volatile, tohost: part.tohost, moves })
    }

    /// Sets `out` to a commit that serves every lane and does nothing.
    fn begin(&self, part: &mut Part, instruction: u32) {
        let Part { warp, path, out, .. } = part;
        out.warp = *warp;
        out.number = self.commits;
        out.pc = path.pc;
        out.instruction = instruction;
        out.mask = path.mask;
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

    fn execute(&mut self, part: &mut Part, word: Option<u32>, given: &Given) -> Result<(), Refusal> {
        let (warp, pc) = (part.warp, part.path.pc);
        let word = word.ok_or(part.refuse(Fault::INSTRUCTION_ACCESS))?;
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
            // Stores are performed in the order of their commits and fetches see them at once.
            Instruction::Fence | Instruction::FenceInstruction | Instruction::Pause => part.advance(),
            Instruction::EnvironmentCall => return Err(part.refuse(Fault::ENVIRONMENT_CALL)),
            Instruction::Breakpoint => return Err(part.refuse(Fault::BREAKPOINT)),
            Instruction::Csr { operation, source, rd, csr } => {
                self.csr(part, CsrAccess { operation, source, rd, csr }, given)?;
            }
        }
        Ok(())
    }

    /// Ends an instruction that serves every lane and has left its results in the values.
    fn write_back(&mut self, part: &mut Part, rd: u8) {
        part.out.rd = rd;
        part.out.writes = rd != 0;
        keep(if rd == 0 { 0 } else { part.path.mask }, &mut part.out.values);
        self.threads.write(part.warp, rd, part.path.mask, &part.out.values);
        part.advance();
    }

    /// The same for an instruction whose results the hardware writes later.
    fn write_late(&mut self, part: &mut Part, rd: u8) {
        part.out.rd = rd;
        part.late = true;
        keep(part.path.mask, &mut part.out.values);
        self.threads.write(part.warp, rd, part.path.mask, &part.out.values);
        part.advance();
    }

    /// Paths of a warp that the divergence unit offers at once, one in each slot.
    #[inline]
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// The path in `slot` of `warp`; `None` where there is none.
    #[inline]
    pub fn path(&self, warp: u32, slot: u32) -> Option<PathRecord> {
        self.policies[warp as usize].path(slot)
    }

    /// The path next to the one in slot 0, of a unit that keeps two at hand.
    #[inline]
    pub fn second(&self, warp: u32) -> Option<PathRecord> {
        self.policies[warp as usize].second()
    }

    /// All paths of `warp`, complete and disjoint: those in the slots first, then in the order in
    /// which its divergence unit holds them.
    pub fn paths(&self, warp: u32) -> Vec<PathRecord> {
        self.policies[warp as usize].list()
    }

    /// How many paths of `warp` its divergence unit could issue from now, for
    /// [`Statistics::paths`](weft_trace::Statistics::paths).
    #[inline]
    pub fn schedulable(&self, warp: u32) -> u32 {
        self.policies[warp as usize].schedulable()
    }

    /// How many paths (stack units: rows) are held for `warp`.
    #[inline]
    pub fn held(&self, warp: u32) -> u32 {
        self.policies[warp as usize].held()
    }

    /// Without an instruction, takes one step from the path in `slot` of `warp`, or from its end,
    /// towards the one that runs next there: it waits at the barrier and another does not, its turn is
    /// over, or it is where it joins others. `None` if there is nothing to do. To be called after each
    /// commit until then: the slot is idle while a rotation is due.
    #[inline]
    pub fn rotate(&mut self, warp: u32, slot: u32) -> Option<Moves> {
        self.must_rotate(warp, slot).then(|| self.policies[warp as usize].rotate(slot))
    }

    /// Whether [`Machine::rotate`] has something to do.
    #[inline]
    pub fn must_rotate(&self, warp: u32, slot: u32) -> bool {
        // Only those that are told where branches reconverge look at the word.
        let path = self.reconvergence.as_ref().and_then(|_| self.policies[warp as usize].path(slot));
        self.policies[warp as usize].must_rotate(slot, path.and_then(|path| self.memory.read_word(path.pc)))
    }

    #[inline]
    fn context(&self, warp: u32, slot: u32) -> usize {
        (warp * self.slots + slot) as usize
    }

    /// The sorter of the divergence unit does this with the second path of `warp` and the one at
    /// place `row` behind it. Says whether it may; nothing happens if not.
    pub fn sorted(&mut self, warp: u32, row: u32, sorting: Sorting) -> bool {
        self.policies[warp as usize].sorted(row, sorting)
    }

    /// Does the next thing that a sorter which is never late would do, and says at which place;
    /// `None` once the paths of `warp` are sorted.
    #[inline]
    pub fn sort(&mut self, warp: u32) -> Option<(u32, Sorting)> {
        self.policies[warp as usize].sort()
    }

    /// The hardware has put this path in charge of `warp`. Says whether it may: of units that this machine knows all of,
    /// what its own path is decides, and this says yes.
    pub fn follow(&mut self, warp: u32, path: Option<PathRecord>) -> bool {
        self.policies[warp as usize].follow(path)
    }

    /// Releases the barrier if it is due: every live thread waits there, and one lives. Says
    /// whether it did. To be called after each commit.
    #[inline]
    pub fn release(&mut self) -> bool {
        let due = self.live > 0 && self.parked == self.live;
        if due {
            self.parked = 0;
            self.policies.iter_mut().for_each(|policy| policy.release());
        }
        due
    }

    /// From now on `mcycle` reads `cycle`, instead of the number of commits.
    pub(crate) fn set_clock(&mut self, cycle: u64) {
        self.clock = Some(cycle);
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
    pub fn register(&self, warp: u32, lane: u32, register: u8) -> u32 {
        self.threads.row(warp, register)[lane as usize]
    }

    /// The exit code of a thread that has ended.
    pub fn exit_code(&self, warp: u32, lane: u32) -> Option<u32> {
        self.threads.exit_code(warp, lane)
    }

    /// Threads that have not ended.
    pub fn live(&self) -> u32 {
        self.live
    }
}
