//! Deadlock reports: which paths there are, what each waits for, and what would help.

use std::fmt::Write;

use weft_config::Config;
use weft_trace::PathRecord;

use crate::{Machine, Program};

/// Text for a run in which no thread can run any more.
pub(crate) fn deadlock(machine: &Machine, config: &Config, program: &Program) -> String {
    let mut text =
        format!("deadlock: {} of {} threads live and none can run\n", machine.live(), config.warps * config.threads);
    for warp in 0..config.warps {
        write_paths(&mut text, machine, program, warp);
    }
    let unit = &config.divergence.unit;
    let _ = write!(
        text,
        "the unit `{unit}` holds the barrier's last arrivals behind a path that waits there; \
         make the barrier uniform, or choose another divergence.unit"
    );
    text
}

/// Text for a run in which `starved`, a runnable path of `warp`, has not been chosen for
/// `run.starvation` issues of its warp.
pub(crate) fn starvation(
    machine: &Machine,
    config: &Config,
    program: &Program,
    warp: u32,
    starved: &PathRecord,
) -> String {
    let mut text = format!(
        "suspected deadlock: warp {warp} goes on, but its path at {} did not run for {} issues\n",
        place(program, starved.pc),
        config.run.starvation
    );
    write_paths(&mut text, machine, program, warp);
    let unit = &config.divergence.unit;
    let (yields, remedy) = match config.divergence.fair_after {
        0 => ("never yields, as divergence.fair_after = 0".to_string(), "set divergence.fair_after"),
        commits => (
            format!("yields after divergence.fair_after = {commits} commits of the warp"),
            "lower divergence.fair_after",
        ),
    };
    let _ = write!(
        text,
        "the unit `{unit}` prefers the deeper call, then the smaller pc, and {yields}: a path that \
         spins until another path of its warp writes waits all that time; {remedy}, wait at the \
         barrier (CSR 0x801) instead, or raise run.starvation if the loop does end"
    );
    text
}

/// One line for each path of a warp, best first.
fn write_paths(text: &mut String, machine: &Machine, program: &Program, warp: u32) {
    for (rank, path) in machine.paths(warp).iter().enumerate() {
        let state = match (path.parked, rank) {
            (true, _) => "waits at the barrier",
            (false, 0) => "is in charge",
            (false, _) => "waits for its turn",
        };
        let _ = writeln!(
            text,
            "  warp {warp}: {}, depth {}, mask {:#x}: {state}",
            place(program, path.pc),
            path.depth,
            path.mask
        );
    }
}

/// An address, and where that is in the program.
fn place(program: &Program, address: u32) -> String {
    match program.locate(address) {
        Some((symbol, 0)) => format!("{address:#010x} <{symbol}>"),
        Some((symbol, offset)) => format!("{address:#010x} <{symbol}+{offset:#x}>"),
        None => format!("{address:#010x}"),
    }
}
