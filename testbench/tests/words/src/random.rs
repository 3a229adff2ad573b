//! Random programs that end.
//!
//! [`tangled`] jumps to any later block, so that branches reconverge in no particular order, and writes every
//! register. [`structured`] has loops and functions. Each thread computes only with its own data: alone it would
//! compute the same, except for the options.

use fastrand::Rng;

use crate::*;

const BASE: u32 = 0x8000_0000;
/// The CSRs with the mask of the path, and with the end of the thread's stack.
const MASK: u32 = 0xcc2;
const STACK_END: u32 = 0xcc3;

type Registers = fn(u32, u32, u32) -> u32;
type Immediate = fn(u32, u32, i32) -> u32;

const REGISTERS: [Registers; 18] =
    [add, sub, sll, slt, sltu, xor, srl, sra, or, and, mul, mulh, mulhsu, mulhu, div, divu, rem, remu];
const IMMEDIATES: [Immediate; 6] = [addi, slti, sltiu, xori, ori, andi];
const SHIFTS: [Immediate; 3] = [slli, srli, srai];
const BRANCHES: [Immediate; 6] = [beq, bne, blt, bge, bltu, bgeu];
const ACCESSES: [(Immediate, i32); 8] = [(lb, 1), (lbu, 1), (lh, 2), (lhu, 2), (lw, 4), (sb, 1), (sh, 2), (sw, 4)];

fn one_of<T: Copy>(rng: &mut Rng, things: &[T]) -> T {
    things[rng.usize(0..things.len())]
}

/// An instruction that computes, on registers from `register`.
fn arithmetic(rng: &mut Rng, register: fn(&mut Rng) -> u32) -> u32 {
    let (rd, rs1, rs2) = (register(rng), register(rng), register(rng));
    match rng.u32(0..30) {
        0..18 => one_of(rng, &REGISTERS)(rd, rs1, rs2),
        18..24 => one_of(rng, &IMMEDIATES)(rd, rs1, rng.i32(-2048..2048)),
        24..27 => one_of(rng, &SHIFTS)(rd, rs1, rng.i32(0..32)),
        27 => lui(rd, rng.u32(0..1 << 20)),
        28 => auipc(rd, rng.u32(0..1 << 20)),
        _ => FENCE_I,
    }
}

/// Bytes of memory that a program works on, shared or per thread.
pub const AREA: u32 = 256;

/// A program of `length` blocks with at most seven instructions each: straight-line code, forward branches and calls,
/// loads and stores in a shared region of 256 bytes at address 64 KiB, and barriers that every thread reaches.
pub fn tangled(seed: u64, length: usize) -> Vec<u32> {
    let mut rng = Rng::with_seed(seed);
    let mut blocks = vec![Block::Words(vec![csrr(5, MHARTID)])];
    blocks.extend((0..length).map(|_| Block::random(&mut rng)));
    blocks.extend([Block::Barrier, Block::Words(vec![csrw(EXIT, 0)])]);

    let mut words = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        match block {
            Block::Words(block) => words.extend(block),
            Block::Barrier => words.push(csrw(BARRIER, 0)),
            Block::Jump(ahead, instruction) => {
                let after = &blocks[index + 1..];
                let barrier = after.iter().position(|block| matches!(block, Block::Barrier)).unwrap_or(0);
                let skipped: usize = after[..barrier.min(*ahead)].iter().map(Block::length).sum();
                words.push(instruction(4 * (skipped as i32 + 1)));
            }
        }
    }
    words
}

enum Block {
    Words(Vec<u32>),
    /// Skips this many blocks, at most to the next barrier; the function makes the instruction from its offset.
    Jump(usize, Box<dyn Fn(i32) -> u32>),
    Barrier,
}

impl Block {
    /// Registers for addresses; the others are free.
    const POINTER: u32 = 30;
    const SCRATCH: u32 = 31;
    const READABLE: [u32; 8] = [MHARTID, 0xb00, 0xb80, 0xb02, 0xcc0, 0xcc1, MASK, STACK_END];

    fn length(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Jump(..) | Self::Barrier => 1,
        }
    }

    fn random(rng: &mut Rng) -> Self {
        let (a, b, ahead) = (Self::register(rng), Self::register(rng), rng.usize(0..7));
        match rng.u32(0..100) {
            0..42 => Self::Words(vec![arithmetic(rng, Self::register)]),
            42..62 => Self::Words(Self::access(rng, a, b)),
            62..82 => {
                let branch = one_of(rng, &BRANCHES);
                Self::Jump(ahead, Box::new(move |offset| branch(a, b, offset)))
            }
            82..86 => Self::Jump(ahead, Box::new(move |offset| jal(a, offset))),
            86..90 => Self::Words(Self::indirect(a, b)),
            90..96 => Self::Words(vec![csrr(a, one_of(rng, &Self::READABLE))]),
            96..98 => Self::Words(vec![lui(Self::POINTER, 0x10000), sb(a, Self::POINTER, 0), lw(b, Self::POINTER, 0)]),
            98 => Self::Words(vec![FENCE, FENCE_I]),
            _ => Self::Barrier,
        }
    }

    fn register(rng: &mut Rng) -> u32 {
        if rng.bool() { rng.u32(5..10) } else { rng.u32(0..30) }
    }

    /// An aligned load or store in the region.
    fn access(rng: &mut Rng, source: u32, data: u32) -> Vec<u32> {
        let (access, bytes) = one_of(rng, &ACCESSES);
        let upper = lui(Self::SCRATCH, (BASE >> 12) + 16);
        let address = [andi(Self::POINTER, source, (AREA as i32 - 1) & -bytes), upper];
        [&address[..], &[add(Self::POINTER, Self::POINTER, Self::SCRATCH), access(data, Self::POINTER, 0)]].concat()
    }

    /// A `jalr` of each lane to one of two targets, by a bit of a register.
    fn indirect(link: u32, source: u32) -> Vec<u32> {
        let choice = [andi(Self::SCRATCH, source, 1), slli(Self::SCRATCH, Self::SCRATCH, 3), auipc(Self::POINTER, 0)];
        let jump = [add(Self::POINTER, Self::POINTER, Self::SCRATCH), jalr(link, Self::POINTER, 12), NOP, NOP];
        [&choice[..], &jump].concat()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of draws of statements for the main program.
    pub length: u32,
    /// Distance of the thread's own bytes from the end of its stack.
    pub distance: u32,
    /// Barriers wherever threads have diverged: for units with time slices.
    pub barriers: bool,
    /// Whether threads end early, and read the mask of their path.
    pub company: bool,
}

/// A program of loops and functions that call each other, directly and through a register. Threads diverge, leave
/// functions through several returns, and reconverge at returns and right after calls.
pub fn structured(seed: u64, options: &Options) -> Vec<u32> {
    let rng = Rng::with_seed(seed);
    let mut writer = Writer { rng, words: vec![0], callable: Vec::new(), loops: 0, options };
    for level in (0..Writer::LEVELS).rev() {
        let begins = (0..Writer::FUNCTIONS).map(|_| writer.function(Writer::KEPT + level)).collect();
        writer.callable = begins;
    }
    writer.words[0] = jal(0, 4 * writer.words.len() as i32);
    writer.start();
    for _ in 0..options.length {
        writer.body(Writer::DEPTH, None);
    }
    let code = writer.value();
    writer.words.push(csrw(EXIT, code));
    writer.words
}

struct Writer<'a> {
    rng: Rng,
    words: Vec<u32>,
    /// The starts of the functions of the next level.
    callable: Vec<usize>,
    loops: u32,
    options: &'a Options,
}

impl Writer<'_> {
    /// Functions of a level call those of the next one.
    const LEVELS: u32 = 3;
    const FUNCTIONS: usize = 3;
    const DEPTH: u32 = 2;

    const LINK: u32 = 1;
    /// Registers that are 0 or 1, depending on the thread.
    const BITS: [u32; 5] = [2, 3, 4, 30, 31];
    const HART: u32 = 5;
    /// The last of the registers for computed values, from x6.
    const LAST_VALUE: u32 = 17;
    /// Registers for long-latency results: this one and the next.
    const LATE: u32 = 18;
    /// The first of the registers that keep the link, one for each level.
    const KEPT: u32 = 20;
    /// The first of the registers that count loop iterations.
    const TRIPS: u32 = 24;
    const TARGET: u32 = 27;
    const OWN: u32 = 28;
    const SCRATCH: u32 = 29;

    fn any_value(rng: &mut Rng) -> u32 {
        rng.u32(6..=Self::LAST_VALUE)
    }

    fn value(&mut self) -> u32 {
        Self::any_value(&mut self.rng)
    }

    fn push(&mut self, words: impl IntoIterator<Item = u32>) {
        self.words.extend(words);
    }

    /// Sets the address of the thread's own memory, and different values and bits.
    fn start(&mut self) {
        let (hart, scratch, [one, two, differ, not, both]) = (Self::HART, Self::SCRATCH, Self::BITS);
        self.push([csrr(hart, MHARTID), csrr(Self::OWN, STACK_END)]);
        self.push(li(scratch, self.options.distance + AREA));
        self.push([sub(Self::OWN, Self::OWN, scratch), andi(one, hart, 1), srli(two, hart, 1), andi(two, two, 1)]);
        self.push([xor(differ, one, two), xori(not, one, 1), and(both, one, two)]);
        for register in 6..=Self::LAST_VALUE {
            let (constant, amount) = (self.rng.u32(..), self.rng.i32(0..8));
            self.push(li(register, constant));
            self.push([sll(scratch, hart, register), xor(register, register, scratch)]);
            self.push([slli(scratch, hart, amount), add(register, register, scratch)]);
        }
    }

    fn function(&mut self, kept: u32) -> usize {
        let begins = self.words.len();
        if !self.callable.is_empty() {
            self.push([addi(kept, Self::LINK, 0)]);
        }
        self.body(Self::DEPTH, Some(kept));
        self.returns(kept);
        begins
    }

    /// A function without calls still has the link, and may return right after a branch, a call or nothing at all.
    fn returns(&mut self, kept: u32) {
        if !self.callable.is_empty() {
            self.push([addi(Self::LINK, kept, 0)]);
        }
        self.push([RET]);
    }

    /// A few statements, nested at most this deep, of a function that keeps its link in this register.
    fn body(&mut self, depth: u32, kept: Option<u32>) {
        let fewest = u32::from(!self.callable.is_empty());
        for _ in 0..self.rng.u32(fewest..4) {
            self.statement(depth, kept);
        }
    }

    fn statement(&mut self, depth: u32, kept: Option<u32>) {
        let Options { barriers, company, .. } = *self.options;
        match self.rng.u32(0..if depth > 0 { 125 } else { 80 }) {
            0..3 if barriers => self.push([csrw(BARRIER, 0)]),
            3..5 if company => {
                let rd = self.value();
                self.push([csrr(rd, MASK)]);
            }
            5..7 if company => self.one_side(|writer| writer.push([csrw(EXIT, 0)])),
            7..27 => self.late_result(),
            27..42 => self.access(),
            42..58 if !self.callable.is_empty() => {
                let offset = one_of(&mut self.rng, &self.callable) as i32 - self.words.len() as i32;
                self.push([jal(Self::LINK, 4 * offset)]);
            }
            58..62 if !self.callable.is_empty() => self.indirect_call(),
            80..95 if kept.is_some() => self.one_side(|writer| {
                writer.body(depth - 1, kept);
                writer.returns(kept.expect("a function"));
            }),
            80..105 => self.one_side(|writer| writer.body(depth - 1, kept)),
            105..112 if kept.is_none() => self.looped(depth - 1),
            105.. => self.two_sides(depth - 1, kept),
            _ => {
                let word = arithmetic(&mut self.rng, Self::any_value);
                self.push([word]);
            }
        }
    }

    /// One to eight iterations, or four inside another loop, depending on the thread.
    fn looped(&mut self, depth: u32) {
        let (counter, most) = (Self::TRIPS + self.loops, if self.loops == 0 { 7 } else { 3 });
        let from = self.value();
        self.push([andi(counter, from, most)]);
        let begins = self.words.len() as i32;
        self.loops += 1;
        self.body(depth, None);
        self.loops -= 1;
        self.push([addi(counter, counter, -1)]);
        self.push([bge(counter, 0, 4 * (begins - self.words.len() as i32))]);
    }

    /// A load, product or quotient that is read at once, or some instructions later, or by a later random reader.
    fn late_result(&mut self) {
        let (rd, a, b) = (Self::LATE + self.rng.u32(0..2), self.value(), self.value());
        match self.rng.u32(0..3) {
            0 => self.push([sw(a, Self::OWN, 0), lw(rd, Self::OWN, 0)]),
            1 => self.push([mul(rd, a, b)]),
            _ => self.push([divu(rd, a, b)]),
        }
        match self.rng.u32(0..4) {
            0 => self.push([add(a, a, rd)]),
            1 => self.push([add(a, rd, a)]),
            2 => self.push([addi(b, b, 1), add(a, rd, rd)]),
            _ => {}
        }
    }

    /// A load or store in the thread's own memory, at an offset that may differ between threads.
    fn access(&mut self) {
        let ((access, bytes), data) = (one_of(&mut self.rng, &ACCESSES), self.value());
        let offset = self.rng.i32(0..AREA as i32) & -bytes;
        if self.rng.bool() {
            return self.push([access(data, Self::OWN, offset)]);
        }
        let (from, scratch) = (self.value(), Self::SCRATCH);
        self.push([andi(scratch, from, 0x3c), add(scratch, scratch, Self::OWN), access(data, scratch, offset & 0x7f)]);
    }

    /// A branch as a function of its offset. It depends on a bit of the thread's number, on two values, or on a bit
    /// of one.
    fn condition(&mut self) -> impl Fn(i32) -> u32 + use<> {
        let (branch, bit, mut a, mut b) =
            (one_of(&mut self.rng, &BRANCHES), one_of(&mut self.rng, &Self::BITS), self.value(), self.value());
        match self.rng.u32(0..4) {
            0 | 1 => (a, b) = (bit, 0),
            2 => {
                let bit = 1 << self.rng.u32(0..6);
                self.push([andi(Self::SCRATCH, a, bit)]);
                (a, b) = (Self::SCRATCH, 0);
            }
            _ => {}
        }
        // With a bit, the last four branches are always or never taken.
        let branch = if b == 0 { BRANCHES[self.rng.usize(0..2)] } else { branch };
        move |offset| branch(a, b, offset)
    }

    fn one_side(&mut self, side: impl FnOnce(&mut Self)) {
        let branch = self.condition();
        let at = self.words.len();
        self.push([0]);
        side(self);
        self.words[at] = branch(4 * (self.words.len() - at) as i32);
    }

    fn two_sides(&mut self, depth: u32, kept: Option<u32>) {
        let mut jump = 0;
        self.one_side(|writer| {
            writer.body(depth, kept);
            jump = writer.words.len();
            writer.push([0]);
        });
        self.body(depth, kept);
        self.words[jump] = jal(0, 4 * (self.words.len() - jump) as i32);
    }

    fn indirect_call(&mut self) {
        let targets = [(); 2].map(|()| BASE + 4 * one_of(&mut self.rng, &self.callable) as u32);
        let over_one = self.condition()(12);
        self.push(li(Self::TARGET, targets[0]));
        self.push([over_one]);
        self.push(li(Self::TARGET, targets[1]));
        self.push([jalr(Self::LINK, Self::TARGET, 0)]);
    }
}
