//! `weft analyze`

use sim::control_flow::Analysis;
use weft_config::Config;

use super::program;
use crate::arguments::AnalyzeArguments;
use crate::report::Report;
use crate::staging::StagedFile;
use crate::{Verdict, control_flow};

pub fn analyze(arguments: &AnalyzeArguments, report: &Report) -> anyhow::Result<Verdict> {
    let program = program::load(&arguments.program, &roomiest())?;
    let dot = arguments.dot.as_deref().map(|path| StagedFile::prepare("--dot", path)).transpose()?;
    dot.iter().try_for_each(|file| file.differs_from(&arguments.program, "the program itself"))?;
    let analysis = Analysis::of(&program);
    if let Some(file) = dot {
        file.write(analysis.dot(&program).as_bytes())?;
        file.publish()?;
    }
    report.answer(&control_flow::text(&program, &analysis), || control_flow::object(&program, &analysis))
}

/// Returns the configuration with the most room for a program: the analysis does not depend on the core.
pub fn roomiest() -> Config {
    let mut config = Config { warps: 1, threads: 1, ..Config::default() };
    config.memory.ram_bytes = 1 << 31;
    config.memory.stack_bytes = 64;
    config
}
