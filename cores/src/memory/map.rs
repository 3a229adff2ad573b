//! The memory map as gates: the bounds of RAM, the addresses that may be accessed, and the address of a word of a stack
//! in memory.

use rtl::{Builder, Expr, concat, lit, ones, zeros};

use weft_config::{SCRATCHPAD_BASE, Window};

use crate::shape::{CONSOLE, RAM_BASE, SCRATCHPAD_BIT, Shape};
use crate::signals::Control;

pub fn in_ram(shape: &Shape, address: &Expr) -> Expr {
    let bits = shape.ram_base.trailing_zeros() as usize;
    let block = address.from(bits);
    let expected = shape.ram_base >> bits;
    let starts = if block.width() == 1 { block } else { block.is(expected.into()) };
    starts & below(&address.slice(0, bits), u64::from(shape.ram_bytes))
}

/// Whether an address that is not at fault is in RAM: the console and the scratchpad are below all that may be. Windows
/// may be anywhere, so beside them each range is compared as a whole.
pub fn at_ram(shape: &Shape, address: &Expr) -> Expr {
    if shape.has_windows() {
        return in_ram(shape, address);
    }
    if shape.ram_base >= RAM_BASE { address.bit(31) } else { address.bit(31) | address.bit(30) }
}

/// Whether an address that is not at fault is one of the scratchpad.
pub fn at_scratchpad(shape: &Shape, address: &Expr) -> Expr {
    if shape.has_windows() {
        return in_scratchpad(shape, address);
    }
    !at_ram(shape, address) & address.bit(SCRATCHPAD_BIT)
}

/// Whether an address that is not at fault is that of the console.
pub fn at_console(shape: &Shape, address: &Expr) -> Expr {
    if shape.has_windows() {
        return address.is(CONSOLE.into());
    }
    let below = !at_ram(shape, address);
    if shape.has_scratchpad() { below & !address.bit(SCRATCHPAD_BIT) } else { below }
}

pub fn in_scratchpad(shape: &Shape, address: &Expr) -> Expr {
    let bits = shape.scratchpad_bytes.trailing_zeros() as usize;
    address.from(bits).is(u64::from(SCRATCHPAD_BASE >> bits))
}

/// Whether the address is in a window.
pub fn in_windows(shape: &Shape, address: &Expr) -> Expr {
    let is_in = |Window { base, bytes }: &Window| {
        let bits = bytes.trailing_zeros();
        address.from(bits as usize).is((base >> bits).into())
    };
    shape.windows.iter().map(is_in).reduce(|one, other| one | other).unwrap_or_else(|| zeros(1))
}

/// Whether `offset` is less than `bound`, which is a multiple of 4.
fn below(offset: &Expr, bound: u64) -> Expr {
    if bound.is_power_of_two() {
        offset.from(bound.trailing_zeros() as usize).none()
    } else {
        offset.from(2).lt(&lit(offset.width() - 2, bound / 4))
    }
}

/// The lanes whose address has memory or a device that performs the operation.
pub fn mapped(m: &Builder, shape: &Shape, control: &Control, addresses: &Expr) -> Expr {
    let is_plain = !&control.is_atomic;
    // Of the atomic operations only AMOs have a code of 4 or more.
    let is_amo = control.memory_op.slice(2, 2).any();
    let by_scratchpad = if shape.scratchpad_atomics { is_amo | &is_plain } else { is_plain.clone() };
    let by_scratchpad = m.fault("the_scratchpad_takes_reservations", &by_scratchpad, &ones(1));
    let by_windows = m.fault("windows_take_atomic_operations", &is_plain, &ones(1));
    m.wire_each(shape.lanes(), "mapped", |lane| {
        let address = addresses.lane(lane, 32);
        let mut mapped = in_ram(shape, &address) | (address.is(u64::from(CONSOLE)) & &is_plain);
        if shape.has_scratchpad() {
            mapped = mapped | (in_scratchpad(shape, &address) & &by_scratchpad);
        }
        if shape.has_windows() {
            mapped = mapped | (in_windows(shape, &address) & &by_windows);
        }
        mapped
    })
}

/// The physical address of a byte address of the program.
///
/// Stacks are interleaved by word between the lanes of a warp. The byte {warp, lane, word, byte} is at {warp, word,
/// lane, byte} in memory, so the same stack offset of all lanes is one line. All other addresses stay the same.
pub fn physical(shape: &Shape, address: &Expr) -> Expr {
    if !interleaves(shape) {
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

/// The position in its line of the word of a lane's byte address. `in_stacks`: the lanes whose address is in the stacks.
pub fn word_in_line(shape: &Shape, in_stacks: &Expr, addresses: &Expr, lane: usize) -> Expr {
    let (bits, address) = (shape.lane_bits(), addresses.lane(lane, 32));
    let plain = address.slice(2, bits);
    if !interleaves(shape) {
        return plain;
    }
    in_stacks.bit(lane).mux(&address.slice(stack_bits(shape), bits), &plain)
}

/// A comparison of the byte addresses of all lanes with another one, one bit per lane.
pub struct Comparison {
    /// Both addresses are in the same physical line.
    pub same_line: Expr,
    /// Bits 31:2 are the same.
    pub same_word: Expr,
}

/// Compares byte addresses with another one. `in_stacks`: the lanes whose address is in the stacks.
///
/// At the start of the stacks all bits below the lane number are 0. So addresses that share the bits above are either
/// all in the stacks, or none is. Therefore the comparison permutes no address. It leaves out the lane number in the
/// stacks, and the number of the word in its line elsewhere.
pub fn compare(m: &Builder, shape: &Shape, addresses: &Expr, other: &Expr, in_stacks: &Expr) -> Comparison {
    let equal = |lane: usize, from: usize, to: usize| {
        let (from, width) = (from.min(to), to.saturating_sub(from));
        addresses.slice(32 * lane + from, width).eq(&other.slice(from, width))
    };
    let each = |name: &str, same: &dyn Fn(usize) -> Expr| m.wire_each(shape.lanes(), name, same);
    let lanes = shape.lane_bits();
    let line = 2 + lanes;
    if !interleaves(shape) {
        let same_line = each("same_line", &|lane| equal(lane, line, 32));
        let same_word = each("same_word", &|lane| same_line.bit(lane) & equal(lane, 2, line));
        return Comparison { same_line, same_word };
    }
    let stack = stack_bits(shape);
    let always = each("same_otherwise", &|lane| equal(lane, line, stack) & equal(lane, stack + lanes, 32));
    let inside = each("same_in_stacks", &|lane| equal(lane, 2, line.min(stack)));
    let elsewhere = each("same_elsewhere", &|lane| equal(lane, line.max(stack), stack + lanes));
    let same_line = |lane: usize| always.bit(lane) & in_stacks.bit(lane).mux(&inside.bit(lane), &elsewhere.bit(lane));
    let same_word = |lane: usize| always.bit(lane) & inside.bit(lane) & elsewhere.bit(lane) & equal(lane, stack, line);
    Comparison { same_line: each("same_line", &same_line), same_word: each("same_word", &same_word) }
}

fn stack_bits(shape: &Shape) -> usize {
    shape.stack_bytes.trailing_zeros() as usize
}

/// The lanes whose byte address is in the stacks, if those are interleaved.
pub fn lanes_in_stacks(m: &Builder, shape: &Shape, addresses: &Expr) -> Expr {
    if !interleaves(shape) {
        return zeros(0);
    }
    m.wire_each(shape.lanes(), "in_stacks", |lane| in_stacks(shape, &addresses.lane(lane, 32)))
}

/// Whether the words of the stacks are interleaved between lanes.
pub fn interleaves(shape: &Shape) -> bool {
    shape.stack_interleave && shape.threads > 1
}

/// Whether a byte address in RAM is above the start of the stacks.
fn in_stacks(shape: &Shape, address: &Expr) -> Expr {
    let bits = shape.ram_base.trailing_zeros() as usize;
    let all = shape.ram_bytes - (shape.stacks() - shape.ram_base);
    let start = shape.stacks() - shape.ram_base;
    let at_ram = at_ram(shape, address);
    if all.is_power_of_two() && start.is_multiple_of(all) {
        let shift = all.trailing_zeros() as usize;
        let block = address.slice(shift, bits - shift);
        let expected = u64::from(start / all);
        let matches = if block.width() == 0 { ones(1) } else { block.is(expected) };
        at_ram & matches
    } else {
        at_ram & !below(&address.slice(0, bits), u64::from(start))
    }
}
