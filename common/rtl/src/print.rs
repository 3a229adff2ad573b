//! Expressions as Verilog text: inline where they fit a line, broken by structure where they do not.
//!
//! Parentheses do not rely on the precedence table. An operand that is itself an operator has parentheses, except in
//! chains (`a & b & c`, `a + b - c`) and in the last arm of `?:`.

use num_bigint::BigUint;

use crate::expr::{Binary, Expr, Kind, Reduce, mask};

/// The maximum length of an unbroken line.
pub(crate) const LINE: usize = 110;

/// Formats a comment in lines of at most 110 columns.
pub fn comment(text: &str) -> String {
    words(text, LINE - 3).iter().map(|line| format!("// {line}\n")).collect()
}

/// Splits a text into lines of at most `width` characters.
pub(crate) fn words(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The maximum length of one expression. A shared subexpression is printed each time it occurs, so the text can be
/// exponentially longer than the description. A longer expression needs names for its parts.
pub(crate) const LONGEST: usize = 64 * 1024;

const SHORT: usize = 160;

pub(crate) fn symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Less | Binary::LessSigned => "<",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::ShiftRightArithmetic => ">>>",
        Binary::Product => "*",
    }
}

/// Returns whether operators of this kind form chains without parentheses, as in `a & b & c`.
fn chains(operator: Binary) -> bool {
    matches!(operator, Binary::And | Binary::Or | Binary::Xor | Binary::Add | Binary::Sub)
}

fn reduce_symbol(operator: Reduce) -> &'static str {
    match operator {
        Reduce::All => "&",
        Reduce::Any => "|",
        Reduce::Parity => "^",
    }
}

/// Prints a literal in the shortest form that keeps its width.
pub(crate) fn literal(width: usize, value: &BigUint) -> String {
    if width == 1 {
        format!("1'b{value}")
    } else if width > 32 && value.count_ones() as usize == width {
        format!("{{{width}{{1'b1}}}}")
    } else if *value < BigUint::from(10u8) {
        format!("{width}'d{value}")
    } else {
        let text = format!("{width}'h{value:x}");
        repetition(width, value).filter(|_| text.len() > 40).unwrap_or(text)
    }
}

/// Prints a literal that repeats its lowest bits, as `{4{9'h101}}`.
fn repetition(width: usize, value: &BigUint) -> Option<String> {
    let part = (2..=width / 2).filter(|part| width.is_multiple_of(*part)).find(|part| {
        let high = value >> *part;
        high == value & &mask(width - part)
    })?;
    let low = value & &mask(part);
    Some(format!("{{{}{{{}}}}}", width / part, literal(part, &low)))
}

/// Prints `[7:0] `, or nothing for one bit.
pub(crate) fn range(width: usize) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

/// Prints the bits of a name in a loop: `width` bits from `lo` up in the first iteration, then `step` higher each time.
pub(crate) fn part(name: &str, [lo, step]: [usize; 2], variable: &str, width: usize) -> String {
    let first = if step == 1 { variable.to_owned() } else { format!("{step} * {variable}") };
    let at = if lo == 0 { first } else { format!("{first} + {lo}") };
    if width == 1 { format!("{name}[{at}]") } else { format!("{name}[{at} +: {width}]") }
}

/// Prints a literal that grows from `first` by `step` in each iteration of a loop. A loop variable has 32 bits.
fn number(variable: &str, step: &BigUint, first: &BigUint, width: usize) -> String {
    let one = BigUint::from(1u8);
    match (*step == one, *first == BigUint::ZERO) {
        (true, true) if width < 32 => format!("{variable}[{}:0]", width - 1),
        (true, true) => variable.to_owned(),
        (true, false) => format!("({variable} + {})", literal(width, first)),
        (false, true) => format!("({variable} * {})", literal(width, step)),
        (false, false) => format!("({variable} * {} + {})", literal(width, step), literal(width, first)),
    }
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Computes an upper bound of the characters of such an expression on one line.
pub(crate) fn bound(width: usize, kind: &Kind) -> usize {
    let (symbols, operands): (usize, &[&Expr]) = match kind {
        Kind::Net(net) => (net.name.len(), &[]),
        Kind::Slice(net, lo) => (net.name.len() + digits(lo + width) + digits(*lo) + 3, &[]),
        Kind::Literal(_) => (digits(width) + width / 4 + 9, &[]),
        Kind::Part(net, lo, step, variable) => {
            (net.name.len() + digits(*step) + variable.len() + digits(*lo) + digits(width) + 12, &[])
        }
        Kind::Number(variable, ..) => (variable.len() + 2 * (digits(width) + width / 4 + 9), &[]),
        Kind::Index(net, index) => (net.name.len() + 2, &[index]),
        Kind::Not(a) | Kind::Reduce(_, a) => (3, &[a]),
        Kind::Repeat(count, a) => (digits(*count) + 4, &[a]),
        Kind::Binary(Binary::LessSigned, a, b) => (22, &[a, b]),
        Kind::Binary(Binary::ShiftRightArithmetic | Binary::Product, a, b) => (36, &[a, b]),
        Kind::Binary(operator, a, b) => (if chains(*operator) { 7 } else { 8 }, &[a, b]),
        Kind::Mux(condition, a, b) => (12, &[condition, a, b]),
        Kind::Concat(parts) => {
            return parts.iter().fold(2, |sum: usize, part| sum.saturating_add(part.text_bound()).saturating_add(2));
        }
    };
    operands.iter().fold(symbols, |sum, operand| sum.saturating_add(operand.text_bound()))
}

pub(crate) fn flat(expr: &Expr) -> String {
    let mut line = Line::new(usize::MAX);
    line.expr(expr);
    line.text
}

/// Prints the expression on one line if it has at most `room` characters.
fn fitting(expr: &Expr, room: usize) -> Option<String> {
    let mut line = Line::new(room);
    line.expr(expr);
    (!line.is_over()).then_some(line.text)
}

/// Prints the expression for a message, shortened if it is long.
pub(crate) fn short(expr: &Expr) -> String {
    let mut line = Line::new(SHORT);
    line.expr(expr);
    if line.is_over() {
        line.text.truncate(SHORT);
        line.text += " ...";
    }
    line.text
}

/// A line that fails once it is longer than its limit.
struct Line {
    text: String,
    limit: usize,
}

impl Line {
    fn new(limit: usize) -> Self {
        Self { text: String::new(), limit }
    }

    fn is_over(&self) -> bool {
        self.text.len() > self.limit
    }

    fn expr(&mut self, expr: &Expr) {
        if self.is_over() {
            return;
        }
        match expr.kind() {
            Kind::Net(net) => self.text += net.printed(),
            Kind::Literal(_) if expr.width() == 0 => self.text += "<no bits>",
            Kind::Literal(value) => self.text += &literal(expr.width(), value),
            Kind::Slice(net, lo) if expr.width() == 1 => self.text += &format!("{}[{lo}]", net.printed()),
            Kind::Slice(net, lo) => self.text += &format!("{}[{}:{lo}]", net.printed(), lo + expr.width() - 1),
            Kind::Part(net, lo, step, variable) => {
                self.text += &part(net.printed(), [*lo, *step], variable, expr.width())
            }
            Kind::Number(variable, step, first) => self.text += &number(variable, step, first, expr.width()),
            Kind::Index(net, index) => {
                self.text += net.printed();
                self.enclosed("[", index, "]");
            }
            Kind::Not(a) => match (negated_compare(a), a.kind()) {
                (Some(symbol), Kind::Binary(Binary::LessSigned, a, b)) => self.signed(a, symbol, b),
                (Some(symbol), Kind::Binary(_, a, b)) => self.infix(a, symbol, b),
                (_, Kind::Reduce(..)) => self.enclosed("~", a, ""),
                _ => {
                    self.text += "~";
                    self.operand(a);
                }
            },
            Kind::Reduce(operator, a) => {
                self.text += reduce_symbol(*operator);
                self.reduced(a);
            }
            Kind::Binary(Binary::LessSigned, a, b) => self.signed(a, "<", b),
            // An unsigned operand elsewhere in the expression would turn a bare `>>>` into a logical shift.
            Kind::Binary(Binary::ShiftRightArithmetic, a, b) => {
                self.enclosed("$unsigned($signed(", a, ") >>> ");
                self.operand(b);
                self.text += ")";
            }
            Kind::Binary(Binary::Product, a, b) => {
                self.enclosed("$unsigned($signed(", a, ") * ");
                self.enclosed("$signed(", b, "))");
            }
            Kind::Binary(operator, a, b) => {
                self.chained(chains_left(*operator, a), a);
                self.text += &format!(" {} ", symbol(*operator));
                self.chained(chains_right(*operator, b), b);
            }
            Kind::Mux(condition, a, b) => {
                self.operand(condition);
                self.text += " ? ";
                self.operand(a);
                self.text += " : ";
                self.chained(matches!(b.kind(), Kind::Mux(..)), b);
            }
            Kind::Concat(parts) => {
                for (position, part) in parts.iter().enumerate() {
                    self.text += if position == 0 { "{" } else { ", " };
                    self.expr(part);
                }
                self.text += "}";
            }
            Kind::Repeat(count, part) => {
                self.text += &format!("{{{count}");
                match part.kind() {
                    Kind::Concat(_) => self.enclosed("", part, "}"),
                    _ => self.enclosed("{", part, "}}"),
                }
            }
        }
    }

    fn enclosed(&mut self, before: &str, expr: &Expr, after: &str) {
        self.text += before;
        self.expr(expr);
        self.text += after;
    }

    fn operand(&mut self, expr: &Expr) {
        self.chained(is_primary(expr), expr);
    }

    /// Prints an operand without parentheses if `bare`.
    fn chained(&mut self, bare: bool, expr: &Expr) {
        if bare || is_primary(expr) { self.expr(expr) } else { self.enclosed("(", expr, ")") }
    }

    /// Prints the operand of a reduction. A complement needs parentheses, because `^~a` is another operator.
    fn reduced(&mut self, expr: &Expr) {
        if matches!(expr.kind(), Kind::Not(_)) { self.enclosed("(", expr, ")") } else { self.operand(expr) }
    }

    fn infix(&mut self, a: &Expr, symbol: &str, b: &Expr) {
        self.operand(a);
        self.text += &format!(" {symbol} ");
        self.operand(b);
    }

    fn signed(&mut self, a: &Expr, symbol: &str, b: &Expr) {
        self.enclosed("$signed(", a, ") ");
        self.text += symbol;
        self.enclosed(" $signed(", b, ")");
    }
}

/// Returns the operator of the opposite comparison, if Verilog has one.
fn negated_compare(expr: &Expr) -> Option<&'static str> {
    match expr.kind() {
        Kind::Binary(Binary::Less | Binary::LessSigned, ..) => Some(">="),
        _ => None,
    }
}

/// Returns whether the expression needs no parentheses as an operand.
fn is_primary(expr: &Expr) -> bool {
    match expr.kind() {
        Kind::Net(_)
        | Kind::Literal(_)
        | Kind::Slice(..)
        | Kind::Index(..)
        | Kind::Part(..)
        | Kind::Number(..)
        | Kind::Concat(_)
        | Kind::Repeat(..)
        | Kind::Binary(Binary::ShiftRightArithmetic | Binary::Product, ..) => true,
        Kind::Not(a) => !matches!(a.kind(), Kind::Reduce(..)) && negated_compare(a).is_none(),
        Kind::Binary(..) | Kind::Reduce(..) | Kind::Mux(..) => false,
    }
}

fn chains_left(operator: Binary, left: &Expr) -> bool {
    let sum = |operator| matches!(operator, Binary::Add | Binary::Sub);
    matches!(left.kind(), Kind::Binary(inner, ..)
        if *inner == operator && chains(operator) || sum(*inner) && sum(operator))
}

fn chains_right(operator: Binary, right: &Expr) -> bool {
    let is_associative = chains(operator) && operator != Binary::Sub;
    matches!(right.kind(), Kind::Binary(inner, ..) if *inner == operator && is_associative)
}

/// Prints `head` and the expression behind it, with line breaks if necessary.
pub(crate) fn after(head: &str, expr: &Expr, indent: usize) -> String {
    let last_line = head.rsplit('\n').next().unwrap_or(head);
    let text = broken(expr, indent, last_line.len());
    let head = if text.starts_with('\n') { head.trim_end() } else { head };
    format!("{head}{text}")
}

/// Prints the expression at `indent` after `used` columns, with line breaks if necessary.
pub(crate) fn broken(expr: &Expr, indent: usize, used: usize) -> String {
    // The text needs room for an operator or a semicolon and for parentheses behind it.
    if let Some(text) = fitting(expr, (LINE - 5).saturating_sub(used)) {
        return text;
    }
    let inner = indent + 4;
    let newline = format!("\n{}", " ".repeat(inner));
    let two = |a: &Expr, symbol: &str, b: &Expr| {
        format!("{newline}{} {symbol}{newline}{}", nested(a, inner, inner), nested(b, inner, inner))
    };
    match expr.kind() {
        Kind::Mux(..) => {
            let mut arms = Vec::new();
            let mut rest = expr;
            while let Kind::Mux(condition, a, b) = rest.kind() {
                let condition = nested(condition, inner, inner);
                let column = inner + condition.rfind('\n').map_or(condition.len(), |last| condition.len() - last);
                arms.push(format!("{condition} ? {} :", nested(a, inner, column + 3)));
                rest = b;
            }
            arms.push(nested(rest, inner, inner));
            format!("{newline}{}", arms.join(&newline))
        }
        Kind::Binary(operator, ..) if chains(*operator) => {
            let mut terms = Vec::new();
            flatten(expr, "", &mut terms);
            let after = terms.iter().skip(1).map(|(symbol, _)| format!(" {symbol}")).chain([String::new()]);
            let items = terms.iter().zip(after).map(|((_, term), after)| nested(term, inner, inner + 4) + &after);
            format!("{newline}{}", filled(items, inner, "").join(&newline))
        }
        Kind::Binary(Binary::LessSigned, a, b) => signed(a, "<", b, indent),
        Kind::Binary(Binary::ShiftRightArithmetic, a, b) => {
            let (a, b) = (broken(a, inner, inner + 8), nested(b, inner, inner + 8));
            format!("$unsigned({newline}$signed({a}) >>>{newline}{b}\n{})", " ".repeat(indent))
        }
        Kind::Binary(Binary::Product, a, b) => {
            let (a, b) = (broken(a, inner, inner + 8), broken(b, inner, inner + 8));
            format!("$unsigned({newline}$signed({a}) *{newline}$signed({b})\n{})", " ".repeat(indent))
        }
        Kind::Binary(operator, a, b) => two(a, symbol(*operator), b),
        Kind::Concat(parts) => {
            let after = |position| if position + 1 < parts.len() { "," } else { "" };
            let items = parts.iter().enumerate();
            // The first line of a part continues the current line.
            let text = |part| broken(part, inner, inner + 4).trim_start().to_owned();
            let items = items.map(|(position, part)| text(part) + after(position));
            format!("{{{newline}{}\n{}}}", filled(items, inner, "").join(&newline), " ".repeat(indent))
        }
        Kind::Not(a) => match a.kind() {
            Kind::Binary(Binary::LessSigned, a, b) => signed(a, ">=", b, indent),
            Kind::Binary(Binary::Less, a, b) => two(a, ">=", b),
            Kind::Reduce(..) => format!("~{}", broken(a, indent, used + 1)),
            _ => format!("~{}", nested(a, indent, used + 1)),
        },
        Kind::Reduce(operator, a) => {
            let symbol = reduce_symbol(*operator);
            match a.kind() {
                Kind::Not(_) => format!("{symbol}({})", broken(a, indent, used + 2)),
                _ => format!("{symbol}{}", nested(a, indent, used + 1)),
            }
        }
        Kind::Repeat(count, part) => match part.kind() {
            Kind::Concat(_) => format!("{{{count}{}}}", broken(part, indent, used + 4)),
            _ => format!("{{{count}{{{}}}}}", broken(part, indent, used + 4)),
        },
        Kind::Net(_) | Kind::Literal(_) | Kind::Slice(..) | Kind::Index(..) | Kind::Part(..) | Kind::Number(..) => {
            flat(expr)
        }
    }
}

fn signed(a: &Expr, symbol: &str, b: &Expr, indent: usize) -> String {
    let inner = indent + 4;
    let newline = format!("\n{}", " ".repeat(inner));
    let (a, b) = (broken(a, inner, inner + 10), broken(b, inner, inner + 10));
    format!("{newline}$signed({a}) {symbol}{newline}$signed({b})")
}

fn nested(expr: &Expr, indent: usize, used: usize) -> String {
    if is_primary(expr) { broken(expr, indent, used) } else { format!("({})", broken(expr, indent, used + 1)) }
}

/// Collects the terms of a chain, each with the operator before it.
fn flatten<'a>(expr: &'a Expr, before: &'static str, terms: &mut Vec<(&'static str, &'a Expr)>) {
    let Kind::Binary(operator, a, b) = expr.kind() else { return };
    if chains_left(*operator, a) {
        flatten(a, before, terms)
    } else {
        terms.push((before, a))
    }
    let symbol = symbol(*operator);
    if chains_right(*operator, b) { flatten(b, symbol, terms) } else { terms.push((symbol, b)) }
}

/// Puts as many items on a line as fit, with `after` between items of one line.
pub(crate) fn filled(items: impl Iterator<Item = String>, indent: usize, after: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if !item.contains('\n') && indent + line.len() + after.len() + 1 + item.len() <= LINE - 5 => {
                *line += &format!("{after} {item}");
            }
            _ => lines.push(item),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
