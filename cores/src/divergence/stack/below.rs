//! The rows below the top: the next row of each warp is in LUT RAM, the rows under it are in banks of block RAM or
//! LUT RAM.
//!
//! A pop uncovers the next row. S8 needs it at the start of the cycle, before a block RAM answers. So S7 reads it
//! from LUT RAM into a register, as it does the top row. In parallel S7 reads the row below from its bank.
//!
//! At a pop, that row is written to LUT RAM at the end of S8. This is in time, because the warp's next instruction is
//! in S7 then at the earliest. A push writes the covered row from S8's register to its bank. So each row is stored
//! once. There is no bank if a warp has at most one row below its top.

use rtl::{Builder, Expr, Memory, MemoryStyle, clog2, join, lit, ones, zeros};

use crate::divergence::Storage;
use crate::divergence::watch::Watch;
use crate::shape::Shape;

#[derive(Clone, Copy)]
pub struct Size {
    pub bits: usize,
    /// Rows of a warp below its top row.
    pub rows: usize,
    /// Most rows that one instruction pushes, 1 or 2. With 2 there are two banks, and row n is in bank n mod 2.
    pub at_once: usize,
    /// The kind of the banks, `BlockUnordered` or `Distributed`.
    pub style: MemoryStyle,
}

impl Size {
    pub fn height_bits(&self) -> usize {
        clog2(self.rows + 1)
    }

    /// Names of the banks; empty if there is no row under the next.
    fn banks(&self) -> &'static [&'static str] {
        let names: &[&str] = if self.at_once == 1 { &["rows"] } else { &["rows_even", "rows_odd"] };
        &names[..names.len().min(self.rows.saturating_sub(1))]
    }

    /// Bits of a row's number in its bank. LUT RAM has just the rows under the next; block RAM is large enough.
    fn row_bits(&self) -> usize {
        match self.style {
            MemoryStyle::Distributed => clog2(self.rows - 1),
            _ => self.height_bits() - clog2(self.at_once),
        }
    }

    pub fn storage(&self, warps: usize) -> Vec<Storage> {
        let nexts = (self.rows > 0).then_some(Storage { name: "nexts", words: warps, bits: self.bits });
        let bank = |name: &&'static str| Storage { name, words: warps << self.row_bits(), bits: self.bits };
        nexts.into_iter().chain(self.banks().iter().map(bank)).collect()
    }
}

/// The change that an instruction makes to the rows.
pub struct Step<'a> {
    pub pops: &'a Expr,
    pub pushes: &'a Expr,
    pub pushed: &'a Expr,
    /// If two rows can be pushed: whether this push has two, and the row under the next.
    pub two: Option<[&'a Expr; 2]>,
}

/// The tables, and the rows that S8 has read from them.
pub struct Below {
    size: Size,
    height: Expr,
    nexts: Option<Memory>,
    banks: Vec<Memory>,
    /// The next row of the warp in S7, and in S8.
    pub next_s7: Expr,
    pub next: Expr,
    under: Vec<Expr>,
}

impl Below {
    /// Declares the tables of all warps, read for the warp in S7. The heights are its number of rows in S7 and in S8.
    pub fn declare(m: &Builder, shape: &Shape, size: Size, warp_s7: &Expr, [height_s7, height]: [&Expr; 2]) -> Self {
        let (height, next) = (height.clone(), zeros(size.bits));
        let none =
            Self { size, height, nexts: None, banks: Vec::new(), next_s7: next.clone(), next, under: Vec::new() };
        if size.rows == 0 {
            return none;
        }
        m.comment("Read in S7: the next row, and the row under it, which is next after a pop.");
        let nexts = m.memory("nexts", shape.warps, size.bits, MemoryStyle::Distributed);
        let next_s7 = nexts.read("next_read", warp_s7);
        let next = m.delay("next_s8", &next_s7);
        let mut below = Self { nexts: Some(nexts), next_s7, next, ..none };
        if !size.banks().is_empty() {
            let deeper = lit(height_s7.width(), m.fault("a_popped_row_is_next_again", &2, &1));
            let under = m.wire("under_next_s7", &(height_s7 - deeper));
            let address = below.address(&under, warp_s7);
            for name in size.banks() {
                let words = shape.warps << size.row_bits();
                let bank = m.memory(name, words, size.bits, size.style);
                let read = format!("{name}_read");
                below.under.push(match size.style {
                    MemoryStyle::Distributed => m.delay(&format!("{name}_s8"), &bank.read(&read, &address)),
                    _ => bank.read_registered(&read, &address),
                });
                below.banks.push(bank);
            }
        }
        below
    }

    /// The address of a warp's row in its bank.
    fn address(&self, row: &Expr, warp: &Expr) -> Expr {
        join([&row.slice(clog2(self.size.at_once), self.size.row_bits()), warp])
    }

    fn under(&self) -> Expr {
        match self.under.as_slice() {
            [] => zeros(self.size.bits),
            [one] => one.clone(),
            [even, odd, ..] => self.height.bit(0).mux(odd, even),
        }
    }

    pub fn is_one(&self) -> Expr {
        if self.size.rows == 0 { zeros(1) } else { self.height.is(1) }
    }

    pub fn height_after(&self, step: &Step) -> Expr {
        let width = self.height.width();
        if width == 0 {
            return zeros(0);
        }
        let pushed = match step.two {
            Some([pushes_two, _]) => join([&(step.pushes & !pushes_two), pushes_two]),
            None => step.pushes.clone(),
        };
        &self.height + step.pops.mux(&ones(width), &pushed.extend(width))
    }

    /// Writes the change of an instruction, if `valid`.
    pub fn write(&self, m: &Builder, valid: &Expr, warp: &Expr, step: &Step) {
        let Some(nexts) = &self.nexts else { return };
        let moves = m.wire("next_moves", &(valid & (step.pops | step.pushes)));
        let uncovered = m.fault("no_row_moves_up_at_a_pop", &self.under(), &self.next);
        nexts.write(&moves, warp, &step.pops.mux(&uncovered, step.pushed));
        if self.banks.is_empty() {
            return;
        }
        let covers = match self.size.style {
            MemoryStyle::Distributed => valid & step.pushes & self.height.any(),
            // A push without a row to cover writes too, to an address that no row uses.
            _ => valid & step.pushes,
        };
        let covers = m.fault("a_push_loses_the_covered_row", &covers, &zeros(1));
        let covers = m.wire("next_is_covered", &covers);
        let covered = m.wire("covered_row", &(&self.height - lit(self.height.width(), 1)));
        let Some([pushes_two, second]) = step.two else {
            self.banks[0].write(&covers, &self.address(&covered, warp), &self.next);
            return;
        };
        let adds = m.wire("row_is_added", &(valid & pushes_two));
        let is_odd = self.height.bit(0);
        for (bank, is_covered) in self.banks.iter().zip([is_odd.clone(), !is_odd]) {
            let row = is_covered.mux(&covered, &self.height);
            bank.write(&is_covered.mux(&covers, &adds), &self.address(&row, warp), &is_covered.mux(&self.next, second));
        }
    }

    /// For proofs: asserts that S8 has read the rows of the watched warp, unless that is `past`. Returns the warp's
    /// rows before this cycle, the bottom one first.
    pub fn state(&self, Watch { m, at, .. }: &Watch, height: &Expr, past: &Expr) -> Vec<Expr> {
        let Some(nexts) = &self.nexts else { return Vec::new() };
        let next = m.wire("next_watched_now", &nexts.inspect("next_watched", &at.warp));
        m.assert("s8_has_the_next_row", &(past | height.none() | self.next.eq(&next)));
        let mut rows: Vec<Expr> = (0..self.size.rows - 1)
            .map(|row| {
                let address = self.address(&lit(height.width(), row as u64), &at.warp);
                let stored = self.banks[row % self.banks.len()].inspect(&format!("row_{row}_watched"), &address);
                let same = !height.is(row as u64 + 2) | self.under().eq(&stored);
                m.assert(&format!("s8_has_row_{row}_under_the_next"), &(past | same));
                height.is(row as u64 + 1).mux(&next, &stored)
            })
            .collect();
        rows.push(next);
        rows
    }
}
