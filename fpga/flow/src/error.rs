//! Why a core has no area.

use std::io;
use std::path::{Path, PathBuf};

use tools::ToolError;
use tools::cache::CacheError;

use crate::netlist::NetlistError;
use crate::statistics::StatisticsError;
use crate::timing::ReportError;

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
        option: &'static str,
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
        file: String,
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
