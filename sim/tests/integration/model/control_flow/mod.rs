//! Reconvergence pcs of small programs.

mod barriers;
mod encoding;
mod jumps;
mod loops;
mod odd;
mod shapes;

use std::fs;
use std::process::Command;

use sim::Program;
use sim::control_flow::{Analysis, Branch, Reason, Reconvergence};

use crate::model::bench::{CODE, config};

fn analysis(words: &[u32]) -> Analysis {
    Analysis::of(&Program::from_words("test", CODE, words))
}

struct Assembled {
    labelled: Program,
    analysis: Analysis,
}

/// Assembles and links a program. Its labels are not functions unless it says so.
fn assemble(text: &str) -> Assembled {
    let labelled = link(text, &[]);
    Assembled { analysis: Analysis::of(&labelled), labelled }
}

/// Assembles a program and analyses it without symbols.
fn assemble_stripped(text: &str) -> Assembled {
    let stripped = link(text, &["-s"]);
    assert!(stripped.functions().is_empty() && stripped.locate(stripped.entry).is_none());
    Assembled { analysis: Analysis::of(&stripped), labelled: link(text, &[]) }
}

fn link(text: &str, options: &[&str]) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, elf) = (folder.path().join("p.S"), folder.path().join("p.elf"));
    fs::write(&source, format!(".globl _start\n.text\n{text}\n")).expect("a temporary file");
    let output = Command::new("riscv64-unknown-elf-gcc")
        .args(["-misa-spec=2.2", "-march=rv32ima", "-mabi=ilp32", "-nostdlib", "-Wl,-Ttext=0x80000000", "-Wl,-n"])
        .args(options)
        .arg(&source)
        .arg("-o")
        .arg(&elf)
        .output()
        .expect("riscv64-unknown-elf-gcc must be installed: apt-get install gcc-riscv64-unknown-elf");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Program::load("p.elf", &fs::read(&elf).expect("the linked program"), &config(1, 1)).expect("it is good")
}

impl Assembled {
    fn pc(&self, label: &str) -> u32 {
        self.labelled.symbol(label).unwrap_or_else(|| panic!("no label {label}"))
    }

    fn branch(&self, label: &str) -> &Branch {
        let pc = self.pc(label);
        let found = self.analysis.branches().iter().find(|branch| branch.pc == pc);
        found.unwrap_or_else(|| panic!("no branch at {label}"))
    }

    /// Asserts that threads that diverge at a label reconverge at another label.
    #[track_caller]
    fn at(&self, label: &str, together: &str) {
        let expected = Reconvergence::At(self.pc(together));
        assert_eq!(self.branch(label).together, Ok(expected), "{label} at {together}");
        assert_eq!(self.analysis.table().at(self.pc(label)), expected);
    }

    /// Asserts that they reconverge at the return.
    #[track_caller]
    fn at_return(&self, label: &str) {
        assert_eq!(self.branch(label).together, Ok(Reconvergence::Return), "{label}");
        assert_eq!(self.analysis.table().at(self.pc(label)), Reconvergence::Return);
    }

    /// Asserts that the point is unknown, with this reason.
    #[track_caller]
    fn unknown(&self, label: &str, reason: impl Fn(u32) -> Reason, place: &str) {
        assert_eq!(self.branch(label).together, Err(reason(self.pc(place))), "{label}");
        assert_eq!(self.analysis.table().at(self.pc(label)), Reconvergence::Unknown);
    }

    /// First addresses of the successors of a label's block.
    fn successors(&self, label: &str) -> Vec<u32> {
        let mut successors = self.analysis.block_of(self.pc(label)).expect("a block").successors.clone();
        successors.sort_unstable();
        successors
    }

    fn pcs(&self, labels: &[&str]) -> Vec<u32> {
        let mut pcs: Vec<u32> = labels.iter().map(|label| self.pc(label)).collect();
        pcs.sort_unstable();
        pcs
    }
}
