//! Reports for the user: where the threads are, and what to change.

use std::fmt::Write;

use weft_config::{Config, waiting_bound};

use super::{Progress, Verdict};
use crate::{Program, advice};

/// The lines of a report about threads; a core may have thousands.
const LINES: usize = 24;

/// Live threads of a warp whose last commit was the same instruction.
pub(super) struct Group {
    pub(super) pc: Option<u32>,
    pub(super) mask: u64,
    state: &'static str,
}

impl Progress {
    pub fn report(&self, verdict: Verdict, config: &Config, program: &Program) -> String {
        let live: u32 = self.warps.iter().map(|warp| warp.live.count_ones()).sum();
        let threads = format!("{live} of {} threads live", config.warps * config.threads);
        let head = match verdict {
            Verdict::Stuck => format!("deadlock: {threads} and none can run"),
            Verdict::Endless => {
                format!("deadlock: {threads}, and those that run repeat a loop for ever: nothing in it changes")
            }
            Verdict::Starved { warp, lane } => {
                let bound = waiting_bound(config.threads, config.divergence.fair_after);
                let factor = config.run.starvation;
                format!(
                    "suspected deadlock: warp {warp} goes on, but its lane {lane} could run and has not for {factor} \
                     (run.starvation) times {bound} commits"
                )
            }
        };
        format!("{head}\n{}{}", self.places(program), advice::on(verdict, self, config, program))
    }

    /// One line for each group of threads.
    pub fn places(&self, program: &Program) -> String {
        let (mut text, mut more) = (String::new(), 0);
        let groups =
            (0..self.warps.len()).flat_map(|warp| self.groups(warp).into_iter().map(move |group| (warp, group)));
        for (index, (warp, Group { pc, mask, state })) in groups.enumerate() {
            let did = match pc {
                Some(pc) => format!("last committed {}: {state}", program.place(pc)),
                None => "no commit yet".into(),
            };
            if index < LINES {
                let _ = writeln!(text, "  warp {warp}, lanes {mask:#x}: {did}");
            } else {
                more += 1;
            }
        }
        if more > 0 {
            let _ = writeln!(text, "  and {more} more groups of threads");
        }
        text
    }

    fn groups(&self, number: usize) -> Vec<Group> {
        let (warp, repeats) = (&self.warps[number], self.loops.repeats(number));
        let mut groups: Vec<Group> = Vec::new();
        for (lane, &pc) in warp.pcs.iter().enumerate().filter(|(lane, _)| warp.live >> lane & 1 != 0) {
            let is_in = |mask: u64| mask >> lane & 1 != 0;
            let state = match () {
                () if is_in(warp.parked) => "waits at the barrier",
                () if is_in(repeats) => "repeats a loop",
                () if is_in(warp.ran) => "ran last",
                () => self.waits,
            };
            match groups.iter_mut().find(|group| group.pc == pc && group.state == state) {
                Some(group) => group.mask |= 1 << lane,
                None => groups.push(Group { pc, mask: 1 << lane, state }),
            }
        }
        groups
    }

    /// The pcs at which threads wait at the barrier.
    pub(crate) fn barriers(&self) -> Vec<u32> {
        let lanes = self.warps.iter().flat_map(|warp| {
            let parked = move |lane: usize| warp.parked >> lane & 1 != 0;
            warp.pcs.iter().enumerate().filter(move |(lane, _)| parked(*lane)).filter_map(|(_, pc)| *pc)
        });
        let mut pcs: Vec<u32> = lanes.collect();
        pcs.sort_unstable();
        pcs.dedup();
        pcs
    }
}
