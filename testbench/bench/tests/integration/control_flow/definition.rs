//! Checks entries against the definition: no path leads from the branch to its caller without the named instruction,
//! and no instruction nearer to the branch has this property.
//! The paths are those of a graph that this file builds from the words. Only the targets of indirect jumps come from
//! the analysis.

use std::collections::{BTreeMap, BTreeSet};

use sim::Program;
use sim::control_flow::{Analysis, Kind, Reason, Reconvergence};

use super::programs::{self, Case};

/// Successors of each instruction at the same call depth, and the instructions that return to the caller.
struct Ways {
    successors: BTreeMap<u32, Vec<u32>>,
    returns: BTreeSet<u32>,
}

fn bits(word: u32, high: u32, low: u32) -> u32 {
    (word >> low) & ((1 << (high - low + 1)) - 1)
}

fn signed(value: u32, length: u32) -> u32 {
    ((value << (32 - length)) as i32 >> (32 - length)) as u32
}

fn branch_target(pc: u32, word: u32) -> u32 {
    let offset = bits(word, 31, 31) << 12 | bits(word, 7, 7) << 11 | bits(word, 30, 25) << 5 | bits(word, 11, 8) << 1;
    pc.wrapping_add(signed(offset, 13))
}

fn jump_target(pc: u32, word: u32) -> u32 {
    let offset =
        bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 | bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1;
    pc.wrapping_add(signed(offset, 21))
}

impl Ways {
    /// Every call is assumed to return: the programs here end their threads without calls.
    fn of(program: &Program, analysis: &Analysis) -> Self {
        let mut ways = Self { successors: BTreeMap::new(), returns: BTreeSet::new() };
        for pc in program.code().iter().flat_map(|range| range.clone().step_by(4)) {
            let word = program.word(pc).unwrap();
            let (opcode, rd, next) = (word & 0x7f, bits(word, 11, 7), pc + 4);
            let links = |register| register == 1 || register == 5;
            let successors = match opcode {
                0x63 => vec![next, branch_target(pc, word)],
                0x6f if links(rd) => vec![next],
                0x6f => vec![jump_target(pc, word)],
                0x67 if links(rd) => vec![next],
                0x67 if links(bits(word, 19, 15)) => {
                    ways.returns.insert(pc);
                    vec![]
                }
                0x67 => {
                    let block = analysis.block_of(pc);
                    let targets = block.map_or(vec![], |block| block.successors.clone());
                    if targets.is_empty() {
                        ways.returns.insert(pc);
                    }
                    targets
                }
                0x73 if bits(word, 31, 20) == 0x800 && bits(word, 14, 12) & 3 == 1 => vec![],
                _ => vec![next],
            };
            ways.successors.insert(pc, successors);
        }
        ways
    }

    /// Whether a path leads from after the instruction at `pc` to the caller without passing `without`.
    fn lead_out(&self, pc: u32, without: Option<u32>) -> bool {
        let mut seen = BTreeSet::new();
        let mut work = self.successors[&pc].clone();
        while let Some(pc) = work.pop() {
            if Some(pc) == without || !seen.insert(pc) {
                continue;
            }
            if self.returns.contains(&pc) {
                return true;
            }
            work.extend(self.successors.get(&pc).into_iter().flatten());
        }
        false
    }

    /// The first instruction on all paths from after `pc` to the caller; the return, if there is no other.
    fn together(&self, pc: u32) -> Option<u32> {
        // Candidates are on any one path; the first that cannot be avoided is the nearest.
        let mut way = vec![];
        let mut seen = BTreeSet::new();
        self.walk(pc, &mut seen, &mut way).then_some(())?;
        way.into_iter().find(|candidate| !self.lead_out(pc, Some(*candidate)))
    }

    fn walk(&self, pc: u32, seen: &mut BTreeSet<u32>, way: &mut Vec<u32>) -> bool {
        self.successors[&pc].iter().filter(|next| self.successors.contains_key(next)).any(|next| {
            if !seen.insert(*next) {
                return false;
            }
            way.push(*next);
            let out = self.returns.contains(next) || self.walk(*next, seen, way);
            if !out {
                way.pop();
            }
            out
        })
    }
}

#[derive(Default)]
struct Checked {
    at: usize,
    at_return: usize,
    unknown: usize,
}

fn check(case: &Case, checked: &mut Checked) {
    let analysis = Analysis::of(&case.program);
    let ways = Ways::of(&case.program, &analysis);
    for branch in analysis.branches() {
        let place = format!("{}: {:#010x} {:?}", case.name, branch.pc, branch.kind);
        let entry = branch.reconvergence();
        match (branch.kind, entry) {
            (Kind::IndirectCall, entry) => assert_eq!(entry, Reconvergence::At(branch.pc + 4), "{place}"),
            _ if !ways.lead_out(branch.pc, None) => {}
            (_, Reconvergence::At(pc)) => {
                assert_eq!(ways.together(branch.pc), Some(pc), "{place}: {pc:#010x}");
                checked.at += 1;
            }
            (_, Reconvergence::Return) => {
                assert_eq!(ways.together(branch.pc), None, "{place}");
                checked.at_return += 1;
            }
            (_, Reconvergence::Unknown) => checked.unknown += 1,
        }
    }
}

#[test]
fn entries_are_the_nearest_places_that_cannot_be_avoided() {
    let mut checked = Checked::default();
    programs::all().iter().for_each(|case| check(case, &mut checked));
    let Checked { at, at_return, unknown } = checked;
    assert!(at > 500 && at_return > 50, "{at} at a pc, {at_return} at the return, {unknown} unknown");
}

/// Returns through t0 occur in the compiler's library; the hardware does not detect them.
#[test]
fn of_kernels_only_branches_before_other_returns_are_unknown() {
    let optimised = programs::branches().into_iter().filter(|case| case.name == "branches.c -O2");
    let cases: Vec<Case> = programs::kernels().into_iter().chain(optimised).collect();
    assert!(cases.len() > 24);
    for case in cases {
        let analysis = Analysis::of(&case.program);
        for branch in analysis.branches() {
            let known = matches!(branch.together, Ok(_) | Err(Reason::OtherReturn(_)));
            assert!(known, "{}: {:#010x}: {:?}", case.name, branch.pc, branch.together);
        }
        let other = analysis.branches().iter().filter(|branch| branch.together.is_err()).count();
        assert_eq!(analysis.unknown_branches(), other);
    }
}

/// The two switches of branches.c jump through tables, unless the compiler emits none.
#[test]
fn tables_of_the_compiler_are_found() {
    for case in programs::branches() {
        if case.name.contains("-fno-jump-tables") {
            continue;
        }
        let analysis = Analysis::of(&case.program);
        let jumps = analysis.branches().iter().filter(|branch| branch.kind == Kind::IndirectJump);
        let targets = |pc| analysis.block_of(pc).map_or(0, |block| block.successors.len());
        // dense() has eight cases, each with its own block; looped() has eight, some of which share a block.
        let by_table = jumps.filter(|branch| branch.together.is_ok() && targets(branch.pc) >= 6).count();
        assert!(by_table >= 2, "{}: {by_table}", case.name);
    }
}
