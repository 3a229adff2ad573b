//! Expressions over nets: every operator checks its widths when it is built.
//!
//! Operands of one operator have equal widths, and a result's width follows from its operands alone, so no
//! Verilog rule about context-determined widths ever changes a value. A width of zero is legal everywhere and
//! vanishes from the output: a generator needs no special case for one warp or one lane.

use std::ops;
use std::rc::Rc;

use num_bigint::BigUint;

use crate::net::Net;
use crate::print;

/// A value of `width()` bits. Cheap to clone.
#[derive(Clone)]
pub struct Expr(Rc<Node>);

struct Node {
    width: usize,
    kind: Kind,
}

#[derive(Clone)]
pub(crate) enum Kind {
    Net(Rc<Net>),
    Literal(BigUint),
    Not(Expr),
    Binary(Binary, Expr, Expr),
    Compare(Compare, Expr, Expr),
    Shift(Shift, Expr, Expr),
    Reduce(Reduce, Expr),
    Mux(Expr, Expr, Expr),
    /// Most significant part first; no part is empty.
    Concat(Vec<Expr>),
    Repeat(usize, Expr),
    /// Bits `lo..lo + width` of a net.
    Slice(Rc<Net>, usize),
    /// One bit of a net, chosen at run time.
    Index(Rc<Net>, Expr),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    And,
    Or,
    Xor,
    Add,
    Sub,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    Equal,
    NotEqual,
    Less,
    LessSigned,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shift {
    Left,
    Right,
    RightArithmetic,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduce {
    All,
    Any,
    Parity,
}

/// A literal of `width` bits.
///
/// # Panics
/// If `value` needs more bits.
#[track_caller]
pub fn lit(width: usize, value: u64) -> Expr {
    Expr::big(width, BigUint::from(value))
}

/// `width` zero bits.
pub fn zeros(width: usize) -> Expr {
    Expr::big(width, BigUint::ZERO)
}

/// `width` one bits.
pub fn ones(width: usize) -> Expr {
    Expr::big(width, (BigUint::from(1u8) << width) - 1u8)
}

/// Concatenation, least significant part first.
pub fn join<'a>(parts: impl IntoIterator<Item = &'a Expr>) -> Expr {
    let parts: Vec<Expr> = parts.into_iter().cloned().collect();
    concat(parts.iter().rev())
}

/// Concatenation, most significant part first, as Verilog writes it.
pub fn concat<'a>(parts: impl IntoIterator<Item = &'a Expr>) -> Expr {
    let mut flat: Vec<Expr> = Vec::new();
    for part in parts {
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

/// `high` and `low` as one part, if they are neighbouring slices of a net or both literals.
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
    fn new(width: usize, kind: Kind) -> Self {
        Self(Rc::new(Node { width, kind }))
    }

    #[track_caller]
    pub(crate) fn big(width: usize, value: BigUint) -> Self {
        assert!(value.bits() as usize <= width, "literal {value} does not fit in {width} bits");
        Self::new(width, Kind::Literal(value))
    }

    pub(crate) fn net(net: &Rc<Net>) -> Self {
        if net.width == 0 { zeros(0) } else { Self::new(net.width, Kind::Net(net.clone())) }
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// Whether both are the same net, whole.
    pub(crate) fn is_net(&self, other: &Self) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::Net(a), Kind::Net(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Address of the shared node: equal for clones of one expression.
    pub(crate) fn identity(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// Width in bits.
    pub fn width(&self) -> usize {
        self.0.width
    }

    /// The value, if it is a literal.
    pub(crate) fn literal(&self) -> Option<&BigUint> {
        match self.kind() {
            Kind::Literal(value) => Some(value),
            _ => None,
        }
    }

    fn is_zeros(&self) -> bool {
        self.literal().is_some_and(|value| *value == BigUint::ZERO)
    }

    fn is_ones(&self) -> bool {
        self.literal().is_some_and(|value| value.count_ones() as usize == self.width())
    }

    #[track_caller]
    fn same_width(&self, other: &Self, operator: &str) {
        assert!(
            self.width() == other.width(),
            "widths differ in `{operator}`: `{}` has {} bits, `{}` has {}",
            print::flat(self),
            self.width(),
            print::flat(other),
            other.width()
        );
    }

    #[track_caller]
    fn one_bit(&self, role: &str) {
        assert!(self.width() == 1, "{role} must have 1 bit: `{}` has {}", print::flat(self), self.width());
    }

    #[track_caller]
    fn binary(&self, operator: Binary, other: &Self) -> Self {
        let symbol = print::binary_symbol(operator);
        self.same_width(other, symbol);
        let (a, b) = (self, other);
        match operator {
            _ if self.width() == 0 => zeros(0),
            Binary::And if a.is_zeros() || b.is_ones() => a.clone(),
            Binary::And if b.is_zeros() || a.is_ones() => b.clone(),
            Binary::Or if a.is_zeros() || b.is_ones() => b.clone(),
            Binary::Or if b.is_zeros() || a.is_ones() => a.clone(),
            Binary::Xor | Binary::Add | Binary::Sub if b.is_zeros() => a.clone(),
            Binary::Xor | Binary::Add if a.is_zeros() => b.clone(),
            _ => Self::new(self.width(), Kind::Binary(operator, a.clone(), b.clone())),
        }
    }

    #[track_caller]
    fn compare(&self, operator: Compare, other: &Self) -> Self {
        self.same_width(other, print::compare_symbol(operator));
        match (self.width(), operator) {
            (0, Compare::Equal) => ones(1),
            (0, _) => zeros(1),
            (1, Compare::Equal) if other.is_ones() => self.clone(),
            (1, Compare::Equal) if other.is_zeros() => self.not(),
            _ => Self::new(1, Kind::Compare(operator, self.clone(), other.clone())),
        }
    }

    /// Bitwise complement.
    pub fn not(&self) -> Self {
        match self.kind() {
            Kind::Not(inner) => inner.clone(),
            Kind::Literal(value) => {
                let all = (BigUint::from(1u8) << self.width()) - 1u8;
                Self::big(self.width(), all ^ value)
            }
            Kind::Compare(Compare::Equal, a, b) => a.ne(b),
            Kind::Compare(Compare::NotEqual, a, b) => a.eq(b),
            _ => Self::new(self.width(), Kind::Not(self.clone())),
        }
    }

    /// 1 if equal.
    #[track_caller]
    pub fn eq(&self, other: &Self) -> Self {
        self.compare(Compare::Equal, other)
    }

    /// 1 if equal to the number.
    #[track_caller]
    pub fn is(&self, value: u64) -> Self {
        self.eq(&lit(self.width(), value))
    }

    /// 1 if different.
    #[track_caller]
    pub fn ne(&self, other: &Self) -> Self {
        self.compare(Compare::NotEqual, other)
    }

    /// 1 if less, unsigned.
    #[track_caller]
    pub fn lt(&self, other: &Self) -> Self {
        self.compare(Compare::Less, other)
    }

    /// 1 if less, two's complement.
    #[track_caller]
    pub fn lt_signed(&self, other: &Self) -> Self {
        self.compare(Compare::LessSigned, other)
    }

    fn shift(&self, operator: Shift, amount: &Self) -> Self {
        if self.width() == 0 || amount.width() == 0 {
            return self.clone();
        }
        Self::new(self.width(), Kind::Shift(operator, self.clone(), amount.clone()))
    }

    /// Shift left by an unsigned amount of any width.
    pub fn shl(&self, amount: &Self) -> Self {
        self.shift(Shift::Left, amount)
    }

    /// Logical shift right by an unsigned amount of any width.
    pub fn shr(&self, amount: &Self) -> Self {
        self.shift(Shift::Right, amount)
    }

    /// Arithmetic shift right by an unsigned amount of any width.
    pub fn shr_signed(&self, amount: &Self) -> Self {
        self.shift(Shift::RightArithmetic, amount)
    }

    fn reduce(&self, operator: Reduce) -> Self {
        match (self.width(), operator) {
            (0, Reduce::All) => ones(1),
            (0, _) => zeros(1),
            (1, _) => self.clone(),
            _ => Self::new(1, Kind::Reduce(operator, self.clone())),
        }
    }

    /// 1 if any bit is set.
    pub fn any(&self) -> Self {
        self.reduce(Reduce::Any)
    }

    /// 1 if all bits are set.
    pub fn all(&self) -> Self {
        self.reduce(Reduce::All)
    }

    /// 1 if an odd number of bits is set.
    pub fn parity(&self) -> Self {
        self.reduce(Reduce::Parity)
    }

    /// 1 if no bit is set.
    pub fn none(&self) -> Self {
        self.any().not()
    }

    /// `self ? then : otherwise`; `self` has one bit.
    #[track_caller]
    pub fn mux(&self, then: &Self, otherwise: &Self) -> Self {
        self.one_bit("a condition");
        then.same_width(otherwise, "?:");
        match self.literal() {
            _ if then.width() == 0 => zeros(0),
            Some(value) if *value == BigUint::ZERO => otherwise.clone(),
            Some(_) => then.clone(),
            None if then.identity() == otherwise.identity() => then.clone(),
            None if then.width() == 1 && then.is_ones() && otherwise.is_zeros() => self.clone(),
            None => Self::new(then.width(), Kind::Mux(self.clone(), then.clone(), otherwise.clone())),
        }
    }

    /// All bits of `self` where the one-bit `condition` holds, else zero.
    #[track_caller]
    pub fn when(&self, condition: &Self) -> Self {
        condition.one_bit("a condition");
        &condition.repeat(self.width()) & self
    }

    /// `count` copies side by side.
    pub fn repeat(&self, count: usize) -> Self {
        match (count * self.width(), self.literal()) {
            (0, _) => zeros(0),
            _ if count == 1 => self.clone(),
            (width, Some(_)) if self.is_zeros() => zeros(width),
            (width, Some(_)) if self.is_ones() => ones(width),
            (width, _) => Self::new(width, Kind::Repeat(count, self.clone())),
        }
    }

    /// Bits `lo..lo + width`.
    ///
    /// # Panics
    /// If the bits do not exist, or if Verilog has no way to slice the expression: name it with
    /// [`Module::wire`](crate::Module::wire) first.
    #[track_caller]
    pub fn slice(&self, lo: usize, width: usize) -> Self {
        assert!(
            lo + width <= self.width(),
            "bits {lo}..{} of `{}`, which has {}",
            lo + width,
            print::flat(self),
            self.width()
        );
        if width == 0 {
            return zeros(0);
        }
        if width == self.width() {
            return self.clone();
        }
        match self.kind() {
            Kind::Net(net) => Self::new(width, Kind::Slice(net.clone(), lo)),
            Kind::Slice(net, from) => Self::new(width, Kind::Slice(net.clone(), from + lo)),
            Kind::Literal(value) => {
                let mask = (BigUint::from(1u8) << width) - 1u8;
                Self::big(width, (value >> lo) & mask)
            }
            Kind::Not(inner) => inner.slice(lo, width).not(),
            Kind::Binary(operator @ (Binary::And | Binary::Or | Binary::Xor), a, b) => {
                a.slice(lo, width).binary(*operator, &b.slice(lo, width))
            }
            Kind::Mux(condition, a, b) => condition.mux(&a.slice(lo, width), &b.slice(lo, width)),
            Kind::Concat(parts) => slice_parts(parts.iter().rev(), lo, width),
            Kind::Repeat(count, part) => slice_parts(std::iter::repeat_n(part, *count), lo, width),
            Kind::Binary(..) | Kind::Compare(..) | Kind::Shift(..) | Kind::Reduce(..) | Kind::Index(..) => {
                panic!("Verilog cannot slice `{}`: name it with Module::wire first", print::flat(self))
            }
        }
    }

    /// Bit `position`.
    #[track_caller]
    pub fn bit(&self, position: usize) -> Self {
        self.slice(position, 1)
    }

    /// Bits from `lo` up.
    #[track_caller]
    pub fn from(&self, lo: usize) -> Self {
        self.slice(lo, self.width() - lo)
    }

    /// Part `index` of `self` cut into parts of `width` bits, least significant first.
    #[track_caller]
    pub fn lane(&self, index: usize, width: usize) -> Self {
        self.slice(index * width, width)
    }

    /// The parts of `width` bits, least significant first.
    pub fn lanes(&self, width: usize) -> Vec<Self> {
        (0..self.width() / width).map(|index| self.lane(index, width)).collect()
    }

    /// Bit number `index` of a net, chosen at run time. `index` has exactly the bits it takes.
    #[track_caller]
    pub fn index(&self, index: &Self) -> Self {
        assert!(
            index.width() == crate::clog2(self.width()),
            "an index into {} bits has {} bits, `{}` has {}",
            self.width(),
            crate::clog2(self.width()),
            print::flat(index),
            index.width()
        );
        match self.kind() {
            _ if self.width() == 1 => self.clone(),
            Kind::Net(net) => Self::new(1, Kind::Index(net.clone(), index.clone())),
            _ => panic!("Verilog cannot index `{}`: name it with Module::wire first", print::flat(self)),
        }
    }

    /// Zero-extended to `width` bits.
    #[track_caller]
    pub fn extend(&self, width: usize) -> Self {
        assert!(width >= self.width(), "`{}` has {} bits already", print::flat(self), self.width());
        concat([&zeros(width - self.width()), self])
    }

    /// Sign-extended to `width` bits.
    #[track_caller]
    pub fn extend_signed(&self, width: usize) -> Self {
        assert!(width >= self.width(), "`{}` has {} bits already", print::flat(self), self.width());
        concat([&self.bit(self.width() - 1).repeat(width - self.width()), self])
    }

    /// Subexpressions, for walks.
    pub(crate) fn operands(&self) -> Vec<&Self> {
        match self.kind() {
            Kind::Net(_) | Kind::Literal(_) | Kind::Slice(..) => vec![],
            Kind::Not(a) | Kind::Reduce(_, a) | Kind::Repeat(_, a) | Kind::Index(_, a) => vec![a],
            Kind::Binary(_, a, b) | Kind::Compare(_, a, b) | Kind::Shift(_, a, b) => vec![a, b],
            Kind::Mux(condition, a, b) => vec![condition, a, b],
            Kind::Concat(parts) => parts.iter().collect(),
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

macro_rules! operator {
    ($trait:ident, $method:ident, $binary:expr) => {
        impl ops::$trait<&Expr> for &Expr {
            type Output = Expr;
            #[track_caller]
            fn $method(self, other: &Expr) -> Expr {
                self.binary($binary, other)
            }
        }
        impl ops::$trait<Expr> for &Expr {
            type Output = Expr;
            #[track_caller]
            fn $method(self, other: Expr) -> Expr {
                self.binary($binary, &other)
            }
        }
        impl ops::$trait<&Expr> for Expr {
            type Output = Expr;
            #[track_caller]
            fn $method(self, other: &Expr) -> Expr {
                self.binary($binary, other)
            }
        }
        impl ops::$trait<Expr> for Expr {
            type Output = Expr;
            #[track_caller]
            fn $method(self, other: Expr) -> Expr {
                self.binary($binary, &other)
            }
        }
    };
}

operator!(BitAnd, bitand, Binary::And);
operator!(BitOr, bitor, Binary::Or);
operator!(BitXor, bitxor, Binary::Xor);
operator!(Add, add, Binary::Add);
operator!(Sub, sub, Binary::Sub);

impl ops::Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr::not(&self)
    }
}

impl ops::Not for &Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr::not(self)
    }
}

impl std::fmt::Debug for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print::flat(self))
    }
}

impl Expr {
    /// Names of the nets that the expression reads.
    pub(crate) fn nets(&self) -> Vec<String> {
        let mut names = Vec::new();
        crate::module::each_read(self, &mut Default::default(), &mut |net, _| names.push(net.name.clone()));
        names
    }
}
