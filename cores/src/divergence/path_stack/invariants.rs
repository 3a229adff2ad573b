//! Invariants of the tables, stated in a formal build for the watched warp. They include the pending write of S9.

use rtl::{Builder, Bundle, Expr, count_ones, join, lit, select};

use super::waiting::{Behind, Waiting};
use crate::divergence::UnitInputs;
use crate::divergence::hot::{self, HotTable};
use crate::divergence::ring::Ring;
use crate::divergence::row::Row;
use crate::formal::Watched;
use crate::shape::Shape;
use crate::signals::Path;

/// Asserts the claims about the tables, and declares the outputs for a proof: the active path, and all paths.
pub fn state(m: &Builder, shape: &Shape, inputs: &UnitInputs, at: &Watched, hot: &HotTable, waiting: &Waiting) {
    m.comment("Invariants of the watched warp.");
    let generation = m.wire("generation_watched", &inputs.generation.index(&at.warp));
    let (x, [gives_way, later]) =
        hot::unpack(m, shape, &hot.inspect(&at.warp), &generation, ["gives_way", "gives_way_later"]);
    let gives_way = gives_way | (later & !&x.parked);
    m.port_group("its active path, and all its paths");
    x.outputs(m, "charge");
    m.output("gives_way_charge", &gives_way);
}
