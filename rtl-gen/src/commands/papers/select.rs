//! Which claims are examined: all, those of `--quick`, or those that `--claims` names.

use weft_config::nearest;

use super::claims::{Claim, Paper};
use crate::error::RequestError;

/// Returns the claims of a request with their papers, in the order of the report.
pub fn select<'a>(
    papers: &'a [Paper],
    patterns: &[String],
    quick: bool,
) -> Result<Vec<(&'a Paper, &'a Claim)>, RequestError> {
    let all = || papers.iter().flat_map(|paper| paper.claims.iter().map(move |claim| (paper, claim)));
    for pattern in patterns {
        if !all().any(|(_, claim)| matches(pattern, &claim.id)) {
            return Err(unknown(pattern, papers));
        }
    }
    let is_named = |claim: &Claim| patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, &claim.id));
    let chosen: Vec<_> = all().filter(|(_, claim)| is_named(claim) && (!quick || claim.quick)).collect();
    if chosen.is_empty() {
        let message = format!("--claims {}: --quick has none of these claims; leave it out", patterns.join(","));
        return Err(RequestError::new("unknown-claim", message));
    }
    Ok(chosen)
}

fn unknown(pattern: &str, papers: &[Paper]) -> RequestError {
    let names = papers.iter().map(|paper| paper.name.as_str());
    let ids = papers.iter().flat_map(|paper| paper.claims.iter().map(|claim| claim.id.as_str()));
    let hint = match nearest(pattern, names.clone().chain(ids)) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("the papers are {}; weft papers --list names all claims", names.collect::<Vec<_>>().join(", ")),
    };
    RequestError::new("unknown-claim", format!("--claims: no claim `{pattern}`; {hint}"))
}

/// Returns whether a pattern names a claim: its id, the beginning of its id up to a dot, or either with `*` for any text.
fn matches(pattern: &str, id: &str) -> bool {
    let parents = id.char_indices().filter(|(_, letter)| *letter == '.').map(|(at, _)| &id[..at]);
    parents.chain([id]).any(|name| glob(pattern, name))
}

fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => {
            let Some(rest) = text.strip_prefix(before) else { return false };
            (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| glob(after, &rest[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_claims() {
        let id = "dual-path.figure-13.mean";
        for yes in [id, "dual-path", "dual-path.figure-13", "*figure-13*", "dual*mean", "*"] {
            assert!(matches(yes, id), "{yes}");
        }
        for no in ["dual", "figure-13", "dual-path.figure-1", "*figure-12*", "dual-path.figure-13.mean.more", ""] {
            assert!(!matches(no, id), "{no}");
        }
    }

    #[test]
    fn an_unknown_claim_is_refused_with_the_nearest() {
        let papers = super::super::claims::all().expect("claims");
        let id = &papers[1].claims[0].id;
        let error = select(&papers, &[format!("{id}x")], false).expect_err("no claim").to_string();
        assert!(error.ends_with(&format!("did you mean `{id}`?")), "{error}");
        let error = select(&papers, &["zzzzzzzz".into()], false).expect_err("no claim").to_string();
        assert!(error.contains("the papers are simty, dual-path, warp-formation, minority-first;"), "{error}");
        assert!(select(&papers, &["dual-path".into()], false).is_ok_and(|claims| claims.len() > 10));
        let quick = select(&papers, &[], true).expect("claims").len();
        assert!(quick > 3 && quick < select(&papers, &[], false).expect("claims").len());
    }
}
