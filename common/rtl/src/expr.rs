//! Expressions over nets. Every operator checks its widths when it is built.
//!
//! The operands of an operator have equal widths, and they alone determine the width of the result. So Verilog's rules
//! of context-determined widths never change a value. A width of zero is legal everywhere and vanishes from the output:
//! a generator needs no special case for one warp or one lane.

use std::borrow::Borrow;
use std::rc::Rc;
use std::{fmt, ops};

use num_bigint::BigUint;

use crate::net::Net;
use crate::print;
use crate::state::Register;

/// A value of `width()` bits. A clone is cheap.
#[derive(Clone)]
pub struct Expr(Rc<Node>);

struct Node {
    width: usize,
    /// An upper bound of the characters on one line, where a shared subexpression counts each time it occurs.
    text: usize,
    kind: Kind,
}

#[derive(Clone)]
pub(crate) enum Kind {
    Net(Rc<Net>),
    Literal(BigUint),
    Not(Expr),
    Binary(Binary, Expr, Expr),
    Reduce(Reduce, Expr),
    Mux(Expr, Expr, Expr),
    /// Parts from the most significant down; no part is empty.
    Concat(Vec<Expr>),
    Repeat(usize, Expr),
    /// The bits from this position up.
    Slice(Rc<Net>, usize),
    Index(Rc<Net>, Expr),
    /// In the text of a loop only ([`crate::each`]): bits of a net from the first number plus the variable times the second.
    Part(Rc<Net>, usize, usize, &'static str),
    /// In the text of a loop only: the variable times the first number, plus the second.
    Number(&'static str, BigUint, BigUint),
}

impl Kind {
    /// Returns whether two kinds are the same except for their operands.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Net(a), Self::Net(b)) | (Self::Index(a, _), Self::Index(b, _)) => a.id == b.id,
            (Self::Slice(a, from), Self::Slice(b, other)) => a.id == b.id && from == other,
            (Self::Literal(a), Self::Literal(b)) => a == b,
            (Self::Binary(a, ..), Self::Binary(b, ..)) => a == b,
            (Self::Reduce(a, _), Self::Reduce(b, _)) => a == b,
            (Self::Repeat(a, _), Self::Repeat(b, _)) => a == b,
            (Self::Concat(a), Self::Concat(b)) => a.len() == b.len(),
            (Self::Not(_), Self::Not(_)) | (Self::Mux(..), Self::Mux(..)) => true,
            _ => false,
        }
    }

    /// Replaces the operands, in the order of [`Expr::operands`].
    pub fn with_operands(&self, operands: Vec<Expr>) -> Self {
        if let Self::Concat(_) = self {
            return Self::Concat(operands);
        }
        let mut operands = operands.into_iter();
        let mut next = || operands.next().expect("as many operands as before");
        match self {
            Self::Not(_) => Self::Not(next()),
            Self::Reduce(operator, _) => Self::Reduce(*operator, next()),
            Self::Repeat(count, _) => Self::Repeat(*count, next()),
            Self::Index(net, _) => Self::Index(net.clone(), next()),
            Self::Binary(operator, ..) => Self::Binary(*operator, next(), next()),
            Self::Mux(..) => Self::Mux(next(), next(), next()),
            Self::Net(_) | Self::Literal(_) | Self::Slice(..) | Self::Part(..) | Self::Number(..) | Self::Concat(_) => {
                self.clone()
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Equal,
    NotEqual,
    Less,
    LessSigned,
    ShiftLeft,
    ShiftRight,
    ShiftRightArithmetic,
    /// The product of two signed operands as wide as the result.
    Product,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduce {
    All,
    Any,
    Parity,
}

/// Makes a literal of `width` bits.
///
/// # Panics
/// If `value` needs more bits.
#[track_caller]
pub fn lit(width: usize, value: u64) -> Expr {
    Expr::big(width, BigUint::from(value))
}

pub fn zeros(width: usize) -> Expr {
    Expr::big(width, BigUint::ZERO)
}

pub fn ones(width: usize) -> Expr {
    Expr::big(width, mask(width))
}

/// Returns the number with `width` ones.
pub(crate) fn mask(width: usize) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

fn flag(value: bool) -> Expr {
    Expr::big(1, BigUint::from(value))
}

impl Expr {
    pub(crate) fn new(width: usize, kind: Kind) -> Self {
        let text = print::bound(width, &kind);
        Self(Rc::new(Node { width, text, kind }))
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

    /// Returns the net, if the expression is a whole net.
    pub(crate) fn as_net(&self) -> Option<&Rc<Net>> {
        match self.kind() {
            Kind::Net(net) => Some(net),
            _ => None,
        }
    }

    /// Returns the address of the shared node, which is equal for clones of one expression.
    pub(crate) fn identity(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    pub fn width(&self) -> usize {
        self.0.width
    }

    /// Returns an upper bound of the characters on one line.
    pub(crate) fn text_bound(&self) -> usize {
        self.0.text
    }

    pub(crate) fn literal(&self) -> Option<&BigUint> {
        match self.kind() {
            Kind::Literal(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn is_zeros(&self) -> bool {
        self.literal().is_some_and(|value| *value == BigUint::ZERO)
    }

    pub(crate) fn is_ones(&self) -> bool {
        self.literal().is_some_and(|value| value.count_ones() as usize == self.width())
    }

    #[track_caller]
    fn same_width(&self, other: &Self, operator: &str) {
        assert!(
            self.width() == other.width(),
            "widths differ in `{operator}`: `{self:?}` has {} bits, `{other:?}` has {}",
            self.width(),
            other.width()
        );
    }

    /// Checks that the value is as wide as what takes it.
    #[track_caller]
    pub(crate) fn check_width(&self, width: usize, taker: fmt::Arguments) {
        assert!(self.width() == width, "{taker} has {width} bits, `{self:?}` has {}", self.width());
    }

    #[track_caller]
    fn one_bit(&self, role: &str) {
        assert!(self.width() == 1, "{role} must have 1 bit: `{self:?}` has {}", self.width());
    }

    #[track_caller]
    pub(crate) fn binary(&self, operator: Binary, other: &Self) -> Self {
        self.same_width(other, print::symbol(operator));
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
    fn compare(&self, operator: Binary, other: &Self) -> Self {
        self.same_width(other, print::symbol(operator));
        match (operator, self.literal(), other.literal()) {
            _ if self.identity() == other.identity() => flag(operator == Binary::Equal),
            (Binary::Equal, Some(a), Some(b)) => flag(a == b),
            (Binary::NotEqual, Some(a), Some(b)) => flag(a != b),
            (Binary::Less, Some(a), Some(b)) => flag(a < b),
            (Binary::Equal | Binary::NotEqual, Some(_), None) => other.compare(operator, self),
            // Linters warn of comparisons that cannot hold.
            (Binary::Less, ..) if self.is_ones() || other.is_zeros() => flag(false),
            (Binary::LessSigned, ..) if self.width() == 0 => flag(false),
            (Binary::Equal, ..) if self.width() == 1 && other.is_ones() => self.clone(),
            (Binary::Equal, ..) if self.width() == 1 && other.is_zeros() => self.not(),
            (Binary::NotEqual, ..) if self.width() == 1 && other.is_zeros() => self.clone(),
            (Binary::NotEqual, ..) if self.width() == 1 && other.is_ones() => self.not(),
            _ => Self::new(1, Kind::Binary(operator, self.clone(), other.clone())),
        }
    }

    pub fn not(&self) -> Self {
        match self.kind() {
            Kind::Not(inner) => inner.clone(),
            Kind::Literal(value) => Self::big(self.width(), mask(self.width()) ^ value),
            Kind::Binary(Binary::Equal, a, b) => a.ne(b),
            Kind::Binary(Binary::NotEqual, a, b) => a.eq(b),
            _ => Self::new(self.width(), Kind::Not(self.clone())),
        }
    }

    #[track_caller]
    pub fn eq(&self, other: &Self) -> Self {
        self.compare(Binary::Equal, other)
    }

    #[track_caller]
    pub fn is(&self, value: u64) -> Self {
        self.eq(&lit(self.width(), value))
    }

    #[track_caller]
    pub fn ne(&self, other: &Self) -> Self {
        self.compare(Binary::NotEqual, other)
    }

    /// Compares unsigned numbers.
    #[track_caller]
    pub fn lt(&self, other: &Self) -> Self {
        self.compare(Binary::Less, other)
    }

    /// Compares two's complement numbers.
    #[track_caller]
    pub fn lt_signed(&self, other: &Self) -> Self {
        self.compare(Binary::LessSigned, other)
    }

    fn shift(&self, operator: Binary, amount: &Self) -> Self {
        if self.width() == 0 || amount.width() == 0 {
            return self.clone();
        }
        Self::new(self.width(), Kind::Binary(operator, self.clone(), amount.clone()))
    }

    /// Shifts left by an unsigned amount of any width.
    pub fn shl(&self, amount: &Self) -> Self {
        self.shift(Binary::ShiftLeft, amount)
    }

    /// Shifts right logically by an unsigned amount of any width.
    pub fn shr(&self, amount: &Self) -> Self {
        self.shift(Binary::ShiftRight, amount)
    }

    /// Multiplies two two's complement numbers. The product is as wide as both together; no bits are the number 0.
    #[track_caller]
    pub fn mul_signed(&self, other: &Self) -> Self {
        let width = self.width() + other.width();
        if self.width() == 0 || other.width() == 0 {
            return zeros(width);
        }
        Self::new(width, Kind::Binary(Binary::Product, self.extend_signed(width), other.extend_signed(width)))
    }

    /// Shifts right arithmetically by an unsigned amount of any width.
    pub fn shr_signed(&self, amount: &Self) -> Self {
        self.shift(Binary::ShiftRightArithmetic, amount)
    }

    fn reduce(&self, operator: Reduce) -> Self {
        match (self.width(), operator) {
            (0, Reduce::All) => ones(1),
            (0, _) => zeros(1),
            (1, _) => self.clone(),
            _ => Self::new(1, Kind::Reduce(operator, self.clone())),
        }
    }

    /// Gives 1 if any bit is set; no bits give 0.
    pub fn any(&self) -> Self {
        self.reduce(Reduce::Any)
    }

    /// Gives 1 if all bits are set; no bits give 1.
    pub fn all(&self) -> Self {
        self.reduce(Reduce::All)
    }

    /// Gives 1 if an odd number of bits is set.
    pub fn parity(&self) -> Self {
        self.reduce(Reduce::Parity)
    }

    pub fn none(&self) -> Self {
        self.any().not()
    }

    /// Chooses as `self ? then : otherwise` does; `self` has one bit.
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
            None if then.width() == 1 && then.is_zeros() && otherwise.is_ones() => self.not(),
            None => Self::new(then.width(), Kind::Mux(self.clone(), then.clone(), otherwise.clone())),
        }
    }

    /// Gives `self` where the one-bit `condition` holds, else zero.
    #[track_caller]
    pub fn when(&self, condition: &Self) -> Self {
        condition.one_bit("a condition");
        &condition.repeat(self.width()) & self
    }

    /// Returns whether the value could need more bits than the width, which drops them. Where Verilog leaves the width of
    /// an expression open, as in an index, tools differ for such values.
    pub(crate) fn may_overflow(&self) -> bool {
        match self.kind() {
            Kind::Not(_) | Kind::Binary(Binary::Add | Binary::Sub | Binary::ShiftLeft, ..) => true,
            Kind::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) | Kind::Mux(_, a, b) => {
                a.may_overflow() || b.may_overflow()
            }
            Kind::Binary(Binary::ShiftRight, a, _) => a.may_overflow(),
            _ => false,
        }
    }

    pub(crate) fn operands(&self) -> Vec<&Self> {
        match self.kind() {
            Kind::Net(_) | Kind::Literal(_) | Kind::Slice(..) | Kind::Part(..) | Kind::Number(..) => vec![],
            Kind::Not(a) | Kind::Reduce(_, a) | Kind::Repeat(_, a) | Kind::Index(_, a) => vec![a],
            Kind::Binary(_, a, b) => vec![a, b],
            Kind::Mux(condition, a, b) => vec![condition, a, b],
            Kind::Concat(parts) => parts.iter().collect(),
        }
    }
}

impl Borrow<Expr> for Register {
    fn borrow(&self) -> &Expr {
        &self.q
    }
}

impl Borrow<Expr> for &Register {
    fn borrow(&self) -> &Expr {
        &self.q
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $binary:expr) => {
        operator!($trait, $method, $binary, Expr);
        operator!($trait, $method, $binary, &Expr);
        operator!($trait, $method, $binary, &Register);
    };
    ($trait:ident, $method:ident, $binary:expr, $left:ty) => {
        impl<E: Borrow<Expr>> ops::$trait<E> for $left {
            type Output = Expr;
            #[track_caller]
            fn $method(self, other: E) -> Expr {
                self.binary($binary, other.borrow())
            }
        }
    };
}

operator!(BitAnd, bitand, Binary::And);
operator!(BitOr, bitor, Binary::Or);
operator!(BitXor, bitxor, Binary::Xor);
operator!(Add, add, Binary::Add);
operator!(Sub, sub, Binary::Sub);

macro_rules! complement {
    ($($of:ty),*) => {
        $(impl ops::Not for $of {
            type Output = Expr;
            fn not(self) -> Expr {
                Expr::not(&self)
            }
        })*
    };
}

complement!(Expr, &Expr, &Register);

/// Prints the expression as Verilog, shortened if it is long.
impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::short(self))
    }
}
