//! The kinds of cells of a family, for reports.

use flow::Cells;
use flow::family::Family;
use flow::part::Part;
use serde_json::{Map, Value, json};

pub struct Kind {
    /// The name in the JSON object.
    pub key: &'static str,
    /// The name in the table.
    pub label: &'static str,
    /// The number in use.
    pub count: fn(&Family, &Cells) -> u64,
    /// The number that a part has.
    pub available: fn(&Part) -> Option<u64>,
}

/// Returns the kinds of a family, in the order of the table.
pub fn kinds(family: &Family) -> Vec<Kind> {
    let kind = |key, label, count, available| Kind { key, label, count, available };
    let (lut, lut_label) = if family.lut_inputs == 6 { ("lut6", "LUT6") } else { ("lut4", "LUT4") };
    let mut kinds = vec![kind(lut, lut_label, |_, cells| cells.lut, |_| None)];
    if let Some(name) = family.carry {
        let key = if name == "CCU2C" { "ccu2c" } else { "carry" };
        kinds.push(kind(key, name, |_, cells| cells.carry, |_| None));
    }
    if family.has_chains {
        kinds.push(kind("chains", "chains", |_, cells| cells.chains, |_| None));
    }
    if family.has_lutram {
        kinds.push(kind("lutram", "LUT RAM", |_, cells| cells.lutram, |_| None));
    }
    kinds.push(kind("packed", "packed", Family::packed, |part| Some(part.lut_sites)));
    kinds.push(kind("ff", "FF", |_, cells| cells.ff, |part| Some(part.ff)));
    kinds.push(kind("bram", "BRAM", |_, cells| cells.bram, |part| Some(part.bram)));
    kinds.push(kind("dsp", "DSP", |_, cells| cells.dsp, |part| Some(part.dsp)));
    kinds
}

/// Returns the number of each kind, by its JSON name. `lut4` is always present: null where LUTs are larger.
pub fn figures(family: &Family, cells: &Cells) -> Map<String, Value> {
    let no_lut4 = (family.lut_inputs != 4).then(|| ("lut4".to_owned(), Value::Null));
    let counts = kinds(family).into_iter().map(|kind| (kind.key.to_owned(), json!((kind.count)(family, cells))));
    no_lut4.into_iter().chain(counts).collect()
}

pub fn packed_is(family: &Family) -> &'static str {
    if family.places {
        "`packed` = LUT4 + 2 CCU2C + 4 chains +\n6 LUT RAM are the LUT sites after packing."
    } else {
        "`packed` is an\nestimate of LUT sites: nothing is placed for this family."
    }
}
