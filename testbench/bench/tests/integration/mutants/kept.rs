//! Verdicts on mutants in the build cache. The key is the core, the mutant and the tools; if no program found the
//! mutant, also all programs.
//!
//! Bench and golden model are not in the key: their changes are meant to find more, and `weft cache clean` removes
//! all verdicts.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tools::Tool;
use tools::cache::{Cache, CacheError, Key};

use super::forms::Form;
use super::mutator::Mutation;

/// Part of every key: change it with anything that changes verdicts on the same programs.
const RULES: &str = "1";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A program finds it: the name of the case, and the failure.
    Found { case: String, failure: String },
    /// Yosys proves it equivalent to the original.
    Equivalent,
    /// All programs have the right outcome in other cycles: the increase of their sum, as a share.
    OtherCycles(f64),
    /// None of these.
    Missed,
}

pub struct Kept<'a> {
    form: &'a Form<'a>,
    cache: Cache,
    core: Key,
    programs: Key,
}

impl<'a> Kept<'a> {
    pub fn of(cache: Cache, form: &'a Form<'a>) -> Self {
        let tools = [Tool::Verilator, Tool::Yosys].map(|tool| {
            let path = tools::find(tool).unwrap_or_else(|error| panic!("{error}"));
            tools::version(tool, &path).unwrap_or_else(|error| panic!("{error}"))
        });
        let core = code(&form.bench.verilog(None));
        let core = Key::of([RULES, &core, form.module].into_iter().chain(tools.iter().map(String::as_str)));
        Self { form, cache, core, programs: Key::of(form.bench.cases().map(Key::as_str)) }
    }

    pub fn get(&self, mutation: &Mutation) -> Option<Verdict> {
        let holds = |verdict: &Verdict| match verdict {
            Verdict::Found { case, .. } => self.form.bench.cases().any(|key| key.as_str() == case),
            Verdict::Equivalent | Verdict::OtherCycles(_) | Verdict::Missed => true,
        };
        self.keys(mutation).into_iter().find_map(|key| {
            let file = self.cache.find("mutants", &key)?.join("verdict.json");
            serde_json::from_str(&fs::read_to_string(file).ok()?).ok().filter(holds)
        })
    }

    pub fn put(&self, mutation: &Mutation, verdict: &Verdict) {
        let text = serde_json::to_string(verdict).unwrap();
        let [of_core, of_programs] = self.keys(mutation);
        let needs_all = matches!(verdict, Verdict::OtherCycles(_) | Verdict::Missed);
        let key = if needs_all || self.cache.find("mutants", &of_core).is_some() { of_programs } else { of_core };
        let write = |folder: &Path| {
            fs::write(folder.join("verdict.json"), &text).unwrap();
            Ok::<_, CacheError>(())
        };
        self.cache.entry("mutants", &key, write).unwrap_or_else(|error| panic!("{error}"));
    }

    /// The key of verdicts that hold for any further programs, and that of verdicts of all programs together.
    fn keys(&self, mutation: &Mutation) -> [Key; 2] {
        let mutant = code(&mutation.apply(self.form.text));
        let of_core = Key::of([self.core.as_str(), &mutant]);
        let of_programs = Key::of([of_core.as_str(), self.programs.as_str()]);
        [of_core, of_programs]
    }
}

/// Verilog without whole-line comments, which include the version of Weft in the head of each module.
fn code(text: &str) -> String {
    let lines: Vec<_> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_do_not_count() {
        assert_eq!(code("// Weft 1\nmodule m;\n    // why\n    wire a; // b\n"), "module m;\n    wire a; // b");
    }
}
