//! One program on one core, in lock step with the golden model.

use sim::Program;
use testbench::{BenchError, BuiltCore, Engine, Outcome, Report, RunOptions};
use weft_config::Config;

/// Cycles after which a program is taken for one that does not end.
const MOST_CYCLES: u64 = 2_000_000;
/// The same where memory takes an access in ten cycles at best, or in more.
pub const MOST_CYCLES_OF_SLOW_MEMORY: u64 = 20_000_000;

/// How a program ended.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Hardware and model agree to the end: that of all threads, or a fault.
    Agrees(Box<Report>),
    /// They do not, or the run ended otherwise than with all threads.
    Fails {
        /// In which way: an outcome, or `assertion`.
        how: &'static str,
        /// The report for a person.
        message: String,
    },
    /// The limit of cycles was reached.
    Endless,
}

/// Why a program could not be tried.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The file does not suit the core.
    #[error(transparent)]
    Program(#[from] sim::ElfError),
    #[error(transparent)]
    Bench(#[from] BenchError),
}

/// Runs the program of an ELF file. One that may is also right if it ends in the fault that the model has there.
pub fn run(core: &BuiltCore, config: &Config, elf: &[u8], may_fault: bool) -> Result<Verdict, TrialError> {
    let program = Program::load("program", elf, config)?;
    let is_slow = config.memory.bandwidth.0 <= 100;
    let max_cycles = if is_slow { MOST_CYCLES_OF_SLOW_MEMORY } else { MOST_CYCLES };
    let options = RunOptions { max_cycles, ..RunOptions::default() };
    let report = match core.run(config, &program, Engine::Cosim, options) {
        Ok(report) => report,
        // The hardware's own assertions, and responses that no request was made for.
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
