//! `weft synth --board`: a core on a board, up to the bitstream of its FPGA.

use std::cell::RefCell;
use std::fmt::Write;
use std::fs;

use boards::Board;
use flow::{Bitstream, BoardRequest};
use serde_json::{Value, json};

use super::{Ending, SEEDS, object, text};
use crate::Verdict;
use crate::arguments::SynthArguments;
use crate::commands::config::resolve;
use crate::commands::{with_image, yosys};
use crate::progress::Progress;
use crate::report::{self, Report};
use crate::staging::StagedFile;

/// Builds the core on the board, writes the bitstream if requested, and reports.
pub fn synth(arguments: &SynthArguments, board: &'static Board, report: &Report) -> anyhow::Result<Verdict> {
    let mut config = resolve(&arguments.config)?;
    config.trace.port = false;
    let program = arguments.image.as_deref();
    let staged = arguments.bitstream.as_deref().map(|path| StagedFile::prepare("--bitstream", path)).transpose()?;
    if let (Some(file), Some(program)) = (&staged, program) {
        file.differs_from(program, "the program itself")?;
    }
    // The tools work in one folder with all files.
    config.emit.hex_path.clear();
    let (core, contents) = with_image::core_on_board(&mut config, program)?;
    let top = boards::elaborate(board, &config, &core, arguments.board.baud())?;
    let seeds = arguments.seeds.unwrap_or(SEEDS);
    yosys::say_which();
    let progress = RefCell::new(Progress::new());
    let (placer, patience) = (arguments.placer, arguments.patience());
    let request = BoardRequest { board, core: &core, top: &top, contents: &contents, seeds, placer, patience };
    let built = flow::build(&config, request, &mut |text| progress.borrow_mut().say(text));
    progress.borrow_mut().clear();
    let Bitstream { area, file, ecppack } = built?;
    let written = match (staged, &file) {
        (Some(staged), Some(file)) => {
            fs::copy(file, staged.path()).map_err(|error| staged.fail(&error))?;
            staged.publish()?;
            arguments.bitstream.as_deref()
        }
        _ => None,
    };
    let ending = Ending::of(&area);
    let mut said = text(&area, ending, None);
    if let Some(path) = written {
        let _ = write!(said, "\n{}: the bitstream, by {ecppack}", path.display());
    } else if arguments.bitstream.is_some() {
        let _ = write!(said, "\nNo bitstream is written.");
    }
    report.answer(&said, || {
        let mut object = object(&area, ending);
        object["board"] = json!(board.name);
        object["bitstream"] = written.map_or(Value::Null, report::path);
        object["tools"]["ecppack"] = json!(ecppack);
        object
    })?;
    Ok(if ending.is_well() { Verdict::Success } else { Verdict::Failure })
}
