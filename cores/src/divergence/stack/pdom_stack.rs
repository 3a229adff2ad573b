//! `pdom-stack`: the single-path reconvergence stack ("The Dual-Path Execution Model for Efficient
//! GPU Control Flow", section 2.1).
//!
//! Latency: the path in charge, that of the top row, is known in S8. Storage: for each warp the top row in LUT RAM, and
//! up to 2 · T − 2 rows below it of (pc, depth, mask, rpc), the next one in LUT RAM, the others in two banks of block RAM,
//! since a divergence may write two. They cannot overflow: the masks of the rows are different sets, of which any two are
//! nested or disjoint, and T threads have at most 2 · T − 1 such sets.

use rtl::{Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, join, lit, ones, zeros};

use super::below::{Below, Size, Step};
use super::invariants::{self, Level, Side};
use super::outcome::Outcome;
use super::rpc::Rpc;
use crate::divergence::hot::{self, HotTable};
use crate::divergence::row::Row;
use crate::divergence::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace};
use crate::formal::{Watched, points_at_heights};
use crate::shape::Shape;
use crate::signals::{Path, Resolve};
use crate::trace::Traced;
use weft_config::{PDOM_STACK, Unit};
use weft_trace::{MovePorts, SecondPorts, UnitPorts};

/// The unit.
pub struct PdomStack;

rtl::bundle! {
    /// What S8 alone needs of the top row.
    struct Top(shape: &Shape) {
        /// Rows below.
        height: height_bits(shape),
        /// All threads of the path: also those that a load in parts has served.
        mask: shape.threads,
        /// The warp's live threads.
        live: shape.threads,
        /// Kind of the reconvergence point.
        rpc_kind: 2,
        /// Its address.
        rpc_pc: shape.pc_bits,
        /// Its call depth.
        rpc_depth: shape.depth_bits,
    }
}

impl Top {
    fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }
}

rtl::bundle! {
    /// A row below the top.
    struct Suspended(shape: &Shape) {
        /// Where its threads go on.
        pc: shape.pc_bits,
        /// Their call depth.
        depth: shape.depth_bits,
        /// The threads, also those that have ended since.
        mask: shape.threads,
        /// Kind of the reconvergence point.
        rpc_kind: 2,
        /// Its address.
        rpc_pc: shape.pc_bits,
        /// Its call depth.
        rpc_depth: shape.depth_bits,
    }
}

impl Suspended {
    fn new(pc: &Expr, depth: &Expr, mask: &Expr, rpc: &Rpc) -> Self {
        Self {
            pc: pc.clone(),
            depth: depth.clone(),
            mask: mask.clone(),
            rpc_kind: rpc.kind.clone(),
            rpc_pc: rpc.pc.clone(),
            rpc_depth: rpc.depth.clone(),
        }
    }

    fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }
}

/// The rows below the top.
fn size(shape: &Shape) -> Size {
    Size { bits: Suspended::bits(shape), rows: 2 * shape.threads - 2, at_once: 2 }
}

/// Bits of the number of rows below the top.
fn height_bits(shape: &Shape) -> usize {
    size(shape).height_bits()
}

impl DivergenceUnit for PdomStack {
    fn descriptor(&self) -> &'static Unit {
        &PDOM_STACK
    }

    fn compares_prediction(&self) -> bool {
        true
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let top = |name, bits| Storage { name, words: shape.warps, bits };
        let tops = [top("hot_path", 4 + Row::bits(shape)), top("tops", Top::bits(shape))];
        tops.into_iter().chain(size(shape).storage(shape.warps)).collect()
    }

    fn listed_paths(&self, shape: &Shape) -> usize {
        invariants::listed_paths(2 * shape.threads - 1, 1)
    }

    fn listed_returns(&self, shape: &Shape) -> usize {
        2 * shape.threads - 1
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let m = Builder::new(
            "pdom_stack",
            "Divergence unit: the single-path reconvergence stack. The path of the top row is in charge; it leaves the\n\
             row where it meets the threads of the row below.",
        );
        let inputs = UnitInputs::declare(&m, shape);
        let UnitInputs { start_valid, start_warp, generation, warp_s6, warp_s7, resolve, .. } = &inputs;

        m.comment("The top row: what S7 validates against, and the rest.");
        let hot = HotTable::declare(&m, shape, "path", FLAGS);
        let (validate, flags) = hot::unpack(shape, &hot.read_later(&m, warp_s6), generation);
        let tops = m.memory("tops", shape.warps, Top::bits(shape), MemoryStyle::Distributed);
        let top_s7 = m.wire("top_s7", &tops.read("top_read", warp_s7));
        let top = Top::unpack(shape, &m.delay("top_s8", &top_s7));
        let heights = [&Top::unpack(shape, &top_s7).height, &top.height];
        let rows = Below::declare(&m, shape, size(shape), warp_s7, heights);

        let live = m.wire("live_now", &(&top.live & !&resolve.exit_mask));
        let whole = m.wire("whole", &(&top.mask & &live));
        let outcome = Outcome::of(&m, shape, resolve, &top.rpc(), &whole);

        m.comment("The row below, uncovered.");
        let pops = m.wire("pops", &(&outcome.leaves & top.height.any()));
        let below = Suspended::unpack(shape, &rows.next);
        let (below_rpc, at_popped) = below.rpc().uncovered(&m, &outcome.arrived);
        let below_pc = at_popped.mux(&outcome.arrived.pc, &below.pc);
        let still_live = m.fault("ended_threads_come_back", &live, &ones(shape.threads));
        let below_mask = m.wire("below_mask", &(&below.mask & still_live));
        let below_at_rpc = below_rpc.is_at() & below_pc.eq(&below_rpc.pc) & below.depth.eq(&below_rpc.depth);
        let below_leaves_at_ret = below_rpc.is_return() & below.depth.eq(&below_rpc.depth);

        m.comment(
            "The rows that a divergence pushes: the threads of both at the reconvergence point, and the far path.",
        );
        let Resolve { a_pc, a_depth, b_pc, b_depth, .. } = resolve;
        let stays = |a: &Expr, b: &Expr| outcome.stays_with_a.mux(a, b);
        let elsewhere = m.fault("pushes_two_rows_in_place", &!&outcome.in_place, &ones(1));
        let pushes_two = m.wire("pushes_two", &(&outcome.both_go_on & elsewhere));
        let pushes_one = m.wire("pushes_one", &(&outcome.diverges & !(&outcome.in_place ^ &outcome.both_go_on)));
        let far = Suspended::new(
            &stays(b_pc, a_pc),
            &stays(b_depth, a_depth),
            &stays(&resolve.b_mask, &resolve.a_mask),
            &outcome.rpc,
        );
        let meeting = Suspended::new(&outcome.rpc.pc, &outcome.rpc.depth, &whole, &top.rpc()).pack();
        let step = Step {
            pops: &pops,
            pushes: &(&pushes_one | &pushes_two),
            pushed: &outcome.both_go_on.mux(&far.pack(), &meeting),
            two: Some([&pushes_two, &meeting]),
        };
        let height = rows.height_after(&step);
        rows.write(&m, &resolve.valid, &resolve.warp, &step);

        m.comment("The new top row.");
        let mask = m.wire("new_active", &pops.mux(&below_mask, &outcome.active));
        let path = Path {
            valid: m.wire("new_valid", &pops.mux(&below_mask.any(), &outcome.goes_on)),
            pc: m.wire("new_pc", &pops.mux(&below_pc, &stays(a_pc, b_pc))),
            depth: m.wire("new_depth", &pops.mux(&below.depth, &stays(a_depth, b_depth))),
            mask,
            parked: m.wire("new_parked", &(&outcome.parked & !&pops)),
        };
        let moved_rpc = Rpc::mux(&outcome.diverges, &outcome.rpc, &top.rpc());
        let rpc = Rpc::mux(&pops, &below_rpc, &moved_rpc);
        let empty = &pops & below_mask.none() & !rows.is_one();
        let empty = m.wire("is_empty", &m.fault("keeps_emptied_rows", &empty, &zeros(1)));
        let at_rpc = m.wire("is_at_rpc", &pops.mux(&below_at_rpc, &outcome.waits_at_rpc));
        let at_ret = m.wire("leaves_at_ret", &pops.mux(&below_leaves_at_ret, &outcome.leaves_at_ret));
        let gives_way = m.wire("gives_way", &(&empty | (&at_rpc & &path.valid & !&path.parked)));

        m.comment(
            "Whether it is where the front end went on, asked of each that it may be. A rotation is a resteer anyhow.",
        );
        let predicted = m.input("predicted_s8", shape.pc_bits);
        let at = |pc: &Expr| pc.eq(&predicted);
        let below_at = at_popped.mux(&at(&top.rpc_pc), &at(&below.pc));
        let at_prediction = m.wire("is_at_prediction", &pops.mux(&below_at, &stays(&at(a_pc), &at(b_pc))));

        let write = m.wire("write", &(start_valid | &resolve.valid));
        let warp = m.wire("write_warp", &start_valid.mux(start_warp, &resolve.warp));
        let start = Path {
            valid: ones(1),
            pc: lit(shape.pc_bits, shape.reset_word()),
            depth: zeros(shape.depth_bits),
            mask: ones(shape.threads),
            parked: lit(1, 0),
        };
        let word = |path: &Path, flags: &Expr| join([&hot::pack(&path.valid, &Row::of(path, generation)), flags]);
        let started = word(&start, &zeros(FLAGS));
        hot.write(&m, &write, &warp, &start_valid.mux(&started, &word(&path, &join([&empty, &at_rpc, &at_ret]))));
        let new_top = Top {
            height,
            mask: pops.mux(&below_mask, &outcome.whole),
            live: live.clone(),
            rpc_kind: rpc.kind,
            rpc_pc: rpc.pc,
            rpc_depth: rpc.depth,
        };
        let nowhere = Rpc::nowhere(shape);
        let start_top = Top {
            height: zeros(height_bits(shape)),
            mask: ones(shape.threads),
            live: ones(shape.threads),
            rpc_kind: nowhere.kind,
            rpc_pc: nowhere.pc,
            rpc_depth: nowhere.depth,
        };
        tops.write(&write, &warp, &start_valid.mux(&start_top.pack(), &new_top.pack()));

        let runs = &validate.valid & !&validate.parked;
        let none = UnitTrace::none(shape).0;
        let moves = MovePorts { pushes: &resolve.valid & step.pushes, pops: pops.clone(), ..none.moves };
        let second = SecondPorts { rotates: resolve.rotates.clone(), ..none.second };
        let trace = Traced(UnitPorts { second, moves, exchange: none.exchange });
        UnitOutputs {
            gives_way_s7: flags.bit(0) | (flags.bit(1) & &runs),
            leaves_at_ret_s7: flags.bit(2) & runs,
            validate,
            in_charge: vec![(path, gives_way)],
            at_prediction: vec![at_prediction],
            is_b: Vec::new(),
            restarts: zeros(0),
            shadows: zeros(0),
            trace,
        }
        .declare(&m, shape);
        let most = 2 * shape.threads - 2;
        let at_heights = |name, heights, happens: &Expr| {
            points_at_heights(&m, shape, name, &top.height, heights, &(&resolve.valid & happens));
        };
        let parts = 0..most.saturating_sub(1);
        at_heights("one_row_is_pushed_at", parts.clone(), &pushes_one);
        at_heights("two_rows_are_pushed_at", parts.clone(), &pushes_two);
        at_heights("a_row_is_reused_at", parts, &(&outcome.diverges & &outcome.in_place));
        at_heights("a_row_is_popped_at", 1..most + 1, &pops);
        at_heights("a_row_that_lost_threads_is_popped_at", 1..most, &(&pops & (&below.mask & !&live).any()));
        if shape.formal {
            m.port_group("the warp that is watched");
            let at = Watched::inputs(&m, shape, "watched");
            let mine = m.wire("watched_in_s8", &(&resolve.valid & resolve.warp.eq(&at.warp)));
            let room = |pushed: u64| match (2 * shape.threads as u64 - 2).checked_sub(pushed) {
                Some(most) => !lit(top.height.width(), most).lt(&top.height),
                None => zeros(1),
            };
            m.assert("a_push_finds_room", &(!(&mine & &pushes_one) | room(1)));
            m.assert("a_push_of_two_finds_room", &(!(&mine & &pushes_two) | room(2)));
            Tables { hot: &hot, tops: &tops, rows: &rows, top: &top }.state(&m, shape, &at, generation);
        }
        m.finish()
    }
}

/// The tables, and what S8 has read of them.
struct Tables<'a> {
    hot: &'a HotTable,
    tops: &'a Memory,
    rows: &'a Below,
    top: &'a Top,
}

impl Tables<'_> {
    /// Claims of the watched warp, and the outputs for a proof.
    fn state(&self, m: &Builder, shape: &Shape, at: &Watched, generation: &Expr) {
        let (path, flags) = hot::unpack(shape, &self.hot.inspect(&at.warp), generation);
        let top_word = m.wire("top_watched_now", &self.tops.inspect("top_watched", &at.warp));
        let top = Top::unpack(shape, &top_word);
        let highest = 2 * shape.threads - 2;
        let settled = !(&at.in_s8 & &at.started_by_s7) | &at.settling;
        m.assert("s8_has_the_top_row", &(&settled | self.top.pack().eq(&top_word)));
        let stored = self.rows.state(m, at, &top.height, &settled);
        let claim = |name: &str, condition: &Expr| m.assert(name, &(!&at.started | condition));
        claim("the_stack_never_overflows", &!lit(top.height.width(), highest as u64).lt(&top.height));
        claim("a_path_is_there_while_it_has_threads", &path.valid.eq(&top.mask.any()));
        let levels = (0..=highest)
            .map(|row| {
                let is_top = m.wire(&format!("row_{row}_is_top"), &top.height.is(row as u64));
                let below = stored.get(row).map_or_else(|| zeros(Suspended::bits(shape)), Clone::clone);
                let below = Suspended::unpack(shape, &below);
                let either = |name: &str, top: &Expr, below: &Expr| {
                    m.wire(&format!("{name}_of_row_{row}"), &is_top.mux(top, below))
                };
                Level {
                    used: !top.height.lt(&lit(top.height.width(), row as u64)),
                    sides: vec![Side {
                        path: Path {
                            valid: either("valid", &path.valid, &lit(1, 1)),
                            pc: either("pc", &path.pc, &below.pc),
                            depth: either("depth", &path.depth, &below.depth),
                            mask: either("active", &path.mask, &below.mask),
                            parked: either("parked", &path.parked, &lit(1, 0)),
                        },
                        was_parked: either("parked_once", &path.parked, &lit(1, 0)),
                        whole: either("whole", &top.mask, &below.mask),
                        flags: [flags.bit(1), flags.bit(2)],
                    }],
                    from: zeros(0),
                    rpc: Rpc {
                        kind: either("rpc_kind", &top.rpc_kind, &below.rpc_kind),
                        pc: either("rpc_pc", &top.rpc_pc, &below.rpc_pc),
                        depth: either("rpc_depth", &top.rpc_depth, &below.rpc_depth),
                    },
                    is_top,
                }
            })
            .collect();
        invariants::Rows { levels, live: &top.live, empty: &flags.bit(0) }.state(m, shape, at);
    }
}

/// Beside the path: the row is empty and not the bottom one; the path stands at its reconvergence point; it leaves at a
/// `ret`.
const FLAGS: usize = 3;
