//! The pipeline log: which instruction is in which stage in which cycle, as Konata shows it (format
//! "Kanata" 0004).
//!
//! The trace port shows an instruction from its issue on. Nothing after S3 ever stalls, so that an
//! instruction issued in cycle t is in S4 in cycle t + 1, and so on to S8 in cycle t + 5, where it commits.
//! A squashed one ends in S7. Between S8 and the S9 of a late result stands the stage `wait`. The threads of
//! Konata are the warps; stages before S3 belong to no instruction of the trace port and are not shown.
//!
//! An instruction reads `80000010 <main>: 00052503 lw a0,0(a0) [1 of f]`: address, word, meaning, and the
//! lanes served of the mask of its path, in hex, or the mask alone if all are.

use std::collections::VecDeque;
use std::io::{self, Write};

use sim::Program;
use sim::decode::{Instruction, Unit, decode};
use weft_trace::Commit;

use crate::text::{disassemble, place};
use crate::trace_port::Sample;

/// The stages from issue to commit, one cycle each.
const STAGES: [&str; 6] = ["S3", "S4", "S5", "S6", "S7", "S8"];

/// Cycles from issue to S8.
const COMMIT: u64 = STAGES.len() as u64 - 1;

/// An instruction between S3 and S8.
struct Issued {
    id: u64,
    warp: u32,
    cycle: u64,
    squashed: bool,
}

/// A committed instruction whose late result has not been written.
struct Waiting {
    id: u64,
    /// Number of its commit.
    number: u64,
    /// Cycle after its S8.
    since: u64,
}

/// Writes the log of one run.
pub(super) struct PipelineLog<'a, 'o> {
    sink: &'o mut dyn Write,
    program: &'a Program,
    /// Cycle of the last line, if there is one.
    now: Option<u64>,
    ids: u64,
    retired: u64,
    issued: VecDeque<Issued>,
    waiting: Vec<Waiting>,
    /// What leaves its last stage with this cycle.
    leaving: Vec<u64>,
    /// Per warp: the pc of the last commit and how many parts of it there were, if lanes are left.
    parts: Vec<Option<(u32, u32)>>,
}

impl<'a, 'o> PipelineLog<'a, 'o> {
    /// A log of `warps` warps.
    pub(super) fn new(sink: &'o mut dyn Write, program: &'a Program, warps: u32) -> Self {
        Self {
            sink,
            program,
            now: None,
            ids: 0,
            retired: 0,
            issued: VecDeque::new(),
            waiting: Vec::new(),
            leaving: Vec::new(),
            parts: vec![None; warps as usize],
        }
    }

    /// Takes in a cycle.
    pub(super) fn cycle(&mut self, cycle: u64, trace: &Sample) -> io::Result<()> {
        for id in std::mem::take(&mut self.leaving) {
            self.retire(cycle, id)?;
        }
        if let Some(warp) = trace.squash
            && let Some(squashed) = self.issued.iter_mut().find(|entry| entry.warp == warp && !entry.squashed)
        {
            squashed.squashed = true;
            let id = squashed.id;
            self.line(cycle, format_args!("L\t{id}\t0\tsquashed"))?;
        }
        self.end_oldest(cycle, trace.commit.as_ref())?;
        self.advance(cycle)?;
        self.wait(cycle, trace.late_write.as_ref().map(|late| late.number))?;
        trace.issue.map_or(Ok(()), |(warp, _)| self.issue(cycle, warp))
    }

    fn issue(&mut self, cycle: u64, warp: u32) -> io::Result<()> {
        let id = self.ids;
        self.ids += 1;
        self.issued.push_back(Issued { id, warp, cycle, squashed: false });
        self.line(cycle, format_args!("I\t{id}\t{id}\t{warp}"))?;
        self.stage(cycle, id, STAGES[0])
    }

    /// Everything between S3 and S7 moves on.
    fn advance(&mut self, cycle: u64) -> io::Result<()> {
        for index in 0..self.issued.len() {
            let Issued { id, cycle: issue, .. } = self.issued[index];
            self.stage(cycle, id, STAGES[(cycle - issue) as usize])?;
        }
        Ok(())
    }

    /// What was in S7 in the last cycle commits, or is gone.
    fn end_oldest(&mut self, cycle: u64, commit: Option<&Commit>) -> io::Result<()> {
        if self.issued.front().is_none_or(|oldest| oldest.cycle + COMMIT > cycle) {
            return Ok(());
        }
        let Some(oldest) = self.issued.pop_front() else { return Ok(()) };
        let id = oldest.id;
        let Some(commit) = commit.filter(|commit| !oldest.squashed && commit.warp == oldest.warp) else {
            // Squashed, or at fault: nothing of it remains.
            return self.line(cycle, format_args!("R\t{id}\t0\t1"));
        };
        self.stage(cycle, id, STAGES[COMMIT as usize])?;
        self.describe(cycle, id, commit)?;
        if comes_late(commit) {
            self.waiting.push(Waiting { id, number: commit.number, since: cycle + 1 });
        } else {
            self.leaving.push(id);
        }
        Ok(())
    }

    fn describe(&mut self, cycle: u64, id: u64, commit: &Commit) -> io::Result<()> {
        let &Commit { warp, slot, pc, instruction, mask, served, number, .. } = commit;
        let lanes = if served == mask { format!("{mask:x}") } else { format!("{served:x} of {mask:x}") };
        let address = place(self.program, pc);
        let address = address.strip_prefix("0x").unwrap_or(&address);
        self.line(cycle, format_args!("L\t{id}\t0\t{address}: {} [{lanes}]", disassemble(instruction)))?;

        let before = &mut self.parts[warp as usize];
        let part = before.filter(|(partial, _)| *partial == pc).map_or(1, |(_, parts)| parts + 1);
        *before = (served != mask).then_some((pc, part));
        let replay = match (part, served == mask) {
            (1, true) => String::new(),
            (_, true) => format!(", part {part}, the last"),
            (_, false) => format!(", part {part}, the rest is replayed"),
        };
        let divergent = if commit.divergent { ", divergent" } else { "" };
        self.line(cycle, format_args!("L\t{id}\t1\twarp {warp}, slot {slot}, commit {number}{replay}{divergent}"))
    }

    /// Results that are still to come, and the one that is written now.
    fn wait(&mut self, cycle: u64, written: Option<u64>) -> io::Result<()> {
        for index in 0..self.waiting.len() {
            let Waiting { id, number, since } = self.waiting[index];
            if written != Some(number) && since == cycle {
                self.stage(cycle, id, "wait")?;
            }
        }
        if let Some(index) = self.waiting.iter().position(|waiting| written == Some(waiting.number)) {
            let id = self.waiting.remove(index).id;
            self.stage(cycle, id, "S9")?;
            self.leaving.push(id);
        }
        Ok(())
    }

    fn retire(&mut self, cycle: u64, id: u64) -> io::Result<()> {
        let order = self.retired;
        self.retired += 1;
        self.line(cycle, format_args!("R\t{id}\t{order}\t0"))
    }

    fn stage(&mut self, cycle: u64, id: u64, stage: &str) -> io::Result<()> {
        self.line(cycle, format_args!("S\t{id}\t0\t{stage}"))
    }

    fn line(&mut self, cycle: u64, line: std::fmt::Arguments<'_>) -> io::Result<()> {
        match self.now.replace(cycle) {
            None => write!(self.sink, "Kanata\t0004\nC=\t{cycle}\n")?,
            Some(now) if now != cycle => writeln!(self.sink, "C\t{}", cycle - now)?,
            Some(_) => {}
        }
        writeln!(self.sink, "{line}")
    }
}

/// Whether a late write follows a commit.
fn comes_late(commit: &Commit) -> bool {
    let computed_late = |instruction| match instruction {
        Instruction::Compute { computation, .. } => computation.unit != Unit::Lanes,
        _ => false,
    };
    commit.memory.is_answered() || decode(commit.instruction).is_some_and(computed_late)
}
