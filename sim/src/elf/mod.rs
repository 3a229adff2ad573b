//! Programs: ELF files of bare-metal RV32, checked against the memory map before a run.

mod error;
mod load;

use std::ops::Range;

pub use error::ElfError;

/// A contiguous piece of a program in memory, its zero-initialised end included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Address of the first byte.
    pub address: u32,
    /// Contents.
    pub bytes: Vec<u8>,
}

/// A program, checked to fit the memory map of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What messages call it: usually the path it was read from.
    pub name: String,
    /// Where every thread starts.
    pub entry: u32,
    /// What to load.
    pub segments: Vec<Segment>,
    /// Symbols by address.
    symbols: Vec<(u32, String)>,
}

impl Program {
    /// A program of instruction words from `address`, its entry, without symbols.
    pub fn from_words(name: &str, address: u32, words: &[u32]) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Self { name: name.into(), entry: address, segments: vec![Segment { address, bytes }], symbols: Vec::new() }
    }

    /// The same program with one more symbol.
    pub fn with_symbol(mut self, name: &str, address: u32) -> Self {
        let place = self.symbols.partition_point(|(other, _)| *other <= address);
        self.symbols.insert(place, (address, name.into()));
        self
    }

    /// Address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.iter().find(|(_, symbol)| symbol == name).map(|(address, _)| *address)
    }

    /// The nearest symbol at or below `address`, and the distance from it in bytes.
    pub fn locate(&self, address: u32) -> Option<(&str, u32)> {
        let after = self.symbols.partition_point(|(start, _)| *start <= address);
        let (start, name) = self.symbols[..after].last()?;
        Some((name, address - start))
    }

    /// Address of the `tohost` word, by which riscv-tests report.
    pub fn tohost(&self) -> Option<u32> {
        self.symbol("tohost")
    }

    /// The bytes from `begin_signature` to `end_signature`, as in riscv-arch-test; `None` if a
    /// symbol is missing or they are in the wrong order.
    pub fn signature(&self) -> Option<Range<u32>> {
        let range = self.symbol("begin_signature")?..self.symbol("end_signature")?;
        (range.start <= range.end).then_some(range)
    }
}
