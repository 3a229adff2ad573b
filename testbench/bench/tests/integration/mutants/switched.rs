//! A core with many mutants of one module, selected by an additional input: one build for all of them.

use std::fmt::Write;
use std::ops::Range;

use super::mutator::Mutation;

/// The additional input of every module: the number of the mutant, from 1 on; 0 selects the original.
pub const INPUT: &str = "weft_mutant";
pub const BITS: usize = 16;

/// The whole core of these modules, as names and texts, with selectable mutations in one of them.
///
/// # Panics
///
/// If a mutation is not inside one of the [`expressions`].
pub fn core(modules: &[(&str, &str)], module: &str, mutations: &[Mutation]) -> String {
    let names: Vec<&str> = modules.iter().map(|(name, _)| *name).collect();
    let text = |(name, text): &(&str, &str)| {
        let text = if *name == module { selecting(text, mutations) } else { (*text).to_owned() };
        with_input(&text, &names)
    };
    modules.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Adds the input, from the top through every instance.
fn with_input(text: &str, names: &[&str]) -> String {
    let mut result = String::new();
    for line in text.lines() {
        let _ = writeln!(result, "{line}");
        let Some(opened) = line.strip_suffix(" (") else { continue };
        match opened.split_whitespace().collect::<Vec<_>>()[..] {
            ["module", _] => {
                let _ = writeln!(result, "    input wire [{}:0] {INPUT},", BITS - 1);
            }
            [module, _] if names.contains(&module) => {
                let _ = writeln!(result, "        .{INPUT} ({INPUT}),");
            }
            _ => {}
        }
    }
    result
}

/// A module in which each mutated expression is selected among its forms. All forms have the width of the original,
/// so the code around them is unaffected.
fn selecting(text: &str, mutations: &[Mutation]) -> String {
    let mut result = text.to_owned();
    for region in expressions(text).into_iter().rev() {
        let mut chosen = String::new();
        for (index, mutation) in mutations.iter().enumerate().filter(|(_, mutation)| within(mutation, &region)) {
            let mutant = mutation.apply(text);
            let end = mutant.len() - (text.len() - region.end);
            let _ = write!(chosen, "{INPUT} == {BITS}'d{} ? ({}) : ", index + 1, &mutant[region.start..end]);
        }
        if !chosen.is_empty() {
            result.replace_range(region.clone(), &format!("({chosen}({}))", &text[region]));
        }
    }
    let placed = mutations.iter().all(|mutation| can_be_selected(text, mutation));
    assert!(placed, "a mutation outside of expressions");
    result
}

/// Whether a mutation lies inside an expression.
pub fn can_be_selected(text: &str, mutation: &Mutation) -> bool {
    expressions(text).iter().any(|region| within(mutation, region))
}

/// It may also be in the `if (` before it: text inserted after that is in the expression.
fn within(mutation: &Mutation, region: &Range<usize>) -> bool {
    let Range { start, end } = mutation.range();
    (region.start <= start || region.start == end) && end <= region.end
}

/// Positions of expressions from left to right: right sides of assignments, conditions, connections of instances.
pub fn expressions(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = text.find("\n);").map_or(text.len(), |end| end + 1);
    while start < text.len() {
        let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let code = text[start..line_end].split("//").next().unwrap_or_default();
        let trimmed = code.trim_start();
        let behind = |sign: &str| {
            let spaced = |at: &usize| code[at + sign.len()..].chars().next().is_none_or(char::is_whitespace);
            code.match_indices(sign).map(|(at, _)| at).find(spaced).map(|at| at + sign.len())
        };
        let begins = if trimmed.starts_with("(*") {
            None
        } else if trimmed.starts_with('.') {
            code.find('(').map(|at| (at + 1, ')'))
        } else if let Some(at) = code.find("if (") {
            Some((at + "if (".len(), ')'))
        } else {
            [" <=", " ="].into_iter().filter_map(behind).min().map(|at| (at, ';'))
        };
        start = match begins {
            None => line_end + 1,
            Some((at, closing)) => {
                let spaces = text[start + at..].find(|letter: char| !letter.is_whitespace()).unwrap_or(0);
                let at = start + at + spaces;
                let end = closed(text, at, closing);
                found.push(at..end);
                let line_end = text[end..].find('\n').map_or(text.len(), |length| end + length);
                // A short statement is on the line of its condition.
                if text[end..line_end].ends_with(';') && closing == ')' { end } else { line_end + 1 }
            }
        };
    }
    found
}

fn closed(text: &str, at: usize, closing: char) -> usize {
    let mut depth = 0;
    for (offset, letter) in text[at..].char_indices() {
        match letter {
            _ if depth == 0 && letter == closing => return at + offset,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::super::mutator::all_mutations;
    use super::*;

    const TOP: &str = "module top (\n    input wire a,\n    output wire b\n);\n    leaf leaf_0 (\n        .a (a),\n        \
                       .b (b)\n    );\nendmodule\n";
    const LEAF: &str = "module leaf (\n    input wire a,\n    output wire b\n);\n    // if (this = that)\n    \
                        wire [1:0] c =\n        {a, // of it\n         ~a};\n    reg d;\n    other other_0 (\n        \
                        .e (~(a == b)),\n        .f (b)\n    );\n    always @(posedge a) begin\n        \
                        if (a & (b | d)) begin\n            d <= c[0] ? a : b;\n        end\n    end\n    \
                        assign b = d;\nendmodule\n";

    #[test]
    fn expressions_are_right_sides_and_conditions() {
        let found: Vec<_> = expressions(LEAF).into_iter().map(|range| &LEAF[range]).collect();
        let expected = ["{a, // of it\n         ~a}", "~(a == b)", "b", "a & (b | d)", "c[0] ? a : b", "d"];
        assert_eq!(found, expected);
    }

    #[test]
    fn every_mutant_is_selected_by_its_number() {
        let mutations = all_mutations(LEAF, 1);
        let core = core(&[("top", TOP), ("leaf", LEAF)], "leaf", &mutations);
        assert_eq!(core.matches("    input wire [15:0] weft_mutant,\n").count(), 2);
        assert_eq!(core.matches("        .weft_mutant (weft_mutant),\n").count(), 1);
        for (index, mutation) in mutations.iter().enumerate() {
            let mutant = mutation.apply(LEAF);
            let differing =
                expressions(&mutant).into_iter().zip(expressions(LEAF)).find_map(|(mutant_range, range)| {
                    (mutant[mutant_range.clone()] != LEAF[range]).then(|| mutant[mutant_range].to_owned())
                });
            let expected = format!("weft_mutant == 16'd{} ? ({})", index + 1, differing.unwrap());
            assert!(core.contains(&expected), "{expected}\n{core}");
        }
    }
}
