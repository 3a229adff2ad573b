//! Follows the threads of a core, and finds runs that cannot go on.
//!
//! Only commits decide, in their order and with their values, so model, Verilog and lock step find the same at every
//! memory latency.
//!
//! - *Endless*: every thread that runs repeats a loop that changes nothing (`loops.rs`). This is a proof.
//! - *Starved*: the unit takes turns, and a thread that could run was not served for `run.starvation` times
//!   [`waiting_bound`] commits of its warp. These windows follow one another, so the verdict comes after one to two of
//!   them.

mod loops;
mod report;
mod stack;

use weft_config::{Config, Slots, waiting_bound};
use weft_trace::{Commit, Context};

use loops::Loops;
pub use report::{Group, places};
use stack::StackPointers;

use crate::Program;
use crate::machine::{BARRIER, EXIT, GROUP};

/// Cycles, times `run.starvation`, for which a thread waits in a warp pool before [`Progress::left_out`] is asked.
pub(crate) const POOL_WINDOW: u64 = 16384;

/// The reason why a run is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No thread can run: those that have not ended wait.
    Stuck,
    Endless,
    Starved {
        warp: u32,
        lane: u32,
    },
}

#[derive(Clone, Debug)]
pub struct Progress {
    threads: usize,
    warps: Vec<Warp>,
    loops: Loops,
    stack_pointers: StackPointers,
    /// The pcs of the first two threads that waited at different barriers and released each other.
    mixed: Option<[u32; 2]>,
    mixed_releases: u64,
    exit_codes: Vec<Option<u32>>,
    /// Whether a path that can run may still wait for ever, and the words for one that waits.
    starves: bool,
    waits: &'static str,
    /// The window of a warp, in commits; `None` if the unit takes no turns.
    window: Option<u64>,
    /// Whether the unit schedules the second path of a context too.
    two_slots: bool,
}

/// Masks of lanes.
#[derive(Clone, Debug)]
struct Warp {
    live: u64,
    parked: u64,
    /// The lanes of the paths that the unit offers, after its last context record.
    offered: u64,
    /// The lanes of the last commit.
    ran: u64,
    /// The pc of each lane's last commit.
    pcs: Vec<Option<u32>>,
    /// The level of its group at the barrier, if it has written one.
    level: Option<u32>,
    /// Commits in this window, and the lanes that could run since its start and were not served.
    commits: u64,
    waits: u64,
}

impl Warp {
    fn runnable(&self) -> u64 {
        self.live & !self.parked
    }

    fn start_window(&mut self) {
        (self.commits, self.waits) = (0, self.runnable());
    }
}

impl Progress {
    pub fn new(config: &Config, program: &Program) -> Self {
        let (warps, threads) = (config.warps as usize, config.threads as usize);
        let all = u64::MAX >> (64 - threads);
        let warp = Warp {
            live: all,
            parked: 0,
            offered: all,
            ran: 0,
            pcs: vec![None; threads],
            level: None,
            commits: 0,
            waits: all,
        };
        let unit = config.unit().ok();
        let fair_after = config.divergence.fair_after;
        let turns = unit.is_some_and(|unit| unit.takes_turns) && fair_after > 0;
        let window = config.run.starvation * waiting_bound(config.threads, &config.divergence).max(1);
        let waits = match unit {
            Some(unit) if unit.regroups => "waits in the warp pool",
            Some(unit) if !unit.serves_all() && !unit.is_external() => "waits in the stack",
            _ if fair_after == 0 => "waits, as no path yields",
            _ => "waits for its turn",
        };
        Self {
            threads,
            warps: vec![warp; warps],
            loops: Loops::new(warps, threads),
            stack_pointers: StackPointers::new(config, program),
            mixed: None,
            mixed_releases: 0,
            exit_codes: vec![None; warps * threads],
            starves: !turns && unit.is_some_and(|unit| !unit.runs_all && !unit.regroups && !unit.is_external()),
            waits,
            window: turns.then_some(window),
            two_slots: unit.is_some_and(|unit| unit.slots == Slots::Two),
        }
    }

    /// Follows a commit with all its values. A warp that does not exist is ignored: the checker reports it.
    pub fn commit(&mut self, commit: &Commit) -> Option<Verdict> {
        let number = commit.warp as usize;
        let warp = self.warps.get_mut(number)?;
        warp.ran = commit.mask;
        for (lane, pc) in warp.pcs.iter_mut().enumerate().filter(|(lane, _)| commit.mask >> lane & 1 != 0) {
            *pc = Some(commit.pc);
            if written_csr(commit.instruction) == Some(EXIT) {
                self.exit_codes[number * self.threads + lane] = Some(commit.values[lane]);
            }
        }
        match written_csr(commit.instruction) {
            Some(EXIT) => warp.live &= !exits(commit),
            Some(BARRIER) => warp.parked |= commit.mask,
            Some(GROUP) => warp.level = Some(self.loops.operand(commit)),
            _ => {}
        }
        self.loops.commit(commit);
        self.stack_pointers.commit(commit);
        let repeats = self.loops.repeats(number) & commit.served != 0;
        if repeats && self.is_endless() {
            return Some(Verdict::Endless);
        }
        self.starved(number, commit.served)
    }

    fn starved(&mut self, number: usize, served: u64) -> Option<Verdict> {
        let (window, warp) = (self.window?, &mut self.warps[number]);
        warp.commits += 1;
        warp.waits &= !served;
        if warp.commits < window {
            return None;
        }
        let waits = warp.waits & warp.runnable();
        warp.start_window();
        (waits != 0).then(|| Verdict::Starved { warp: number as u32, lane: waits.trailing_zeros() })
    }

    /// Returns whether every thread that the unit will ever choose repeats a loop, and waits there for another one: it
    /// reads memory, or another thread does not run.
    fn is_endless(&self) -> bool {
        let mut others = false;
        for (number, warp) in self.warps.iter().enumerate() {
            let (runnable, repeats) = (warp.runnable(), self.loops.repeats(number));
            let chosen = if self.starves { runnable & (warp.offered | self.loops.ran(number)) } else { runnable };
            if chosen & !repeats != 0 || (runnable != 0 && chosen == 0) {
                return false;
            }
            others |= warp.live & !repeats != 0;
        }
        others || self.loops.reads()
    }

    /// The verdict on a unit that chooses freely among all threads: one that could run is not among those that `ran`, one
    /// mask for each warp, and all of these repeat a loop in which nothing changes.
    pub(crate) fn left_out(&self, ran: &[u64]) -> Option<Verdict> {
        let mut left = None;
        for (number, (warp, ran)) in self.warps.iter().zip(ran).enumerate() {
            if warp.runnable() & ran & !self.loops.repeats(number) != 0 {
                return None;
            }
            let waits = warp.runnable() & !ran;
            let starved = || Verdict::Starved { warp: number as u32, lane: waits.trailing_zeros() };
            left = left.or((waits != 0).then(starved));
        }
        left
    }

    pub fn context(&mut self, context: &Context) {
        let second = context.y.filter(|_| self.two_slots);
        let offered = [context.x, second].into_iter().flatten().fold(0, |lanes, path| lanes | path.mask);
        self.offer(context.warp, offered);
    }

    /// The unit offers paths of these lanes from now on.
    pub(crate) fn offer(&mut self, warp: u32, lanes: u64) {
        if let Some(warp) = self.warps.get_mut(warp as usize) {
            warp.offered = lanes;
        }
    }

    /// Follows a release of these warps, bit w for warp w.
    pub fn release(&mut self, warps: u64) {
        let first = self.barriers(warps).next();
        let other = self.barriers(warps).find(|pc| Some(*pc) != first);
        if let (Some(first), Some(other)) = (first, other) {
            self.mixed_releases += 1;
            self.mixed = self.mixed.or(Some([first, other]));
        }
        self.loops.change();
        for (_, warp) in self.warps.iter_mut().enumerate().filter(|(number, _)| warps >> number & 1 == 1) {
            warp.parked = 0;
            warp.start_window();
        }
    }

    /// Releases of threads that waited at different pcs.
    pub fn mixed_releases(&self) -> u64 {
        self.mixed_releases
    }

    /// The most bytes that a hart has used of its stack, if the program set `sp` to one.
    pub fn stack_bytes(&self) -> Option<u32> {
        self.stack_pointers.deepest()
    }

    pub fn exit_codes(&self) -> &[Option<u32>] {
        &self.exit_codes
    }
}

/// The lanes whose threads a commit ends.
pub fn exits(commit: &Commit) -> u64 {
    if written_csr(commit.instruction) == Some(EXIT) { commit.mask } else { 0 }
}

/// The CSR that an instruction writes.
pub(crate) fn written_csr(instruction: u32) -> Option<u16> {
    let (opcode, function, source) = (instruction & 0x7f, instruction >> 12 & 7, instruction >> 15 & 31);
    let writes = matches!(function, 1 | 5) || !matches!(function, 0 | 4) && source != 0;
    (opcode == 0x73 && writes).then_some((instruction >> 20) as u16)
}

#[cfg(test)]
mod tests;
