//! Reports for the user: where the threads are, and what to change.

use std::fmt::Write;

use weft_config::{Config, waiting_bound};

use super::{POOL_WINDOW, Progress, Verdict};
use crate::{Program, advice};

/// The lines of a report about threads; a core may have thousands.
const LINES: usize = 24;

/// Threads of a warp that have not ended and whose last commit was the same instruction.
#[derive(Clone, Debug)]
pub struct Group {
    pub warp: u32,
    pub mask: u64,
    pub pc: Option<u32>,
    /// What they do or wait for, in words.
    pub state: &'static str,
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
            Verdict::Starved { warp, lane } if config.unit().is_ok_and(|unit| unit.regroups) => format!(
                "suspected deadlock: lane {lane} of warp {warp} could run and has not for {} cycles, in which all threads that \
                 ran repeated a loop in which nothing changes",
                config.run.starvation * POOL_WINDOW
            ),
            Verdict::Starved { warp, lane } => {
                let bound = waiting_bound(config.threads, &config.divergence);
                let factor = config.run.starvation;
                format!(
                    "suspected deadlock: warp {warp} goes on, but its lane {lane} could run and has not for {factor} \
                     (run.starvation) times {bound} commits"
                )
            }
        };
        format!("{head}\n{}{}", places(&self.groups(), program), advice::on(verdict, self, config, program))
    }

    /// Advice on what went well and may not have been meant, one line each.
    pub fn warnings(&self, program: &Program) -> Option<String> {
        let mixed = self.mixed.filter(|[a, b]| program.line(*a).is_none() || program.line(*a) != program.line(*b));
        let mixed = mixed.map(|[a, b]| {
            format!(
                "warning: threads that waited at {} and at {} released each other; if these are not copies of one barrier, \
                 let every thread pass the same barriers",
                program.source(a),
                program.source(b)
            )
        });
        let warnings: Vec<String> = mixed.into_iter().chain(self.stack_pointers.warning(program)).collect();
        (!warnings.is_empty()).then(|| warnings.join("\n"))
    }

    pub fn groups(&self) -> Vec<Group> {
        (0..self.warps.len()).flat_map(|warp| self.groups_of(warp)).collect()
    }

    fn groups_of(&self, number: usize) -> Vec<Group> {
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
                None => groups.push(Group { warp: number as u32, mask: 1 << lane, pc, state }),
            }
        }
        groups
    }

    /// Two live warps of one group that wait at the barrier for groups of different levels, each with its level.
    pub(crate) fn mixed_levels(&self) -> Option<[(usize, u32); 2]> {
        let top = self.warps.len().next_power_of_two().trailing_zeros();
        let level = |warp: usize| self.warps[warp].level.map_or(top, |level| level.min(top));
        let waits = |warp: &usize| self.warps[*warp].parked != 0;
        (0..self.warps.len()).filter(waits).find_map(|warp| {
            let mut others = (0..self.warps.len()).filter(waits);
            let other =
                others.find(|other| other >> level(warp) == warp >> level(warp) && level(*other) != level(warp))?;
            Some([(warp, level(warp)), (other, level(other))])
        })
    }

    /// The pc at which each thread of these warps waits at the barrier, bit w for warp w.
    pub(crate) fn barriers(&self, warps: u64) -> impl Iterator<Item = u32> {
        let chosen = self.warps.iter().enumerate().filter(move |(number, _)| warps >> number & 1 == 1);
        chosen.flat_map(|(_, warp)| {
            let lanes = warp.pcs.iter().enumerate().filter(|(lane, _)| warp.parked >> lane & 1 != 0);
            lanes.filter_map(|(_, pc)| *pc)
        })
    }
}

/// One line for each group of threads.
pub fn places(groups: &[Group], program: &Program) -> String {
    let mut text = String::new();
    for Group { warp, mask, pc, state } in &groups[..groups.len().min(LINES)] {
        let did = match pc {
            Some(pc) => format!("last committed {}: {state}", program.source(*pc)),
            None => "no commit yet".into(),
        };
        let _ = writeln!(text, "  warp {warp}, lanes {mask:#x}: {did}");
    }
    if groups.len() > LINES {
        let _ = writeln!(text, "  and {} more groups of threads", groups.len() - LINES);
    }
    text
}
