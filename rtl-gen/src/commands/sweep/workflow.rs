//! The Snakemake workflow: its files, which are part of this program, and its runs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tools::group::{Farewell, Group};

use super::folder::Folder;
use crate::error::RequestError;
use crate::progress::Progress;

/// The files that run steps, by their names in the folder.
const FILES: [(&str, &str); 2] = [
    ("workflow/Snakefile", include_str!("../../../../scripts/compare/Snakefile")),
    ("workflow/step.py", include_str!("../../../../scripts/compare/step.py")),
];

const POLL: Duration = Duration::from_millis(100);

/// Writes the workflow with its plan; `more` are the files of the report, if Snakemake writes it.
pub fn write(folder: &Folder, more: &[(&str, &str)], plan: &str) -> Result<(), RequestError> {
    FILES.iter().chain(more).try_for_each(|(name, text)| folder.write(name, text))?;
    folder.write("plan.json", plan)
}

pub enum Place<'a> {
    /// On this number of cores of this machine.
    Local(u32),
    Profile(&'a str),
}

pub struct Workflow<'a> {
    pub program: &'a Path,
    pub folder: &'a Folder,
    /// Environment variables for the commands that Snakemake starts.
    pub variables: &'a [(&'static str, PathBuf)],
}

impl Workflow<'_> {
    /// Runs the steps without a result, as many as possible; `progress` shows the number of finished steps.
    pub fn sweep(&self, place: &Place<'_>, progress: &mut Progress) -> anyhow::Result<ExitStatus> {
        let arguments = match place {
            Place::Local(cores) => vec!["--cores".to_owned(), cores.to_string()],
            Place::Profile(profile) => vec!["--profile".to_owned(), (*profile).to_owned()],
        };
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(["--keep-going", "sweep"]).collect();
        self.run("sweep", &arguments, &mut |log, seconds| {
            let minutes = seconds / 60;
            let done = log.lines().rev().find_map(steps_done).unwrap_or("no step done yet");
            progress.say(&format!("{done}, {minutes} min"));
        })
    }

    pub fn report(&self, progress: &mut Progress) -> anyhow::Result<()> {
        let arguments = ["--cores", "1", "report"];
        let status = self.run("report", &arguments, &mut |_, _| progress.say("writing the report"))?;
        if status.success() { Ok(()) } else { Err(self.failure("report").into()) }
    }

    /// Returns the error of a run without any result, with the end of its log.
    pub fn failure(&self, name: &str) -> RequestError {
        let log = self.log(name);
        let text = fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<&str> = text.trim().lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(8)..].join("\n");
        RequestError::new(
            "workflow",
            format!("Snakemake failed; its log is {}; its last lines:\n{last}", log.display()),
        )
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.path().join("logs").join(format!("snakemake-{name}.log"))
    }

    /// Runs Snakemake to its end. `progress` receives the end of its log and the elapsed seconds.
    fn run(&self, name: &str, arguments: &[&str], progress: &mut dyn FnMut(&str, u64)) -> anyhow::Result<ExitStatus> {
        let path = self.log(name);
        let fail = |path: &Path| {
            let path = path.to_owned();
            move |error| RequestError::unwritable(&path, error)
        };
        path.parent().map_or(Ok(()), fs::create_dir_all).map_err(fail(&path))?;
        let log = File::create(&path).map_err(fail(&path))?;
        let both = log.try_clone().map_err(fail(&path))?;
        let mut command = Command::new(self.program);
        // Every process of the run holds the lock of the folder as its standard input. Snakemake's own lock would remain
        // after a kill.
        let lock = self.folder.lock().map_err(fail(self.folder.path()))?;
        command.args(["--snakefile", "workflow/Snakefile", "--nolock", "--rerun-incomplete"]);
        command.args(["--rerun-triggers", "mtime", "--scheduler", "greedy", "--nocolor"]);
        command.args(arguments).current_dir(self.folder.path()).stdin(lock).stdout(Stdio::from(both)).stderr(log);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        // Snakemake has its own process group, so that an interruption ends all its children.
        let mut group = Group::spawn(&mut command, Farewell::Interrupted).map_err(|error| {
            RequestError::new("tool-missing", format!("{}: cannot start: {error}", self.program.display()))
        })?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = group.try_wait()? {
                break status;
            }
            thread::sleep(POLL);
            progress(&tools::tail(&path), start.elapsed().as_secs());
        };
        Ok(status)
    }
}

/// Extracts "12 of 96 steps" from Snakemake's line "12 of 96 steps (12%) done".
fn steps_done(line: &str) -> Option<&str> {
    let done = line.trim().strip_suffix(") done")?;
    Some(done.split_once(" (")?.0).filter(|done| done.ends_with(" steps"))
}

#[cfg(test)]
mod tests {
    use super::steps_done;

    #[test]
    fn progress_is_read_from_the_log_of_snakemake() {
        assert_eq!(steps_done("12 of 96 steps (12%) done"), Some("12 of 96 steps"));
        assert_eq!(steps_done("[Sat Nov 21 23:41:28 2026]"), None);
        assert_eq!(steps_done("Nothing to be done (all requested files are present)."), None);
    }
}
