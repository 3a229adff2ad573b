//! Functional points: what random programs should be seen to make the pipeline do, beside the points that the units name.

use rtl::{Builder, Expr};

use crate::shape::Shape;

/// States in a formal build that each of these one-bit conditions can hold; `weft fuzz --coverage` counts how often they do.
pub fn points(m: &Builder, shape: &Shape, points: &[(&str, Expr)]) {
    if !shape.formal || shape.shows_scoreboard() {
        return;
    }
    for (name, condition) in points {
        m.cover(name, condition);
    }
}
