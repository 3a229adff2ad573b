//! The synthesis of a core or a module of it for an ECP5.

use std::io;
use std::path::PathBuf;

use cores::Core;
use testbench::cache::{Cache, CacheError};
use testbench::tools::ToolError;
use weft_config::{Config, RAM_BASE, nearest};

use crate::area::{Area, Cells, ModuleArea};
use crate::statistics::{self, FIRST_CARRY, StatisticsError, Types};
use crate::yosys::{RESULT, Task, Yosys};

/// What to synthesise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// One module of the core with all below it, instead of the core.
    pub module: Option<&'a str>,
    /// Each module by itself only, not the flattened whole.
    pub per_module: bool,
    /// Logic is mapped for this clock frequency, in MHz, and for few LUTs where that leaves room; otherwise, as
    /// `synth_ecp5` does by itself, for the shortest delay.
    pub target_mhz: Option<u32>,
}

/// A core without an area.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    /// The core cannot be elaborated.
    #[error(transparent)]
    Core(#[from] cores::CoreError),
    /// Yosys is missing.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The core has no such module.
    #[error("--module {name}: the core has no such module; {hint}")]
    UnknownModule {
        /// The name asked for.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// A file cannot be written or read, or Yosys not started.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or program.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Yosys ends without a result.
    #[error("{} failed on {what} ({status}); its log: {log}; the last of it:\n{last}", .program.display())]
    Failed {
        /// Yosys.
        program: PathBuf,
        /// What it was to synthesise.
        what: String,
        /// How it ended.
        status: String,
        /// The last lines that it wrote.
        last: String,
        /// The file with all that it wrote.
        log: String,
    },
    /// Yosys reports something else than the cells of the part.
    #[error("{version}: {source}")]
    Statistics {
        /// The version of Yosys.
        version: String,
        /// What is wrong.
        source: StatisticsError,
    },
}

impl SynthesisError {
    /// A short name of the kind of error, for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Core(_) => "configuration",
            Self::Tool(_) => "tool-missing",
            Self::Cache(_) | Self::Io { .. } => "cache",
            Self::UnknownModule { .. } => "unknown-module",
            Self::Failed { .. } | Self::Statistics { .. } => "synthesis",
        }
    }
}

/// Synthesises the core of a configuration, without its trace port, for an ECP5: all of these have the same cells.
/// `progress` is told in words what runs, four times a second.
///
/// # Errors
/// See [`SynthesisError`].
pub fn synthesise(
    config: &Config,
    request: Request<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Area, SynthesisError> {
    let mut config = config.clone();
    config.trace.port = false;
    let core = cores::elaborate(&config, RAM_BASE)?;
    let whole = match request.module {
        Some(name) => core.part(name).ok_or_else(|| unknown_module(name, &core.modules()))?,
        None => core,
    };
    let target_mhz = request.target_mhz;
    let mut tool = Synthesiser { yosys: Yosys::find()?, cache: Cache::of_user(), target_mhz, progress };
    let modules = tool.modules(&whole)?;
    let flattened = if request.per_module { None } else { Some(tool.flattened(&whole)?) };
    let (top, yosys) = (whole.name().to_owned(), tool.yosys.version().to_owned());
    Ok(Area { config, top, target_mhz, flattened, modules, yosys })
}

/// Names of the files that the scripts read.
const TOP: &str = "top.v";
const BELOW: &str = "below.v";

/// Selects the carry cells whose carry comes from another one. Selections follow whole wires, which are cut into bits.
const MARK_CHAINS: &str = "splitnets -ports
select -set carries t:CCU2C
select -set following @carries %co1:+[COUT] @carries %d %co1:+CCU2C[CIN] @carries %i
";

/// Yosys, and what it needs for a run.
struct Synthesiser<'a> {
    yosys: Yosys,
    cache: Cache,
    target_mhz: Option<u32>,
    progress: &'a mut dyn FnMut(&str),
}

impl Synthesiser<'_> {
    /// Each module of a hierarchy, synthesised apart: the ones below are black boxes. So each is cached by itself, and
    /// the memory of Yosys has to hold one alone.
    fn modules(&mut self, whole: &Core) -> Result<Vec<ModuleArea>, SynthesisError> {
        let names = whole.modules();
        let mut types = Types::new();
        for (index, part) in names.iter().filter_map(|name| whole.part(name)).enumerate() {
            let mut below: Vec<String> = part.files().iter().map(|(_, text)| without_header(text)).collect();
            let mut files = Vec::from_iter(below.pop().map(|text| (TOP, text)));
            if !below.is_empty() {
                files.push((BELOW, below.concat()));
            }
            let what = format!("{} ({} of {})", part.name(), index + 1, names.len());
            types.extend(self.run(part.name(), &files, &what)?);
        }
        statistics::modules(&types, whole.name()).map_err(|source| self.misread(source))
    }

    /// The cells of a flattened hierarchy.
    fn flattened(&mut self, whole: &Core) -> Result<Cells, SynthesisError> {
        let name = whole.name();
        let types = self.run(name, &[(TOP, without_header(&whole.all_in_one()))], &format!("{name}, flattened"))?;
        let modules = statistics::modules(&types, name).map_err(|source| self.misread(source))?;
        Ok(modules.iter().map(|module| module.cells).sum())
    }

    fn run(&mut self, top: &str, files: &[(&'static str, String)], what: &str) -> Result<Types, SynthesisError> {
        let black_boxes = if files.iter().any(|(name, _)| *name == BELOW) {
            format!("read_verilog -lib {BELOW}\n")
        } else {
            String::new()
        };
        let delay = self.target_mhz.map_or(String::new(), |mhz| {
            let picoseconds = 1_000_000 / mhz.max(1);
            format!("scratchpad -set abc9.D {picoseconds}\n")
        });
        // Yosys 0.23 puts the hierarchy below a module marked as top, as text, into what should be JSON.
        let script = format!(
            "{black_boxes}read_verilog {TOP}\n{delay}synth_ecp5 -top {top}\nsetattr -mod -unset top {top}\n\
             {MARK_CHAINS}chtype -set {FIRST_CARRY} @carries @following %d\ntee -q -o {RESULT} stat -json\n"
        );
        let report = self.yosys.run(&self.cache, &Task { what, files, script: &script }, self.progress)?;
        statistics::read(&report).map_err(|source| self.misread(source))
    }

    fn misread(&self, source: StatisticsError) -> SynthesisError {
        SynthesisError::Statistics { version: self.yosys.version().to_owned(), source }
    }
}

/// The text of a module without the comment at its head, which names the configuration: modules that cores of several
/// configurations share are synthesised once.
fn without_header(text: &str) -> String {
    text.lines().skip_while(|line| line.starts_with("//")).flat_map(|line| [line, "\n"]).collect()
}

fn unknown_module(name: &str, known: &[String]) -> SynthesisError {
    let hint = match nearest(name, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("its modules are `{}`", known.join("`, `")),
    };
    SynthesisError::UnknownModule { name: name.to_owned(), hint }
}
