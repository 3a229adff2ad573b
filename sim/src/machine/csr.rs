//! Control and status registers. Through them a thread also ends and waits at the barrier.
//!
//! The group of warps at the barrier, and the region, belong to the warp. The leader's value is written. Only `csrrw` and
//! `csrrwi` write them, and only `csrrwi` writes the call depth of the path.

use weft_trace::PathRecord;

use super::part::{Part, Refusal};
use super::{Given, Machine};
use crate::Fault;
use crate::decode::{CsrOperation, CsrSource, Register};

pub(crate) const EXIT: u16 = 0x800;
pub(crate) const BARRIER: u16 = 0x801;
pub(crate) const GROUP: u16 = 0x802;
const DEPTH: u16 = 0x803;
const REGION: u16 = 0x804;
pub(crate) const REFRESH: u16 = 0x805;
pub(crate) const THREADS: u16 = 0xcc0;
pub(crate) const WARPS: u16 = 0xcc1;
const MASK: u16 = 0xcc2;
const STACK_END: u16 = 0xcc3;
const MASKH: u16 = 0xcc4;
pub(crate) const ARGUMENT: u16 = 0xcc7;
const MHARTID: u16 = 0xf14;

/// Region numbers.
const REGIONS: u8 = 32;

/// What a counter counts since reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Cycles,
    /// Commits of the core that left no lane of their path unserved.
    Instructions,
    /// Lanes that commits served.
    ThreadInstructions,
    Commits,
}

/// What a CSR counts, and by how many bits the count is shifted to the right; `None` if it is no counter.
fn counter(csr: u16) -> Option<(Counted, u32)> {
    Some(match csr {
        0xb00 | 0xc00 | 0xc01 => (Counted::Cycles, 0),
        0xb80 | 0xc80 | 0xc81 => (Counted::Cycles, 32),
        0xb02 | 0xc02 => (Counted::Instructions, 0),
        0xb82 | 0xc82 => (Counted::Instructions, 32),
        0xcc5 => (Counted::ThreadInstructions, 0),
        0xcc8 => (Counted::ThreadInstructions, 32),
        0xcc6 => (Counted::Commits, 0),
        0xcc9 => (Counted::Commits, 32),
        _ => return None,
    })
}

/// Whether a CSR instruction writes the value of the leader.
pub(crate) fn takes_leader(operation: CsrOperation, source: CsrSource, csr: u16) -> bool {
    matches!((operation, source, csr), (CsrOperation::Write, CsrSource::Register(_), GROUP | REGION))
}

/// Whether the value of a CSR changes by itself.
pub(crate) fn is_counter(csr: u16) -> bool {
    counter(csr).is_some()
}

pub(super) struct CsrAccess {
    pub operation: CsrOperation,
    pub source: CsrSource,
    pub rd: Register,
    pub csr: u16,
}

impl Machine {
    pub(super) fn csr(&mut self, part: &mut Part, access: CsrAccess, given: &Given) -> Result<(), Refusal> {
        part.out.rd = access.rd;
        match (access.csr, access.operation.writes(access.source)) {
            (EXIT, true) => self.exit(part, &access),
            (BARRIER, true) => self.park(part, &access),
            (GROUP | DEPTH | REGION, true) => {
                let value = self.value_written(part, &access)?;
                self.read_csr(part, access.csr)?;
                self.write_back(part, access.rd);
                match access.csr {
                    GROUP => self.barrier.set_level(part.warp, value),
                    DEPTH => part.next.a = part.next.a.map(|path| PathRecord { depth: value as u8, ..path }),
                    _ if self.regions_exist => {
                        part.out.region = value as u8 % REGIONS;
                        self.regions[part.warp as usize] = part.out.region;
                    }
                    _ => {}
                }
            }
            // The model has no cache.
            (REFRESH, _) if self.has_dcache => self.write_back(part, access.rd),
            (_, true) => return Err(part.refuse(Fault::ILLEGAL_INSTRUCTION)),
            (csr, false) => {
                self.read_csr(part, csr)?;
                let volatile = is_counter(csr);
                if let (true, Some(values)) = (volatile, given.values) {
                    part.fill(|lane| values[lane as usize]);
                }
                part.volatile = volatile && access.rd != 0;
                self.write_back(part, access.rd);
            }
        }
        Ok(())
    }

    fn read_csr(&self, part: &mut Part, csr: u16) -> Result<(), Refusal> {
        if let Some((counted, shift)) = counter(csr) {
            let count = match counted {
                // Without a clock, each commit of the core counts as one cycle.
                Counted::Cycles => self.clock.unwrap_or(self.commits),
                Counted::Instructions => self.instructions,
                Counted::ThreadInstructions => self.thread_instructions,
                Counted::Commits => self.commits,
            };
            part.fill(|_| (count >> shift) as u32);
            return Ok(());
        }
        let (warp, PathRecord { mask, depth, .. }) = (part.warp, part.path);
        let first = warp * self.lanes;
        match csr {
            EXIT | BARRIER => {}
            GROUP => part.fill(|_| self.barrier.level(warp)),
            DEPTH => part.fill(|_| depth.into()),
            REGION => part.fill(|_| self.regions[warp as usize].into()),
            THREADS => part.fill(|_| self.lanes),
            WARPS => part.fill(|_| self.warps),
            MASK => part.fill(|_| mask as u32),
            MASKH => part.fill(|_| (mask >> 32) as u32),
            STACK_END => part.fill(|lane| self.memory.stacks().end(first + lane)),
            // A program that the bench starts has no argument.
            ARGUMENT if self.has_argument => part.fill(|_| 0),
            MHARTID => part.fill(|lane| first + lane),
            _ => return Err(part.refuse(Fault::ILLEGAL_INSTRUCTION)),
        }
        Ok(())
    }

    /// The value that a write to the group, the depth or the region writes.
    fn value_written(&self, part: &Part, access: &CsrAccess) -> Result<u32, Refusal> {
        let illegal = Err(part.refuse(Fault::ILLEGAL_INSTRUCTION));
        match (access.operation, access.source, access.csr) {
            (CsrOperation::Write, _, GROUP) if self.barrier.waits(part.warp) != 0 => illegal,
            (CsrOperation::Write, CsrSource::Immediate(value), _) => Ok(value.into()),
            (CsrOperation::Write, CsrSource::Register(rs1), GROUP | REGION) => {
                Ok(self.threads.row(part.warp, rs1)[part.leader() as usize])
            }
            _ => illegal,
        }
    }

    /// Ends the threads of the path. The exit code is the value that the instruction would write to the CSR, which
    /// reads as zero.
    fn exit(&mut self, part: &mut Part, access: &CsrAccess) {
        let (warp, mask) = (part.warp, part.path.mask);
        match (access.operation, access.source) {
            (CsrOperation::Clear, _) => {}
            (_, CsrSource::Immediate(code)) => part.fill(|_| u32::from(code)),
            (_, CsrSource::Register(rs1)) => {
                let codes = self.threads.row(warp, rs1);
                part.fill(|lane| codes[lane as usize]);
            }
        }
        part.out.writes = true;
        self.threads.clear(warp, access.rd, mask);
        self.threads.exit(warp, mask, &part.out.values);
        self.note_exits(part);
        self.barrier.end(warp, mask);
    }

    fn park(&mut self, part: &mut Part, access: &CsrAccess) {
        part.out.writes = access.rd != 0;
        self.threads.clear(part.warp, access.rd, part.path.mask);
        self.barrier.arrive(part.warp, part.path.mask);
        part.next.a = Some(PathRecord { pc: part.path.pc.wrapping_add(4), parked: true, ..part.path });
    }
}
