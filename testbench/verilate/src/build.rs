//! Builds a shared object from Verilog: Verilator, then the C++ compiler, then the linker.
//!
//! - `--x-initial unique --x-assign unique`, with random bits at run time: a core that reads state before writing it
//!   differs from the golden model, instead of passing by a lucky zero.
//! - The generated C++ is compiled here, not by make. Hot files are compiled at [`Effort`], as one translation unit
//!   per processor.
//! - Cold files (constructors, tables) are one unit without optimisation. All files of a [`Effort::Quick`] model are.
//! - The Verilator runtime does not depend on the core: it is compiled once and kept in the cache. So is Verilator's
//!   header: to read it costs more than to compile most units.
//! - Assertions in the Verilog are checked: a failing one stops the run with an error.
//! - Symbols are hidden and not unique, so that several models can be loaded at once.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;

use cores::MemoryInCore;
use rtl::PortInfo;

use super::extra::Extra;
use super::harness;
use tools::cache::{Cache, CacheError, Key};
use tools::{Tool, ToolError};

/// Optimisation level of the hot code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// For long runs.
    Fast,
    /// For models that run briefly, such as mutants.
    Quick,
}

#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub top: &'a str,
    pub ports: &'a [PortInfo],
    pub verilog: &'a str,
    /// A memory in the core that the bench accesses.
    pub memory: Option<&'a MemoryInCore>,
}

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
    #[error("{program} failed on the generated core ({status}):\n{output}")]
    Failed { program: String, status: String, output: String },
}

struct Tools {
    verilator: PathBuf,
    cxx: PathBuf,
    versions: [String; 2],
    /// The folder of Verilator's headers and runtime.
    include: PathBuf,
}

impl Tools {
    /// They are found once: Verilator is a script, and to start it takes a twentieth of a second.
    fn find() -> Result<&'static Self, BuildError> {
        static FOUND: OnceLock<Tools> = OnceLock::new();
        if let Some(tools) = FOUND.get() {
            return Ok(tools);
        }
        let verilator = tools::find(Tool::Verilator)?;
        let cxx = tools::find(Tool::Cxx)?;
        let versions = [tools::version(Tool::Verilator, &verilator)?, tools::version(Tool::Cxx, &cxx)?];
        let root = run(Command::new(&verilator).args(["--getenv", "VERILATOR_ROOT"]))?;
        let include = Path::new(root.trim()).join("include");
        Ok(FOUND.get_or_init(|| Self { verilator, cxx, versions, include }))
    }

    fn compiler(&self) -> Command {
        let mut command = Command::new(&self.cxx);
        command.args(OBJECT_FLAGS).arg("-I").arg(&self.include).arg("-I").arg(self.include.join("vltstd"));
        command
    }
}

/// Part of every cache key: change it with every change in this file that affects the result.
const RECIPE: &str = "3";

/// Optimisation level of cold files.
const COLD: &str = "-O0";

/// File name of the header that is precompiled.
const HEADER: &str = "model.h";

const OBJECT_FLAGS: [&str; 10] = [
    "-std=gnu++17",
    "-fPIC",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-fno-gnu-unique",
    "-fcf-protection=none",
    "-faligned-new",
    "-DVL_USER_FATAL",
    "-DVERILATOR=1",
    "-w",
];

const VERILATOR_FLAGS: [&str; 10] = [
    "--cc",
    "-O3",
    "--assert",
    "--x-assign",
    "unique",
    "--x-initial",
    "unique",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
];

/// The shared object of a core, from the cache if possible.
pub(super) fn shared_object(
    cache: &Cache,
    source: &Source<'_>,
    extra: Extra,
    effort: Effort,
) -> Result<PathBuf, BuildError> {
    let tools = Tools::find()?;
    let harness = harness::text(source.top, source.ports, source.memory, extra);
    let optimise = match effort {
        Effort::Fast => "-O1",
        Effort::Quick => COLD,
    };
    let flags = VERILATOR_FLAGS.iter().chain(&OBJECT_FLAGS).copied();
    let configuration = harness::verilator_configuration(source.top, source.memory);
    let parts = [RECIPE, without_head(source.verilog), &configuration, &harness, extra.name(), optimise].into_iter();
    let key = Key::of(parts.chain(flags).chain(tools.versions.iter().map(String::as_str)));
    let folder = cache.entry("models", &key, |folder| {
        let work = folder.join("work");
        verilate(tools, source, &configuration, extra, &work)?;
        let runtime = runtime(cache, tools, extra)?;
        let harness_file = work.join("harness.cpp");
        fs::write(&harness_file, harness).map_err(io_error(&harness_file))?;
        let headers = Headers::in_cache(cache, tools, extra, optimise)?;
        let units = match effort {
            Effort::Fast => translation_units(&work, &headers)?,
            Effort::Quick => vec![unit(&work, 0, &files_with_extension(&work, "cpp")?, COLD, &headers.cold)?],
        };
        compile(tools, &units)?;
        let objects = units.iter().map(|unit| unit.source.with_extension("o")).chain(object_files(&runtime)?);
        let mut link = Command::new(&tools.cxx);
        link.args(["-shared", "-Wl,-Bsymbolic", "-o"]).arg(folder.join("model.so"));
        run(link.args(objects).args(["-pthread", "-lz"]))?;
        fs::remove_dir_all(&work).map_err(io_error(&work))
    })?;
    Ok(folder.join("model.so"))
}

/// The text below the comment at the top, which names the configuration: a new key makes no model stale.
fn without_head(verilog: &str) -> &str {
    let head: usize = verilog.split_inclusive('\n').take_while(|line| line.starts_with("//")).map(str::len).sum();
    &verilog[head..]
}

fn verilate(
    tools: &Tools,
    source: &Source<'_>,
    configuration: &str,
    extra: Extra,
    work: &Path,
) -> Result<(), BuildError> {
    let verilog = work.join("core.v");
    fs::create_dir(work).map_err(io_error(work))?;
    fs::write(&verilog, source.verilog).map_err(io_error(&verilog))?;
    let mut verilator = Command::new(&tools.verilator);
    verilator.args(VERILATOR_FLAGS).args(["--top-module", source.top, "--Mdir"]).arg(work);
    let file = work.join("core.vlt");
    fs::write(&file, configuration).map_err(io_error(&file))?;
    verilator.arg(&file).args(extra.verilator_flags());
    run(verilator.arg(&verilog)).map(drop)
}

/// Construction, reset of state and the tables of a waveform: run once, large.
fn is_cold(file: &Path) -> bool {
    file.file_stem()
        .and_then(OsStr::to_str)
        .is_some_and(|stem| stem.ends_with("__Slow") || stem.ends_with("__Syms") || stem == "harness")
}

/// What one process of the compiler makes.
struct Unit<'a> {
    source: PathBuf,
    optimise: &'a str,
    header: Option<&'a Path>,
}

/// The header that every unit of a model begins with, precompiled at the level of the unit.
struct Headers<'a> {
    optimise: &'a str,
    hot: PathBuf,
    cold: PathBuf,
}

impl<'a> Headers<'a> {
    fn in_cache(cache: &Cache, tools: &Tools, extra: Extra, optimise: &'a str) -> Result<Self, BuildError> {
        let text = harness::header(extra);
        let header = |optimise: &str| -> Result<PathBuf, BuildError> {
            let parts = [text, optimise].into_iter().chain(OBJECT_FLAGS);
            let key = Key::of(parts.chain(tools.versions.iter().map(String::as_str)));
            let folder = cache.entry("headers", &key, |folder| {
                let file = folder.join(HEADER);
                fs::write(&file, text).map_err(io_error(&file))?;
                let mut command = tools.compiler();
                command.arg(optimise).args(["-x", "c++-header"]).arg(&file);
                run(command.arg("-o").arg(folder.join(HEADER).with_extension("h.gch"))).map(drop)
            })?;
            Ok(folder.join(HEADER))
        };
        Ok(Self { optimise, hot: header(optimise)?, cold: header(COLD)? })
    }
}

/// Gathers the generated files into a few units of about equal size, the hot ones first.
fn translation_units<'a>(work: &Path, headers: &'a Headers<'_>) -> Result<Vec<Unit<'a>>, BuildError> {
    let size = |file: &PathBuf| file.metadata().map_or(0, |metadata| metadata.len());
    let (cold, mut hot): (Vec<_>, Vec<_>) =
        files_with_extension(work, "cpp")?.into_iter().partition(|file| is_cold(file));
    hot.sort_by_key(|file| std::cmp::Reverse(size(file)));
    let mut groups = vec![(0, Vec::new()); processors()];
    for file in hot {
        if let Some((bytes, files)) = groups.iter_mut().min_by_key(|(bytes, _)| *bytes) {
            *bytes += size(&file);
            files.push(file);
        }
    }
    let hot = groups.into_iter().map(|(_, files)| (true, files));
    let gathered = hot.chain([(false, cold)]).filter(|(_, files)| !files.is_empty()).enumerate();
    gathered
        .map(|(number, (hot, files))| {
            let (optimise, header) = if hot { (headers.optimise, &headers.hot) } else { (COLD, &headers.cold) };
            unit(work, number, &files, optimise, header)
        })
        .collect()
}

fn unit<'a>(
    work: &Path,
    number: usize,
    files: &[PathBuf],
    optimise: &'a str,
    header: &'a Path,
) -> Result<Unit<'a>, BuildError> {
    let include = |file: &PathBuf| format!("#include \"{}\"\n", file.display());
    let source = work.join(format!("unit{number}.cxx"));
    fs::write(&source, files.iter().map(include).collect::<String>()).map_err(io_error(&source))?;
    Ok(Unit { source, optimise, header: Some(header) })
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn runtime(cache: &Cache, tools: &Tools, extra: Extra) -> Result<PathBuf, BuildError> {
    let files = extra.runtime();
    let key = Key::of(files.iter().chain(&OBJECT_FLAGS).copied().chain(tools.versions.iter().map(String::as_str)));
    cache.entry("runtime", &key, |folder| {
        let mut units = Vec::new();
        for name in files {
            let source = folder.join(name).with_extension("cxx");
            fs::write(&source, format!("#include <{name}.cpp>\n")).map_err(io_error(&source))?;
            units.push(Unit { source, optimise: "-O2", header: None });
        }
        compile(tools, &units)
    })
}

/// Compiles each unit to an object in the same folder, one process per processor.
fn compile(tools: &Tools, units: &[Unit<'_>]) -> Result<(), BuildError> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..processors().min(units.len()) {
            scope.spawn(|| {
                while let Some(Unit { source, optimise, header }) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut command = tools.compiler();
                    command
                        .arg(optimise)
                        .args(header.iter().flat_map(|header| [OsStr::new("-include"), header.as_os_str()]));
                    command.arg("-c").arg(source);
                    if let Err(error) = run(command.arg("-o").arg(source.with_extension("o"))) {
                        next.store(units.len(), Ordering::Relaxed);
                        failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
                    }
                }
            });
        }
    });
    failure.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).map_or(Ok(()), Err)
}

fn object_files(folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    files_with_extension(folder, "o")
}

fn files_with_extension(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, BuildError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(io_error(folder))? {
        let path = entry.map_err(io_error(folder))?.path();
        if path.extension() == Some(OsStr::new(extension)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Runs a program to its end; returns its stdout.
fn run(command: &mut Command) -> Result<String, BuildError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|source| BuildError::Io { what: program.clone(), source })?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let said = format!("{}{stdout}", String::from_utf8_lossy(&output.stderr));
    Err(BuildError::Failed {
        program,
        status: output.status.to_string(),
        output: said.lines().take(20).collect::<Vec<_>>().join("\n"),
    })
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> BuildError {
    move |source| BuildError::Io { what: path.display().to_string(), source }
}
