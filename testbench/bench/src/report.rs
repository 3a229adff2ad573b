//! The result of a run: outcome, counts, final memory, and their texts.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sim::{Accesses, Fault, Group, Program, Progress};
use weft_config::Config;
use weft_trace::{Region, Statistics};

use crate::bench::UnknownBranches;
use crate::engine::Engine;
use crate::lockstep::Mismatch;
use crate::memory::Layout;
use crate::text::disassemble;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `tohost` = 1.
    Pass,
    /// `tohost` is odd and not 1: a test failed.
    Fail,
    Exited,
    /// No thread can go on.
    Deadlock,
    /// A thread that can run is not served for longer than its unit promises.
    SuspectedDeadlock,
    /// The run reached its limit of cycles (model without timing: of issues).
    Limit,
    /// The core halted, or `tohost` is even.
    Fault,
    /// Hardware and model, or hardware and memory protocol, disagree.
    Mismatch,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Exited => "exited",
            Self::Deadlock => "deadlock",
            Self::SuspectedDeadlock => "suspected-deadlock",
            Self::Limit => "limit",
            Self::Fault => "fault",
            Self::Mismatch => "mismatch",
        }
    }

    fn of_tohost(value: u32) -> Self {
        match value {
            1 => Self::Pass,
            odd if odd % 2 == 1 => Self::Fail,
            _ => Self::Fault,
        }
    }
}

/// How a run ended.
pub(crate) enum How {
    Done,
    ToHost(u32),
    Fault(Fault),
    /// Threads wait for ever: the outcome, and a report for the user.
    Waits(Outcome, String),
    Limit,
    Mismatch(Box<Mismatch>),
}

impl From<sim::Outcome> for How {
    fn from(outcome: sim::Outcome) -> Self {
        match outcome {
            sim::Outcome::Exited => Self::Done,
            sim::Outcome::ToHost(value) => Self::ToHost(value),
            sim::Outcome::Deadlock(text) => Self::Waits(Outcome::Deadlock, text),
            sim::Outcome::SuspectedDeadlock(text) => Self::Waits(Outcome::SuspectedDeadlock, text),
            sim::Outcome::Limit => Self::Limit,
            sim::Outcome::Fault(fault) => Self::Fault(fault),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalMemory {
    words: Vec<u32>,
    layout: Layout,
}

impl FinalMemory {
    pub(crate) fn new(config: &Config, words: Vec<u32>) -> Self {
        Self { words, layout: Layout::new(config) }
    }

    /// The word that holds the byte at a program's `address`; `None` outside RAM.
    pub fn read_word(&self, address: u32) -> Option<u32> {
        self.words.get(self.layout.index(self.layout.physical(address))).copied()
    }
}

#[derive(Clone, Debug)]
pub struct Report {
    pub outcome: Outcome,
    /// Cycles from the first fetch to the last exit or the store to `tohost`, else to the end of the run. `None` from
    /// the model without timing.
    /// Without a trace port, the last exit is only seen as `done`, when nothing is in flight any more.
    pub cycles: Option<u64>,
    /// Counts; all zero if the core has no trace port.
    pub statistics: Statistics,
    /// The counts by region; empty without a trace port.
    pub regions: Vec<Region>,
    /// Releases of threads that waited at several pcs.
    pub mixed_releases: u64,
    /// Cycles without an issue; `None` from the model without timing, and without a trace port.
    pub idle_cycles: Option<u64>,
    /// Reads of the data cache, and accesses of the second-level cache; of the model with timing alone.
    pub data_cache: Option<Accesses>,
    pub second_level: Option<Accesses>,
    pub mismatch: Option<Mismatch>,
    pub fault: Option<Fault>,
    pub deadlock: Option<String>,
    /// Where the threads that have not ended are, if there is a trace port.
    pub threads: Vec<Group>,
    /// The most bytes of its stack that a hart has used; `None` if no program set `sp` to its stack.
    pub stack_bytes: Option<u32>,
    pub tohost: Option<u32>,
    /// Exit code of each hart; `None` if it has not ended, or there is no trace port.
    pub exit_codes: Vec<Option<u32>>,
    /// A summary for the user, possibly with several lines.
    pub message: String,
    pub wall: Duration,
    pub memory: FinalMemory,
    /// Whether `statistics` were counted.
    pub(crate) counted: bool,
}

impl Report {
    /// The report of a run that began at `started`, without its counts and its message.
    pub(crate) fn new(how: How, progress: &Progress, memory: FinalMemory, started: Instant) -> Self {
        let mut report = Self {
            outcome: Outcome::Exited,
            cycles: None,
            statistics: Statistics::default(),
            regions: Vec::new(),
            mixed_releases: progress.mixed_releases(),
            idle_cycles: None,
            data_cache: None,
            second_level: None,
            mismatch: None,
            fault: None,
            deadlock: None,
            threads: progress.groups(),
            stack_bytes: progress.stack_bytes(),
            tohost: None,
            exit_codes: progress.exit_codes().to_vec(),
            message: String::new(),
            wall: started.elapsed(),
            memory,
            counted: true,
        };
        match how {
            How::Done => {}
            How::ToHost(value) => {
                report.outcome = Outcome::of_tohost(value);
                report.tohost = Some(value);
            }
            How::Fault(fault) => {
                report.outcome = Outcome::Fault;
                report.fault = Some(fault);
            }
            How::Waits(outcome, text) => {
                report.outcome = outcome;
                report.deadlock = Some(text);
            }
            How::Limit => report.outcome = Outcome::Limit,
            How::Mismatch(mismatch) => {
                report.outcome = Outcome::Mismatch;
                report.mismatch = Some(*mismatch);
            }
        }
        report
    }

    /// Adds the message, with what the user should know besides the outcome.
    pub(crate) fn explained(
        mut self,
        (config, program, max_cycles): (&Config, &Program, u64),
        progress: &Progress,
        unknown_branches: &UnknownBranches,
    ) -> Self {
        self.message = self.describe(config, program, max_cycles);
        for line in [progress.warnings(program), unknown_branches.describe(self.counted)].into_iter().flatten() {
            self.message = format!("{}\n{line}", self.message.trim_end());
        }
        self
    }

    /// Returns whether the outcome is `pass`, or `exited` with every exit code 0.
    pub fn success(&self) -> bool {
        match self.outcome {
            Outcome::Pass => true,
            Outcome::Exited => self.exit_codes.iter().all(|code| *code == Some(0)),
            _ => false,
        }
    }

    /// The object that `--stats` writes.
    pub fn stats_json(&self, config: &Config, program: &Program, engine: Engine) -> Value {
        let statistics = &self.statistics;
        let counted = |value: Value| if self.counted { value } else { Value::Null };
        let ipc = self.cycles.map(|cycles| statistics.issues as f64 / cycles.max(1) as f64);
        let mut object = json!({
            "config": config,
            "program": program.name,
            "engine": engine.name(),
            "outcome": self.outcome.name(),
            "cycles": self.cycles,
            "warp_instructions": counted(json!(statistics.warp_instructions)),
            "issues": counted(json!(statistics.issues)),
            "thread_instructions": counted(json!(statistics.thread_instructions)),
            "ipc": counted(json!(ipc)),
            "lane_utilisation": counted(json!(statistics.lane_utilisation(config.threads))),
            "avg_path": statistics.avg_path(),
            "idle_cycles": self.idle_cycles,
            "dcache_reads": self.data_cache.map(|reads| reads.all),
            "dcache_misses": self.data_cache.map(|reads| reads.misses),
            "l2_accesses": self.second_level.map(|accesses| accesses.all),
            "l2_misses": self.second_level.map(|accesses| accesses.misses),
            "replays": counted(json!(statistics.replays())),
            "divergent_branches": counted(json!(statistics.divergent_branches)),
            "high_water": statistics.high_water(),
            "mixed_releases": counted(json!(self.mixed_releases)),
            "regions": counted(self.regions.iter().map(|counts| self.region_json(counts)).collect()),
            "stack_bytes": self.stack_bytes,
            "fault": self.fault.map(|fault| {
                let (name, Fault { cause, pc, warp, lane, address }) = (fault.cause_name(), fault);
                json!({ "cause": cause, "name": name, "pc": pc, "warp": warp, "lane": lane, "address": address })
            }),
            "exit_codes": self.exit_codes,
            "threads": counted(self.threads.iter().map(|Group { warp, mask, pc, state }| {
                json!({ "warp": warp, "mask": mask, "pc": pc, "place": pc.map(|pc| program.source(pc)), "state": state })
            }).collect()),
            "wall_seconds": self.wall.as_secs_f64(),
        });
        if engine == Engine::Cosim || self.mismatch.is_some() {
            object["mismatch"] = json!(self.mismatch);
        }
        object
    }

    fn region_json(&self, counts: &Region) -> Value {
        let mut object = json!(counts);
        if self.cycles.is_none() {
            object["cycles"] = Value::Null;
        }
        object
    }

    fn describe(&self, config: &Config, program: &Program, max_cycles: u64) -> String {
        let name = &program.name;
        match self.outcome {
            Outcome::Pass => format!("pass: {name}"),
            Outcome::Exited => format!("exited: {name}: {}", describe_exit_codes(&self.exit_codes, config.threads)),
            Outcome::Limit => {
                let unit = if self.cycles.is_some() { "cycles" } else { "issues" };
                let places = sim::places(&self.threads, program);
                format!("limit: {name} has not ended after {max_cycles} {unit}\n{places}")
            }
            Outcome::Mismatch => self.mismatch.as_ref().map_or(String::new(), |mismatch| mismatch.report.clone()),
            Outcome::Deadlock | Outcome::SuspectedDeadlock => self.deadlock.clone().unwrap_or_default(),
            Outcome::Fail | Outcome::Fault => match (&self.fault, self.tohost) {
                (Some(fault), _) => format!("fault: {name}: {}", self.describe_fault(fault, program)),
                (None, Some(value)) if value % 2 == 1 => format!("fail: {name}: test {} failed", value >> 1),
                (None, value) => {
                    let value = value.unwrap_or_default();
                    format!("fault: {name}: tohost = {value:#x}, expected 1 (pass) or an odd number (a failed test)")
                }
            },
        }
    }

    fn describe_fault(&self, fault: &Fault, program: &Program) -> String {
        let instruction = match self.memory.read_word(fault.pc) {
            Some(word) if fault.pc.is_multiple_of(4) => format!(": {}{}", disassemble(word), remedy(fault, word)),
            _ => String::new(),
        };
        let Fault { cause, pc, warp, lane, address } = *fault;
        let address = address.map_or(String::new(), |address| format!(", address {address:#010x}"));
        let cause_name = fault.cause_name();
        format!(
            "{cause_name} (cause {cause}) at {}, warp {warp}, lane {lane}{address}{instruction}",
            program.source(pc)
        )
    }
}

/// Advice for a word that is not an instruction of the core, or not there.
fn remedy(fault: &Fault, word: u32) -> &'static str {
    let (opcode, form, csr) = (word & 0x7f, word >> 12 & 7, word >> 20);
    match (opcode, csr) {
        _ if fault.cause != Fault::ILLEGAL_INSTRUCTION => "",
        _ if word & 3 != 3 && word & 0xffff != 0 => ", a compressed instruction: compile with -march=rv32i (no `c`)",
        (0x73, 0x802) if form & 3 == 1 => {
            ", while a thread of its warp waits at the barrier: write the level when no thread of the warp waits"
        }
        (0x73, 0x802 | 0x804) => ": write this register with csrw or csrwi",
        (0x73, 0x803) => ": write the call depth with csrwi",
        _ => "",
    }
}

fn describe_exit_codes(codes: &[Option<u32>], threads: u32) -> String {
    let wrong = |code: &Option<u32>| code.is_some_and(|code| code != 0);
    let Some(hart) = codes.iter().position(wrong) else {
        return format!("{} threads, every exit code 0", codes.len());
    };
    let (warp, lane, code) = (hart as u32 / threads, hart as u32 % threads, codes[hart].unwrap_or_default());
    let first = format!("warp {warp}, lane {lane}: {code} ({code:#x})");
    if codes.contains(&None) {
        return format!("an exit code other than 0: {first}; without a trace port the others are not known");
    }
    let count = codes.iter().filter(|code| wrong(code)).count();
    format!("{count} of {} threads have an exit code other than 0; the first: {first}", codes.len())
}
