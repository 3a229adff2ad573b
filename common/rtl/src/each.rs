//! Loops over equal parts, such as the lanes of a warp. A module describes each part; the text has one `for`.
//!
//! Every check sees the parts, and only the text is a loop. The printer finds it by comparison. The expressions of all
//! parts must be the same except for the bits they take of their nets and for literals, which must grow in even steps.

use num_bigint::BigUint;

use crate::expr::{Expr, Kind, lit};

/// A loop over `count` parts. In the text, `variable` is the number of the part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Each {
    pub variable: &'static str,
    pub count: usize,
}

impl Each {
    pub fn new(variable: &'static str, count: usize) -> Self {
        Self { variable, count }
    }

    /// Makes the label of a loop from the name of something in it.
    pub(crate) fn label(&self, name: &str) -> String {
        format!("{name}_by_{}", self.variable)
    }

    pub fn map<V>(&self, value: impl FnMut(usize) -> V) -> Vec<V> {
        (0..self.count).map(value).collect()
    }
}

impl Expr {
    /// Gives 1 if the value equals the number of a part. The comparison has 32 bits, as the variable of a generate loop.
    ///
    /// # Panics
    /// If `self` has more than 32 bits.
    #[track_caller]
    pub fn is_part(&self, number: usize) -> Expr {
        self.extend(32).eq(&lit(32, number as u64))
    }
}

/// The literals that a template may compute from the number of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Literals of 32 bits, for a generate loop: Verilog cannot slice its variable.
    Of32Bits,
    /// Literals of any width, for a loop over statements: its variable is an integer.
    OfAnyWidth,
}

/// Finds one expression for all parts, in terms of `variable`, if they differ only in even steps.
pub(crate) fn template(variable: &'static str, values: &[&Expr], numbers: Numbers) -> Option<Expr> {
    Template { variable, numbers }.of(values)
}

struct Template {
    variable: &'static str,
    numbers: Numbers,
}

impl Template {
    fn of(&self, values: &[&Expr]) -> Option<Expr> {
        let (first, others) = values.split_first()?;
        if others.iter().all(|other| other.identity() == first.identity()) {
            return Some((*first).clone());
        }
        if others.iter().any(|other| other.width() != first.width()) {
            return None;
        }
        if let Some(special) = self.part(values).or_else(|| self.number(values)) {
            return Some(special);
        }
        if !others.iter().all(|other| first.kind().is_like(other.kind())) {
            return None;
        }
        let operand = |position: usize| {
            let operands: Vec<&Expr> = values.iter().map(|value| value.operands()[position]).collect();
            self.of(&operands)
        };
        let operands: Vec<Expr> = (0..first.operands().len()).map(operand).collect::<Option<_>>()?;
        Some(Expr::new(first.width(), first.kind().with_operands(operands)))
    }

    /// Matches bits of one net that move by the same step from part to part.
    fn part(&self, values: &[&Expr]) -> Option<Expr> {
        let Kind::Slice(net, first) = values[0].kind() else { return None };
        let position = |value: &&Expr| match value.kind() {
            Kind::Slice(other, lo) if other.id == net.id => Some(*lo),
            _ => None,
        };
        let positions: Vec<usize> = values.iter().map(position).collect::<Option<_>>()?;
        let step = positions[1].checked_sub(*first).filter(|step| *step > 0)?;
        let even = positions.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step));
        even.then(|| Expr::new(values[0].width(), Kind::Part(net.clone(), *first, step, self.variable)))
    }

    fn number(&self, values: &[&Expr]) -> Option<Expr> {
        let literals: Vec<&BigUint> = values.iter().map(|value| value.literal()).collect::<Option<_>>()?;
        let step = (literals[1] > literals[0]).then(|| literals[1] - literals[0])?;
        let even = literals.windows(2).all(|pair| pair[0] + &step == *pair[1]);
        let counts = step == BigUint::from(1u8) && *literals[0] == BigUint::ZERO;
        let width = values[0].width();
        let printable = width == 32 || self.numbers == Numbers::OfAnyWidth && counts && width < 32;
        (even && printable).then(|| Expr::new(width, Kind::Number(self.variable, step, literals[0].clone())))
    }
}
