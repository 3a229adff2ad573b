//! `dual-path`: the dual-path reconvergence stack ("The Dual-Path Execution Model for Efficient GPU Control Flow",
//! section 3.1). Both sides of the top row run, each in its own slot.
//!
//! Latency: the paths of both slots are known in S8.
//!
//! Storage, for each warp: the top row in LUT RAM, and up to T − 1 rows below it, the next one in LUT RAM, the
//! others in block RAM. They cannot overflow: each row except the bottom one, or one below it, has two sides that
//! no row below separates, and T threads can be separated T − 1 times.
//!
//! A side that diverges keeps the near path in its own slot, so that no predicted instruction is lost. A slot is
//! fetched again when threads enter it from the other slot, and when a row is pushed over it or popped.

mod claims;
mod row;
mod step;
mod uncovered;

use rtl::{Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, decode, join, ones, select, zeros};

use super::below::{Below, Size, Step};
use super::outcome::claim_gone;
use super::places::Arrivals;
use super::{invariants, trace};
use crate::divergence::hot::{self, HotTable};
use crate::divergence::watch::Watch;
use crate::divergence::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, second_ports, timing};
use crate::formal::points_at_heights;
use crate::shape::Shape;
use crate::trace::Traced;
use claims::Claims;
use row::{Common, FLAGS, LEFT, RIGHT, Side, Suspended, Top, side_bits};
use step::{Kept, Moves, Ran};
use uncovered::{Places, Uncovered};
use weft_config::{DUAL_PATH, Unit};
use weft_trace::UnitPorts;

pub struct DualPath;

/// The rows below the top.
fn size(shape: &Shape) -> Size {
    Size { bits: Suspended::bits(shape), rows: shape.threads - 1, at_once: 1, style: MemoryStyle::BlockUnordered }
}

fn height_bits(shape: &Shape) -> usize {
    size(shape).height_bits()
}

impl DivergenceUnit for DualPath {
    fn descriptor(&self) -> &'static Unit {
        &DUAL_PATH
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let top = |name, bits| Storage { name, words: shape.warps, bits };
        let sides = [top("hot_left", side_bits(shape)), top("hot_right", side_bits(shape))];
        sides.into_iter().chain([top("tops", Top::bits(shape))]).chain(size(shape).storage(shape.warps)).collect()
    }

    fn listed_paths(&self, shape: &Shape) -> usize {
        invariants::listed_paths(shape.threads, 2)
    }

    fn listed_returns(&self, shape: &Shape) -> usize {
        shape.threads
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let m = Builder::new(
            "dual_path",
            "Divergence unit: the dual-path reconvergence stack. The paths of both sides of the top row run. A path that\n\
             arrives at the row's reconvergence point empties its side. When both sides are empty, the row is popped.",
        );
        m.timing(&timing(shape));
        let inputs = UnitInputs::declare(&m, shape);
        let resolve = &inputs.resolve;
        let [generation_s7, generation_s8] = inputs.generations(&m);
        let (tops, read) = Tops::declare(&m, shape, &inputs, &generation_s7);
        let given = &read.given;
        let kind = inputs.ahead.reconvergence.slice(0, 2);
        let arrivals = Arrivals::ahead(&m, shape, &inputs, &given.path, &read.common_s7.rpc(), &kind);
        let ran = Ran::of(&m, shape, &inputs, &read, &given.path, &arrivals, &generation_s8);
        let rows = Below::declare(&m, shape, size(shape), &inputs.warp_s7, [&read.height_s7, &ran.top.height]);

        let places = Places::ahead(&m, shape, &inputs, &read, &rows);
        let moves = Moves::of(&m, &ran);
        let uncovered = Uncovered::of(&m, shape, &ran, &places, &rows);
        let covered = ran.covered(&m).pack();
        let step = Step { pops: &moves.pops, pushes: &moves.pushes, pushed: &covered, two: None };
        let height = rows.height_after(&step);
        rows.write(&m, &resolve.valid, &resolve.warp, &step);

        let kept = Kept::of(&m, &ran, &moves);
        let words = [LEFT, RIGHT].map(|side| {
            let uncovered = uncovered.sides[side].pack(ran.generation);
            m.wire(["new_left", "new_right"][side], &moves.pops.mux(&uncovered, &kept.words[side]))
        });
        let follows = follows(&m, shape, &ran, &moves, &uncovered);
        let common = ran.new_common(&moves, &kept, &uncovered);
        tops.write(&m, shape, &inputs, &words, &Top { common, live: ran.live.clone(), height });

        let (restarts, shadows) = (restarts(&m, &ran, &moves, &kept), shadows(&m, &ran, &moves));
        let [restarts, shadows] = match shape.formal {
            true => [m.wire("slots_restarted", &restarts), m.wire("slots_shadowed", &shadows)],
            false => [restarts, shadows],
        };
        let new_sides = words.each_ref().map(|word| Side::unpack(&m, shape, word, ran.generation));
        let second = second_ports(resolve.rotates.clone(), &new_sides[RIGHT].path);
        let trace = UnitPorts { second, ..trace(shape, resolve, &moves.pushes, &moves.pops) };
        let runs = m.wire("given_runs", &given.path.can_run());
        UnitOutputs {
            gives_way_s7: given.gives_way(),
            leaves_at_ret_s7: &given.leaves_at_ret & runs,
            validate: given.path.clone(),
            in_charge: new_sides.iter().map(|side| (side.path.clone(), side.gives_way())).collect(),
            follows: follows.into(),
            is_b: Vec::new(),
            restarts: restarts.clone(),
            shadows: shadows.clone(),
            trace: Traced::of(shape, &trace),
        }
        .declare(&m, shape);
        cover(&m, shape, &ran, &moves);
        if shape.formal {
            let (watch, _) = Watch::declare(&m, shape, &inputs, &generation_s8);
            arrivals.state(&watch, resolve, &ran.top.common.rpc());
            places.state(&watch, &ran, &rows);
            claim_gone(&watch, resolve, &ran.outcome.gone, &ran.whole);
            let mine = m.wire("watched_in_s8", &(&resolve.valid & resolve.warp.eq(&watch.at.warp)));
            let is_full = ran.top.height.is(shape.threads as u64 - 1);
            m.assert("a_push_finds_room", &!(&mine & &moves.pushes & is_full));
            let moved = claims::Moved {
                restarted: m.delay("restarted_before", &restarts),
                shadowed: m.delay("shadowed_before", &shadows),
                popped: m.delay("popped_before", &moves.pops),
                ran: m.delay("ran_before", &(&resolve.a_mask | &resolve.b_mask)),
            };
            Claims { tops: &tops, rows: &rows, read: &read, slot_s7: &inputs.slot_s7, moved }.state(&watch);
        }
        m.finish()
    }
}

struct Tops {
    sides: [HotTable; 2],
    rest: Memory,
}

struct Read {
    /// The side of the instruction in S7, and the other one, as words of the tables.
    words_s7: [Expr; 2],
    /// That side, which S7 validates against.
    given: Side,
    /// The side on which the instruction in S8 did not run, as a word. All threads of its own side, and of that one.
    other_s8: Expr,
    own_mask: Expr,
    other_mask: Expr,
    /// The fields of the row in S7.
    common_s7: Common,
    /// The rest of the row in S8, as a word.
    top_s8: Expr,
    /// The number of rows below the top, in S7.
    height_s7: Expr,
    /// The number of rows below the top, in S8.
    height: Expr,
}

impl Tops {
    /// Declares the tables, and reads them for the warps in S6 and S7.
    fn declare(m: &Builder, shape: &Shape, inputs: &UnitInputs, generation_s7: &Expr) -> (Self, Read) {
        m.comment("The sides of the top row: read in S6, validated in S7, changed in S8.");
        let sides = ["left", "right"].map(|name| HotTable::declare(m, shape, name, FLAGS));
        let words = sides.each_ref().map(|table| table.read_late(m, &inputs.warp_s6));
        let slot = &inputs.slot_s6;
        let other = m.fault("the_other_side_is_its_own", &!slot, slot);
        let words_s7 = [("own", slot), ("other", &other)].map(|(name, side)| hot::keep(m, name, &select(side, &words)));
        let given = Side::unpack(m, shape, &words_s7[0], generation_s7);

        m.comment("The rest of the top row, in S8.");
        let rest = m.memory("tops", shape.warps, Top::bits(shape), MemoryStyle::Distributed);
        let top_s7 = m.wire("top_s7", &rest.read("top_read", &inputs.warp_s7));
        let top_s8 = m.delay("top_s8", &top_s7);
        let Top { common: common_s7, height: height_s7, .. } = Top::unpack(m, shape, &top_s7);
        let height = m.wire("height", &Top::unpack(m, shape, &top_s8).height);

        let (slot, masks) = (&inputs.slot_s7, common_s7.masks());
        let read = Read {
            given,
            other_s8: m.delay("other_s8", &words_s7[1]),
            own_mask: m.delay("own_mask", &select(slot, masks.clone())),
            other_mask: m.delay("other_mask", &select(&!slot, masks)),
            words_s7,
            common_s7,
            top_s8,
            height_s7,
            height,
        };
        (Self { sides, rest }, read)
    }

    /// Writes the row of a starting warp, or the new row from S8.
    fn write(&self, m: &Builder, shape: &Shape, inputs: &UnitInputs, sides: &[Expr; 2], top: &Top) {
        let start_valid = &inputs.start_valid;
        let [write, warp] = inputs.write_s8();
        let (write, warp) = (m.wire("write", &write), m.wire("write_warp", &warp));
        let starts = [Side::start(shape, inputs.start(shape)), Side::none(shape)];
        for ((table, start), new) in self.sides.iter().zip(&starts).zip(sides) {
            table.write(m, &write, &warp, &start_valid.mux(&start.pack(&zeros(1)), new));
        }
        self.rest.write(&write, &warp, &start_valid.mux(&Top::start(shape).pack(), &top.pack()));
    }
}

/// For each side, whether its path runs and is at the predicted pc. It counts only for the side of the instruction.
fn follows(m: &Builder, shape: &Shape, ran: &Ran, moves: &Moves, uncovered: &Uncovered) -> [Expr; 2] {
    m.comment(
        "Whether the side of the instruction runs and is at the predicted pc, found for each path that can be there, \
         before it is known whether the row is popped. No thread has ended: the end of threads resteers, and so does a \
         rotation. The other side, if it changes, is fetched again.",
    );
    let Ran { resolve, top: Top { common: top, .. }, outcome, .. } = ran;
    let predicted = m.input("predicted_s8", shape.pc_bits);
    let at = |pc: &Expr| pc.eq(&predicted);
    let below_at = m.wire("below_at_prediction", &uncovered.at_popped.mux(&at(&top.rpc_pc), &at(&uncovered.from_pc)));
    let near = ran.stays(&at(&resolve.a_pc), &at(&resolve.b_pc)) & !&outcome.parked;
    let near = m.wire("near_follows", &near);
    [LEFT, RIGHT].map(|side| {
        let at_pc = top.from.is(side as u64).mux(&below_at, &at(&uncovered.suspended[side].pc));
        let below = &moves.may_pop & uncovered.suspended[side].can_run() & at_pc;
        let name = ["left", "right"][side];
        let below = m.wire(&format!("below_{name}_follows"), &below);
        m.wire(&format!("{name}_follows"), &outcome.leaves.mux(&below, &near))
    })
}

fn restarts(m: &Builder, ran: &Ran, moves: &Moves, kept: &Kept) -> Expr {
    m.comment(
        "Slots to fetch again. Slots whose long-latency results may belong to threads that continue in the other slot.",
    );
    let (slot, Common { from, both, .. }) = (&ran.resolve.slot, &ran.top.common);
    let both = m.fault("does_not_restart_a_slot_that_threads_enter", both, &zeros(1));
    let crossed = m.wire("crossed", &(both | slot.ne(from)));
    (!&decode(from, 2) | crossed.repeat(2)).when(&moves.pops) | (!&decode(slot, 2)).when(&kept.replaced)
}

/// Slots whose long-latency results may belong to threads that continue in the other slot: both at a pop, the slot
/// of the instruction at a divergence (section 3.2).
fn shadows(m: &Builder, ran: &Ran, moves: &Moves) -> Expr {
    let Moves { pops, pushes, .. } = moves;
    let (own, from) = (&decode(&ran.resolve.slot, 2), &ran.top.common.from);
    let without = |point, slots: &Expr, lost: &Expr| m.fault(point, slots, &(slots & !lost));
    let both = pops.repeat(2);
    let both = without("no_shadow_bits_at_a_pop", &both, &ones(2));
    let both = without("no_shadow_bit_at_a_pop_of_the_slot_that_leaves_first", &both, &!own);
    let both = without("no_shadow_bit_at_a_pop_of_the_slot_that_leaves_last", &both, own);
    let right = join([from, &zeros(1)]);
    let both = without("no_shadow_bit_at_a_pop_of_the_left_slot_when_the_right_goes_on", &both, &right);
    let (diverges, in_place) = (&ran.outcome.diverges, &ran.outcome.arrivals.in_place);
    let diverges = without("no_shadow_bit_at_a_divergence_to_a_new_reconvergence_point", diverges, &!in_place);
    let diverges = without("no_shadow_bit_at_a_divergence_in_place", &diverges, &(in_place & !pushes));
    let diverges = without("no_shadow_bit_at_a_divergence_over_a_suspended_side", &diverges, &(in_place & pushes));
    both | own.when(&diverges)
}

/// Coverage: which moves happen at which height.
fn cover(m: &Builder, shape: &Shape, ran: &Ran, moves: &Moves) {
    let most = shape.threads - 1;
    let Moves { pops, pushes, takes_other, .. } = moves;
    let at_heights = |name, heights, happens: &Expr| {
        points_at_heights(m, shape, name, &ran.top.height, heights, &(&ran.resolve.valid & happens));
    };
    at_heights("a_row_is_pushed_at", 0..most, pushes);
    at_heights("a_row_is_reused_at", 0..most, &(takes_other & !pushes));
    at_heights("a_row_shrinks_at", 0..most, &(&ran.outcome.leaves & &ran.other.path.valid));
    at_heights("a_row_is_popped_at", 1..most + 1, pops);
}
