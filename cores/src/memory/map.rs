//! The memory map as gates: what is RAM, and where a word of a stack is held.

use rtl::{Expr, concat, lit, ones};

use crate::shape::{RAM_BASE, Shape};

/// Whether a byte address lies in RAM.
pub fn in_ram(shape: &Shape, address: &Expr) -> Expr {
    address.bit(31) & below(&address.slice(0, 31), u64::from(shape.ram_bytes))
}

/// Whether `offset` is less than `bound`, which is a multiple of 4.
fn below(offset: &Expr, bound: u64) -> Expr {
    if bound.is_power_of_two() {
        offset.from(bound.trailing_zeros() as usize).none()
    } else {
        offset.from(2).lt(&lit(offset.width() - 2, bound / 4))
    }
}

/// The address at which memory holds a byte address of the program.
///
/// Stacks are interleaved by word between the lanes of a warp: {warp, lane, word, byte} is held at
/// {warp, word, lane, byte}, so that the same slot of all lanes is one line. Everything else is held where it is.
pub fn physical(shape: &Shape, address: &Expr) -> Expr {
    if !shape.stack_interleave || shape.threads == 1 {
        return address.clone();
    }
    let (stack, lanes) = (stack_bits(shape), shape.lane_bits());
    let held = concat([
        &address.from(stack + lanes),
        &address.slice(2, stack - 2),
        &address.slice(stack, lanes),
        &address.slice(0, 2),
    ]);
    in_stacks(shape, address).mux(&held, address)
}

/// Where in its line a byte address is held, if it lies in the stacks or not: the number of the word.
pub fn word_in_line(shape: &Shape, in_stacks: &Expr, address: &Expr) -> Expr {
    let lanes = shape.lane_bits();
    let plain = address.slice(2, lanes);
    if !shape.stack_interleave { plain } else { in_stacks.mux(&address.slice(stack_bits(shape), lanes), &plain) }
}

/// How a byte address compares with another one.
pub struct Comparison {
    /// They are held in the same line.
    pub same_line: Expr,
    /// Bits 31:2 are the same.
    pub same_word: Expr,
}

/// Compares a byte address with another one, of which is known whether it lies in the stacks.
///
/// Where the stacks begin, all bits below the numbers of lanes are 0: addresses with the same bits above are in the
/// stacks, or are not, together. So no address is permuted: the lane's number is left out of the comparison in the
/// stacks, the word's number within a line elsewhere.
pub fn compare(shape: &Shape, address: &Expr, other: &Expr, other_in_stacks: &Expr) -> Comparison {
    let equal = |from: usize, to: usize| {
        let width = to.saturating_sub(from);
        address.slice(from.min(to), width).eq(&other.slice(from.min(to), width))
    };
    let lanes = shape.lane_bits();
    let line = 2 + lanes;
    if !shape.stack_interleave {
        let same_line = equal(line, 32);
        return Comparison { same_word: &same_line & equal(2, line), same_line };
    }
    let stack = stack_bits(shape);
    let always = equal(line, stack) & equal(stack + lanes, 32);
    let in_stacks = equal(2, line.min(stack));
    let elsewhere = equal(line.max(stack), stack + lanes);
    Comparison {
        same_line: &always & other_in_stacks.mux(&in_stacks, &elsewhere),
        same_word: always & in_stacks & elsewhere & equal(stack, line),
    }
}

fn stack_bits(shape: &Shape) -> usize {
    shape.stack_bytes.trailing_zeros() as usize
}

/// Whether a byte address in RAM is above the start of the stacks.
pub fn in_stacks(shape: &Shape, address: &Expr) -> Expr {
    let all = shape.ram_bytes - (shape.stacks() - RAM_BASE);
    let start = shape.stacks() - RAM_BASE;
    if all.is_power_of_two() && start.is_multiple_of(all) {
        let shift = all.trailing_zeros() as usize;
        let block = address.slice(shift, 31 - shift);
        let expected = u64::from(start / all);
        let matches = if block.width() == 0 { ones(1) } else { block.is(expected) };
        address.bit(31) & matches
    } else {
        address.bit(31) & !below(&address.slice(0, 31), u64::from(start))
    }
}
