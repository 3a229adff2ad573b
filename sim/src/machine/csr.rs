//! Control and status registers, through which a thread also ends and waits at the barrier.

use weft_trace::{Commit, PathRecord};

use super::lanes::leader;
use super::{Effect, Given, Machine, Refusal, fill};
use crate::Fault;
use crate::decode::{CsrOperation, CsrSource, Register};
use crate::policy::Next;

const EXIT: u16 = 0x800;
const BARRIER: u16 = 0x801;
const MCYCLE: u16 = 0xb00;
const MINSTRET: u16 = 0xb02;
const MCYCLEH: u16 = 0xb80;
const MINSTRETH: u16 = 0xb82;
const THREADS: u16 = 0xcc0;
const WARPS: u16 = 0xcc1;
const MASK: u16 = 0xcc2;
const STACK_END: u16 = 0xcc3;
const MASKH: u16 = 0xcc4;
const MHARTID: u16 = 0xf14;

/// A Zicsr instruction.
pub(super) struct CsrAccess {
    pub operation: CsrOperation,
    pub source: CsrSource,
    pub rd: Register,
    pub csr: u16,
}

impl CsrAccess {
    /// Whether the CSR is written: setting or clearing the bits of x0 or of immediate 0 is a read.
    fn writes(&self) -> bool {
        let no_bits = matches!(self.source, CsrSource::Register(0) | CsrSource::Immediate(0));
        self.operation == CsrOperation::Write || !no_bits
    }
}

impl Machine {
    pub(super) fn csr(
        &mut self,
        warp: u32,
        path: &PathRecord,
        access: CsrAccess,
        given: &Given,
        out: &mut Commit,
    ) -> Result<Effect, Refusal> {
        let illegal = Refusal { cause: Fault::ILLEGAL_INSTRUCTION, lane: leader(path.mask) };
        out.rd = access.rd;
        match (access.csr, access.writes()) {
            (EXIT, true) => Ok(self.exit(warp, path, &access, out)),
            (BARRIER, true) => Ok(self.park(warp, path, &access, out)),
            (_, true) => Err(illegal),
            (csr, false) => {
                self.read_csr(warp, path, csr, out).ok_or(illegal)?;
                let volatile = matches!(csr, MCYCLE | MCYCLEH | MINSTRET | MINSTRETH);
                if let (true, Some(values)) = (volatile, given.values) {
                    fill(out, |lane| values[lane as usize]);
                }
                out.writes = access.rd != 0;
                if !out.writes {
                    out.values.fill(0);
                }
                self.threads.write(warp, access.rd, path.mask, &out.values);
                Ok(Effect { volatile: volatile && out.writes, ..Effect::advance(path) })
            }
        }
    }

    /// Puts the CSR's value into `out.values`; `None` if there is no such CSR.
    fn read_csr(&self, warp: u32, path: &PathRecord, csr: u16, out: &mut Commit) -> Option<()> {
        // The model has no clock: each commit of the core counts as one cycle.
        let commits = out.number;
        let hart = |lane| warp * self.lanes + lane;
        match csr {
            EXIT | BARRIER => {}
            MCYCLE | MINSTRET => fill(out, |_| commits as u32),
            MCYCLEH | MINSTRETH => fill(out, |_| (commits >> 32) as u32),
            THREADS => fill(out, |_| self.lanes),
            WARPS => fill(out, |_| self.warps),
            MASK => fill(out, |_| path.mask as u32),
            MASKH => fill(out, |_| (path.mask >> 32) as u32),
            STACK_END => fill(out, |lane| self.memory.stacks().end(hart(lane))),
            MHARTID => fill(out, hart),
            _ => return None,
        }
        Some(())
    }

    /// Ends the threads of the path. The exit code is what the CSR, which reads zero, would get.
    fn exit(&mut self, warp: u32, path: &PathRecord, access: &CsrAccess, out: &mut Commit) -> Effect {
        match (access.operation, access.source) {
            (CsrOperation::Clear, _) => {}
            (_, CsrSource::Immediate(code)) => fill(out, |_| u32::from(code)),
            (_, CsrSource::Register(rs1)) => {
                let codes = self.threads.row(warp, rs1);
                fill(out, |lane| codes[lane as usize]);
            }
        }
        out.writes = true;
        self.threads.clear(warp, access.rd, path.mask);
        self.threads.exit(warp, path.mask, &out.values);
        self.live -= path.mask.count_ones();
        Effect::default()
    }

    /// Sends the threads of the path to the barrier.
    fn park(&mut self, warp: u32, path: &PathRecord, access: &CsrAccess, out: &mut Commit) -> Effect {
        out.writes = access.rd != 0;
        self.threads.clear(warp, access.rd, path.mask);
        self.parked += path.mask.count_ones();
        let a = PathRecord { pc: path.pc.wrapping_add(4), parked: true, ..*path };
        Effect { next: Next { a: Some(a), b: None }, ..Effect::default() }
    }
}
