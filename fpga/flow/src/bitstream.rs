//! Builds the bitstream of a core on a board.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boards::{BOARDS, Board, Tools};
use cores::Core;
use tools::Tool;
use tools::cache::{Cache, Key};
use weft_config::Config;

use crate::area::Area;
use crate::error::SynthesisError;
use crate::mapping::Mapper;
use crate::nextpnr::{Nextpnr, Placer, TILES};
use crate::part::{self, Part};
use crate::placing::{self, Outcome};
use crate::process::{Program, at};
use crate::yosys::Yosys;

const BITSTREAM: &str = "board.bit";
/// The name of ecppack's log, which Weft writes from its console output.
const LOG: &str = "ecppack.log";

#[derive(Clone, Copy)]
pub struct BoardRequest<'a> {
    pub board: &'static Board,
    pub core: &'a Core,
    /// The core behind the pins of the board.
    pub top: &'a Core,
    /// Names and texts of the files with the initial memory.
    pub contents: &'a [(String, String)],
    /// The number of seeds. They are tried from 1 on, until the core is as fast as the clock of the board.
    pub seeds: u32,
    pub placer: Placer,
    /// The time limit of a seed.
    pub patience: Option<Duration>,
}

pub struct Bitstream {
    /// Cells and maximum frequency. `target_mhz` is the clock of the board. Of the seeds, it has only the one that reached this
    /// clock, or all of them if none did.
    pub area: Area,
    /// The bitstream, in the cache, if the core is fast enough.
    pub file: Option<PathBuf>,
    pub ecppack: String,
}

/// Synthesises, places and routes a board, and packs its bitstream. `progress` receives the current step as text, several
/// times per second.
///
/// # Errors
/// See [`SynthesisError`]. A core that does not fit, is too slow or needs more memory than the tools have is a result.
pub fn build(
    config: &Config,
    request: BoardRequest<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Bitstream, SynthesisError> {
    let BoardRequest { board, core, top, contents, seeds, placer, patience } = request;
    let part = part_of(board)?;
    // All tools are found before one runs for minutes.
    let (packer, nextpnr, yosys) = (Program::find(Tool::Ecppack, LOG)?, Nextpnr::find()?, Yosys::find()?);
    let (cache, version) = (Cache::of_user(), yosys.version().to_owned());
    let target_mhz = Some(board.clock.core_mhz);
    // Logic is mapped for the shortest delay, as in common scripts.
    let mut mapper = Mapper { yosys, cache: cache.clone(), family: part.family, target_mhz: None, progress };
    let netlist = mapper.board(top, contents)?;
    let mut area = Area {
        flattened: netlist.as_ref().map(|netlist| netlist.cells),
        out_of_memory: netlist.is_none(),
        ..Area::of(config.clone(), top.name(), part, target_mhz, &version)
    };
    let mut file = None;
    if let Some(netlist) = &netlist {
        let constraints = board.constraint_files(config.control.port).swap_remove(0).1;
        let constraints = Some(&*constraints);
        let (whole, top) = (core, &*top.name());
        let task =
            placing::Task { netlist, whole, top, part, target_mhz, placer, patience, yosys: &version, constraints };
        let placing = placing::place(&nextpnr, &cache, &task, seeds, progress)?;
        let reaches = placing.median_mhz().is_some_and(|mhz| mhz >= f64::from(board.clock.core_mhz));
        if let Some(folder) = placing.folder.as_ref().filter(|_| placing.outcome == Outcome::Placed && reaches) {
            file = Some(pack(&packer, &cache, &folder.join(TILES), board, progress)?);
        }
        area.placing = Some(placing);
    }
    Ok(Bitstream { area, file, ecppack: packer.version().to_owned() })
}

/// Returns the part of a board, if Weft can place it.
fn part_of(board: &'static Board) -> Result<&'static Part, SynthesisError> {
    let part = match board.tools {
        Tools::Trellis { target, .. } => part::find(target),
        Tools::Quartus { .. } | Tools::Vivado => None,
    };
    let built = || BOARDS.iter().filter(|board| board.is_built_here()).map(|board| board.name).collect();
    part.ok_or_else(|| SynthesisError::NotBuiltHere { board: board.name, built: built() })
}

fn pack(
    packer: &Program,
    cache: &Cache,
    tiles: &Path,
    board: &Board,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, SynthesisError> {
    let text = fs::read_to_string(tiles).map_err(at(tiles))?;
    let arguments = ["--compress", "--input", TILES, "--bit", BITSTREAM];
    let key = Key::of([packer.version(), &text[..]].into_iter().chain(arguments));
    let folder = cache.entry("bitstream", &key, |folder| {
        let work = folder.join("work");
        fs::create_dir(&work).map_err(at(&work))?;
        fs::write(work.join(TILES), &text).map_err(at(&work))?;
        let mut tell = |seconds: u64, _: &str| progress(&format!("packing of {}: {seconds} s", board.name));
        let status = packer.run(&arguments, &work, &mut tell)?;
        if !status.success() || fs::metadata(work.join(BITSTREAM)).map_or(true, |file| file.len() == 0) {
            let failure = packer.failure(&work, status, &[BITSTREAM]);
            return Err(failure.into_error(&format!("the bitstream of {}", board.name)));
        }
        fs::rename(work.join(BITSTREAM), folder.join(BITSTREAM)).map_err(at(folder))?;
        fs::remove_dir_all(&work).map_err(at(&work))
    })?;
    Ok(folder.join(BITSTREAM))
}
