//! `weft synth`: the area of a core on an FPGA.

use std::cell::RefCell;
use std::fmt::Write;

use flow::part::Part;
use flow::{Area, Cells, ModuleArea, Request};
use serde_json::{Map, Value, json};

use super::config::resolve;
use crate::Verdict;
use crate::arguments::SynthArguments;
use crate::progress::Progress;
use crate::report::Report;

/// A kind of cell: its name in the object and its label, how many there are, and how many a part has.
type Kind = (&'static str, &'static str, fn(&Cells) -> u64, fn(&Part) -> Option<u64>);

const KINDS: [Kind; 8] = [
    ("lut4", "LUT4", |cells| cells.lut4, |_| None),
    ("ccu2c", "CCU2C", |cells| cells.ccu2c, |_| None),
    ("chains", "chains", |cells| cells.chains, |_| None),
    ("lutram", "LUT RAM", |cells| cells.lutram, |_| None),
    ("packed", "packed", Cells::packed, |part| Some(part.lut_sites)),
    ("ff", "FF", |cells| cells.ff, |part| Some(part.ff)),
    ("bram", "BRAM", |cells| cells.bram, |part| Some(part.bram)),
    ("dsp", "DSP", |cells| cells.dsp, |part| Some(part.dsp)),
];

/// Synthesises a core and reports its cells.
pub fn synth(arguments: &SynthArguments, report: &Report) -> anyhow::Result<Verdict> {
    let config = resolve(&arguments.config)?;
    let part = arguments.target;
    let request = Request {
        module: arguments.module.as_deref(),
        per_module: arguments.per_module,
        target_mhz: arguments.target_mhz,
    };
    let progress = RefCell::new(Progress::new());
    let area = flow::synthesise(&config, request, &mut |text| progress.borrow_mut().say(text));
    progress.borrow_mut().clear();
    let area = area?;
    report.answer(&text(part, &area), || object(part, &area))?;
    Ok(if part.holds(&area.total()) { Verdict::Success } else { Verdict::Failure })
}

fn figures(cells: &Cells) -> Map<String, Value> {
    KINDS.iter().map(|(name, _, count, _)| ((*name).to_owned(), json!(count(cells)))).collect()
}

fn object(part: &Part, area: &Area) -> Value {
    let module = |module: &ModuleArea| {
        let mut object = Map::from_iter([("instances".to_owned(), json!(module.instances))]);
        object.extend(figures(&module.cells));
        (module.name.clone(), Value::Object(object))
    };
    let available = KINDS.iter().filter_map(|(name, _, _, of)| Some(((*name).to_owned(), json!(of(part)?))));
    let mut object = Map::from_iter([
        ("config".to_owned(), json!(area.config)),
        ("target".to_owned(), json!(part.name)),
        ("top".to_owned(), json!(area.top)),
        ("target_mhz".to_owned(), json!(area.target_mhz)),
    ]);
    object.extend(figures(&area.total()));
    object.insert("fmax_mhz".into(), json!([]));
    object.insert("fits".into(), json!(part.holds(&area.total())));
    object.insert("available".into(), available.collect());
    object.insert("flattened".into(), json!(area.flattened.is_some()));
    object.insert("modules".into(), area.modules.iter().map(module).collect());
    object.insert("tools".into(), json!({ "yosys": area.yosys }));
    Value::Object(object)
}

fn text(part: &Part, area: &Area) -> String {
    let total = area.total();
    let (top, target, config) = (&area.top, part.name, &area.config);
    let (warps, threads, unit) = (config.warps, config.threads, &config.divergence.unit);
    let verdict = if part.holds(&total) { "fits" } else { "does not fit" };
    let mut text = format!("{top} of {warps} warps × {threads} threads, {unit}: {verdict} {target}\n\n");

    let width = area.modules.iter().map(|module| module.name.len()).chain(["all instances".len()]).max().unwrap_or(0);
    let mut row = |name: &str, instances: &str, show: &dyn Fn(&Kind) -> String| {
        let columns: String = KINDS.iter().map(|kind| format!("{:>9}", show(kind))).collect();
        let _ = writeln!(text, "{name:width$}{instances:>11}{columns}");
    };
    row("module", "instances", &|(_, label, ..)| (*label).to_owned());
    for module in &area.modules {
        row(&module.name, &module.instances.to_string(), &|(_, _, count, _)| count(&module.cells).to_string());
    }
    row("all instances", "", &|(_, _, count, _)| count(&area.sum()).to_string());
    if area.flattened.is_some() {
        row("flattened", "", &|(_, _, count, _)| count(&total).to_string());
    }
    row(target, "", &|(_, _, _, of)| of(part).map_or(String::new(), |number| number.to_string()));

    let mapped = area.target_mhz.map_or("the shortest delay".to_owned(), |mhz| format!("{mhz} MHz"));
    let _ = write!(
        text,
        "\nA module's row counts one instance, without the modules below it; `packed` = LUT4 + 2 CCU2C + 4 chains +\n\
         6 LUT RAM are the LUT sites after packing. Logic was mapped for {mapped}. {}",
        area.yosys.split_inclusive(" (").next().unwrap_or_default().trim_end_matches(" (")
    );
    text
}
