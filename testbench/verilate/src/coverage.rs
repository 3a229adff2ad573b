//! Coverage counters of a verilated core: how often each line ran, each bit changed, each functional point was met.
//!
//! Verilator generates the counters. Those of each instance are added up when it ends. A final instance then writes
//! the sums with their names, in the format of `verilator_coverage`.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    Points,
    /// Also a counter for each of tens of thousands of bits. Every bit is compared with its last value in each cycle,
    /// by separate code that exceeds a processor's cache.
    PointsAndBits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PointKind {
    Line,
    Toggle,
    /// A functional point: a `cover` statement of the design.
    Functional,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    pub kind: PointKind,
    pub module: String,
    /// The line number in the core's Verilog, from 1 on; or the bit; or the name of the statement.
    pub name: String,
    /// The count, summed over all instances of the module.
    pub count: u64,
}

/// The sums over all instances of a core, shared by them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums(Arc<Mutex<Vec<u32>>>);

impl Sums {
    pub(super) fn add(&self, counters: &[u32]) {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sums.resize(counters.len(), 0);
        for (sum, counter) in sums.iter_mut().zip(counters) {
            *sum = sum.saturating_add(*counter);
        }
    }

    pub(super) fn get(&self) -> Vec<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads a file of `verilator_coverage`: a line `C 'KEYS' COUNT` for each point, each key as \x01 name \x02 value.
pub(super) fn read(path: &Path) -> io::Result<Vec<Point>> {
    let text = fs::read_to_string(path)?;
    let malformed = |line: &str| io::Error::new(io::ErrorKind::InvalidData, format!("no point of coverage: {line}"));
    text.lines().filter(|line| line.starts_with('C')).map(|line| point(line).ok_or_else(|| malformed(line))).collect()
}

fn point(line: &str) -> Option<Point> {
    let (keys, count) = line.strip_prefix("C '")?.rsplit_once("' ")?;
    let value = |wanted: &str| {
        keys.split('\x01').find_map(|key| key.split_once('\x02').filter(|(name, _)| *name == wanted)).map(|key| key.1)
    };
    let (page, module) = value("page")?.split_once('/')?;
    let kind = match page {
        "v_line" | "v_branch" => PointKind::Line,
        "v_toggle" => PointKind::Toggle,
        "v_user" => PointKind::Functional,
        _ => return None,
    };
    let name = match kind {
        PointKind::Line => value("l")?.to_owned(),
        PointKind::Toggle => value("o")?.to_owned(),
        // The comment is `cover`; the hierarchy ends in the name of the statement.
        PointKind::Functional => value("h")?.rsplit('.').next()?.to_owned(),
    };
    Some(Point { kind, module: module.to_owned(), name, count: count.trim().parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(keys: &[(&str, &str)], count: u64) -> String {
        let keys: String = keys.iter().map(|(name, value)| format!("\x01{name}\x02{value}")).collect();
        format!("C '{keys}' {count}")
    }

    #[test]
    fn points_are_read_with_their_kind_module_and_name() {
        let user =
            line(&[("f", "core.v"), ("l", "7"), ("page", "v_user/unit"), ("o", "cover"), ("h", "top.s8.met")], 3);
        let toggle = line(&[("l", "9"), ("page", "v_toggle/s0_steer"), ("o", "grant[2]"), ("h", "top.s0")], 0);
        let block = line(&[("l", "12"), ("page", "v_line/s0_steer"), ("o", "block"), ("h", "top.s0")], 41);
        let of = |kind, module: &str, name: &str, count| {
            Some(Point { kind, module: module.into(), name: name.into(), count })
        };
        assert_eq!(point(&user), of(PointKind::Functional, "unit", "met", 3));
        assert_eq!(point(&toggle), of(PointKind::Toggle, "s0_steer", "grant[2]", 0));
        assert_eq!(point(&block), of(PointKind::Line, "s0_steer", "12", 41));
        assert_eq!(point("C 'nothing' 1"), None);
    }
}
