//! Loads and stores: checks of all active lanes first, then one group of lanes.

use weft_trace::{Commit, MemoryOp, PathRecord};

use super::group::Access;
use super::{Effect, Machine, Refusal};
use crate::Fault;
use crate::decode::{Register, Width};
use crate::memory::CONSOLE;

/// A load's size and extension.
#[derive(Clone, Copy)]
pub(super) struct LoadKind {
    pub width: Width,
    pub signed: bool,
}

impl Machine {
    pub(super) fn load(
        &mut self,
        warp: u32,
        path: &PathRecord,
        kind: LoadKind,
        (rd, rs1, offset): (Register, Register, u32),
        out: &mut Commit,
    ) -> Result<Effect, Refusal> {
        self.address(warp, rs1, offset);
        let causes = (Fault::LOAD_MISALIGNED, Fault::LOAD_ACCESS);
        self.check(path.mask, kind.width, causes)?;
        let access = Access { addresses: &self.addresses, mask: path.mask };
        out.served = access.load_group();
        out.rd = rd;
        if self.addresses[access.leader()] == CONSOLE {
            out.writes = rd != 0;
            self.threads.write(warp, rd, out.served, &out.values);
            return Ok(Effect::serve(path, out.served));
        }
        out.memory = MemoryOp::Load;
        out.memory_address = access.line();
        for (lane, value) in out.values.iter_mut().enumerate() {
            if out.served >> lane & 1 == 1 {
                let address = self.addresses[lane];
                *value = extract(self.memory.word(address), address, kind);
            }
        }
        self.threads.write(warp, rd, out.served, &out.values);
        Ok(Effect { late: rd != 0, ..Effect::serve(path, out.served) })
    }

    pub(super) fn store(
        &mut self,
        warp: u32,
        path: &PathRecord,
        width: Width,
        (rs1, rs2, offset): (Register, Register, u32),
        out: &mut Commit,
    ) -> Result<Effect, Refusal> {
        self.address(warp, rs1, offset);
        let causes = (Fault::STORE_MISALIGNED, Fault::STORE_ACCESS);
        self.check(path.mask, width, causes)?;
        let access = Access { addresses: &self.addresses, mask: path.mask };
        let leader = access.leader();
        out.served = match width {
            Width::Word => access.word_store_group(),
            Width::Byte | Width::Half => 1 << leader,
        };
        let data = self.threads.row(warp, rs2);
        if self.addresses[leader] == CONSOLE {
            out.memory = MemoryOp::Console;
            out.memory_address = CONSOLE;
            out.memory_data[0] = data[leader] & 0xff;
            out.memory_mask[0] = 1;
            return Ok(Effect::serve(path, out.served));
        }
        out.memory = MemoryOp::Store;
        out.memory_address = access.line();
        // The highest lane comes last and wins: the leader, which alone may hit another lane's
        // word, is the lowest.
        for lane in (0..self.addresses.len()).filter(|lane| out.served >> lane & 1 == 1) {
            let address = self.addresses[lane];
            let shift = 8 * (address & 3);
            let bytes = match width {
                Width::Byte => 0b1,
                Width::Half => 0b11,
                Width::Word => 0b1111,
            };
            let place = (address - out.memory_address) as usize;
            out.memory_mask[place / 64] |= bytes << (place % 64);
            out.memory_data[place / 4] = data[lane] << shift;
        }
        let tohost = self.perform_store(out);
        Ok(Effect { tohost, ..Effect::serve(path, out.served) })
    }

    /// Writes the masked bytes of the line; gives the `tohost` word if they touch it and leave it
    /// non-zero.
    fn perform_store(&mut self, out: &Commit) -> Option<u32> {
        let mut touched = None;
        for (index, &data) in out.memory_data.iter().enumerate() {
            let bytes = out.memory_mask[index / 16] >> (4 * (index % 16)) & 0b1111;
            if bytes != 0 {
                let address = out.memory_address + 4 * index as u32;
                self.memory.write_masked(address, data, bytes as u8);
                if self.tohost == Some(address) {
                    touched = Some(self.memory.word(address));
                }
            }
        }
        touched.filter(|value| *value != 0)
    }

    /// Computes every lane's address.
    fn address(&mut self, warp: u32, rs1: Register, offset: u32) {
        for (address, base) in self.addresses.iter_mut().zip(self.threads.row(warp, rs1)) {
            *address = base.wrapping_add(offset);
        }
    }

    /// Refuses the access of the lowest active lane that is misaligned or, if aligned, outside the
    /// memory map.
    fn check(&self, mask: u64, width: Width, causes: (u8, u8)) -> Result<(), Refusal> {
        let (misaligned, outside) = causes;
        for (lane, &address) in (0..).zip(&self.addresses) {
            if mask >> lane & 1 == 0 {
                continue;
            }
            if address & (width.bytes() - 1) != 0 {
                return Err(Refusal { cause: misaligned, lane });
            }
            if !self.memory.contains(address) && address != CONSOLE {
                return Err(Refusal { cause: outside, lane });
            }
        }
        Ok(())
    }
}

/// The addressed part of a word, extended to 32 bits.
fn extract(word: u32, address: u32, kind: LoadKind) -> u32 {
    let part = word >> (8 * (address & 3));
    match (kind.width, kind.signed) {
        (Width::Byte, true) => part as i8 as u32,
        (Width::Byte, false) => u32::from(part as u8),
        (Width::Half, true) => part as i16 as u32,
        (Width::Half, false) => u32::from(part as u16),
        (Width::Word, _) => part,
    }
}
