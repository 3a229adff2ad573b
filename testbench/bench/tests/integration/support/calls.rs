//! Random programs of loops and functions that call each other: threads part, leave functions by several returns, end, and
//! meet at returns and right behind calls.

use words::*;

const MASK: u32 = 0xcc2;
const LINK: u32 = 1;

/// Functions of a level call those of the next one.
const LEVELS: usize = 3;
/// Functions of each level.
const FUNCTIONS: usize = 3;
/// How deep statements are nested.
const DEPTH: u32 = 2;
/// The register that counts the trips of a loop.
const TRIPS: u32 = 24;
/// The first of the registers that keep the link, one for each level.
const KEPT: u32 = 20;
/// Registers that are 0 or 1, by thread.
const BITS: [u32; 5] = [9, 10, 11, 12, 13];

struct Writer {
    rng: fastrand::Rng,
    words: Vec<u32>,
    /// Where the functions of the next level begin.
    callable: Vec<usize>,
    barriers: bool,
}

/// One of them; all of its threads end. Barriers wherever threads have parted are for units whose paths take turns.
pub fn program(seed: u64, barriers: bool) -> Vec<u32> {
    let mut writer = Writer { rng: fastrand::Rng::with_seed(seed), words: vec![0], callable: Vec::new(), barriers };
    for level in (0..LEVELS).rev() {
        let begins = (0..FUNCTIONS).map(|_| writer.function(KEPT + level as u32)).collect();
        writer.callable = begins;
    }
    writer.words[0] = jal(0, 4 * writer.words.len() as i32);
    // a4 = a line of the thread's own.
    writer.words.extend([csrr(8, 0xf14), slli(14, 8, 4), lui(15, 0x80010), add(14, 14, 15)]);
    writer.words.extend([
        andi(9, 8, 1),
        srli(10, 8, 1),
        andi(10, 10, 1),
        xor(11, 9, 10),
        xori(12, 9, 1),
        and(13, 9, 10),
    ]);
    for _ in 0..8 {
        writer.body(DEPTH, None);
    }
    writer.words.push(csrw(EXIT, 0));
    writer.words
}

impl Writer {
    fn function(&mut self, kept: u32) -> usize {
        let begins = self.words.len();
        if !self.callable.is_empty() {
            self.words.push(addi(kept, LINK, 0));
        }
        self.body(DEPTH, Some(kept));
        self.returns(kept);
        begins
    }

    /// Who calls nobody still has the link, and may return right behind a branch, a call or nothing at all.
    fn returns(&mut self, kept: u32) {
        if !self.callable.is_empty() {
            self.words.push(addi(LINK, kept, 0));
        }
        self.words.push(jalr(0, LINK, 0));
    }

    /// A few statements, nested so deep at most; of a function that keeps its link here.
    fn body(&mut self, depth: u32, kept: Option<u32>) {
        let fewest = u32::from(!self.callable.is_empty());
        for _ in 0..self.rng.u32(fewest..4) {
            match self.rng.u32(0..if depth > 0 { 100 } else { 55 }) {
                0..10 => self.words.push(addi(16, 16, 1)),
                10..13 if self.barriers => self.words.push(csrw(BARRIER, 0)),
                10..15 => self.words.push(csrr(17, MASK)),
                15..35 => self.late_result(),
                35..53 if !self.callable.is_empty() => {
                    let callee = self.callable[self.rng.usize(0..self.callable.len())];
                    self.words.push(jal(LINK, 4 * (callee as i32 - self.words.len() as i32)));
                }
                35..55 => self.words.push(add(16, 16, 8)),
                55..57 => self.one_side(|writer| writer.words.push(csrw(EXIT, 0))),
                57..75 if kept.is_some() => self.one_side(|writer| {
                    writer.body(depth - 1, kept);
                    writer.returns(kept.unwrap());
                }),
                57..85 => self.one_side(|writer| writer.body(depth - 1, kept)),
                85..92 if kept.is_none() && depth == DEPTH => self.looped(),
                _ => self.two_sides(depth, kept),
            }
        }
    }

    /// Once to eight times, by thread.
    fn looped(&mut self) {
        self.words.push(andi(TRIPS, 8, 7));
        let begins = self.words.len();
        self.body(DEPTH - 1, None);
        self.words.push(addi(TRIPS, TRIPS, -1));
        self.words.push(bge(TRIPS, 0, 4 * (begins as i32 - self.words.len() as i32)));
    }

    /// A load, product or quotient that is read at once, or some instructions later, or by whom it comes to.
    fn late_result(&mut self) {
        let (rd, value) = (18 + self.rng.u32(0..2), [8, 16, 19][self.rng.usize(0..3)]);
        let produce = [vec![sw(value, 14, 0), lw(rd, 14, 0)], vec![mul(rd, value, 8)], vec![divu(rd, value, 16)]];
        self.words.extend(&produce[self.rng.usize(0..3)]);
        let reads = [vec![add(16, 16, rd)], vec![add(16, rd, 16)], vec![addi(17, 17, 1), add(16, rd, rd)], vec![]];
        self.words.extend(&reads[self.rng.usize(0..4)]);
    }

    /// What the threads of one side do.
    fn one_side(&mut self, side: impl FnOnce(&mut Self)) {
        let (at, bit) = (self.words.len(), BITS[self.rng.usize(0..BITS.len())]);
        self.words.push(0);
        side(self);
        let offset = 4 * (self.words.len() - at) as i32;
        self.words[at] = if self.rng.bool() { beq(bit, 0, offset) } else { bne(bit, 0, offset) };
    }

    fn two_sides(&mut self, depth: u32, kept: Option<u32>) {
        let mut jump = 0;
        self.one_side(|writer| {
            writer.body(depth - 1, kept);
            jump = writer.words.len();
            writer.words.push(0);
        });
        self.body(depth - 1, kept);
        self.words[jump] = jal(0, 4 * (self.words.len() - jump) as i32);
    }
}
