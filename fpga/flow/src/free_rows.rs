//! Rows of a part without logic, for its wires.
//!
//! nextpnr packs a core so densely that the wires between its block RAMs do not suffice: the router then tears up a third of
//! the connections that it makes, and may not end. It has no option for the density. So LUTs without inputs and outputs are
//! locked to all sites of every third row. Flip-flops may still use these rows.

use serde_json::{Value, json};

use crate::netlist::NetlistError;
use crate::part::Part;

/// The rows whose numbers this divides are free. Rows of block RAMs and multipliers, from 10 or 13 in steps of 12, are not
/// among them.
const EVERY: usize = 3;

/// The logic of a part begins at column 2 and row 2.
struct Grid {
    part: &'static str,
    last_column: u32,
    last_row: u32,
}

/// Found by locking a LUT to each site: nextpnr names a site that does not exist.
const GRIDS: [Grid; 3] = [
    Grid { part: "ecp5-85k", last_column: 124, last_row: 93 },
    Grid { part: "ecp5-45k", last_column: 88, last_row: 69 },
    Grid { part: "ecp5-25k", last_column: 70, last_row: 48 },
];

/// The names of the sites for a LUT in the free rows of a part; none of a part that nextpnr does not place.
pub fn sites(part: &Part) -> Vec<String> {
    let mut sites = Vec::new();
    for grid in GRIDS.iter().filter(|grid| grid.part == part.name) {
        let rows = (0..=grid.last_row).step_by(EVERY).skip(1);
        for (row, column) in rows.flat_map(|row| (2..=grid.last_column).map(move |column| (row, column))) {
            for slice in ["A", "B", "C", "D"] {
                sites.extend([0, 1].map(|lut| format!("X{column}/Y{row}/SLICE{slice}.K{lut}")));
            }
        }
    }
    sites
}

/// Adds LUTs on these sites to the module `top` of a netlist.
///
/// # Errors
/// If the netlist is no JSON, or has no such module.
pub fn occupy(netlist: &str, top: &str, sites: &[String]) -> Result<String, NetlistError> {
    let mut netlist: Value = serde_json::from_str(netlist)?;
    let module = netlist.get_mut("modules").and_then(|modules| modules.get_mut(top));
    let cells = module.and_then(|module| module.get_mut("cells")?.as_object_mut());
    let cells = cells.ok_or_else(|| NetlistError::NoModule(top.to_owned()))?;
    for (number, site) in sites.iter().enumerate() {
        let lut = json!({
            "type": "LUT4",
            "parameters": { "INIT": "0000000000000000" },
            "attributes": { "BEL": site },
            "port_directions": { "A": "input", "B": "input", "C": "input", "D": "input", "Z": "output" },
            "connections": { "A": ["0"], "B": ["0"], "C": ["0"], "D": ["0"], "Z": [] },
        });
        cells.insert(format!("free_row_{number}"), lut);
    }
    Ok(serde_json::to_string(&netlist)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::ECP5;
    use crate::part::PARTS;

    #[test]
    fn a_third_of_the_logic_is_free() {
        for part in PARTS.iter().filter(|part| part.family == &ECP5) {
            let share = sites(part).len() as f64 / part.lut_sites as f64;
            assert!((0.30..0.40).contains(&share), "{}: {share}", part.name);
        }
        assert!(sites(&PARTS[3]).is_empty());
    }

    #[test]
    fn rows_of_block_ram_have_no_luts() {
        let sites = sites(crate::part::find("ecp5-85k").unwrap());
        let has = |row: u32| sites.contains(&format!("X30/Y{row}/SLICED.K1"));
        assert!([3, 12, 45, 48, 93].into_iter().all(has));
        assert!(![0, 10, 11, 22, 46, 94].into_iter().any(has));
    }

    #[test]
    fn the_netlist_keeps_its_cells() {
        let netlist = r#"{"modules":{"below":{"cells":{}},"pins":{"cells":{"mine":{"type":"LUT4"}}}}}"#;
        let occupied = occupy(netlist, "pins", &["X2/Y3/SLICEA.K0".to_owned()]).unwrap();
        let occupied: Value = serde_json::from_str(&occupied).unwrap();
        let cells = occupied["modules"]["pins"]["cells"].as_object().unwrap();
        assert_eq!(cells.keys().collect::<Vec<_>>(), ["mine", "free_row_0"]);
        assert_eq!(cells["free_row_0"]["attributes"]["BEL"], "X2/Y3/SLICEA.K0");
        assert_eq!(occupied["modules"]["below"]["cells"], json!({}));
        assert!(matches!(occupy("no netlist", "pins", &[]), Err(NetlistError::Malformed(_))));
        assert!(matches!(occupy(netlist, "core", &[]), Err(NetlistError::NoModule(_))));
    }
}
