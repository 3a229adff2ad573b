//! The golden model's effect of single instructions that the decoder does not fully describe: CSRs, and the call
//! depth of jumps. The model executes each once.

use std::collections::HashMap;

use sim::{Given, Machine, Program, Step};
use weft_config::Config;
use weft_trace::Commit;

const BASE: u32 = 0x8000_0000;

pub const WARP: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    Reads(Vec<u32>),
    ReadsCounter,
    Exits,
    Parks,
}

pub struct Model {
    config: Config,
    accesses: HashMap<u32, Option<Access>>,
    depths: HashMap<u32, u8>,
}

impl Model {
    pub fn new(config: &Config) -> Self {
        Self { config: config.clone(), accesses: HashMap::new(), depths: HashMap::new() }
    }

    /// The effect of a CSR instruction; `None` if it is illegal.
    pub fn access(&mut self, word: u32) -> Option<Access> {
        // rd = x5. For rs1 or the immediate, 0 or 1 is enough.
        let source = u32::from(word >> 15 & 31 != 0);
        let word = word & 0xfff0_707f | source << 15 | 5 << 7;
        let config = &self.config;
        self.accesses.entry(word).or_insert_with(|| access(config, word)).clone()
    }

    pub fn depth(&mut self, word: u32) -> u8 {
        let word = word & if word >> 3 & 1 == 1 { 0xfff } else { 0xf_ffff };
        let config = &self.config;
        *self.depths.entry(word).or_insert_with(|| {
            let mut machine = machine(config, word);
            machine.step(WARP, 0, &Given::default(), &mut Commit::default()).expect("a jump to an aligned address");
            machine.path(WARP, 0).expect("its threads live").depth
        })
    }
}

fn machine(config: &Config, word: u32) -> Machine {
    Machine::new(config, &Program::from_words("one word", BASE, &[word])).unwrap()
}

fn access(config: &Config, word: u32) -> Option<Access> {
    let (mut machine, mut commit) = (machine(config, word), Commit::default());
    let Step::Committed { volatile, .. } = machine.step(WARP, 0, &Given::default(), &mut commit).ok()?;
    Some(match machine.path(WARP, 0) {
        None => Access::Exits,
        Some(path) if path.parked => Access::Parks,
        Some(_) if volatile => Access::ReadsCounter,
        Some(_) => Access::Reads(commit.values),
    })
}
