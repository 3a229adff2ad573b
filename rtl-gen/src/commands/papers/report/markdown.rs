//! The report as Markdown: what is contradicted comes first, then each paper with its claims.

use std::fmt::Write;

use super::format::{published, value};
use super::{Contradicted, Finding, Findings};
use crate::commands::papers::claims::Paper;
use crate::commands::papers::verdict::Verdict;

/// The widest list of kernels in the details of a claim.
const MOST_KERNELS: usize = 20;

pub fn markdown(report: &Findings) -> String {
    let mut text = String::from("# The papers' results, redone\n\n");
    let counts = report.counts();
    let weft = &report.identity["weft"];
    let word = |key: &str| weft[key].as_str().unwrap_or("unknown");
    let _ = writeln!(
        text,
        "{} claims: {} shown, {} refuted, {} of them in size alone, {} not decidable here. Written by `weft papers` {} \
         (git {}).\n",
        counts["claims"],
        counts["shown"],
        report.count(Verdict::is_refuted),
        counts["refuted_in_size"],
        counts["not_decidable"],
        word("version"),
        word("git"),
    );
    if report.identity["request"]["quick"] == true {
        text += "This is a **quick** report: most claims are left out.\n\n";
    }
    text += "A claim is *shown* if our value has its direction and differs from the published value by its tolerance at most, \
             which stands behind the published value. Verdicts are computed from the values.\n\n";
    contradictions(&mut text, report);
    for paper in report.papers {
        section(&mut text, report, paper);
    }
    if !report.failed.is_empty() {
        text += "## Steps without a result\n\nThe same command tries them again.\n\n";
        for (name, why) in &report.failed {
            let _ = writeln!(text, "- `{name}`: {}", one_line(why));
        }
    }
    text.trim_end().to_owned() + "\n"
}

/// The first page: contradictions of the texts, and what our core does the other way round.
fn contradictions(text: &mut String, report: &Findings) {
    *text += "## Where the papers contradict each other, or our core\n\n";
    let all = report.contradictions();
    if all.is_empty() {
        *text += "The claims of this report show no contradiction.\n\n";
    }
    for (number, Contradicted { paper, one, findings }) in all.iter().enumerate() {
        let _ = writeln!(text, "{}. `{}`: {}", number + 1, paper.name, one.says);
        for finding in findings {
            let _ = writeln!(text, "   - `{}`: {}", finding.claim.id, values(finding));
        }
    }
    if !all.is_empty() {
        *text += "\n";
    }
    let opposite = report.opposite();
    if !opposite.is_empty() {
        *text += "Claims whose direction is not seen here at all:\n\n";
        for finding in opposite {
            let _ = writeln!(text, "- `{}`: {} {}", finding.claim.id, finding.claim.says, values(finding));
        }
        *text += "\n";
    }
}

fn values(finding: &Finding) -> String {
    let Finding { claim, measured, verdict, .. } = finding;
    let ours = measured.value.map_or("none".to_owned(), |ours| value(&claim.unit, ours));
    format!("published {}, ours {ours}: {}.", published(claim), verdict.name())
}

fn section(text: &mut String, report: &Findings, paper: &Paper) {
    let own: Vec<&Finding> = report.findings.iter().filter(|finding| finding.paper.name == paper.name).collect();
    if own.is_empty() {
        return;
    }
    let _ = writeln!(text, "## {}\n\n{}\n", paper.title, paper.source);
    *text += "| claim | place | published | ours | verdict |\n|---|---|---|---|---|\n";
    for Finding { claim, measured, verdict, .. } in &own {
        let ours = measured.value.map_or(String::new(), |ours| value(&claim.unit, ours));
        let _ =
            writeln!(text, "| `{}` | {} | {} | {ours} | {} |", claim.id, claim.place, published(claim), verdict.name());
    }
    *text += "\n";
    let machines: Vec<_> =
        paper.machines.iter().filter(|(name, _)| own.iter().any(|finding| finding.uses(name))).collect();
    for (name, machine) in &machines {
        let _ = writeln!(text, "- Machine `{name}`: {} `{}`", machine.says, machine.set.join(" "));
    }
    if !machines.is_empty() {
        *text += "\n";
    }
    for finding in own {
        details(text, finding);
    }
}

fn details(text: &mut String, finding: &Finding) {
    let Finding { claim, measured, .. } = finding;
    let _ = writeln!(text, "### `{}`\n\n{} *{}*: {}\n", claim.id, claim.says, claim.place, values(finding));
    if let Some(reason) = finding.reason() {
        let label = if finding.verdict == Verdict::NotDecidable { "Why not" } else { "Why ours may differ" };
        let _ = writeln!(text, "{label}: {}\n", one_line(reason));
    }
    let kernels: Vec<String> = measured
        .points
        .iter()
        .take(MOST_KERNELS)
        .map(|(machine, kernel, own)| {
            let on = if finding.machines().len() > 1 { format!(" on `{machine}`") } else { String::new() };
            format!("{kernel}{on} {}", finding.point(*own))
        })
        .collect();
    if !kernels.is_empty() {
        let more = measured.points.len().saturating_sub(MOST_KERNELS);
        let more = if more > 0 { format!(", and {more} more in report.json") } else { String::new() };
        let _ = writeln!(text, "Kernels: {}{more}.\n", kernels.join(", "));
    }
    for excluded in &measured.excluded {
        let _ = writeln!(text, "- Left out: {}: {}", excluded.kernel, one_line(&excluded.why));
    }
    if !measured.excluded.is_empty() {
        *text += "\n";
    }
    let _ = writeln!(text, "```sh\n{}\n```\n", finding.commands().join("\n"));
}

/// Returns the first line, which says most in the errors of tools and runs.
fn one_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}
