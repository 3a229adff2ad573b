//! The modules of the cores of all divergence units, and the mutants drawn from each.

use std::collections::BTreeMap;

use super::bench::Bench;
use super::mutator::{self, Mutation};

/// A module in the core of a unit.
pub struct Form<'a> {
    pub bench: &'a Bench,
    pub module: &'a str,
    pub text: &'a str,
    /// The module, with the unit if it is not the first that has it.
    pub name: String,
    pub mutants: usize,
    pub drawn: Vec<Mutation>,
}

/// Every module in each of its forms, with up to `each` mutants drawn by this seed. For a later unit, only lines that
/// differ from earlier forms are mutated again.
pub fn of_all(benches: &[Bench], each: usize, seed: u64) -> Vec<Form<'_>> {
    let mut known: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut forms = Vec::new();
    for bench in benches {
        for (module, text) in bench.modules() {
            let is_first = !known.contains_key(module);
            let lines = known.entry(module).or_default();
            let mut drawn = mutator::all_mutations(text, seed);
            drawn.retain(|mutation| !lines.contains(&mutation.context()) && mutation.is_of_an_expression(text));
            lines.extend(text.lines().map(str::trim));
            if drawn.is_empty() {
                continue;
            }
            let name = if is_first { module.into() } else { format!("{module}, {}", bench.unit()) };
            let mutants = drawn.len();
            drawn.truncate(each);
            forms.push(Form { bench, module, text, name, mutants, drawn });
        }
    }
    forms
}

/// The forms of these modules, or the first name that is not a module.
pub fn named<'a>(forms: Vec<Form<'a>>, modules: &[&str]) -> Result<Vec<Form<'a>>, String> {
    let names = || forms.iter().map(|form| form.module);
    for module in modules {
        if !names().any(|name| name == *module) {
            let hint = weft_config::nearest(module, names());
            let hint = hint.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"));
            return Err(format!("no core has a module `{module}`{hint}"));
        }
    }
    Ok(forms.into_iter().filter(|form| modules.is_empty() || modules.contains(&form.module)).collect())
}
