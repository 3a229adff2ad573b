//! The lock-step checker: steps the golden model by the commits of the hardware and compares
//! everything that the trace port, the memory port and the console say.
//!
//! What the hardware computes is compared with what the model computes, never copied into it, except
//! the values of `mcycle` and `minstret`, which are checked to be monotone. The first difference ends
//! the run.
//!
//! - a *commit* must be of the path in charge of its warp, exactly: pc and mask; then every field;
//! - its *context* record must name the path in charge after it: pc, depth, mask, parked;
//! - each load gets one *late write*, no other instruction does, and no write overtakes it;
//! - a *release* comes when the model's barrier is due, and not otherwise;
//! - *requests* reach the memory once each, in the order of the commits, and so do console bytes;
//! - a *fault* is the model's fault; at the *end* both memories are equal.

mod compare;
mod counters;
mod history;
mod loads;
mod mismatch;
mod transactions;

use std::collections::VecDeque;

use sim::{Fault, Given, Machine, PolicyError, Program, Step, Stop};
use weft_config::Config;
use weft_trace::{Commit, Context, Event, Exchange, LateWrite, Moves, PathRecord};

pub use mismatch::Mismatch;
pub(crate) use mismatch::{disassemble, place};

use crate::memory::{Operation, RAM_BASE, Ram, Request};
use counters::Counters;
use history::History;
use loads::Loads;
use mismatch::{Difference, Scene, Subject, require_equal};
use transactions::Transactions;

/// Paths of a warp around a commit, for the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Paths that the unit could have issued from.
    pub schedulable: u32,
    /// Paths held after the commit.
    pub held: u32,
}

/// How the hardware ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `done`: all threads have ended and nothing is in flight.
    Done,
    /// The `tohost` word became this value.
    ToHost(u32),
    /// A fault: what was committed before it has been performed.
    Halted,
    /// It was stopped with work in flight.
    Stopped,
}

/// The checker of one run.
pub struct Checker<'a> {
    program: &'a Program,
    machine: Machine,
    expected: Commit,
    history: History,
    hardware_paths: Vec<Option<PathRecord>>,
    /// Cycle and warp of the context records that commits so far still owe.
    owed_contexts: VecDeque<(u64, u32)>,
    /// Cycles from a commit's record to its context record.
    context_delay: u64,
    loads: Loads,
    transactions: Transactions,
    counters: Counters,
    tohost: Option<u32>,
    faulted: bool,
}

type Checked<T> = Result<T, Box<Mismatch>>;
type Located = (Option<Subject>, Difference);

impl<'a> Checker<'a> {
    /// A checker for a run from reset.
    pub fn new(config: &Config, program: &'a Program) -> Result<Self, PolicyError> {
        Ok(Self {
            program,
            machine: Machine::new(config, program)?,
            expected: Commit::default(),
            history: History::new(config.warps),
            hardware_paths: vec![None; config.warps as usize],
            owed_contexts: VecDeque::new(),
            context_delay: context_delay(config),
            loads: Loads::default(),
            transactions: Transactions::default(),
            counters: Counters::default(),
            tohost: None,
            faulted: false,
        })
    }

    /// The model, as far as it has been stepped.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// A commit, and the context record of its cycle: its own, or with `arbiter.pipeline_stages` that of a commit so
    /// many cycles before.
    pub fn commit(&mut self, commit: &Commit, context: Option<&Context>) -> Checked<Paths> {
        if commit.warp as usize >= self.hardware_paths.len() {
            let difference = Difference::new("warp", "a warp of the core", commit.warp.to_string());
            return Err(Scene { hardware_path: None, ..self.scene(0) }.mismatch(commit.cycle, None, difference));
        }
        self.history.push(commit);
        let schedulable = self.machine.schedulable(commit.warp);
        let own = context.filter(|context| self.context_delay == 0 && context.warp == commit.warp);
        if let Some(context) = own {
            self.hardware_paths[commit.warp as usize] = context.x;
        }
        self.check_commit(commit, context).map_err(|difference| {
            let &Commit { warp, slot, pc, instruction, .. } = commit;
            let subject = Subject { warp, slot, pc, instruction };
            self.scene(warp).mismatch(commit.cycle, Some(subject), difference)
        })?;
        if let Some(context) = context.filter(|_| self.context_delay > 0) {
            self.lone_context(context)?;
        }
        Ok(Paths { schedulable, held: self.machine.held(commit.warp) })
    }

    fn check_commit(&mut self, commit: &Commit, context: Option<&Context>) -> Result<(), Difference> {
        if self.faulted {
            return Err(Difference::new("commit", "none after the fault", format!("pc {:#010x}", commit.pc)));
        }
        let Some(path) = self.machine.path(commit.warp) else {
            let expected = format!("no commit of warp {}: its threads have ended", commit.warp);
            return Err(Difference::new("commit", expected, format!("pc {:#010x}", commit.pc)));
        };
        require_equal!("pc", path.pc, commit.pc, "{:#010x}");
        require_equal!("mask", path.mask, commit.mask, "{:#x}");
        if path.parked {
            return Err(Difference::new("commit", "none: the path waits at the barrier", "a commit"));
        }

        self.expected.cycle = commit.cycle;
        self.expected.slot = 0;
        let given = Given { values: Some(&commit.values) };
        let step = self.machine.step(commit.warp, &given, &mut self.expected).map_err(|stop| match stop {
            Stop::Fault(fault) => Difference::new("error_valid", fault.to_string(), "a commit"),
            Stop::Idle => Difference::new("commit", "none: no path of the warp can run", "a commit"),
        })?;
        compare::commits(&self.expected, commit)?;

        let Step::Committed { late, volatile, tohost } = step;
        if volatile {
            self.counters.check(commit)?;
        }
        if self.expected.writes || late {
            self.loads.check_overtaking(&self.expected)?;
        }
        // Every answer of memory is written, one to x0 too.
        if late || Operation::of_commit(self.expected.memory).is_some_and(Operation::is_answered) {
            self.loads.push(&self.expected);
        }
        self.transactions.push(&self.expected);
        self.tohost = self.tohost.or(tohost);
        if self.context_delay > 0 {
            let missing = self.owed_contexts.front().is_some_and(|(due, _)| *due < commit.cycle);
            self.owed_contexts.push_back((commit.cycle + self.context_delay, commit.warp));
            return if missing { Err(Self::no_context()) } else { Ok(()) };
        }
        let context = context.ok_or_else(Self::no_context)?;
        require_equal!("context_warp", commit.warp, context.warp, "{}");
        self.check_context(context)
    }

    fn no_context() -> Difference {
        Difference::new("context_valid", "a context record for each commit", "none")
    }

    fn check_context(&self, context: &Context) -> Result<(), Difference> {
        require_equal!("context_rotates", Event::Commit, context.event, "{:?}");
        require_equal!("context_y_valid", None::<PathRecord>, context.y, "{:?}");
        require_equal!("context_moves", Moves::default(), context.moves, "{:?}");
        match (self.machine.path(context.warp), &context.x) {
            (None, None) => Ok(()),
            (Some(path), None) => Err(Difference::new("context_x_valid", self.describe(&path), "no path")),
            (None, Some(path)) => Err(Difference::new("context_x_valid", "no path", self.describe(path))),
            (Some(expected), Some(actual)) => {
                require_equal!("context_x_pc", expected.pc, actual.pc, "{:#010x}");
                require_equal!("context_x_depth", expected.depth, actual.depth, "{}");
                require_equal!("context_x_mask", expected.mask, actual.mask, "{:#x}");
                require_equal!("context_x_parked", expected.parked, actual.parked, "{}");
                Ok(())
            }
        }
    }

    /// A context record without a commit of its cycle: right only if a commit owes it.
    pub fn lone_context(&mut self, context: &Context) -> Checked<()> {
        if self.owed_contexts.front() == Some(&(context.cycle, context.warp)) {
            self.owed_contexts.pop_front();
            self.hardware_paths[context.warp as usize] = context.x;
            return self
                .check_context(context)
                .map_err(|difference| self.scene(context.warp).mismatch(context.cycle, None, difference));
        }
        let x = context.x.as_ref().map_or("no path".into(), |path| self.describe(path));
        self.locate(context.cycle, (None, Difference::new("context_valid", "no record without a commit", x)))
    }

    /// An exchange by a sorter: the units so far have none.
    pub fn exchange(&mut self, exchange: &Exchange) -> Checked<()> {
        let Exchange { cycle, warp, row } = *exchange;
        let actual = format!("row {row} of warp {warp}");
        self.locate(cycle, (None, Difference::new("exchange_valid", "no exchange", actual)))
    }

    /// A late write.
    pub fn late_write(&mut self, late: &LateWrite) -> Checked<()> {
        self.loads.take(late).or_else(|located| self.locate(late.cycle, located))
    }

    /// A release of the barrier.
    pub fn release(&mut self, cycle: u64) -> Checked<()> {
        if self.machine.release() {
            return Ok(());
        }
        let live = self.machine.live();
        let expected = format!("none: not all of the {live} live threads wait at the barrier");
        self.locate(cycle, (None, Difference::new("release", expected, "a release")))
    }

    /// A request that the memory accepted.
    pub fn request(&mut self, cycle: u64, request: &Request<'_>) -> Checked<()> {
        self.transactions.perform(request).or_else(|located| self.locate(cycle, located))
    }

    /// A byte that the console took.
    pub fn console(&mut self, cycle: u64, byte: u8) -> Checked<()> {
        self.transactions.transmit(byte).or_else(|located| self.locate(cycle, located))
    }

    /// The hardware halts.
    pub fn fault(&mut self, cycle: u64, fault: &Fault) -> Checked<()> {
        if fault.warp as usize >= self.hardware_paths.len() {
            let difference = Difference::new("error_warp", "a warp of the core", fault.warp.to_string());
            return self.locate(cycle, (None, difference));
        }
        let path = self.machine.path(fault.warp);
        let subject = path.map(|path| Subject {
            warp: fault.warp,
            slot: 0,
            pc: path.pc,
            instruction: self.machine.read_word(path.pc).unwrap_or(0),
        });
        let compared = match self.machine.step(fault.warp, &Given::default(), &mut self.expected) {
            Err(Stop::Fault(expected)) => compare_faults(&expected, fault),
            Err(Stop::Idle) => Err(Difference::new("error_valid", "no path of the warp can run", fault.to_string())),
            Ok(_) => Err(Difference::new("error_valid", "the instruction commits", fault.to_string())),
        };
        self.faulted = true;
        compared.or_else(|difference| self.locate(cycle, (subject, difference)))
    }

    /// The hardware made no progress for `run.watchdog` cycles: right if the model has nothing to do.
    pub fn stuck(&mut self, cycle: u64) -> Checked<()> {
        if self.machine.release() {
            let difference = Difference::new("release", "a release: every live thread waits at the barrier", "none");
            return self.locate(cycle, (None, difference));
        }
        for warp in 0..self.hardware_paths.len() as u32 {
            let Some(path) = self.machine.path(warp).filter(|path| !path.parked) else { continue };
            let instruction = self.machine.read_word(path.pc).unwrap_or(0);
            let subject = Subject { warp, slot: 0, pc: path.pc, instruction };
            let difference = Difference::new("commit", self.describe(&path), "no progress of the core");
            return self.locate(cycle, (Some(subject), difference));
        }
        self.loads.check_empty().and_then(|()| self.transactions.check_empty()).or_else(|d| self.locate(cycle, d))
    }

    /// The run is over: nothing may be missing, and the memories must agree.
    pub fn finish(&mut self, cycle: u64, end: End, ram: &Ram) -> Checked<()> {
        self.check_end(end).or_else(|located| self.locate(cycle, located))?;
        let hardware = if self.transactions.are_performed() { None } else { Some(self.transactions.applied_to(ram)) };
        let (expected, actual) = (self.machine.memory(), hardware.as_ref().unwrap_or(ram));
        if expected.words() == actual.words() {
            return Ok(());
        }
        let addresses = (RAM_BASE..=u32::MAX).step_by(4).take(expected.words().len().max(actual.words().len()));
        let differs = |address: &u32| expected.read_word(*address) != actual.read_word(*address);
        let address = addresses.into_iter().find(differs).unwrap_or(RAM_BASE);
        let word = |word: Option<u32>| {
            let value = word.map_or("nothing".into(), |word| format!("{word:#010x}"));
            format!("{value} at {}", place(self.program, address))
        };
        let (expected, actual) = (word(expected.read_word(address)), word(actual.read_word(address)));
        self.locate(cycle, (None, Difference::new("final_memory", expected, actual)))
    }

    fn check_end(&self, end: End) -> Result<(), Located> {
        match end {
            End::Done if self.machine.live() > 0 => {
                let expected = format!("not yet: {} threads live", self.machine.live());
                Err((None, Difference::new("done", expected, "done")))
            }
            End::Done => self.loads.check_empty().and_then(|()| self.transactions.check_empty()),
            End::ToHost(value) if self.tohost != Some(value) => {
                let expected = self.tohost.map_or("no store".into(), |value| format!("{value:#x}"));
                Err((None, Difference::new("tohost", expected, format!("{value:#x}"))))
            }
            End::Halted => self.transactions.check_lines_empty(),
            End::ToHost(_) | End::Stopped => Ok(()),
        }
    }

    fn describe(&self, path: &PathRecord) -> String {
        mismatch::describe(self.program, path)
    }

    fn scene(&self, warp: u32) -> Scene<'_> {
        let hardware_path = self.hardware_paths[warp as usize];
        Scene { program: self.program, machine: &self.machine, history: &self.history, hardware_path }
    }

    fn locate(&self, cycle: u64, (subject, difference): Located) -> Checked<()> {
        Err(self.scene(subject.map_or(0, |subject| subject.warp)).mismatch(cycle, subject, difference))
    }
}

/// A unit that the model knows and the hardware does not has no delay.
fn context_delay(config: &Config) -> u64 {
    cores::divergence::find(&config.divergence.unit).map_or(0, |unit| unit.record_delay(config) as u64)
}

fn compare_faults(expected: &Fault, actual: &Fault) -> Result<(), Difference> {
    require_equal!("error_cause", expected.cause, actual.cause, "{}");
    require_equal!("error_pc", expected.pc, actual.pc, "{:#010x}");
    require_equal!("error_warp", expected.warp, actual.warp, "{}");
    require_equal!("error_lane", expected.lane, actual.lane, "{}");
    Ok(())
}
