//! Helpers of the whole-process tests: runs of `weft` and small ELF files.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod elf;
pub mod engines;
pub mod stand_in;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

pub struct Workspace {
    folder: TempDir,
}

pub struct Ended {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Workspace {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file and returns its path.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        fs::write(&path, bytes).expect("a file");
        path
    }

    /// Returns the sorted names of all files in the folder, hidden ones included.
    pub fn entries(&self) -> Vec<String> {
        entries(self.path())
    }

    /// Makes a command that runs `weft` in the folder, with the build cache of the tests.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weft"));
        command.args(arguments).current_dir(self.path());
        command.env("WEFT_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command
    }

    pub fn weft(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().expect("weft starts"))
    }

    /// Runs a request that cannot be met, plainly and with `--json`. Checks that both have status 2, print one message and
    /// nothing else, do not panic and leave no file behind. Returns the message after its kind.
    pub fn refused(&self, arguments: &[&str]) -> String {
        self.refused_with(arguments, &[])
    }

    pub fn refused_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let before = self.entries();
        let run = |arguments: &[&str]| {
            Ended::of(self.command(arguments).envs(variables.iter().copied()).output().expect("weft starts"))
        };
        let plain = run(arguments);
        assert_eq!(plain.status, 2, "{arguments:?}: {}{}", plain.stdout, plain.stderr);
        assert_eq!(plain.stdout, "", "{arguments:?}");
        let message = plain.stderr.strip_prefix("error: ").expect("a message that begins with `error: `").trim_end();
        assert!(!message.contains("panicked"), "{message}");
        assert_eq!(plain.stderr.matches("error: ").count(), 1, "{}", plain.stderr);

        let json = run(&[&["--json"], arguments].concat());
        assert_eq!((json.status, json.stderr.as_str()), (2, ""), "{arguments:?}");
        let object: Value = serde_json::from_str(&json.stdout).expect("one JSON object");
        assert_eq!(object["error"]["message"], message, "{arguments:?}");
        assert_eq!(object.as_object().map(serde_json::Map::len), Some(1));
        assert_eq!(self.entries(), before, "{arguments:?} left something behind");

        let kind = object["error"]["kind"].as_str().expect("a kind");
        format!("[{kind}] {message}").replace(&format!("{}", self.path().display()), "<folder>")
    }
}

impl Ended {
    pub fn of(output: Output) -> Self {
        Self {
            status: output.status.code().expect("weft ends by itself"),
            stdout: String::from_utf8(output.stdout).expect("text on stdout"),
            stderr: String::from_utf8(output.stderr).expect("text on stderr"),
        }
    }

    pub fn succeeded(self) -> Self {
        assert_eq!(self.status, 0, "{}{}", self.stdout, self.stderr);
        self
    }

    pub fn object(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }
}

pub fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
