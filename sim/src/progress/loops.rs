//! The proof that a thread repeats a loop for ever: it is back at a pc with the same registers, and nothing that it can
//! read has changed since.
//!
//! The search is Brent's: the registers are compared with those after 2, 4, 8 … times `FIRST` commits of the warp since
//! the last change in the core. A change is a store or atomic operation that changes memory or may, and any access to
//! something that changes by itself: the console and the counters. An SC of a word that its thread has not reserved
//! is none.

use weft_trace::{Commit, MemoryOp};

use crate::decode::stored;
use crate::machine::is_counter;

/// Commits of a warp without a change before the search begins, so that it costs little in other programs.
const FIRST: u64 = 64;

#[derive(Clone, Debug)]
pub(super) struct Loops {
    lanes: usize,
    /// `registers[warp][lane * 32 + register]`. In place of `x0`, the address of the word that LR has reserved, or 0.
    registers: Vec<Vec<u32>>,
    searches: Vec<Search>,
    /// Changes so far, and whether memory was read since the last one.
    changes: u64,
    reads: bool,
}

/// The search in one warp.
#[derive(Clone, Debug, Default)]
struct Search {
    /// The number of changes when it began, and commits since.
    changes: u64,
    commits: u64,
    /// The registers to compare with, and the pc at which each lane had them.
    registers: Vec<u32>,
    pcs: Vec<Option<u32>>,
    /// Lanes served since then.
    ran: u64,
    /// Lanes that are proved to repeat a loop.
    repeats: u64,
}

impl Loops {
    pub(super) fn new(warps: usize, lanes: usize) -> Self {
        let search = Search { pcs: vec![None; lanes], ..Search::default() };
        let registers = vec![vec![0; 32 * lanes]; warps];
        Self { lanes, registers, searches: vec![search; warps], changes: 0, reads: false }
    }

    pub(super) fn commit(&mut self, commit: &Commit) {
        let warp = commit.warp as usize;
        let place = place(commit);
        let reserved = 32 * (commit.served.trailing_zeros() as usize % self.lanes);
        let fails = commit.memory == MemoryOp::StoreConditional && self.registers[warp][reserved] != place;
        if changes(commit) && !fails {
            self.change();
        }
        self.reads |= matches!(commit.memory, MemoryOp::Load) || commit.memory.is_atomic();
        self.search(warp, commit);
        match commit.memory {
            MemoryOp::LoadReserved => self.registers[warp][reserved] = place,
            MemoryOp::StoreConditional => self.registers[warp][reserved] = 0,
            _ => {}
        }
        if commit.rd != 0 {
            for lane in (0..self.lanes).filter(|lane| commit.served >> lane & 1 != 0) {
                self.registers[warp][32 * lane + usize::from(commit.rd)] = commit.values[lane];
            }
        }
    }

    /// The leader's value of rs1 before a CSR instruction, or the immediate in its place.
    pub(super) fn operand(&self, commit: &Commit) -> u32 {
        let (field, is_immediate) = (commit.instruction >> 15 & 31, commit.instruction >> 14 & 1 == 1);
        let leader = commit.mask.trailing_zeros() as usize % self.lanes;
        match (is_immediate, field) {
            (true, value) => value,
            (false, 0) => 0,
            (false, register) => self.registers[commit.warp as usize][32 * leader + register as usize],
        }
    }

    /// Begins all searches anew.
    pub(super) fn change(&mut self) {
        self.changes += 1;
        self.reads = false;
    }

    /// Compares the state of the served lanes before their instruction.
    fn search(&mut self, warp: usize, commit: &Commit) {
        let (search, registers) = (&mut self.searches[warp], &self.registers[warp]);
        if search.changes != self.changes {
            (search.changes, search.commits, search.repeats) = (self.changes, 0, 0);
        }
        search.commits += 1;
        if search.commits < FIRST {
            return;
        }
        if search.commits.is_power_of_two() {
            search.registers.clone_from(registers);
            search.pcs.fill(None);
            search.ran = 0;
        }
        search.ran |= commit.served;
        for (lane, pc) in search.pcs.iter_mut().enumerate().filter(|(lane, _)| commit.served >> lane & 1 != 0) {
            let own = 32 * lane..32 * (lane + 1);
            if pc.is_none() {
                *pc = Some(commit.pc);
            } else if *pc == Some(commit.pc) && search.registers[own.clone()] == registers[own] {
                search.repeats |= 1 << lane;
            }
        }
    }

    pub(super) fn repeats(&self, warp: usize) -> u64 {
        let search = &self.searches[warp];
        if search.changes == self.changes { search.repeats } else { 0 }
    }

    /// Lanes that were served since the registers to compare with were taken.
    pub(super) fn ran(&self, warp: usize) -> u64 {
        self.searches[warp].ran
    }

    pub(super) fn reads(&self) -> bool {
        self.reads
    }
}

/// Returns whether a commit may change memory, or reads something that changes by itself.
fn changes(commit: &Commit) -> bool {
    let (opcode, csr) = (commit.instruction & 0x7f, commit.instruction >> 20);
    match commit.memory {
        MemoryOp::None => opcode == 0x03 || opcode == 0x73 && is_counter(csr as u16),
        MemoryOp::Load | MemoryOp::LoadReserved => false,
        MemoryOp::Store | MemoryOp::Console | MemoryOp::StoreConditional => true,
        operation => {
            // In the scratchpad it may be of several lanes, whose words are not known. So any may be any lane's.
            let lanes = || (0..commit.values.len()).filter(|lane| commit.served >> lane & 1 != 0);
            let words =
                || (0..commit.values.len()).filter(|word| commit.memory_mask[word / 16] >> (4 * (word % 16)) & 1 != 0);
            let keeps = |old: u32| words().all(|word| stored(operation, old, commit.memory_data[word]) == old);
            commit.rd == 0 || !lanes().all(|lane| keeps(commit.values[lane]))
        }
    }
}

/// The address of the lowest word that is accessed: of a reservation, its only one.
fn place(commit: &Commit) -> u32 {
    let quarter = commit.memory_mask.iter().zip(0..).find(|(mask, _)| **mask != 0);
    commit.memory_address + quarter.map_or(0, |(mask, quarter)| 64 * quarter + mask.trailing_zeros() / 4 * 4)
}
