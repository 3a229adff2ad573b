//! `weft compare`: compares divergence units in area, frequency and cycles, in a workflow that can be interrupted.

mod plan;
mod request;
mod unit;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tools::Tool;
use tools::cache;

use super::sweep::folder::{COMPARISON, Folder};
use super::sweep::workflow::{self, Place, Workflow};
use super::sweep::{absolute_profile, mend, weft};
use super::yosys;
use crate::Verdict;
use crate::arguments::CompareArguments;
use crate::error::RequestError;
use crate::progress::Progress;
use crate::report::{self, Report, counted};
use plan::Plan;
pub(super) use plan::TARGET;
use request::Request;
pub(super) use unit::check as check_units;

/// Version of the folder's files. It grows whenever their meaning changes.
const SCHEMA: u32 = 2;

/// The files that write the report, by their names in the folder.
const REPORT: [(&str, &str); 4] = [
    ("workflow/results.py", include_str!("../../../scripts/compare/results.py")),
    ("workflow/figures.py", include_str!("../../../scripts/compare/figures.py")),
    ("workflow/report.py", include_str!("../../../scripts/compare/report.py")),
    ("workflow/report.html.j2", include_str!("../../../scripts/compare/report.html.j2")),
];

const RESULTS: &str = "results.json";

pub fn compare(arguments: &CompareArguments, report: &Report) -> anyhow::Result<Verdict> {
    let request = Request::of(arguments)?;
    let plan = Plan::of(&request);
    let program = env::current_exe()?;
    let snakemake = tools::find(Tool::Snakemake)?;
    let tools = Tools::find(&request)?;
    let identity = json!({
        "schema": SCHEMA,
        "weft": weft(&program)?,
        "tools": tools.versions,
        "request": request,
    });
    let profile = arguments.profile.as_deref().map(absolute_profile);

    let folder = Folder::open(&COMPARISON, &arguments.out, &identity)?;
    yosys::say_which();
    for source in request.units.iter().filter_map(|unit| unit.source.as_ref()) {
        folder.write(&source.name, &source.text)?;
    }
    let object = plan.object(&request, &program.to_string_lossy(), &identity);
    workflow::write(&folder, &REPORT, &format!("{object:#}\n"))?;
    for removed in mend::mend(folder.path(), &plan.steps)? {
        eprintln!("{}: {}; its step is done again", arguments.out.join(removed.file).display(), removed.why);
    }
    let workflow = Workflow { program: &snakemake, folder: &folder, variables: &tools.variables };
    let place = match &profile {
        Some(profile) => Place::Profile(profile),
        None => Place::Local(arguments.jobs),
    };
    let mut progress = Progress::new();
    let ended = workflow.sweep(&place, &mut progress);
    let kept = |kind: &str, name: &str| folder.path().join(kind).join(format!("{name}.json")).exists();
    let done = plan.steps.iter().filter(|step| kept("results", &step.name)).count();
    let failed = plan.steps.iter().any(|step| kept("failed", &step.name));
    // The report lists steps without a result; only a run without any result is an error.
    if !ended?.success() && !failed && done == 0 {
        progress.clear();
        return Err(workflow.failure("sweep").into());
    }
    let written = workflow.report(&mut progress);
    progress.clear();
    written?;
    if !arguments.out.join(RESULTS).exists() {
        return Err(workflow.failure("report").into());
    }
    let results = read_results(&arguments.out.join(RESULTS))?;
    // The removed steps run again with the next call of the command.
    let odd = mend::remove_odd(folder.path(), &results["failed"])?;
    answer(&arguments.out, &results, done - odd, plan.steps.len(), report)
}

fn read_results(path: &Path) -> anyhow::Result<Value> {
    let bytes = fs::read(path).map_err(|error| RequestError::unreadable(path, &error))?;
    Ok(serde_json::from_slice(&bytes)?)
}

fn answer(out: &Path, results: &Value, done: usize, of: usize, report: &Report) -> anyhow::Result<Verdict> {
    let number = |key: &str| results[key].as_array().map_or(0, Vec::len);
    // The build of the kernels is not counted as a step, but it may be among the failures.
    let (failed, not_passed) = (number("failed"), number("not_passed"));
    let page = out.join("report.html");
    let mut text = format!("{}: {done} of {of} results", page.display());
    if failed > 0 {
        text += &format!("\n{} failed; the same command tries again:", counted(failed, "step"));
        for step in results["failed"].as_array().into_iter().flatten().take(5) {
            let message = step["error"]["message"].as_str().unwrap_or_default();
            text += &format!("\n  {}: {}", step["name"].as_str().unwrap_or_default(), shortened(message));
        }
    }
    let lost = (of - done).saturating_sub(failed);
    if lost > 0 {
        let log = out.join("logs/snakemake-sweep.log");
        let (steps, log) = (counted(lost, "step"), log.display());
        text += &format!("\n{steps} ended without a result ({log}); the same command tries again");
    }
    if not_passed > 0 {
        text += &format!("\n{} did not pass; the report says which", counted(not_passed, "run"));
    }
    report.answer(&text, || {
        json!({
            "out": report::path(out),
            "report": report::path(&page),
            "csv": report::path(&out.join("results.csv")),
            "results": report::path(&out.join(RESULTS)),
            "steps": of,
            "done": done,
            "failed": results["failed"],
            "not_passed": results["not_passed"],
        })
    })?;
    Ok(if done == of && failed == 0 && not_passed == 0 { Verdict::Success } else { Verdict::Failure })
}

/// Returns the first and the last line of a message. In the output of a tool the last line says most.
fn shortened(message: &str) -> String {
    let lines: Vec<&str> = message.lines().filter(|line| !line.trim().is_empty()).collect();
    match lines[..] {
        [first, .., last] => format!("{first} {}", last.trim()),
        _ => message.trim().to_owned(),
    }
}

struct Tools {
    versions: Value,
    /// The paths of the tools and of the cache, for commands in another folder.
    variables: Vec<(&'static str, PathBuf)>,
}

impl Tools {
    /// Finds all tools that the steps of a request need.
    fn find(request: &Request) -> anyhow::Result<Self> {
        let mut needed = vec![("riscv-gcc", Tool::RiscvGcc), ("yosys", Tool::Yosys)];
        if request.engine == "rtl" {
            needed.extend([("verilator", Tool::Verilator), ("g++", Tool::Cxx)]);
        }
        if !request.seeds.is_empty() {
            needed.push(("nextpnr", Tool::Nextpnr));
        }
        let mut versions = Map::new();
        let mut variables = vec![("WEFT_CACHE", cache::path())];
        for (name, tool) in needed {
            let path = tools::find(tool)?;
            let path = std::path::absolute(&path).unwrap_or(path);
            versions.insert(name.to_owned(), json!(tools::version(tool, &path)?));
            variables.push((tool.variable(), path));
        }
        Ok(Self { versions: Value::Object(versions), variables })
    }
}
