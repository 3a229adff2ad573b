//! From a configuration to the area of its core and the clock frequency that it reaches.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cores::Core;
use rtl::Module;
use tools::ToolError;
use tools::cache::{Cache, CacheError};
use weft_config::{Config, RAM_BASE, nearest};

use crate::area::Area;
use crate::mapping::{Mapper, Netlist};
use crate::netlist::NetlistError;
use crate::nextpnr::{Nextpnr, Placer};
use crate::part::{PARTS, Part};
use crate::pins::PINS;
use crate::placing;
use crate::statistics::StatisticsError;
use crate::timing::ReportError;
use crate::yosys::Yosys;

/// What to synthesise.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The FPGA.
    pub part: &'static Part,
    /// One module of the core with all below it, instead of the core.
    pub module: Option<&'a str>,
    /// Each module by itself only, not the flattened whole. What is placed then are the modules next to the top, each
    /// flattened with all below it.
    pub per_module: bool,
    /// Logic is mapped for this clock frequency, in MHz, and for few LUTs where that leaves room; otherwise, as
    /// `synth_ecp5` does by itself, for the shortest delay.
    pub target_mhz: Option<u32>,
    /// Place and route, once with each seed from 1 to this.
    pub seeds: Option<u32>,
    /// How to place.
    pub placer: Placer,
    /// After how long of placing and routing a seed is given up.
    pub patience: Option<Duration>,
}

/// A core without an area.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    /// The core cannot be elaborated.
    #[error(transparent)]
    Core(#[from] cores::CoreError),
    /// The module around it cannot.
    #[error(transparent)]
    Elaboration(#[from] rtl::ElaborationError),
    /// Yosys or nextpnr is missing.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// What was asked for is not built for the part.
    #[error("{option}: not for {part}; {families}: {parts}", parts = .parts.join(", "))]
    Unsupported {
        /// The option.
        option: &'static str,
        /// The part.
        part: &'static str,
        /// What the parts that it is for have in common.
        families: &'static str,
        /// Those parts.
        parts: Vec<&'static str>,
    },
    /// Nothing here places the FPGA of a board.
    #[error(
        "--board {board}: Weft cannot build it; those that it builds: {}; `weft emit --board {board}` writes a project for \
         the tools of its maker",
        .built.join(", ")
    )]
    NotBuiltHere {
        /// The board.
        board: &'static str,
        /// The boards that can be built.
        built: Vec<&'static str>,
    },
    /// The core has no such module.
    #[error("--module {name}: the core has no such module; {hint}")]
    UnknownModule {
        /// The name asked for.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// A file cannot be written or read, or a tool not started.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or program.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A tool ends without a result.
    #[error("{} failed on {what} ({status}); its log: {log}; the last of it:\n{last}", .program.display())]
    Failed {
        /// The tool.
        program: PathBuf,
        /// What it was to do.
        what: String,
        /// How it ended.
        status: String,
        /// The last lines that it wrote.
        last: String,
        /// The file with all that it wrote.
        log: String,
    },
    /// A module by itself takes more memory than Yosys has.
    #[error(
        "{what}: it takes more memory than Yosys has; a native Yosys (WEFT_YOSYS) has more than one in WebAssembly"
    )]
    OutOfMemory {
        /// The module.
        what: String,
    },
    /// Yosys reports something else than the cells of the part.
    #[error("{version}: {source}")]
    Statistics {
        /// The version of Yosys.
        version: String,
        /// What is wrong.
        source: StatisticsError,
    },
    /// Yosys wrote another netlist than expected.
    #[error("{version}: {source}")]
    Netlist {
        /// The version of Yosys.
        version: String,
        /// What is wrong.
        source: NetlistError,
    },
    /// What the cache has kept is not what was put there.
    #[error("{}: {source}; it was damaged since it was kept: remove it, or empty the cache with `weft cache clean`", .folder.display())]
    Damaged {
        /// The folder of the entry.
        folder: PathBuf,
        /// What is wrong.
        source: Box<SynthesisError>,
    },
    /// Yosys lists modules in another way than expected.
    #[error("{version}: not a list of modules: {source}")]
    Modules {
        /// The version of Yosys.
        version: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The file of a unit in Verilog is none.
    #[error("`divergence.file`: Yosys does not understand it; expected Verilog 2005: {said}")]
    NotUnderstood {
        /// What it says.
        said: String,
    },
    /// The file of a unit in Verilog does not have its module.
    #[error("`divergence.module` = \"{module}\": there is no such module in {file}; {hint}")]
    NoUnit {
        /// The file.
        file: String,
        /// The module.
        module: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// nextpnr wrote another report than expected.
    #[error("{version}: {source}")]
    Report {
        /// The version of nextpnr.
        version: String,
        /// What is wrong.
        source: ReportError,
    },
    /// A tool left out a part of the core, so that what it says is not about the core.
    #[error(
        "{version}: {found} {kind} of {expected} are left of the core behind pins; its frequency would be that of less"
    )]
    Lost {
        /// The version of the tool.
        version: String,
        /// What was lost.
        kind: &'static str,
        /// How many there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
}

impl SynthesisError {
    /// The same error, of what is kept in a folder of the cache.
    pub(crate) fn in_cache(self, folder: &Path) -> Self {
        Self::Damaged { folder: folder.to_owned(), source: Box::new(self) }
    }

    /// A short name of the kind of error, for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Core(_) | Self::Elaboration(_) | Self::NotUnderstood { .. } | Self::NoUnit { .. } => "configuration",
            Self::Tool(_) => "tool-missing",
            Self::Cache(_) | Self::Io { .. } | Self::Damaged { .. } => "cache",
            Self::Unsupported { .. } | Self::NotBuiltHere { .. } => "usage",
            Self::UnknownModule { .. } => "unknown-module",
            Self::Failed { .. }
            | Self::OutOfMemory { .. }
            | Self::Statistics { .. }
            | Self::Netlist { .. }
            | Self::Modules { .. }
            | Self::Report { .. }
            | Self::Lost { .. } => "synthesis",
        }
    }
}

/// Synthesises the core of a configuration, without its trace port, for a part, and places it there if that is asked
/// for. `progress` is told in words what runs, several times a second.
///
/// # Errors
/// See [`SynthesisError`]. That a core does not fit, or takes more memory than the tools have, is a result.
pub fn synthesise(
    config: &Config,
    request: Request<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Area, SynthesisError> {
    check(&request)?;
    let mut config = config.clone();
    config.trace.port = false;
    let core = cores::elaborate(&config, RAM_BASE)?.without_prefix();
    let whole = match request.module {
        Some(name) => core.part(name).ok_or_else(|| unknown_module(name, &core.modules()))?,
        None => core,
    };
    // Both tools are looked for before either works for minutes.
    let nextpnr = request.seeds.map(|seeds| Ok::<_, ToolError>((Nextpnr::find()?, seeds))).transpose()?;
    let yosys = Yosys::find()?;
    let version = yosys.version().to_owned();
    let Request { part, target_mhz, placer, patience, per_module, .. } = request;
    let cache = Cache::of_user();
    let mut mapper = Mapper { yosys, cache: cache.clone(), family: part.family, target_mhz, progress };
    let mut area = Area {
        modules: mapper.modules(&whole)?,
        config,
        top: whole.name(),
        part,
        target_mhz,
        flattened: None,
        out_of_memory: false,
        yosys: version.clone(),
        placing: None,
        placings: Vec::new(),
    };
    let place = |mapper: &mut Mapper<'_>, whole: &Core, netlist: &Netlist| {
        let Some((nextpnr, seeds)) = &nextpnr else { return Ok(None) };
        let (yosys, constraints) = (&version[..], None);
        let task = placing::Task { netlist, whole, top: PINS, part, target_mhz, placer, patience, yosys, constraints };
        placing::place(nextpnr, &cache, &task, *seeds, mapper.progress).map(Some)
    };
    if per_module && nextpnr.is_some() {
        for name in outermost(whole.module()) {
            let Some(module) = whole.part(&name) else { continue };
            match mapper.behind_pins(&module)? {
                Some(netlist) => {
                    let placing = place(&mut mapper, &module, &netlist)?;
                    area.placings.extend(placing.map(|placing| (name, placing)));
                }
                None => area.out_of_memory = true,
            }
        }
    } else if nextpnr.is_some() {
        match mapper.behind_pins(&whole)? {
            Some(netlist) => {
                area.flattened = Some(netlist.cells);
                area.placing = place(&mut mapper, &whole, &netlist)?;
            }
            None => area.out_of_memory = true,
        }
    } else if !per_module {
        area.flattened = mapper.flattened(&whole)?;
        area.out_of_memory = area.flattened.is_none();
    }
    Ok(area)
}

/// Names of the modules next to the top, and of those next to the pipeline of a core with memory; of a module without
/// others below it, its own.
fn outermost(top: &Module) -> Vec<String> {
    let mut names = Vec::new();
    for (_, module) in top.parts() {
        let inner = if module.name() == cores::PIPELINE { outermost(&module) } else { vec![module.name().to_owned()] };
        names.extend(inner.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    if names.is_empty() { vec![top.name().to_owned()] } else { names }
}

/// Whether the part is one for which all of this is built.
fn check(request: &Request<'_>) -> Result<(), SynthesisError> {
    let family = request.part.family;
    let unsupported = |option, families, supported: fn(&Part) -> bool| {
        let parts = PARTS.iter().filter(|part| supported(part)).map(|part| part.name).collect();
        Err(SynthesisError::Unsupported { option, part: request.part.name, families, parts })
    };
    match request {
        Request { seeds: Some(_), .. } if !family.places => {
            unsupported("--pnr", "it is synthesis only; placed are", |part| part.family.places)
        }
        Request { target_mhz: Some(_), .. } if !family.maps_for_frequency => {
            unsupported("--target-mhz", "mapped for a frequency are", |part| part.family.maps_for_frequency)
        }
        _ => Ok(()),
    }
}

fn unknown_module(name: &str, known: &[String]) -> SynthesisError {
    let hint = match nearest(name, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("its modules are `{}`", known.join("`, `")),
    };
    SynthesisError::UnknownModule { name: name.to_owned(), hint }
}
