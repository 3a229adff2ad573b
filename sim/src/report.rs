//! Deadlock reports: the paths, the reason why each waits, and advice.

use std::fmt::Write;

use weft_config::Config;
use weft_trace::PathRecord;

use crate::{Machine, Program, advice};

pub(crate) fn deadlock(machine: &Machine, config: &Config, program: &Program) -> String {
    let mut text =
        format!("deadlock: {} of {} threads live and none can run\n", machine.live(), config.warps * config.threads);
    for warp in 0..config.warps {
        write_paths(&mut text, machine, config, program, warp);
    }
    text + &advice::on_deadlock(config)
}

/// Report of a run in which `starved`, a runnable path of `warp`, has not been chosen for `run.starvation` cycles, or
/// issues of its warp, as `unit` says.
pub(crate) fn starvation(
    machine: &Machine,
    config: &Config,
    program: &Program,
    (warp, starved): (u32, &PathRecord),
    unit: &str,
) -> String {
    let mut text = format!(
        "suspected deadlock: warp {warp} goes on, but its path at {} did not run for {} {unit}\n",
        program.place(starved.pc),
        config.run.starvation
    );
    write_paths(&mut text, machine, config, program, warp);
    text + &advice::on_starvation(config)
}

/// Writes one line for each path of a warp, first those in the slots.
fn write_paths(text: &mut String, machine: &Machine, config: &Config, program: &Program, warp: u32) {
    let offered: Vec<PathRecord> = (0..machine.slots()).filter_map(|slot| machine.path(warp, slot)).collect();
    let waits = if config.unit().is_ok_and(|unit| unit.takes_turns) {
        "waits for the active path to yield"
    } else {
        "waits in the stack for the rows above it"
    };
    for path in machine.paths(warp) {
        let state = match path.parked {
            true => "waits at the barrier",
            false if offered.contains(&path) => "is active",
            false => waits,
        };
        let _ = writeln!(
            text,
            "  warp {warp}: {}, depth {}, mask {:#x}: {state}",
            program.place(path.pc),
            path.depth,
            path.mask
        );
    }
}
