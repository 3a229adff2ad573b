//! `pdom-stack`: the single-path reconvergence stack ("The Dual-Path Execution Model for Efficient GPU Control
//! Flow", section 2.1).
//!
//! Latency: the active path, which is the path of the top row, is known in S8.
//!
//! Storage, for each warp: the top row in LUT RAM, and up to 2 · T − 2 rows of (pc, depth, mask, rpc) below it. The
//! next row is in LUT RAM, the others in two banks of block RAM, because a divergence may write two. They cannot
//! overflow: the masks of the rows are different sets, any two of which are nested or disjoint, and T threads have
//! at most 2 · T − 1 such sets.

mod claims;
mod row;
mod step;

use rtl::{Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, join, lit, zeros};

use super::below::{Below, Size, Step};
use super::invariants;
use crate::divergence::hot::{self, HotTable};
use crate::divergence::row::Row;
use crate::divergence::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace, timing};
use crate::formal::{Watched, points_at_heights};
use crate::shape::Shape;
use crate::signals::{Path, Resolve};
use crate::trace::Traced;
use claims::Claims;
use row::{FLAGS, Suspended, Top};
use step::{NewTop, Pushed, Ran, Uncovered};
use weft_config::{PDOM_STACK, Unit};
use weft_trace::{MovePorts, SecondPorts, UnitPorts};

pub struct PdomStack;

/// The rows below the top.
fn size(shape: &Shape) -> Size {
    Size { bits: Suspended::bits(shape), rows: 2 * shape.threads - 2, at_once: 2, style: MemoryStyle::BlockUnordered }
}

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
        let tops = [top("hot_path", 1 + Row::bits(shape) + FLAGS.len()), top("tops", Top::bits(shape))];
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
            "Divergence unit: the single-path reconvergence stack. The path of the top row is active. When it arrives at\n\
             the row's reconvergence point, the row is popped.",
        );
        m.timing(&timing(shape));
        let inputs = UnitInputs::declare(&m, shape);
        let UnitInputs { generation, warp_s7, resolve, .. } = &inputs;
        let [generation_s7, generation_s8] = inputs.generations(&m);
        let (tops, read) = Tops::declare(&m, shape, &inputs, &generation_s7);
        let rows = Below::declare(&m, shape, size(shape), warp_s7, [&read.height_s7, &read.top.height]);

        let ran = Ran::of(&m, shape, resolve, read.top);
        let below = Uncovered::of(&m, shape, &ran, &rows.next);
        let pushed = Pushed::of(&m, &ran);
        let step = Step {
            pops: &below.pops,
            pushes: &(&pushed.one | &pushed.two),
            pushed: &pushed.next,
            two: Some([&pushed.two, &pushed.meeting]),
        };
        let height = rows.height_after(&step);
        rows.write(&m, &resolve.valid, &resolve.warp, &step);

        let new = NewTop::of(&m, &ran, &below, &rows);
        let at_prediction = at_prediction(&m, shape, &ran, &below);
        let new_top = Top {
            height,
            mask: below.pops.mux(&below.mask, &ran.outcome.whole),
            live: ran.live.clone(),
            rpc_kind: new.rpc.kind.clone(),
            rpc_pc: new.rpc.pc.clone(),
            rpc_depth: new.rpc.depth.clone(),
        };
        tops.write(&m, shape, &inputs, &new, &new_top, &generation_s8);

        let [is_empty, at_rpc, leaves_at_ret] = read.flags;
        let runs = &read.given.valid & !&read.given.parked;
        UnitOutputs {
            gives_way_s7: is_empty | (at_rpc & &runs),
            leaves_at_ret_s7: leaves_at_ret & runs,
            validate: read.given,
            in_charge: vec![(new.path, new.gives_way)],
            at_prediction: vec![at_prediction],
            is_b: Vec::new(),
            restarts: zeros(0),
            shadows: zeros(0),
            trace: trace(shape, resolve, &step),
        }
        .declare(&m, shape);
        cover(&m, shape, &ran, &below, &pushed);
        if shape.formal {
            m.port_group("the watched warp");
            let at = Watched::inputs(&m, shape, "watched");
            inputs.state_generation(&m, &at, &generation_s8);
            let mine = m.wire("watched_in_s8", &(&resolve.valid & resolve.warp.eq(&at.warp)));
            let height = &ran.top.height;
            let room = |pushed: usize| match (2 * shape.threads - 2).checked_sub(pushed) {
                Some(most) => !lit(height.width(), most as u64).lt(height),
                None => zeros(1),
            };
            m.assert("a_push_finds_room", &(!(&mine & &pushed.one) | room(1)));
            m.assert("a_push_of_two_finds_room", &(!(&mine & &pushed.two) | room(2)));
            Claims { tops: &tops, rows: &rows, top: &ran.top }.state(&m, shape, &at, &generation.index(&at.warp));
        }
        m.finish()
    }
}

struct Tops {
    path: HotTable,
    rest: Memory,
}

struct Read {
    /// The path that S7 validates against.
    given: Path,
    flags: [Expr; 3],
    /// The rest of the row in S8.
    top: Top,
    /// The number of rows below the top, in S7.
    height_s7: Expr,
}

impl Tops {
    /// Declares the tables, and reads them for the warps in S6 and S7.
    fn declare(m: &Builder, shape: &Shape, inputs: &UnitInputs, generation_s7: &Expr) -> (Self, Read) {
        m.comment("The top row: the path that S7 validates against, and the rest.");
        let path = HotTable::declare(m, shape, "path", FLAGS.len());
        let (given, flags) = hot::unpack(m, shape, &path.read_later(m, &inputs.warp_s6), generation_s7, FLAGS);
        let rest = m.memory("tops", shape.warps, Top::bits(shape), MemoryStyle::Distributed);
        let top_s7 = m.wire("top_s7", &rest.read("top_read", &inputs.warp_s7));
        let top = Top::unpack(m, shape, &m.delay("top_s8", &top_s7));
        let height_s7 = Top::unpack(m, shape, &top_s7).height;
        (Self { path, rest }, Read { given, flags, top, height_s7 })
    }

    /// Writes the row of a starting warp, or the new row from S8.
    fn write(&self, m: &Builder, shape: &Shape, inputs: &UnitInputs, new: &NewTop, new_top: &Top, generation: &Expr) {
        let UnitInputs { start_valid, start_warp, resolve, .. } = inputs;
        let write = m.wire("write", &(start_valid | &resolve.valid));
        let warp = m.wire("write_warp", &start_valid.mux(start_warp, &resolve.warp));
        let word = |path: &Path, flags: &Expr| join([&hot::pack(&path.valid, &Row::of(path, generation)), flags]);
        let started = word(&inputs.start(shape), &zeros(FLAGS.len()));
        let flags = join([&new.is_empty, &new.at_rpc, &new.leaves_at_ret]);
        self.path.write(m, &write, &warp, &start_valid.mux(&started, &word(&new.path, &flags)));
        self.rest.write(&write, &warp, &start_valid.mux(&Top::start(shape).pack(), &new_top.pack()));
    }
}

fn at_prediction(m: &Builder, shape: &Shape, ran: &Ran, below: &Uncovered) -> Expr {
    m.comment(
        "Whether the new path is at the predicted pc, compared for each path that it can be. A rotation always \
         resteers.",
    );
    let predicted = m.input("predicted_s8", shape.pc_bits);
    let at = |pc: &Expr| pc.eq(&predicted);
    let below_at = below.at_popped.mux(&at(&ran.top.rpc_pc), &at(&below.stored_pc));
    let stays_at = ran.stays(&at(&ran.resolve.a_pc), &at(&ran.resolve.b_pc));
    m.wire("is_at_prediction", &below.pops.mux(&below_at, &stays_at))
}

fn trace(shape: &Shape, resolve: &Resolve, step: &Step) -> UnitTrace {
    let none = UnitTrace::none(shape).0;
    let moves = MovePorts { pushes: &resolve.valid & step.pushes, pops: step.pops.clone(), ..none.moves };
    let second = SecondPorts { rotates: resolve.rotates.clone(), ..none.second };
    Traced(UnitPorts { second, moves, exchange: none.exchange })
}

/// Coverage: which moves happen at which height.
fn cover(m: &Builder, shape: &Shape, ran: &Ran, below: &Uncovered, pushed: &Pushed) {
    let most = 2 * shape.threads - 2;
    let at_heights = |name, heights, happens: &Expr| {
        points_at_heights(m, shape, name, &ran.top.height, heights, &(&ran.resolve.valid & happens));
    };
    let diverging = 0..most.saturating_sub(1);
    at_heights("one_row_is_pushed_at", diverging.clone(), &pushed.one);
    at_heights("two_rows_are_pushed_at", diverging.clone(), &pushed.two);
    at_heights("a_row_is_reused_at", diverging, &(&ran.outcome.diverges & &ran.outcome.in_place));
    at_heights("a_row_is_popped_at", 1..most + 1, &below.pops);
    let lost = (&below.stored_mask & !&ran.live).any();
    at_heights("a_row_that_lost_threads_is_popped_at", 1..most, &(&below.pops & lost));
}
