//! The pipeline log: the stage of each instruction in each cycle, for Konata (format "Kanata" 0004).
//!
//! The trace port shows an instruction from its issue on. Nothing after S3 stalls: an instruction issued in cycle t
//! is in S4 in cycle t + 1, and so on to S8 in cycle t + 5, where it commits.
//! A squashed instruction ends in S7. The stage `wait` lies between S8 and the S9 of a long-latency result.
//! The threads of Konata are the warps. Stages before S3 are not shown, because the trace port does not report them.
//!
//! An instruction reads `80000010 <main>: 00052503 lw a0,0(a0) [1 of f]`: address, word, assembly text, and the
//! served lanes of the path's mask in hex. If all are served, only the mask is shown.

use std::collections::VecDeque;
use std::io::{self, Write};

use sim::Program;
use sim::decode::{Instruction, Unit, decode};
use weft_trace::Commit;

use crate::text::disassemble;
use crate::trace_port::Sample;

/// The stages from issue to commit, one cycle each.
const STAGES: [&str; 6] = ["S3", "S4", "S5", "S6", "S7", "S8"];

const COMMIT: u64 = STAGES.len() as u64 - 1;

struct Issued {
    id: u64,
    warp: u32,
    cycle: u64,
    squashed: bool,
}

/// A committed instruction whose long-latency result has not been written.
struct Waiting {
    id: u64,
    number: u64,
    /// Cycle after its S8.
    since: u64,
}

pub(super) struct PipelineLog<'a, 'o> {
    sink: &'o mut dyn Write,
    program: &'a Program,
    now: Option<u64>,
    ids: u64,
    retired: u64,
    issued: VecDeque<Issued>,
    waiting: Vec<Waiting>,
    /// Instructions that leave their last stage with this cycle.
    leaving: Vec<u64>,
    /// Per warp: the pc of the last commit and its number of parts so far, if lanes are left.
    parts: Vec<Option<(u32, u32)>>,
}

impl<'a, 'o> PipelineLog<'a, 'o> {
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

    fn advance(&mut self, cycle: u64) -> io::Result<()> {
        for index in 0..self.issued.len() {
            let Issued { id, cycle: issue, .. } = self.issued[index];
            self.stage(cycle, id, STAGES[(cycle - issue) as usize])?;
        }
        Ok(())
    }

    /// The instruction that was in S7 in the last cycle commits or ends.
    fn end_oldest(&mut self, cycle: u64, commit: Option<&Commit>) -> io::Result<()> {
        if self.issued.front().is_none_or(|oldest| oldest.cycle + COMMIT > cycle) {
            return Ok(());
        }
        let Some(oldest) = self.issued.pop_front() else { return Ok(()) };
        let id = oldest.id;
        let Some(commit) = commit.filter(|commit| !oldest.squashed && commit.warp == oldest.warp) else {
            // It was squashed or faulted.
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
        let address = self.program.place(pc);
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

    /// Logs the pending results, and the one that is written now.
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

/// Returns whether a late write follows a commit.
fn comes_late(commit: &Commit) -> bool {
    let computed_late = |instruction| match instruction {
        Instruction::Compute { computation, .. } => computation.unit != Unit::Lanes,
        _ => false,
    };
    commit.memory.is_answered() || decode(commit.instruction).is_some_and(computed_late)
}
