//! Small changes to Verilog text: operators, constants, conditions, negations, multiplexers, assignments.

use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    at: usize,
    length: usize,
    replacement: String,
    /// Line number in the module, from 1.
    line: usize,
    /// Column in the line, from 1.
    column: usize,
    context: String,
    /// Whether it may be drawn: an operator split across lines may not.
    is_drawn: bool,
}

impl Mutation {
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.at], self.replacement, &text[self.at + self.length..])
    }

    /// Whether it changes an expression alone, so that a core can have it as a variant.
    pub fn is_of_an_expression(&self, text: &str) -> bool {
        verilate::differs_in_expressions(text, &self.apply(text))
    }

    pub fn range(&self) -> Range<usize> {
        self.at..self.at + self.length
    }

    pub fn replacement(&self) -> &str {
        &self.replacement
    }

    pub fn context(&self) -> &str {
        &self.context
    }

    /// The change and its position, for messages. For a stable name see [`Names`](super::names::Names).
    pub fn describe(&self, text: &str) -> String {
        let original = &text[self.at..self.at + self.length];
        let Self { line, column, replacement, context, .. } = self;
        format!("{line}:{column}: `{original}` becomes `{replacement}` in `{context}`")
    }
}

const OPERATORS: [(&str, &str); 12] = [
    (" & ", " | "),
    (" | ", " & "),
    (" ^ ", " | "),
    (" == ", " != "),
    (" != ", " == "),
    (" + ", " - "),
    (" - ", " + "),
    (" < ", " >= "),
    ("(|", "(&"),
    ("(&", "(|"),
    ("if (", "if (!"),
    ("~", ""),
];

/// Mutations of single operators and constants of a module. Their order depends on `seed` and, for each, on its kind
/// and line alone, so that a change of one line keeps the order of the others.
pub fn mutations(text: &str, seed: u64) -> Vec<Mutation> {
    ordered(text, seed, small(text))
}

/// The same with mutations that swap a multiplexer's inputs or keep a register's value.
pub fn all_mutations(text: &str, seed: u64) -> Vec<Mutation> {
    ordered(text, seed, possible(text))
}

/// All of these, including those that are not drawn: they are the same in every layout.
pub fn possible(text: &str) -> Vec<Mutation> {
    let mut found = small(text);
    let places = places(text);
    for Range { start, end } in verilate::expressions(text).into_iter().filter(|range| places.contains(&range.start)) {
        for at in places.iter().filter(|at| (start..end).contains(at)) {
            let Some((_, is_split)) = matched(text, *at, " ? ") else { continue };
            let condition = condition(text, start, *at);
            let inverted = format!("!({})", &text[condition.clone()]);
            let swapped = mutation(text, condition.start, condition.len(), inverted);
            found.push(Mutation { is_drawn: !is_split, ..swapped });
        }
        if let Some(before) = text[..start].trim_end().strip_suffix(" <=") {
            let kept = mutation(text, start, end - start, register(before).into());
            found.push(Mutation { is_drawn: !text[before.len()..start].contains('\n'), ..kept });
        }
    }
    found
}

fn register(text: &str) -> &str {
    let mut depth = 0;
    let mut starts_before = |letter: char| {
        depth += i32::from([']', '}', ')'].contains(&letter)) - i32::from(['[', '{', '('].contains(&letter));
        depth == 0 && letter.is_whitespace()
    };
    &text[text.rfind(&mut starts_before).map_or(0, |at| at + 1)..]
}

/// The condition of the multiplexer whose question mark follows `end`, in an expression that starts at `start`.
fn condition(text: &str, start: usize, end: usize) -> Range<usize> {
    let mut depth = 0;
    for (at, letter) in text[start..end].char_indices().rev() {
        match letter {
            '(' | '[' | '{' | ',' | ':' if depth == 0 => {
                let at = start + at + 1;
                let spaces = text[at..end].find(|letter: char| !letter.is_whitespace()).unwrap_or(0);
                return at + spaces..end;
            }
            '(' | '[' | '{' => depth -= 1,
            ')' | ']' | '}' => depth += 1,
            _ => {}
        }
    }
    start..end
}

fn small(text: &str) -> Vec<Mutation> {
    let mut found = Vec::new();
    for at in places(text) {
        for (operator, replacement) in OPERATORS {
            if let Some((length, is_split)) = matched(text, at, operator) {
                found.push(Mutation { is_drawn: !is_split, ..mutation(text, at, length, replacement.into()) });
            }
        }
        if let Some((length, replacement)) = flipped_constant(text, at) {
            found.push(mutation(text, at, length, replacement));
        }
    }
    // The head of a loop is not hardware: a changed one may not end.
    found.retain(|mutation| !mutation.context.starts_with("for ("));
    found
}

/// The length of an operator that starts here, and whether a line end splits it.
fn matched(text: &str, at: usize, operator: &str) -> Option<(usize, bool)> {
    let mut rest = &text[at..];
    if rest.starts_with(operator) {
        return Some((operator.len(), false));
    }
    let starts = match operator.strip_prefix(' ') {
        Some(_) => rest.starts_with(char::is_whitespace) && !text[..at].ends_with(char::is_whitespace),
        None => rest.starts_with(&operator[..1]),
    };
    if !starts {
        return None;
    }
    for sign in operator.chars() {
        let trimmed = rest.trim_start();
        rest = match sign {
            ' ' => Some(trimmed).filter(|trimmed| trimmed.len() < rest.len())?,
            _ => trimmed.strip_prefix(sign)?,
        };
    }
    let length = text[at..].len() - rest.len();
    text[at..at + length].contains('\n').then_some((length, true))
}

fn ordered(text: &str, seed: u64, mut found: Vec<Mutation>) -> Vec<Mutation> {
    found.retain(|mutation| mutation.is_drawn);
    found.sort_by_cached_key(|mutation| {
        let part = &text[mutation.at..mutation.at + mutation.length];
        order(seed, &[part, &mutation.replacement, &mutation.context, &mutation.column.to_string()])
    });
    found
}

fn mutation(text: &str, at: usize, length: usize, replacement: String) -> Mutation {
    let line = text[..at].matches('\n').count() + 1;
    let column = at - text[..at].rfind('\n').map_or(0, |newline| newline + 1) + 1;
    let context = text.lines().nth(line - 1).unwrap_or_default().trim().to_owned();
    Mutation { at, length, replacement, line, column, context, is_drawn: true }
}

/// Positions in logic. Excluded are comments, attributes, port declarations, indices, the wire for unused inputs, and
/// reset values: the core works for some time after reset before it fetches, which heals most of those.
fn places(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let (mut depth, mut start) = (0, 0);
    let (mut in_ports, mut in_reset) = (false, false);
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        let trimmed = code.trim();
        in_ports |= code.starts_with("module ");
        in_reset &= !trimmed.starts_with("end");
        let is_logic = !trimmed.starts_with("(*") && !trimmed.starts_with("wire unused = ");
        let reset_value = if trimmed.starts_with("if (rst) ") { code.find(" <= ") } else { None };
        for (offset, byte) in code.bytes().enumerate() {
            depth += i32::from(byte == b'[') - i32::from(byte == b']');
            if depth == 0 && !in_ports && !in_reset && is_logic && reset_value.is_none_or(|value| offset < value) {
                places.push(start + offset);
            }
        }
        in_ports &= !code.starts_with(");");
        in_reset |= trimmed == "if (rst) begin";
        start += line.len();
    }
    places
}

/// A sized constant that starts here: its length, and the constant with its lowest bit flipped.
fn flipped_constant(text: &str, at: usize) -> Option<(usize, String)> {
    let before = text[..at].bytes().next_back()?;
    if before.is_ascii_alphanumeric() || before == b'_' || before == b'\'' {
        return None;
    }
    let (size, rest) = text[at..].split_once('\'').filter(|(size, _)| !size.is_empty() && size.len() < 4)?;
    size.parse::<u32>().ok()?;
    let radix = match rest.chars().next()? {
        'd' => 10,
        'h' => 16,
        'b' => 2,
        _ => return None,
    };
    let digits: String = rest[1..].chars().take_while(char::is_ascii_alphanumeric).collect();
    // The rows of a `casez` are not values.
    if rest[1 + digits.len()..].starts_with(['_', '?']) {
        return None;
    }
    let value = u64::from_str_radix(&digits, radix).ok()? ^ 1;
    Some((size.len() + 2 + digits.len(), format!("{size}'d{value}")))
}

/// A seeded sort key. FNV-1a, 64 bits: stable, unlike the standard library's hasher.
pub fn order(seed: u64, parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    seed.to_le_bytes()
        .into_iter()
        .chain(bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "// a & b\nmodule m (\n    input wire [3:0] a\n);\n    (* style = \"x\" *)\n    \
                          wire b = a[1 + 0] & (|a);\n    wire c = a == 4'd6;\n    always @(posedge clk) begin\n        if (rst) begin\n            \
                          d <= 1'b0;\n        end else begin\n            d <= 1'b1;\n        end\n    end\nendmodule\n";

    #[test]
    fn mutations_change_logic_and_nothing_else() {
        let mut changed: Vec<_> = mutations(MODULE, 1).iter().map(|mutation| mutation.describe(MODULE)).collect();
        changed.sort();
        let expected = [
            "12:18: `1'b1` becomes `1'd0` in `d <= 1'b1;`",
            "6:22: ` & ` becomes ` | ` in `wire b = a[1 + 0] & (|a);`",
            "6:25: `(|` becomes `(&` in `wire b = a[1 + 0] & (|a);`",
            "7:15: ` == ` becomes ` != ` in `wire c = a == 4'd6;`",
            "7:19: `4'd6` becomes `4'd7` in `wire c = a == 4'd6;`",
            "9:9: `if (` becomes `if (!` in `if (rst) begin`",
        ];
        assert_eq!(changed, expected);
    }

    #[test]
    fn multiplexers_and_registers_are_mutated_too() {
        let text = "module m (\n    input wire a\n);\n    wire b = c & (d[1 ? 0 : 1] ? e : f ? g : h);\n    \
                    always @(posedge a) begin\n        rows[c] <= d ? {e, f | g ? b : c} : h;\n    end\nendmodule\n";
        let one_by_one = mutations(text, 1);
        let further: Vec<_> =
            all_mutations(text, 1).into_iter().filter(|mutation| !one_by_one.contains(mutation)).collect();
        let mut changed: Vec<_> =
            further.iter().map(|mutation| format!("{} -> {}", &text[mutation.range()], mutation.replacement)).collect();
        changed.sort();
        let expected = [
            "d -> !(d)",
            "d ? {e, f | g ? b : c} : h -> rows[c]",
            "d[1 ? 0 : 1] -> !(d[1 ? 0 : 1])",
            "f -> !(f)",
            "f | g -> !(f | g)",
        ];
        assert_eq!(changed, expected);
    }

    #[test]
    fn what_the_end_of_a_line_splits_is_possible_but_not_drawn() {
        let text = "module m (\n    input wire a\n);\n    wire b = c &\n        (d ? e : f ?\n        g : (\n            |h));\n    \
                    always @(posedge a) begin\n        rows[c] <=\n            d;\n    end\nendmodule\n";
        let changed = |mutation: &Mutation| format!("{} -> {}", &text[mutation.range()], mutation.replacement);
        let drawn: Vec<_> = all_mutations(text, 1).iter().map(changed).collect();
        assert_eq!(drawn, ["d -> !(d)"]);
        let split: Vec<_> = possible(text).iter().filter(|mutation| !mutation.is_drawn).map(changed).collect();
        assert_eq!(split, [" &\n         ->  | ", "(\n            | -> (&", "f -> !(f)", "d -> rows[c]"]);
    }

    #[test]
    fn the_order_depends_on_the_seed_and_survives_changes_elsewhere() {
        let replacements = |text: &str, seed| {
            mutations(text, seed).into_iter().map(|mutation| mutation.replacement).collect::<Vec<_>>()
        };
        let longer = MODULE.replace("    wire c", "    wire e = a[3];\n    wire c");
        assert_eq!(replacements(MODULE, 1), replacements(&longer, 1));
        assert!((2..20).any(|seed| replacements(MODULE, seed) != replacements(MODULE, 1)));
    }

    #[test]
    fn a_mutation_is_applied_in_its_place() {
        for mutation in mutations(MODULE, 1) {
            let mutant = mutation.apply(MODULE);
            let differing = mutant.lines().zip(MODULE.lines()).filter(|(a, b)| a != b).count();
            assert_eq!(differing, 1);
        }
    }
}
