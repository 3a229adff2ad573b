//! Tracks live, waiting and starving threads from the trace port, and reports deadlocks.

use std::fmt::Write;

use sim::{Program, advice};
use weft_config::Config;
use weft_trace::Commit;

const EXIT: u32 = 0x800;
const BARRIER: u32 = 0x801;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runnable,
    Parked,
    Ended(u32),
}

#[derive(Clone, Copy, Debug)]
struct Thread {
    state: State,
    /// Cycle of its last commit, or of the release that made it runnable.
    last: u64,
    pc: Option<u32>,
}

/// Live threads of a warp whose last commit was the same instruction.
struct Group {
    pc: Option<u32>,
    mask: u64,
    parked: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Threads {
    threads: Vec<Thread>,
    per_warp: u32,
    last_commit: Vec<u64>,
}

impl Threads {
    pub(super) fn new(config: &Config) -> Self {
        let thread = Thread { state: State::Runnable, last: 0, pc: None };
        Self {
            threads: vec![thread; (config.warps * config.threads) as usize],
            per_warp: config.threads,
            last_commit: vec![0; config.warps as usize],
        }
    }

    /// Follows a commit. A warp that does not exist is ignored: the checker reports it.
    pub(super) fn commit(&mut self, commit: &Commit) {
        let first = (commit.warp * self.per_warp) as usize;
        let Some(lanes) = self.threads.get_mut(first..first + self.per_warp as usize) else { return };
        let written = written_csr(commit.instruction);
        for (lane, thread) in lanes.iter_mut().enumerate().filter(|(lane, _)| commit.mask >> lane & 1 != 0) {
            thread.last = commit.cycle;
            thread.pc = Some(commit.pc);
            match written {
                Some(EXIT) => thread.state = State::Ended(commit.values[lane]),
                Some(BARRIER) => thread.state = State::Parked,
                _ => {}
            }
        }
        self.last_commit[commit.warp as usize] = commit.cycle;
    }

    pub(super) fn release(&mut self, cycle: u64) {
        for thread in self.threads.iter_mut().filter(|thread| thread.state == State::Parked) {
            *thread = Thread { state: State::Runnable, last: cycle, ..*thread };
        }
    }

    pub(super) fn exit_codes(&self) -> Vec<Option<u32>> {
        let code = |thread: &Thread| if let State::Ended(code) = thread.state { Some(code) } else { None };
        self.threads.iter().map(code).collect()
    }

    /// A runnable thread that has not committed for `cycles` cycles while its warp did.
    pub(super) fn starved(&self, now: u64, cycles: u64) -> Option<Starved> {
        let warps = self.threads.chunks(self.per_warp as usize).zip(&self.last_commit).zip(0..);
        for ((threads, last_commit), warp) in warps {
            let goes_on = now - last_commit < cycles;
            let starves = |thread: &Thread| thread.state == State::Runnable && now - thread.last >= cycles;
            if let Some(lane) = threads.iter().position(starves).filter(|_| goes_on) {
                return Some(Starved { warp, lane: lane as u32, since: threads[lane].last });
            }
        }
        None
    }

    /// The live threads of a warp, grouped by their last commit.
    fn groups(&self, warp: u32) -> Vec<Group> {
        let first = (warp * self.per_warp) as usize;
        let mut groups: Vec<Group> = Vec::new();
        for (lane, thread) in self.threads[first..first + self.per_warp as usize].iter().enumerate() {
            let parked = match thread.state {
                State::Ended(_) => continue,
                state => state == State::Parked,
            };
            match groups.iter_mut().find(|group| group.pc == thread.pc && group.parked == parked) {
                Some(group) => group.mask |= 1 << lane,
                None => groups.push(Group { pc: thread.pc, mask: 1 << lane, parked }),
            }
        }
        groups
    }

    fn live(&self) -> usize {
        self.threads.iter().filter(|thread| !matches!(thread.state, State::Ended(_))).count()
    }

    pub(super) fn deadlock(&self, config: &Config, program: &Program) -> String {
        let (live, cycles) = (self.live(), config.run.watchdog);
        let mut text =
            format!("deadlock: {live} live threads, but no commit, response or request for {cycles} cycles\n");
        for warp in 0..config.warps {
            self.write_groups(&mut text, config, program, warp);
        }
        if !config.unit().is_ok_and(|unit| unit.takes_turns) {
            return text + &advice::on_deadlock(config);
        }
        text + "the core should release the barrier when every live thread waits there, and otherwise run another thread; \
                if it does neither, the fault is in the hardware: `weft cosim` compares it with the model"
    }

    pub(super) fn starvation(&self, config: &Config, program: &Program, starved: &Starved, now: u64) -> String {
        let Starved { warp, lane, since } = *starved;
        let mut text = format!(
            "suspected deadlock: warp {warp} goes on, but its lane {lane} could run and has not for {} cycles\n",
            now - since
        );
        self.write_groups(&mut text, config, program, warp);
        text + &advice::on_starvation(config)
    }

    fn write_groups(&self, text: &mut String, config: &Config, program: &Program, warp: u32) {
        let waits = if config.unit().is_ok_and(|unit| unit.takes_turns) {
            "waits for the active path to yield"
        } else {
            "waits in the stack"
        };
        let last_commit = self.last_commit[warp as usize];
        let in_charge = |group: &Group| {
            let lane = group.mask.trailing_zeros();
            self.threads[(warp * self.per_warp + lane) as usize].last == last_commit
        };
        for group in self.groups(warp) {
            let state = match group.parked {
                true => "waits at the barrier",
                false if in_charge(&group) => "ran last",
                false => waits,
            };
            let did = match group.pc {
                Some(pc) => format!("last committed {}: {state}", program.place(pc)),
                None => "no commit yet".into(),
            };
            let _ = writeln!(text, "  warp {warp}, lanes {:#x}: {did}", group.mask);
        }
    }
}

/// A thread that waits while its warp goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Starved {
    pub(super) warp: u32,
    lane: u32,
    since: u64,
}

fn written_csr(instruction: u32) -> Option<u32> {
    let (opcode, function, source) = (instruction & 0x7f, instruction >> 12 & 7, instruction >> 15 & 31);
    let writes = matches!(function, 1 | 5) || !matches!(function, 0 | 4) && source != 0;
    (opcode == 0x73 && writes).then_some(instruction >> 20)
}

#[cfg(test)]
mod tests;
