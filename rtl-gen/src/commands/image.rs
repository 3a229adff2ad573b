//! `weft image`: the memory that a program needs.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sim::Program;
use testbench::reconvergence::reconvergence_table;
use weft_config::Config;

use super::config::resolve;
use super::program;
use crate::Verdict;
use crate::arguments::{ImageArguments, ImageFormat};
use crate::error::RequestError;
use crate::report::{self, Report};
use crate::staging::StagedFile;

/// Bytes to which the program and the table are aligned: the longest line of an instruction cache.
const LINE: u32 = 64;

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
        bytes.resize(bytes.len().next_multiple_of(LINE as usize), 0);
        let mut image = Self { bytes, address: config.memory.base, entry: program.entry, table: None };
        let words = reconvergence_table(config, program);
        if let ([first, ..], [.., last]) = (program.code(), program.code())
            && !words.is_empty()
        {
            let code = first.start / LINE * LINE..last.end.next_multiple_of(LINE);
            image.table = Some(Table { base: config.memory.base + image.bytes.len() as u32, code: code.clone() });
            image.bytes.extend(code.step_by(4).flat_map(|pc| words.word(pc).to_le_bytes()));
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
            ImageFormat::C => image.c_array(&identifier(&arguments.out)).into_bytes(),
        };
        file.write(&contents)?;
    }
    staged.into_iter().try_for_each(StagedFile::publish)?;
    report.answer(&image.text(&targets), || image.object(&targets))
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
