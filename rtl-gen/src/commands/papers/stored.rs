//! Results that the repository keeps: single syntheses (`docs/notebook/results/area`), and the table of the last comparison
//! in `docs/manual/compare.md`. They are of the hardware of their date.

use serde_json::Value;

macro_rules! results {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../docs/notebook/results/", $name, ".json")))),*]
    };
}

/// The stored syntheses, by name.
const RESULTS: [(&str, &str); 3] =
    results!("area/rv32i-8x4-sorted-table", "area/rv32im-8x8-pdom-stack", "area/rv32im-8x8-dual-path",);

/// The page with clocks and areas of the last whole comparison, over those of the sorted table.
const BESIDE: &str = include_str!("../../../../docs/manual/compare.md");

/// Returns the stored number FILE#/KEY/…; `compare.md#THREADS/UNIT/COLUMN` is one of the comparison's table.
///
/// # Errors
/// If it is not there.
pub fn value(name: &str) -> Result<f64, String> {
    let missing = || format!("not stored: {name}");
    let (file, key) = name.split_once('#').ok_or_else(missing)?;
    if file == "compare.md" {
        return beside(key).ok_or_else(missing);
    }
    result(file).and_then(|result| result.pointer(&format!("/values{key}"))?.as_f64()).ok_or_else(missing)
}

/// Returns the command and date of a stored number.
pub fn command(name: &str) -> Option<String> {
    let (file, _) = name.split_once('#')?;
    if file == "compare.md" {
        return Some("weft compare --out DIR (stored: docs/manual/compare.md)".to_owned());
    }
    let result = result(file)?;
    let text = |key: &str| result[key].as_str().map(str::to_owned);
    Some(format!("{} (stored: {file}, {})", text("command")?.replace(" --json", ""), text("date")?))
}

fn result(file: &str) -> Option<Value> {
    let (_, text) = RESULTS.iter().find(|(name, _)| *name == file)?;
    serde_json::from_str(text).ok()
}

/// Returns a cell of the table between the markers `beside`.
fn beside(key: &str) -> Option<f64> {
    let [threads, unit, column] = key.trim_start_matches('/').split('/').collect::<Vec<_>>()[..] else { return None };
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    let table = BESIDE.split_once("<!-- beside: begin -->")?.1.split_once("<!-- beside: end -->")?.0;
    let mut lines = table.lines().filter(|line| line.starts_with('|')).map(cells);
    let column = lines.next()?.iter().position(|title| title.replace(' ', "") == column)?;
    lines.find(|row| row[0] == threads && row[1] == unit)?[column].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_numbers_are_found_by_name() {
        assert!(value("area/rv32im-8x8-dual-path#/lut4").is_ok_and(|lut4| lut4 > 1000.0));
        assert!(value("area/rv32im-8x8-dual-path#/modules/s3_scoreboard/1").is_ok_and(|lut4| lut4 > 100.0));
        assert!(value("compare.md#8/arbiter/clock").is_ok_and(|ratio| ratio < 1.0));
        assert!(value("compare.md#8/arbiter/RV32I:sites").is_ok_and(|ratio| ratio > 1.0));
        for none in ["area/none#/lut4", "area/rv32im-8x8-dual-path#/none", "compare.md#3/arbiter/clock", "none"] {
            assert_eq!(value(none), Err(format!("not stored: {none}")));
        }
    }

    #[test]
    fn a_stored_number_has_its_command_and_date() {
        let command = command("area/rv32im-8x8-dual-path#/lut4").expect("a command");
        assert!(command.starts_with("weft synth --target") && command.contains("(stored: area/"), "{command}");
    }
}
