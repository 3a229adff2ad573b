//! Loops over equal parts, such as the lanes of a warp: described part by part, printed as one `for`.
//!
//! Every check sees the parts; only the text is a loop. It is found by comparison: the expressions of all parts must be
//! the same but for the bits that they take of their nets, and for literals, which must grow by the same number from part to
//! part.

use num_bigint::BigUint;

use crate::expr::{Expr, Kind, lit};

/// A loop over `count` parts, which the text numbers with `variable`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Each {
    /// Name of the number of a part in the Verilog.
    pub variable: &'static str,
    /// How many parts.
    pub count: usize,
}

impl Each {
    /// A loop over `count` parts.
    pub fn new(variable: &'static str, count: usize) -> Self {
        Self { variable, count }
    }

    /// The name of a loop in the text, of which something in it has this name.
    pub(crate) fn label(&self, name: &str) -> String {
        format!("{name}_by_{}", self.variable)
    }

    /// The value of each part.
    pub fn map<V>(&self, value: impl FnMut(usize) -> V) -> Vec<V> {
        (0..self.count).map(value).collect()
    }
}

impl Expr {
    /// 1 if equal to the number of a part: compared in 32 bits, in which a loop over hardware has it.
    ///
    /// # Panics
    /// If `self` has more bits.
    #[track_caller]
    pub fn is_part(&self, number: usize) -> Expr {
        self.extend(32).eq(&lit(32, number as u64))
    }
}

/// What literals a template may make from the number of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Those of 32 bits: in a loop over hardware, of whose variable Verilog takes no bits.
    Of32Bits,
    /// Also the number itself in fewer: in a loop over statements, whose variable is an integer.
    OfAnyWidth,
}

/// One expression for all parts, in terms of `variable`, if their expressions differ in nothing but bits that move evenly.
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

    /// Bits of one net that move by the same number from part to part.
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

    /// A literal that grows evenly.
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
