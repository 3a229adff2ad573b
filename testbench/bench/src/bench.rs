//! Runs a program on the model, on the hardware, or on both in lock step.

mod cached;
mod control_port;
mod events;
mod expected;
mod fetch_port;
mod fetch_side;
mod flow;
mod hardware;
mod held;
mod liveness;
mod memory_side;
mod modelled;
mod on_chip;
mod on_hardware;
mod on_model;
mod on_the_bus;
mod pipeline_log;
mod refill_port;
mod schedulable;
mod unknown_branches;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use sim::Program;
use weft_config::{Config, UnknownUnit};
use weft_trace::Record;

use crate::engine::Engine;
use crate::report::Report;
use tools::cache::Cache;
pub(crate) use unknown_branches::UnknownBranches;
use verilate::{BuildError, Built, Counters, Effort, Model, ModelError, Point, PointKind, Source};

pub struct RunOptions<'a> {
    /// Cycles from the first fetch (model without timing: issues) after which the run stops.
    pub max_cycles: u64,
    /// Whether the model counts no cycles and only executes the program, round robin over the warps.
    pub untimed: bool,
    pub wave: Option<PathBuf>,
    /// Receives one JSON line per record.
    pub commits: Option<&'a mut dyn io::Write>,
    /// Receives the pipeline log, in the format of Konata.
    pub trace: Option<&'a mut dyn io::Write>,
    /// Receives the program's output.
    pub console: Option<&'a mut dyn io::Write>,
    /// Receives the number of cycles (model: issues) at intervals.
    pub progress: Option<&'a mut dyn FnMut(u64)>,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self {
            max_cycles: 100_000_000,
            untimed: false,
            wave: None,
            commits: None,
            trace: None,
            console: None,
            progress: None,
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    #[error(transparent)]
    Core(#[from] cores::CoreError),
    #[error(transparent)]
    Unit(#[from] UnknownUnit),
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The core cannot be loaded, or its model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("{0} needs trace.port = true")]
    NoTracePort(&'static str),
    #[error("the model has no waveform: run engine rtl or cosim")]
    NoWave,
    #[error("the model has no pipeline: run engine rtl or cosim")]
    NoPipeline,
    #[error("{what}: {source}")]
    Write { what: &'static str, source: io::Error },
}

impl BenchError {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Core(_) | Self::Unit(_) | Self::NoTracePort(_) | Self::NoWave | Self::NoPipeline => "configuration",
            Self::Build(BuildError::Tool(_)) => "tool-missing",
            Self::Build(BuildError::Cache(_)) => "cache",
            Self::Build(_) => "build",
            Self::Model(ModelError::Load { .. } | ModelError::Interface { .. } | ModelError::Create { .. }) => "cache",
            Self::Write { .. } | Self::Model(ModelError::Wave { .. }) => "unwritable-output",
            Self::Model(_) => "internal",
        }
    }
}

/// Runs a program on the core of a configuration, or on the model.
pub fn run(config: &Config, program: &Program, engine: Engine, options: RunOptions<'_>) -> Result<Report, BenchError> {
    if engine == Engine::Model {
        return on_model::run(config, program, options);
    }
    check_trace_port(config, engine, &options)?;
    BuiltCore::of(config, program.entry, options.wave.is_some())?.run(config, program, engine, options)
}

/// Runs a program on a given core: `source` must have the ports of a core of this configuration.
pub fn run_source(
    config: &Config,
    program: &Program,
    engine: Engine,
    options: RunOptions<'_>,
    cache: &Cache,
    source: &Source<'_>,
    effort: Effort,
) -> Result<Report, BenchError> {
    check_trace_port(config, engine, &options)?;
    let built = Built::of(cache, source, options.wave.is_some(), effort)?;
    run_model(built.instance(seed(config))?, config, program, engine, options)
}

/// Runs a program on a given model. It need not come from a core, and may have further inputs, which the caller has
/// set.
pub fn run_model(
    model: Model,
    config: &Config,
    program: &Program,
    engine: Engine,
    options: RunOptions<'_>,
) -> Result<Report, BenchError> {
    check_trace_port(config, engine, &options)?;
    on_hardware::run(model, config, program, engine, options)
}

#[derive(Clone, Debug)]
pub struct BuiltCore {
    built: Built,
    /// The text of its hardware keys, and its reset pc.
    elaborated: (String, u32),
    /// Its Verilog, if it counts coverage.
    verilog: Option<String>,
}

impl BuiltCore {
    /// Builds the core of a configuration whose threads start at `entry`, unless the cache holds it. With `wave` it
    /// can write waveforms, and is larger and slower.
    pub fn of(config: &Config, entry: u32, wave: bool) -> Result<Self, BenchError> {
        Self::build(config, entry, wave, Effort::Fast)
    }

    /// Builds it without optimisation, for short runs.
    pub fn quickly(config: &Config, entry: u32) -> Result<Self, BenchError> {
        Self::build(config, entry, false, Effort::Quick)
    }

    /// Builds a copy of the core with the broken fault point `fault` ([`rtl::with_fault`]), without optimisation. Tests
    /// use it to check that a planted bug is found.
    ///
    /// # Panics
    ///
    /// If the core has no such point.
    pub fn broken(config: &Config, entry: u32, fault: &str) -> Result<Self, BenchError> {
        Ok(Self::broken_copies(config, entry, &[fault], Effort::Quick)?.remove(0))
    }

    /// The same for each fault point of a list. Copies share a model where they can ([`Built::variants`]).
    pub fn broken_copies(
        config: &Config,
        entry: u32,
        faults: &[&str],
        effort: Effort,
    ) -> Result<Vec<Self>, BenchError> {
        let core = cores::elaborate(config, entry)?;
        let broken = |fault: &&str| Ok(rtl::with_fault(fault, || cores::elaborate(config, entry))?.all_in_one());
        let broken = faults.iter().map(broken).collect::<Result<Vec<_>, BenchError>>()?;
        let verilog = core.all_in_one();
        let source = Source { top: &core.name(), ports: &core.ports(), verilog: &verilog, memory: core.memory() };
        let built = Built::variants(&Cache::of_user(), &source, &broken, effort)?;
        let of_configuration = |built| Self { built, elaborated: (config.rtl_hash_text(), entry), verilog: None };
        Ok(built.into_iter().map(of_configuration).collect())
    }

    /// A process that runs many programs on a core elaborates it once.
    fn build(config: &Config, entry: u32, wave: bool, effort: Effort) -> Result<Self, BenchError> {
        type Key = ((String, u32), bool, Effort);
        static BUILT: Mutex<BTreeMap<Key, BuiltCore>> = Mutex::new(BTreeMap::new());
        let built = || BUILT.lock().unwrap_or_else(PoisonError::into_inner);
        // The key has no keys of the model alone, which `elaborate` refuses.
        cores::check_buildable(config)?;
        let key = ((config.rtl_hash_text(), entry), wave, effort);
        let known = built().get(&key).cloned();
        if let Some(core) = known.filter(|_| !rtl::faults_are_watched()) {
            return Ok(core);
        }
        let core = cores::elaborate(config, entry)?;
        let verilog = core.all_in_one();
        let source = Source { top: &core.name(), ports: &core.ports(), verilog: &verilog, memory: core.memory() };
        let model = Built::of(&Cache::of_user(), &source, wave, effort)?;
        let core = Self { built: model, elaborated: key.0.clone(), verilog: None };
        if !rtl::faults_are_watched() {
            built().insert(key, core.clone());
        }
        Ok(core)
    }

    /// Builds the core with the assertions and functional points of the design, and with coverage counters.
    pub fn counting(config: &Config, entry: u32, counters: Counters) -> Result<Self, BenchError> {
        let core = cores::elaborate_asserting(config, entry)?;
        let verilog = core.all_in_one();
        let source = Source { top: &core.name(), ports: &core.ports(), verilog: &verilog, memory: core.memory() };
        let built = Built::counting(&Cache::of_user(), &source, counters, Effort::Fast)?;
        Ok(Self { built, elaborated: (config.rtl_hash_text(), entry), verilog: Some(verilog) })
    }

    /// The coverage of its runs, with each line named by its text; empty without counters.
    pub fn coverage(&self) -> Result<Vec<Point>, BenchError> {
        let lines: Vec<&str> = self.verilog.iter().flat_map(|verilog| verilog.lines()).collect();
        let mut points = self.built.coverage()?;
        for point in points.iter_mut().filter(|point| point.kind == PointKind::Line) {
            let line = point.name.parse().ok().and_then(|number: usize| lines.get(number.checked_sub(1)?));
            point.name = line.map_or_else(String::new, |line| line.trim().to_owned());
        }
        Ok(points)
    }

    /// Runs a program on it: engine [`Engine::Rtl`] or [`Engine::Cosim`].
    ///
    /// # Panics
    ///
    /// If the program's entry differs from the core's, or `config` differs in a hardware key.
    pub fn run(
        &self,
        config: &Config,
        program: &Program,
        engine: Engine,
        options: RunOptions<'_>,
    ) -> Result<Report, BenchError> {
        assert_eq!(self.elaborated, (config.rtl_hash_text(), program.entry), "a program for another core");
        assert_ne!(engine, Engine::Model, "the model needs no core");
        check_trace_port(config, engine, &options)?;
        run_model(self.built.instance(seed(config))?, config, program, engine, options)
    }
}

fn check_trace_port(config: &Config, engine: Engine, options: &RunOptions<'_>) -> Result<(), BenchError> {
    match (config.trace.port, engine) {
        (true, _) => Ok(()),
        (false, Engine::Cosim) => Err(BenchError::NoTracePort("cosim")),
        (false, _) if options.commits.is_some() => Err(BenchError::NoTracePort("--commits")),
        (false, _) if options.trace.is_some() => Err(BenchError::NoTracePort("--trace")),
        (false, _) => Ok(()),
    }
}

/// Seed of uninitialised state. Verilator requires a positive one.
fn seed(config: &Config) -> i32 {
    (config.memory.seed % 0x7fff_ffff) as i32 + 1
}

/// The data on a response port without a response.
const JUNK: u32 = 0xdead_beef;

struct Outputs<'a> {
    commits: Option<&'a mut dyn io::Write>,
    console: Option<&'a mut dyn io::Write>,
    progress: Option<&'a mut dyn FnMut(u64)>,
}

/// Interval of progress events, in cycles or issues.
const PROGRESS_INTERVAL: u64 = 1 << 16;

impl Outputs<'_> {
    fn record(&mut self, record: impl FnOnce() -> Record) -> Result<(), BenchError> {
        let Some(sink) = &mut self.commits else { return Ok(()) };
        let failed = |source| BenchError::Write { what: "--commits", source };
        serde_json::to_writer(&mut *sink, &record()).map_err(|error| failed(error.into()))?;
        sink.write_all(b"\n").map_err(failed)
    }

    fn console(&mut self, byte: u8) -> Result<(), BenchError> {
        let Some(sink) = &mut self.console else { return Ok(()) };
        sink.write_all(&[byte]).map_err(|source| BenchError::Write { what: "console", source })
    }

    fn progress(&mut self, count: u64) {
        if let Some(progress) = self.progress.as_mut().filter(|_| count.is_multiple_of(PROGRESS_INTERVAL)) {
            progress(count);
        }
    }
}
