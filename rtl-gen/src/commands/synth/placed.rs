//! The results of place and route: frequency, utilisation, and the critical path.

use std::fmt::Write;

use flow::family::Family;
use flow::{Area, CriticalPath, Outcome, Place, Placing, Seed};
use serde_json::{Map, Value, json};

use super::cells::figures;

/// The kinds of sites in the report, out of all that nextpnr counts.
const SITES: [&str; 5] = ["TRELLIS_COMB", "TRELLIS_FF", "TRELLIS_RAMW", "DP16KD", "MULT18X18D"];

/// Returns the margin of the median over the target, in MHz, for the core or its slowest module.
pub fn margin_mhz(area: &Area) -> Option<f64> {
    Some(area.slowest_mhz()? - f64::from(area.target_mhz?))
}

pub fn frequencies(placing: Option<&Placing>) -> Map<String, Value> {
    let seeds = placing.into_iter().flat_map(|placing| &placing.seeds);
    let all: Value = seeds.map(|seed| json!(seed.fmax_mhz)).collect();
    let median = json!(placing.and_then(Placing::median_mhz));
    Map::from_iter([("fmax_mhz".to_owned(), all), ("fmax_mhz_median".to_owned(), median)])
}

pub fn object(placing: &Placing, family: &Family) -> Value {
    let sites = placing.utilisation.iter();
    let utilisation: Map<String, Value> = sites
        .map(|(kind, sites)| (kind.clone(), json!({ "used": sites.used, "available": sites.available })))
        .collect();
    json!({
        "placer": placing.placer.name(),
        "seeds": placing.seeds.iter().map(seed).collect::<Value>(),
        "utilisation": utilisation,
        "around": figures(family, &placing.around),
        "reason": placing.outcome.reason(),
    })
}

fn seed(seed: &Seed) -> Value {
    json!({ "seed": seed.seed, "fmax_mhz": seed.fmax_mhz, "critical_path": path(&seed.critical_path) })
}

fn path(path: &CriticalPath) -> Value {
    let place = |place: &Place| json!({ "stage": place.stage, "name": place.name });
    let step = |step: &flow::Step| {
        json!({
            "kind": step.kind, "delay_ns": step.delay_ns, "place": step.place.as_ref().map(place),
            "near": step.near.as_ref().map(place), "cell": step.cell,
        })
    };
    json!({
        "delay_ns": path.delay_ns,
        "logic_ns": path.logic_ns,
        "routing_ns": path.routing_ns,
        "levels": path.levels,
        "from": place(&path.from),
        "to": place(&path.to),
        "modules": path.modules,
        "steps": path.steps.iter().map(step).collect::<Value>(),
    })
}

/// Returns "nextpnr-0.11.1" from nextpnr's own answer, and the placer.
fn tool(placing: &Placing) -> String {
    let answer = &placing.nextpnr[..];
    let version = answer.rsplit_once("(Version ").map_or(answer, |(_, version)| version.trim_end_matches(')'));
    format!("{version}, placer {}", placing.placer.name())
}

fn obstacle(placing: &Placing) -> Option<String> {
    let what = match &placing.outcome {
        Outcome::NotRouted(_) => "Not routed",
        Outcome::GivenUp(_) => "Not routed in time",
        _ => "Not placed",
    };
    Some(format!("{what}: {}.", placing.outcome.reason()?))
}

pub fn text(placing: &Placing, area: &Area) -> String {
    let mut text = obstacle(placing).map_or(String::new(), |obstacle| obstacle + "\n");
    let all: Vec<String> = placing.seeds.iter().map(|seed| format!("{:.1}", seed.fmax_mhz)).collect();
    let Some(median) = placing.median_mhz() else {
        if !all.is_empty() {
            let _ = writeln!(text, "The seeds before it reach {} MHz.", all.join(", "));
        }
        return text;
    };
    let _ = write!(text, "{median:.1} MHz, the median of {} by seed", all.join(", "));
    let _ = writeln!(text, "{}. {}", verdict(area), tool(placing));
    let sites = SITES.iter().filter_map(|kind| Some((kind, placing.utilisation.get(*kind)?)));
    let sites: Vec<String> =
        sites.map(|(kind, sites)| format!("{kind} {} of {}", sites.used, sites.available)).collect();
    let around = &placing.around;
    let of_them = match around.ff {
        // On a board the netlist contains everything.
        0 => ".".to_owned(),
        ff => format!(";\n{ff} FF and {} LUT4 of these are outside the core.", around.lut),
    };
    let _ = writeln!(text, "Sites: {}{of_them}", sites.join(", "));

    if let Some(seed) = typical(placing) {
        let _ = write!(text, "\n{}", path_text(seed));
    }
    text
}

/// Makes the report of the modules of a core, slowest first.
pub fn modules_text(area: &Area) -> String {
    let mut rows: Vec<(&str, &Placing)> = area.placings.iter().map(|(name, placing)| (&name[..], placing)).collect();
    rows.sort_by(|(_, a), (_, b)| {
        let key = |placing: &Placing| placing.median_mhz().unwrap_or(0.0);
        key(a).total_cmp(&key(b))
    });
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text =
        "Each module next to the core, placed separately with the modules below it: median of the seeds\n".to_owned();
    for (name, placing) in rows {
        let median = placing.median_mhz().map_or("-".to_owned(), |median| format!("{median:.1}"));
        let path = typical(placing).map_or(String::new(), |seed| {
            format!("{} → {}", shown(&seed.critical_path.from), shown(&seed.critical_path.to))
        });
        let _ = writeln!(text, "{name:width$} {median:>8} MHz  {}", obstacle(placing).unwrap_or(path));
    }
    let nextpnr = area.placings.first().map_or(String::new(), |(_, placing)| tool(placing));
    let _ = write!(
        text,
        "Registers around each module cut paths through several modules: a core that is placed as\n\
         a whole is hardly faster than the slowest of them{}. {nextpnr}",
        verdict(area)
    );
    text
}

/// Returns whether the target clock is reached.
fn verdict(area: &Area) -> String {
    let (Some(target), Some(margin)) = (area.target_mhz, margin_mhz(area)) else { return String::new() };
    let verdict = if margin < 0.0 { "timing not met" } else { "timing met" };
    format!("; {verdict}: {margin:+.1} MHz against the target of {target}")
}

/// Returns the seed whose frequency is nearest to the median.
fn typical(placing: &Placing) -> Option<&Seed> {
    let median = placing.median_mhz()?;
    let distance = |seed: &&Seed| (seed.fmax_mhz - median).abs();
    placing.seeds.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn shown(place: &Place) -> String {
    format!("{}: {}", place.stage, place.name)
}

fn path_text(seed: &Seed) -> String {
    let path = &seed.critical_path;
    let mut text = format!(
        "Critical path of seed {}: {:.2} ns, {:.2} logic + {:.2} routing, {} level{}\n{} → {}\nthrough {}\n",
        seed.seed,
        path.delay_ns,
        path.logic_ns,
        path.routing_ns,
        path.levels,
        if path.levels == 1 { "" } else { "s" },
        shown(&path.from),
        shown(&path.to),
        path.modules.join(", ")
    );
    for step in &path.steps {
        let near = || step.near.as_ref().map_or(String::new(), |near| format!("~ {}", shown(near)));
        let place = step.place.as_ref().map_or_else(near, shown);
        let _ = writeln!(text, "{}", format!("{:>8.2}  {:<9} {place}", step.delay_ns, step.kind).trim_end());
    }
    text
}
