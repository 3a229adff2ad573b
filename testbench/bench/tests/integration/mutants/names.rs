//! Names of mutations: the assigned target, the change, and which of several occurrences it is.
//!
//! A name does not depend on the layout of the Verilog: white space, line breaks, comments and other assignments do
//! not matter.

use std::ops::Range;

use super::mutator::{self, Mutation};

/// The target of each statement of a module.
pub struct Names<'a> {
    text: &'a str,
    tokens: Vec<Range<usize>>,
    /// The target of each token's statement, if that is an assignment.
    targets: Vec<Option<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub target: String,
    /// All statements that assign it, each on one line.
    pub statements: String,
}

impl<'a> Names<'a> {
    pub fn of(text: &'a str) -> Self {
        let tokens = tokens(text);
        let words: Vec<_> = tokens.iter().map(|token| &text[token.clone()]).collect();
        let targets = targets(&words);
        Self { text, tokens, targets }
    }

    /// The name of a mutation: `` `target`: `original` becomes `replacement` (1 of 2) ``.
    ///
    /// The target is a net, a register, a memory or `instance.port`; for the condition of an `if` it is the first
    /// target under it.
    /// The occurrences are those of the original in the statements of the target, from left to right, mutated there
    /// or not.
    pub fn name(&self, mutation: &Mutation) -> String {
        self.named(mutation).name
    }

    pub fn all(&self) -> Vec<Named> {
        mutator::possible(self.text).iter().map(|mutation| self.named(mutation)).collect()
    }

    fn named(&self, mutation: &Mutation) -> Named {
        let Range { start, end } = mutation.range();
        let [first, after] = [start, end].map(|at| self.tokens.partition_point(|token| token.start < at));
        let target =
            self.targets[first].as_ref().unwrap_or_else(|| panic!("no target: {}", mutation.describe(self.text)));
        let is_place = |at: &usize| (0..after - first).all(|next| self.is_same(at + next, first + next));
        let places: Vec<_> = (0..self.tokens.len()).filter(is_place).collect();
        let place = 1 + places.iter().position(|at| *at == first).expect("the original is at its own place");
        let [original, replacement] = [&self.text[start..end], mutation.replacement()].map(on_one_line);
        let name = format!("`{target}`: `{original}` becomes `{replacement}` ({place} of {})", places.len());
        Named { name, target: target.clone(), statements: self.statements(target) }
    }

    /// Whether two tokens are the same word in statements of one target.
    fn is_same(&self, token: usize, other: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map(|token| &self.text[token.clone()]);
        word(token) == word(other) && self.targets[token] == self.targets[other]
    }

    fn statements(&self, target: &str) -> String {
        let tokens = self.tokens.iter().zip(&self.targets).filter(|(_, of)| of.as_deref() == Some(target));
        joined(self.text, tokens.map(|(token, _)| token.clone()))
    }
}

fn on_one_line(text: &str) -> String {
    joined(text, tokens(text))
}

/// Tokens on one line: one space for any white space between them, none inside brackets.
fn joined(text: &str, tokens: impl IntoIterator<Item = Range<usize>>) -> String {
    let (mut line, mut end) = (String::new(), 0);
    for token in tokens {
        let word = &text[token.clone()];
        let is_inner = line.ends_with(['(', '[', '{']) || [")", "]", "}", ",", ";"].contains(&word);
        if token.start > end && !line.is_empty() && !is_inner {
            line.push(' ');
        }
        line += word;
        end = token.end;
    }
    line
}

/// Names, constants, strings and operators, without white space, comments and attributes.
fn tokens(text: &str) -> Vec<Range<usize>> {
    const OPERATORS: [&str; 9] = [">>>", "<=", ">=", "==", "!=", "<<", ">>", "&&", "||"];
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || ['_', '$', '`'].contains(&letter);
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let until = |end: &str| rest[1..].find(end).map_or(rest.len(), |found| 1 + found + end.len());
        let (length, is_token) = match first {
            _ if first.is_whitespace() => (first.len_utf8(), false),
            _ if rest.starts_with("//") => (until("\n"), false),
            _ if rest.starts_with("(* ") => (until("*)"), false),
            '"' => (until("\""), true),
            _ if is_word(first) => {
                let is_part =
                    |letter: char| is_word(letter) || (first.is_ascii_digit() && ['\'', '?'].contains(&letter));
                (rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()), true)
            }
            _ => {
                let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
                (operator.map_or(first.len_utf8(), |operator| operator.len()), true)
            }
        };
        if is_token {
            tokens.push(at..at + length);
        }
        at += length;
    }
    tokens
}

fn targets(words: &[&str]) -> Vec<Option<String>> {
    let mut targets = vec![None; words.len()];
    // The conditions of `if`s without an assignment so far.
    let mut conditions = Vec::new();
    let mut at = words.iter().position(|word| *word == "module").map_or(words.len(), |module| end(words, module, ";"));
    while at < words.len() && words[at] != "endmodule" {
        let start = at;
        at = match words[start] {
            "always" | "begin" | "end" | "else" | "generate" | "endgenerate" | "default" | "endcase" | "," => start + 1,
            // The name of a block.
            ":" if words[start - 1] == "begin" => start + 2,
            ":" => start + 1,
            "@" | "for" | "casez" => end(words, start, ")"),
            // A row of a `casez`.
            literal if literal.starts_with(|letter: char| letter.is_ascii_digit()) => start + 1,
            "if" => {
                at = end(words, start, ")");
                conditions.push(start..at);
                at
            }
            _ => end(words, start, ";"),
        };
        let statement = &words[start..at];
        if let [_, instance, "(", ".", ..] = statement {
            let mut port = start + 3;
            while words[port] == "." {
                let end = end(words, port, ")");
                targets[port..end].fill(Some(format!("{instance}.{}", words[port + 1])));
                port = end + usize::from(words[end] == ",");
            }
        } else if let Some(target) = target(statement) {
            conditions.push(start..at);
            for range in conditions.drain(..) {
                targets[range].fill(Some(target.to_owned()));
            }
        }
    }
    targets
}

fn target<'a>(statement: &[&'a str]) -> Option<&'a str> {
    let is_keyword = |word: &str| ["assign", "wire", "reg", "signed", "["].contains(&word);
    let mut at = 0;
    while is_keyword(statement.get(at)?) {
        at = if statement[at] == "[" { end(statement, at, "]") } else { at + 1 };
    }
    let assigns = statement.iter().any(|word| ["=", "<="].contains(word));
    (assigns && statement.last() == Some(&";")).then(|| statement[at])
}

/// The index after the first such word outside brackets opened since `start`, or closing the last of them.
fn end(words: &[&str], start: usize, word: &str) -> usize {
    let mut depth = 0;
    for (at, found) in words.iter().enumerate().skip(start) {
        match *found {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 && *found == word {
            return at + 1;
        }
    }
    words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "// a & b\nmodule m (\n    input wire clk\n);\n    (* style = \"x; y\" *)\n    \
                          reg  [3:0] rows [0:2];\n    wire [1:0] a = b & (|c) & ~d;\n    leaf leaf_0 (\n        \
                          .x   (~a),\n        .y   (b ? ~a : 4'h1)\n    );\n    always @(posedge clk) begin\n        \
                          if (e & f) begin\n            g <= ~d[2:0] & h;\n            rows[g] <= b ? c : d;\n        \
                          end else begin\n            if (f) begin\n                rows[f] <= c == d;\n            \
                          end\n        end\n    end\n    assign b = c;\nendmodule\n\n`default_nettype wire\n";

    fn names(text: &str) -> Vec<String> {
        let mut names: Vec<_> = Names::of(text).all().into_iter().map(|named| named.name).collect();
        names.sort();
        names
    }

    #[test]
    fn a_name_is_of_a_target_a_change_and_a_place() {
        let expected = [
            "`a`: `&` becomes `|` (1 of 2)",
            "`a`: `&` becomes `|` (2 of 2)",
            "`a`: `(|` becomes `(&` (1 of 1)",
            "`a`: `~` becomes `` (1 of 1)",
            "`g`: `&` becomes `|` (1 of 2)",
            "`g`: `&` becomes `|` (2 of 2)",
            "`g`: `if (` becomes `if (!` (1 of 1)",
            "`g`: `~` becomes `` (1 of 1)",
            "`g`: `~d[2:0] & h` becomes `g` (1 of 1)",
            "`leaf_0.x`: `~` becomes `` (1 of 1)",
            "`leaf_0.y`: `4'h1` becomes `4'd0` (1 of 1)",
            "`leaf_0.y`: `b` becomes `!(b)` (1 of 1)",
            "`leaf_0.y`: `~` becomes `` (1 of 1)",
            "`rows`: `==` becomes `!=` (1 of 1)",
            "`rows`: `b ? c : d` becomes `rows[g]` (1 of 1)",
            "`rows`: `b` becomes `!(b)` (1 of 1)",
            "`rows`: `c == d` becomes `rows[f]` (1 of 1)",
            "`rows`: `if (` becomes `if (!` (1 of 1)",
        ];
        assert_eq!(names(MODULE), expected);
    }

    #[test]
    fn the_layout_does_not_matter() {
        let changed = MODULE
            .replace(" & ", " &\n            ")
            .replace(" ? ", " ? // this\n    ")
            .replace(" : ", " :\n   ")
            .replace("(|", "(\n        |")
            .replace("  .", "        .")
            .replace("   (", " (")
            .replace("    if", " if")
            .replace("<= ", "<=\n                ");
        assert_ne!(changed, MODULE);
        assert_eq!(names(&changed), names(MODULE));
        assert_eq!(names(&changed.replace("e &", "e & // that\n")), names(MODULE));
    }

    #[test]
    fn what_is_assigned_elsewhere_does_not_matter() {
        let longer = MODULE.replace("    assign", "    wire i = ~d & ~h;\n    assign");
        let others = names(&longer).into_iter().filter(|name| !name.starts_with("`i`"));
        assert_eq!(others.collect::<Vec<_>>(), names(MODULE));
    }

    #[test]
    fn all_statements_of_the_target_are_there() {
        let names = Names::of(MODULE);
        let of = |target: &str| names.all().into_iter().find(|named| named.target == target).unwrap().statements;
        assert_eq!(of("rows"), "rows[g] <= b ? c : d; if (f) rows[f] <= c == d;");
        assert_eq!(of("leaf_0.y"), ".y (b ? ~a : 4'h1)");
    }
}
