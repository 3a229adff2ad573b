//! `weft papers`: redoes the quantitative claims of the papers that the divergence units come from, as one report.

mod claims;
mod measured;
mod plan;
mod report;
mod select;
mod stored;
mod verdict;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tools::{Tool, cache};

use super::sweep::folder::{Folder, PAPERS};
use super::sweep::workflow::{self, Place, Workflow};
use super::sweep::{self, KERNELS, Step, absolute_profile, mend, weft};
use crate::Verdict as Ending;
use crate::arguments::PapersArguments;
use crate::progress::Progress;
use crate::report::{self as answers, Report, counted};
use claims::{Claim, Paper};
use measured::Measured;
use report::{Finding, Findings};

/// Version of `report.json` and of the folder's files. It grows whenever their meaning changes.
const SCHEMA: u32 = 1;

const MARKDOWN: &str = "report.md";
const JSON: &str = "report.json";

pub fn papers(arguments: &PapersArguments, report: &Report) -> anyhow::Result<Ending> {
    let papers = claims::all()?;
    let chosen = select::select(&papers, &arguments.claims, arguments.quick)?;
    let Some(out) = arguments.out.as_deref().filter(|_| !arguments.list) else {
        return list(&chosen, report);
    };
    let yosys = tools::find(Tool::Yosys).ok();
    let steps = plan::steps(&chosen, yosys.is_some());
    let tools = Tools::find(&steps, yosys)?;
    let snakemake = if steps.is_empty() { None } else { Some(tools::find(Tool::Snakemake)?) };
    let program = env::current_exe()?;
    let ids: Vec<&str> = chosen.iter().map(|(_, claim)| claim.id.as_str()).collect();
    let identity = json!({
        "schema": SCHEMA,
        "weft": weft(&program)?,
        "tools": tools.versions,
        "request": { "quick": arguments.quick, "claims": ids },
    });
    let folder = Folder::open(&PAPERS, out, &identity)?;
    if let Some(snakemake) = snakemake {
        workflow::write(&folder, &[], &format!("{:#}\n", object(&steps, &program, &identity)))?;
        for removed in mend::mend(folder.path(), &steps)? {
            eprintln!("{}: {}; its step is done again", out.join(removed.file).display(), removed.why);
        }
        let workflow = Workflow { program: &snakemake, folder: &folder, variables: &tools.variables };
        sweep(arguments, &workflow, &steps)?;
    }
    let kept = Kept::new(folder.path());
    let measured = chosen.iter().map(|(paper, claim)| measured::measure(paper, claim, &|step| kept.answer(step)));
    let measured: Vec<Measured> = measured.collect();
    let findings = chosen.iter().zip(measured).map(|(chosen, measured)| Finding::new(*chosen, measured)).collect();
    let failed = steps.iter().filter_map(|step| Some((step.name.clone(), kept.failure(step)?))).collect();
    let findings = Findings { papers: &papers, findings, identity, failed, steps: steps.len() };
    folder.write(JSON, &format!("{:#}\n", findings.object()))?;
    folder.write(MARKDOWN, &report::markdown(&findings))?;
    answer(out, &findings, report)
}

/// Returns the JSON that the workflow reads.
fn object(steps: &[Step], program: &Path, identity: &Value) -> Value {
    let kernels = kernels::all().map(|kernel| kernel.name);
    let needed = kernels.filter(|name| steps.iter().any(|step| step.kernel == Some(name)));
    json!({
        "program": program.to_string_lossy(),
        "identity": identity,
        "steps": sweep::with_kernels(needed, steps),
    })
}

/// Runs the steps without a result.
fn sweep(arguments: &PapersArguments, workflow: &Workflow, steps: &[Step]) -> anyhow::Result<()> {
    let profile = arguments.profile.as_deref().map(absolute_profile);
    let place = match &profile {
        Some(profile) => Place::Profile(profile),
        None => Place::Local(arguments.jobs),
    };
    let mut progress = Progress::new();
    let ended = workflow.sweep(&place, &mut progress);
    progress.clear();
    let kept = Kept::new(workflow.folder.path());
    // The report lists steps without a result; only a sweep without any result is an error.
    let nothing = !steps.iter().any(|step| kept.answer(step).is_ok() || kept.failure(step).is_some());
    if !ended?.success() && nothing && kept.error(KERNELS).is_none() {
        return Err(workflow.failure("sweep").into());
    }
    Ok(())
}

fn list(chosen: &[(&Paper, &Claim)], report: &Report) -> anyhow::Result<Ending> {
    let width = chosen.iter().map(|(_, claim)| claim.id.len()).max().unwrap_or(0);
    let line = |(_, claim): &(&Paper, &Claim)| {
        let value = claim.value.map_or(String::new(), |value| format!(" [{}]", report::formatted(&claim.unit, value)));
        format!("{:width$}  {}: {}{value}\n", claim.id, claim.place, claim.says)
    };
    let object = |(paper, claim): &(&Paper, &Claim)| {
        json!({
            "id": claim.id,
            "paper": paper.name,
            "place": claim.place,
            "says": claim.says,
            "published": claim.value,
            "unit": claim.unit,
            "quick": claim.quick,
        })
    };
    let text: String = chosen.iter().map(line).collect();
    report.answer(&text, || json!({ "claims": chosen.iter().map(object).collect::<Vec<_>>() }))
}

fn answer(out: &Path, findings: &Findings, report: &Report) -> anyhow::Result<Ending> {
    let page = out.join(MARKDOWN);
    let counts = findings.counts();
    let mut text = format!(
        "{}: {}: {} shown, {} refuted, {} not decidable here",
        page.display(),
        counted(findings.findings.len(), "claim"),
        counts["shown"],
        findings.count(verdict::Verdict::is_refuted),
        counts["not_decidable"]
    );
    if !findings.failed.is_empty() {
        let failed = counted(findings.failed.len(), "step");
        text += &format!("\n{failed} without a result; the same command tries again:");
        for (name, why) in findings.failed.iter().take(5) {
            text += &format!("\n  {name}: {}", why.lines().next().unwrap_or_default());
        }
    }
    report.answer(&text, || {
        json!({
            "out": answers::path(out),
            "report": answers::path(&page),
            "results": answers::path(&out.join(JSON)),
            "counts": counts,
            "steps": findings.steps,
            "done": findings.steps - findings.failed.len(),
        })
    })?;
    // A refuted claim is a result. Only a step that could not be done is a failure.
    Ok(if findings.failed.is_empty() { Ending::Success } else { Ending::Failure })
}

/// The results in the folder, each read once.
struct Kept<'a> {
    folder: &'a Path,
    read: RefCell<BTreeMap<String, Option<Value>>>,
}

impl<'a> Kept<'a> {
    fn new(folder: &'a Path) -> Self {
        Self { folder, read: RefCell::default() }
    }

    fn object(&self, name: &str) -> Option<Value> {
        let read = || serde_json::from_slice(&fs::read(self.folder.join(name)).ok()?).ok();
        self.read.borrow_mut().entry(name.to_owned()).or_insert_with(read).clone()
    }

    /// Returns the answer of a step whose command succeeded, or why there is none.
    fn answer(&self, step: &Step) -> Result<Value, String> {
        let Some(result) = self.object(&format!("results/{}.json", step.name)) else {
            return Err(self.failure(step).unwrap_or_else(|| "no result".to_owned()));
        };
        match (result["status"].as_u64(), result["answer"]["outcome"].as_str()) {
            (Some(0), _) => Ok(result["answer"].clone()),
            (_, outcome) => Err(format!("`{}` ends as {}", step.unit, outcome.unwrap_or("failed"))),
        }
    }

    /// Returns why a step has no result, if it has none.
    fn failure(&self, step: &Step) -> Option<String> {
        if self.object(&format!("results/{}.json", step.name)).is_some() {
            return None;
        }
        let of_kernels = || step.kernel.and_then(|_| self.error(KERNELS));
        Some(self.error(&step.name).or_else(of_kernels).unwrap_or_else(|| needs(step).to_owned()))
    }

    fn error(&self, name: &str) -> Option<String> {
        self.object(&format!("failed/{name}.json"))?["error"]["message"].as_str().map(str::to_owned)
    }
}

/// Why a step has neither a result nor an error: it did not run.
fn needs(step: &Step) -> &'static str {
    if step.kernel.is_some() { "no result yet" } else { "needs Yosys (scripts/setup.sh --synthesis)" }
}

struct Tools {
    versions: Value,
    /// The paths of the tools and of the cache, for commands in another folder.
    variables: Vec<(&'static str, PathBuf)>,
}

impl Tools {
    /// Finds the tools that the steps need. Yosys may be missing: claims on area are then not decidable.
    fn find(steps: &[Step], yosys: Option<PathBuf>) -> anyhow::Result<Self> {
        let mut found = Vec::new();
        if steps.iter().any(|step| step.kernel.is_some()) {
            found.push(("riscv-gcc", Tool::RiscvGcc, tools::find(Tool::RiscvGcc)?));
        }
        if let Some(path) = yosys.filter(|_| steps.iter().any(|step| step.kernel.is_none())) {
            found.push(("yosys", Tool::Yosys, path));
        }
        let mut versions = Map::new();
        let mut variables = vec![("WEFT_CACHE", cache::path())];
        for (name, tool, path) in found {
            let path = std::path::absolute(&path).unwrap_or(path);
            versions.insert(name.to_owned(), json!(tools::version(tool, &path)?));
            variables.push((tool.variable(), path));
        }
        Ok(Self { versions: Value::Object(versions), variables })
    }
}
