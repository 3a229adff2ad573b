//! Extensions that only compute rd from rs1 and rs2, or from rs1 and a constant. One file for each gives encodings,
//! names and results.

#[cfg(test)]
mod example;
mod m;

use std::fmt;
use std::hash::{Hash, Hasher};

use weft_config::Extension;

use super::{Instruction, Operands};

/// The operands of an instruction, as in its assembly text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `name rd, rs1, rs2`
    Registers,
    /// `name rd, rs1, amount`
    Amount,
    /// `name rd, rs1`
    One,
}

/// The unit that computes the result in hardware. It decides when the result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The lanes: S7 writes the result.
    Lanes,
    /// The multiplier of each lane: its result has long latency.
    Multiplier,
    /// The one divider of the core: its result has long latency.
    Divider,
}

pub struct Computation {
    pub name: &'static str,
    pub extension: Extension,
    pub form: Form,
    pub unit: Unit,
    /// The encoding with 0 in the fields of the registers and of the shift amount.
    word: u32,
    /// Computes the result from rs1 and from rs2, the shift amount, or 0.
    pub compute: fn(u32, u32) -> u32,
}

impl PartialEq for Computation {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Computation {}

impl Hash for Computation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Computation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! declare {
    (beyond_the_lanes $_others:tt in_the_lanes { $($module:ident: $_descriptor:ident),* }) => {
        $(mod $module;)*

        const COMPUTATIONS: &[&[Computation]] = &[m::COMPUTATIONS, $($module::COMPUTATIONS),*];
    };
}
weft_config::extensions!(declare);

/// The bits of rd and rs1. Those of rs2 are included where rs2 is an operand.
const RD_AND_RS1: u32 = 0x000f_8f80;
const RS2: u32 = 0x01f0_0000;

pub(super) fn decode(word: u32) -> Option<Instruction> {
    if !matches!(word & 0x7f, 0x13 | 0x33) {
        return None;
    }
    let is = |computation: &&Computation| {
        let free = if computation.form == Form::One { RD_AND_RS1 } else { RD_AND_RS1 | RS2 };
        word & !free == computation.word
    };
    let computation = COMPUTATIONS.iter().copied().flatten().find(is)?;
    let Operands { rd, rs1, rs2 } = Operands::of(word);
    let rs2 = if computation.form == Form::One { 0 } else { rs2 };
    Some(Instruction::Compute { computation, rd, rs1, rs2 })
}

const fn registers(funct7: u32, funct3: u32) -> u32 {
    funct7 << 25 | funct3 << 12 | 0x33
}

const fn immediate(upper: u32, funct3: u32) -> u32 {
    upper << 20 | funct3 << 12 | 0x13
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use weft_config::EXTENSIONS;
    use weft_config::extension::A;

    #[test]
    fn every_extension_that_only_computes_is_here() {
        for extension in EXTENSIONS.iter().filter(|extension| **extension != A) {
            let is_of = |computation: &Computation| computation.extension == *extension;
            assert!(COMPUTATIONS.iter().copied().flatten().any(is_of), "{}", extension.name);
        }
    }

    #[test]
    fn the_example_of_the_documentation_computes() {
        let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/design/extending.md")).unwrap();
        assert!(
            document.contains(include_str!("example.rs")),
            "docs/design/extending.md differs from computed/example.rs"
        );
        let [abs] = example::COMPUTATIONS else { panic!("one instruction") };
        assert_eq!([5, 0, -5, i32::MIN].map(|a| (abs.compute)(a as u32, 0)), [5, 0, 5, 1 << 31]);
    }
}
