//! What placing and routing gave: frequency, utilisation, and the path that limits the clock.

use std::fmt::Write;

use flow::family::Family;
use flow::{Area, CriticalPath, Outcome, Place, Placing, Seed};
use serde_json::{Value, json};

use super::cells::figures;

/// Sites that a core takes, of all that nextpnr counts.
const SITES: [&str; 5] = ["TRELLIS_COMB", "TRELLIS_FF", "TRELLIS_RAMW", "DP16KD", "MULT18X18D"];

/// How much faster than asked for the median is, in MHz.
pub fn margin_mhz(area: &Area) -> Option<f64> {
    Some(area.placing.as_ref()?.median_mhz()? - f64::from(area.target_mhz?))
}

/// For machines.
pub fn object(placing: &Placing, family: &Family) -> Value {
    let reason = match &placing.outcome {
        Outcome::DoesNotFit(reason) | Outcome::NotRouted(reason) => Some(reason),
        Outcome::Placed | Outcome::OutOfMemory => None,
    };
    let sites = placing.utilisation.iter();
    let utilisation: serde_json::Map<String, Value> = sites
        .map(|(kind, sites)| (kind.clone(), json!({ "used": sites.used, "available": sites.available })))
        .collect();
    json!({
        "seeds": placing.seeds.iter().map(seed).collect::<Value>(),
        "utilisation": utilisation,
        "around": figures(family, &placing.around),
        "reason": reason,
    })
}

fn seed(seed: &Seed) -> Value {
    json!({ "seed": seed.seed, "fmax_mhz": seed.fmax_mhz, "critical_path": path(&seed.critical_path) })
}

fn path(path: &CriticalPath) -> Value {
    let place = |place: &Place| json!({ "stage": place.stage, "name": place.name });
    let step = |step: &flow::Step| {
        json!({
            "kind": step.kind, "delay_ns": step.delay_ns, "place": step.place.as_ref().map(place), "cell": step.cell,
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

/// "nextpnr-0.11.1" of what nextpnr answers.
fn version(answer: &str) -> &str {
    answer.rsplit_once("(Version ").map_or(answer, |(_, version)| version.trim_end_matches(')'))
}

/// For people.
pub fn text(placing: &Placing, area: &Area) -> String {
    let mut text = match &placing.outcome {
        Outcome::Placed => String::new(),
        Outcome::DoesNotFit(reason) => format!("Not placed: {reason}.\n"),
        Outcome::NotRouted(reason) => format!("Not routed: {reason}.\n"),
        Outcome::OutOfMemory => "Not placed: nextpnr ran out of memory.\n".to_owned(),
    };
    let Some(median) = placing.median_mhz() else { return text };
    let all: Vec<String> = placing.seeds.iter().map(|seed| format!("{:.1}", seed.fmax_mhz)).collect();
    let _ = write!(text, "{median:.1} MHz, the median of {} by seed", all.join(", "));
    if let (Some(target), Some(margin)) = (area.target_mhz, margin_mhz(area)) {
        let verdict = if margin < 0.0 { "timing not met" } else { "timing met" };
        let _ = write!(text, "; {verdict}: {margin:+.1} MHz of the {target} asked for");
    }
    let _ = writeln!(text, ". {}", version(&placing.nextpnr));
    let sites = SITES.iter().filter_map(|kind| Some((kind, placing.utilisation.get(*kind)?)));
    let sites: Vec<String> =
        sites.map(|(kind, sites)| format!("{kind} {} of {}", sites.used, sites.available)).collect();
    let around = &placing.around;
    let _ = writeln!(
        text,
        "Sites: {};\n{} FF and {} LUT4 of them are around the core.",
        sites.join(", "),
        around.ff,
        around.lut
    );

    let distance = |seed: &&Seed| (seed.fmax_mhz - median).abs();
    if let Some(seed) = placing.seeds.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))) {
        let _ = write!(text, "\n{}", path_text(seed));
    }
    text
}

fn path_text(seed: &Seed) -> String {
    let path = &seed.critical_path;
    let shown = |place: &Place| format!("{}: {}", place.stage, place.name);
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
        let place = step.place.as_ref().map_or(String::new(), shown);
        let _ = writeln!(text, "{}", format!("{:>8.2}  {:<9} {place}", step.delay_ns, step.kind).trim_end());
    }
    text
}
