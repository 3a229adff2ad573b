//! The lock-step checker: steps the golden model with the commits of the hardware, and compares everything at the
//! trace port, the memory port and the console.
//!
//! Values of the hardware are compared with those of the model and never copied into it. The exception are the
//! counters, which are checked to be monotone and close to the bench's counts. The first difference ends the run.
//!
//! - A *commit* must be of the path in its slot, with the same pc and mask; then every field must match. If a unit
//!   has several slots, the hardware chooses the slot.
//! - For a unit in Verilog there is no model. Its context record must name an existing path ([`Machine::follow`]),
//!   and the next commit must be of that path.
//! - The *context* record of a commit must name the active path after it, and the next one if the unit exposes two:
//!   pc, depth, mask, parked. It also names paths inserted and extracted behind them, or rows pushed and popped.
//! - A *rotation* must come before any commit of a slot whose path must yield or is at its reconvergence point.
//! - An *exchange* is followed if the unit's rules allow it.
//! - Each load gets one *late write*, no other instruction does, and no write overtakes it.
//! - A *release* comes exactly when the model's barrier is due.
//! - *Requests* reach the memory once each, in commit order; so do console bytes.
//! - A *fault* is the model's fault; the *exit code* at the ports is the model's, T + 4 cycles later at most; at the
//!   *end* both memories are equal, and both scratchpads. Accesses to the scratchpad make no request.

mod compare;
mod contexts;
mod counters;
mod exits;
mod history;
mod loads;
mod mismatch;
mod transactions;

use std::collections::BTreeMap;

use sim::{Exit, Fault, Given, Machine, Program, Step, Stop};
use weft_config::{Config, SCRATCHPAD_BASE, UnknownUnit};
use weft_trace::{Commit, Context, Event, Exchange, LateWrite, Moves, PathRecord, Sorting};

pub use mismatch::Mismatch;

use crate::memory::{Ram, Request};
use crate::text::describe;
use contexts::Contexts;
use counters::Counters;
use exits::Exits;
use history::History;
use loads::Loads;
use mismatch::{Difference, HotPaths, Scene, Subject, require_equal};
use transactions::Transactions;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `done`: all threads have ended and nothing is in flight.
    Done,
    ToHost(u32),
    /// A fault: everything committed before it has been performed.
    Halted,
    /// It was stopped with work in flight.
    Stopped,
}

pub struct Checker<'a> {
    program: &'a Program,
    machine: Machine,
    expected: Commit,
    history: History,
    /// From the last context record of each warp.
    hardware_paths: Vec<HotPaths>,
    contexts: Contexts,
    last_commit: Vec<Option<u64>>,
    loads: Loads,
    transactions: Transactions,
    counters: Counters,
    exits: Exits,
    tohost: Option<u32>,
    /// After a fault, or a word in `run.tohost`, nothing commits.
    halted: bool,
}

type Checked<T> = Result<T, Box<Mismatch>>;
type Located = (Option<Subject>, Difference);

impl<'a> Checker<'a> {
    pub fn new(config: &Config, program: &'a Program) -> Result<Self, UnknownUnit> {
        Ok(Self {
            program,
            machine: Machine::new(config, program)?,
            expected: Commit::default(),
            history: History::new(config.warps),
            hardware_paths: vec![HotPaths::default(); config.warps as usize],
            contexts: Contexts::new(record_delay(config)),
            last_commit: vec![None; config.warps as usize],
            loads: Loads::default(),
            transactions: Transactions::new(config),
            counters: Counters::default(),
            exits: Exits::new(config),
            tohost: None,
            halted: false,
        })
    }

    /// A control block starts the run in this cycle. Otherwise the run begins with cycle 0.
    pub fn starts(&mut self, cycle: u64) {
        self.counters = Counters::from_cycle(cycle);
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Checks a commit. `context` is the context record of the same cycle, which may belong to an earlier commit.
    /// Returns the number of paths (stacks: rows) that the unit holds for the warp after it.
    pub fn commit(&mut self, commit: &Commit, context: Option<&Context>) -> Checked<u32> {
        let &Commit { cycle, warp, slot, pc, instruction, .. } = commit;
        self.check_warp("warp", warp).or_else(|located| self.locate(cycle, located))?;
        self.history.push(commit);
        self.last_commit[warp as usize] = Some(cycle);
        let subject = Subject { warp, slot, pc, instruction };
        self.check_commit(commit, subject).or_else(|difference| self.locate(cycle, (Some(subject), difference)))?;
        if let Some(context) = context {
            self.context(context)?;
        }
        self.contexts.check_paid(cycle).or_else(|located| self.locate(cycle, located))?;
        Ok(self.machine.held(warp))
    }

    fn check_commit(&mut self, commit: &Commit, subject: Subject) -> Result<(), Difference> {
        if self.halted {
            return Err(Difference::new("commit", "none after the halt", format!("pc {:#010x}", commit.pc)));
        }
        let &Commit { warp, slot, .. } = commit;
        self.check_slot("slot", slot)?;
        if self.machine.must_rotate(warp, slot) {
            let expected = "a rotation: the path yields, or is at its reconvergence point";
            return Err(Difference::new("context_rotates", expected, format!("a commit of pc {:#010x}", commit.pc)));
        }
        let Some(path) = self.machine.path(warp, slot) else {
            let expected = match self.machine.paths(warp).is_empty() {
                true => format!("no commit of warp {warp}: its threads have ended"),
                false => format!("no commit of warp {warp}, slot {slot}: no path is there"),
            };
            return Err(Difference::new("commit", expected, format!("pc {:#010x}", commit.pc)));
        };
        require_equal!("pc", path.pc, commit.pc, "{:#010x}");
        require_equal!("mask", path.mask, commit.mask, "{:#x}");
        if path.parked {
            return Err(Difference::new("commit", "none: the path waits at the barrier", "a commit"));
        }

        self.expected.cycle = commit.cycle;
        let given = Given { values: Some(&commit.values) };
        let step = self.machine.step(warp, slot, &given, &mut self.expected).map_err(|stop| match stop {
            Stop::Fault(fault) => Difference::new("error_valid", fault.to_string(), "a commit"),
            Stop::Idle => Difference::new("commit", "none: the path cannot run", "a commit"),
        })?;
        compare::commits(&self.expected, commit)?;

        let Step::Committed { late, volatile, tohost, moves } = step;
        if volatile {
            self.counters.check(commit)?;
        }
        self.counters.count(commit);
        if self.expected.writes || late {
            self.loads.check_overtaking(&self.expected)?;
        }
        // Every response of memory is written, also one to x0.
        if late || self.expected.memory.is_answered() {
            self.loads.push(&self.expected);
        }
        self.transactions.push(&self.expected);
        self.tohost = self.tohost.or(tohost);
        self.halted = tohost.is_some() && self.exits.tohost_halts;
        self.exits.expect(commit.cycle, self.machine.ending().exit);
        self.contexts.owe(commit.cycle, subject, moves);
        Ok(())
    }

    /// Checks a context record, of a commit or of a rotation.
    pub fn context(&mut self, context: &Context) -> Checked<()> {
        let &Context { cycle, warp, slot, event, x, y, .. } = context;
        let owed = match event {
            Event::Rotation => self.rotate(warp, slot),
            Event::Commit | Event::Release => self.contexts.take(context),
        };
        if let Some(paths) = self.hardware_paths.get_mut(warp as usize) {
            *paths = HotPaths { x, y };
        }
        let (subject, moves) = owed.or_else(|located| self.locate(cycle, located))?;
        if !self.machine.follow(warp, x) {
            let expected = "a path of live threads that are all at its pc, parked only if no other path could run";
            let actual = x.map_or("no path".into(), |path| self.describe(&path));
            return self.locate(cycle, (Some(subject), Difference::new("context_x", expected, actual)));
        }
        let expected = (self.machine.path(warp, 0), self.machine.second(warp));
        contexts::compare(expected, moves, context, |path| self.describe(path))
            .or_else(|difference| self.locate(cycle, (Some(subject), difference)))
    }

    /// The model follows a rotation if it is due. A stack also pops rows in this way whose threads have all ended,
    /// even if those are all threads of the warp.
    fn rotate(&mut self, warp: u32, slot: u32) -> Result<(Subject, Moves), Located> {
        self.check_warp("context_warp", warp)?;
        self.check_slot("context_slot", slot).map_err(|difference| (self.subject(warp, slot), difference))?;
        let subject = self.subject(warp, slot).unwrap_or(Subject { warp, slot, pc: 0, instruction: 0 });
        match self.machine.rotate(warp, slot) {
            Some(moves) => Ok((subject, moves)),
            None => {
                let expected = "none: the path stays active, or no other can run";
                Err((Some(subject), Difference::new("context_rotates", expected, "a rotation")))
            }
        }
    }

    fn check_warp(&self, field: &'static str, warp: u32) -> Result<(), Located> {
        let is_there = (warp as usize) < self.hardware_paths.len();
        if is_there { Ok(()) } else { Err((None, Difference::new(field, "a warp of the core", warp.to_string()))) }
    }

    fn check_slot(&self, field: &'static str, slot: u32) -> Result<(), Difference> {
        let slots = self.machine.slots();
        let expected = || if slots == 1 { "0".into() } else { format!("below {slots}") };
        if slot < slots { Ok(()) } else { Err(Difference::new(field, expected(), slot.to_string())) }
    }

    /// Follows a step of the unit's sorter, if it is legal.
    pub fn exchange(&mut self, exchange: &Exchange) -> Checked<()> {
        let Exchange { cycle, warp, row, sorting } = *exchange;
        let Some(subject) = self.subject(warp, 0) else {
            let expected = "a warp of the core with live threads";
            return self.locate(cycle, (None, Difference::new("exchange_warp", expected, warp.to_string())));
        };
        if self.last_commit[warp as usize] == Some(cycle) {
            let expected = "none in the cycle of a commit of its warp, which reads y";
            let difference = Difference::new("exchange_valid", expected, format!("an exchange in warp {warp}"));
            return self.locate(cycle, (Some(subject), difference));
        }
        let (field, rule) = match sorting {
            Sorting::Exchange => ("exchange_row", "a path that comes before y, outside a hold"),
            Sorting::Merge => ("exchange_merges", "a path equal to y, outside a hold"),
            Sorting::Fold => ("exchange_folds", "a path equal to the one in row 0, outside a hold"),
        };
        let paths = self.machine.paths(warp);
        if self.machine.sorted(warp, row, sorting) {
            return Ok(());
        }
        let path = |path: Option<&PathRecord>| path.map_or("no path".into(), |path| self.describe(path));
        let expected = format!("{rule}; y is {}", path(paths.get(1)));
        let difference = Difference::new(field, expected, format!("row {row}: {}", path(paths.get(2 + row as usize))));
        self.locate(cycle, (Some(subject), difference))
    }

    pub fn late_write(&mut self, late: &LateWrite) -> Checked<()> {
        self.loads.take(late).or_else(|located| self.locate(late.cycle, located))
    }

    /// Checks a release of these warps, bit w for warp w.
    pub fn release(&mut self, cycle: u64, warps: u64) -> Checked<()> {
        let due = self.machine.due();
        if self.machine.release(warps) {
            return Ok(());
        }
        let expected = match due {
            0 => format!("none: not all of the {} live threads wait at the barrier", self.machine.live()),
            _ => format!("whole groups of the warps {due:#x}"),
        };
        self.locate(cycle, (None, Difference::new("release", expected, format!("a release of the warps {warps:#x}"))))
    }

    pub fn request(&mut self, cycle: u64, request: &Request<'_>) -> Checked<()> {
        self.transactions.perform(request).or_else(|located| self.locate(cycle, located))
    }

    pub fn console(&mut self, cycle: u64, byte: u8) -> Checked<()> {
        self.transactions.transmit(byte).or_else(|located| self.locate(cycle, located))
    }

    /// Compares the exit code at the ports in a cycle after its commit was checked.
    pub fn exit(&mut self, cycle: u64, exit: Option<Exit>, done: bool) -> Checked<()> {
        self.exits.check(cycle, exit, done).or_else(|difference| self.locate(cycle, (None, difference)))
    }

    pub fn fault(&mut self, cycle: u64, fault: &Fault) -> Checked<()> {
        self.check_warp("error_warp", fault.warp).or_else(|located| self.locate(cycle, located))?;
        // The port names the lane but not the slot.
        let has_lane = |slot: &u32| {
            self.machine
                .path(fault.warp, *slot)
                .is_some_and(|path| path.mask.checked_shr(fault.lane).unwrap_or(0) & 1 != 0)
        };
        let slot = (0..self.machine.slots()).find(has_lane).unwrap_or(0);
        let subject = self.subject(fault.warp, slot);
        // An even word in `run.tohost` is a fault of an instruction that commits.
        let of_tohost = self.machine.ending().fault.map(|fault| Err(Stop::Fault(fault)));
        let step = || self.machine.step(fault.warp, slot, &Given::default(), &mut self.expected);
        let compared = match of_tohost.unwrap_or_else(step) {
            Err(Stop::Fault(expected)) => compare_faults(&expected, fault),
            Err(Stop::Idle) => Err(Difference::new("error_valid", "no path of the warp can run", fault.to_string())),
            Ok(_) => Err(Difference::new("error_valid", "the instruction commits", fault.to_string())),
        };
        self.halted = true;
        compared.or_else(|difference| self.locate(cycle, (subject, difference)))
    }

    /// Checks a stop after `run.watchdog` cycles without progress: correct if the model has nothing to do.
    pub fn stuck(&mut self, cycle: u64) -> Checked<()> {
        let due = self.machine.due();
        if due != 0 {
            let expected = format!("a release of the warps {due:#x}: every live thread waits at the barrier");
            let difference = Difference::new("release", expected, "none");
            return self.locate(cycle, (None, difference));
        }
        let warps = 0..self.hardware_paths.len() as u32;
        for (warp, slot) in warps.flat_map(|warp| (0..self.machine.slots()).map(move |slot| (warp, slot))) {
            let Some(subject) = self.subject(warp, slot) else { continue };
            let (field, expected) = match self.machine.path(warp, slot) {
                _ if self.machine.must_rotate(warp, slot) => ("context_rotates", "a rotation to the next path".into()),
                Some(path) if !path.parked => ("commit", self.describe(&path)),
                _ => continue,
            };
            let difference = Difference::new(field, expected, "no progress of the core");
            return self.locate(cycle, (Some(subject), difference));
        }
        self.check_performed().or_else(|located| self.locate(cycle, located))
    }

    /// Nothing that was committed waits for memory or for the console.
    fn check_performed(&self) -> Result<(), Located> {
        self.loads.check_empty()?;
        self.transactions.check_empty()
    }

    /// Checks the end of the run: nothing may be missing, and the memories must agree.
    pub fn finish(&mut self, cycle: u64, end: End, ram: &Ram) -> Checked<()> {
        self.check_end(cycle, end).or_else(|located| self.locate(cycle, located))?;
        let hardware = if self.transactions.are_performed() { None } else { Some(self.transactions.applied_to(ram)) };
        let (expected, actual) = (self.machine.memory(), hardware.as_ref().unwrap_or(ram));
        if expected.words() == actual.words() {
            return self.finish_windows(cycle, actual.window_words());
        }
        let addresses =
            (ram.layout().base..=u32::MAX).step_by(4).take(expected.words().len().max(actual.words().len()));
        let differs = |address: &u32| expected.read_word(*address) != actual.read_word(*address);
        let address = addresses.into_iter().find(differs).unwrap_or(ram.layout().base);
        let word = |word: Option<u32>| {
            let value = word.map_or("nothing".into(), |word| format!("{word:#010x}"));
            format!("{value} at {}", self.program.place(address))
        };
        let (expected, actual) = (word(expected.read_word(address)), word(actual.read_word(address)));
        self.locate(cycle, (None, Difference::new("final_memory", expected, actual)))
    }

    fn finish_windows(&self, cycle: u64, actual: &BTreeMap<u32, u32>) -> Checked<()> {
        let expected = self.machine.window_words();
        let mut addresses = expected.keys().chain(actual.keys());
        let Some(address) = addresses.find(|address| expected.get(address) != actual.get(address)) else {
            return Ok(());
        };
        let show = |words: &BTreeMap<u32, u32>| {
            format!("{:#010x} at {address:#010x}", words.get(address).copied().unwrap_or(0))
        };
        self.locate(cycle, (None, Difference::new("final_window", show(&expected), show(actual))))
    }

    /// Compares the scratchpads at the end of a run in which everything was performed.
    pub fn finish_scratchpad(&mut self, cycle: u64, actual: &[u32]) -> Checked<()> {
        let expected = self.machine.scratchpad().words();
        let Some(word) = (0..expected.len()).find(|word| actual.get(*word) != Some(&expected[*word])) else {
            return Ok(());
        };
        let show = |words: &[u32]| {
            let value = words.get(word).map_or("nothing".into(), |word| format!("{word:#010x}"));
            format!("{value} at {:#010x}", SCRATCHPAD_BASE + 4 * word as u32)
        };
        self.locate(cycle, (None, Difference::new("final_scratchpad", show(expected), show(actual))))
    }

    fn check_end(&self, cycle: u64, end: End) -> Result<(), Located> {
        match end {
            End::Done if self.machine.live() > 0 => {
                let expected = format!("not yet: {} threads live", self.machine.live());
                Err((None, Difference::new("done", expected, "done")))
            }
            End::Done => {
                self.contexts.check_paid(cycle)?;
                self.check_performed()
            }
            End::ToHost(value) if self.tohost != Some(value) => {
                let expected = self.tohost.map_or("no store".into(), |value| format!("{value:#x}"));
                Err((None, Difference::new("tohost", expected, format!("{value:#x}"))))
            }
            End::ToHost(_) if self.machine.ending().fault.is_some() => self.transactions.check_lines_empty(),
            End::ToHost(_) if self.exits.tohost_halts => self.check_performed(),
            End::Halted => self.transactions.check_lines_empty(),
            End::ToHost(_) | End::Stopped => Ok(()),
        }
    }

    /// The instruction of the path in a slot, or of the warp's first other path. `None` for a warp that has ended, or
    /// does not exist.
    fn subject(&self, warp: u32, slot: u32) -> Option<Subject> {
        self.hardware_paths.get(warp as usize)?;
        let path = if slot < self.machine.slots() { self.machine.path(warp, slot) } else { None };
        let pc = path.or_else(|| self.machine.paths(warp).first().copied())?.pc;
        Some(Subject { warp, slot, pc, instruction: self.machine.read_word(pc).unwrap_or(0) })
    }

    fn describe(&self, path: &PathRecord) -> String {
        describe(self.program, path)
    }

    fn scene(&self, warp: u32) -> Scene<'_> {
        let hardware_paths = self.hardware_paths[warp as usize];
        Scene { program: self.program, machine: &self.machine, history: &self.history, hardware_paths }
    }

    fn locate<T>(&self, cycle: u64, (subject, difference): Located) -> Checked<T> {
        Err(self.scene(subject.map_or(0, |subject| subject.warp)).mismatch(cycle, subject, difference))
    }
}

/// Cycles from a commit's record to its context record. A unit without hardware has none.
fn record_delay(config: &Config) -> u64 {
    config.unit().map_or(0, |unit| (unit.record_delay)(config).into())
}

fn compare_faults(expected: &Fault, actual: &Fault) -> Result<(), Difference> {
    require_equal!("error_cause", expected.cause, actual.cause, "{}");
    require_equal!("error_pc", expected.pc, actual.pc, "{:#010x}");
    require_equal!("error_warp", expected.warp, actual.warp, "{}");
    require_equal!("error_lane", expected.lane, actual.lane, "{}");
    if expected.address.is_some() {
        require_equal!("error_address", expected.address, actual.address, "{:#x?}");
    }
    Ok(())
}
