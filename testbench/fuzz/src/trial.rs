use sim::Program;
use testbench::{BenchError, BuiltCore, Engine, Outcome, Report, RunOptions};
use weft_config::Config;

/// Cycle limit: a program that runs longer counts as endless.
const MOST_CYCLES: u64 = 2_000_000;
/// Cycle limit with memory that accepts at most one access in ten cycles, or answers late: threads that wait for a lock
/// ask for it again and again.
const MOST_CYCLES_OF_SLOW_MEMORY: u64 = 20_000_000;

#[derive(Clone, Debug)]
pub enum Verdict {
    /// Hardware and model agree to the end: the exit of all threads, or a fault.
    Agrees(Box<Report>),
    /// They differ, or the run ended without the exit of all threads.
    Fails {
        /// The kind of failure: an outcome, or `assertion`.
        how: &'static str,
        message: String,
    },
    Endless,
}

#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    #[error(transparent)]
    Program(#[from] sim::ElfError),
    #[error(transparent)]
    Bench(#[from] BenchError),
}

/// Runs the program of an ELF file. If it may fault, a run that ends in the model's fault is correct too.
pub fn run(core: &BuiltCore, config: &Config, elf: &[u8], may_fault: bool) -> Result<Verdict, TrialError> {
    let program = Program::load("program", elf, config)?;
    let is_slow = config.memory.bandwidth.0 <= 100 || config.memory.latency.max >= 20;
    let max_cycles = if is_slow { MOST_CYCLES_OF_SLOW_MEMORY } else { MOST_CYCLES };
    let options = RunOptions { max_cycles, ..RunOptions::default() };
    let report = match core.run(config, &program, Engine::Cosim, options) {
        Ok(report) => report,
        // The hardware's own assertions, and responses without a request.
        Err(BenchError::Model(error)) => {
            return Ok(Verdict::Fails { how: "assertion", message: error.to_string() });
        }
        Err(error) => return Err(error.into()),
    };
    Ok(match report.outcome {
        Outcome::Exited if report.success() => Verdict::Agrees(Box::new(report)),
        Outcome::Fault if may_fault && report.fault.is_some() => Verdict::Agrees(Box::new(report)),
        Outcome::Limit => Verdict::Endless,
        outcome => Verdict::Fails { how: outcome.name(), message: report.message },
    })
}
