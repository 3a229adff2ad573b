use std::time::Instant;

use sim::Program;
use weft_config::Config;
use weft_trace::{MemoryOp, Record};

use super::unknown_branches::UnknownBranches;
use super::{BenchError, Outputs, RunOptions};
use crate::report::{FinalMemory, Report};

pub(super) fn run(config: &Config, program: &Program, options: RunOptions<'_>) -> Result<Report, BenchError> {
    let RunOptions { max_cycles, untimed, wave, commits, trace, console, progress } = options;
    if wave.is_some() {
        return Err(BenchError::NoWave);
    }
    if trace.is_some() {
        return Err(BenchError::NoPipeline);
    }
    let mut outputs = Outputs { commits, console, progress };
    let started = Instant::now();
    let (mut issues, mut failure) = (0, None);
    let mut unknown_branches = UnknownBranches::of(config, program);
    let mut observer = |record: &Record| {
        let mut written = outputs.record(|| record.clone());
        if let Record::Commit(commit) = record {
            issues += 1;
            unknown_branches.commit(commit.pc);
            outputs.progress(issues);
            if commit.memory == MemoryOp::Console {
                written = written.and_then(|()| outputs.console(commit.memory_data[0] as u8));
            }
        }
        failure = failure.take().or(written.err());
    };
    let run = if untimed { sim::run } else { sim::timing::run };
    let sim::Finished { outcome, statistics, regions, cycles, machine, progress } =
        run(config, program, max_cycles, &mut observer)?;
    if let Some(error) = failure {
        return Err(error);
    }

    let memory = FinalMemory::new(config, machine.memory().words().to_vec());
    let report = Report {
        cycles: cycles.map(|cycles| cycles.total),
        statistics,
        regions,
        idle_cycles: cycles.map(|cycles| cycles.idle),
        data_cache: cycles.and_then(|cycles| cycles.data_cache),
        second_level: cycles.and_then(|cycles| cycles.second_level),
        ..Report::new(outcome.into(), &progress, memory, started)
    };
    Ok(report.explained((config, program, max_cycles), &progress, &unknown_branches))
}
