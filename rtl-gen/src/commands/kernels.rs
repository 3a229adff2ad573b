//! `weft kernels`

use std::fmt::Write;
use std::path::Path;

use kernels::{self, Comparison, Kernel, Variant};
use serde_json::json;

use super::{analyze, program};
use crate::arguments::KernelsAction;
use crate::report::{self, Report};
use crate::{Verdict, control_flow};

pub fn kernels(action: &KernelsAction, report: &Report) -> anyhow::Result<Verdict> {
    match action {
        KernelsAction::List => list(report),
        KernelsAction::Build { names, out, large, scratchpad_bytes, base } => {
            build(names, Variant { large: *large, scratchpad_bytes: *scratchpad_bytes, base: *base }, out, report)
        }
    }
}

fn list(report: &Report) -> anyhow::Result<Verdict> {
    let kernels: Vec<&Kernel> = kernels::all().collect();
    let width = kernels.iter().map(|kernel| kernel.name.len()).max().unwrap_or(0);
    let line = |kernel: &&Kernel| {
        let needs = Some(kernel.settings().join(", ")).filter(|needs| !needs.is_empty());
        let units = kernel.needs_turns.then(|| format!("only on {}", kernel.units().join(", ")));
        let comparison = kernel.comparison.map(|half| half.name().to_owned());
        let benchmark = kernel.benchmark.map(|benchmark| format!("after {benchmark}"));
        let remarks = [comparison, benchmark, needs.map(|needs| format!("needs {needs}")), units];
        let remarks = remarks.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let remarks = if remarks.is_empty() { remarks } else { format!(" ({remarks})") };
        format!("{:width$}  {}{remarks}\n", kernel.name, kernel.summary)
    };
    let object = |kernel: &&Kernel| {
        json!({
            "name": kernel.name,
            "summary": kernel.summary,
            "settings": kernel.settings(),
            "units": kernel.units(),
            "comparison": kernel.comparison.map(Comparison::name),
            "grid": kernel.grid.is_some(),
            "benchmark": kernel.benchmark,
        })
    };
    let text: String = kernels.iter().map(line).collect();
    report.answer(&text, || json!({ "kernels": kernels.iter().map(object).collect::<Vec<_>>() }))
}

/// Builds the named kernels, or all, in the order of their list.
fn build(names: &[String], variant: Variant, out: &Path, report: &Report) -> anyhow::Result<Verdict> {
    for name in names {
        kernels::find(name)?;
    }
    let mut text = String::new();
    let mut objects = Vec::new();
    for kernel in kernels::all().filter(|kernel| names.is_empty() || names.iter().any(|name| name == kernel.name)) {
        let elf = kernels::build_as(kernel, variant, out)?;
        let _ = writeln!(text, "{}", elf.display());
        let class = control_flow::class(kernel, &program::load(&elf, &analyze::roomiest())?);
        objects.push(json!({ "name": kernel.name, "path": report::path(&elf), "class": class }));
    }
    report.answer(&text, || json!({ "kernels": objects }))
}
