//! Several variants of a core in one model, selected by an additional input: one build for all of them.
//!
//! Variants are texts that differ from the original in expressions alone: right sides of assignments, conditions,
//! connections of instances. All forms of an expression have the width of the original, so the code around them is
//! unaffected.

use std::collections::HashSet;
use std::fmt::Write;
use std::ops::Range;

/// The additional input of every module: the number of the variant, from 1 on; 0 selects the original.
pub(super) const INPUT: &str = "weft_variant";
pub(super) const BITS: usize = 16;

/// The original in which the given variants are selectable, and for each variant its number, or `None` if it differs
/// in more than expressions.
pub(super) fn selectable(original: &str, variants: &[String]) -> (String, Vec<Option<usize>>) {
    let regions = expressions(original);
    let mut forms = vec![String::new(); regions.len()];
    let mut last = 0;
    let numbers = variants.iter().map(|variant| {
        let differing = differing(original, &regions, variant)?;
        last += 1;
        for (region, form) in differing {
            let _ = write!(forms[region], "{INPUT} == {BITS}'d{last} ? ({form}) : ");
        }
        Some(last)
    });
    let numbers: Vec<_> = numbers.collect();
    let mut text = original.to_owned();
    for (region, forms) in regions.into_iter().zip(forms).rev().filter(|(_, forms)| !forms.is_empty()) {
        text.replace_range(region.clone(), &format!("({forms}({}))", &original[region]));
    }
    (with_input(&text), numbers)
}

/// Whether `variant` differs from `original` in expressions alone.
pub fn differs_in_expressions(original: &str, variant: &str) -> bool {
    differing(original, &expressions(original), variant).is_some()
}

/// The expressions that differ, as their numbers and new forms; `None` if anything else does.
fn differing<'a>(original: &str, regions: &[Range<usize>], variant: &'a str) -> Option<Vec<(usize, &'a str)>> {
    let others = expressions(variant);
    if others.len() != regions.len() {
        return None;
    }
    let (mut end, mut other_end, mut found) = (0, 0, Vec::new());
    for (number, (region, other)) in regions.iter().zip(others).enumerate() {
        if original[end..region.start] != variant[other_end..other.start] {
            return None;
        }
        if original[region.clone()] != variant[other.clone()] {
            found.push((number, &variant[other.clone()]));
        }
        (end, other_end) = (region.end, other.end);
    }
    (original[end..] == variant[other_end..]).then_some(found)
}

/// Adds the input, from the top through every instance.
fn with_input(text: &str) -> String {
    let opened = |line: &str| {
        let mut words = line.strip_suffix(" (")?.split_whitespace().map(str::to_owned);
        let two = (words.next()?, words.next()?);
        words.next().is_none().then_some(two)
    };
    let heads = text.lines().filter_map(opened).filter(|(keyword, _)| keyword == "module");
    let modules: HashSet<String> = heads.map(|(_, name)| name).collect();
    let mut result = String::with_capacity(text.len());
    for line in text.lines() {
        result.push_str(line);
        result.push('\n');
        let Some((first, _)) = opened(line) else { continue };
        if first == "module" {
            let _ = writeln!(result, "    input wire [{}:0] {INPUT},", BITS - 1);
        } else if modules.contains(&first) {
            let _ = writeln!(result, "        .{INPUT} ({INPUT}),");
        }
    }
    result
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
        // The head of a loop is not hardware.
        let begins = if trimmed.starts_with("(*") || trimmed.starts_with("for (") {
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
mod tests;
