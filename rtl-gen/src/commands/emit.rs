//! `weft emit`: writes the Verilog of a core to a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use boards::{Board, BoardError};
use cores::Core;
use cores::control::registers;
use serde_json::json;
use weft_config::{Config, Emit, Reset};

use super::config::resolve;
use super::fusesoc::{self, OnBoard};
use super::with_image;
use crate::Verdict;
use crate::arguments::EmitArguments;
use crate::error::RequestError;
use crate::report::{self, Report};
use crate::staging::StagingFolder;

/// The end of the name of the list of files in `rtl/`, after the prefix. This list and those of boards identify the files
/// of an earlier emit.
const FILE_LIST: &str = "core.f";

/// Returns the clock constraints of a core that is the top of its project. Boards have their own.
fn clock(Emit { prefix, reset, .. }: &Emit) -> (String, String) {
    let reset = match reset {
        Reset::High => "",
        Reset::ActiveLow => "# Two registers synchronise it.\nset_false_path -from [get_ports rst_n]\n",
    };
    let text = format!(
        "\
# For a project whose top is {prefix}core. Its one clock, of 50 MHz: set the period that yours has.
# `weft synth --target ecp5-85k --pnr` says what a core reaches there.
create_clock -name clk -period 20.000 [get_ports clk]
{reset}"
    );
    (clock_file(prefix), text)
}

fn clock_file(prefix: &str) -> String {
    format!("constraints/{prefix}core.sdc")
}

/// The registers of a control port, for programs of the host: the same for every core.
fn of_registers() -> [(String, String); 2] {
    [("weft_registers.h", registers::c_header()), ("weft_registers.py", registers::python())]
        .map(|(name, text)| (name.to_owned(), text))
}

/// The folders in the output folder.
const FOLDERS: [&str; 2] = ["rtl", "constraints"];

/// The text of each file by its path: relative to the output folder, with `/`.
type Files = BTreeMap<String, String>;

pub fn emit(arguments: &EmitArguments, report: &Report) -> anyhow::Result<Verdict> {
    let mut config = resolve(&arguments.config)?;
    // No board has pins for the trace port.
    config.trace.port &= arguments.board.board.is_none();
    let out = arguments.out.as_path();
    let place = Place::find(out, arguments.force)?;
    let files = files(&mut config, arguments)?;
    write(&files, &place).map_err(|error| RequestError::unwritable(out, error))?;
    let modules = files.keys().filter(|path| is_module(path)).count();
    let (warps, threads) = (config.warps, config.threads);
    let names: Vec<&str> = files.keys().filter(|path| !is_module(path)).map(String::as_str).collect();
    let prefix = &config.emit.prefix;
    let top = arguments.board.board.map_or_else(|| format!("{prefix}{}", cores::TOP), |board| board.top(prefix));
    let text = format!(
        "{}: a core of {warps} warps × {threads} threads, top {top}: {modules} modules in rtl/, {}",
        out.display(),
        names.join(", ")
    );
    report.answer(&text, || json!({ "out": report::path(out), "top": top, "files": files.keys().collect::<Vec<_>>() }))
}

fn files(config: &mut Config, arguments: &EmitArguments) -> anyhow::Result<Files> {
    let (core, contents) = match &arguments.image {
        image if arguments.board.board.is_some() => with_image::core_on_board(config, image.as_deref())?,
        Some(path) => with_image::core_with(config, path)?,
        None => (cores::elaborate_to_emit(config, config.first_pc(), false)?, Vec::new()),
    };
    let names: Vec<&str> = contents.iter().map(|(name, _)| name.as_str()).collect();
    let modules = modules_of(&core);
    let paths: Vec<&str> = modules.iter().map(|(path, _)| path.as_str()).collect();
    let mut files = Files::from([
        (format!("{}.v", core.name()), core.all_in_one()),
        (format!("{}{FILE_LIST}", config.emit.prefix), paths.iter().map(|path| format!("{path}\n")).collect()),
        ("config.toml".into(), as_emitted(config).to_commented_toml()),
    ]);
    if config.control.port {
        files.extend(of_registers());
    }
    let mut board_only = Vec::new();
    if let Some(board) = arguments.board.board {
        let of_board = of_board(board, config, &core, arguments.board.baud())?;
        board_only =
            of_board.keys().filter(|path| is_module(path) && !paths.contains(&path.as_str())).cloned().collect();
        files.extend(of_board);
    } else if arguments.board.baud.is_some() {
        let message = "--baud needs --board: a core without a board has no serial line";
        return Err(RequestError::new("usage", message).into());
    } else {
        files.extend([clock(&config.emit)]);
    }
    let board = arguments.board.board.map(|board| OnBoard { board, modules: &board_only });
    files.insert("weft.core".into(), fusesoc::description(config, &paths, &names, board));
    files.extend(modules);
    files.extend(contents);
    Ok(files)
}

/// Returns the configuration for the output folder, which also holds the file of a unit in Verilog.
fn as_emitted(config: &Config) -> Config {
    let mut config = config.clone();
    if config.unit().is_ok_and(|unit| unit.is_external()) {
        config.divergence.file = format!("rtl/{}.v", config.divergence.module);
    }
    config
}

/// Returns the top of a board, the modules below it, and the files of its project.
fn of_board(board: &Board, config: &Config, core: &Core, baud: u32) -> Result<Files, BoardError> {
    let top = boards::elaborate(board, config, core, baud)?;
    let modules = modules_of(&top);
    let sources: Vec<&str> = modules.iter().map(|(path, _)| path.as_str()).collect();
    let project = boards::project(board, &config.emit.prefix, &sources, baud, config.control.port);
    Ok(modules.into_iter().chain(project).collect())
}

fn modules_of(core: &Core) -> Vec<(String, String)> {
    core.files().into_iter().map(|(name, text)| (format!("rtl/{name}"), text)).collect()
}

/// The state of the output folder.
enum Place {
    /// The folder does not exist; it is staged in its nearest existing ancestor.
    New { folder: PathBuf, ancestor: PathBuf },
    /// The folder exists and has these files of an earlier emit.
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
                let earlier = earlier_files(out);
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

/// Writes all files to a staging folder, then moves them to the output folder at once.
fn write(files: &Files, place: &Place) -> io::Result<()> {
    let staging = StagingFolder::inside(match place {
        Place::New { ancestor, .. } => ancestor,
        Place::Existing { folder, .. } => folder,
    })?;
    let staged = staging.join("core");
    fs::create_dir(&staged)?;
    for folder in FOLDERS {
        fs::create_dir(staged.join(folder))?;
    }
    for (path, text) in files {
        fs::write(staged.join(path), text)?;
    }
    staging.publish(|_| match place {
        Place::New { folder, .. } => {
            folder.parent().map_or(Ok(()), fs::create_dir_all)?;
            remove_empty_folders(&staged);
            fs::rename(&staged, folder)
        }
        Place::Existing { folder, earlier } => {
            for below in FOLDERS {
                fs::create_dir_all(folder.join(below))?;
            }
            for path in files.keys() {
                fs::rename(staged.join(path), folder.join(path))?;
            }
            for stale in earlier.iter().filter(|path| !files.contains_key(*path)) {
                remove_if_there(&folder.join(stale))?;
            }
            remove_empty_folders(folder);
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

fn remove_empty_folders(out: &Path) {
    for folder in FOLDERS {
        // This fails for folders with files, as intended.
        let _ = fs::remove_dir(out.join(folder));
    }
}

/// Returns the files in a folder that an earlier emit wrote.
fn earlier_files(out: &Path) -> Vec<String> {
    let of_boards = || {
        let lists = [(Path::new(""), out.to_owned()), (Path::new("constraints"), out.join("constraints"))];
        let paths = lists.into_iter().flat_map(|(prefix, folder)| {
            names_in(&folder).map(|name| prefix.join(name).to_string_lossy().into_owned()).collect::<Vec<_>>()
        });
        paths.filter(|path| boards::is_written_for_a_board(path))
    };
    let prefixes: Vec<String> =
        names_in(out).filter_map(|name| name.strip_suffix(FILE_LIST).map(str::to_owned)).collect();
    let lists = of_boards()
        .filter(|path| path.ends_with(".f"))
        .chain(prefixes.iter().map(|prefix| format!("{prefix}{FILE_LIST}")));
    let texts = lists.map(|list| fs::read_to_string(out.join(list)).unwrap_or_default());
    let modules = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let of_core = prefixes.iter().flat_map(|prefix| {
        let names = [format!("{prefix}core.v"), format!("{prefix}{FILE_LIST}"), clock_file(prefix)];
        names.into_iter().chain(contents_in(out, prefix)).collect::<Vec<_>>()
    });
    let registers = of_registers().map(|(name, _)| name).into_iter().filter(|_| !prefixes.is_empty());
    modules.filter(|path| is_module(path)).chain(of_core).chain(registers).chain(of_boards()).collect()
}

fn names_in(folder: &Path) -> impl Iterator<Item = String> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok())
}

/// Returns the files of memory contents in a folder, which only `weft emit` names so.
fn contents_in(folder: &Path, prefix: &str) -> impl Iterator<Item = String> {
    let first = format!("{prefix}{}_", cores::TOP);
    names_in(folder).filter(move |name| {
        let number = name.strip_prefix(&first).and_then(|name| name.strip_suffix(".hex"));
        number.is_some_and(|number| number.parse::<u8>().is_ok())
    })
}

/// Returns whether a relative path is that of a module: a Verilog file directly in `rtl/`.
fn is_module(path: &str) -> bool {
    path.strip_prefix("rtl/").is_some_and(|name| name.ends_with(".v") && !name.contains(['/', '\\']))
}
