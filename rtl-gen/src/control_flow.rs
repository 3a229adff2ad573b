//! The report of `weft analyze`, and the class of a kernel by its control flow.

use std::fmt::Write;

use kernels::Kernel;
use serde_json::{Value, json};
use sim::Program;
use sim::control_flow::{Analysis, Branch, DivergentBarrier, FunctionSummary, Kind, Loop, Lost, Reason, Reconvergence};

use crate::report::counted;

pub fn text(program: &Program, analysis: &Analysis) -> String {
    let place = |pc| program.place(pc);
    let mut text = String::new();
    let entries = analysis.table().len();
    let irreducible = analysis.loops().iter().filter(|found| found.irreducible).count();
    let _ = writeln!(
        text,
        "{}: {}, {}, {}\n  reconvergence table of {entries} entries, {} bytes\n",
        program.name,
        counted(analysis.functions().len(), "function"),
        counted(analysis.blocks().len(), "basic block"),
        counted(analysis.loops().len(), "loop") + &note(irreducible, "irreducible"),
        4 * entries
    );
    for (kind, name) in KINDS {
        let [at, at_return, unknown] = reconvergences(analysis.branches().iter().filter(|branch| branch.kind == *kind));
        let number = at + at_return + unknown;
        let _ = write!(text, "  {name:<21} {number:>5}");
        if number > 0 {
            let _ = write!(text, ": {at} reconverge at a pc, {at_return} at the return, {unknown} unknown");
        }
        text.push('\n');
    }
    functions(&mut text, program, analysis);

    let unknown: Vec<String> = analysis
        .branches()
        .iter()
        .filter_map(|branch| Some(format!("  {}: {}\n", place(branch.pc), because(program, branch)?)))
        .collect();
    if !unknown.is_empty() {
        let _ = write!(text, "\nwithout a known reconvergence pc:\n{}", unknown.concat());
    }
    for found in analysis.loops().iter().filter(|found| found.irreducible) {
        let _ = writeln!(text, "\nirreducible: the loop at {} has other entries too", place(found.header));
    }
    for barrier in analysis.divergent_barriers() {
        let _ = writeln!(text, "\nwarning: {}", warning(program, barrier));
    }
    text
}

pub fn object(program: &Program, analysis: &Analysis) -> Value {
    let function = |function: &FunctionSummary| {
        let branches = &analysis.branches()[function.branches.clone()];
        let unknown = branches.iter().filter(|branch| branch.together.is_err()).count();
        json!({
            "name": function.name, "start": function.start, "blocks": function.blocks, "branches": branches.len(),
            "unknown": unknown,
        })
    };
    let branch = |branch: &Branch| {
        let (entry, pc) = match branch.reconvergence() {
            Reconvergence::Unknown => ("unknown", None),
            Reconvergence::At(pc) => ("at", Some(pc)),
            Reconvergence::Return => ("return", None),
        };
        let reason = because(program, branch);
        json!({ "pc": branch.pc, "kind": name(branch.kind), "reconvergence": entry, "at": pc, "reason": reason })
    };
    let loops = analysis.loops().iter();
    let barriers = analysis.divergent_barriers().iter();
    json!({
        "program": program.name,
        "functions": analysis.functions().iter().map(function).collect::<Vec<_>>(),
        "blocks": analysis.blocks().len(),
        "loops": loops.map(|found| json!({
            "header": found.header, "blocks": found.blocks, "exits": found.exits, "irreducible": found.irreducible,
        })).collect::<Vec<_>>(),
        "branches": analysis.branches().iter().map(branch).collect::<Vec<_>>(),
        "unknown_branches": analysis.unknown_branches(),
        "divergent_barriers": barriers.map(|barrier| json!({
            "pc": barrier.pc, "callee": barrier.callee, "branches": barrier.branches,
        })).collect::<Vec<_>>(),
        "table": { "entries": analysis.table().len(), "bytes": 4 * analysis.table().len() },
    })
}

/// Returns the class of a kernel for the comparison of divergence units: `locking` if threads of a warp wait for each
/// other. Otherwise the loops of its own functions decide: `irreducible` if one has several entries, `early-exit` if
/// control leaves one at several blocks, else `structured`. The functions of runtime and library have names that
/// begin with `weft_` or an underscore.
pub fn class(kernel: &Kernel, program: &Program) -> &'static str {
    if kernel.needs_turns {
        return "locking";
    }
    let is_own = |name: &str| !name.starts_with("weft_") && !name.starts_with('_');
    let analysis = Analysis::of(program);
    let own =
        analysis.loops().iter().filter(|found| program.locate(found.header).is_some_and(|(name, _)| is_own(name)));
    let own: Vec<&Loop> = own.collect();
    match () {
        () if own.iter().any(|found| found.irreducible) => "irreducible",
        () if own.iter().any(|found| found.exits > 1) => "early-exit",
        () => "structured",
    }
}

const KINDS: &[(Kind, &str)] = &[
    (Kind::Conditional, "conditional branches"),
    (Kind::IndirectJump, "indirect jumps"),
    (Kind::IndirectCall, "indirect calls"),
];

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Conditional => "conditional",
        Kind::IndirectJump => "indirect-jump",
        Kind::IndirectCall => "indirect-call",
    }
}

/// Counts the branches that reconverge at a pc, at the return, and at an unknown place.
fn reconvergences<'a>(branches: impl IntoIterator<Item = &'a Branch>) -> [usize; 3] {
    branches.into_iter().fold([0; 3], |mut counts, branch| {
        counts[match branch.reconvergence() {
            Reconvergence::At(_) => 0,
            Reconvergence::Return => 1,
            Reconvergence::Unknown => 2,
        }] += 1;
        counts
    })
}

fn functions(text: &mut String, program: &Program, analysis: &Analysis) {
    let names: Vec<String> = analysis.functions().iter().map(|function| program.place(function.start)).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0).max("function".len());
    let _ = writeln!(text, "\n  {:<width$}  blocks  branches  at a pc  return  unknown", "function");
    for (function, name) in analysis.functions().iter().zip(names) {
        let branches = &analysis.branches()[function.branches.clone()];
        let [at, at_return, unknown] = reconvergences(branches);
        let (blocks, branches) = (function.blocks, branches.len());
        let _ = writeln!(text, "  {name:<width$}  {blocks:>6}  {branches:>8}  {at:>7}  {at_return:>6}  {unknown:>7}");
    }
}

/// Returns the reason why the reconvergence pc of a branch is unknown.
fn because(program: &Program, branch: &Branch) -> Option<String> {
    let (pc, what) = match branch.together.err()? {
        Reason::Lost(Lost::Jump, pc) if pc == branch.pc => return Some("its targets are unknown".into()),
        Reason::Lost(Lost::Jump, pc) => (pc, "a jump with unknown targets"),
        Reason::Lost(Lost::Depth, pc) => (pc, "a jump that breaks the count of call depth"),
        Reason::Lost(Lost::Call, pc) => (pc, "a call that may return at another call depth"),
        Reason::Lost(Lost::Outside, pc) => (pc, "an address outside the code of the program"),
        Reason::Endless(pc) => (pc, "an endless loop next to paths that return"),
        Reason::OtherReturn(pc) => (pc, "a return by an instruction other than `ret`"),
    };
    Some(format!("may lead to {}: {what}", program.place(pc)))
}

fn warning(program: &Program, barrier: &DivergentBarrier) -> String {
    let what = match barrier.callee {
        None => format!("the barrier at {}", program.place(barrier.pc)),
        Some(callee) => {
            format!("the call at {} of {}, which waits at a barrier,", program.place(barrier.pc), program.place(callee))
        }
    };
    const SHOWN: usize = 3;
    let branches = barrier.branches.iter().take(SHOWN).map(|pc| program.place(*pc));
    let more = barrier.branches.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!(
        "only some threads of a warp may reach {what}: the branch at {}{more} is not proved uniform; \
         a reconvergence stack may wait there for ever",
        branches.collect::<Vec<_>>().join(", ")
    )
}

fn note(number: usize, what: &str) -> String {
    if number == 0 { String::new() } else { format!(" ({number} {what})") }
}
