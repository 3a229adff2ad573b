//! Invariants of the paths and meetings, stated in a formal build for the watched warp.

use crate::shape::Shape;

pub fn listed_paths(shape: &Shape) -> usize {
    2 * shape.threads + 1
}
