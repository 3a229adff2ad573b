//! Random programs that end: straight code, forward branches and calls, loads and stores in a region
//! of their own, barriers that every thread reaches.

use words::*;

const BASE: u32 = 0x8000_0000;
const READABLE: [u32; 8] = [0xf14, 0xb00, 0xb80, 0xb02, 0xcc0, 0xcc1, 0xcc2, 0xcc3];

/// Registers that hold what an address needs; the others are free.
const POINTER: u32 = 30;
const SCRATCH: u32 = 31;

/// Instructions that are entered at the first one only.
enum Block {
    Words(Vec<u32>),
    /// Over this many blocks, at most to the next barrier: the instruction by its offset.
    Jump(usize, Box<dyn Fn(i32) -> u32>),
    Barrier,
}

impl Block {
    fn length(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Jump(..) | Self::Barrier => 1,
        }
    }
}

/// A program of `length` blocks, at most six instructions each. Threads share a region of 256 bytes at
/// address 64 KiB.
pub fn program(seed: u64, length: usize) -> Vec<u32> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut blocks = vec![Block::Words(vec![csrr(5, 0xf14)])];
    blocks.extend((0..length).map(|_| block(&mut rng)));
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

fn block(rng: &mut fastrand::Rng) -> Block {
    let (a, b, ahead) = (register(rng), register(rng), rng.usize(0..7));
    match rng.u32(0..100) {
        0..40 => Block::Words(vec![arithmetic(rng)]),
        40..60 => Block::Words(access(rng)),
        60..80 => {
            let branch = [beq, bne, blt, bge, bltu, bgeu][rng.usize(0..6)];
            Block::Jump(ahead, Box::new(move |offset| branch(a, b, offset)))
        }
        80..84 => Block::Jump(ahead, Box::new(move |offset| jal(a, offset))),
        84..88 => Block::Words(indirect(a, b)),
        88..94 => Block::Words(vec![csrr(a, READABLE[rng.usize(0..READABLE.len())])]),
        94..96 => Block::Words(vec![lui(POINTER, 0x10000), sb(a, POINTER, 0), lw(b, POINTER, 0)]),
        96 => Block::Words(vec![FENCE, FENCE_I]),
        97 => Block::Barrier,
        _ => Block::Words(vec![auipc(a, rng.u32(0..1 << 20))]),
    }
}

/// Any register that is free, mostly one of a few.
fn register(rng: &mut fastrand::Rng) -> u32 {
    if rng.bool() { rng.u32(5..10) } else { rng.u32(0..30) }
}

fn arithmetic(rng: &mut fastrand::Rng) -> u32 {
    let registers = [add, sll, slt, sltu, xor, srl, or, and];
    let immediates = [addi, slli, slti, sltiu, xori, srli, ori, andi];
    let (rd, rs1, rs2, function) = (register(rng), register(rng), register(rng), rng.u32(0..8));
    let alternative = rng.bool();
    match (rng.bool(), function) {
        (true, 0) if alternative => sub(rd, rs1, rs2),
        (true, 5) if alternative => sra(rd, rs1, rs2),
        (true, _) => registers[function as usize](rd, rs1, rs2),
        (false, 5) if alternative => srai(rd, rs1, rng.i32(0..32)),
        (false, 1 | 5) => immediates[function as usize](rd, rs1, rng.i32(0..32)),
        (false, _) => immediates[function as usize](rd, rs1, rng.i32(-2048..2048)),
    }
}

/// A load or store, aligned, somewhere in the region.
fn access(rng: &mut fastrand::Rng) -> Vec<u32> {
    let (size, source, data) = (rng.u32(0..3), register(rng), register(rng));
    let place = 0xff & !((1 << size) - 1);
    let access = match (rng.bool(), size) {
        (true, 0) => sb(data, POINTER, 0),
        (true, 1) => sh(data, POINTER, 0),
        (true, _) => sw(data, POINTER, 0),
        (false, 0 | 1) => [[lb, lbu], [lh, lhu]][size as usize][rng.u32(0..2) as usize](data, POINTER, 0),
        (false, _) => lw(data, POINTER, 0),
    };
    let upper = lui(SCRATCH, (BASE >> 12) + 16);
    vec![andi(POINTER, source, place), upper, add(POINTER, POINTER, SCRATCH), access]
}

/// A `jalr` of each lane to one of two places, by a bit of a register.
fn indirect(link: u32, source: u32) -> Vec<u32> {
    let choice = [andi(SCRATCH, source, 1), slli(SCRATCH, SCRATCH, 3), auipc(POINTER, 0)];
    let jump = [add(POINTER, POINTER, SCRATCH), jalr(link, POINTER, 12), addi(0, 0, 0), addi(0, 0, 0)];
    choice.into_iter().chain(jump).collect()
}
