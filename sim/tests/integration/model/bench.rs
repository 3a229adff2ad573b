//! A small core with chosen register contents, for one piece of code.

use sim::{Fault, Given, Machine, Program, Segment, Step, Stop};
use weft_config::{Config, Memory};
use weft_trace::Commit;

use words::*;

pub const CODE: u32 = 0x8000_0000;
pub const DATA: u32 = 0x8000_8000;
/// Addresses of the registers' initial values.
const TABLES: u32 = 0x8000_4000;
const TABLE_BYTES: u32 = 0x1000;

/// A core and a program: values for registers, then the code under test.
pub struct Bench {
    pub config: Config,
    prelude: Vec<u32>,
    code: Vec<u32>,
    tables: Vec<Segment>,
}

/// The commits of the code under test.
pub struct Traced {
    pub machine: Machine,
    pub commits: Vec<Commit>,
    pub steps: Vec<Step>,
    pub fault: Option<Fault>,
    pub start: u32,
}

pub fn config(warps: u32, threads: u32) -> Config {
    let memory = Memory { ram_bytes: 1 << 17, stack_bytes: 64, ..Memory::default() };
    Config { warps, threads, memory, ..Config::default() }
}

/// Every divergence unit, for behaviour that does not depend on the unit.
pub fn units() -> Vec<&'static str> {
    weft_config::Unit::names_in_model()
}

/// The units with time slices.
pub fn units_with_turns() -> Vec<&'static str> {
    units().into_iter().filter(|unit| weft_config::Unit::find(unit).is_ok_and(|unit| unit.takes_turns)).collect()
}

/// The units that run paths by priority: the deeper call, then the smaller pc.
pub fn units_by_priority() -> Vec<&'static str> {
    let reconverges = |unit: &&str| weft_config::Unit::find(unit).is_ok_and(|unit| unit.reconverges);
    units_with_turns().into_iter().filter(|unit| !reconverges(unit)).collect()
}

/// Completes the sorting and rotation of a warp's divergence unit after a commit.
pub fn settle(machine: &mut Machine, warp: u32) {
    loop {
        while machine.sort(warp).is_some() {}
        if (0..machine.slots()).all(|slot| machine.rotate(warp, slot).is_none()) {
            break;
        }
    }
}

impl Bench {
    pub fn new(warps: u32, threads: u32) -> Self {
        Self { config: config(warps, threads), prelude: Vec::new(), code: Vec::new(), tables: Vec::new() }
    }

    pub fn unit(mut self, unit: &str) -> Self {
        self.config.divergence.unit = unit.into();
        self
    }

    /// Loads `register` with one value per hart. Uses x31 and x30.
    pub fn lanes(mut self, register: u32, values: &[u32]) -> Self {
        let harts = self.config.warps * self.config.threads;
        assert_eq!(values.len() as u32, harts, "one value per hart");
        let address = TABLES + TABLE_BYTES * self.tables.len() as u32;
        self.prelude.push(csrrs(31, MHARTID, 0));
        self.prelude.push(slli(31, 31, 2));
        self.prelude.extend(li(30, address));
        self.prelude.push(add(31, 31, 30));
        self.prelude.push(lw(register, 31, 0));
        self.memory(address, values)
    }

    /// Loads `register` with the same value in every hart.
    pub fn all(mut self, register: u32, value: u32) -> Self {
        self.prelude.extend(li(register, value));
        self
    }

    pub fn memory(mut self, address: u32, words: &[u32]) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.tables.push(Segment { address, bytes });
        self
    }

    pub fn code(mut self, words: &[u32]) -> Self {
        self.code.extend(words);
        self
    }

    pub fn program(&self) -> Program {
        let words: Vec<u32> = self.prelude.iter().chain(&self.code).copied().collect();
        let mut program = Program::from_words("test", CODE, &words);
        program.segments.extend(self.tables.iter().cloned());
        program
    }

    pub fn start(&self) -> u32 {
        CODE + 4 * self.prelude.len() as u32
    }

    /// A machine in which every warp has reached the code under test.
    pub fn ready(&self) -> Machine {
        let mut machine = Machine::new(&self.config, &self.program()).expect("a known unit");
        let mut commit = Commit::default();
        for warp in 0..self.config.warps {
            while machine.path(warp, 0).expect("a live path").pc != self.start() {
                machine.step(warp, 0, &Given::default(), &mut commit).expect("the prelude runs");
            }
            assert_eq!(machine.paths(warp).len(), 1, "the prelude leaves one path");
        }
        machine
    }

    /// Runs warp 0 until it is past the last word of the code, ended, idle, or has faulted.
    pub fn trace(&self) -> Traced {
        let start = self.start();
        let end = start + 4 * self.code.len() as u32;
        let mut traced = Traced { machine: self.ready(), commits: Vec::new(), steps: Vec::new(), fault: None, start };
        while traced.machine.path(0, 0).is_some_and(|path| path.pc != end) {
            let mut commit = Commit::default();
            match traced.machine.step(0, 0, &Given::default(), &mut commit) {
                Ok(step) => {
                    traced.commits.push(commit);
                    traced.steps.push(step);
                    settle(&mut traced.machine, 0);
                }
                Err(Stop::Idle) => break,
                Err(Stop::Fault(fault)) => {
                    traced.fault = Some(fault);
                    break;
                }
            }
            assert!(traced.commits.len() < 10_000, "the code under test does not end");
        }
        traced
    }
}

impl Traced {
    pub fn lanes(&self, register: u8) -> Vec<u32> {
        let lanes = self.commits.first().map_or(1, |commit| commit.values.len());
        (0..lanes as u32).map(|lane| self.machine.register(0, lane, register)).collect()
    }

    /// The word number of the code, and the served lanes, of each commit.
    pub fn parts(&self) -> Vec<(u32, u64)> {
        self.commits.iter().map(|commit| ((commit.pc - self.start) / 4, commit.served)).collect()
    }

    /// The word number of the code, and the path's mask, of each commit.
    pub fn masks(&self) -> Vec<(u32, u64)> {
        self.commits.iter().map(|commit| ((commit.pc - self.start) / 4, commit.mask)).collect()
    }
}
