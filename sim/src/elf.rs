//! Programs: ELF files of bare-metal RV32.

use std::ops::Range;

use thiserror::Error;
use weft_config::Config;

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
    /// Symbols by address, then by name.
    symbols: Vec<(u32, String)>,
}

/// Why a file cannot be run on the configured core.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ElfError {
    /// No bytes at all.
    #[error("{name}: the file is empty; expected a 32-bit RISC-V ELF executable")]
    Empty {
        /// The program.
        name: String,
    },
}

impl Program {
    /// Reads an ELF file of `bytes` that error messages call `name`, for the memory map of `config`.
    pub fn load(name: &str, bytes: &[u8], _config: &Config) -> Result<Self, ElfError> {
        if bytes.is_empty() {
            return Err(ElfError::Empty { name: name.into() });
        }
        Ok(Self {
            name: name.into(),
            entry: 0,
            segments: Vec::new(),
            symbols: Vec::new(),
        })
    }

    /// Address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols
            .iter()
            .find(|(_, symbol)| symbol == name)
            .map(|(address, _)| *address)
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

    /// The bytes from `begin_signature` to `end_signature`, as in riscv-arch-test.
    pub fn signature(&self) -> Option<Range<u32>> {
        Some(self.symbol("begin_signature")?..self.symbol("end_signature")?)
    }
}
