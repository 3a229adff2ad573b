//! `arbiter`: one pc and call depth per thread, and a tree of comparators that picks the path (seed
//! `path-lists-simty.txt`, section 3.1).
//!
//! Latency: the path in charge is known in S8 of the instruction that changed it, or `arbiter.pipeline_stages` cycles
//! later, which cut the tree in as many equal parts and one more. Storage: W rows of
//! T · (1 live + 2 parked + 8 depth + 30 pc) + 1 fresh bits and W rows of one path, all LUT RAM. A fresh row is that of a
//! warp that has just started, whatever else it says: the start is chosen where the row is read, by the reset of a
//! register, and not in front of every bit that is written. The tree has T − 1 nodes of a 39-bit comparison each, log2 T
//! deep: the price of a mechanism that keeps no order between threads.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, clog2, concat, increment, join, lit, ones,
    zeros,
};

use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace};
use crate::formal::Watched;
use crate::shape::Shape;
use crate::signals::{Path, Settled, delay_by};
use weft_config::{ARBITER, Unit};

/// The unit.
pub struct Arbiter;

/// Bits of a thread's entry: live, parked, generation, depth, pc.
fn thread_bits(shape: &Shape) -> usize {
    3 + shape.depth_bits + shape.pc_bits
}

impl DivergenceUnit for Arbiter {
    fn descriptor(&self) -> &'static Unit {
        &ARBITER
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        vec![
            Storage { name: "threads", words: shape.warps, bits: shape.threads * thread_bits(shape) + 1 },
            Storage { name: "paths", words: shape.warps, bits: stored_path_bits(shape) },
        ]
        .into_iter()
        .chain((shape.fair_after > 0).then(|| Storage {
            name: "turns",
            words: shape.warps,
            bits: 2 * shape.threads + turn_count_bits(shape),
        }))
        .collect()
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let compare = compare(shape)?;
        let m = Builder::new(
            "arbiter",
            "Divergence unit: a pc and a call depth per thread, and a comparator tree that picks the path in charge:\n\
             not parked first, then the deepest call, then the smallest pc.",
        );
        let inputs = UnitInputs::declare(&m, shape);
        let UnitInputs { start_valid, start_warp, generation, warp_s6, warp_s7, resolve, .. } = &inputs;

        m.comment("The row of the warp, read in S7 and updated in S8.");
        let style = MemoryStyle::Distributed;
        let start = Thread {
            live: ones(1),
            parked: lit(1, 0),
            generation: lit(1, 0),
            depth: zeros(shape.depth_bits),
            pc: lit(shape.pc_bits, shape.reset_word()),
        };
        let start_row = join(&vec![start.pack(); shape.threads]);
        let threads = m.memory("threads", shape.warps, start_row.width() + 1, style);
        let threads_of = |stored: &Expr| {
            let (fresh, threads) = (stored.bit(start_row.width()), stored.slice(0, start_row.width()));
            fresh.mux(&start_row, &threads)
        };
        let row = m.delay("row_s8", &threads_of(&threads.read("row_s7", warp_s7)));
        let updated: Vec<Thread> = (0..shape.threads)
            .map(|lane| {
                let old = Thread::unpack(shape, &row.lane(lane, thread_bits(shape)));
                let (in_a, in_b) = (resolve.a_mask.bit(lane), resolve.b_mask.bit(lane));
                let name = |field: &str| format!("{field}_{lane}");
                Thread {
                    live: m.wire(&name("live"), &(old.live & !resolve.exit_mask.bit(lane))),
                    parked: m.wire(&name("parked"), &in_a.mux(&resolve.a_parked, &old.parked)),
                    generation: m.wire(&name("generation"), &in_a.mux(generation, &old.generation)),
                    depth: m.wire(&name("depth"), &in_a.mux(&resolve.a_depth, &in_b.mux(&resolve.b_depth, &old.depth))),
                    pc: m.wire(&name("pc"), &in_a.mux(&resolve.a_pc, &in_b.mux(&resolve.b_pc, &old.pc))),
                }
            })
            .collect();
        let rows: Vec<Expr> = updated.iter().map(Thread::pack).collect();
        let written = m.wire("row_written", &join(&rows));

        let parked_now: Vec<Expr> =
            updated.iter().map(|thread| &thread.parked & thread.generation.eq(generation)).collect();
        let runnable: Vec<Expr> =
            updated.iter().zip(&parked_now).map(|(thread, parked)| &thread.live & !parked).collect();
        let turns = (shape.fair_after > 0).then(|| Turns::declare(&m, shape, &inputs, &join(&runnable)));

        m.comment("The tree: at each node the better key, and the threads that have it.");
        let leaves = updated.iter().zip(&parked_now).enumerate().map(|(lane, (thread, parked))| Node {
            candidate: Candidate {
                valid: thread.live.clone(),
                parked: parked.clone(),
                deferred: turns.as_ref().map_or_else(|| zeros(0), |turns| !turns.preferred.bit(lane)),
                depth: thread.depth.clone(),
                pc: thread.pc.clone(),
            },
            mask: thread.live.clone(),
        });
        let levels = clog2(shape.threads);
        let stages = shape.unit_keys.get("arbiter.pipeline_stages") as usize;
        let cuts: Vec<usize> = (1..=stages).map(|cut| cut * levels / (stages + 1)).collect();
        let Node { candidate: best, mask } = tree(&m, &compare, &cuts, leaves.collect(), "node");
        let in_charge = Path { valid: best.valid, pc: best.pc, depth: best.depth, mask, parked: best.parked };

        let settled = resolve.settled(&m, stages);
        if let Some(turns) = turns {
            turns.update(&m, shape, &settled, &in_charge);
        }

        m.comment("The path in charge of each warp, written by S8 and read in S6 with that write already in it.");
        let paths = m.memory("paths", shape.warps, stored_path_bits(shape), style);
        let stored = |path: &Path| concat([&path.valid, &path.parked, generation, &path.depth, &path.mask, &path.pc]);
        let start_path = Path {
            valid: ones(1),
            pc: start.pc.clone(),
            depth: start.depth.clone(),
            mask: ones(shape.threads),
            parked: lit(1, 0),
        };
        let row_write = m.wire("row_write", &(start_valid | &resolve.valid));
        let row_warp = m.wire("row_warp", &start_valid.mux(start_warp, &resolve.warp));
        let write = m.wire("write", &(start_valid | &settled.valid));
        let write_warp = m.wire("write_warp", &start_valid.mux(start_warp, &settled.warp));
        let write_path = m.wire("write_path", &start_valid.mux(&stored(&start_path), &stored(&in_charge)));
        let fresh = m.fault("a_started_warp_keeps_its_old_row", start_valid, &zeros(1));
        threads.write(&row_write, &row_warp, &join([&written, &fresh]));
        paths.write(&write, &write_warp, &write_path);
        let read = paths.read("path_read", warp_s6);
        let same = &write & write_warp.eq(warp_s6);
        let path_s7 = m.delay("path_s7", &same.mux(&write_path, &read));
        let depth_at = shape.pc_bits + shape.threads;
        let flags_at = depth_at + shape.depth_bits;
        let load = |word: &Expr| Path {
            pc: word.slice(0, shape.pc_bits),
            mask: word.slice(shape.pc_bits, shape.threads),
            depth: word.slice(depth_at, shape.depth_bits),
            parked: word.bit(flags_at + 1) & word.bit(flags_at).eq(generation),
            valid: word.bit(flags_at + 2),
        };
        let validate = load(&path_s7);
        let parked_s7 = m.fault("s7_misses_a_barrier_release", &validate.parked, &path_s7.bit(flags_at + 1));
        let no = lit(1, 0);
        let chosen = [Path { parked: parked_s7, ..validate }, in_charge.clone()];
        UnitOutputs::of_one_slot(chosen, [no.clone(), no.clone()], UnitTrace::none(shape)).declare(&m, shape);
        if shape.formal {
            m.port_group("the warp that is watched");
            let at = Watched::inputs(&m, shape, "watched");
            let stored = threads_of(&threads.inspect("threads_watched", &at.warp));
            let current = !(&at.in_s8 & &at.started_by_s7) | &at.settling | row.eq(&stored);
            m.assert("s8_has_the_row", &current);
            m.port_group("its path in charge, and its threads, each as a path");
            let charge = load(&paths.inspect("path_watched", &at.warp));
            charge.outputs(&m, "charge");
            m.output("gives_way_charge", &no);
            for lane in 0..shape.threads {
                let thread = Thread::unpack(shape, &stored.lane(lane, thread_bits(shape)));
                let path = Path {
                    parked: &thread.parked & thread.generation.eq(generation),
                    mask: lit(shape.threads, 1 << lane),
                    valid: thread.live,
                    pc: thread.pc,
                    depth: thread.depth,
                };
                path.outputs(&m, &format!("list_{lane}"));
                if shape.fair_after == 0 {
                    let rank = |path: &Path| concat([&path.parked, &!&path.depth, &path.pc]);
                    let later = rank(&charge).lt(&rank(&path));
                    let joined = rank(&charge).eq(&rank(&path)) & charge.mask.bit(lane);
                    let comes = !&at.started | &at.unsettled | !&path.valid | later | joined;
                    m.assert(&format!("thread_{lane}_comes_later_or_is_in_charge"), &comes);
                }
            }
        }
        m.finish()
    }
}

fn stored_path_bits(shape: &Shape) -> usize {
    3 + shape.depth_bits + shape.threads + shape.pc_bits
}

/// A thread's entry in its warp's row.
struct Thread {
    live: Expr,
    parked: Expr,
    generation: Expr,
    depth: Expr,
    pc: Expr,
}

impl Thread {
    fn pack(&self) -> Expr {
        concat([&self.live, &self.parked, &self.generation, &self.depth, &self.pc])
    }

    fn unpack(shape: &Shape, bits: &Expr) -> Self {
        let flags_at = shape.pc_bits + shape.depth_bits;
        Self {
            pc: bits.slice(0, shape.pc_bits),
            depth: bits.slice(shape.pc_bits, shape.depth_bits),
            generation: bits.bit(flags_at),
            parked: bits.bit(flags_at + 1),
            live: bits.bit(flags_at + 2),
        }
    }
}

/// A path as the nodes of the tree compare it.
struct Candidate {
    valid: Expr,
    parked: Expr,
    /// It is not this path's turn; no bits where paths take no turns.
    deferred: Expr,
    depth: Expr,
    pc: Expr,
}

/// The best path among the threads below a node of the tree, and its threads.
struct Node {
    candidate: Candidate,
    mask: Expr,
}

/// `fair_after`: after so many commits of a warp, its path in charge yields.
///
/// A yield marks the path's lanes as having had their turn and lets the best path among the others hold the warp until
/// the next; when every lane that can run has had its turn, the marks are cleared. The count starts again where only
/// one path can run. Storage: W rows of 2 · T + clog2(fair_after) bits, LUT RAM.
struct Turns {
    rows: Memory,
    start: [Expr; 2],
    /// Lanes that come first; if there are none, all.
    preferred: Expr,
    runnable: Expr,
    /// Whether the path that is chosen among them holds the warp.
    holds: Expr,
    taken: Expr,
    count: Expr,
}

impl Turns {
    fn declare(m: &Builder, shape: &Shape, inputs: &UnitInputs, runnable: &Expr) -> Self {
        m.comment("Turns.");
        let UnitInputs { start_valid, start_warp, warp_s7, resolve, .. } = inputs;
        let threads = shape.threads;
        let count_bits = turn_count_bits(shape);
        let rows = m.memory("turns", shape.warps, 2 * threads + count_bits, MemoryStyle::Distributed);
        let row = m.delay("turns_s8", &rows.read("turns_s7", warp_s7));
        let (taken, held, count) =
            (row.slice(0, threads), row.slice(threads, threads), row.slice(2 * threads, count_bits));
        let runnable = m.wire("runnable", runnable);
        let due = m.wire("due", &count.eq(&lit(count_bits, shape.fair_after - 1)));
        let had = m.wire("had_turn", &(&taken | &resolve.a_mask | &resolve.b_mask | &resolve.exit_mask));
        // The leaves are compared before it is known whether any is preferred: if none is, they are equal.
        let preferred = m.wire("preferred", &(&runnable & due.mux(&!&had, &held)));
        let holds = m.wire("holds", &preferred.any());
        Self {
            rows,
            start: [start_valid.clone(), start_warp.clone()],
            preferred,
            runnable,
            taken: due.mux(&had.when(&holds), &taken),
            count: increment(&count, 1).when(&!&due),
            holds,
        }
    }

    fn update(&self, m: &Builder, shape: &Shape, settled: &Settled, in_charge: &Path) {
        let later = |name: &str, value: &Expr| delay_by(m, name, value, shape.delay);
        let [start, start_warp] = &self.start;
        let alone = (later("runnable", &self.runnable) & !&in_charge.mask).none() | &in_charge.parked;
        let held = in_charge.mask.when(&later("holds", &self.holds));
        let row = join([&later("taken", &self.taken), &held, &later("count", &self.count)]);
        let warp = start.mux(start_warp, &settled.warp);
        self.rows.write(&(start | &settled.valid), &warp, &row.when(&!(alone | start)));
    }
}

fn turn_count_bits(shape: &Shape) -> usize {
    64 - (shape.fair_after - 1).leading_zeros() as usize
}

impl Node {
    /// Registers after this level of the tree: one for each cut there.
    fn cut(self, m: &Builder, cuts: &[usize], level: usize, name: &str) -> Self {
        let count = cuts.iter().filter(|cut| **cut == level).count();
        let later = |field: &str, value: &Expr| delay_by(m, &format!("{name}_{field}"), value, count);
        let Candidate { valid, parked, deferred, depth, pc } = &self.candidate;
        Self {
            candidate: Candidate {
                valid: later("valid", valid),
                parked: later("parked", parked),
                deferred: later("deferred", deferred),
                depth: later("depth", depth),
                pc: later("pc", pc),
            },
            mask: later("mask", &self.mask),
        }
    }
}

fn tree(m: &Builder, compare: &Module, cuts: &[usize], mut nodes: Vec<Node>, name: &str) -> Node {
    let level = clog2(nodes.len());
    if nodes.len() == 1 {
        return nodes.remove(0).cut(m, cuts, level, name);
    }
    let high = nodes.split_off(nodes.len() / 2);
    let low = tree(m, compare, cuts, nodes, &format!("{name}_0"));
    let high = tree(m, compare, cuts, high, &format!("{name}_1"));
    let node = m.instance(name, compare);
    for (side, child) in [("low", &low.candidate), ("high", &high.candidate)] {
        node.input(&format!("{side}_valid"), &child.valid);
        node.input(&format!("{side}_parked"), &child.parked);
        node.input(&format!("{side}_deferred"), &child.deferred);
        node.input(&format!("{side}_depth"), &child.depth);
        node.input(&format!("{side}_pc"), &child.pc);
    }
    let (keep_low, keep_high) = (node.output("keep_low"), node.output("keep_high"));
    let mask = concat([&high.mask.when(&keep_high), &low.mask.when(&keep_low)]);
    Node {
        candidate: Candidate {
            valid: node.output("valid"),
            parked: node.output("parked"),
            deferred: node.output("deferred"),
            depth: node.output("depth"),
            pc: node.output("pc"),
        },
        mask: m.wire(&format!("{name}_kept"), &mask),
    }
    .cut(m, cuts, level, name)
}

/// One node: which of two candidates comes first, and whether both are the same path.
fn compare(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "arbiter_compare",
        "One node of the arbiter's tree: the better of two candidates; both are kept where they are one path.",
    );
    let side = |side: &str| {
        m.port_group(&format!("the {side} half's candidate"));
        Candidate {
            valid: m.input(&format!("{side}_valid"), 1),
            parked: m.input(&format!("{side}_parked"), 1),
            deferred: m.input(&format!("{side}_deferred"), usize::from(shape.fair_after > 0)),
            depth: m.input(&format!("{side}_depth"), shape.depth_bits),
            pc: m.input(&format!("{side}_pc"), shape.pc_bits),
        }
    };
    let (low, high) = (side("low"), side("high"));
    // The lesser key comes first. Of what comes first if it is greater each key has the other side's, so that nothing has to be
    // inverted in front of the carry chain.
    let key = |own: &Candidate, other: &Candidate| {
        let depth = m.fault("ignores_the_call_depth", &other.depth, &zeros(shape.depth_bits));
        concat([&other.valid, &own.parked, &own.deferred, &depth, &own.pc])
    };
    let low_key = m.wire("low_key", &key(&low, &high));
    let high_key = m.wire("high_key", &key(&high, &low));
    let high_first = m.wire("high_first", &high_key.lt(&low_key));
    let same = m.wire("same", &high_key.eq(&low_key));
    m.port_group("the better one, and whose threads it has");
    m.output("keep_low", &!&high_first);
    m.output("keep_high", &(&high_first | m.fault("does_not_merge_equal_paths", &same, &zeros(1))));
    m.output("valid", &(low.valid | high.valid));
    m.output("parked", &high_first.mux(&high.parked, &low.parked));
    m.output("deferred", &high_first.mux(&high.deferred, &low.deferred));
    m.output("depth", &high_first.mux(&high.depth, &low.depth));
    m.output("pc", &high_first.mux(&high.pc, &low.pc));
    m.finish()
}
