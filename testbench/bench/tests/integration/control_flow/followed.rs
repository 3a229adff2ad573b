//! Checks entries against the behaviour of threads: a thread that has executed an instruction with an entry reaches
//! the pc of the entry, at the same call depth, before it returns further or ends.

use std::collections::BTreeSet;

use sim::Outcome;
use sim::control_flow::{Analysis, Reconvergence};
use weft_trace::{Commit, Record};

use super::programs::{self, Case};

const RETURN: u32 = 0x0000_8067;

#[derive(Default)]
struct Thread {
    depth: i64,
    /// Its entries with their call depth, until it reaches them.
    awaited: BTreeSet<(i64, u32)>,
    arrivals: usize,
}

impl Thread {
    fn execute(&mut self, pc: u32, word: u32, entry: Reconvergence) -> Result<(), String> {
        let before = self.awaited.len();
        self.awaited.remove(&(self.depth, Reconvergence::At(pc).word()));
        if word == RETURN {
            self.awaited.remove(&(self.depth, Reconvergence::Return.word()));
        }
        self.arrivals += before - self.awaited.len();
        let depth = self.depth + change(word);
        if let Some((_, missed)) = self.awaited.iter().find(|(awaited, _)| *awaited > depth) {
            return Err(format!("{pc:#010x} leaves the call without getting to {missed:#010x}"));
        }
        if entry != Reconvergence::Unknown {
            self.awaited.insert((self.depth, entry.word()));
        }
        self.depth = depth;
        Ok(())
    }
}

/// The change of call depth, by the ISA manual's hints.
fn change(word: u32) -> i64 {
    let links = |register: u32| register & 31 == 1 || register & 31 == 5;
    let (rd, rs1) = (word >> 7 & 31, word >> 15 & 31);
    match word & 0x7f {
        0x6f => i64::from(links(rd)),
        0x67 if links(rd) => i64::from(!links(rs1) || rd == rs1),
        0x67 => -i64::from(links(rs1)),
        _ => 0,
    }
}

fn follow(case: &Case) -> usize {
    let analysis = Analysis::of(&case.program);
    let lanes = case.config.threads;
    let mut threads: Vec<Thread> = (0..case.config.warps * lanes).map(|_| Thread::default()).collect();
    let mut wrong = None;
    let mut see = |commit: &Commit| {
        for lane in (0..lanes).filter(|lane| commit.served >> lane & 1 == 1) {
            let entry = analysis.table().at(commit.pc);
            let hart = commit.warp * lanes + lane;
            if let Err(message) = threads[hart as usize].execute(commit.pc, commit.instruction, entry) {
                wrong.get_or_insert(format!("{}: hart {hart}: {message}", case.name));
            }
        }
    };
    let mut observer = |record: &Record| {
        if let Record::Commit(commit) = record {
            see(commit);
        }
    };
    let finished = sim::run(&case.config, &case.program, 20_000_000, &mut observer).unwrap();
    assert_eq!(finished.outcome, Outcome::Exited, "{}", case.name);
    assert_eq!(wrong, None);
    threads.iter().map(|thread| thread.arrivals).sum()
}

#[test]
fn threads_get_where_the_entries_say() {
    for case in programs::all() {
        let arrivals = follow(&case);
        assert!(arrivals > 0, "{}", case.name);
    }
}

#[test]
fn a_wrong_entry_would_be_found_out() {
    let mut thread = Thread::default();
    let call = 0x0080_00ef;
    thread.execute(0, call, Reconvergence::Unknown).unwrap();
    thread.execute(8, 0x0005_0463, Reconvergence::At(12)).unwrap();
    assert!(thread.execute(16, RETURN, Reconvergence::Unknown).is_err());

    let mut thread = Thread::default();
    thread.execute(0, call, Reconvergence::Unknown).unwrap();
    thread.execute(8, 0x0005_0463, Reconvergence::Return).unwrap();
    let jump_t0 = 0x0002_8067;
    assert!(thread.execute(12, jump_t0, Reconvergence::Unknown).is_err());
    thread.execute(12, RETURN, Reconvergence::Unknown).unwrap();
}
