//! Request errors: a request that cannot be met. Each has one message and exit status 2.

use std::fmt::Display;
use std::io;
use std::path::Path;

use boards::BoardError;
use flow::SynthesisError;
use fuzz::build::AssembleError;
use fuzz::campaign::{CampaignError, FolderError};
use fuzz::reference::ReferenceError;
use fuzz::trial::TrialError;
use kernels::KernelError;
use sim::ElfError;
use testbench::BenchError;
use tools::ToolError;
use tools::cache::CacheError;
use weft_config::ConfigError;

/// A request error that no library reports.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    kind: &'static str,
    message: String,
}

impl RequestError {
    /// Makes an error with a kind for programs and a message for people.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::new("unreadable-file", format!("{}: cannot read: {error}", path.display()))
    }

    pub fn unwritable(path: &Path, reason: impl Display) -> Self {
        Self::new("unwritable-output", format!("{}: cannot write: {reason}", path.display()))
    }
}

/// Returns the kind of an error for `{"error":{"kind",…}}`.
pub fn kind(error: &anyhow::Error) -> &'static str {
    let of = |cause: &(dyn std::error::Error + 'static)| {
        None.or_else(|| Some(cause.downcast_ref::<RequestError>()?.kind))
            .or_else(|| Some(cause.downcast_ref::<ConfigError>()?.kind()))
            .or_else(|| cause.downcast_ref::<ElfError>().map(|_| "bad-elf"))
            .or_else(|| cause.downcast_ref::<KernelError>().map(kind_of_kernel_error))
            .or_else(|| Some(cause.downcast_ref::<BenchError>()?.kind()))
            .or_else(|| Some(cause.downcast_ref::<SynthesisError>()?.kind()))
            .or_else(|| cause.downcast_ref::<ToolError>().map(|_| "tool-missing"))
            .or_else(|| cause.downcast_ref::<CacheError>().map(|_| "cache"))
            .or_else(|| cause.downcast_ref::<BoardError>().map(|_| "configuration"))
            .or_else(|| cause.downcast_ref::<CampaignError>().map(kind_of_campaign_error))
            .or_else(|| cause.downcast_ref::<cores::CoreError>().map(|_| "configuration"))
    };
    error.chain().find_map(of).unwrap_or("internal")
}

fn kind_of_campaign_error(error: &CampaignError) -> &'static str {
    match error {
        CampaignError::Folder(FolderError::Io { .. }) => "unwritable-output",
        CampaignError::Folder(FolderError::Occupied { .. } | FolderError::Foreign { .. }) => "folder-not-empty",
        CampaignError::Folder(FolderError::InUse { .. }) => "folder-in-use",
        CampaignError::Folder(_) => "other-campaign",
        CampaignError::Trial(TrialError::Bench(error)) => error.kind(),
        CampaignError::Trial(TrialError::Program(_)) => "internal",
        CampaignError::Assemble(AssembleError::Tool(_)) | CampaignError::Reference(ReferenceError::Tool(_)) => {
            "tool-missing"
        }
        CampaignError::Assemble(_) => "internal",
        CampaignError::Reference(_) => "reference",
    }
}

/// Returns the kind of an error of the bundled kernels.
pub fn kind_of_kernel_error(error: &KernelError) -> &'static str {
    match error {
        KernelError::Unknown { .. } => "unknown-kernel",
        KernelError::Tool(_) => "tool-missing",
        KernelError::Compiler { .. } => "compiler",
        KernelError::Cache(_) => "cache",
        KernelError::Write { .. } => "unwritable-output",
    }
}
