//! The tools that read emitted Verilog.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use tools::cache::{Cache, CacheError, Key};

/// Runs a tool in a folder, and returns its output. Panics if it fails.
pub fn run(tool: &str, folder: &Path, arguments: &[&str]) -> String {
    let (succeeded, text) = said(&output(tool, folder, arguments));
    assert!(succeeded, "{tool} {arguments:?}:\n{text}");
    text
}

fn output(tool: &str, folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(tool).current_dir(folder).args(arguments).output();
    output.unwrap_or_else(|error| panic!("{tool} cannot be started ({error}): scripts/setup.sh installs it"))
}

fn said(output: &Output) -> (bool, String) {
    (output.status.success(), String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned())
}

/// A run of Yosys or ABC on files. The answer depends on nothing else, so the build cache keeps it, with the files
/// that the run writes. `weft cache clean` deletes it. The cache keeps no answer of a run that timed out or was
/// killed.
pub struct Proof<'a> {
    /// `yosys` or `yosys-abc`. One package installs both.
    pub tool: &'a str,
    /// The arguments name files of other answers by their paths in the cache, which depend on their content.
    pub arguments: &'a [&'a str],
    pub files: &'a [(&'a str, &'a str)],
}

impl Proof<'_> {
    /// The output as success or failure, and the folder of the run.
    pub fn answer(&self) -> (Result<String, String>, PathBuf) {
        static VERSION: LazyLock<String> = LazyLock::new(|| run("yosys", Path::new("."), &["-V"]));
        // No answer depends on comments.
        let code = |text: &str| {
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
        };
        let files: Vec<_> = self.files.iter().flat_map(|(name, text)| [(*name).to_owned(), code(text)]).collect();
        let parts = [VERSION.as_str(), self.tool]
            .into_iter()
            .chain(self.arguments.iter().copied())
            .chain(files.iter().map(String::as_str));
        let folder = Cache::of_user().entry("proofs", &Key::of(parts), |folder| self.run_in(folder));
        let folder = folder.unwrap_or_else(|NotKept(why)| panic!("{why}"));
        let read = |name: &str| fs::read_to_string(folder.join(name));
        let answer = read(SUCCEEDED).map_err(|_| read(FAILED).expect("an answer in the build cache"));
        (answer, folder)
    }

    fn run_in(&self, folder: &Path) -> Result<(), NotKept> {
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file in the build cache");
        self.files.iter().for_each(|(name, text)| write(name, text));
        let output = output(self.tool, folder, self.arguments);
        let (succeeded, text) = said(&output);
        if output.status.code().is_none() || text.to_lowercase().contains("timeout!") || text.contains("(timeout") {
            return Err(NotKept(format!("{} has no answer:\n{text}", self.tool)));
        }
        write(if succeeded { SUCCEEDED } else { FAILED }, &text);
        Ok(())
    }
}

const SUCCEEDED: &str = "succeeded.log";
const FAILED: &str = "failed.log";

struct NotKept(String);

impl From<CacheError> for NotKept {
    fn from(error: CacheError) -> Self {
        Self(error.to_string())
    }
}
