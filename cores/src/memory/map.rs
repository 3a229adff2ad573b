//! The memory map as gates: what is RAM, and where a word of a stack is held.

use rtl::{Builder, Expr, concat, lit, ones};

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

/// How the byte addresses of all lanes compare with another one, a bit each.
pub struct Comparison {
    /// They are held in the same line.
    pub same_line: Expr,
    /// Bits 31:2 are the same.
    pub same_word: Expr,
}

/// Compares byte addresses with another one, of which is known whether it lies in the stacks.
///
/// Where the stacks begin, all bits below the numbers of lanes are 0: addresses with the same bits above are in the
/// stacks, or are not, together. So no address is permuted: the lane's number is left out of the comparison in the
/// stacks, the word's number within a line elsewhere.
pub fn compare(m: &Builder, shape: &Shape, addresses: &Expr, other: &Expr, other_in_stacks: &Expr) -> Comparison {
    let equal = |lane: usize, from: usize, to: usize| {
        let (from, width) = (from.min(to), to.saturating_sub(from));
        addresses.slice(32 * lane + from, width).eq(&other.slice(from, width))
    };
    let each = |name: &str, same: &dyn Fn(usize) -> Expr| m.wire_each(shape.lanes(), name, same);
    let lanes = shape.lane_bits();
    let line = 2 + lanes;
    if !shape.stack_interleave {
        let same_line = each("same_line", &|lane| equal(lane, line, 32));
        let same_word = each("same_word", &|lane| same_line.bit(lane) & equal(lane, 2, line));
        return Comparison { same_line, same_word };
    }
    let stack = stack_bits(shape);
    let always = each("same_otherwise", &|lane| equal(lane, line, stack) & equal(lane, stack + lanes, 32));
    let in_stacks = each("same_in_stacks", &|lane| equal(lane, 2, line.min(stack)));
    let elsewhere = each("same_elsewhere", &|lane| equal(lane, line.max(stack), stack + lanes));
    let same_line = |lane: usize| always.bit(lane) & other_in_stacks.mux(&in_stacks.bit(lane), &elsewhere.bit(lane));
    let same_word =
        |lane: usize| always.bit(lane) & in_stacks.bit(lane) & elsewhere.bit(lane) & equal(lane, stack, line);
    Comparison { same_line: each("same_line", &same_line), same_word: each("same_word", &same_word) }
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
