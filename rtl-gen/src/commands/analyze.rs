//! `weft analyze`

use std::io::Write;

use sim::control_flow::Analysis;
use weft_config::Config;

use super::program;
use crate::arguments::AnalyzeArguments;
use crate::error::RequestError;
use crate::report::Report;
use crate::staging::StagedFile;
use crate::{Verdict, control_flow};

pub fn analyze(arguments: &AnalyzeArguments, report: &Report) -> anyhow::Result<Verdict> {
    let program = program::load(&arguments.program, &roomiest())?;
    let dot = arguments.dot.as_deref().map(|path| StagedFile::prepare("--dot", path)).transpose()?;
    if let Some(file) = dot.as_ref().filter(|file| file.is_same(&arguments.program)) {
        let message = format!("{}: --dot names the program itself; expected another file", file.target().display());
        return Err(RequestError::new("same-file", message).into());
    }
    let analysis = Analysis::of(&program);
    if let Some(file) = dot {
        file.create()?.write_all(analysis.dot(&program).as_bytes()).map_err(|error| file.fail(&error))?;
        file.publish()?;
    }
    report.answer(&control_flow::text(&program, &analysis), || control_flow::object(&program, &analysis))?;
    Ok(Verdict::Success)
}

/// Returns the configuration with the most room for a program: the analysis does not depend on the core.
pub fn roomiest() -> Config {
    let mut config = Config { warps: 1, threads: 1, ..Config::default() };
    config.memory.ram_bytes = 1 << 31;
    config.memory.stack_bytes = 64;
    config
}
