//! Checks that a claim has what it needs.

use weft_config::{Base, Key, Unit};

use super::{Claim, Measure, Paper, Runs, Setup, Test};
use crate::commands::config;

/// Checks the names, tests and keys of a paper's claims. Returns the first mistake.
pub fn check(paper: &Paper, papers: &[Paper]) -> Result<(), String> {
    let all = || papers.iter().flat_map(|paper| &paper.claims);
    for claim in &paper.claims {
        let fail = |what: &str| Err(format!("{}: {what}", claim.id));
        if !claim.id.starts_with(&format!("{}.", paper.name)) {
            return fail("its id does not begin with the name of its paper");
        }
        if all().filter(|other| other.id == claim.id).count() > 1 {
            return fail("another claim has this id");
        }
        if [&claim.place, &claim.says].iter().any(|text| text.is_empty()) {
            return fail("it has no place or no statement");
        }
        if claim.tolerance.is_some_and(|tolerance| tolerance < 0.0)
            || claim.tolerance.is_some() && claim.value.is_none()
        {
            return fail("a tolerance is not negative, and belongs to a value");
        }
        check_test(claim).or_else(|what| fail(&what))?;
        check_measure(paper, claim).or_else(|what| fail(&what))?;
    }
    check_setups(paper)?;
    let mut named = paper.contradictions.iter().flat_map(|contradiction| &contradiction.claims);
    match named.find(|name| !all().any(|claim| claim.id == **name)) {
        Some(name) => Err(format!("a contradiction names the claim {name}, which does not exist")),
        None => Ok(()),
    }
}

/// Checks that no two setups of a unit in this tree are the same: the keys of one that was still to be built are missing.
fn check_setups(paper: &Paper) -> Result<(), String> {
    let is_there = |unit: &str| Unit::find(unit).is_ok();
    for (name, setup) in paper.setups.iter().filter(|(_, setup)| is_there(&setup.unit)) {
        let same = |other: &(&String, &Setup)| (&other.1.unit, &other.1.set) == (&setup.unit, &setup.set);
        if paper.setups.iter().filter(same).count() > 1 {
            return Err(format!("the setup {name} has the keys of another one"));
        }
    }
    Ok(())
}

/// Checks that the test has the value that it compares with, and that a measured claim gives reasons for a difference.
fn check_test(claim: &Claim) -> Result<(), String> {
    let measured = !matches!(claim.measure, Measure::None { .. });
    let needs_value = matches!(claim.test, Test::Near | Test::AtMost | Test::AtLeast);
    if measured && needs_value && claim.value.is_none() {
        return Err("its test needs a value".into());
    }
    if measured && claim.why.is_empty() {
        return Err("it has no reason for a difference".into());
    }
    Ok(())
}

fn check_measure(paper: &Paper, claim: &Claim) -> Result<(), String> {
    match &claim.measure {
        Measure::Runs(runs) => check_runs(paper, runs),
        Measure::None { reason } if reason.is_empty() => Err("it does not say why it is not decidable".into()),
        Measure::Stored { of, .. } if of.is_empty() => Err("it has no stored result".into()),
        Measure::Computed { sum, .. } if sum.is_empty() => Err("it has nothing to compute".into()),
        _ => Ok(()),
    }
}

fn check_runs(paper: &Paper, runs: &Runs) -> Result<(), String> {
    if paper.kernels_of(runs).is_empty() || runs.machines.is_empty() {
        return Err("it has no kernel or no machine".into());
    }
    for kernel in paper.kernels_of(runs) {
        kernels::find(&kernel).map_err(|error| error.to_string())?;
    }
    let setups = [Some(&runs.setup), runs.over.as_ref()];
    for name in setups.into_iter().flatten() {
        let setup = paper.setups.get(name).ok_or_else(|| format!("no setup {name}"))?;
        for machine in &runs.machines {
            let machine = paper.machines.get(machine).ok_or_else(|| format!("no machine {machine}"))?;
            // The keys of a unit that is still to be built are not known.
            if Unit::find(&setup.unit).is_ok() {
                config::of(&Base::default(), &setup.keys(machine)).map_err(|error| error.to_string())?;
            } else if let Some(key) = machine.set.iter().find(|key| key.split('=').next().and_then(Key::find).is_none())
            {
                return Err(format!("no key {key}"));
            }
        }
    }
    Ok(())
}
