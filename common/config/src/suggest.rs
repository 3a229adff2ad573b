//! "Did you mean": the nearest valid choice by edit distance.

use crate::table::KEYS;

/// Returns the nearest candidate if it is close enough to be a typing error.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&given, candidate), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance <= tolerance(&given, candidate))
        .map(|(_, candidate)| candidate)
}

/// Returns "did you mean …", or else a text, such as the whole list.
pub fn did_you_mean<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    nearest(given, candidates).map_or_else(otherwise, |candidate| format!("did you mean `{candidate}`?"))
}

pub(crate) fn hint_among(given: &str, plural: &str, candidates: &[&str]) -> String {
    did_you_mean(given, candidates.iter().copied(), || format!("the {plural} are {}", enumerate(candidates)))
}

/// Returns the likely key for an unknown one, or the keys of its table.
pub(crate) fn hint_for_key(given: &str) -> String {
    let names = || KEYS.iter().map(|key| key.name);
    let (table, leaf) = split(given);
    let of_table = || names().filter(|name| !table.is_empty() && split(name).0 == table);
    let near_in_table = nearest(leaf, of_table().map(|name| split(name).1))
        .and_then(|leaf| of_table().find(|name| split(name).1 == leaf));
    let same_leaf = names().find(|name| split(name).1 == leaf);
    // In the right table only the leaf counts: `isa.f` is as near to `isa.m` as to `isa.a`.
    let near = || {
        let candidates = names().filter(|name| split(name).0 != table || nearest(leaf, [split(name).1]).is_some());
        nearest(given, candidates)
    };
    let near_leaf = || {
        let leaf = nearest(leaf, names().map(|name| split(name).1))?;
        names().find(|name| split(name).1 == leaf)
    };
    let may_be_meant = |name: &str| split(name).0 == table || of_table().next().is_none();
    let part_of = || names().find(|name| may_be_meant(name) && leaf.len() >= 3 && split(name).1.contains(leaf));
    if let Some(name) = near_in_table.or(same_leaf).or_else(near).or_else(near_leaf).or_else(part_of) {
        return format!("did you mean `{name}`?");
    }
    let in_table: Vec<&str> = of_table().collect();
    if in_table.is_empty() {
        format!("the keys are {}", enumerate(&names().collect::<Vec<_>>()))
    } else {
        format!("the keys of [{table}] are {}", enumerate(&in_table))
    }
}

/// Splits a dotted key into its table (empty at the top) and its last part.
pub(crate) fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}

fn tolerance(given: &str, candidate: &str) -> usize {
    let shorter = given.chars().count().min(candidate.chars().count());
    (shorter / 3).max(1).min(shorter.saturating_sub(1))
}

fn enumerate(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
