//! Possible values of a register: value sets, as in value-set analysis (Balakrishnan and Reps, 2004), but enumerated.

use std::rc::Rc;

/// Maximum size of a set, and so the maximum number of targets of an indirect jump.
pub(super) const MOST: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// One of these values, in ascending order; never empty.
    Among(Rc<[u32]>),
    /// The return address of the function.
    Link,
    Any,
    /// An address at an unknown offset after this one.
    Element(u32),
    Loaded(u32),
    /// Any value; it may come from a table.
    Indexed,
}

impl Value {
    pub fn constant(value: u32) -> Self {
        Self::Among(Rc::new([value]))
    }

    /// The values below `end`, if there are few.
    pub fn below(end: u64) -> Self {
        if (1..=MOST as u64).contains(&end) { Self::Among((0..end as u32).collect()) } else { Self::Any }
    }

    /// The values whose bits are all in `mask`, if there are few.
    pub fn submasks(mask: u32) -> Self {
        if mask.count_ones() > MOST.ilog2() {
            return Self::Any;
        }
        let next = |value: &u32| (*value != mask).then(|| (value | !mask).wrapping_add(1) & mask);
        Self::Among(std::iter::successors(Some(0), next).collect())
    }

    /// One of these values, or `Any` if there are too many; `None` if there are none.
    pub fn among(values: impl IntoIterator<Item = u32>) -> Option<Self> {
        let mut values: Vec<u32> = values.into_iter().collect();
        values.sort_unstable();
        values.dedup();
        match values.len() {
            0 => None,
            1..=MOST => Some(Self::Among(values.into())),
            _ => Some(Self::Any),
        }
    }

    pub fn values(&self) -> Option<&[u32]> {
        match self {
            Self::Among(values) => Some(values),
            _ => None,
        }
    }

    pub fn single(&self) -> Option<u32> {
        self.values().filter(|values| values.len() == 1).map(|values| values[0])
    }

    pub fn is_indexed(&self) -> bool {
        matches!(self, Self::Element(_) | Self::Loaded(_) | Self::Indexed)
    }

    pub fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (a, b) if a.is_indexed() || b.is_indexed() => Self::Indexed,
            (Self::Among(a), Self::Among(b)) => {
                Self::among(a.iter().chain(b.iter()).copied()).expect("neither is empty")
            }
            _ => Self::Any,
        }
    }

    /// The results of an operation on each pair of values, if there are few.
    pub fn combine(&self, other: &Self, operation: impl Fn(u32, u32) -> u32) -> Self {
        match (self.values(), other.values()) {
            (Some(a), Some(b)) if a.len() * b.len() <= 4 * MOST => {
                let pairs = a.iter().flat_map(|a| b.iter().map(|b| operation(*a, *b)));
                Self::among(pairs).expect("neither is empty")
            }
            _ => Self::Any,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(values: &[u32]) -> Value {
        Value::among(values.iter().copied()).expect("not empty")
    }

    #[test]
    fn sets_are_sorted_and_small() {
        assert_eq!(set(&[3, 1, 3]).values(), Some([1, 3].as_slice()));
        assert_eq!(Value::among([]), None);
        assert_eq!(Value::below(3), set(&[0, 1, 2]));
        assert_eq!(Value::below(0), Value::Any);
        assert_eq!(Value::below(1024).values().map(<[u32]>::len), Some(1024));
        assert_eq!(Value::below(1025), Value::Any);
        assert_eq!(Value::submasks(0b101), set(&[0, 1, 4, 5]));
        assert_eq!(Value::submasks(0), set(&[0]));
        assert_eq!(Value::submasks(0x7ff), Value::Any);
    }

    #[test]
    fn what_is_joined_is_in_both_and_known_no_better_than_either() {
        assert_eq!(set(&[1, 2]).join(&set(&[2, 5])), set(&[1, 2, 5]));
        assert_eq!(set(&[1]).join(&Value::Link), Value::Any);
        assert_eq!(Value::Link.join(&Value::Link), Value::Link);
        assert_eq!(set(&[1]).join(&Value::Indexed), Value::Indexed);
        assert_eq!(Value::Any.join(&Value::Indexed), Value::Indexed);
        assert_eq!(Value::Element(4).join(&Value::Element(4)), Value::Element(4));
        assert_eq!(Value::Element(4).join(&Value::Loaded(4)), Value::Indexed);
        assert_eq!(Value::below(1024).join(&set(&[5000])), Value::Any);
    }

    #[test]
    fn operations_go_over_all_values() {
        assert_eq!(set(&[1, 2]).combine(&set(&[10, 20]), u32::wrapping_add), set(&[11, 12, 21, 22]));
        assert_eq!(set(&[1, 2]).combine(&Value::Any, u32::wrapping_add), Value::Any);
        assert_eq!(Value::below(1024).combine(&Value::below(1024), u32::wrapping_add), Value::Any);
    }
}
