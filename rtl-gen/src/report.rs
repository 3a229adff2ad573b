//! Output to stdout and stderr: text, or one JSON object.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind as ClapKind;
use serde_json::{Value, json};

use crate::error::RequestError;
use crate::{Verdict, error, version};

/// Makes the JSON of a path; bytes that are not UTF-8 are lost.
pub fn path(path: &Path) -> Value {
    json!(path.display().to_string())
}

pub struct Report {
    json: bool,
}

impl Report {
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints `object` with `--json`, else `text`.
    pub fn answer(&self, text: &str, object: impl FnOnce() -> Value) -> anyhow::Result<()> {
        let answer = if self.json { object().to_string() } else { text.trim_end_matches('\n').to_owned() };
        tolerate_closed_pipe(writeln!(io::stdout(), "{answer}").and_then(|()| io::stdout().flush()))
            .map_err(|error| RequestError::new("unwritable-output", format!("stdout: cannot write: {error}")).into())
    }

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
        // The text of an error already contains its sources.
        let message = error.to_string();
        // If stdout or stderr is closed, the error cannot be reported.
        let _ = if self.json {
            let object = json!({ "error": { "kind": error::kind(error), "message": message } });
            writeln!(io::stdout(), "{object}")
        } else {
            writeln!(io::stderr(), "error: {}", message.trim_end())
        };
        ExitCode::from(2)
    }
}

/// A reader that closes the pipe, as in `weft config | head -1`, is not an error.
pub fn tolerate_closed_pipe(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
