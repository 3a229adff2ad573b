//! Mutants that no program can find, with reasons: `explained.json`, by module and change.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde::Deserialize;

use super::names::Named;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    pub module: String,
    /// The unit of the core, if the reason holds for one alone.
    pub unit: Option<String>,
    /// The changes, as named by [`Names::name`](super::names::Names::name).
    pub mutants: Vec<String>,
    pub reason: String,
}

pub fn all() -> &'static [Explanation] {
    static ALL: OnceLock<Vec<Explanation>> = OnceLock::new();
    ALL.get_or_init(|| serde_json::from_str(include_str!("explained.json")).unwrap())
}

impl Explanation {
    fn is_of(&self, unit: &str, module: &str) -> bool {
        self.module == module && self.unit.as_ref().is_none_or(|of| of == unit)
    }
}

pub fn reason(unit: &str, module: &str, mutant: &str) -> Option<String> {
    let explains = |explanation: &&Explanation| {
        explanation.is_of(unit, module) && explanation.mutants.iter().any(|explained| explained == mutant)
    };
    all().iter().find(explains).map(|explanation| explanation.reason.clone())
}

pub struct Known<'a> {
    pub unit: &'a str,
    pub module: &'a str,
    pub mutants: Vec<Named>,
}

/// Errors in explanations of mutants of these modules: each must name one existing change, and name it once.
pub fn problems(explanations: &[Explanation], known: &[Known<'_>]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for explanation in explanations {
        let Explanation { module, unit, mutants, reason } = explanation;
        if reason.is_empty() {
            problems.push(format!("{module}: no reason for {mutants:?}"));
        }
        for mutant in mutants {
            if !seen.insert((module, unit, mutant)) {
                problems.push(format!("{module}: {mutant} is explained twice"));
            }
            let forms: Vec<_> = known.iter().filter(|known| explanation.is_of(known.unit, known.module)).collect();
            problems.extend(problem(mutant, &forms).map(|problem| format!("{module}: {problem}")));
        }
    }
    problems
}

fn problem(mutant: &str, forms: &[&Known<'_>]) -> Option<String> {
    let all = || forms.iter().flat_map(|form| form.mutants.iter().map(|named| (form.unit, named)));
    let found: Vec<_> = all().filter(|(_, named)| named.name == mutant).collect();
    let list = |lines: BTreeSet<String>| lines.into_iter().map(|line| format!("\n    {line}")).collect::<String>();
    match &found[..] {
        [] if forms.is_empty() => Some("there is no such module any more".into()),
        [] => {
            let is_of_target = |named: &Named| mutant.starts_with(&format!("`{}`: ", named.target));
            let others =
                list(all().filter(|(_, named)| is_of_target(named)).map(|(_, named)| named.name.clone()).collect());
            let others = if others.is_empty() { " none".into() } else { others };
            Some(format!("there is no mutant {mutant} any more; of the same target there are:{others}"))
        }
        [(_, first), others @ ..] if others.iter().any(|(_, other)| !is_same_change(first, other)) => {
            let lines = found.iter().map(|(unit, named)| format!("{unit}: {}", named.statements));
            Some(format!("{mutant} is a mutant of different statements:{}", list(lines.collect())))
        }
        _ => None,
    }
}

/// Whether two mutants of one name change the same statements, except for indices: the forms of a module differ in
/// widths.
fn is_same_change(one: &Named, other: &Named) -> bool {
    let [one, other] = [one, other].map(|named| {
        let mut depth = 0;
        let is_outside = |letter: &char| {
            depth += i32::from(*letter == '[') - i32::from(*letter == ']');
            depth == 0
        };
        named.statements.chars().filter(is_outside).collect::<String>()
    });
    one == other
}

#[cfg(test)]
mod tests {
    use super::super::names::Names;
    use super::*;

    fn problems_of(mutants: &[&str], forms: [&str; 2]) -> Vec<String> {
        problems_with(None, mutants, forms)
    }

    fn problems_with(unit: Option<&str>, mutants: &[&str], forms: [&str; 2]) -> Vec<String> {
        let texts = forms.map(|form| format!("module m (\n    input wire a\n);\n{form}endmodule\n"));
        let known: Vec<_> = ["first", "second"]
            .iter()
            .zip(&texts)
            .map(|(unit, text)| Known { unit, module: "m", mutants: Names::of(text).all() })
            .collect();
        let mutants = mutants.iter().map(|mutant| (*mutant).to_owned()).collect();
        problems(
            &[Explanation { module: "m".into(), unit: unit.map(str::to_owned), mutants, reason: "why".into() }],
            &known,
        )
    }

    #[test]
    fn an_explanation_is_of_one_mutant() {
        let [wide, narrow] = ["    wire b = ~a & c;\n", "    wire b = ~a &\n        c;\n    wire d = ~e;\n"];
        assert_eq!(
            problems_of(&["`b`: `&` becomes `|` (1 of 1)", "`d`: `~` becomes `` (1 of 1)"], [wide, narrow]),
            [""; 0]
        );
        assert_eq!(
            problems_of(&["`b`: `&` becomes `|` (2 of 2)"], [wide, narrow]),
            ["m: there is no mutant `b`: `&` becomes `|` (2 of 2) any more; of the same target there are:\n    \
              `b`: `&` becomes `|` (1 of 1)\n    `b`: `~` becomes `` (1 of 1)"]
        );
        assert_eq!(
            problems_of(&["`f`: `~` becomes `` (1 of 1)"], [wide, narrow]),
            ["m: there is no mutant `f`: `~` becomes `` (1 of 1) any more; of the same target there are: none"]
        );
        let twice = ["`b`: `~` becomes `` (1 of 1)"; 2];
        assert_eq!(problems_of(&twice, [wide, narrow]), ["m: `b`: `~` becomes `` (1 of 1) is explained twice"]);
    }

    #[test]
    fn forms_of_other_widths_have_the_same_mutants() {
        let forms = ["    wire [1:0] b = ~a[1:0];\n", "    wire [2:0] b = ~a[2:0];\n"];
        assert_eq!(problems_of(&["`b`: `~` becomes `` (1 of 1)"], forms), [""; 0]);
    }

    #[test]
    fn a_name_that_is_ambiguous_is_refused() {
        let forms = ["    wire b = ~a & c;\n", "    wire b = a & ~c;\n"];
        assert_eq!(
            problems_of(&["`b`: `~` becomes `` (1 of 1)"], forms),
            ["m: `b`: `~` becomes `` (1 of 1) is a mutant of different statements:\n    \
              first: wire b = ~a & c;\n    second: wire b = a & ~c;"]
        );
        assert_eq!(problems_with(Some("second"), &["`b`: `~` becomes `` (1 of 1)"], forms), [""; 0]);
        assert_eq!(
            problems_with(Some("third"), &["`b`: `~` becomes `` (1 of 1)"], forms),
            ["m: there is no such module any more"]
        );
    }
}
