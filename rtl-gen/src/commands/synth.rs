//! `weft synth`: the area of a core on an FPGA, and its clock frequency there.

mod board;
mod cells;
mod placed;

use std::cell::RefCell;
use std::fmt::Write;

use flow::{Area, ModuleArea, Outcome, Request};
use serde_json::{Map, Value, json};

use super::config::resolve;
use super::yosys;
use crate::Verdict;
use crate::arguments::SynthArguments;
use crate::error::RequestError;
use crate::progress::Progress;
use crate::report::Report;
use cells::{figures, kinds};

const SEEDS: u32 = 3;

/// Synthesises a core, places it if requested, and reports the result.
pub fn synth(arguments: &SynthArguments, report: &Report) -> anyhow::Result<Verdict> {
    if let Some(board) = arguments.board.board {
        return board::synth(arguments, board, report);
    }
    let of_a_board = [
        ("--image", arguments.image.is_some()),
        ("--bitstream", arguments.bitstream.is_some()),
        ("--baud", arguments.board.baud.is_some()),
    ];
    if let Some((option, _)) = of_a_board.iter().find(|(_, is_given)| *is_given) {
        let message = format!(
            "{option} needs --board, which replaces --target: a core without a board is counted without a program"
        );
        return Err(RequestError::new("usage", message).into());
    }
    let config = resolve(&arguments.config)?;
    let request = Request {
        part: arguments.target.ok_or_else(|| RequestError::new("usage", "expected --target PART or --board BOARD"))?,
        module: arguments.module.as_deref(),
        per_module: arguments.per_module,
        target_mhz: arguments.target_mhz,
        seeds: arguments.pnr.then(|| arguments.seeds.unwrap_or(SEEDS)),
        placer: arguments.placer,
        patience: arguments.patience(),
    };
    yosys::say_which();
    let progress = RefCell::new(Progress::new());
    let area = flow::synthesise(&config, request, &mut |text| progress.borrow_mut().say(text));
    progress.borrow_mut().clear();
    let area = area?;
    let ending = Ending::of(&area);
    report.answer(&text(&area, ending, area.target_mhz), || object(&area, ending))?;
    Ok(if ending.is_well() { Verdict::Success } else { Verdict::Failure })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Synthesised,
    Placed,
    DoesNotFit,
    NotRouted,
    GivenUp,
    OutOfMemory,
    TimingNotMet,
}

impl Ending {
    fn of(area: &Area) -> Self {
        let unplaced = area.all_placings().map(|placing| &placing.outcome).find(|outcome| **outcome != Outcome::Placed);
        let is_placed = area.all_placings().next().is_some();
        match unplaced {
            _ if area.out_of_memory => Self::OutOfMemory,
            Some(Outcome::NotRouted(_)) => Self::NotRouted,
            Some(Outcome::GivenUp(_)) => Self::GivenUp,
            Some(Outcome::OutOfMemory) => Self::OutOfMemory,
            Some(_) => Self::DoesNotFit,
            None if area.fits() == Some(false) => Self::DoesNotFit,
            None if placed::margin_mhz(area).is_some_and(|margin| margin < 0.0) => Self::TimingNotMet,
            None if is_placed => Self::Placed,
            None => Self::Synthesised,
        }
    }

    fn is_well(self) -> bool {
        matches!(self, Self::Synthesised | Self::Placed)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Synthesised => "synthesised",
            Self::Placed => "placed",
            Self::DoesNotFit => "does-not-fit",
            Self::NotRouted => "not-routed",
            Self::GivenUp => "given-up",
            Self::OutOfMemory => "out-of-memory",
            Self::TimingNotMet => "timing-not-met",
        }
    }

    /// Returns the verdict in words, to be followed by the part.
    fn words(self, area: &Area) -> &'static str {
        match self {
            Self::Synthesised | Self::Placed | Self::TimingNotMet if area.fits().is_none() => "may not fit",
            Self::Synthesised | Self::Placed | Self::TimingNotMet => "fits",
            Self::DoesNotFit => "does not fit",
            Self::NotRouted => "is not routed on",
            Self::GivenUp => "timed out on",
            Self::OutOfMemory => "needs more memory than the tools have for",
        }
    }
}

/// Returns whether the part holds the core, if that is known.
fn fits(area: &Area, ending: Ending) -> Option<bool> {
    if matches!(ending, Ending::DoesNotFit | Ending::NotRouted) { Some(false) } else { area.fits() }
}

fn object(area: &Area, ending: Ending) -> Value {
    let family = area.part.family;
    let module = |module: &ModuleArea| {
        let mut object = Map::from_iter([("instances".to_owned(), json!(module.instances))]);
        object.extend(figures(family, &module.cells));
        if let Some(placing) = area.placing_of(&module.name) {
            object.extend(placed::frequencies(Some(placing)));
            object.insert("placing".into(), placed::object(placing, family));
        }
        (module.name.clone(), Value::Object(object))
    };
    let available =
        kinds(family).into_iter().filter_map(|kind| Some((kind.key.to_owned(), json!((kind.available)(area.part)?))));
    let mut object = Map::from_iter([
        ("config".to_owned(), json!(area.config)),
        ("target".to_owned(), json!(area.part.name)),
        ("top".to_owned(), json!(area.top)),
        ("target_mhz".to_owned(), json!(area.target_mhz)),
        ("lut_inputs".to_owned(), json!(family.lut_inputs)),
        ("bram_kbit".to_owned(), json!(area.part.bram_kbit)),
    ]);
    object.extend(figures(family, &area.total()));
    object.extend(placed::frequencies(area.placing.as_ref()));
    object.insert("margin_mhz".into(), json!(placed::margin_mhz(area)));
    object.insert("fits".into(), json!(fits(area, ending)));
    object.insert("outcome".into(), json!(ending.name()));
    object.insert("available".into(), available.collect());
    object.insert("flattened".into(), json!(area.flattened.is_some()));
    object.insert("modules".into(), area.modules.iter().map(module).collect());
    object
        .insert("placing".into(), area.placing.as_ref().map_or(Value::Null, |placing| placed::object(placing, family)));
    let mut tools = Map::from_iter([("yosys".to_owned(), json!(area.yosys))]);
    tools.extend(area.all_placings().take(1).map(|placing| ("nextpnr".to_owned(), json!(placing.nextpnr))));
    object.insert("tools".into(), Value::Object(tools));
    Value::Object(object)
}

/// Makes the text of the report. `mapped_mhz` is the target frequency of logic mapping.
fn text(area: &Area, ending: Ending, mapped_mhz: Option<u32>) -> String {
    let (part, total, kinds) = (area.part, area.total(), kinds(area.part.family));
    let (top, target, config) = (&area.top, part.name, &area.config);
    let (warps, threads, unit) = (config.warps, config.threads, &config.divergence.unit);
    let mut text = format!("{top} of {warps} warps × {threads} threads, {unit}: {} {target}\n\n", ending.words(area));

    let width = area.modules.iter().map(|module| module.name.len()).chain(["all instances".len()]).max().unwrap_or(0);
    let mut row = |name: &str, instances: &str, show: &dyn Fn(&cells::Kind) -> String| {
        let columns: String = kinds.iter().map(|kind| format!("{:>9}", show(kind))).collect();
        let _ = writeln!(text, "{name:width$}{instances:>11}{columns}");
    };
    row("module", "instances", &|kind| kind.label.to_owned());
    for module in &area.modules {
        row(&module.name, &module.instances.to_string(), &|kind| (kind.count)(part.family, &module.cells).to_string());
    }
    if !area.modules.is_empty() {
        row("all instances", "", &|kind| (kind.count)(part.family, &area.sum()).to_string());
    }
    if area.flattened.is_some() {
        row("flattened", "", &|kind| (kind.count)(part.family, &total).to_string());
    }
    row(target, "", &|kind| (kind.available)(part).map_or(String::new(), |number| number.to_string()));

    let mapped = match mapped_mhz {
        Some(mhz) => format!("Logic was mapped for {mhz} MHz. "),
        None if part.family.maps_for_frequency => "Logic is mapped for the shortest delay. ".to_owned(),
        None => String::new(),
    };
    let rows = "A module's row counts one instance, without the modules below it; ";
    let rows = if area.modules.is_empty() { "" } else { rows };
    let packed_is = cells::packed_is(part.family);
    let _ = write!(text, "\n{rows}{packed_is}\n{mapped}{}", short(&area.yosys));
    if area.fits().is_none() {
        let _ = write!(
            text,
            "\n\nAll instances together take more LUT sites than {target} has; the flattened core takes fewer, which were\n\
             not counted."
        );
    }
    if let Some(placing) = &area.placing {
        let _ = write!(text, "\n\n{}", placed::text(placing, area));
    }
    if !area.placings.is_empty() {
        let _ = write!(text, "\n\n{}", placed::modules_text(area));
    }
    text
}

/// Returns the version of a tool without its build options.
fn short(version: &str) -> &str {
    version.split_inclusive(" (").next().unwrap_or_default().trim_end_matches(" (")
}
