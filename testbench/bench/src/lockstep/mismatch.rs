//! The first difference between hardware and model, for programs and for reports.

use std::fmt::{self, Write};

use serde::Serialize;
use sim::{Machine, Program};
use weft_trace::PathRecord;

use super::history::History;
use crate::memory::Violation;
use crate::text::{describe, disassemble};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) field: &'static str,
    pub(super) lane: Option<u32>,
    pub(super) expected: String,
    pub(super) actual: String,
}

impl Difference {
    pub(super) fn new(field: &'static str, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self { field, lane: None, expected: expected.into(), actual: actual.into() }
    }

    pub(super) fn in_lane(self, lane: usize) -> Self {
        Self { lane: Some(lane as u32), ..self }
    }
}

/// Returns a difference unless the two are equal; prints them with the given format.
macro_rules! require_equal {
    ($field:expr, $expected:expr, $actual:expr, $format:literal) => {
        if $expected != $actual {
            return Err(Difference::new($field, format!($format, $expected), format!($format, $actual)));
        }
    };
}
pub(super) use require_equal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) warp: u32,
    pub(super) slot: u32,
    pub(super) pc: u32,
    pub(super) instruction: u32,
}

/// The first difference between the hardware and the model. `None` where a field does not apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    pub cycle: u64,
    pub warp: Option<u32>,
    pub slot: Option<u32>,
    pub pc: Option<u32>,
    /// Lane, for values.
    pub lane: Option<u32>,
    pub field: String,
    pub expected: String,
    pub actual: String,
    #[serde(skip)]
    pub report: String,
}

impl Mismatch {
    fn new(cycle: u64, subject: Option<Subject>, difference: Difference, report: String) -> Box<Self> {
        let Difference { field, lane, expected, actual } = difference;
        Box::new(Self {
            cycle,
            warp: subject.map(|subject| subject.warp),
            slot: subject.map(|subject| subject.slot),
            pc: subject.map(|subject| subject.pc),
            lane,
            field: field.into(),
            expected,
            actual,
            report,
        })
    }

    pub(crate) fn against_the_protocol(cycle: u64, Violation { signal, expected, actual }: &Violation) -> Box<Self> {
        let report = format!(
            "mismatch in cycle {cycle}: {signal} breaks the rules of its port\n  \
             expected {expected}\n  actual   {actual}\n"
        );
        Self::new(cycle, None, Difference::new(signal, expected, actual), report)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.report)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HotPaths {
    pub(super) x: Option<PathRecord>,
    pub(super) y: Option<PathRecord>,
}

pub(super) struct Scene<'a> {
    pub(super) program: &'a Program,
    pub(super) machine: &'a Machine,
    pub(super) history: &'a History,
    /// From the hardware's last context record of the warp.
    pub(super) hardware_paths: HotPaths,
}

impl Scene<'_> {
    pub(super) fn mismatch(&self, cycle: u64, subject: Option<Subject>, difference: Difference) -> Box<Mismatch> {
        let report = self.report(cycle, subject, &difference);
        Mismatch::new(cycle, subject, difference, report)
    }

    fn report(&self, cycle: u64, subject: Option<Subject>, difference: &Difference) -> String {
        let mut text = format!("mismatch in cycle {cycle}: {}", difference.field);
        if let Some(lane) = difference.lane {
            let _ = write!(text, ", lane {lane}");
        }
        let _ = write!(text, "\n  expected {}\n  actual   {}\n", difference.expected, difference.actual);
        let Some(Subject { warp, slot, pc, instruction }) = subject else { return text };
        let _ =
            writeln!(text, "  warp {warp}, slot {slot}, pc {}: {}", self.program.place(pc), disassemble(instruction));
        let _ = writeln!(text, "last commits of warp {warp}:");
        self.history.write(&mut text, self.program, warp);
        self.write_paths(&mut text, warp);
        text
    }

    /// Writes all paths of the model, and those in the hardware's last record.
    pub(super) fn write_paths(&self, text: &mut String, warp: u32) {
        let _ = writeln!(text, "paths of warp {warp} in the model:");
        for (place, path) in self.machine.paths(warp).iter().enumerate() {
            let _ = writeln!(text, "  {}{}", self.role(warp, place, path), describe(self.program, path));
        }
        let HotPaths { x, y } = &self.hardware_paths;
        let path = |path: &PathRecord| describe(self.program, path);
        let or_none = |shown: &Option<PathRecord>| shown.as_ref().map_or("none".into(), path);
        if self.machine.slots() > 1 {
            let _ = writeln!(text, "paths in the slots of warp {warp} in the hardware, by its last context record:");
            let _ = writeln!(text, "  slot 0: {}\n  slot 1: {}", or_none(x), or_none(y));
            return;
        }
        let _ = writeln!(text, "active path of warp {warp} in the hardware, by its last context record:");
        let _ = writeln!(text, "  {}", or_none(x));
        if let Some(y) = y {
            let _ = writeln!(text, "and next to it:\n  {}", path(y));
        }
    }

    /// The role of a path of the model's list in its divergence unit.
    fn role(&self, warp: u32, place: usize, path: &PathRecord) -> String {
        if self.machine.slots() > 1 {
            let slot = (0..self.machine.slots()).find(|slot| self.machine.path(warp, *slot).as_ref() == Some(path));
            return slot.map_or("waits: ".into(), |slot| format!("slot {slot}: "));
        }
        match place {
            _ if self.machine.second(warp).is_none() => String::new(),
            0 => "x: ".into(),
            1 => "y: ".into(),
            place => format!("row {}: ", place - 2),
        }
    }
}
