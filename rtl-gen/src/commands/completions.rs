//! `weft completions`

use clap::CommandFactory;
use serde_json::json;

use crate::Verdict;
use crate::arguments::{Cli, CompletionsArguments};
use crate::report::Report;

pub fn completions(arguments: &CompletionsArguments, report: &Report) -> anyhow::Result<Verdict> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "weft", &mut script);
    let script = String::from_utf8_lossy(&script);
    report.answer(&script, || json!({ "shell": arguments.shell.to_string(), "script": script }))
}
