//! Writes the assembly text of an image's cases: random registers, results in one table.
//!
//! Between blocks only one register is in use: it points to the word of the next case for this thread's set.

use std::fmt;
use std::ops::Range;

use fastrand::Rng;
use kernels::assembly::Text;

use crate::isa::image::SETS;

/// Bytes from one case's word to the next, and from one operand to the next.
pub const STRIDE: usize = 4 * SETS;

pub const PRIVATE: usize = 256;

/// Operand values at the edges of instructions' ranges.
const CORNERS: [u32; 16] = [
    0,
    1,
    2,
    0xffff_ffff,
    0xffff_fffe,
    0x8000_0000,
    0x8000_0001,
    0x7fff_ffff,
    0x7fff_fffe,
    31,
    32,
    33,
    0xffff,
    0x1_0000,
    0x5555_5555,
    0xaaaa_aaaa,
];

/// Pairs of operands of each set: first every pair of corners, in another order for each set, then random pairs.
pub const PAIRS: Range<usize> = 0..320;

/// Fewer of them: each corner once as the first and once as the second operand, and all random pairs.
pub const FEW_PAIRS: Range<usize> = CORNER_PAIRS - CORNERS.len()..PAIRS.end;

const CORNER_PAIRS: usize = CORNERS.len() * CORNERS.len();

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register(pub u8);

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

#[derive(Clone, Debug)]
pub struct Case {
    pub text: String,
    pub pair: Option<usize>,
}

pub struct Writer<'a> {
    pub rng: &'a mut Rng,
    pub text: Text,
    pub cases: Vec<Case>,
    /// Indexed by pair, then by set.
    pub operands: Vec<[[u32; 2]; SETS]>,
    taken: Vec<Register>,
    results: Register,
    /// Bytes by which `results` is behind.
    behind: usize,
    /// Words saved since the start of the loop; `None` outside one.
    loop_cases: Option<Vec<String>>,
}

impl<'a> Writer<'a> {
    pub fn new(rng: &'a mut Rng) -> Self {
        let operands = operands(rng);
        let results = Register(10);
        let mut text = Text::default();
        text.place("body");
        for line in ["slli a0, a0, 2", "la t0, results", "add a0, a0, t0"] {
            text.line(line);
        }
        let (taken, cases) = (vec![Register(0), results], Vec::new());
        Self { rng, text, cases, operands, taken, results, behind: 0, loop_cases: None }
    }

    /// Ends the body, with the number of the set in a0 again.
    pub fn finish(&mut self) {
        self.catch_up();
        let bytes = self.cases.len() * STRIDE;
        let results = self.results;
        self.text.line(format_args!("mv a0, {results}"));
        self.text.line(format_args!("la t0, results + {bytes}"));
        for line in ["sub a0, a0, t0", "srli a0, a0, 2", "j body_end"] {
            self.text.line(line);
        }
    }

    /// Allocates a free register until the end of the block.
    pub fn register(&mut self) -> Register {
        let free: Vec<_> = (1..32).map(Register).filter(|register| !self.taken.contains(register)).collect();
        let register = free[self.rng.usize(0..free.len())];
        self.taken.push(register);
        register
    }

    pub fn registers<const N: usize>(&mut self) -> [Register; N] {
        std::array::from_fn(|_| self.register())
    }

    pub fn taken(&self) -> &[Register] {
        &self.taken
    }

    /// Frees every register and moves the pointer to another one.
    pub fn block(&mut self) {
        self.block_keeping(&[]);
    }

    /// Like `block`, but these free registers are never drawn.
    pub fn block_keeping(&mut self, kept: &[Register]) {
        self.catch_up();
        let old = self.results;
        self.taken = [&[Register(0), old], kept].concat();
        let new = self.register();
        self.text.line(format_args!("mv {new}, {old}"));
        self.taken = [&[Register(0), new], kept].concat();
        self.results = new;
    }

    /// `register` = 4 · the number of the set.
    pub fn set_offset(&mut self, register: Register) {
        assert!(self.loop_cases.is_none(), "the number of cases so far is not fixed in a loop");
        self.catch_up();
        let (bytes, results) = (self.cases.len() * STRIDE, self.results);
        self.text.line(format_args!("la {register}, results + {bytes}"));
        self.text.line(format_args!("sub {register}, {results}, {register}"));
    }

    /// `register` = the address of this set's first operand of pair `pair`.
    pub fn operands_at(&mut self, register: Register, pair: usize) {
        let scratch = self.register();
        self.set_offset(register);
        self.text.line(format_args!("la {scratch}, operands + {}", pair * 2 * STRIDE));
        self.text.line(format_args!("add {register}, {register}, {scratch}"));
    }

    /// `register` = the address of this set's private memory.
    pub fn private_at(&mut self, register: Register) {
        let scratch = self.register();
        self.set_offset(register);
        self.text.line(format_args!("slli {register}, {register}, {}", (PRIVATE / 4).trailing_zeros()));
        self.text.line(format_args!("la {scratch}, private"));
        self.text.line(format_args!("add {register}, {register}, {scratch}"));
    }

    /// Runs `body` for each pair of operands, in registers that it must not change.
    pub fn for_pairs(&mut self, pairs: Range<usize>, body: impl FnOnce(&mut Self, Register, Register)) {
        let [pointer, end, a, b] = self.registers();
        self.operands_at(pointer, pairs.start);
        let bytes = pairs.len() * 2 * STRIDE;
        self.text.line(format_args!("li {end}, {bytes}"));
        self.text.line(format_args!("add {end}, {end}, {pointer}"));
        let (top, out) = (self.text.label(), self.text.label());
        self.text.place(&top);
        self.text.line(format_args!("lw {a}, 0({pointer})"));
        self.text.line(format_args!("lw {b}, {STRIDE}({pointer})"));
        self.text.line(format_args!("addi {pointer}, {pointer}, {}", 2 * STRIDE));
        self.loop_cases = Some(Vec::new());
        body(self, a, b);
        self.catch_up();
        self.text.line(format_args!("beq {pointer}, {end}, {out}"));
        self.text.line(format_args!("j {top}"));
        self.text.place(&out);
        let cases = self.loop_cases.take().expect("the loop just begun");
        for pair in pairs {
            self.cases.extend(cases.iter().map(|text| Case { text: text.clone(), pair: Some(pair) }));
        }
    }

    pub fn save(&mut self, register: Register, text: impl Into<String>) {
        if self.behind + STRIDE > 2048 {
            self.catch_up();
        }
        let (behind, results) = (self.behind, self.results);
        self.text.line(format_args!("sw {register}, {behind}({results})"));
        self.behind += STRIDE;
        match &mut self.loop_cases {
            Some(cases) => cases.push(text.into()),
            None => self.cases.push(Case { text: text.into(), pair: None }),
        }
    }

    fn catch_up(&mut self) {
        if self.behind != 0 {
            let (behind, results) = (self.behind, self.results);
            self.text.line(format_args!("addi {results}, {results}, {behind}"));
            self.behind = 0;
        }
    }
}

fn operands(rng: &mut Rng) -> Vec<[[u32; 2]; SETS]> {
    let sets: [Vec<[u32; 2]>; SETS] = std::array::from_fn(|_| {
        let (mut first, mut second) = (CORNERS, CORNERS);
        rng.shuffle(&mut first);
        rng.shuffle(&mut second);
        let count = CORNERS.len();
        let corners = (0..CORNER_PAIRS).map(|pair| [first[pair % count], second[(pair + pair / count) % count]]);
        let mut pairs: Vec<_> = corners.collect();
        pairs.extend((CORNER_PAIRS..PAIRS.end).map(|_| random_pair(rng)));
        pairs
    });
    PAIRS.map(|pair| std::array::from_fn(|set| sets[set][pair])).collect()
}

/// Words of any length, sometimes equal or neighbours.
fn random_pair(rng: &mut Rng) -> [u32; 2] {
    let mut word = || {
        let word = rng.u32(..) >> rng.u32(0..32);
        if rng.bool() { word } else { word.wrapping_neg() }
    };
    let (a, b) = (word(), word());
    match rng.u32(0..8) {
        0 => [a, a],
        1 => [a, a.wrapping_add(1)],
        _ => [a, b],
    }
}
