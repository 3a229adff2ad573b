//! The summary of a run as text.

use std::fmt::Write;

use serde_json::Value;
use weft_config::{Slots, Unit};

/// Formats a figure; `None` if the engine does not measure it.
type Show = fn(&Value) -> Option<String>;

/// The figures of the summary: name in the JSON object, label, and format.
const FIGURES: &[(&str, &str, Show)] = &[
    ("cycles", "cycles", count),
    ("ipc", "IPC", ratio),
    ("lane_utilisation", "lane utilisation", percentage),
    ("issues", "issues", count),
    ("replays", "of them replays", count),
    ("warp_instructions", "warp instructions", count),
    ("thread_instructions", "thread instructions", count),
    ("divergent_branches", "divergent branches", count),
    ("avg_path", "schedulable paths", ratio),
    ("high_water", "most paths in a warp", count),
    ("stack_bytes", "bytes of stack", count),
    ("idle_cycles", "idle cycles", count),
    ("dcache_reads", "reads of the cache", count),
    ("dcache_misses", "of them misses", count),
    ("l2_accesses", "accesses of the L2", count),
    ("l2_misses", "of them misses", count),
    ("wall_seconds", "seconds", ratio),
];

/// Returns the label of a figure for this unit, if the figure applies.
fn label(name: &str, label: &'static str, unit: &str) -> Option<&'static str> {
    let of = |has: fn(&Unit) -> bool| Unit::find(unit).is_ok_and(has);
    match name {
        // Other units always have one schedulable path.
        "avg_path" if !of(|unit| unit.reconverges || unit.slots != Slots::One) => None,
        "high_water" if of(|unit| unit.reconverges) => Some("most rows of a stack"),
        _ => Some(label),
    }
}

/// Makes the message of the test bench and the figures that the engine measured.
pub fn text(statistics: &Value, message: &str) -> String {
    let mut text = format!("{}\n", message.trim_end());
    let unit = statistics["config"]["divergence"]["unit"].as_str().unwrap_or_default();
    let figure =
        |(name, words, show): &(&str, &'static str, Show)| Some((label(name, words, unit)?, show(&statistics[name])?));
    let shown: Vec<(&str, String)> = FIGURES.iter().filter_map(figure).collect();
    let width = shown.iter().map(|(_, figure)| figure.len()).max().unwrap_or(0);
    for (label, figure) in shown {
        let _ = writeln!(text, "  {label:<21} {figure:>width$}");
    }
    text
}

/// Formats a number in groups of three digits.
fn count(value: &Value) -> Option<String> {
    let digits = value.as_u64()?.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    Some(groups.join(" "))
}

fn ratio(value: &Value) -> Option<String> {
    Some(format!("{:.3}", value.as_f64()?))
}

fn percentage(value: &Value) -> Option<String> {
    Some(format!("{:.1} %", 100.0 * value.as_f64()?))
}

#[cfg(test)]
mod tests;
