//! Effects of an issued instruction, and the cycles in which the core sees them.

use weft_trace::{MemoryOp, Moves, PathRecord};

use super::core::{Core, Finding, Found, Replay};
use super::front_end::Fetched;
use super::memory_port::Request;
use super::pipe::Pipe;
use super::predecode::Class;
use super::scoreboard::EntryNumber;
use super::write_port::LateResult;
use crate::{Outcome, Step, Stop};

impl Core<'_> {
    /// Executes an issuing instruction and schedules its effects. Returns the outcome if it ends the run.
    pub(super) fn execute(&mut self, number: usize, fetched: &Fetched) -> Option<Outcome> {
        let (warp, slot) = self.place(number);
        let class = fetched.instruction.class;
        let continued = self.continued(number, fetched);
        let entry = self.reserve(number, fetched, continued);
        if !self.contexts[number].front_end.is_current() {
            self.call_off(number, class, entry);
            return None;
        }

        self.note_paths(warp, |core| &mut core.before);
        let replayed = self.contexts[number].replay.is_some();
        let moves = if let Some(moves) = self.execution.rotate(warp, slot) {
            self.call_off(number, class, entry.filter(|_| continued.is_none()));
            self.drop_replay(number);
            moves
        } else {
            self.execution.machine.set_clock(self.now);
            self.execution.cycle = self.now + self.constants.resolve;
            match self.execution.step(warp, slot) {
                Ok(Step::Committed { tohost: Some(value), .. }) => return Some(Outcome::ToHost(value)),
                Ok(Step::Committed { moves, .. }) => {
                    self.commit(number, class, entry);
                    moves
                }
                Err(Stop::Fault(fault)) => return Some(Outcome::Fault(fault)),
                Err(Stop::Idle) => unreachable!("a path that cannot run is not fetched"),
            }
        };
        self.follow(number, fetched, (moves, replayed));
        if self.execution.machine.live() == 0 {
            return Some(Outcome::Exited);
        }
        let released = self.execution.release();
        if released != 0 {
            self.restart_released(released);
        }
        self.execution.stopped(self.config, self.program)
    }

    /// Schedules the release of unused reservations in S8.
    fn call_off(&mut self, context: usize, class: Class, entry: Option<EntryNumber>) {
        if class.is_memory() || class.is_late() {
            self.find(self.constants.resolve, Found::CallOff { context, class, entry });
        }
    }

    fn find(&mut self, distance: u64, what: Found) {
        self.findings.push_back(Finding { cycle: self.now + distance, what });
    }

    /// Schedules the results and requests of a committed instruction.
    fn commit(&mut self, number: usize, class: Class, entry: Option<EntryNumber>) {
        let ((warp, slot), pipe) = (self.place(number), self.pipe_of(number));
        let commit = self.execution.last();
        let (pc, lanes, unserved, memory) = (commit.pc, commit.served, commit.mask & !commit.served, commit.memory);
        let address = commit.memory_address;
        let fails = commit.values[lanes.trailing_zeros() as usize & 63] != 0;
        if commit.writes {
            self.pipes[pipe].write_port.take(self.now, self.constants.write);
        }
        if let Class::Fence { instructions, data } = class {
            let at = self.now + self.constants.resolve;
            if instructions {
                self.pipes.iter_mut().for_each(|pipe| pipe.fetch_port.empty(at));
            }
            if data {
                self.memory.empty(at);
            }
        }
        let asks_memory = !matches!(memory, MemoryOp::None | MemoryOp::Console);
        if class.is_memory() && !asks_memory {
            self.call_off(number, class, None);
        }
        let result = entry.map(|entry| LateResult { context: number, entry, lanes, loaded: class == Class::Load });
        if asks_memory {
            self.memory.request(Request {
                context: number,
                from: self.now + self.constants.request,
                answers: result,
                address,
                reads: !matches!(memory, MemoryOp::Store | MemoryOp::StoreConditional),
                stores: match memory {
                    MemoryOp::Load | MemoryOp::LoadReserved => false,
                    MemoryOp::StoreConditional => !fails,
                    _ => true,
                },
                atomic: memory.is_atomic(),
                scratchpad: self.config.scratchpad.contains(address),
                window: self.is_in_window(address),
            });
        }
        let replays =
            self.execution.machine.path(warp, slot).is_some_and(|path| (path.pc, path.mask) == (pc, unserved));
        let (Some(entry), Some(result)) = (entry, result) else { return };
        if class != Class::Load || asks_memory {
            self.contexts[number].scoreboard.expect(entry, lanes);
        }
        match class {
            Class::Product => self.pipes[pipe].write_port.add(self.now + self.constants.product, result),
            Class::Quotient => {
                let Pipe { divider, write_port, .. } = &mut self.pipes[pipe];
                let taken = divider.start(self.now + self.constants.division, lanes.count_ones());
                write_port.add(taken + self.constants.quotient, result);
            }
            _ => {}
        }
        if replays && asks_memory {
            self.contexts[number].replay = Some(Replay { pc, entry });
        } else {
            self.contexts[number].replay = None;
            self.contexts[number].scoreboard.close(entry);
        }
    }

    /// Whether the line at this address of memory is none of RAM.
    fn is_in_window(&self, address: u32) -> bool {
        !self.config.scratchpad.contains(address) && !self.execution.machine.memory().contains(address)
    }

    /// Ends the replay of a load that another path interrupted: its remaining part then issues as any other
    /// instruction.
    fn drop_replay(&mut self, number: usize) {
        let context = &mut self.contexts[number];
        if let Some(replay) = context.replay.take() {
            context.scoreboard.close(replay.entry);
        }
    }

    /// Notes the paths in the slots of a warp, if it has several, in one of the buffers of the core.
    pub(super) fn note_paths(&mut self, warp: u32, buffer: fn(&mut Self) -> &mut Vec<Option<PathRecord>>) {
        if self.slots == 1 {
            return;
        }
        let mut paths = std::mem::take(buffer(self));
        paths.clear();
        paths.extend((0..self.slots).map(|slot| self.execution.machine.path(warp, slot)));
        *buffer(self) = paths;
    }

    /// Schedules a restart in S8 for each slot whose path is no longer the one that is fetched. The paths before the
    /// change have been noted.
    fn follow(&mut self, number: usize, fetched: &Fetched, (moves, replayed): (Moves, bool)) {
        let (warp, _) = self.place(number);
        self.note_paths(warp, |core| &mut core.after);
        let has_shadows = self.has_shadows();
        if has_shadows && (moves.pushes || moves.pops) {
            self.contexts[number].scoreboard.cast_shadow();
        }
        if has_shadows && moves.pops {
            self.cast_shadows_of_others(number);
        }
        for (slot, context) in self.of_warp(warp).enumerate() {
            let enters =
                self.slots > 1 && self.after[slot].is_some_and(|path| path.mask & !self.contexts[context].home != 0);
            if enters && has_shadows {
                self.cast_shadows_of_others(context);
            }
            let wanted = self.wanted(context);
            let goes_on = if context == number {
                wanted == Some(fetched.instruction.next) && !replayed && self.contexts[context].replay.is_none()
            } else {
                self.before[slot] == self.after[slot]
                    && wanted.is_some() == self.contexts[context].front_end.is_running()
            };
            if !goes_on || enters {
                self.restart(context, self.constants.resolve, wanted, context == number);
            }
        }
        self.settle_in(warp);
    }

    /// Sets the shadow bits of the other slots of its warp.
    fn cast_shadows_of_others(&mut self, number: usize) {
        self.others(number).for_each(|other| self.contexts[other].scoreboard.cast_shadow());
    }

    /// Schedules the restart of a context in S8, `distance` cycles from now.
    pub(super) fn restart(&mut self, context: usize, distance: u64, next: Option<u32>, keeps_replay: bool) {
        if !keeps_replay {
            self.drop_replay(context);
        }
        self.contexts[context].front_end.doom(next.is_some());
        let single = self.contexts[context].replay.is_some();
        self.find(distance, Found::Restart { context, next, single });
    }

    /// Makes the slots in which the threads of a warp run now their homes.
    pub(super) fn settle_in(&mut self, warp: u32) {
        if self.slots == 1 {
            return;
        }
        let masks = || self.after.iter().map(|path| path.map_or(0, |path| path.mask));
        let running = masks().fold(0, |lanes, mask| lanes | mask);
        for (context, mask) in self.of_warp(warp).zip(masks()) {
            let home = &mut self.contexts[context].home;
            *home = *home & !running | mask;
        }
    }

    fn restart_released(&mut self, warps: u64) {
        let distance = self.constants.resolve + self.constants.release;
        for context in 0..self.contexts.len() {
            let wanted = self.wanted(context);
            if wanted.is_some() && warps >> self.place(context).0 & 1 == 1 {
                self.restart(context, distance, wanted, false);
            }
        }
    }
}
