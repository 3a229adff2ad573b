//! Mutants that no program can find, and why: `explained.json`, by module and by what is changed.

use std::sync::OnceLock;

use serde::Deserialize;

/// Mutants of a module that one reason explains.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// The module, in all of its forms.
    pub module: String,
    /// What is changed, as [`Mutation::name`](super::mutator::Mutation::name) says it.
    pub mutants: Vec<String>,
    /// Why no program can find it.
    pub reason: String,
}

/// All of them.
pub fn all() -> &'static [Explanation] {
    static ALL: OnceLock<Vec<Explanation>> = OnceLock::new();
    ALL.get_or_init(|| serde_json::from_str(include_str!("explained.json")).unwrap())
}

/// Why no program can find a mutant, if that is known.
pub fn reason(module: &str, mutant: &str) -> Option<String> {
    let explains = |explanation: &&Explanation| {
        explanation.module == module && explanation.mutants.iter().any(|explained| explained == mutant)
    };
    all().iter().find(explains).map(|explanation| explanation.reason.clone())
}
