//! S8, barrier: releases the warps of a group when all their live threads wait.
//!
//! A warp of level k waits for the group of 2^k warps from a multiple of 2^k on. A warp is full if all its live threads
//! wait, or none lives. A group is released when all its warps are full, some thread lives, and each warp with a live
//! thread has the level of the group. A release does not change parked threads: it flips the generation bit of the
//! warp, which decides what counts as parked. Latency: one cycle after the S8 of the last arrival. Storage: W rows of
//! 2 · T + 1 bits in LUT RAM; in registers 4 · W + 1 bits, and a level for each warp and for S7.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, Register, any_of, decode, join, ones, reduce, zeros,
};

use crate::shape::Shape;
use crate::signals::{Level, Resolve, delay_by};

/// `shows_all`: something reads the generations of all warps.
pub fn elaborate(shape: &Shape, shows_all: bool) -> Result<Module, ElaborationError> {
    let m = Builder::new("barrier", "The barrier: it releases a group of warps when all their live threads wait.");
    m.timing(
        "`barrier_release` is combinational from registers, one cycle after the outcome of the last arrival. \
         `generation` flips in the next cycle; a parked thread does not arrive before that.",
    );
    let inputs = Inputs::declare(&m, shape);
    let resolve = &inputs.resolve;
    let register = |name: &str| m.register(name, shape.warps);
    let (is_full, has_ended, waits) = (register("is_full"), register("has_ended"), register("waits"));
    let (generation, generation_s7) = (register("generation_now"), m.register("generation_of_s7", 1));
    // No release comes between S7 and S8: the path of the warp was not parked, or another can run.
    let generation_s8 = delay_by(&m, "generation_s8", &generation_s7, 1 + shape.delay);
    let UpdatedWarp { full, ended, arrives } = UpdatedWarp::of(&m, shape, &inputs, &generation_s8);
    let one = m.wire("updated_warp", &decode(&resolve.warp, shape.warps).when(&resolve.valid));
    let writes = m.wire("writes_level", &one.when(&inputs.level.write));
    let levels: Vec<Register> = (0..shape.level_bits()).map(|bit| register(&format!("level_bit_{bit}"))).collect();
    let next_level = |(bit, register): (usize, &Register)| {
        let next = writes.when(&inputs.level.value.bit(bit)) | (register & !&writes);
        let next = m.wire(&format!("next_level_bit_{bit}"), &next);
        register.next(&next).reset_ones();
        next
    };
    let next_levels: Vec<Expr> = levels.iter().enumerate().map(next_level).collect();
    let next_level = join(next_levels.iter().map(|bits| bits.index(&inputs.warp_s6)));
    let before = join(levels.iter().map(|bits| bits.index(&inputs.warp_s6)));
    let next_level = m.fault("s7_misses_the_level_of_s8", &next_level, &before);
    // All lanes may read it, so S7 has it from a register.
    let level_s7 = m.delay("level_of_s7", &next_level);

    if shape.formal {
        let has_generation = generation_s8.eq(&generation.index(&resolve.warp));
        m.assert("s8_has_the_generation", &(!&resolve.valid | has_generation));
    }

    m.comment("The groups of each level that are released.");
    let release = (0..=shape.top_level()).map(|level| {
        let of_level = m.fault("warps_of_any_level_release", &of_level(shape, &levels, level), &ones(shape.warps));
        let stands = m.wire(&format!("stands_{level}"), &(&*is_full & (&has_ended | of_level)));
        if level == 0 {
            return m.wire("release_0", &(stands & !&has_ended));
        }
        let group = |first: usize| (first, (1 << level).min(shape.warps - first));
        let due = (0..shape.warps).step_by(1 << level).map(group).map(|(first, size)| {
            let due = stands.slice(first, size).all() & !has_ended.slice(first, size).all();
            due.repeat(size)
        });
        m.wire(&format!("release_{level}"), &join(due))
    });
    let release = m.wire("release_now", &any_of(release));
    let stays_full = &*is_full & (&has_ended | !&release);
    is_full.next(&((stays_full & !&one) | one.when(&full))).reset(0);
    has_ended.next(&(&has_ended | one.when(&ended))).reset(0);
    waits.next(&((&waits | one.when(&arrives)) & !&release)).reset(0);
    let released = m.fault("every_warp_is_released", &release, &release.any().repeat(shape.warps));
    let next_generation = m.wire("next_generation", &(&generation ^ released));
    generation.next(&next_generation).reset(0);
    // S7 needs it early in its cycle.
    generation_s7.next(&next_generation.index(&inputs.warp_s6)).reset(0);

    m.port_group("state; of the warp in S7, its generation, whether a thread waits, and its level");
    if shows_all {
        m.output("generation", &generation);
    }
    m.output("barrier_release", &release);
    m.output("all_ended", &has_ended.all());
    m.output("generation_s7", &generation_s7);
    m.output("waits_s7", &waits.index(&inputs.warp_s7));
    m.output("level_s7", &level_s7);
    m.finish()
}

/// The warps of a level: those with its number, or with any from the top level on.
fn of_level(shape: &Shape, levels: &[Register], level: usize) -> Expr {
    let has = |number: usize| {
        let planes = levels.iter().enumerate();
        let planes: Vec<Expr> =
            planes.map(|(bit, plane)| if number >> bit & 1 == 1 { plane.q() } else { !plane.q() }).collect();
        reduce(&planes, &|a, b| a & b)
    };
    let numbers = if level < shape.top_level() { level..level + 1 } else { level..1 << shape.level_bits() };
    any_of(numbers.map(has))
}

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "start"]
        start_valid: Expr = m.input("start_valid", 1),
        start_warp: Expr = m.input("start_warp", shape.warp_bits()),
        #[group = "outcome of S7; the level that the instruction writes"]
        resolve: Resolve = Resolve::inputs(m, shape, "s8"),
        level: Level = Level::inputs(m, shape, "level"),
        #[group = "the warps in S6 and S7"]
        warp_s6: Expr = m.input("warp_s6", shape.warp_bits()),
        warp_s7: Expr = m.input("warp_s7", shape.warp_bits()),
    }
}

/// The warp of the outcome, after it.
struct UpdatedWarp {
    full: Expr,
    ended: Expr,
    /// A thread arrives.
    arrives: Expr,
}

impl UpdatedWarp {
    fn of(m: &Builder, shape: &Shape, inputs: &Inputs, generation: &Expr) -> Self {
        m.comment("The live threads of the warp, those that wait, and the generation in which they arrived.");
        let Inputs { start_valid, start_warp, resolve, .. } = inputs;
        let threads = shape.threads;
        let table = m.memory("threads", shape.warps, 2 * threads + 1, MemoryStyle::Distributed);
        let row = table.read("row", &resolve.warp);
        let still = row.bit(2 * threads).eq(generation);
        let live = m.wire("live", &(row.slice(0, threads) & !&resolve.exit_mask));
        let arrives = m.wire("arrives", &resolve.a_mask.when(&resolve.a_parked));
        let waits = m.wire("waiting", &(row.slice(threads, threads).when(&still) | &arrives));
        let start = join([&ones(threads), &zeros(threads + 1)]);
        table.write(
            &(start_valid | &resolve.valid),
            &start_valid.mux(start_warp, &resolve.warp),
            &start_valid.mux(&start, &join([&live, &waits, generation])),
        );
        Self { full: live.eq(&waits), ended: live.none(), arrives: arrives.any() }
    }
}
