//! Measured figures for the documentation: scripts print the values that tests assert.

use std::fs::OpenOptions;
use std::io::Write;

use serde_json::json;

/// Prints a figure. If `WEFT_FIGURES` names a file, the figure is appended to it too, as one JSON line.
pub fn record(figure: &str, value: f64) {
    println!("{figure}: {value}");
    let Some(path) = std::env::var_os("WEFT_FIGURES") else { return };
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    // One write, so that lines of concurrent tests do not mix.
    file.write_all(format!("{}\n", json!({ "figure": figure, "value": value })).as_bytes()).unwrap();
}
