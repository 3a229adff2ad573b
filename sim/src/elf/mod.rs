//! Programs: ELF files of bare-metal RV32, checked against the memory map before a run.

mod error;
mod load;
mod sections;

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
    symbols: Symbols,
    sections: Sections,
}

/// Names of addresses. A stripped program has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Symbols {
    /// All, by address.
    all: Vec<(u32, String)>,
    /// Those that name functions, by address.
    functions: Vec<Function>,
}

/// A symbol that names a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    /// Address of its first instruction.
    pub address: u32,
    /// Its length in bytes, as the symbol says; 0 if it does not.
    pub bytes: u32,
    pub name: String,
}

/// Kinds of memory, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sections {
    /// With instructions.
    code: Vec<Range<u32>>,
    /// That a program may write.
    writable: Vec<Range<u32>>,
}

impl Program {
    /// A program of instruction words from `address`, its entry, without symbols.
    pub fn from_words(name: &str, address: u32, words: &[u32]) -> Self {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let code = address..address + bytes.len() as u32;
        Self {
            name: name.into(),
            entry: address,
            segments: vec![Segment { address, bytes }],
            symbols: Symbols::default(),
            sections: Sections { code: vec![code], writable: Vec::new() },
        }
    }

    /// The same program with one more symbol.
    pub fn with_symbol(mut self, name: &str, address: u32) -> Self {
        let place = self.symbols.all.partition_point(|(other, _)| *other <= address);
        self.symbols.all.insert(place, (address, name.into()));
        self
    }

    /// Address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.all.iter().find(|(_, symbol)| symbol == name).map(|(address, _)| *address)
    }

    /// The nearest symbol at or below `address`, and the distance from it in bytes.
    pub fn locate(&self, address: u32) -> Option<(&str, u32)> {
        let after = self.symbols.all.partition_point(|(start, _)| *start <= address);
        let (start, name) = self.symbols.all[..after].last()?;
        Some((name, address - start))
    }

    /// An address, and where in the program it is, as reports name it.
    pub fn place(&self, address: u32) -> String {
        match self.locate(address) {
            Some((symbol, 0)) => format!("{address:#010x} <{symbol}>"),
            Some((symbol, offset)) => format!("{address:#010x} <{symbol}+{offset:#x}>"),
            None => format!("{address:#010x}"),
        }
    }

    /// The symbols of functions, by address.
    pub fn functions(&self) -> &[Function] {
        &self.symbols.functions
    }

    /// Where instructions lie, by address, without overlaps: the executable sections, or without sections the
    /// executable segments.
    pub fn code(&self) -> &[Range<u32>] {
        &self.sections.code
    }

    /// The word at an address as it is loaded; `None` outside the segments.
    pub fn word(&self, address: u32) -> Option<u32> {
        let bytes = self.segments.iter().find_map(|segment| {
            let offset = address.checked_sub(segment.address)? as usize;
            segment.bytes.get(offset..offset.checked_add(4)?)
        })?;
        Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    /// The same, if no store that keeps to the program's sections or segments changes it.
    pub fn constant(&self, address: u32) -> Option<u32> {
        let writable = self.sections.writable.iter().any(|range| range.contains(&address));
        self.word(address).filter(|_| !writable)
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
