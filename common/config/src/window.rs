//! `memory.windows`: address ranges outside RAM, for the registers of devices.

use std::ops::Range;

use crate::SCRATCHPAD_BASE;
use crate::check::Broken;
use crate::keys::{Config, MemoryKind};
use crate::table::Refusal;
use crate::value::Given;

/// The console, which is one word.
const CONSOLE: Range<u64> = 0x1000_0000..0x1000_0004;

/// An address range whose accesses reach the bus one by one. Its size is a power of two and its base a multiple of it,
/// so that each lane of the core compares the upper bits of its address, and no aligned access crosses its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first address.
    pub base: u32,
    pub bytes: u32,
}

impl Window {
    /// Windows of a core: every lane compares its address with each.
    pub(crate) const MOST: usize = 8;
    const SMALLEST: u64 = 4;
    const LARGEST: u64 = 1 << 30;

    pub fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }

    fn range(&self) -> Range<u64> {
        u64::from(self.base)..u64::from(self.base) + u64::from(self.bytes)
    }

    /// Takes `[base, bytes]` as it was written.
    fn accept(given: &Given) -> Result<Self, Refusal> {
        let pair = if let Given::Array(pair) = given { pair.as_slice() } else { &[] };
        let [Given::Integer(base), Given::Integer(bytes)] = pair else {
            let hint = "each window is a pair of integers: write [[0xf0000000, 4096]]";
            return Err(Refusal::OutOfRange { hint: hint.into() });
        };
        let limits = (Self::SMALLEST.into(), Self::LARGEST.into());
        let above = (*bytes).clamp(limits.0, limits.1).unsigned_abs().next_power_of_two() as u64;
        if i128::from(above) != *bytes {
            let below = if i128::from(above) < *bytes || above == Self::SMALLEST { above } else { above / 2 };
            let nearest = if below == above { format!("{above}") } else { format!("{below} and {above}") };
            return Err(Refusal::OutOfRange { hint: format!("the nearest to {bytes} bytes: {nearest}") });
        }
        let last = (1 << 32) - above;
        let below = (*base).clamp(0, last.into()) as u64 / above * above;
        if i128::from(below) == *base {
            return Ok(Self { base: below as u32, bytes: above as u32 });
        }
        let bases = Self::show([Some(below), Some(below + above).filter(|_| i128::from(below) < *base)], last);
        Err(Refusal::OutOfRange { hint: format!("the nearest bases: {bases}") })
    }

    fn show(bases: [Option<u64>; 2], last: u64) -> String {
        let bases = bases.into_iter().flatten().filter(|base| *base <= last);
        bases.map(|base| format!("{base:#010x}")).collect::<Vec<_>>().join(" and ")
    }
}

/// Takes a list of windows as it was written.
pub(crate) fn accept(given: &Given) -> Result<Vec<Window>, Refusal> {
    let Given::Array(list) = given else { return Err(Refusal::WrongType) };
    if list.len() > Window::MOST {
        let hint = format!("the nearest is {} windows: join neighbours to larger ones", Window::MOST);
        return Err(Refusal::OutOfRange { hint });
    }
    list.iter().map(Window::accept).collect()
}

pub(crate) fn values() -> String {
    format!("up to {} of [base, bytes], bytes a power of two from 4 to 2^30, base a multiple", Window::MOST)
}

pub(crate) fn value(windows: &[Window]) -> toml::Value {
    let pair = |window: &Window| toml::Value::from(vec![i64::from(window.base), i64::from(window.bytes)]);
    toml::Value::Array(windows.iter().map(pair).collect())
}

pub(crate) fn text(windows: &[Window]) -> String {
    let pairs: Vec<String> = windows.iter().map(|Window { base, bytes }| format!("[{base:#010x}, {bytes}]")).collect();
    format!("[{}]", pairs.join(", "))
}

/// Checks that there is a bus, and that windows overlap nothing.
pub(crate) fn check(config: &Config) -> Result<(), Broken> {
    let windows = &config.memory.windows;
    if windows.is_empty() {
        return Ok(());
    }
    let kind = config.memory.kind;
    if kind != MemoryKind::Axi4 {
        return Err(Broken {
            keys: &["memory.windows", "memory.kind"],
            reason: format!(
                "`memory.windows` with `memory.kind` = \"{}\": only the AXI4 master has accesses of one beat",
                kind.name()
            ),
            hint: "set memory.kind=\"axi4\", or memory.windows=[]".into(),
        });
    }
    for (number, window) in windows.iter().enumerate() {
        let taken = taken(config, number);
        let Some((what, range)) = taken.iter().find(|(_, range)| overlap(range, &window.range())) else { continue };
        return Err(Broken {
            keys: &["memory.windows", "memory.base", "memory.ram_bytes", "scratchpad.bytes", "memory.kind"],
            reason: format!(
                "`memory.windows`: [{:#010x}, {}] overlaps {what} ({:#010x} to {:#010x})",
                window.base,
                window.bytes,
                range.start,
                range.end - 1
            ),
            hint: nearest(window, &taken),
        });
    }
    Ok(())
}

/// The addresses that window `number` may not have.
fn taken(config: &Config, number: usize) -> Vec<(String, Range<u64>)> {
    let range = |base: u32, bytes: u32| u64::from(base)..u64::from(base) + u64::from(bytes);
    let others = config.memory.windows.iter().enumerate().filter(|(other, _)| *other != number);
    let fixed = [
        ("RAM".to_owned(), range(config.memory.base, config.memory.ram_bytes)),
        ("the console".to_owned(), CONSOLE),
        ("the scratchpad".to_owned(), range(SCRATCHPAD_BASE, config.scratchpad.bytes)),
    ];
    let others = others.map(|(other, window)| (format!("window {other}"), window.range()));
    fixed.into_iter().chain(others).filter(|(_, range)| !range.is_empty()).collect()
}

/// The nearest bases at which a window overlaps nothing.
fn nearest(window: &Window, taken: &[(String, Range<u64>)]) -> String {
    let (bytes, last) = (u64::from(window.bytes), (1 << 32) - u64::from(window.bytes));
    let obstacle = |base: u64| taken.iter().map(|(_, range)| range).find(|range| overlap(range, &(base..base + bytes)));
    let (mut below, mut above) = (Some(u64::from(window.base)), Some(u64::from(window.base)));
    while let Some(range) = below.and_then(obstacle) {
        below = range.start.checked_sub(bytes).map(|base| base / bytes * bytes);
    }
    while let Some(range) = above.and_then(obstacle) {
        above = Some(range.end.next_multiple_of(bytes)).filter(|base| *base <= last);
    }
    format!("the nearest bases: {}", Window::show([below, above], last))
}

fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}
