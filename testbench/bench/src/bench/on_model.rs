use std::time::Instant;

use sim::Program;
use weft_config::Config;
use weft_trace::{MemoryOp, Record};

use super::unknown_branches::UnknownBranches;
use super::{BenchError, Outputs, RunOptions};
use crate::report::{FinalMemory, Outcome, Report};

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

    let harts = (0..config.warps).flat_map(|warp| (0..config.threads).map(move |lane| (warp, lane)));
    let mut report = Report {
        outcome: Outcome::Exited,
        cycles: cycles.map(|cycles| cycles.total),
        statistics,
        regions,
        mixed_releases: progress.mixed_releases(),
        idle_cycles: cycles.map(|cycles| cycles.idle),
        mismatch: None,
        fault: None,
        deadlock: None,
        threads: progress.groups(),
        stack_bytes: progress.stack_bytes(),
        tohost: None,
        exit_codes: harts.map(|(warp, lane)| machine.exit_code(warp, lane)).collect(),
        message: String::new(),
        wall: started.elapsed(),
        memory: FinalMemory::new(config, machine.memory().words().to_vec()),
        counted: true,
    };
    match outcome {
        sim::Outcome::Exited => {}
        sim::Outcome::ToHost(value) => {
            report.outcome = Outcome::of_tohost(value);
            report.tohost = Some(value);
        }
        sim::Outcome::Deadlock(text) => {
            report.outcome = Outcome::Deadlock;
            report.deadlock = Some(text);
        }
        sim::Outcome::SuspectedDeadlock(text) => {
            report.outcome = Outcome::SuspectedDeadlock;
            report.deadlock = Some(text);
        }
        sim::Outcome::Limit => report.outcome = Outcome::Limit,
        sim::Outcome::Fault(fault) => {
            report.outcome = Outcome::Fault;
            report.fault = Some(fault);
        }
    }
    report.message = report.describe(config, program, max_cycles);
    report.append(progress.warnings(program));
    report.append(unknown_branches.describe(true));
    Ok(report)
}
