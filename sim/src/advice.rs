//! The last lines of a report: what to change, depending on the divergence unit.

use std::collections::BTreeSet;

use weft_config::{Config, IssueHeuristic, ORACLE, UNITS, Unit};

use crate::Program;
use crate::machine::BARRIER;
use crate::progress::{Progress, Verdict, written_csr};

pub(crate) fn on(verdict: Verdict, progress: &Progress, config: &Config, program: &Program) -> String {
    let unit = &config.divergence.unit;
    let facts = config.unit().ok();
    let regroups = facts.is_some_and(|unit| unit.regroups);
    // A pool holds every thread that can run, though another may always be chosen.
    let serves_all = regroups || facts.is_some_and(Unit::serves_all);
    let never_yields = config.divergence.fair_after == 0 && facts.is_some_and(|unit| unit.takes_turns);
    if let Some([(warp, level), (other, others_level)]) = progress.mixed_levels().filter(|_| verdict == Verdict::Stuck)
    {
        return format!(
            "warp {warp} waits at the barrier with level {level} (CSR 0x802: for a group of {} warps), and warp {other} of this \
             group with level {others_level}: let all warps of a group write the same level before they wait",
            1u64 << level
        );
    }
    if facts == Some(&ORACLE) {
        return format!(
            "the unit `{unit}` repeats the order of a first run, in which every thread was on its own. Here a thread took \
             another way than there, or waits for one that comes later in that order: what the program does depends on the \
             order of its threads. Or it takes more than {} instructions, where that run ends. Set {}",
            crate::oracle::LONGEST,
            units_with_turns(unit)
        );
    }
    match verdict {
        Verdict::Starved { .. } if regroups => format!(
            "the unit `{unit}` issues the warps of other threads first, and these wait for this one: set {unit}.issue=\"{}\", \
             which issues the oldest warp, or let the threads wait at the barrier (`weft_barrier()`) instead of in a loop",
            IssueHeuristic::TimeStamp.name()
        ),
        Verdict::Stuck if !serves_all => on_barriers(progress, config, program),
        Verdict::Stuck | Verdict::Starved { .. } => format!(
            "the unit `{unit}` serves every thread that can run, and the core releases the barrier when all wait there: the \
             fault is in the hardware; `weft cosim` compares it with the model"
        ),
        Verdict::Endless if !serves_all => format!(
            "the unit `{unit}` runs a path until its threads {}: a path that waits for another path of its warp waits \
             for ever. Set {}, or let the threads wait at the barrier (`weft_barrier()`) instead of in a loop",
            if facts.is_some_and(|unit| unit.reconverges) { "reconverge" } else { "end" },
            units_with_turns(unit)
        ),
        Verdict::Endless if never_yields => "with divergence.fair_after = 0 no path yields, so a path \
             that waits for another path of its warp waits for ever: set divergence.fair_after, write `pause` (Zihintpause) \
             into the loop, or let the threads wait at the barrier (`weft_barrier()`)"
            .into(),
        Verdict::Endless => "the threads wait for a store that no thread will do: a lock was not released, or the thread \
             that should store has ended or waits at the barrier"
            .into(),
    }
}

fn on_barriers(progress: &Progress, config: &Config, program: &Program) -> String {
    let unit = &config.divergence.unit;
    format!(
        "the unit `{unit}` runs the threads that do not wait at the barrier only after the others have left it.\n\
         - If a thread returns before the barrier, write `weft_exit(0);` instead of `return 0;` there.\n{}\
         - Or set {}: every path that can run does run.",
        on_copies(progress, program),
        units_with_turns(unit)
    )
}

/// Advice if one barrier of the source may be at several pcs. Without source lines each may be.
fn on_copies(progress: &Progress, program: &Program) -> String {
    let waits: BTreeSet<u32> = progress.barriers(u64::MAX).collect();
    let function = |pc: u32| program.functions().iter().rfind(|function| function.address <= pc);
    let in_function = |pc: u32| waits.iter().any(|other| function(*other) == function(pc));
    let words = program.code().iter().flat_map(|range| range.clone().step_by(4));
    let barriers = words.filter(|pc| program.word(*pc).and_then(written_csr) == Some(BARRIER) && in_function(*pc));
    let barriers: Vec<u32> = barriers.collect();
    let is_copy = |pc: &&u32| {
        let line = program.line(**pc);
        line.is_none() || barriers.iter().filter(|other| program.line(**other) == line).count() > 1
    };
    let places: Vec<String> = barriers.iter().filter(is_copy).map(|pc| program.source(*pc)).collect();
    if places.len() < 2 {
        return String::new();
    }
    format!(
        "- If these are copies of one barrier, compile with -fno-split-paths -fno-thread-jumps: {}.\n",
        places.join(", ")
    )
}

/// The other units whose paths get time slices, as a setting.
fn units_with_turns(unit: &str) -> String {
    let others = UNITS.iter().filter(|other| other.name != unit && other.takes_turns);
    let names: Vec<String> = others.map(|other| format!("\"{}\"", other.name)).collect();
    format!("divergence.unit = {}", names.join(" or "))
}
