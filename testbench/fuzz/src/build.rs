//! Builds an ELF file from assembler text with binutils.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tools::{Tool, ToolError};
use weft_config::{Isa, extension};

const SOURCE: &str = "program.S";
const OBJECT: &str = "program.o";
const EXECUTABLE: &str = "program.elf";
pub const LAYOUT: &str = "program.ld";

/// The linker script: RAM from its start, without the headers of the file.
pub const LAYOUT_TEXT: &str = "\
SECTIONS { . = 0x80000000; .text : { *(.text) } .rodata : { *(.rodata) } .data : { *(.data) } .bss : { *(.bss) } }\n";

/// The extensions that binutils 2.40 supports. Instructions of other extensions are written as words.
pub const KNOWN: Isa = Isa::ALL.without(&extension::ZICOND);
/// Options of the assembler: all [extensions that it supports](KNOWN).
pub const ASSEMBLE: &[&str] = &["-march=rv32ima_zicsr_zifencei_zihintpause_zba_zbb", "-mabi=ilp32", "-mno-relax"];
pub const LINK: &[&str] = &["-m", "elf32lriscv", "--no-relax", "-T", LAYOUT];

#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("{0}")]
    Text(String),
    /// A file could not be read or written, or a program could not be started.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> AssembleError {
    move |source| AssembleError::Io { path: path.into(), source }
}

pub struct Assembler {
    assembler: PathBuf,
    linker: PathBuf,
    objcopy: PathBuf,
    folder: tempfile::TempDir,
}

impl Assembler {
    pub fn find() -> Result<Self, AssembleError> {
        let compiler = tools::find(Tool::RiscvGcc)?;
        let program = |name: &str| -> Result<PathBuf, AssembleError> {
            let asked = format!("-print-prog-name={name}");
            let said = Command::new(&compiler).arg(&asked).output().map_err(at(&compiler))?.stdout;
            match String::from_utf8_lossy(&said).trim() {
                "" => Err(tools::broken(Tool::RiscvGcc, &compiler, &format!("{asked}: no answer")).into()),
                program => Ok(PathBuf::from(program)),
            }
        };
        let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
        let layout = folder.path().join(LAYOUT);
        fs::write(&layout, LAYOUT_TEXT).map_err(at(&layout))?;
        Ok(Self { assembler: program("as")?, linker: program("ld")?, objcopy: program("objcopy")?, folder })
    }

    pub fn elf(&self, text: &str) -> Result<Vec<u8>, AssembleError> {
        self.link(text, LINK)?;
        self.read(EXECUTABLE)
    }

    /// The bytes of a text, whose sections are consecutive from `base`.
    pub fn binary(&self, text: &str, base: u32) -> Result<Vec<u8>, AssembleError> {
        let base = format!("{base:#x}");
        self.link(text, &["-m", "elf32lriscv", "--no-relax", "-Ttext", &base])?;
        self.run(&self.objcopy, &["-O", "binary", EXECUTABLE, OBJECT])?;
        self.read(OBJECT)
    }

    fn link(&self, text: &str, options: &[&str]) -> Result<(), AssembleError> {
        let source = self.folder.path().join(SOURCE);
        fs::write(&source, text).map_err(at(&source))?;
        self.run(&self.assembler, &[ASSEMBLE, &[SOURCE, "-o", OBJECT]].concat())?;
        self.run(&self.linker, &[options, &[OBJECT, "-o", EXECUTABLE]].concat())
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, AssembleError> {
        let path = self.folder.path().join(name);
        fs::read(&path).map_err(at(&path))
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Result<(), AssembleError> {
        let output = Command::new(program).current_dir(self.folder.path()).env("LC_ALL", "C").args(arguments).output();
        let Output { status, stderr, .. } = output.map_err(at(program))?;
        if status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&stderr).trim_end().to_owned();
        Err(AssembleError::Text(if said.is_empty() { format!("{}: {status}", program.display()) } else { said }))
    }
}
