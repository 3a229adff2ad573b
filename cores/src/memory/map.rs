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
    let (stack, lanes) = (shape.stack_bytes.trailing_zeros() as usize, shape.lane_bits());
    let held = concat([
        &address.from(stack + lanes),
        &address.slice(2, stack - 2),
        &address.slice(stack, lanes),
        &address.slice(0, 2),
    ]);
    in_stacks(shape, address).mux(&held, address)
}

/// Whether a byte address in RAM is above the start of the stacks.
fn in_stacks(shape: &Shape, address: &Expr) -> Expr {
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
