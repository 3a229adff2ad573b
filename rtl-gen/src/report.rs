//! What goes to stdout and stderr: text for people, or one JSON object for machines.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind as ClapKind;
use serde_json::{Value, json};

use crate::error::RequestError;
use crate::{Verdict, error, version};

/// A path as JSON has it: in text, of which bytes that are no characters are lost.
pub fn path(path: &Path) -> Value {
    json!(path.display().to_string())
}

/// Where answers go.
pub struct Report {
    json: bool,
}

impl Report {
    /// Answers as one JSON object, or as text.
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether stdout is for one JSON object alone.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Answers: `object` with `--json`, else `text`.
    pub fn answer(&self, text: &str, object: impl FnOnce() -> Value) -> anyhow::Result<()> {
        let answer = if self.json { object().to_string() } else { text.trim_end_matches('\n').to_owned() };
        tolerate_closed_pipe(writeln!(io::stdout(), "{answer}").and_then(|()| io::stdout().flush()))
            .map_err(|error| RequestError::new("unwritable-output", format!("stdout: cannot write: {error}")).into())
    }

    /// What clap answers by itself: help, version, and errors of usage.
    pub fn clap(&self, answer: &clap::Error) -> anyhow::Result<Verdict> {
        let text = answer.render();
        match answer.kind() {
            ClapKind::DisplayHelp if self.json => self.answer("", || json!({ "help": text.to_string() }))?,
            ClapKind::DisplayVersion if self.json => self.answer("", version::object)?,
            ClapKind::DisplayHelp | ClapKind::DisplayVersion => {
                let _ = answer.print();
            }
            _ => {
                let text = text.to_string();
                let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
                return Err(RequestError::new("usage", message).into());
            }
        }
        Ok(Verdict::Success)
    }

    /// Reports a request error; its exit status is 2.
    pub fn request_error(&self, error: &anyhow::Error) -> ExitCode {
        // Each error says all by itself: its sources are part of its text.
        let message = error.to_string();
        // Nowhere is left to report that stdout or stderr is closed.
        let _ = if self.json {
            let object = json!({ "error": { "kind": error::kind(error), "message": message } });
            writeln!(io::stdout(), "{object}")
        } else {
            writeln!(io::stderr(), "error: {}", message.trim_end())
        };
        ExitCode::from(2)
    }
}

/// A reader that has seen enough, as in `weft config | head -1`, is no error.
pub fn tolerate_closed_pipe(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
