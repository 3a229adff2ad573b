//! `arbiter`: one pc and call depth per thread, and a tree of comparators that selects the path ("Path list
//! traversal: a new class of SIMT flow tracking mechanisms", section 3.1).
//!
//! Latency: the active path is known in S8 of the instruction that changed it, plus N = `arbiter.pipeline_stages`
//! cycles. The registers of these cycles cut the tree into N + 1 equal sections.
//!
//! Storage: W rows of T · (1 live + 2 parked + 8 depth + 30 pc) + 1 fresh bits and W rows of one path, all LUT RAM.
//! A fresh row belongs to a warp that has just started, and its other bits do not count. The start value is
//! selected where the row is read, as the reset of a register. So the written bits need no multiplexer for it.
//!
//! The tree has T − 1 nodes of a 39-bit comparison each, and log2 T levels, because the threads are kept in no
//! order.

mod tree;
mod turns;

use rtl::{
    Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, clog2, concat, join, lit, ones, zeros,
};

use super::hot;
use super::row::Row;
use super::watch::Watch;
use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace};
use crate::shape::Shape;
use crate::signals::{Path, Settled};
use tree::{Candidate, Node, Tree};
use turns::{Turn, Turns};
use weft_config::{ARBITER, Unit};

pub struct Arbiter;

impl DivergenceUnit for Arbiter {
    fn descriptor(&self) -> &'static Unit {
        &ARBITER
    }

    fn compares_prediction(&self) -> bool {
        false
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        vec![
            Storage { name: "threads", words: shape.warps, bits: shape.threads * Thread::bits(shape) + 1 },
            Storage { name: "paths", words: shape.warps, bits: hot::bits(shape, 0) },
        ]
        .into_iter()
        .chain((shape.takes_turns).then(|| Storage { name: "turns", words: shape.warps, bits: Turn::bits(shape) }))
        .collect()
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let compare = tree::compare(shape)?;
        let m = Builder::new(
            "arbiter",
            "Divergence unit: a pc and a call depth per thread, and a comparator tree that selects the active path:\n\
             not parked first, then the deepest call, then the smallest pc.",
        );
        m.timing(&super::timing(shape));
        let inputs = UnitInputs::declare(&m, shape);
        let [generation_s7, generation_s8] = inputs.generations(&m);
        let threads = Threads::declare(&m, shape, &inputs);
        let updated = threads.updated(&m, shape, &inputs, &generation_s8);
        let written = m.wire("row_written", &join(updated.iter().map(Thread::pack).collect::<Vec<_>>()));
        let runnable: Vec<Expr> =
            updated.iter().map(|thread| &thread.live & !thread.parked_now(&generation_s8)).collect();
        let turns = (shape.takes_turns).then(|| Turns::declare(&m, shape, &inputs, &join(&runnable)));
        let in_charge = best(&m, shape, &compare, &updated, &generation_s8, turns.as_ref());
        let settled = inputs.resolve.settled(&m, shape.delay);
        if let Some(turns) = turns {
            turns.update(&m, shape, &inputs, &settled, &in_charge);
        }
        m.comment("The active path of each warp, written by S8. S6 reads it with the write of the same cycle.");
        let paths = m.memory("paths", shape.warps, hot::bits(shape, 0), MemoryStyle::Distributed);
        threads.write(&m, &inputs, &written);
        let validate = write_path(&m, shape, &inputs, &paths, &settled, &in_charge, &generation_s7);
        let no = lit(1, 0);
        UnitOutputs::of_one_slot([validate, in_charge], [no.clone(), no], UnitTrace::none(shape)).declare(&m, shape);
        if shape.formal {
            let (watch, _) = Watch::declare(&m, shape, &inputs, &generation_s8);
            state(&watch, &threads, &paths);
        }
        m.finish()
    }
}

/// The row of each warp has an entry for each thread, and a flag that says that the row is fresh.
struct Threads {
    table: Memory,
    /// The value of a fresh row.
    start: Expr,
    row: Expr,
}

impl Threads {
    fn declare(m: &Builder, shape: &Shape, inputs: &UnitInputs) -> Self {
        m.comment("The row of the warp, read in S7 and updated in S8.");
        let start = join(vec![Thread::start(inputs.start(shape)).pack(); shape.threads]);
        let table = m.memory("threads", shape.warps, start.width() + 1, MemoryStyle::Distributed);
        let read = table.read("row_s7", &inputs.warp_s7);
        let row = m.delay("row_s8", &Self::threads_of(m, &start, &read));
        Self { table, start, row }
    }

    /// The threads in a word of the table: those of the start if the word is fresh.
    fn threads_of(m: &Builder, start: &Expr, word: &Expr) -> Expr {
        let (fresh, threads) = (m.field(word, "fresh", start.width(), 1), m.field(word, "threads", 0, start.width()));
        fresh.mux(start, &threads)
    }

    fn updated(&self, m: &Builder, shape: &Shape, inputs: &UnitInputs, generation: &Expr) -> Vec<Thread> {
        let resolve = &inputs.resolve;
        let thread = |lane: usize| {
            let old = Thread::unpack(m, shape, &self.row.lane(lane, Thread::bits(shape)));
            let (in_a, in_b) = (resolve.a_mask.bit(lane), resolve.b_mask.bit(lane));
            let name = |field: &str| format!("{field}_{lane}");
            Thread {
                live: m.wire(&name("live"), &(old.live & !resolve.exit_mask.bit(lane))),
                parked: m.wire(&name("parked"), &in_a.mux(&resolve.a_parked, &old.parked)),
                generation: m.wire(&name("generation"), &in_a.mux(generation, &old.generation)),
                depth: m.wire(&name("depth"), &in_a.mux(&resolve.a_depth, &in_b.mux(&resolve.b_depth, &old.depth))),
                pc: m.wire(&name("pc"), &in_a.mux(&resolve.a_pc, &in_b.mux(&resolve.b_pc, &old.pc))),
            }
        };
        (0..shape.threads).map(thread).collect()
    }

    /// Writes the row of the warp in S8, or of a starting warp.
    fn write(&self, m: &Builder, inputs: &UnitInputs, written: &Expr) {
        let [write, warp] = inputs.write_s8();
        let (write, warp) = (m.wire("row_write", &write), m.wire("row_warp", &warp));
        let fresh = m.fault("a_started_warp_keeps_its_old_row", &inputs.start_valid, &zeros(1));
        self.table.write(&write, &warp, &join([written, &fresh]));
    }
}

/// The best path among the threads, `shape.delay` cycles after S8.
fn best(
    m: &Builder,
    shape: &Shape,
    compare: &Module,
    threads: &[Thread],
    generation: &Expr,
    turns: Option<&Turns>,
) -> Path {
    m.comment("The tree: each node keeps the better key, and the threads that have it.");
    let leaves = threads.iter().enumerate().map(|(lane, thread)| Node {
        candidate: Candidate {
            valid: thread.live.clone(),
            parked: thread.parked_now(generation),
            deferred: turns.map_or_else(|| zeros(0), |turns| !turns.preferred.bit(lane)),
            depth: thread.depth.clone(),
            pc: thread.pc.clone(),
        },
        mask: thread.live.clone(),
    });
    let levels = clog2(shape.threads);
    let stages = shape.unit_keys.get("arbiter.pipeline_stages") as usize;
    let cuts: Vec<usize> = (1..=stages).map(|cut| cut * levels / (stages + 1)).collect();
    let tree = Tree { m, shape, compare, cuts: &cuts };
    let Node { candidate: best, mask } = tree.best(leaves.collect(), "node");
    Path { valid: best.valid, pc: best.pc, depth: best.depth, mask, parked: best.parked }
}

/// Writes the path of the warp that has settled, or of a starting warp. Returns the path that S7 validates against.
fn write_path(
    m: &Builder,
    shape: &Shape,
    inputs: &UnitInputs,
    paths: &Memory,
    settled: &Settled,
    in_charge: &Path,
    generation_s7: &Expr,
) -> Path {
    let UnitInputs { start_valid, generation, warp_s6, .. } = inputs;
    let generation = m.wire("generation_settled", &generation.index(&settled.warp));
    let [write, warp] = inputs.write_of(&settled.valid, &settled.warp);
    let (write, warp) = (m.wire("write", &write), m.wire("write_warp", &warp));
    let [start, new] = [&inputs.start(shape), in_charge].map(|path| hot::pack(path, &generation, []));
    let path = m.wire("write_path", &start_valid.mux(&start, &new));
    paths.write(&write, &warp, &path);
    let read = paths.read("path_read", warp_s6);
    let same = &write & warp.eq(warp_s6);
    let path_s7 = m.delay("path_s7", &same.mux(&path, &read));
    let (validate, []) = hot::unpack(m, shape, &path_s7, generation_s7, []);
    let parked_once = Row::unpack(m, shape, &path_s7).parked;
    let parked = m.fault("s7_misses_a_barrier_release", &validate.parked, &parked_once);
    Path { parked, ..validate }
}

/// Asserts the claims about the watched warp, and declares the outputs for a proof.
fn state(watch: &Watch, threads: &Threads, paths: &Memory) {
    let Watch { m, shape, at, generation } = watch;
    let stored = Threads::threads_of(m, &threads.start, &threads.table.inspect("threads_watched", &at.warp));
    m.assert("s8_has_the_row", &(watch.s8_is_past() | threads.row.eq(&stored)));
    m.port_group("its active path, and each thread as a path");
    let (charge, []) = hot::unpack(m, shape, &paths.inspect("path_watched", &at.warp), generation, []);
    charge.outputs(m, "charge");
    m.output("gives_way_charge", &lit(1, 0));
    for lane in 0..shape.threads {
        let thread = Thread::unpack(m, shape, &stored.lane(lane, Thread::bits(shape)));
        let path = Path {
            parked: thread.parked_now(generation),
            mask: lit(shape.threads, 1 << lane),
            valid: thread.live,
            pc: thread.pc,
            depth: thread.depth,
        };
        path.outputs(m, &format!("list_{lane}"));
        if !shape.takes_turns {
            let rank = |path: &Path| concat([&path.parked, &!&path.depth, &path.pc]);
            let later = rank(&charge).lt(&rank(&path));
            let joined = rank(&charge).eq(&rank(&path)) & charge.mask.bit(lane);
            let comes = !&at.started | &at.unsettled | !&path.valid | later | joined;
            m.assert(&format!("thread_{lane}_comes_later_or_is_in_charge"), &comes);
        }
    }
}

rtl::bundle! {
    struct Thread(shape: &Shape) {
        pc: shape.pc_bits,
        depth: shape.depth_bits,
        /// The barrier's generation when the thread parked.
        generation: 1,
        /// Whether the thread was parked then.
        parked: 1,
        live: 1,
    }
}

impl Thread {
    fn start(Path { pc, depth, parked, .. }: Path) -> Self {
        Self { live: ones(1), parked, generation: lit(1, 0), depth, pc }
    }

    /// The thread waits at the barrier, which has not been released since.
    fn parked_now(&self, generation: &Expr) -> Expr {
        &self.parked & self.generation.eq(generation)
    }
}
