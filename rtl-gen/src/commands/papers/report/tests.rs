use super::*;
use crate::commands::papers::claims::{self, Quantity};
use crate::commands::papers::verdict::Test;

#[test]
fn values_as_text() {
    let expected = [
        (Quantity::Change, 1.149, "+14.9 %"),
        (Quantity::Change, 0.989, "−1.1 %"),
        (Quantity::Change, 1.0, "0.0 %"),
        (Quantity::Change, 0.9999, "0.0 %"),
        (Quantity::Percent, 0.827, "82.7 %"),
        (Quantity::Factor, 1.0667, "1.07"),
        (Quantity::Count("bits".into()), 160.0, "160 bits"),
        (Quantity::Count("mm²".into()), 2.471, "2.471 mm²"),
    ];
    for (kind, value, text) in expected {
        assert_eq!(formatted(&kind, value), text);
    }
}

/// The findings of all claims, each with this value over the published one.
fn findings(papers: &[Paper], factor: f64) -> Findings<'_> {
    let all = papers.iter().flat_map(|paper| paper.claims.iter().map(move |claim| (paper, claim)));
    let findings = all.map(|chosen| {
        let value = chosen.1.value.map(|value| value * factor);
        Finding::new(chosen, Measured { value, ..Measured::default() })
    });
    Findings { papers, findings: findings.collect(), identity: json!({}), failed: Vec::new(), steps: 0 }
}

#[test]
fn a_verdict_follows_from_the_value_alone() {
    let papers = claims::all().expect("claims");
    let same = findings(&papers, 1.0);
    let with_value = same.findings.iter().filter(|finding| finding.claim.value.is_some()).count();
    let shown = same.count(|verdict| verdict == Verdict::Shown);
    assert_eq!(shown, with_value, "the published values show their own claims");
    let other = findings(&papers, 3.0);
    // Three times a small value may be within a tolerance of two points.
    let decided = |finding: &&Finding| {
        let Claim { value, tolerance, test, .. } = finding.claim;
        value.is_some_and(|value| tolerance.unwrap_or(0.0) < 2.0 * value) && *test != Test::AtLeast
    };
    for finding in other.findings.iter().filter(decided) {
        // Without a tolerance a direction has no size.
        let has_size = finding.claim.tolerance.is_some() || !finding.claim.test.has_direction();
        assert!(finding.verdict.is_refuted() || !has_size, "{}", finding.claim.id);
    }
}

#[test]
fn the_first_page_has_contradictions_of_the_texts_and_of_the_core() {
    let papers = claims::all().expect("claims");
    let (same, other) = (findings(&papers, 1.0), findings(&papers, 3.0));
    let of_texts = papers.iter().flat_map(|paper| &paper.contradictions).filter(|one| !one.if_refuted).count();
    assert_eq!(same.contradictions().len(), of_texts);
    assert!(other.contradictions().len() > of_texts);
    let page = markdown(&other);
    let first = page.find("## Where the papers contradict each other").expect("the first page");
    assert!(first < page.find(&format!("## {}", papers[0].title)).expect("a section"));
    for paper in &papers {
        assert!(page.contains(&format!("## {}", paper.title)));
        assert!(paper.claims.iter().all(|claim| page.contains(&format!("### `{}`", claim.id))));
    }
}

/// The keys of an object and of the objects in it, with the kind of each value.
fn schema(value: &Value, indent: usize, text: &mut String) {
    let pad = "  ".repeat(indent);
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            let kind = match value {
                Value::Object(_) => "object",
                Value::Array(_) => "array",
                Value::String(_) => "text",
                Value::Number(_) => "number",
                Value::Bool(_) => "boolean",
                Value::Null => "null",
            };
            *text += &format!("{pad}{key}: {kind}\n");
            schema(value, indent + 1, text);
        }),
        Value::Array(list) => {
            if let Some(first) = list.first() {
                schema(first, indent, text);
            }
        }
        _ => {}
    }
}

#[test]
fn the_schema_of_the_report() {
    let papers = claims::all().expect("claims");
    let mut findings = findings(&papers, 3.0);
    findings.findings[0].measured.points = vec![("gpu".into(), "gcd".into(), 1.5)];
    let excluded = crate::commands::papers::plan::Excluded { kernel: "spin_lock".into(), why: "it hangs".into() };
    findings.findings[0].measured.excluded = vec![excluded];
    findings.failed = vec![("run/x".into(), "it failed".into())];
    let mut text = String::new();
    schema(&findings.object(), 0, &mut text);
    insta::assert_snapshot!(text);
}
