//! Programs: ELF files of bare-metal RV32, checked against the memory map before a run.

mod error;
mod lines;
mod load;
mod sections;

use std::ops::Range;
use std::sync::Arc;

pub use error::ElfError;
use error::Problem;

/// A contiguous range of a program in memory, including zero-initialised bytes at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub address: u32,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name in messages: usually the path of the file.
    pub name: String,
    /// The pc at which every thread starts.
    pub entry: u32,
    pub segments: Vec<Segment>,
    symbols: Symbols,
    sections: Sections,
    /// The sections of debug information, by name.
    debug: Arc<[(String, Vec<u8>)]>,
}

/// Names of addresses. A stripped program has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Symbols {
    all: Vec<(u32, String)>,
    functions: Vec<Function>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    pub address: u32,
    /// Its length in bytes from the symbol; 0 if the symbol gives none.
    pub bytes: u32,
    pub name: String,
}

/// Address ranges, sorted by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sections {
    code: Vec<Range<u32>>,
    writable: Vec<Range<u32>>,
    /// The sections `.weft.stack`.
    stacks: Vec<Range<u32>>,
}

impl Program {
    /// A program of instruction words from `address`, which is also its entry. It has no symbols.
    pub fn from_words(name: &str, address: u32, words: &[u32]) -> Self {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let code = address..address + bytes.len() as u32;
        Self {
            name: name.into(),
            entry: address,
            segments: vec![Segment { address, bytes }],
            symbols: Symbols::default(),
            sections: Sections { code: vec![code], ..Sections::default() },
            debug: Arc::new([]),
        }
    }

    pub fn with_symbol(mut self, name: &str, address: u32) -> Self {
        let place = self.symbols.all.partition_point(|(other, _)| *other <= address);
        self.symbols.all.insert(place, (address, name.into()));
        self
    }

    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.all.iter().find(|(_, symbol)| symbol == name).map(|(address, _)| *address)
    }

    /// The nearest symbol at or below `address`, and the distance from it in bytes.
    pub fn locate(&self, address: u32) -> Option<(&str, u32)> {
        let after = self.symbols.all.partition_point(|(start, _)| *start <= address);
        let (start, name) = self.symbols.all[..after].last()?;
        Some((name, address - start))
    }

    /// An address with its symbol and offset, for reports.
    pub fn place(&self, address: u32) -> String {
        match self.locate(address) {
            Some((symbol, 0)) => format!("{address:#010x} <{symbol}>"),
            Some((symbol, offset)) => format!("{address:#010x} <{symbol}+{offset:#x}>"),
            None => format!("{address:#010x}"),
        }
    }

    /// [`Program::place`] with the source line, if the program has debug information.
    pub fn source(&self, address: u32) -> String {
        let place = self.place(address);
        self.line(address).map_or(place.clone(), |line| format!("{place} ({line})"))
    }

    pub fn functions(&self) -> &[Function] {
        &self.symbols.functions
    }

    /// Address ranges of instructions, sorted, without overlaps: the executable sections, or the executable segments
    /// if there are no sections.
    pub fn code(&self) -> &[Range<u32>] {
        &self.sections.code
    }

    /// Memory that threads may use as stacks besides their own: the sections `.weft.stack`.
    pub fn stacks(&self) -> &[Range<u32>] {
        &self.sections.stacks
    }

    /// The loaded word at an address; `None` outside the segments.
    pub fn word(&self, address: u32) -> Option<u32> {
        let bytes = self.segments.iter().find_map(|segment| {
            let offset = address.checked_sub(segment.address)? as usize;
            segment.bytes.get(offset..offset.checked_add(4)?)
        })?;
        Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    /// The loaded word at an address, unless it is writable according to the sections or segments.
    pub fn constant(&self, address: u32) -> Option<u32> {
        let writable = self.sections.writable.iter().any(|range| range.contains(&address));
        self.word(address).filter(|_| !writable)
    }

    /// Address of the `tohost` word, through which riscv-tests report.
    pub fn tohost(&self) -> Option<u32> {
        self.symbol("tohost")
    }

    /// The address range from `begin_signature` to `end_signature`, as in riscv-arch-test. `None` if a symbol is
    /// missing or the order is wrong.
    pub fn signature(&self) -> Option<Range<u32>> {
        let range = self.symbol("begin_signature")?..self.symbol("end_signature")?;
        (range.start <= range.end).then_some(range)
    }
}
