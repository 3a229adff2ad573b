//! What became of mutants, kept in the build cache: by the core, the mutant and the tools, and where no program found it, by
//! all programs.
//!
//! The bench and the golden model are not in the key: their changes are for finding more, and `weft cache clean` forgets all.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tools::Tool;
use tools::cache::{Cache, CacheError, Key};

use super::forms::Form;
use super::mutator::Mutation;

/// Part of every key: to be changed with anything that decides otherwise on the same programs.
const RULES: &str = "1";

/// What becomes of a mutant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A program finds it: the name of the case, and what is told of it.
    Found { case: String, failure: String },
    /// Yosys proves it equal to the original.
    Equivalent,
    /// All programs end as they must, in other cycles: by what part all together take longer.
    OtherCycles(f64),
    /// Nothing of that.
    Missed,
}

/// The verdicts on the mutants of one form of a module.
pub struct Kept<'a> {
    form: &'a Form<'a>,
    cache: Cache,
    /// The core and the tools.
    core: Key,
    programs: Key,
}

impl<'a> Kept<'a> {
    /// Where they are.
    pub fn of(cache: Cache, form: &'a Form<'a>) -> Self {
        let tools = [Tool::Verilator, Tool::Yosys].map(|tool| {
            let path = tools::find(tool).unwrap_or_else(|error| panic!("{error}"));
            tools::version(tool, &path).unwrap_or_else(|error| panic!("{error}"))
        });
        let core = code(&form.bench.verilog(None));
        let core = Key::of([RULES, &core, form.module].into_iter().chain(tools.iter().map(String::as_str)));
        Self { form, cache, core, programs: Key::of(form.bench.cases().map(Key::as_str)) }
    }

    /// The verdict on this mutant, if there is one that still holds.
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

    /// Keeps it.
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

    /// Of what holds whatever further programs there are, and of what all programs together say.
    fn keys(&self, mutation: &Mutation) -> [Key; 2] {
        let mutant = code(&mutation.apply(self.form.text));
        let of_core = Key::of([self.core.as_str(), &mutant]);
        let of_programs = Key::of([of_core.as_str(), self.programs.as_str()]);
        [of_core, of_programs]
    }
}

/// Verilog without the comments of whole lines: the head of each module, which has the version of Weft, and remarks.
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
