//! Targets of indirect jumps.
//!
//! The graph, the calls that return, the facts, and the blocks where the facts are unreliable depend on each other.
//! Each round computes them from the previous round, until nothing changes.
//! Then the facts hold, by induction over the instructions of a run: every jump goes to a target that they allow, or
//! to an entry, where they assume nothing.
//! If a jump may go anywhere, every block linked to it without a call counts as an entry.

use std::collections::BTreeSet;

use petgraph::unionfind::UnionFind;

use super::code::Code;
use super::facts::{Facts, Findings};
use super::functions;
use super::graph::{Graph, Resolved};
use super::transfer::Transfer;
use crate::Program;

/// Two or three rounds are usual.
const ROUNDS: usize = 32;

/// The graph of a program with its indirect jumps resolved as far as possible, and the words whose address the
/// program may hold.
pub(super) fn graph(program: &Program, code: &Code, functions: &BTreeSet<usize>) -> (Graph, BTreeSet<usize>) {
    let pointers = pointers(program, code);
    let mut entries = functions.clone();
    let mut resolved = Resolved::default();
    for _ in 0..ROUNDS {
        let graph = closed(code, &entries, &resolved);
        let mut findings = Facts::of(program, code, &graph, &entries).findings();
        let taken = taken(code, &pointers, &findings);
        let lost = findings.split_unresolved(program, code, &taken);

        let mut more = entries.clone();
        more.extend(&taken);
        more.extend(around(&graph, &lost));
        if findings.resolved == resolved && more == entries {
            return (graph, taken);
        }
        (resolved, entries) = (findings.resolved, more);
    }
    // Without targets every indirect jump is lost. That is always a correct result.
    let nothing = Resolved { skewing: resolved.skewing, ..Resolved::default() };
    (closed(code, &entries, &nothing), entries)
}

fn closed(code: &Code, entries: &BTreeSet<usize>, resolved: &Resolved) -> Graph {
    let mut graph = Graph::new(code, entries, resolved);
    graph.close_calls(code);
    graph
}

/// Words at which functions may begin, including those to which a coroutine may return. The set is larger than
/// needed, since any word may look like a call.
pub(super) fn functions(program: &Program, code: &Code) -> BTreeSet<usize> {
    let symbols = program.functions().iter().map(|function| function.address);
    let from_words = (0..code.len()).filter_map(|word| match Transfer::of(code.instruction(word), code.pc(word)) {
        Transfer::Call { target } => Some(target),
        Transfer::Switch => Some(code.pc(word).wrapping_add(4)),
        _ => None,
    });
    symbols.chain([program.entry]).chain(from_words).filter_map(|pc| code.index(pc)).collect()
}

/// The data words that may be code addresses: their own address, and the word of code.
fn pointers(program: &Program, code: &Code) -> Vec<(u32, usize)> {
    let data = program.segments.iter().flat_map(|segment| {
        let skip = segment.address.wrapping_neg() % 4;
        let words = segment.bytes.get(skip as usize..).unwrap_or_default().chunks_exact(4);
        let address = segment.address + skip;
        words.enumerate().map(move |(place, bytes)| (address + 4 * place as u32, bytes))
    });
    let pointer = |(address, bytes): (u32, &[u8])| {
        let word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        Some((address, code.index(word)?)).filter(|_| code.index(address).is_none())
    };
    data.filter_map(pointer).collect()
}

/// The words whose address the program may hold, except those that occur only in tables of resolved jumps.
fn taken(code: &Code, pointers: &[(u32, usize)], findings: &Findings) -> BTreeSet<usize> {
    let targets: BTreeSet<usize> =
        findings.resolved.targets.values().flatten().filter_map(|target| code.index(*target)).collect();
    let in_table = |(address, word): &(u32, usize)| findings.indexed.contains(address) && targets.contains(word);
    let pointers = pointers.iter().filter(|pointer| !in_table(pointer)).map(|(_, word)| *word);
    pointers.chain(findings.computed.iter().filter_map(|pc| code.index(*pc))).collect()
}

impl Findings {
    /// Finds indirect tail calls among the unresolved jumps, drops doubtful tables, and returns the remaining jumps.
    ///
    /// A jump is a tail call if it uses no table and its function can only be entered at the start, because the
    /// program holds no other address of it.
    /// By the same rule a table of which only the beginning is known is complete.
    fn split_unresolved(&mut self, program: &Program, code: &Code, taken: &BTreeSet<usize>) -> Vec<usize> {
        let is_entered_at_start_only = |word: usize| {
            functions::extent(program, code.pc(word)).is_some_and(|range| {
                let inside = |word: &usize| range.contains(&code.pc(*word)) && code.pc(*word) != range.start;
                !taken.iter().any(inside)
            })
        };
        let mut lost = Vec::new();
        for &(word, by_table) in &self.unresolved {
            if !by_table && is_entered_at_start_only(word) {
                self.resolved.tail_calls.insert(word);
            } else {
                lost.push(word);
            }
        }
        for &word in &self.unbounded {
            if !is_entered_at_start_only(word) {
                self.resolved.targets.remove(&word);
                lost.push(word);
            }
        }
        lost
    }
}

/// The first words of the blocks linked to these jumps by edges in either direction.
fn around(graph: &Graph, lost: &[usize]) -> BTreeSet<usize> {
    if lost.is_empty() {
        return BTreeSet::new();
    }
    let mut linked = UnionFind::new(graph.blocks.len());
    for (from, to) in graph.edges() {
        linked.union(from, to);
    }
    let of_lost: BTreeSet<usize> = lost.iter().map(|word| linked.find(graph.block_of(*word))).collect();
    let numbers = (0..graph.blocks.len()).filter(|block| of_lost.contains(&linked.find(*block)));
    numbers.map(|block| graph.blocks[block].first).collect()
}
