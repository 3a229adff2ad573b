//! `weft image`: the memory that a program needs.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cores::control::TABLE_LINE;
use serde_json::{Value, json};
use sim::Program;
use testbench::reconvergence::StoredTable;
use weft_config::Config;

use super::config::resolve;
use super::program;
use crate::Verdict;
use crate::arguments::{ImageArguments, ImageFormat};
use crate::error::RequestError;
use crate::report::{self, Report};
use crate::staging::StagedFile;

/// The contents of RAM from its first address on.
struct Image {
    bytes: Vec<u8>,
    /// Of the first byte.
    address: u32,
    entry: u32,
    table: Option<Table>,
}

/// Where the reconvergence table is, as the registers of a control port have it.
struct Table {
    base: u32,
    /// The instructions that it covers.
    code: Range<u32>,
}

impl Image {
    fn of(config: &Config, program: &Program) -> Self {
        let mut bytes = Vec::new();
        for segment in &program.segments {
            let at = (segment.address - config.memory.base) as usize;
            bytes.resize(bytes.len().max(at + segment.bytes.len()), 0);
            bytes[at..at + segment.bytes.len()].copy_from_slice(&segment.bytes);
        }
        bytes.resize(bytes.len().next_multiple_of(TABLE_LINE as usize), 0);
        let mut image = Self { bytes, address: config.memory.base, entry: program.entry, table: None };
        if let Some(StoredTable { code, words }) = StoredTable::of(config, program) {
            image.table = Some(Table { base: config.memory.base + image.bytes.len() as u32, code });
            image.bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
        }
        image
    }

    fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.bytes.chunks(4).map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
    }

    fn bank(&self, number: usize, banks: usize) -> String {
        self.words().skip(number).step_by(banks).map(|word| format!("{word:08x}\n")).collect()
    }

    fn c_array(&self, name: &str) -> String {
        let rows: String = self
            .bytes
            .chunks(16)
            .map(|row| row.iter().map(|byte| format!("{byte:#04x},")).collect::<Vec<_>>().join(" "))
            .map(|row| format!("    {row}\n"))
            .collect();
        let address = self.address;
        let (base, first, size) =
            self.table.as_ref().map_or((0, 0, 0), |table| (table.base, table.code.start, table.code.len()));
        format!(
            "/* The memory of a program, from {address:#x} on; its entry; its reconvergence table, if it has one. */\n\
             enum {{\n    {name}_bytes = {},\n    {name}_table_bytes = {size}\n}};\n\
             static const unsigned {name}_address = {address:#x}u, {name}_entry = {:#x}u;\n\
             static const unsigned {name}_table_base = {base:#x}u, {name}_table_first = {first:#x}u;\n\
             static const unsigned char {name}[] = {{\n{rows}}};\n",
            self.bytes.len(),
            self.entry,
        )
    }

    fn text(&self, files: &[PathBuf]) -> String {
        let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let table = self.table.as_ref().map_or_else(String::new, |Table { base, code }| {
            format!(", table_base {base:#010x}, table_first {:#010x}, table_bytes {}", code.start, code.len())
        });
        format!(
            "{}: {} bytes from {:#010x}, entry {:#010x}{table}",
            names.join(", "),
            self.bytes.len(),
            self.address,
            self.entry
        )
    }

    fn object(&self, files: &[PathBuf]) -> Value {
        let table = self
            .table
            .as_ref()
            .map(|Table { base, code }| json!({ "base": base, "first": code.start, "bytes": code.len() }));
        json!({
            "files": files.iter().map(|file| report::path(file)).collect::<Vec<_>>(),
            "address": self.address, "bytes": self.bytes.len(), "entry": self.entry, "table": table,
        })
    }
}

pub fn image(arguments: &ImageArguments, report: &Report) -> anyhow::Result<Verdict> {
    let (format, banks) = (arguments.format, arguments.banks as usize);
    if banks > 1 && format != ImageFormat::Hex {
        return Err(RequestError::new("usage", "--banks needs --format hex").into());
    }
    let config = resolve(&arguments.config)?;
    let program = program::load(&arguments.program, &config)?;
    let targets: Vec<PathBuf> = match banks {
        1 => vec![arguments.out.clone()],
        _ => (0..banks).map(|bank| bank_file(&arguments.out, bank)).collect(),
    };
    let staged: Vec<StagedFile> =
        targets.iter().map(|target| StagedFile::prepare("--out", target)).collect::<Result<_, _>>()?;
    staged.iter().try_for_each(|file| file.differs_from(&arguments.program, "the program itself"))?;
    let image = Image::of(&config, &program);
    for (bank, file) in staged.iter().enumerate() {
        let contents = match format {
            ImageFormat::Bin => image.bytes.clone(),
            ImageFormat::Hex => image.bank(bank, banks).into_bytes(),
            ImageFormat::Elf => with_table(fs::read(&arguments.program)?, &image),
            ImageFormat::C => image.c_array(&identifier(&arguments.out)).into_bytes(),
        };
        file.write(&contents)?;
    }
    staged.into_iter().try_for_each(StagedFile::publish)?;
    report.answer(&image.text(&targets), || image.object(&targets))
}

/// Type of the segment with the reconvergence table, which the drivers know. Its virtual address is that of the table, its
/// physical address the pc of the first entry.
const TABLE_SEGMENT: u32 = 0x6000_5754;

/// A program with its table in a further segment. The headers of the segments move to the end of the file.
fn with_table(mut elf: Vec<u8>, image: &Image) -> Vec<u8> {
    let Some(Table { base, code }) = &image.table else { return elf };
    let half = |elf: &[u8], at: usize| usize::from(u16::from_le_bytes([elf[at], elf[at + 1]]));
    let headers = u32::from_le_bytes(elf[28..32].try_into().expect("four bytes")) as usize;
    let (header_bytes, count) = (half(&elf, 42), half(&elf, 44));
    let old = elf[headers..headers + header_bytes * count].to_vec();
    elf.resize(elf.len().next_multiple_of(TABLE_LINE as usize), 0);
    let (at, size) = (elf.len() as u32, code.len() as u32);
    elf.extend(&image.bytes[(base - image.address) as usize..]);
    let moved = elf.len() as u32;
    elf.extend(old);
    let header = [TABLE_SEGMENT, at, *base, code.start, size, size, 4, TABLE_LINE];
    elf.extend(header.into_iter().flat_map(u32::to_le_bytes));
    elf[28..32].copy_from_slice(&moved.to_le_bytes());
    elf[44..46].copy_from_slice(&(count as u16 + 1).to_le_bytes());
    elf
}

/// The name of a file with the number of a bank before its extension.
fn bank_file(file: &Path, bank: usize) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let extension = file.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
    file.with_file_name(format!("{stem}_{bank}{extension}"))
}

/// A name in C from that of a file.
fn identifier(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { name } else { format!("image_{name}") }
}
