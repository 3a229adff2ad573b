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

/// Formats a number of things: "1 step", "2 steps".
pub fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
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

    /// Prints `object` with `--json`, else `text`. Returns success, for commands that have no other verdict.
    pub fn answer(&self, text: &str, object: impl FnOnce() -> Value) -> anyhow::Result<Verdict> {
        let answer = if self.json { object().to_string() } else { text.trim_end_matches('\n').to_owned() };
        tolerate_closed_pipe(writeln!(io::stdout(), "{answer}").and_then(|()| io::stdout().flush()), ())
            .map_err(|error| RequestError::new("unwritable-output", format!("stdout: cannot write: {error}")))?;
        Ok(Verdict::Success)
    }

    pub fn clap(&self, answer: &clap::Error) -> anyhow::Result<Verdict> {
        let text = answer.render();
        match answer.kind() {
            ClapKind::DisplayHelp if self.json => self.answer("", || json!({ "help": text.to_string() })),
            ClapKind::DisplayVersion if self.json => self.answer("", version::object),
            ClapKind::DisplayHelp | ClapKind::DisplayVersion => {
                let _ = answer.print();
                Ok(Verdict::Success)
            }
            _ => {
                let text = text.to_string();
                let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
                Err(RequestError::new("usage", message).into())
            }
        }
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

/// A reader that closes the pipe, as in `weft config | head -1`, is not an error: `all` was then written.
pub fn tolerate_closed_pipe<T>(result: io::Result<T>, all: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(all),
        other => other,
    }
}
