//! Loads and stores: all active lanes are checked first, then one group of lanes is served.

use weft_trace::MemoryOp;

use super::Machine;
use super::group::Access;
use super::lanes::{bytes_of_words, copy, each, keep, lanes_where};
use super::part::{Part, Refusal};
use crate::Fault;
use crate::decode::{Register, Width};
use crate::memory::CONSOLE;

/// A kind of access: where it may be besides RAM, and the fault causes it raises.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    misaligned: u8,
    outside: u8,
    reach: Reach,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The console, the scratchpad and windows.
    Anywhere,
    /// The scratchpad, if it has atomics.
    Atomics,
    RamAlone,
}

impl Kind {
    const LOAD: Self = Self { misaligned: Fault::LOAD_MISALIGNED, outside: Fault::LOAD_ACCESS, reach: Reach::Anywhere };
    const STORE: Self =
        Self { misaligned: Fault::STORE_MISALIGNED, outside: Fault::STORE_ACCESS, reach: Reach::Anywhere };
    /// `lr.w`
    pub(super) const RESERVE: Self = Self { reach: Reach::RamAlone, ..Self::LOAD };
    /// `sc.w`
    pub(super) const CONDITIONAL: Self = Self { reach: Reach::RamAlone, ..Self::STORE };
    /// The atomic memory operations.
    pub(super) const ATOMIC: Self = Self { reach: Reach::Atomics, ..Self::STORE };
}

impl Machine {
    /// The physical address per lane of the last memory instruction.
    pub(crate) fn addresses(&self) -> &[u32] {
        &self.addresses
    }

    pub(super) fn load(
        &mut self,
        part: &mut Part,
        (width, signed): (Width, bool),
        (rd, rs1, offset): (Register, Register, u32),
    ) -> Result<(), Refusal> {
        self.point(part, (rs1, offset), width, Kind::LOAD)?;
        if self.leads_in_scratchpad(part) {
            self.load_scratchpad(part, (width, signed), rd);
            return Ok(());
        }
        if self.leads_in_window(part) {
            self.load_window(part, (width, signed), rd);
            return Ok(());
        }
        let access = self.access(part);
        let out = &mut *part.out;
        out.served = access.load_group();
        out.rd = rd;
        if access.leaders_address() == CONSOLE {
            out.writes = rd != 0;
        } else {
            out.memory = MemoryOp::Load;
            out.memory_address = access.line();
            let line = self.memory.line(out.memory_address, self.addresses.len());
            access.choose(line, &mut out.values);
            extract((width, signed), &self.addresses, &mut out.values);
            keep(out.served, &mut out.values);
            part.late = rd != 0;
        }
        self.threads.write(part.warp, rd, part.out.served, &part.out.values);
        part.advance();
        Ok(())
    }

    pub(super) fn leads_in_scratchpad(&self, part: &Part) -> bool {
        self.scratchpad.contains(self.addresses[part.leader() as usize])
    }

    pub(super) fn access(&self, part: &Part) -> Access<'_> {
        Access { addresses: &self.addresses, mask: part.path.mask, coalescer: self.coalescer }
    }

    pub(super) fn store(
        &mut self,
        part: &mut Part,
        width: Width,
        (rs1, rs2, offset): (Register, Register, u32),
    ) -> Result<(), Refusal> {
        self.point(part, (rs1, offset), width, Kind::STORE)?;
        if self.leads_in_scratchpad(part) {
            self.store_scratchpad(part, width, rs2);
            return Ok(());
        }
        if self.leads_in_window(part) {
            self.store_window(part, width, rs2);
            return Ok(());
        }
        let access = self.access(part);
        let data = self.threads.row(part.warp, rs2);
        let address = access.leaders_address();
        let leader = part.leader();
        let out = &mut *part.out;
        out.served = 1 << leader;
        let leaders_data = data[leader as usize];
        if address == CONSOLE {
            out.memory = MemoryOp::Console;
            out.memory_address = CONSOLE;
            out.memory_data[0] = leaders_data & 0xff;
            out.memory_mask[0] = 1;
            part.advance();
            return Ok(());
        }
        out.memory = MemoryOp::Store;
        out.memory_address = access.line();
        let mut write = |lane: usize, bytes: u64| {
            let place = (access.addresses[lane] - out.memory_address) as usize;
            out.memory_mask[place / 64] |= bytes << (place % 64);
            let shift = 8 * (place % 4);
            let kept = !(u32::MAX >> (32 - 8 * bytes.count_ones()) << shift);
            let word = &mut out.memory_data[place / 4];
            *word = (*word & kept) | (data[lane] << shift & !kept);
        };
        let bytes = u64::MAX >> (64 - width.bytes());
        if access.coalescer.stores_lines() {
            out.served = access.in_line();
            // A higher lane overwrites the bytes of a lower one.
            each(out.served).for_each(|lane| write(lane, bytes));
        } else {
            write(leader as usize, bytes);
        }
        if width == Width::Word && !access.coalescer.stores_lines() {
            // The leader may write the word of a higher lane; the value of the higher lane is kept.
            let group = access.word_store_group();
            out.served = group.served();
            copy(group.own_word, data, &mut out.memory_data);
            for (quarter, mask) in out.memory_mask.iter_mut().enumerate() {
                *mask |= bytes_of_words((group.own_word >> (16 * quarter)) as u16);
            }
        }
        self.memory.write_line(out.memory_address, &out.memory_data, &out.memory_mask);
        self.written(part);
        part.advance();
        Ok(())
    }

    /// Updates the state after a transaction that wrote the bytes of its mask. It ends reservations on these bytes
    /// and reads `tohost` if it is among them.
    pub(super) fn written(&mut self, part: &mut Part) {
        let out = &*part.out;
        let touched = |word: u32| {
            let place = word.wrapping_sub(out.memory_address) as usize;
            out.memory_mask.get(place / 64).is_some_and(|mask| mask >> (place % 64) & 0b1111 != 0)
        };
        self.reservations.end(touched);
        part.tohost = self.stored_to_host(part);
    }

    /// Sets every lane's physical address, unless the access of a lane is a fault.
    pub(super) fn point(
        &mut self,
        part: &Part,
        (rs1, offset): (Register, u32),
        width: Width,
        kind: Kind,
    ) -> Result<(), Refusal> {
        // Local copies let the compiler vectorise the loop.
        let (low_bits, ram, stacks) = (width.bytes() - 1, self.memory.extent(), self.memory.stacks());
        let (mut unaligned, mut outside_ram, mut in_stacks) = (0, 0, 0);
        for (address, base) in self.addresses.iter_mut().zip(self.threads.row(part.warp, rs1)) {
            *address = base.wrapping_add(offset);
            unaligned |= *address & low_bits;
            outside_ram |= u32::from(!ram.contains(*address));
            in_stacks |= u32::from(stacks.permuted(*address));
        }
        // These lanes may be inactive, or may address the console, the scratchpad or a window.
        if unaligned | outside_ram != 0 {
            let misaligned = |address: u32| address & low_bits != 0;
            let (scratchpad, anywhere) = (&self.scratchpad, kind.reach == Reach::Anywhere);
            let banks = anywhere || (kind.reach == Reach::Atomics && scratchpad.has_atomics());
            let beside = |address: u32| {
                anywhere & ((address == CONSOLE) | self.windows.contain(address)) | banks & scratchpad.contains(address)
            };
            let outside = |address: u32| !ram.contains(address) & !beside(address);
            let refused = self.addresses.iter().map(|address| misaligned(*address) | outside(*address));
            let refused = part.path.mask & lanes_where(refused);
            if refused != 0 {
                let lowest = self.addresses[refused.trailing_zeros() as usize];
                let cause = if misaligned(lowest) { kind.misaligned } else { kind.outside };
                return Err(part.refused(cause, refused).at(lowest));
            }
        }
        if in_stacks != 0 {
            for address in &mut self.addresses {
                *address = stacks.physical(*address);
            }
        }
        Ok(())
    }
}

/// Replaces each lane's word by the addressed bytes, extended to 32 bits.
pub(super) fn extract(kind: (Width, bool), addresses: &[u32], values: &mut [u32]) {
    let mut part = |extend: fn(u32) -> u32| {
        for (value, address) in values.iter_mut().zip(addresses) {
            *value = extend(*value >> (8 * (address & 3)));
        }
    };
    match kind {
        (Width::Word, _) => {}
        (Width::Byte, true) => part(|word| word as i8 as u32),
        (Width::Byte, false) => part(|word| u32::from(word as u8)),
        (Width::Half, true) => part(|word| word as i16 as u32),
        (Width::Half, false) => part(|word| u32::from(word as u16)),
    }
}
