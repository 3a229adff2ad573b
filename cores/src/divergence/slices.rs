//! The count of commits in a time slice. Outside a round a path has `divergence.fair_after` commits, and without limit
//! if that is 0. In a round each has [`Shape::slice`].

use rtl::{Expr, ones};

use crate::shape::Shape;

pub fn count_bits(shape: &Shape) -> usize {
    let most = shape.fair_after.max(shape.slice);
    64 - (most - 1).leading_zeros() as usize
}

/// Whether the next commit is the last of the time slice. In a round the count is below [`Shape::slice`].
pub fn is_last(shape: &Shape, in_round: &Expr, count: &Expr) -> Expr {
    let bits = 64 - (shape.slice - 1).leading_zeros() as usize;
    let of_round = count.slice(0, bits).is(shape.slice - 1);
    match shape.fair_after {
        0 => in_round & of_round,
        outside if outside == shape.slice => of_round,
        outside => in_round.mux(&of_round, &count.is(outside - 1)),
    }
}

/// Whether commits are counted.
pub fn counts(shape: &Shape, in_round: &Expr) -> Expr {
    if shape.fair_after == 0 { in_round.clone() } else { ones(1) }
}
