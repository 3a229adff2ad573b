//! `weft`: emits a SIMT core as Verilog, runs programs on it, and checks it against the model.
//!
//! This crate has only arguments and reports; the libraries do the work.

mod arguments;
mod commands;
mod console;
mod control_flow;
mod error;
mod progress;
mod report;
mod signals;
mod staging;
mod summary;
mod version;

use std::env;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Cli, Command};
use report::Report;

fn main() -> ExitCode {
    let report = Report::new(json_is_asked_for());
    let ended = match Cli::try_parse() {
        Ok(cli) => signals::install().and_then(|()| perform(cli.command, &report)),
        Err(answer) => report.clap(&answer),
    };
    match ended {
        Ok(verdict) => verdict.into(),
        Err(error) => report.request_error(&error),
    }
}

/// The verdict on the examined core or program, if the request itself was valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Success,
    /// The run, comparison or synthesis failed: exit status 1.
    Failure,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Success => Self::SUCCESS,
            Verdict::Failure => Self::from(1),
        }
    }
}

fn perform(command: Command, report: &Report) -> anyhow::Result<Verdict> {
    match command {
        Command::Emit(arguments) => commands::emit(&arguments, report),
        Command::Run(arguments) => commands::run(&arguments, report),
        Command::Cosim(arguments) => commands::cosim(&arguments, report),
        Command::Image(arguments) => commands::image(&arguments, report),
        Command::Analyze(arguments) => commands::analyze(&arguments, report),
        Command::Synth(arguments) => commands::synth(&arguments, report),
        Command::Compare(arguments) => commands::compare(&arguments, report),
        Command::Papers(arguments) => commands::papers(&arguments, report),
        Command::Fuzz(arguments) => commands::fuzz(&arguments, report),
        Command::Kernels(action) => commands::kernels(&action, report),
        Command::Config(arguments) => commands::config(&arguments, report),
        Command::Cache(action) => commands::cache(&action, report),
        Command::Completions(arguments) => commands::completions(&arguments, report),
    }
}

/// Returns whether `--json` is among the arguments. Usage errors obey it too, and they occur before the arguments are
/// parsed.
fn json_is_asked_for() -> bool {
    env::args_os().skip(1).take_while(|argument| argument != "--").any(|argument| argument == "--json")
}
