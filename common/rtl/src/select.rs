//! Small combinational functions that many modules need: decoders, selectors, bit counters.

use std::borrow::Borrow;

use crate::expr::{Expr, lit, zeros};
use crate::structure::join;

/// Returns the bits needed to number `count` things: 0 for one.
pub fn clog2(count: usize) -> usize {
    count.next_power_of_two().trailing_zeros() as usize
}

pub fn decode(index: &Expr, count: usize) -> Expr {
    if count == 0 { zeros(0) } else { lit(count, 1).shl(index) }
}

/// Selects `values[index]` by a balanced tree of two-way choices. An index past the end gives one of the values.
///
/// # Panics
/// If there is no value, or if `index` does not have `clog2(values.len())` bits.
#[track_caller]
pub fn select<E: Borrow<Expr>>(index: &Expr, values: impl IntoIterator<Item = E>) -> Expr {
    fn tree<E: Borrow<Expr>>(index: &Expr, values: &[E]) -> Expr {
        if let [only] = values {
            return only.borrow().clone();
        }
        let high = index.width() - 1;
        let (low_half, high_half) = values.split_at(1 << high);
        let inner = index.slice(0, high);
        let upper = tree(&inner.slice(0, clog2(high_half.len())), high_half);
        index.bit(high).mux(&upper, &tree(&inner, low_half))
    }
    let values: Vec<E> = values.into_iter().collect();
    let (count, bits) = (values.len(), clog2(values.len()));
    assert!(count > 0, "nothing to select with `{index:?}`");
    assert!(index.width() == bits, "{count} values need an index of {bits} bits, `{index:?}` has {}", index.width());
    tree(index, &values)
}

/// ORs the values whose one-bit condition holds: a choice if at most one condition holds.
///
/// # Panics
/// If there is no value, or if the number of conditions differs.
#[track_caller]
pub fn select_one_hot<E: Borrow<Expr>>(conditions: &Expr, values: impl IntoIterator<Item = E>) -> Expr {
    let values: Vec<E> = values.into_iter().collect();
    assert!(conditions.width() == values.len(), "{} conditions for {} values", conditions.width(), values.len());
    any_of(values.iter().enumerate().map(|(i, value)| value.borrow().when(&conditions.bit(i))))
}

/// Folds the values pairwise: a tree of depth log2.
///
/// # Panics
/// If there is no value.
#[track_caller]
pub fn reduce(values: &[Expr], combine: &dyn Fn(&Expr, &Expr) -> Expr) -> Expr {
    assert!(!values.is_empty(), "nothing to reduce");
    match values {
        [only] => only.clone(),
        _ => {
            let (low, high) = values.split_at(values.len() / 2);
            combine(&reduce(low, combine), &reduce(high, combine))
        }
    }
}

/// ORs the values, in a tree of depth log2.
///
/// # Panics
/// If there is no value.
#[track_caller]
pub fn any_of<E: Borrow<Expr>>(values: impl IntoIterator<Item = E>) -> Expr {
    let values: Vec<Expr> = values.into_iter().map(|value| value.borrow().clone()).collect();
    reduce(&values, &|a, b| a | b)
}

/// Keeps only the lowest set bit of `requests`.
pub fn lowest_one(requests: &Expr) -> Expr {
    join((0..requests.width()).map(|i| requests.bit(i) & requests.slice(0, i).none()))
}

/// Returns the number of the set bit of a one-hot value (0 if none is set).
pub fn encode(one_hot: &Expr) -> Expr {
    let has = |bit: usize| {
        let members = (0..one_hot.width()).filter(|position| position >> bit & 1 == 1);
        join(members.map(|position| one_hot.bit(position))).any()
    };
    join((0..clog2(one_hot.width())).map(has))
}

/// Counts the set bits, in `clog2(width + 1)` bits.
pub fn count_ones(value: &Expr) -> Expr {
    let width = clog2(value.width() + 1);
    if value.width() == 0 {
        return zeros(0);
    }
    let bits: Vec<Expr> = value.lanes(1).iter().map(|bit| bit.extend(width)).collect();
    reduce(&bits, &|a, b| a + b)
}

/// Adds `step`, modulo 2 to the power of the width.
#[track_caller]
pub fn increment(value: &Expr, step: u64) -> Expr {
    if value.width() == 0 { zeros(0) } else { value + lit(value.width(), step) }
}

#[cfg(test)]
mod tests {
    use super::clog2;

    #[test]
    fn an_index_has_just_enough_bits() {
        for (count, bits) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (64, 6), (65, 7)] {
            assert_eq!(clog2(count), bits, "{count}");
        }
    }
}
