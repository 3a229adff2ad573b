//! Measures dynamic warp formation on compiled kernels, as markdown tables: cycles of post-dominator stacks on the barrel
//! processor over those of formed warps, and the lane utilisation of both.
//!
//! ```sh
//! weft kernels build --out kernels
//! cargo run -q -p weft-sim --example formation -- kernels warps=8 threads=16
//! ```
//!
//! A kernel counts if all its threads exit with 0 on all variants. The others are listed with the reason.

use std::path::{Path, PathBuf};
use std::{env, fs};

use sim::{Outcome, Program};
use weft_config::{BarrelWarps, Base, Config, FormedLanes, IssueHeuristic};

const LIMIT: u64 = 20_000_000;

struct Run {
    cycles: u64,
    utilisation: f64,
}

fn main() {
    let mut arguments = env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("the folder of the kernels"));
    let settings: Vec<String> = arguments.collect();
    let variants = variants();
    let mut rows: Vec<(String, Vec<Run>)> = Vec::new();
    for elf in files(&folder) {
        let name = elf.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let runs: Result<Vec<Run>, String> = variants
            .iter()
            .map(|variant| run(&elf, &settings, variant).map_err(|error| format!("{}: {error}", variant.join(" "))))
            .collect();
        match runs {
            Ok(runs) => rows.push((name, runs)),
            Err(reason) => println!("- {name}: {reason}"),
        }
    }
    if !rows.is_empty() {
        print(&rows, &variants);
    }
}

/// The settings of each variant: the reference first, then each heuristic.
fn variants() -> Vec<Vec<String>> {
    let set = |key: &str, value: &str| format!("dwf.{key}={value}");
    let issue = |issue: IssueHeuristic| set("issue", issue.name());
    let mut variants = vec![vec![set("warps", BarrelWarps::PostDominator.name())]];
    variants.extend(IssueHeuristic::ALL.iter().map(|heuristic| vec![issue(*heuristic)]));
    for heuristic in [IssueHeuristic::Majority, IssueHeuristic::ProgramCounter] {
        variants.push(vec![issue(heuristic), set("swizzle", "true")]);
        for lanes in [FormedLanes::Ideal, FormedLanes::Conflict] {
            variants.push(vec![issue(heuristic), set("lanes", lanes.name())]);
        }
    }
    variants.push(vec![issue(IssueHeuristic::Majority), set("table_entries", "4096")]);
    variants
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "elf")).collect();
    files.sort();
    files
}

fn run(elf: &Path, settings: &[String], variant: &[String]) -> Result<Run, String> {
    let mut all = vec!["divergence.unit=dwf".to_owned(), "isa.a=true".to_owned()];
    all.extend(settings.iter().chain(variant).cloned());
    let config = Config::resolve(&Base::default(), &all).map_err(|error| error.to_string())?;
    let bytes = fs::read(elf).map_err(|error| error.to_string())?;
    let program = Program::load("kernel", &bytes, &config).map_err(|error| error.to_string())?;
    let finished = sim::timing::run(&config, &program, LIMIT, &mut |_| {}).map_err(|error| error.to_string())?;
    if finished.outcome != Outcome::Exited {
        let text = format!("{:?}", finished.outcome);
        return Err(text.chars().take(120).collect());
    }
    let harts = (0..config.warps).flat_map(|warp| (0..config.threads).map(move |lane| (warp, lane)));
    for (warp, lane) in harts {
        let code = finished.machine.exit_code(warp, lane);
        if code != Some(0) {
            return Err(format!("warp {warp}, lane {lane} exits with {code:?}"));
        }
    }
    let cycles = finished.cycles.map_or(0, |cycles| cycles.total);
    Ok(Run { cycles, utilisation: finished.statistics.lane_utilisation(config.threads) })
}

fn mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = ratios.map(f64::ln).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
}

fn print(rows: &[(String, Vec<Run>)], variants: &[Vec<String>]) {
    println!("\n| variant | kernels | speed-up | least | most | lane utilisation |\n|---|---:|---:|---:|---:|---:|");
    for (number, variant) in variants.iter().enumerate() {
        let ratios: Vec<f64> =
            rows.iter().map(|(_, runs)| runs[0].cycles as f64 / runs[number].cycles as f64).collect();
        let (least, most) =
            ratios.iter().fold((f64::MAX, 0_f64), |(low, high), ratio| (low.min(*ratio), high.max(*ratio)));
        let lanes = rows.iter().map(|(_, runs)| runs[number].utilisation).sum::<f64>() / rows.len().max(1) as f64;
        let speed = mean(ratios.into_iter());
        println!("| `{}` | {} | {speed:.3} | {least:.2} | {most:.2} | {lanes:.2} |", variant.join(" "), rows.len());
    }
    let shown = 1..1 + IssueHeuristic::ALL.len();
    let names: Vec<&str> = IssueHeuristic::ALL.iter().map(|issue| issue.name()).collect();
    println!(
        "\n| kernel | cycles | lanes | {} | lanes |\n|---|---:|---:|{}---:|",
        names.join(" | "),
        "---:|".repeat(names.len())
    );
    for (name, runs) in rows {
        let ratio = |run: &Run| format!("{:.2}", runs[0].cycles as f64 / run.cycles as f64);
        let ratios: Vec<String> = runs[shown.clone()].iter().map(ratio).collect();
        let lanes = (runs[0].utilisation, runs[shown.start].utilisation);
        println!("| `{name}` | {} | {:.2} | {} | {:.2} |", runs[0].cycles, lanes.0, ratios.join(" | "), lanes.1);
    }
}
