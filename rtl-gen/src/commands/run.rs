//! `weft run` and `weft cosim`: a program on the model, on the hardware, or on both in lock step.

use std::cell::RefCell;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use serde_json::Value;
use sim::Program;
use testbench::RunOptions;
use weft_config::Config;

use super::config::resolve;
use super::outputs::{Outputs, Stream};
use super::program;
use crate::arguments::{CosimArguments, Engine, RunArguments};
use crate::console::Console;
use crate::error::RequestError;
use crate::progress::Progress;
use crate::report::Report;
use crate::{Verdict, summary};

pub fn run(arguments: &RunArguments, report: &Report) -> anyhow::Result<Verdict> {
    let engine = match arguments.engine {
        Engine::Model => testbench::Engine::Model,
        Engine::Rtl => testbench::Engine::Rtl,
    };
    if arguments.untimed && engine != testbench::Engine::Model {
        let message = "--untimed needs --engine model";
        return Err(RequestError::new("usage", message).into());
    }
    execute(&arguments.common, engine, arguments.untimed, report)
}

pub fn cosim(arguments: &CosimArguments, report: &Report) -> anyhow::Result<Verdict> {
    execute(arguments, testbench::Engine::Cosim, false, report)
}

fn execute(
    arguments: &CosimArguments,
    engine: testbench::Engine,
    untimed: bool,
    report: &Report,
) -> anyhow::Result<Verdict> {
    let config = resolve(&arguments.config)?;
    if untimed && config.model.memory_divergence {
        let message = "model.memory_divergence = true: without cycles no load misses in a cache; leave out --untimed, or set \
                       model.memory_divergence=false";
        return Err(RequestError::new("configuration", message).into());
    }
    if engine == testbench::Engine::Model && config.unit()?.is_external() {
        let message = "divergence.unit = \"verilog\": the unit has no model; expected --engine rtl, or `weft cosim`, which checks \
                       what it does";
        return Err(RequestError::new("configuration", message).into());
    }
    if engine != testbench::Engine::Model {
        config.unit()?.check_in_hardware().map_err(cores::CoreError::from)?;
    }
    let program = program::load(&arguments.program, &config)?;
    let signature = match &arguments.files.signature {
        Some(_) => signature_of(&program, &config)?,
        None => 0..0,
    };
    let outputs = Outputs::prepare(&arguments.files, &arguments.program)?;
    let limits = (arguments.max_cycles, untimed);
    let ended = drive(&config, &program, engine, limits, &outputs, report)?;

    let statistics = ended.stats_json(&config, &program, engine);
    outputs.write_stats(&statistics)?;
    outputs.write_signature(signature.step_by(4).map(|address| ended.memory.read_word(address).unwrap_or(0)))?;
    outputs.publish()?;
    answer(report, &ended, &statistics)
}

/// Runs the program and forwards its console, progress and trace records.
fn drive(
    config: &Config,
    program: &Program,
    engine: testbench::Engine,
    (max_cycles, untimed): (u64, bool),
    outputs: &Outputs,
    report: &Report,
) -> anyhow::Result<testbench::Report> {
    let progress = RefCell::new(Progress::new());
    if engine != testbench::Engine::Model {
        progress.borrow_mut().say("building or loading the model of the core");
    }
    let mut console = Console::new(report.is_json(), &progress);
    let (mut commits, mut trace) = (outputs.commits()?, outputs.trace()?);
    let options = RunOptions {
        max_cycles,
        untimed,
        wave: outputs.wave(),
        commits: commits.as_mut().map(Stream::writer),
        trace: trace.as_mut().map(Stream::writer),
        console: Some(&mut console),
        progress: Some(&mut |cycles| progress.borrow_mut().at(cycles)),
    };
    let ended = testbench::run(config, program, engine, options);
    progress.borrow_mut().clear();
    let ended = ended?;
    [commits, trace].into_iter().flatten().try_for_each(Stream::finish)?;
    console.finish().map_err(|error| RequestError::unwritable(Path::new("console"), error))?;
    Ok(ended)
}

/// Returns the words from `begin_signature` to `end_signature`, which must be in RAM.
fn signature_of(program: &Program, config: &Config) -> Result<Range<u32>, RequestError> {
    let [begin_name, end_name] = ["begin_signature", "end_signature"];
    let refuse = |message: String| RequestError::new("no-signature", format!("{}: {message}", program.name));
    let (Some(begin), Some(end)) = (program.symbol(begin_name), program.symbol(end_name)) else {
        return Err(refuse(format!("--signature expects the symbols `{begin_name}` and `{end_name}`")));
    };
    let base = config.memory.base;
    let ram_end = u64::from(base) + u64::from(config.memory.ram_bytes);
    for (name, address) in [(begin_name, begin), (end_name, end)] {
        let at = format!("`{name}` is at {address:#010x}");
        if !address.is_multiple_of(4) {
            return Err(refuse(format!("{at}: --signature expects a multiple of 4, as it consists of words")));
        }
        if address < base || u64::from(address) > ram_end {
            let last = ram_end - 1;
            return Err(refuse(format!("{at}: --signature expects it in RAM, {base:#010x} to {last:#010x}")));
        }
    }
    if end < begin {
        let message = format!(
            "`{end_name}` is at {end:#010x}: --signature expects it at or behind `{begin_name}` at {begin:#010x}"
        );
        return Err(refuse(message));
    }
    Ok(begin..end)
}

/// Prints the summary and, after a failed run, the message of the test bench.
fn answer(report: &Report, ended: &testbench::Report, statistics: &Value) -> anyhow::Result<Verdict> {
    let verdict = if ended.success() { Verdict::Success } else { Verdict::Failure };
    if report.is_json() && verdict == Verdict::Failure {
        // The JSON object has the message too, so a closed stderr does not change the exit status.
        let _ = writeln!(io::stderr(), "{}", ended.message.trim_end());
    }
    report.answer(&summary::text(statistics, &ended.message), || statistics.clone())?;
    Ok(verdict)
}
