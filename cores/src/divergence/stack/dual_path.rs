//! `dual-path`: the dual-path reconvergence stack ("The Dual-Path Execution Model for
//! Efficient GPU Control Flow", section 3.1): both sides of the top
//! row run, each in a slot of its own.
//!
//! Latency: the paths of both slots are known in S8. Storage: for each warp the top row in LUT RAM, and up to T − 1 rows
//! below it, the next one in LUT RAM, the others in block RAM. They cannot overflow: each row but the bottom one, or one
//! below it, has two sides that no row below has apart, and T threads can be parted T − 1 times.
//!
//! A side that diverges keeps the near path in its own slot, so that nothing that was predicted is lost. A slot is fetched
//! anew when threads come into it from the other, or when a row is pushed over it or popped.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, decode, join, lit, ones, select, zeros,
};

use super::below::{Below, Size, Step};
use super::invariants::{self, Level};
use super::outcome::Outcome;
use super::rpc::Rpc;
use crate::divergence::hot::{self, HotTable};
use crate::divergence::row::Row;
use crate::divergence::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace};
use crate::formal::{Watched, points_at_heights};
use crate::shape::Shape;
use crate::signals::{Path, Resolve};
use crate::trace::Traced;
use weft_config::{DUAL_PATH, Unit};
use weft_trace::{MovePorts, SecondPorts, UnitPorts};

/// The unit.
pub struct DualPath;

/// Sides, and slots, of a warp.
const LEFT: usize = 0;
const RIGHT: usize = 1;

/// Beside a side's path: it stands at its reconvergence point; it leaves at a `ret`.
const FLAGS: usize = 2;

/// Bits of a side: its path, whether it is valid, its flags.
fn side_bits(shape: &Shape) -> usize {
    1 + Row::bits(shape) + FLAGS
}

/// The rows below the top.
fn size(shape: &Shape) -> Size {
    Size { bits: Suspended::bits(shape), rows: shape.threads - 1, at_once: 1 }
}

/// Bits of the number of rows below the top.
fn height_bits(shape: &Shape) -> usize {
    size(shape).height_bits()
}

rtl::bundle! {
    /// What a row has beside the paths of its sides.
    struct Common(shape: &Shape) {
        /// All threads of the left path, also those that a load in parts has served.
        left_mask: shape.threads,
        /// Those of the right path.
        right_mask: shape.threads,
        /// Which side of the row below diverged to make this one.
        from: 1,
        /// Threads have gone both ways in this row.
        both: 1,
        /// Kind of the reconvergence point.
        rpc_kind: 2,
        /// Its address.
        rpc_pc: shape.pc_bits,
        /// Its call depth.
        rpc_depth: shape.depth_bits,
    }
}

impl Common {
    fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }

    fn masks(&self) -> [Expr; 2] {
        [self.left_mask.clone(), self.right_mask.clone()]
    }
}

rtl::bundle! {
    /// A row below the top.
    struct Suspended(shape: &Shape) {
        /// The left side.
        left: side_bits(shape),
        /// The right side.
        right: side_bits(shape),
        /// The rest.
        common: Common::bits(shape),
    }
}

/// One of two, or the other, by a bit that says that it is the second.
fn sides(swapped: &Expr, [first, second]: [&Expr; 2]) -> [Expr; 2] {
    [swapped.mux(second, first), swapped.mux(first, second)]
}

/// A path and its flags, in the words of the tables.
#[derive(Clone)]
struct Side {
    path: Path,
    at_rpc: Expr,
    leaves_at_ret: Expr,
}

impl Side {
    fn unpack(shape: &Shape, word: &Expr, generation: &Expr) -> Self {
        let (path, flags) = hot::unpack(shape, word, generation);
        Self { path, at_rpc: flags.bit(0), leaves_at_ret: flags.bit(1) }
    }

    fn pack(&self, generation: &Expr) -> Expr {
        let path = hot::pack(&self.path.valid, &Row::of(&self.path, generation));
        join([&path, &self.at_rpc, &self.leaves_at_ret])
    }

    fn none(shape: &Shape) -> Self {
        Self { path: Path::build(shape, &mut |_, width| zeros(width)), at_rpc: zeros(1), leaves_at_ret: zeros(1) }
    }

    /// It can run and is where it leaves its row.
    fn gives_way(&self) -> Expr {
        &self.at_rpc & &self.path.valid & !&self.path.parked
    }
}

impl DivergenceUnit for DualPath {
    fn descriptor(&self) -> &'static Unit {
        &DUAL_PATH
    }

    fn compares_prediction(&self) -> bool {
        true
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let top = |name, bits| Storage { name, words: shape.warps, bits };
        let common = Common::bits(shape) + shape.threads + height_bits(shape);
        let tops = [top("hot_left", side_bits(shape)), top("hot_right", side_bits(shape)), top("tops", common)];
        tops.into_iter().chain(size(shape).storage(shape.warps)).collect()
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
            "Divergence unit: the dual-path reconvergence stack. The paths of both sides of the top row run; a side leaves\n\
             the row where it meets the threads of the row below, and the row is popped when both have left.",
        );
        let inputs = UnitInputs::declare(&m, shape);
        let UnitInputs { start_valid, start_warp, generation, warp_s6, warp_s7, slot_s7, resolve, .. } = &inputs;
        let slot = &resolve.slot;

        m.comment("The sides of the top row: read in S6, validated in S7, changed in S8.");
        let tables = ["left", "right"].map(|name| HotTable::declare(&m, shape, name, FLAGS));
        let words = tables.each_ref().map(|table| table.read_later(&m, warp_s6));
        let sides_s7 = words.each_ref().map(|word| Side::unpack(shape, word, generation));
        let [left_s8, right_s8] = words;
        let words_s8 = [m.delay("left_s8", &left_s8), m.delay("right_s8", &right_s8)];
        let empty = m.register("empty", shape.warps);

        m.comment("What else there is of it, in S8.");
        let [common_bits, height_width] = [Common::bits(shape), height_bits(shape)];
        let tops = m.memory("tops", shape.warps, common_bits + shape.threads + height_width, MemoryStyle::Distributed);
        let top_s7 = m.wire("top_s7", &tops.read("top_read", warp_s7));
        let top_s8 = m.delay("top_s8", &top_s7);
        let top = Common::unpack(shape, &top_s8);
        let height_of = |word: &Expr| word.from(common_bits + shape.threads);
        let height = m.wire("height", &height_of(&top_s8));
        let live = m.wire("live_now", &(top_s8.slice(common_bits, shape.threads) & !&resolve.exit_mask));
        let whole = m.wire("whole", &(select(slot, &top.masks()) & &live));
        let other = Side::unpack(shape, &select(&!slot, &words_s8), generation);
        let other_mask = m.wire("other_mask", &select(&!slot, &top.masks()));
        let outcome = Outcome::of(&m, shape, resolve, &top.rpc(), &whole);

        let rows = Below::declare(&m, shape, size(shape), warp_s7, [&height_of(&top_s7), &height]);
        let below = Suspended::unpack(shape, &rows.next);
        let below_common = Common::unpack(shape, &below.common);

        m.comment("What the outcome does to the rows.");
        let leaves = &outcome.leaves;
        let other_is_gone = m.fault("pops_a_row_whose_other_side_lives", &!&other.path.valid, &ones(1));
        let pops = m.wire("pops", &(leaves & other_is_gone & height.any()));
        let displaces_other = &outcome.both_go_on & &other.path.valid;
        let displaces_other = m.fault("overwrites_the_other_side", &displaces_other, &zeros(1));
        let pushes = m.wire("pushes", &(&outcome.diverges & (!&outcome.in_place | displaces_other)));
        let parts = m.wire("parts", &(&outcome.both_go_on & (&pushes | !&other.path.valid)));

        m.comment("The row below, uncovered.");
        let from = &top.from;
        let from_word = select(from, &[below.left.clone(), below.right.clone()]);
        let from_side = Side::unpack(shape, &from_word, generation);
        let (below_rpc, at_popped) = below_common.rpc().uncovered(&m, &outcome.arrived);
        let below_pc = at_popped.mux(&outcome.arrived.pc, &from_side.path.pc);
        let at_depth = |path: &Path| path.depth.eq(&below_rpc.depth);
        let below_masks = below_common.masks().map(|mask| mask & &live);
        let stored_pcs = [&below.left, &below.right].map(|word| Side::unpack(shape, word, generation).path.pc);
        let uncovered = [(LEFT, &below.left), (RIGHT, &below.right)].map(|(number, word)| {
            let Side { path, at_rpc, leaves_at_ret } = Side::unpack(shape, word, generation);
            let is_from = from.is(number as u64);
            let side = ["left", "right"][number];
            let served_again = format!("a_pop_serves_lanes_of_the_{side}_side_again");
            let active = m.fault(&served_again, &path.mask, &below_common.masks()[number]);
            let come_back = format!("ended_threads_come_back_on_the_{side}_side");
            let still_live = m.fault(&come_back, &live, &ones(shape.threads));
            let mask = m.wire(&format!("below_{side}"), &(active & still_live));
            let pc = is_from.mux(&below_pc, &path.pc);
            let meets = below_rpc.is_at() & pc.eq(&below_rpc.pc) & at_depth(&path);
            Side {
                at_rpc: is_from.mux(&meets, &at_rpc),
                leaves_at_ret: is_from.mux(&(below_rpc.is_return() & at_depth(&path)), &leaves_at_ret),
                path: Path { valid: &path.valid & mask.any(), pc, mask, ..path },
            }
        });

        m.comment("The row that a divergence is pushed on: its side waits at the reconvergence point, unless that is the row's own.");
        let meeting = Side {
            path: Path {
                valid: !&outcome.in_place,
                pc: outcome.rpc.pc.clone(),
                depth: outcome.rpc.depth.clone(),
                mask: whole.clone(),
                parked: lit(1, 0),
            },
            at_rpc: lit(1, 0),
            leaves_at_ret: lit(1, 0),
        };
        let [left, right] = sides(slot, [&meeting.pack(generation), &other.pack(generation)]);
        let [left_mask, right_mask] = sides(slot, [&whole.when(&!&outcome.in_place), &other_mask]);
        let pushed = Suspended { left, right, common: Common { left_mask, right_mask, ..top.clone() }.pack() };
        let step = Step { pops: &pops, pushes: &pushes, pushed: &pushed.pack(), two: None };
        let new_height = rows.height_after(&step);
        rows.write(&m, &resolve.valid, &resolve.warp, &step);

        m.comment("The path that stays on the side of the instruction, and that on the other side.");
        let Resolve { a_pc, a_depth, a_mask, b_pc, b_depth, b_mask, .. } = resolve;
        let stays = |a: &Expr, b: &Expr| outcome.stays_with_a.mux(a, b);
        let near = Side {
            path: Path {
                valid: m.wire("stays", &!leaves),
                pc: m.wire("stays_pc", &stays(a_pc, b_pc)),
                depth: m.wire("stays_depth", &stays(a_depth, b_depth)),
                mask: outcome.active.clone(),
                parked: outcome.parked.clone(),
            },
            at_rpc: outcome.waits_at_rpc.clone(),
            leaves_at_ret: outcome.leaves_at_ret.clone(),
        };
        let far_mask = m.wire("far_mask", &stays(b_mask, a_mask));
        let far = Side {
            path: Path {
                valid: parts.clone(),
                pc: m.wire("far_pc", &stays(b_pc, a_pc)),
                depth: m.wire("far_depth", &stays(b_depth, a_depth)),
                mask: far_mask.clone(),
                parked: lit(1, 0),
            },
            at_rpc: lit(1, 0),
            leaves_at_ret: outcome.far_leaves_at_ret.clone(),
        };
        let replaced = m.wire("other_replaced", &(&parts | &pushes));
        let other_word = replaced.mux(&far.pack(generation), &other.pack(generation));
        let moved = sides(slot, [&near.pack(generation), &other_word]);
        let moved_masks = sides(slot, [&outcome.whole, &replaced.mux(&far_mask, &other_mask)]);
        let new: Vec<Expr> = (0..2)
            .map(|side| {
                let name = ["new_left", "new_right"][side];
                m.wire(name, &pops.mux(&uncovered[side].pack(generation), &moved[side]))
            })
            .collect();
        let new_sides: Vec<Side> = new.iter().map(|word| Side::unpack(shape, word, generation)).collect();
        m.comment(
            "Whether the side of the instruction is where the front end went on, asked of each path that may be there. The\n\
             other side, if it is another one, is fetched anew, and so is a rotation.",
        );
        let predicted = m.input("predicted_s8", shape.pc_bits);
        let at = |pc: &Expr| pc.eq(&predicted);
        let below_at = at_popped.mux(&at(&top.rpc_pc), &at(&from_side.path.pc));
        let near_at = stays(&at(a_pc), &at(b_pc));
        let at_prediction = (0..2).map(|side| {
            let uncovered_at = from.is(side as u64).mux(&below_at, &at(&stored_pcs[side]));
            m.wire(["left_at_prediction", "right_at_prediction"][side], &pops.mux(&uncovered_at, &near_at))
        });
        let at_prediction: Vec<Expr> = at_prediction.collect();

        let moved_rpc = Rpc::mux(&outcome.diverges, &outcome.rpc, &outcome.arrived);
        let rpc = Rpc::mux(&pops, &below_rpc, &moved_rpc);
        let common = Common {
            left_mask: pops.mux(&below_masks[LEFT], &moved_masks[LEFT]),
            right_mask: pops.mux(&below_masks[RIGHT], &moved_masks[RIGHT]),
            from: pops.mux(&below_common.from, &pushes.mux(slot, &top.from)),
            both: pops.mux(&below_common.both, &(&parts | (&top.both & !&pushes))),
            rpc_kind: rpc.kind,
            rpc_pc: rpc.pc,
            rpc_depth: rpc.depth,
        };
        let uncovers_none = uncovered.each_ref().map(|side| !&side.path.valid);
        let is_empty = &pops & join(&uncovers_none).all() & !rows.is_one();
        let is_empty = m.wire("is_empty", &m.fault("keeps_emptied_rows", &is_empty, &zeros(1)));

        let write = m.wire("write", &(start_valid | &resolve.valid));
        let warp = m.wire("write_warp", &start_valid.mux(start_warp, &resolve.warp));
        let mut first = Side::none(shape);
        first.path.valid = ones(1);
        first.path.pc = lit(shape.pc_bits, shape.reset_word());
        first.path.mask = ones(shape.threads);
        let starts = [first, Side::none(shape)];
        for ((table, start), new) in tables.iter().zip(&starts).zip(&new) {
            table.write(&m, &write, &warp, &start_valid.mux(&start.pack(generation), new));
        }
        let nowhere = Rpc::nowhere(shape);
        let start = Common {
            left_mask: ones(shape.threads),
            right_mask: zeros(shape.threads),
            from: zeros(1),
            both: zeros(1),
            rpc_kind: nowhere.kind,
            rpc_pc: nowhere.pc,
            rpc_depth: nowhere.depth,
        };
        let start = join([&start.pack(), &ones(shape.threads), &zeros(height_width)]);
        tops.write(&write, &warp, &start_valid.mux(&start, &join([&common.pack(), &live, &new_height])));
        let one = decode(&warp, shape.warps).when(&write);
        let empties = (&is_empty & !start_valid).repeat(shape.warps);
        empty.next(&((&one & empties) | (&*empty & !&one))).reset(0);

        m.comment(
            "Slots that are fetched anew, and whose late results may be those of threads that go on in the other.",
        );
        let own = decode(slot, 2);
        let from_one = decode(from, 2);
        let both = m.fault("does_not_restart_a_slot_that_threads_enter", &top.both, &zeros(1));
        let crossed = m.wire("crossed", &(both | slot.ne(from)));
        let restarts = (!&from_one | crossed.repeat(2)).when(&pops) | (!&own).when(&replaced);
        let shadows = shadows(&m, &own, from, [&pops, &pushes], &outcome);

        let validate = |f: &dyn Fn(&Side) -> Expr| select(slot_s7, &sides_s7.each_ref().map(f));
        let given = Path {
            valid: validate(&|side| side.path.valid.clone()),
            pc: validate(&|side| side.path.pc.clone()),
            depth: validate(&|side| side.path.depth.clone()),
            mask: validate(&|side| side.path.mask.clone()),
            parked: validate(&|side| side.path.parked.clone()),
        };
        let runs = &given.valid & !&given.parked;
        let empty_s7 = empty.index(warp_s7) & !slot_s7;
        let in_charge = new_sides.iter().zip([is_empty, zeros(1)]);
        let right = &new_sides[RIGHT].path;
        let none = UnitTrace::none(shape).0;
        let trace = UnitPorts {
            second: SecondPorts {
                rotates: resolve.rotates.clone(),
                y_valid: right.valid.clone(),
                y_pc: right.pc.clone(),
                y_depth: right.depth.clone(),
                y_mask: right.mask.clone(),
                y_parked: right.parked.clone(),
            },
            moves: MovePorts { pushes: &resolve.valid & &pushes, pops: pops.clone(), ..none.moves },
            exchange: none.exchange,
        };
        let trace = Traced::of(shape, &trace);
        let [restarts, shadows] = match shape.formal {
            true => [m.wire("slots_restarted", &restarts), m.wire("slots_shadowed", &shadows)],
            false => [restarts, shadows],
        };
        let (restarted, shadowed) = (restarts.clone(), shadows.clone());
        UnitOutputs {
            gives_way_s7: empty_s7 | (validate(&|side| side.at_rpc.clone()) & &runs),
            leaves_at_ret_s7: validate(&|side| side.leaves_at_ret.clone()) & runs,
            validate: given,
            in_charge: in_charge.map(|(side, empty)| (side.path.clone(), side.gives_way() | empty)).collect(),
            at_prediction,
            is_b: Vec::new(),
            restarts,
            shadows,
            trace,
        }
        .declare(&m, shape);
        let most = shape.threads - 1;
        let at_heights = |name, heights, happens: &Expr| {
            points_at_heights(&m, shape, name, &height, heights, &(&resolve.valid & happens));
        };
        at_heights("a_row_is_pushed_at", 0..most, &pushes);
        at_heights("a_row_is_reused_at", 0..most, &(&parts & !&pushes));
        at_heights("a_row_shrinks_at", 0..most, &(leaves & &other.path.valid));
        at_heights("a_row_is_popped_at", 1..most + 1, &pops);
        if shape.formal {
            m.port_group("the warp that is watched");
            let at = Watched::inputs(&m, shape, "watched");
            let mine = m.wire("watched_in_s8", &(&resolve.valid & resolve.warp.eq(&at.warp)));
            let is_full = height.is(shape.threads as u64 - 1);
            m.assert("a_push_finds_room", &!(&mine & &pushes & is_full));
            let read = [[&left_s8, &right_s8], [&words_s8[LEFT], &words_s8[RIGHT]]];
            let moved = [
                &m.delay("restarted_before", &restarted),
                &m.delay("shadowed_before", &shadowed),
                &m.delay("popped_before", &pops),
                &m.delay("ran_before", &(&resolve.a_mask | &resolve.b_mask)),
            ];
            Tables { hot: &tables, tops: &tops, rows: &rows, read, top: &top_s8, empty: &empty, moved }
                .state(&m, shape, &at, generation);
        }
        m.finish()
    }
}

/// Slots whose late results may be those of threads that go on in the other: both at a pop, at a divergence that of the
/// instruction (`own`).
fn shadows(m: &Builder, own: &Expr, from: &Expr, [pops, pushes]: [&Expr; 2], outcome: &Outcome) -> Expr {
    let without = |point, slots: &Expr, lost: &Expr| m.fault(point, slots, &(slots & !lost));
    let both = pops.repeat(2);
    let both = without("no_shadow_bits_at_a_pop", &both, &ones(2));
    let both = without("no_shadow_bit_at_a_pop_of_the_slot_that_leaves_first", &both, &!own);
    let both = without("no_shadow_bit_at_a_pop_of_the_slot_that_leaves_last", &both, own);
    let right = join([from, &zeros(1)]);
    let both = without("no_shadow_bit_at_a_pop_of_the_left_slot_when_the_right_goes_on", &both, &right);
    let (diverges, in_place) = (&outcome.diverges, &outcome.in_place);
    let diverges = without("no_shadow_bit_at_a_divergence_to_a_new_reconvergence_point", diverges, &!in_place);
    let diverges = without("no_shadow_bit_at_a_divergence_in_place", &diverges, &(in_place & !pushes));
    let diverges = without("no_shadow_bit_at_a_divergence_over_a_suspended_side", &diverges, &(in_place & pushes));
    both | own.when(&diverges)
}

/// Which sides a row has had.
struct Parts {
    /// There is such a row.
    used: Expr,
    /// Which side of the row below diverged to make it.
    from: Expr,
    /// Threads have gone both ways in it.
    both: Expr,
    /// The side that is not `from` has a path.
    other: Expr,
}

/// The tables, and what S8 has read of them.
struct Tables<'a> {
    hot: &'a [HotTable; 2],
    tops: &'a Memory,
    rows: &'a Below,
    /// The sides in S7 and in S8.
    read: [[&'a Expr; 2]; 2],
    top: &'a Expr,
    empty: &'a Expr,
    /// Of the last S8: the slots that were restarted, and those whose results were shadowed; whether it popped; the
    /// threads that ran.
    moved: [&'a Expr; 4],
}

impl Tables<'_> {
    /// Claims of the watched warp, and the outputs for a proof.
    fn state(&self, m: &Builder, shape: &Shape, at: &Watched, generation: &Expr) {
        let hot = self.hot.each_ref().map(|table| table.inspect(&at.warp));
        let word = m.wire("top_watched_now", &self.tops.inspect("top_watched", &at.warp));
        let common_bits = Common::bits(shape);
        let (top, live) = (Common::unpack(shape, &word), word.slice(common_bits, shape.threads));
        let height = word.from(common_bits + shape.threads);
        let highest = shape.threads - 1;
        let settled = !(&at.in_s8 & &at.started_by_s7) | &at.settling;
        for (number, name) in ["left", "right"].iter().enumerate() {
            let same = |stage: usize| self.read[stage][number].eq(&hot[number]);
            m.assert(&format!("s7_has_the_{name}_side"), &(!(&at.started & &at.in_s7) | same(0)));
            m.assert(&format!("s8_has_the_{name}_side"), &(&settled | same(1)));
        }
        m.assert("s8_has_the_top_row", &(&settled | self.top.eq(&word)));
        let stored = self.rows.state(m, at, &height, &settled);
        let mut parts = Vec::new();
        let levels = (0..=highest)
            .map(|row| {
                let is_top = m.wire(&format!("row_{row}_is_top"), &height.is(row as u64));
                let below = stored.get(row).map_or_else(|| zeros(Suspended::bits(shape)), Clone::clone);
                let below = Suspended::unpack(shape, &below);
                let below_common = Common::unpack(shape, &below.common);
                let either = |name: &str, top: &Expr, below: &Expr| {
                    m.wire(&format!("{name}_of_row_{row}"), &is_top.mux(top, below))
                };
                let sides = [("left", &below.left), ("right", &below.right)].into_iter().enumerate().map(
                    |(number, (name, word))| {
                        let word = either(name, &hot[number], word);
                        let Side { path, at_rpc, leaves_at_ret } = Side::unpack(shape, &word, generation);
                        let whole =
                            either(&format!("{name}_mask"), &top.masks()[number], &below_common.masks()[number]);
                        let was_parked = &path.parked | Side::unpack(shape, &word, &!generation).path.parked;
                        invariants::Side { path, was_parked, whole, flags: [at_rpc, leaves_at_ret] }
                    },
                );
                let (rpc, lower) = (top.rpc(), below_common.rpc());
                let from = either("from", &top.from, &below_common.from);
                let both = either("both", &top.both, &below_common.both);
                let sides: Vec<invariants::Side> = sides.collect();
                let used = !height.lt(&lit(height.width(), row as u64));
                let other = m
                    .wire(&format!("other_of_row_{row}"), &from.mux(&sides[LEFT].path.valid, &sides[RIGHT].path.valid));
                parts.push(Parts { used: used.clone(), from: from.clone(), both, other });
                Level {
                    used,
                    sides,
                    from,
                    rpc: Rpc {
                        kind: either("rpc_kind", &rpc.kind, &lower.kind),
                        pc: either("rpc_pc", &rpc.pc, &lower.pc),
                        depth: either("rpc_depth", &rpc.depth, &lower.depth),
                    },
                    is_top,
                }
            })
            .collect();
        let empty = self.empty.index(&at.warp);
        let meetings = invariants::Rows { levels, live: &live, empty: &empty }.state(m, shape, at);
        let runs = [LEFT, RIGHT].map(|side| top.masks()[side].when(&hot[side].bit(Row::bits(shape))));
        self.slots(m, shape, at, &runs, &parts, &meetings);
    }

    /// Claims of the slot in which each thread runs, or ran last: it changes where the slot that it enters is restarted.
    fn slots(
        &self,
        m: &Builder,
        shape: &Shape,
        at: &Watched,
        [left, right]: &[Expr; 2],
        rows: &[Parts],
        meetings: &[invariants::Meeting],
    ) {
        m.comment("In which slot each thread runs, or ran last.");
        let claim = |name: &str, condition: &Expr| m.assert(name, &(!&at.started | condition));
        let stands = m.register("stands_on_the_right", shape.threads);
        let settled = right | (&*stands & !left);
        stands.next(&at.settling.mux(&settled, &stands).when(&at.started)).reset(0);
        let enters = [m.wire("enters_left", &(left & &*stands)), m.wire("enters_right", &(right & !&*stands))];
        let [restarted, shadowed, popped, ran] = self.moved;
        for (slot, name) in ["left", "right"].iter().enumerate() {
            let quiet = enters[slot].none() | (&at.settling & restarted.bit(slot));
            claim(&format!("a_thread_enters_the_{name}_slot_when_it_is_restarted"), &quiet);
            let cast = enters[1 - slot].none() | shadowed.bit(slot);
            claim(&format!("a_thread_leaves_the_{name}_slot_when_its_results_are_shadowed"), &cast);
        }
        let entering = &enters[LEFT] | &enters[RIGHT];
        claim("a_thread_changes_slots_at_a_pop_or_from_its_path", &(popped | (entering & !ran).none()));
        for (row, Parts { used, both, other, .. }) in rows.iter().enumerate() {
            claim(&format!("row_{row}_has_one_side_alone"), &!(used & !both & other));
        }
        for (number, meeting) in meetings.iter().enumerate() {
            let row = number + 1;
            let Parts { used, from, both, .. } = &rows[row];
            let elsewhere = (&meeting.who & (&*stands ^ from.repeat(shape.threads))).any();
            let alone = used & &meeting.is_below & !both;
            claim(&format!("who_came_from_one_side_of_row_{row}_ran_there"), &!(&alone & elsewhere));
            let nested = used & !&meeting.is_below & !&rows[number].both;
            claim(&format!("row_{row}_is_beside_another_side"), &!nested);
        }
    }
}
