//! A sweep: many commands of `weft`, run by Snakemake in a folder that can be interrupted. `weft compare` and `weft
//! papers` have their steps done so.

pub mod folder;
pub mod mend;
pub mod workflow;

use std::fs;
use std::io;
use std::path::Path;

use kernels::Kernel;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use weft_config::{Config, Key};

use crate::version;

/// The step that builds the kernels, before all others.
pub const KERNELS: &str = "kernels";
/// The option of a core's command with the time limit of a seed.
pub const MINUTES: &str = "--minutes";
/// The limit for kernels that may hang where their deadlock is not proved. Others pass in far fewer cycles.
pub const MOST_CYCLES: &str = "10000000";

#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// SERIES/POINT, which is also the name of the result file.
    pub name: String,
    /// The command, as typed in the folder of the sweep.
    pub command: Vec<String>,
    pub unit: String,
    pub threads: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isa: Option<&'static str>,
    /// Whether threads wait for others of their warp on a unit that takes no turns. A deadlock is then a result.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_hang: bool,
    /// The maximum memory use, in MB: Yosys and nextpnr of PyPI are 32-bit programs.
    pub memory_mb: u32,
}

impl Step {
    /// Returns the file of the kernel, if the step runs one.
    pub fn program(&self) -> Option<String> {
        self.kernel.map(program)
    }
}

fn program(kernel: &str) -> String {
    format!("kernels/{kernel}.elf")
}

/// Returns the command that runs a kernel on an engine, with the keys of the size, those that the kernel needs, and more.
pub fn run(engine: &str, kernel: &Kernel, size: &[String], more: &[String]) -> Vec<String> {
    let elf = program(kernel.name);
    let mut command = ["weft", "--json", "run", &elf].map(str::to_owned).to_vec();
    if engine != "rtl" {
        command.extend(["--engine".to_owned(), engine.to_owned()]);
    }
    command.extend(set(size.iter().chain(&settings(kernel)).chain(more)));
    command
}

/// Returns the options that set these keys.
pub fn set<'a>(settings: impl IntoIterator<Item = &'a String>) -> impl Iterator<Item = String> {
    settings.into_iter().flat_map(|setting| ["--set".to_owned(), setting.clone()]).collect::<Vec<_>>().into_iter()
}

/// Returns the keys that a kernel needs to differ from the default core.
fn settings(kernel: &Kernel) -> Vec<String> {
    let before = Config::default();
    let mut config = before.clone();
    kernel.configure(&mut config);
    let changed = |setting: &String| {
        let key = setting.split('=').next().and_then(Key::find);
        key.is_none_or(|key| key.value(&config) != key.value(&before))
    };
    kernel.settings().into_iter().filter(changed).collect()
}

/// Returns the steps as the workflow reads them, with the one that builds the kernels in front.
pub fn with_kernels(names: impl Iterator<Item = &'static str>, steps: &[Step]) -> Vec<Value> {
    let build: Vec<&str> =
        ["weft", "--json", "kernels", "build", "--out", "kernels"].into_iter().chain(names).collect();
    let build = json!({ "name": KERNELS, "command": build, "memory_mb": 1000 });
    [build].into_iter().chain(steps.iter().map(|step| json!(step))).collect()
}

/// Returns the version of this program and of its build: two builds of one commit may differ.
pub fn weft(program: &Path) -> io::Result<Value> {
    let build: String = Sha256::digest(fs::read(program)?).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let mut object = version::object();
    object["build"] = json!(build);
    Ok(object)
}

/// Makes the path of a profile absolute, because Snakemake works in another folder. A mere name stays as it is.
pub fn absolute_profile(profile: &str) -> String {
    let path = Path::new(profile);
    match path.canonicalize() {
        Ok(path) => path.to_string_lossy().into_owned(),
        Err(_) => profile.to_owned(),
    }
}
