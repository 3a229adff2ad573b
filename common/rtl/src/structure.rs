//! Concatenation, slices, lanes, repetition and extension of values.

use std::borrow::Borrow;
use std::rc::Rc;

use num_bigint::BigUint;

use crate::expr::{Binary, Expr, Kind, mask, ones, zeros};
use crate::print::LONGEST;

/// Concatenates the parts, least significant part first.
pub fn join<E: Borrow<Expr>>(parts: impl IntoIterator<Item = E>) -> Expr {
    let parts: Vec<E> = parts.into_iter().collect();
    concat(parts.iter().map(E::borrow).rev())
}

/// Concatenates the parts, most significant part first, as Verilog does.
pub fn concat<E: Borrow<Expr>>(parts: impl IntoIterator<Item = E>) -> Expr {
    let mut flat: Vec<Expr> = Vec::new();
    for part in parts {
        let part: &Expr = part.borrow();
        match part.kind() {
            _ if part.width() == 0 => {}
            Kind::Concat(inner) => flat.extend(inner.iter().cloned()),
            _ => flat.push(part.clone()),
        }
    }
    let mut merged: Vec<Expr> = Vec::new();
    for part in flat {
        match merged.last().and_then(|previous| adjoin(previous, &part)) {
            Some(whole) => *merged.last_mut().expect("a previous part") = whole,
            None => merged.push(part),
        }
    }
    match merged.len() {
        0 => zeros(0),
        1 => merged.remove(0),
        _ => Expr::new(merged.iter().map(Expr::width).sum(), Kind::Concat(merged)),
    }
}

/// Joins `high` and `low` if they are neighbouring slices of a net or both literals.
fn adjoin(high: &Expr, low: &Expr) -> Option<Expr> {
    match (high.kind(), low.kind()) {
        (Kind::Slice(net, from), Kind::Slice(other, low_from))
            if Rc::ptr_eq(net, other) && low_from + low.width() == *from =>
        {
            Some(Expr::net(net).slice(*low_from, low.width() + high.width()))
        }
        (Kind::Literal(a), Kind::Literal(b)) => Some(Expr::big(high.width() + low.width(), (a << low.width()) | b)),
        _ => None,
    }
}

impl Expr {
    pub fn repeat(&self, count: usize) -> Self {
        match (count * self.width(), self.literal()) {
            (0, _) => zeros(0),
            _ if count == 1 => self.clone(),
            (width, Some(_)) if self.is_zeros() => zeros(width),
            (width, Some(_)) if self.is_ones() => ones(width),
            (width, _) => Self::new(width, Kind::Repeat(count, self.clone())),
        }
    }

    /// Takes the bits `lo..lo + width`. Logic is sliced down to its nets: `(a & b).slice(0, 4)` is `a[3:0] & b[3:0]`.
    ///
    /// # Panics
    /// If the bits do not exist, or if Verilog cannot slice the expression: name it with
    /// [`Builder::wire`](crate::Builder::wire) first.
    #[track_caller]
    pub fn slice(&self, lo: usize, width: usize) -> Self {
        assert!(lo + width <= self.width(), "bits {lo}..{} of `{self:?}`, which has {}", lo + width, self.width());
        if width == 0 {
            return zeros(0);
        }
        if width == self.width() {
            return self.clone();
        }
        // The slice visits a shared subexpression each time it occurs in the text.
        assert!(self.text_bound() <= LONGEST, "`{self:?}` is too long to slice: name its parts with Builder::wire");
        match self.kind() {
            Kind::Net(net) => Self::new(width, Kind::Slice(net.clone(), lo)),
            Kind::Slice(net, from) => Self::new(width, Kind::Slice(net.clone(), from + lo)),
            Kind::Literal(value) => Self::big(width, (value >> lo) & mask(width)),
            Kind::Not(inner) => inner.slice(lo, width).not(),
            Kind::Binary(operator @ (Binary::And | Binary::Or | Binary::Xor), a, b) => {
                a.slice(lo, width).binary(*operator, &b.slice(lo, width))
            }
            Kind::Mux(condition, a, b) => condition.mux(&a.slice(lo, width), &b.slice(lo, width)),
            Kind::Concat(parts) => slice_parts(parts.iter().rev(), lo, width),
            Kind::Repeat(_, part) if lo.is_multiple_of(part.width()) && width.is_multiple_of(part.width()) => {
                part.repeat(width / part.width())
            }
            // Each bit of a shifted one is a comparison with the amount.
            Kind::Binary(Binary::ShiftLeft, value, amount) if value.is_one() => {
                join((lo..lo + width).map(|position| amount.is_number(position)))
            }
            Kind::Repeat(count, part) => slice_parts(std::iter::repeat_n(part, *count), lo, width),
            Kind::Binary(..) | Kind::Reduce(..) | Kind::Index(..) | Kind::Part(..) | Kind::Number(..) => {
                panic!("Verilog cannot slice `{self:?}`: name it with Builder::wire first")
            }
        }
    }

    #[track_caller]
    pub fn bit(&self, position: usize) -> Self {
        self.slice(position, 1)
    }

    #[track_caller]
    pub fn from(&self, lo: usize) -> Self {
        assert!(lo <= self.width(), "bits from {lo} of `{self:?}`, which has {}", self.width());
        self.slice(lo, self.width() - lo)
    }

    /// Takes part number `index` of `width` bits, counted from the lowest bits.
    #[track_caller]
    pub fn lane(&self, index: usize, width: usize) -> Self {
        self.slice(index * width, width)
    }

    /// Cuts the value into parts of `width` bits, lowest bits first.
    ///
    /// # Panics
    /// If `width` is zero or does not divide the width of `self`.
    #[track_caller]
    pub fn lanes(&self, width: usize) -> Vec<Self> {
        let whole = width > 0 && self.width().is_multiple_of(width);
        assert!(whole, "`{self:?}` of {} bits does not divide into lanes of {width}", self.width());
        (0..self.width() / width).map(|index| self.lane(index, width)).collect()
    }

    /// Selects bit number `index` of a net at run time. The index has `clog2(width)` bits; past the end of the net the
    /// value is undefined.
    ///
    /// # Panics
    /// If the index has another width, if `self` is not a net, or if the index could overflow, as a sum can: name it with
    /// [`Builder::wire`](crate::Builder::wire) first.
    #[track_caller]
    pub fn index(&self, index: &Self) -> Self {
        index.check_width(crate::clog2(self.width()), format_args!("an index into {} bits", self.width()));
        match self.kind() {
            _ if self.width() == 1 => self.clone(),
            _ if index.may_overflow() => {
                panic!("tools differ in the width of the index `{index:?}`: name it with Builder::wire first")
            }
            Kind::Net(net) => Self::new(1, Kind::Index(net.clone(), index.clone())),
            _ => panic!("Verilog cannot index `{self:?}`: name it with Builder::wire first"),
        }
    }

    #[track_caller]
    pub fn extend(&self, width: usize) -> Self {
        assert!(width >= self.width(), "`{self:?}` has {} bits already", self.width());
        concat([&zeros(width - self.width()), self])
    }

    /// Sign-extends the value to `width` bits; no bits are the number 0.
    #[track_caller]
    pub fn extend_signed(&self, width: usize) -> Self {
        assert!(width >= self.width(), "`{self:?}` has {} bits already", self.width());
        if self.width() == 0 {
            return zeros(width);
        }
        concat([&self.bit(self.width() - 1).repeat(width - self.width()), self])
    }
}

impl Expr {
    fn is_one(&self) -> bool {
        self.literal().is_some_and(|value| *value == BigUint::from(1u8))
    }

    /// Gives 1 if the value equals the number, which may need more bits than `self` has.
    fn is_number(&self, number: usize) -> Self {
        if number.checked_ilog2().is_some_and(|top| top as usize >= self.width()) {
            zeros(1)
        } else {
            self.is(number as u64)
        }
    }
}

fn slice_parts<'a>(parts: impl Iterator<Item = &'a Expr>, lo: usize, width: usize) -> Expr {
    let mut kept = Vec::new();
    let mut at = 0;
    for part in parts {
        let (from, to) = (lo.max(at), (lo + width).min(at + part.width()));
        if from < to {
            kept.push(part.slice(from - at, to - from));
        }
        at += part.width();
    }
    join(&kept)
}
