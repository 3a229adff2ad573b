//! The decoders of S4 and S5, made from the instruction table. Each query becomes a few gates.
//!
//! For a word that is no instruction the result does not matter: S5 detects the fault, and the word commits
//! nothing. Only the reserved resources must be the same in all stages ([`super::resource`]).

use rtl::{Builder, Bundle, Expr, Pattern, any_of, reduce, zeros};

use crate::isa::{self, Csr, CsrKind, Cube, Encoding, Exception, OPCODE, Operation};
use crate::shape::Shape;

/// Bits of the fields of an instruction, from the highest: funct7, rs2, rs1, funct3, rd, opcode.
const FIELDS: [usize; 6] = [7, 5, 5, 3, 5, 7];

rtl::bundle! {
    pub struct Fields(shape: &()) {
        opcode: 7,
        rd: 5,
        funct3: 3,
        rs1: 5,
        rs2: 5,
        funct7: 7,
    }
}

impl Fields {
    /// The fields of a word, as wires with these names. Only fields that are read are emitted.
    pub fn declare(m: &Builder, word: &Expr) -> Self {
        let mut at = 0;
        Self::build(&(), &mut |name, width| {
            at += width;
            m.wire(name, &word.slice(at - width, width))
        })
    }
}

/// A decoder of one word, by the instruction table of a core.
pub struct Decoder {
    word: Expr,
    pub fields: Fields,
    csr: Expr,
    csrs: Vec<Csr>,
    table: Vec<Encoding>,
    exceptions: Vec<Exception>,
}

impl Decoder {
    pub fn new(m: &Builder, shape: &Shape, word: &Expr) -> Self {
        let (table, exceptions) = isa::exceptions(shape.instructions());
        let (fields, csr) = (Fields::declare(m, word), m.wire("csr", &word.slice(20, 12)));
        Self { word: word.clone(), fields, csr, csrs: isa::csrs(shape), table, exceptions }
    }

    /// Whether `wanted` holds for the instruction.
    pub fn any(&self, wanted: &dyn Fn(&Encoding) -> bool) -> Expr {
        let (yes, no): (Vec<&Encoding>, Vec<&Encoding>) = self.table.iter().partition(|e| wanted(e));
        self.with_exceptions(self.one_of(&isa::cover(&cubes(&yes), &cubes(&no))), wanted)
    }

    /// The same on a wire, with the names of the instructions as a note.
    pub fn wire(&self, m: &Builder, name: &str, wanted: &dyn Fn(&Encoding) -> bool) -> Expr {
        let wire = m.wire(name, &self.any(wanted));
        let table = self.table.iter().chain(self.exceptions.iter().map(|exception| &exception.encoding));
        let names: Vec<&str> = table.filter(|e| wanted(e)).map(|e| e.name).collect();
        if !names.is_empty() {
            m.note(&wire, &names.join(", "));
        }
        wire
    }

    /// Whether the word has the opcode of a wanted instruction, and in that opcode also the bits that distinguish
    /// wanted encodings from the others. For `indifferent` encodings the result does not matter.
    ///
    /// Unlike [`Self::any`] it reads the whole opcode, and is false where no encoding has it.
    pub fn in_opcode(&self, wanted: &dyn Fn(&Encoding) -> bool, indifferent: &dyn Fn(&Encoding) -> bool) -> Expr {
        let mut opcodes: Vec<u32> = self.table.iter().filter(|e| wanted(e)).map(|e| e.value & OPCODE).collect();
        opcodes.sort_unstable();
        opcodes.dedup();
        let of = |opcode: u32| {
            let here = self.table.iter().filter(|e| e.value & OPCODE == opcode);
            let here = here.filter(|e| wanted(e) || !indifferent(e));
            let (yes, no): (Vec<&Encoding>, Vec<&Encoding>) = here.partition(|e| wanted(e));
            let is_opcode = self.fields.opcode.is(opcode.into());
            let cover = isa::cover(&cubes(&yes), &cubes(&no));
            if cover.iter().any(|cube| cube.mask == 0) { is_opcode } else { is_opcode & self.one_of(&cover) }
        };
        let found: Vec<Expr> = opcodes.into_iter().map(of).collect();
        let found = if found.is_empty() { zeros(1) } else { any_of(&found) };
        self.with_exceptions(found, wanted)
    }

    /// Corrects `found`, a result for the encodings that have no word in common, for the exceptions from them.
    fn with_exceptions(&self, found: Expr, wanted: &dyn Fn(&Encoding) -> bool) -> Expr {
        self.exceptions.iter().fold(found, |found, Exception { encoding, general }| {
            match (wanted(encoding), wanted(general)) {
                (true, false) => found | self.is_in(encoding.cube()),
                (false, true) => found & !self.is_in(encoding.cube()),
                _ => found,
            }
        })
    }

    pub fn is(&self, operation: Operation) -> Expr {
        self.any(&|e| e.operation == operation)
    }

    /// Whether the word is an instruction, on a net of this name. This is exact, except for the CSR number.
    pub fn legal(&self, m: &Builder, name: &str) -> Expr {
        let pattern = |e: &Encoding| Pattern { mask: e.mask.into(), value: e.value.into(), label: e.name.to_owned() };
        let patterns: Vec<Pattern> = self.table.iter().map(pattern).collect();
        m.matches(name, &self.word, &FIELDS, &patterns)
    }

    /// Whether `wanted` holds for the CSR of a CSR instruction.
    pub fn csr(&self, wanted: &dyn Fn(&Csr) -> bool) -> Expr {
        let (wanted, others): (Vec<Csr>, Vec<Csr>) = self.csrs.iter().copied().partition(|csr| wanted(csr));
        let cubes = |csrs: Vec<Csr>| csrs.iter().map(Csr::cube).collect::<Vec<_>>();
        self.csr_in(&isa::cover(&cubes(wanted), &cubes(others)))
    }

    pub fn csr_is(&self, kind: CsrKind) -> Expr {
        self.csr(&|csr| csr.kind == kind)
    }

    /// Whether a CSR has the CSR number. This is exact.
    pub fn csr_exists(&self) -> Expr {
        self.csr_in(&isa::merge(self.csrs.iter().map(Csr::cube).collect()))
    }

    fn one_of(&self, cubes: &[Cube]) -> Expr {
        any(cubes.iter().map(|cube| self.is_in(*cube)).collect())
    }

    fn csr_in(&self, cubes: &[Cube]) -> Expr {
        any(cubes.iter().map(|cube| bits_in(vec![&self.csr], cube.mask >> 20, cube.value >> 20)).collect())
    }

    fn is_in(&self, cube: Cube) -> Expr {
        bits_in(self.fields.fields().into_iter().map(|(_, field)| field).collect(), cube.mask, cube.value)
    }
}

fn any(hits: Vec<Expr>) -> Expr {
    if hits.is_empty() { zeros(1) } else { any_of(&hits) }
}

/// Whether adjacent fields, from bit 0 up, equal `value` where `mask` is set.
fn bits_in(fields: Vec<&Expr>, mask: u32, value: u32) -> Expr {
    let (mut mask, mut value, mut runs) = (u64::from(mask), u64::from(value), Vec::new());
    for field in fields {
        let mut at = 0;
        while mask & ((1 << field.width()) - 1) >> at << at != 0 {
            at += (mask >> at).trailing_zeros() as usize;
            let width = (mask >> at).trailing_ones().min((field.width() - at) as u32) as usize;
            runs.push(field.slice(at, width).is(value >> at & ((1 << width) - 1)));
            at += width;
        }
        (mask, value) = (mask >> field.width(), value >> field.width());
    }
    if runs.is_empty() { rtl::ones(1) } else { reduce(&runs, &|a, b| a & b) }
}

fn cubes(encodings: &[&Encoding]) -> Vec<Cube> {
    encodings.iter().map(|e| e.cube()).collect()
}

/// Reads and writes of a CSR instruction. funct3[1:0] is 1 to write, 2 to set, 3 to clear. If funct3[2] is set, the
/// operand is the rs1 field itself.
pub struct CsrAccess {
    /// It writes: always, or unless the operand field is 0.
    pub writes: Expr,
    /// A write sets the exit code to the operand, not to 0.
    pub keeps_operand: Expr,
    /// It replaces the value.
    pub replaces: Expr,
    pub immediate: Expr,
}

impl CsrAccess {
    pub fn new(fields: &Fields) -> Self {
        let Fields { funct3, rs1, .. } = fields;
        Self {
            writes: !funct3.bit(1) | rs1.any(),
            keeps_operand: !funct3.slice(0, 2).all(),
            replaces: !funct3.bit(1),
            immediate: funct3.bit(2),
        }
    }
}

/// Decoded values on wires.
pub struct Names<'a> {
    pub m: &'a Builder,
    pub decoder: Decoder,
}

impl Names<'_> {
    pub fn is(&self, name: &str, operation: Operation) -> Expr {
        self.any(name, &|e| e.operation == operation)
    }

    /// Whether `wanted` holds for the instruction.
    pub fn any(&self, name: &str, wanted: &dyn Fn(&Encoding) -> bool) -> Expr {
        self.decoder.wire(self.m, name, wanted)
    }
}

/// A CSR instruction.
pub struct Csrs {
    pub access: CsrAccess,
    pub writes: Expr,
    pub is_exit: Expr,
    /// It writes a CSR of the warp, with the value of the leader.
    pub takes_leader: Expr,
}

impl Csrs {
    pub fn of(names: &Names, is_csr: &Expr) -> Self {
        let m = names.m;
        let access = CsrAccess::new(&names.decoder.fields);
        let writes = m.wire("csr_writes", &access.writes);
        let is_exit = m.wire("is_exit", &(is_csr & names.decoder.csr_is(CsrKind::Exit) & &writes));
        let of_warp = is_csr & names.decoder.csr(&Csr::is_of_warp);
        let takes_leader = m.wire("takes_leader", &(of_warp & &writes & !&access.immediate));
        Self { access, writes, is_exit, takes_leader }
    }
}
