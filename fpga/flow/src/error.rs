//! Errors of synthesis, place and route.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use tools::ToolError;
use tools::cache::CacheError;

#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    #[error(transparent)]
    Core(#[from] cores::CoreError),
    #[error(transparent)]
    Elaboration(#[from] rtl::ElaborationError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error("{option}: not for {part}; {families}: {parts}", parts = .parts.join(", "))]
    Unsupported {
        option: &'static str,
        part: &'static str,
        /// The common property of the supported parts.
        families: &'static str,
        parts: Vec<&'static str>,
    },
    #[error(
        "--board {board}: Weft cannot build it; it builds: {}; `weft emit --board {board}` writes a project for \
         the tools of its maker",
        .built.join(", ")
    )]
    NotBuiltHere { board: &'static str, built: Vec<&'static str> },
    #[error("--module {name}: the core has no such module; {hint}")]
    UnknownModule {
        name: String,
        /// The nearest name, or all names.
        hint: String,
    },
    /// A file cannot be written or read, or a tool cannot start.
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} failed on {what} ({status}); its log: {log}; its last lines:\n{last}", .program.display())]
    Failed {
        program: PathBuf,
        /// The task of the tool.
        what: String,
        /// The exit status in words.
        status: String,
        /// The last lines of output.
        last: String,
        log: String,
    },
    /// A single module needs more memory than Yosys has.
    #[error("{what}: Yosys has too little memory; a native Yosys (WEFT_YOSYS) has more than one in WebAssembly")]
    OutOfMemory { what: String },
    /// The output of a tool is not as expected.
    #[error("{version}: {source}")]
    Misread { version: String, source: Box<dyn Error + Send + Sync> },
    #[error("{}: {source}; the entry is damaged: remove it, or empty the cache with `weft cache clean`", .folder.display())]
    Damaged { folder: PathBuf, source: Box<SynthesisError> },
    #[error("`divergence.file`: Yosys cannot read it; expected Verilog 2005: {said}")]
    NotUnderstood {
        /// The message of Yosys.
        said: String,
    },
    #[error("`divergence.module` = \"{module}\": there is no such module in {file}; {hint}")]
    NoUnit {
        file: String,
        module: String,
        /// The nearest name, or all names.
        hint: String,
    },
    /// A tool removed a part of the core, so its result does not apply to the core.
    #[error(
        "{version}: only {found} of {expected} {kind} of the core remain behind pins; its frequency would be wrong"
    )]
    Lost { version: String, kind: &'static str, expected: u64, found: u64 },
}

impl SynthesisError {
    pub(crate) fn misread(version: &str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Misread { version: version.to_owned(), source: source.into() }
    }

    /// Adds that the cause is a damaged entry in a folder of the cache.
    pub(crate) fn in_cache(self, folder: &Path) -> Self {
        Self::Damaged { folder: folder.to_owned(), source: Box::new(self) }
    }

    /// Returns a short name of the kind of error, for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Core(_) | Self::Elaboration(_) | Self::NotUnderstood { .. } | Self::NoUnit { .. } => "configuration",
            Self::Tool(_) => "tool-missing",
            Self::Cache(_) | Self::Io { .. } | Self::Damaged { .. } => "cache",
            Self::Unsupported { .. } | Self::NotBuiltHere { .. } => "usage",
            Self::UnknownModule { .. } => "unknown-module",
            Self::Failed { .. } | Self::OutOfMemory { .. } | Self::Misread { .. } | Self::Lost { .. } => "synthesis",
        }
    }
}
