use super::*;
use crate::family::ECP5;

/// A report as Yosys 0.23 writes it: with a backslash before names and an extra comma.
const REPORT: &str = r#"{
   "creator": "Yosys 0.23",
   "modules": {
  "\\bit": { "num_cells": 3, "num_cells_by_type": { "LUT4": 2, "TRELLIS_FF": 1 } },
  "\\lane": { "num_cells_by_type": { "bit": 4, "CCU2C": 5, "CCU2C_FIRST": 2, "DP16KD": 1, "$scopeinfo": 1 } },
  "\\aside": { "num_cells_by_type": { "LUT4": 99 } },
  "\\top": { "num_cells_by_type": { "lane": 3, "bit": 1, "LUT4": 7, "TRELLIS_DPR16X4": 6, "MULT18X18D": 2, "PFUMX": 9 } }
   },

}
"#;

#[test]
fn instances_are_counted_through_the_hierarchy() {
    let found = modules(&ECP5, &read(REPORT).unwrap(), "top").unwrap();
    let expected = [
        ("bit", 13, Cells { lut: 2, ff: 1, ..Cells::default() }),
        ("top", 1, Cells { lut: 7, lutram: 6, dsp: 2, ..Cells::default() }),
        ("lane", 3, Cells { carry: 7, chains: 2, bram: 1, ..Cells::default() }),
    ];
    let expected: Vec<ModuleArea> = expected
        .into_iter()
        .map(|(name, instances, cells)| ModuleArea { name: name.into(), instances, cells })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_report_that_leaves_something_out_is_refused() {
    let text = |report: &str, top| read(report).and_then(|types| modules(&ECP5, &types, top)).unwrap_err().to_string();
    assert_eq!(text(REPORT, "topp"), "no module `topp`");
    let unmapped = REPORT.replace("PFUMX", "$mem_v2");
    assert_eq!(text(&unmapped, "top"), "9 cells of type $mem_v2 in module `top` were not mapped to the FPGA");
    assert!(modules(&ECP5, &read(&unmapped).unwrap(), "lane").is_ok());
    assert!(text("{}", "top").starts_with("not a report of cells: "));
}
