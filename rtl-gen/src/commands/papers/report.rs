//! The report: the findings as one JSON object, and as Markdown.

mod format;
mod markdown;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::SCHEMA;
use super::claims::{Claim, Contradiction, Mean, Measure, Paper, Quantity};
use super::measured::Measured;
use super::verdict::{self, Verdict};

pub use format::value as formatted;
pub use markdown::markdown;

/// A claim with our value and the verdict.
pub struct Finding<'a> {
    pub paper: &'a Paper,
    pub claim: &'a Claim,
    pub measured: Measured,
    pub verdict: Verdict,
}

impl<'a> Finding<'a> {
    pub fn new((paper, claim): (&'a Paper, &'a Claim), measured: Measured) -> Self {
        let verdict = verdict::of(claim.test, claim.value, claim.tolerance, measured.value);
        Self { paper, claim, measured, verdict }
    }

    /// Why there is no value, or why ours may differ; nothing for what is shown.
    pub fn reason(&self) -> Option<&str> {
        match self.verdict {
            Verdict::Shown => None,
            Verdict::NotDecidable => Some(self.measured.reason.as_deref().unwrap_or("it has no finite value")),
            Verdict::Refuted | Verdict::RefutedInSize => Some(&self.claim.why),
        }
    }

    /// The commands that give our value.
    fn commands(&self) -> Vec<String> {
        let own = format!("weft papers --claims {} --out DIR", self.claim.id);
        [own].into_iter().chain(self.measured.commands.iter().cloned()).collect()
    }

    /// Returns whether the claim is measured on this machine of its paper.
    fn uses(&self, machine: &str) -> bool {
        self.machines().iter().any(|name| name == machine)
    }

    fn machines(&self) -> &[String] {
        match &self.claim.measure {
            Measure::Runs(runs) => &runs.machines,
            _ => &[],
        }
    }

    /// Formats the value of one kernel. Differences between machines are differences of ratios.
    fn point(&self, own: f64) -> String {
        let kind = if self.machines().len() > 1 { &Quantity::Factor } else { &self.claim.unit };
        match (&self.claim.measure, kind) {
            (Measure::Runs(runs), _) if runs.mean == Mean::Gaining => format::value(&Quantity::Change, own),
            (_, kind) => format::value(kind, own),
        }
    }

    fn object(&self) -> Value {
        let Self { paper, claim, measured, verdict } = self;
        let points = measured
            .points
            .iter()
            .map(|(machine, kernel, value)| json!({ "machine": machine, "kernel": kernel, "value": value }));
        let excluded = measured.excluded.iter().map(|one| json!({ "kernel": one.kernel, "why": one.why }));
        json!({
            "id": claim.id,
            "paper": paper.name,
            "place": claim.place,
            "says": claim.says,
            "unit": claim.unit,
            "test": claim.test,
            "published": claim.value,
            "tolerance": claim.tolerance,
            "ours": measured.value,
            "verdict": verdict,
            "reason": self.reason(),
            "commands": self.commands(),
            "kernels": points.collect::<Vec<_>>(),
            "excluded": excluded.collect::<Vec<_>>(),
        })
    }
}

/// A contradiction of a paper with the findings on it.
struct Contradicted<'a> {
    paper: &'a Paper,
    one: &'a Contradiction,
    findings: Vec<&'a Finding<'a>>,
}

/// All findings of a report.
pub struct Findings<'a> {
    pub papers: &'a [Paper],
    pub findings: Vec<Finding<'a>>,
    /// `weft`, `tools` and `request`.
    pub identity: Value,
    /// Steps without a result, with the reason.
    pub failed: Vec<(String, String)>,
    pub steps: usize,
}

impl Findings<'_> {
    pub fn count(&self, is: impl Fn(Verdict) -> bool) -> usize {
        self.findings.iter().filter(|finding| is(finding.verdict)).count()
    }

    fn find(&self, id: &str) -> Option<&Finding<'_>> {
        self.findings.iter().find(|finding| finding.claim.id == id)
    }

    /// Returns the contradictions of which all measured claims are in the report, each with its findings. One with our
    /// core is left out unless a claim is refuted.
    fn contradictions(&self) -> Vec<Contradicted<'_>> {
        let all = self.papers.iter().flat_map(|paper| paper.contradictions.iter().map(move |one| (paper, one)));
        let with_findings = all.filter_map(|(paper, one)| {
            let findings = one.claims.iter().map(|id| self.find(id)).collect::<Option<Vec<_>>>()?;
            let seen = findings.iter().any(|finding| finding.verdict.is_refuted());
            (seen || !one.if_refuted).then_some(Contradicted { paper, one, findings })
        });
        with_findings.collect()
    }

    /// Returns the findings with the opposite direction of a claim.
    fn opposite(&self) -> Vec<&Finding<'_>> {
        let is = |finding: &&Finding<'_>| finding.verdict == Verdict::Refuted && finding.claim.test.has_direction();
        self.findings.iter().filter(is).collect()
    }

    /// The content of `report.json`.
    pub fn object(&self) -> Value {
        let contradiction = |Contradicted { paper, one, findings }: Contradicted| {
            let claims: Vec<&str> = findings.iter().map(|finding| finding.claim.id.as_str()).collect();
            json!({ "paper": paper.name, "says": one.says, "claims": claims })
        };
        json!({
            "schema": SCHEMA,
            "weft": self.identity["weft"],
            "tools": self.identity["tools"],
            "request": self.identity["request"],
            "counts": self.counts(),
            "contradictions": self.contradictions().into_iter().map(contradiction).collect::<Vec<_>>(),
            "claims": self.findings.iter().map(Finding::object).collect::<Vec<_>>(),
            "failed": self.failed.iter().map(|(name, why)| json!({ "name": name, "why": why })).collect::<Vec<_>>(),
        })
    }

    pub fn counts(&self) -> Value {
        json!({
            "claims": self.findings.len(),
            "shown": self.count(|verdict| verdict == Verdict::Shown),
            "refuted_in_size": self.count(|verdict| verdict == Verdict::RefutedInSize),
            "refuted": self.count(|verdict| verdict == Verdict::Refuted),
            "not_decidable": self.count(|verdict| verdict == Verdict::NotDecidable),
        })
    }
}
