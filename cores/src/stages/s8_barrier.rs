//! S8, barrier: waits for all live threads of the core.
//!
//! It counts the arrived and the live threads, and releases when the numbers are equal. A release does not change
//! parked threads: it flips the generation bit, which decides what counts as parked. Latency: one cycle after the S8
//! of the last arrival. Storage: 2 · clog2(W · T + 1) + 1 bits.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, clog2, count_ones, lit};

use crate::shape::Shape;
use crate::signals::Resolve;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let all = shape.warps * shape.threads;
    let bits = clog2(all + 1);
    let m = Builder::new("barrier", "The barrier: it releases when all live threads have arrived.");
    m.timing(
        "the outputs are combinational from registers; a release comes one cycle after the outcome of the last \
         arrival. `generation` flips in the cycle after a release; a parked thread does not arrive before that.",
    );
    m.port_group("outcome of S7");
    let resolve = Resolve::inputs(&m, shape, "s8");

    let live = m.register("live", bits);
    let arrived = m.register("arrived", bits);
    let generation = m.register("generation_now", 1);
    let count = |mask: &Expr| count_ones(mask).extend(bits).when(&resolve.valid);
    let ends = m.wire("ends", &count(&resolve.exit_mask));
    let arrives = m.wire("arrives", &count(&resolve.a_mask.when(&resolve.a_parked)));
    let release = m.wire("release_now", &(live.eq(&arrived) & live.any()));
    live.next(&(&*live - &ends)).reset(all as u64);
    arrived.next(&release.mux(&lit(bits, 0), &(&*arrived + &arrives))).reset(0);
    generation.next(&(&*generation ^ &release)).reset(0);

    m.port_group("state");
    m.output("generation", &generation);
    m.output("barrier_release", &release);
    m.output("all_ended", &live.none());
    m.finish()
}
