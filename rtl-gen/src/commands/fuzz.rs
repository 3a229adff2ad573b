//! `weft fuzz`: random divergent programs on cores of random size and unit.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use fuzz::build::Assembler;
use fuzz::campaign::{self, Event, Manner, Request, Summary};
use fuzz::coverage::{Coverage, CoverageReport, Shares};
use fuzz::point::SIZES;
use fuzz::profile::{PROFILES, Profile};
use fuzz::reference::{Reference, ReferenceError};
use serde_json::json;
use tools::Tool;
use verilate::Counters;
use weft_config::{Config, Unit, did_you_mean};

use super::compare;
use crate::arguments::FuzzArguments;
use crate::error::RequestError;
use crate::progress::Progress;
use crate::report::{self, Report};
use crate::staging::StagedFile;
use crate::{Verdict, version};

/// Programs per core, if the number of cores is not given.
const PROGRAMS_A_CORE: u64 = 25;

pub fn fuzz(arguments: &FuzzArguments, report: &Report) -> anyhow::Result<Verdict> {
    let request = request(arguments)?;
    let assembler = Assembler::find().map_err(campaign::CampaignError::from)?;
    // QEMU is optional; an unusable QEMU is an error.
    let (reference, missing) = match Reference::find(&assembler) {
        Ok(reference) => (Some(reference), None),
        Err(ReferenceError::Tool(error)) => (None, Some(error.to_string())),
        Err(error) => return Err(campaign::CampaignError::from(error).into()),
    };
    let made_by = match &reference {
        Some(reference) => format!("weft {}; {}", version::text(), reference.version()),
        None => format!("weft {}; no QEMU", version::text()),
    };
    let request = Request { made_by, ..request };
    let counters = if arguments.bits { Counters::PointsAndBits } else { Counters::Points };
    let manner = Manner {
        folder: arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("fuzz-{}", arguments.seed))),
        resume: arguments.resume,
        jobs: arguments.jobs as usize,
        counters: arguments.coverage.as_ref().map(|_| counters),
    };
    // Tools and output files are checked before the campaign starts.
    for tool in [Tool::Verilator, Tool::Cxx] {
        tools::find(tool)?;
    }
    let staged = arguments.coverage.as_deref().map(|file| StagedFile::prepare("--coverage", file)).transpose()?;
    for (file, own) in staged.iter().flat_map(|file| campaign::FILES.iter().map(move |own| (file, own))) {
        file.differs_from(&manner.folder.join(own), "a file of the campaign")?;
    }
    let mut coverage = Coverage::default();
    let mut progress = Progress::new();
    let start = Instant::now();
    let mut doing = String::new();
    let ended = campaign::run(&request, &manner, reference.as_ref(), &mut |event, sums| {
        match event {
            Event::Building(core) => doing = format!(", {core}"),
            Event::Failed(folder) => {
                progress.clear();
                eprintln!("a program failed; shrinking it: {}", folder.display());
            }
            Event::Covered(unit, points) => coverage.add(unit, points.clone()),
            Event::Tried(_) | Event::Ran(_) => {}
        }
        let run = sums.programs + sums.skipped;
        progress.say(&format!("{run} of {} programs, {} failed{doing}", request.count, sums.failures));
    });
    progress.clear();
    let sums = ended?;
    let wall = start.elapsed().as_secs_f64();
    let mut text = text(&sums, missing.as_deref(), wall);
    let covered = match staged {
        Some(file) if sums.run_now > 0 => {
            let covered = coverage.report();
            let object = json!({ "programs": sums.run_now, "coverage": covered });
            file.write(format!("{object:#}\n").as_bytes())?;
            text.push_str(&coverage_text(&covered));
            let name = file.target().display().to_string();
            file.publish()?;
            Some((name, covered))
        }
        Some(file) => {
            let _ = write!(text, "\nno program ran now: {} is unchanged", file.target().display());
            None
        }
        None => None,
    };
    report.answer(&text, || {
        json!({
            "out": report::path(&manner.folder),
            "request": request,
            "summary": sums,
            "programs_a_second": rate(&sums),
            "without_reference": missing,
            "coverage": covered.as_ref().map(|(file, covered)| json!({ "file": file, "all": covered.all })),
            "wall_seconds": wall,
        })
    })?;
    Ok(if sums.failures + sums.endless == 0 { Verdict::Success } else { Verdict::Failure })
}

fn coverage_text(covered: &CoverageReport) -> String {
    let Shares { lines, toggles, functional } = covered.all;
    let mut text = format!(
        "\ncovered now: {} of {} functional points, {} of {} lines of Verilog ({:.1} %)",
        functional.met,
        functional.points,
        lines.met,
        lines.points,
        lines.percent()
    );
    if toggles.points > 0 {
        let _ = write!(text, ", {} of {} bits ({:.1} %)", toggles.met, toggles.points, toggles.percent());
    }
    for point in covered.functional.iter().filter(|point| point.units.values().all(|count| *count == 0)) {
        let _ = write!(text, "\n  never: {} in {}", point.point, point.module);
    }
    text
}

/// Returns the programs per second on one core, without its build.
fn rate(sums: &Summary) -> Option<f64> {
    (sums.core_seconds > 0.0).then(|| sums.run_now as f64 / sums.core_seconds)
}

fn text(sums: &Summary, missing: Option<&str>, wall: f64) -> String {
    let mut text = format!(
        "{} programs: {} agree, {} fail, {} did not end",
        sums.programs, sums.agree, sums.failures, sums.endless
    );
    if sums.skipped > 0 {
        let _ = write!(text, "; {} not run, because their core had failed three times", sums.skipped);
    }
    if sums.faulted > 0 {
        let _ = write!(text, "; {} of them ended in a fault, which is allowed", sums.faulted);
    }
    for (unit, programs, failed) in &sums.units {
        let _ = write!(text, "\n  {unit}: {programs} programs, {failed} failed");
    }
    match missing {
        None => {
            let _ = write!(
                text,
                "\n{} of them run by QEMU as well; {} excluded, whose result depends on other harts, time or paths",
                sums.referenced, sums.excluded
            );
        }
        Some(reason) => {
            let _ = write!(text, "\nnot compared with QEMU, only with the model: {reason}");
        }
    }
    if let Some(rate) = rate(sums) {
        let _ = write!(
            text,
            "\n{} cycles, {} commits; {} programs now in {wall:.0} s, {rate:.0} a second on a core once it is built",
            sums.cycles, sums.commits, sums.run_now
        );
    }
    for folder in &sums.folders {
        let _ = write!(text, "\nfailed: {}", folder.join("report.txt").display());
    }
    text
}

fn request(arguments: &FuzzArguments) -> anyhow::Result<Request> {
    let profile = arguments.profile.as_deref().map(profile).transpose()?;
    let mut units = units(&arguments.units)?;
    if profile.as_deref().and_then(Profile::find).is_some_and(|profile| profile.statements.lock > 0) {
        units = with_time_slices(units, &arguments.units)?;
    }
    let sizes = match arguments.sizes.as_slice() {
        [] => SIZES.to_vec(),
        sizes => sizes.iter().map(|size| self::size(size)).collect::<anyhow::Result<_>>()?,
    };
    let most = (units.len() * sizes.len()) as u64;
    let points = arguments.points.unwrap_or_else(|| arguments.count.div_ceil(PROGRAMS_A_CORE).min(most));
    let (seed, count) = (arguments.seed, arguments.count);
    Ok(Request { seed, count, profile, units, sizes, points: points.min(count), made_by: String::new() })
}

/// Returns the named units in the order of registration, or all units if none is named.
fn units(given: &[String]) -> Result<Vec<String>, RequestError> {
    let known = Unit::names_in_hardware();
    compare::check_units(given, &known)?;
    let wanted = |name: &&str| given.is_empty() || given.iter().any(|given| given == name);
    Ok(known.into_iter().filter(wanted).map(str::to_owned).collect())
}

/// Leaves out units without time slices, on which a thread may wait for a lock for ever. A named one is an error.
fn with_time_slices(units: Vec<String>, given: &[String]) -> Result<Vec<String>, RequestError> {
    let (able, unable): (Vec<_>, Vec<_>) =
        units.into_iter().partition(|unit| Unit::find(unit).is_ok_and(|unit| unit.takes_turns));
    match unable.first().filter(|_| !given.is_empty()) {
        Some(unit) => {
            let instead = if able.is_empty() { "sorted-table".into() } else { able.join(",") };
            let message = format!("--units: {unit} has no time slices, which locks need: write {instead}");
            Err(RequestError::new("unknown-unit", message))
        }
        None => Ok(able),
    }
}

fn profile(name: &str) -> Result<String, RequestError> {
    if Profile::find(name).is_some() {
        return Ok(name.into());
    }
    let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
    let hint = did_you_mean(name, names.iter().copied(), || format!("the profiles are {}", names.join(", ")));
    Err(RequestError::new("unknown-profile", format!("--profile: no profile `{name}`: {hint}")))
}

fn size(text: &str) -> anyhow::Result<(u32, u32)> {
    let malformed = || RequestError::new("usage", format!("--sizes: `{text}` is not of the form 8x4: warps, threads"));
    let (warps, threads) = text.split_once('x').ok_or_else(malformed)?;
    let size = (warps.parse().map_err(|_| malformed())?, threads.parse().map_err(|_| malformed())?);
    let config = Config { warps: size.0, threads: size.1, ..Config::default() };
    config.check().map_err(|error| RequestError::new(error.kind(), format!("--sizes {text}: {error}")))?;
    Ok(size)
}
