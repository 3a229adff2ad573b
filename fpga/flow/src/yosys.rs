//! Runs a script of Yosys on some files, once. The build cache keeps the results.

use std::fs;
use std::path::{Path, PathBuf};

use tools::cache::{Cache, Key};
use tools::{Tool, ToolError};

use crate::error::SynthesisError;
use crate::process::{Program, at};

const SCRIPT: &str = "script.ys";
const LOG: &str = "yosys.log";

#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// A name for messages.
    pub what: &'a str,
    /// Names and texts of the files that the script reads.
    pub files: &'a [(&'a str, String)],
    pub script: &'a str,
    pub results: &'a [&'a str],
}

pub struct Yosys {
    program: Program,
}

impl Yosys {
    /// Finds Yosys by `$WEFT_YOSYS`, else in `PATH`, else in the virtual environment.
    pub fn find() -> Result<Self, ToolError> {
        Ok(Self { program: Program::find(Tool::Yosys, LOG)? })
    }

    pub fn version(&self) -> &str {
        self.program.version()
    }

    /// Returns the folder with the results of a task and the value of `read`. Unreadable results are not kept.
    /// `progress` receives the current step as text, four times per second.
    ///
    /// # Errors
    /// [`SynthesisError::OutOfMemory`] if Yosys has too little memory.
    pub fn run<T>(
        &self,
        cache: &Cache,
        task: &Task<'_>,
        read: impl Fn(&Path) -> Result<T, SynthesisError>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(PathBuf, T), SynthesisError> {
        let Task { what, files, script, results } = *task;
        let parts = files.iter().flat_map(|(name, text)| [*name, text]);
        let key = Key::of([script, self.version()].into_iter().chain(parts));
        let mut tell = |seconds: u64, log: &str| progress(&format!("synthesis of {what}: {seconds} s, {}", pass(log)));
        let folder = cache.entry("synthesis", &key, |folder| {
            let work = folder.join("work");
            fs::create_dir(&work).map_err(at(&work))?;
            let files = files.iter().map(|(name, text)| (*name, text.as_str()));
            for (name, text) in files.chain([(SCRIPT, script)]) {
                fs::write(work.join(name), text).map_err(at(&work))?;
            }
            let status = self.program.run(&["-q", "-l", LOG, SCRIPT], &work, &mut tell)?;
            if !status.success() || !results.iter().all(|name| is_whole(&work.join(name))) {
                let failure = self.program.failure(&work, status, results);
                return Err(if failure.is_out_of_memory() {
                    SynthesisError::OutOfMemory { what: what.to_owned() }
                } else {
                    failure.into_error(what)
                });
            }
            read(&work)?;
            for name in results {
                fs::rename(work.join(name), folder.join(name)).map_err(at(folder))?;
            }
            fs::remove_dir_all(&work).map_err(at(&work))
        })?;
        let value = read(&folder).map_err(|error| error.in_cache(&folder))?;
        Ok((folder, value))
    }
}

/// Returns whether a result exists and is not truncated. A truncated one would stay in the cache.
fn is_whole(result: &Path) -> bool {
    match fs::read(result) {
        // Yosys 0.23 prints extra commas in its JSON.
        Ok(bytes) if result.extension().is_some_and(|extension| extension == "json") => {
            bytes.trim_ascii_end().ends_with(b"}")
        }
        read => read.is_ok(),
    }
}

/// Returns the last pass that a log announces: "ABC9" of "2.24.3. Executing ABC9 pass (technology mapping using ABC9).".
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
