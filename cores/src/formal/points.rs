//! Functional points: situations that random programs should reach, in addition to the covers of the units.

use rtl::{Builder, Expr};

use crate::shape::Shape;

/// Whether a core states its points: only in a formal build that runs in lock step. Proofs have covers of their own.
pub fn exist(shape: &Shape) -> bool {
    shape.formal && shape.trace
}

/// States these one-bit conditions as points; `weft fuzz --coverage` counts how often each holds.
pub fn points<N: AsRef<str>>(m: &Builder, shape: &Shape, points: &[(N, Expr)]) {
    if exist(shape) {
        points.iter().for_each(|(name, condition)| m.cover(name.as_ref(), condition));
    }
}

/// States a point for each height of a stack: the point of height 2 is `{name}_2`.
pub fn points_at_heights(
    m: &Builder,
    shape: &Shape,
    name: &str,
    height: &Expr,
    heights: std::ops::Range<usize>,
    happens: &Expr,
) {
    let point = |number: usize| (format!("{name}_{number}"), happens & height.is(number as u64));
    let all = if exist(shape) { heights } else { 0..0 };
    points(m, shape, &all.map(point).collect::<Vec<_>>());
}
