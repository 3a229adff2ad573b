//! Expressions as Verilog text: inline where they fit a line, broken by structure where they do not.

use num_bigint::BigUint;

use crate::expr::{Binary, Compare, Expr, Kind, Reduce, Shift};

/// Longest line that is not broken.
const LINE: usize = 110;

pub(crate) fn binary_symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Add => "+",
        Binary::Sub => "-",
    }
}

pub(crate) fn compare_symbol(operator: Compare) -> &'static str {
    match operator {
        Compare::Equal => "==",
        Compare::NotEqual => "!=",
        Compare::Less | Compare::LessSigned => "<",
    }
}

/// A literal in the shortest form that keeps its width.
pub(crate) fn literal(width: usize, value: &BigUint) -> String {
    if width == 1 {
        format!("1'b{value}")
    } else if width > 32 && value.count_ones() as usize == width {
        format!("{{{width}{{1'b1}}}}")
    } else if *value < BigUint::from(10u8) {
        format!("{width}'d{value}")
    } else {
        format!("{width}'h{value:x}")
    }
}

/// `[7:0] `, or nothing for one bit.
pub(crate) fn range(width: usize) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

/// The expression on one line.
pub(crate) fn flat(expr: &Expr) -> String {
    match expr.kind() {
        Kind::Net(net) => net.name.clone(),
        Kind::Literal(_) if expr.width() == 0 => "<no bits>".to_owned(),
        Kind::Literal(value) => literal(expr.width(), value),
        Kind::Slice(net, lo) if expr.width() == 1 => format!("{}[{lo}]", net.name),
        Kind::Slice(net, lo) => format!("{}[{}:{lo}]", net.name, lo + expr.width() - 1),
        Kind::Index(net, index) => format!("{}[{}]", net.name, flat(index)),
        Kind::Not(a) => format!("~{}", operand(a)),
        Kind::Reduce(operator, a) => {
            let symbol = match operator {
                Reduce::All => "&",
                Reduce::Any => "|",
                Reduce::Parity => "^",
            };
            format!("{symbol}{}", operand(a))
        }
        Kind::Binary(operator, a, b) => {
            format!("{} {} {}", chained(*operator, a), binary_symbol(*operator), right(*operator, b))
        }
        Kind::Compare(Compare::LessSigned, a, b) => format!("$signed({}) < $signed({})", flat(a), flat(b)),
        Kind::Compare(operator, a, b) => format!("{} {} {}", operand(a), compare_symbol(*operator), operand(b)),
        Kind::Shift(Shift::Left, a, b) => format!("{} << {}", operand(a), operand(b)),
        Kind::Shift(Shift::Right, a, b) => format!("{} >> {}", operand(a), operand(b)),
        // An unsigned operand elsewhere in the expression would turn a bare `>>>` into a logical shift.
        Kind::Shift(Shift::RightArithmetic, a, b) => {
            format!("$unsigned($signed({}) >>> {})", flat(a), operand(b))
        }
        Kind::Mux(condition, a, b) => format!("{} ? {} : {}", operand(condition), operand(a), mux_tail(b)),
        Kind::Concat(parts) => format!("{{{}}}", parts.iter().map(flat).collect::<Vec<_>>().join(", ")),
        Kind::Repeat(count, part) => match part.kind() {
            Kind::Concat(_) => format!("{{{count}{}}}", flat(part)),
            _ => format!("{{{count}{{{}}}}}", flat(part)),
        },
    }
}

/// Whether the text of the expression needs no parentheses as an operand.
fn is_primary(expr: &Expr) -> bool {
    matches!(
        expr.kind(),
        Kind::Net(_)
            | Kind::Literal(_)
            | Kind::Slice(..)
            | Kind::Index(..)
            | Kind::Not(_)
            | Kind::Concat(_)
            | Kind::Repeat(..)
            | Kind::Shift(Shift::RightArithmetic, ..)
    )
}

fn operand(expr: &Expr) -> String {
    if is_primary(expr) { flat(expr) } else { format!("({})", flat(expr)) }
}

/// The left operand of a chain of one operator, without parentheses of its own.
fn chained(operator: Binary, expr: &Expr) -> String {
    match expr.kind() {
        Kind::Binary(inner, ..) if *inner == operator => flat(expr),
        _ => operand(expr),
    }
}

fn right(operator: Binary, expr: &Expr) -> String {
    match expr.kind() {
        Kind::Binary(inner, ..) if *inner == operator && is_associative(operator) => flat(expr),
        _ => operand(expr),
    }
}

fn is_associative(operator: Binary) -> bool {
    matches!(operator, Binary::And | Binary::Or | Binary::Xor | Binary::Add)
}

fn mux_tail(expr: &Expr) -> String {
    match expr.kind() {
        Kind::Mux(..) => flat(expr),
        _ => operand(expr),
    }
}

/// The expression as it stands after `used` columns at `indent`, broken over lines if it must be.
pub(crate) fn broken(expr: &Expr, indent: usize, used: usize) -> String {
    let text = flat(expr);
    if used + text.len() <= LINE {
        return text;
    }
    let pad = " ".repeat(indent + 4);
    let newline = format!("\n{pad}");
    match expr.kind() {
        Kind::Mux(..) => {
            let mut arms = Vec::new();
            let mut rest = expr;
            while let Kind::Mux(condition, a, b) = rest.kind() {
                let head = format!("{} ? ", operand(condition));
                arms.push(format!("{head}{} :", nested(a, indent + 4, indent + 4 + head.len())));
                rest = b;
            }
            arms.push(nested(rest, indent + 4, indent + 4));
            format!("{newline}{}", arms.join(&newline))
        }
        Kind::Binary(operator, ..) if is_associative(*operator) => {
            let mut terms = Vec::new();
            flatten(*operator, expr, &mut terms);
            let symbol = binary_symbol(*operator);
            let lines = filled(
                terms.iter().map(|term| nested(term, indent + 4, indent + 8)),
                &format!(" {symbol}"),
                indent + 4,
            );
            format!("{newline}{}", lines.join(&newline))
        }
        Kind::Concat(parts) => {
            let lines = filled(parts.iter().map(|part| broken(part, indent + 4, indent + 8)), ",", indent + 4);
            format!("{{{newline}{}\n{}}}", lines.join(&newline), " ".repeat(indent))
        }
        Kind::Not(a) => format!("~{}", nested(a, indent, used + 1)),
        Kind::Repeat(count, part) if !matches!(part.kind(), Kind::Concat(_)) => {
            format!("{{{count}{{{}}}}}", broken(part, indent, used + 4))
        }
        Kind::Reduce(Reduce::Any, a) => format!("|{}", nested(a, indent, used + 1)),
        Kind::Reduce(Reduce::All, a) => format!("&{}", nested(a, indent, used + 1)),
        _ => text,
    }
}

fn nested(expr: &Expr, indent: usize, used: usize) -> String {
    if is_primary(expr) { broken(expr, indent, used) } else { format!("({})", broken(expr, indent, used + 1)) }
}

fn flatten<'a>(operator: Binary, expr: &'a Expr, terms: &mut Vec<&'a Expr>) {
    match expr.kind() {
        Kind::Binary(inner, a, b) if *inner == operator => {
            flatten(operator, a, terms);
            flatten(operator, b, terms);
        }
        _ => terms.push(expr),
    }
}

/// Puts as many items on a line as fit, a separator after each but the last.
fn filled(items: impl Iterator<Item = String>, separator: &str, indent: usize) -> Vec<String> {
    let items: Vec<String> = items.collect();
    let mut lines: Vec<String> = Vec::new();
    let last = items.len().saturating_sub(1);
    for (position, item) in items.into_iter().enumerate() {
        let item = if position < last { item + separator } else { item };
        match lines.last_mut() {
            Some(line) if !item.contains('\n') && indent + line.len() + 1 + item.len() <= LINE => {
                line.push(' ');
                line.push_str(&item);
            }
            _ => lines.push(item),
        }
    }
    lines
}
