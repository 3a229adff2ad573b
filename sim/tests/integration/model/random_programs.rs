//! Random programs without races give every thread what it would compute alone.

use sim::{Outcome, Program};

use crate::model::bench::{CODE, config, units};
use crate::model::decode::random;
use crate::model::scalar::Scalar;
use words::*;

/// Each hart has [`AREA`] bytes of its own: its stack, or as many at a distance before it.
const AREA: u32 = 256;
const STACK_END: u32 = 0xcc3;
/// The end of RAM.
const RAM_END: u32 = 0x8002_0000;
/// Address of the hart's own area.
const OWN: u32 = 28;
/// Registers for computed values.
const VALUES: std::ops::RangeInclusive<u32> = 6..=17;

/// Writes random programs: arithmetic, loads and stores in the hart's own area, branches both
/// ways, loops of few rounds, calls, and indirect calls whose target differs between lanes.
struct Writer {
    state: u64,
    /// How far before the hart's stack its area lies.
    distance: u32,
    words: Vec<u32>,
    /// Word number of each function that may be called.
    functions: Vec<usize>,
}

impl Writer {
    fn below(&mut self, limit: u32) -> u32 {
        random(&mut self.state) % limit
    }

    fn value(&mut self) -> u32 {
        VALUES.start() + self.below(VALUES.end() - VALUES.start() + 1)
    }

    fn program(seed: u64, distance: u32) -> Vec<u32> {
        let mut writer = Writer { state: seed, distance, words: vec![0], functions: Vec::new() };
        for _ in 0..3 {
            writer.functions.push(writer.words.len());
            writer.block(2, 3);
            writer.words.push(jalr(0, 1, 0));
        }
        writer.words[0] = jal(0, 4 * writer.words.len() as i32);
        writer.start();
        writer.block(0, 40);
        let code = writer.value();
        writer.words.push(csrrw(0, EXIT, code));
        writer.words
    }

    /// Points at the hart's own area and gives the value registers different contents.
    fn start(&mut self) {
        self.words.push(csrrs(5, MHARTID, 0));
        self.words.push(csrrs(OWN, STACK_END, 0));
        self.words.extend(li(29, self.distance + AREA));
        self.words.push(sub(OWN, OWN, 29));
        for register in VALUES {
            let constant = random(&mut self.state);
            self.words.extend(li(register, constant));
            let amount = self.below(8) as i32;
            self.words.push(sll(29, 5, register));
            self.words.push(xor(register, register, 29));
            self.words.push(slli(29, 5, amount));
            self.words.push(add(register, register, 29));
        }
    }

    /// Some statements; `level` counts enclosing loops and calls.
    fn block(&mut self, level: u32, statements: u32) {
        for _ in 0..statements {
            match self.below(10) {
                0 | 1 => self.load_or_store(),
                2 | 3 if level < 3 => self.either(level),
                4 if level < 2 => self.rounds(level),
                5 if level < 2 => self.call(),
                6 if level < 2 => self.indirect_call(),
                _ => self.arithmetic(),
            }
        }
    }

    fn arithmetic(&mut self) {
        let (rd, rs1, rs2) = (self.value(), self.value(), self.value());
        let immediate = (random(&mut self.state) as i32) >> 20;
        let amount = immediate & 31;
        let between =
            [add, sub, sll, slt, sltu, xor, srl, sra, or, and, mul, mulh, mulhsu, mulhu, div, divu, rem, remu];
        let with = [addi, slti, sltiu, xori, ori, andi];
        let shift = [slli, srli, srai];
        let word = match self.below(30) as usize {
            n @ 0..18 => between[n](rd, rs1, rs2),
            n @ 18..24 => with[n - 18](rd, rs1, immediate),
            n @ 24..27 => shift[n - 24](rd, rs1, amount),
            27 => lui(rd, random(&mut self.state) >> 12),
            28 => auipc(rd, random(&mut self.state) >> 12),
            _ => FENCE_I,
        };
        self.words.push(word);
    }

    fn load_or_store(&mut self) {
        let value = self.value();
        let offset = self.below(AREA) as i32;
        // Or an address that differs between lanes, inside the area.
        let base = if self.below(2) == 0 {
            OWN
        } else {
            let from = self.value();
            self.words.push(andi(29, from, 0x3c));
            self.words.push(add(29, 29, OWN));
            29
        };
        let offset = if base == OWN { offset } else { offset & 0x7f };
        let word = match self.below(8) {
            0 => lb(value, base, offset),
            1 => lbu(value, base, offset),
            2 => lh(value, base, offset & !1),
            3 => lhu(value, base, offset & !1),
            4 => lw(value, base, offset & !3),
            5 => sb(value, base, offset),
            6 => sh(value, base, offset & !1),
            _ => sw(value, base, offset & !3),
        };
        self.words.push(word);
    }

    /// A branch over `offset`, taken or not by two values of the lane, or by a bit of one, which
    /// x29 receives first. Gives the branch as a function of its offset.
    fn condition(&mut self) -> impl Fn(i32) -> u32 + use<> {
        let (mut rs1, mut rs2) = (self.value(), self.value());
        if self.below(2) == 0 {
            let bit = 1 << self.below(6);
            self.words.push(andi(29, rs1, bit));
            (rs1, rs2) = (29, 0);
        }
        let encoder = [beq, bne, blt, bge, bltu, bgeu][self.below(6) as usize];
        move |offset| encoder(rs1, rs2, offset)
    }

    fn either(&mut self, level: u32) {
        let condition = self.condition();
        let branch = self.words.len();
        self.words.push(0);
        let statements = 1 + self.below(3);
        self.block(level + 1, statements);
        let jump = self.words.len();
        self.words.push(0);
        let statements = self.below(3);
        self.block(level + 1, statements);
        let end = self.words.len();
        self.words[branch] = condition(4 * (jump + 1 - branch) as i32);
        self.words[jump] = jal(0, 4 * (end - jump) as i32);
    }

    /// A loop of one to four rounds, by a value of the lane; its counter is x18 or x19.
    fn rounds(&mut self, level: u32) {
        let (counter, from) = (18 + level, self.value());
        self.words.push(andi(counter, from, 3));
        let top = self.words.len();
        let statements = 1 + self.below(3);
        self.block(level + 1, statements);
        self.words.push(addi(counter, counter, -1));
        let back = 4 * (top as i32 - self.words.len() as i32);
        self.words.push(bge(counter, 0, back));
    }

    fn call(&mut self) {
        let index = self.below(3) as usize;
        let function = self.functions[index];
        let offset = 4 * (function as i32 - self.words.len() as i32);
        self.words.push(jal(1, offset));
    }

    /// Calls one of two functions by a value of the lane.
    fn indirect_call(&mut self) {
        let targets = [self.below(3), self.below(3)].map(|index| CODE + 4 * self.functions[index as usize] as u32);
        let skip = self.condition()(12);
        self.words.extend(li(27, targets[0]));
        self.words.push(skip);
        self.words.extend(li(27, targets[1]));
        self.words.push(jalr(1, 27, 0));
    }
}

/// Runs the program of `seed` on a core of this size with this divergence unit and compares every
/// thread.
fn compare(unit: &str, seed: u64, warps: u32, threads: u32) -> u64 {
    let (distance, stack_interleave) = [(0, true), (0x8000, true), (0, false)][(seed % 3) as usize];
    let words = Writer::program(seed, distance);
    let harts = warps * threads;
    let areas = RAM_END - distance - harts * AREA;
    assert!(CODE + 4 * (words.len() as u32) < areas, "the program is short enough");
    let program = Program::from_words("random", CODE, &words);
    let mut config = config(warps, threads);
    config.divergence.unit = unit.into();
    config.divergence.fair_after = [0, 65536, 1, 2, 10][(seed % 5) as usize];
    config.memory.stack_bytes = AREA;
    config.memory.stack_interleave = stack_interleave;
    let finished = sim::run(&config, &program, 10_000_000, &mut |_| {}).expect("a known unit");
    assert_eq!(finished.outcome, Outcome::Exited, "{unit}, seed {seed}, {warps} × {threads}");

    for hart in 0..harts {
        let mut memory: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.resize((RAM_END - CODE) as usize, 0);
        let area = areas + hart * AREA;
        let stack_end = area + AREA + distance;
        let mut alone = Scalar { registers: [0; 32], pc: CODE, hart, stack_end, base: CODE, memory };
        let code = alone.run();
        let (warp, lane) = (hart / threads, hart % threads);
        let place = format!("{unit}, seed {seed}, {warps} × {threads}, hart {hart}");
        assert_eq!(finished.machine.exit_code(warp, lane), Some(code), "{place}");
        for register in 0..32 {
            let expected = alone.registers[usize::from(register)];
            assert_eq!(finished.machine.register(warp, lane, register), expected, "{place}: x{register}");
        }
        for address in (area..area + AREA).step_by(4) {
            let place_in_memory = (address - CODE) as usize;
            let bytes = alone.memory[place_in_memory..].first_chunk().expect("four bytes");
            let expected = u32::from_le_bytes(*bytes);
            assert_eq!(finished.machine.read_word(address), Some(expected), "{place}: {address:#x}");
        }
    }
    finished.statistics.divergent_branches
}

#[test]
fn threads_compute_together_what_they_would_alone() {
    for unit in units() {
        let mut divergent = 0;
        for seed in 0..150 {
            for warps in [1, 3] {
                for threads in [1, 4, 8] {
                    let branches = compare(unit, seed, warps, threads);
                    assert!(threads > 1 || branches == 0, "one thread cannot diverge");
                    divergent += branches;
                }
            }
        }
        assert!(divergent > 5_000, "{unit}: the programs diverge: {divergent} times");
    }
}

#[test]
fn so_do_the_threads_of_the_widest_warp() {
    for unit in units() {
        for seed in 1000..1010 {
            compare(unit, seed, 1, 64);
        }
    }
}
