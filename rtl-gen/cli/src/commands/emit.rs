//! `weft emit`: the Verilog of a core in a folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde_json::json;
use testbench::memory::Ram;
use testbench::reconvergence::{reconvergence_table, reconvergence_words};
use weft_config::{Config, RAM_BASE};

use super::config::resolve;
use super::program;
use crate::Verdict;
use crate::arguments::EmitArguments;
use crate::error::RequestError;
use crate::report::Report;
use crate::staging::StagingFolder;

/// Lists the files of `rtl/`; an earlier emit's list says which files are its own.
const FILE_LIST: &str = "weft_core.f";

/// Paths, relative to the output folder, with `/`, and the text of each file.
type Files = BTreeMap<String, String>;

/// Writes a core.
pub fn emit(arguments: &EmitArguments, report: &Report) -> anyhow::Result<Verdict> {
    let config = resolve(&arguments.config)?;
    let out = arguments.out.as_path();
    let place = Place::find(out, arguments.force)?;
    let files = files(&config, arguments.image.as_deref())?;
    write(&files, &place).map_err(|error| RequestError::unwritable(out, error))?;
    let modules = files.keys().filter(|path| is_module(path)).count();
    let (warps, threads) = (config.warps, config.threads);
    let names: Vec<&str> = files.keys().filter(|path| !is_module(path)).map(String::as_str).collect();
    let text = format!(
        "{}: a core of {warps} warps × {threads} threads, top weft_core: {modules} modules in rtl/, {}",
        out.display(),
        names.join(", ")
    );
    report.answer(&text, || json!({ "out": out, "top": "weft_core", "files": files.keys().collect::<Vec<_>>() }))?;
    Ok(Verdict::Success)
}

fn files(config: &Config, image: Option<&Path>) -> anyhow::Result<Files> {
    let (core, contents) = match image {
        None => (cores::elaborate(config, RAM_BASE)?, Vec::new()),
        Some(path) => core_with_image(config, path)?,
    };
    let names: Vec<&str> = contents.iter().map(|(name, _)| name.as_str()).collect();
    let modules: Vec<(String, String)> =
        core.files().into_iter().map(|(name, text)| (format!("rtl/{name}"), text)).collect();
    let paths: Vec<&str> = modules.iter().map(|(path, _)| path.as_str()).collect();
    let mut files = Files::from([
        ("weft_core.v".into(), core.all_in_one()),
        (FILE_LIST.into(), paths.iter().map(|path| format!("{path}\n")).collect()),
        ("weft.core".into(), fusesoc(config, &paths, &names)),
        ("config.toml".into(), config.to_commented_toml()),
    ]);
    files.extend(modules);
    files.extend(contents);
    Ok(files)
}

/// A core whose threads start at the entry of the program that its memory starts with, and the files of that memory.
fn core_with_image(config: &Config, path: &Path) -> anyhow::Result<(cores::Core, Vec<(String, String)>)> {
    let program = program::load(path, config)?;
    let core = cores::elaborate_with_image(config, program.entry)?;
    let ram = Ram::new(config, &program);
    let table = reconvergence_words(&reconvergence_table(config, &program), &ram);
    let contents = core.image_files(ram.words(), &table);
    Ok((core, contents))
}

/// The FuseSoC description of the core.
fn fusesoc(config: &Config, paths: &[&str], contents: &[&str]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let (warps, threads, unit) = (config.warps, config.threads, &config.divergence.unit);
    let files: String = paths.iter().map(|path| format!("      - {path}\n")).collect();
    // Tools look for them in the folder in which FuseSoC starts them.
    let contents: String =
        contents.iter().map(|name| format!("      - {name}: {{file_type: user, copyto: {name}}}\n")).collect();
    format!(
        "CAPI=2:
name: weft:cores:weft_core:{version}
description: RISC-V SIMT core, {warps} warps of {threads} threads, divergence unit {unit}

filesets:
  rtl:
    files:
{files}{contents}    file_type: verilogSource-2005

targets:
  default:
    filesets: [rtl]
    toplevel: weft_core
  lint:
    default_tool: verilator
    filesets: [rtl]
    toplevel: weft_core
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
"
    )
}

/// Where the core goes.
enum Place {
    /// A folder that does not exist; it is staged in its nearest ancestor that does.
    New { folder: PathBuf, ancestor: PathBuf },
    /// A folder that exists, and the files of an earlier emit in it.
    Existing { folder: PathBuf, earlier: Vec<String> },
}

impl Place {
    fn find(out: &Path, force: bool) -> Result<Self, RequestError> {
        let fail = |error: io::Error| match out.ancestors().find(|path| path.exists()) {
            Some(path) if !path.is_dir() => {
                RequestError::unwritable(out, format!("{} is not a folder", path.display()))
            }
            _ => RequestError::unwritable(out, error),
        };
        match fs::read_dir(out) {
            Ok(mut entries) => {
                if !force && entries.next().is_some() {
                    let message = format!(
                        "{}: the folder is not empty; expected a new or empty one, or --force to overwrite an earlier core",
                        out.display()
                    );
                    return Err(RequestError::new("folder-not-empty", message));
                }
                let list = fs::read_to_string(out.join(FILE_LIST)).unwrap_or_default();
                let modules = list.lines().filter(|path| is_module(path)).map(str::to_owned);
                let earlier = modules.chain(contents_in(out)).collect();
                Ok(Self::Existing { folder: out.canonicalize().map_err(fail)?, earlier })
            }
            Err(error) if error.kind() == ErrorKind::NotFound && out.symlink_metadata().is_err() => {
                let absolute = std::path::absolute(out).map_err(fail)?;
                let ancestor = absolute.ancestors().skip(1).find(|path| path.exists()).unwrap_or(Path::new("/"));
                Ok(Self::New { ancestor: ancestor.to_owned(), folder: absolute })
            }
            Err(error) => Err(fail(error)),
        }
    }
}

/// Writes all files aside, then puts them in place at once.
fn write(files: &Files, place: &Place) -> io::Result<()> {
    let staging = StagingFolder::inside(match place {
        Place::New { ancestor, .. } => ancestor,
        Place::Existing { folder, .. } => folder,
    })?;
    let staged = staging.join("core");
    fs::create_dir(&staged)?;
    fs::create_dir(staged.join("rtl"))?;
    for (path, text) in files {
        fs::write(staged.join(path), text)?;
    }
    staging.publish(|_| match place {
        Place::New { folder, .. } => {
            folder.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::rename(&staged, folder)
        }
        Place::Existing { folder, earlier } => {
            fs::create_dir_all(folder.join("rtl"))?;
            for path in files.keys() {
                fs::rename(staged.join(path), folder.join(path))?;
            }
            for stale in earlier.iter().filter(|path| !files.contains_key(*path)) {
                remove_if_there(&folder.join(stale))?;
            }
            Ok(())
        }
    })
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The files of memory contents in a folder: only `weft emit` gives them such names.
fn contents_in(folder: &Path) -> impl Iterator<Item = String> {
    let names =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| {
        let number = name.strip_prefix("weft_core_").and_then(|name| name.strip_suffix(".hex"));
        number.is_some_and(|number| number.parse::<u8>().is_ok())
    })
}

/// Whether a relative path is that of a module: directly in `rtl/`, a Verilog file.
fn is_module(path: &str) -> bool {
    path.strip_prefix("rtl/").is_some_and(|name| name.ends_with(".v") && !name.contains(['/', '\\']))
}
