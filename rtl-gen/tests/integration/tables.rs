//! The records of `scripts/frequency.sh` about placed cores, and its table.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Ended, Workspace};
use serde_json::{Value, json};

/// The version lines of the tools.
const SAID: [&str; 2] =
    ["Yosys 9.99 (stand-in)", "\"nextpnr-ecp5\" -- Next Generation Place and Route (Version nextpnr-9.99)"];

/// A store of cores in a new folder.
struct Store(Workspace);

impl Store {
    fn script(&self, arguments: &[&str]) -> Ended {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/frequency_table.py");
        let mut python = Command::new("python3");
        python.arg("-B").arg(script).args(arguments).current_dir(self.0.path());
        Ended::of(python.output().expect("Python starts"))
    }

    /// Keeps the arbiter's RV32I core of two threads, with this Verilog and this answer of `weft synth`.
    fn keep(&self, verilog: &str, answer: &Value) {
        self.0.write("answer.json", answer.to_string());
        self.script(&["keep", "store.json", "rv32i", "arbiter", "2", verilog, "answer.json"]).succeeded();
    }

    /// Returns whether a core with this number of seeds and this Verilog is already measured.
    fn knows(&self, verilog: &str, seeds: &str) -> bool {
        let core = ["knows", "store.json", "rv32i", "arbiter", "2", seeds, verilog, "static", SAID[0], SAID[1]];
        let ended = self.script(&core);
        assert!(ended.status == 0 || ended.stderr.is_empty(), "{}", ended.stderr);
        ended.status == 0
    }

    /// Returns Verilog and outcome of the kept core.
    fn kept(&self) -> (String, String) {
        let cores: Value =
            serde_json::from_str(&fs::read_to_string(self.0.join("store.json")).expect("a store")).expect("JSON");
        assert_eq!(cores.as_array().expect("cores").len(), 1, "a core has one row");
        ["verilog", "outcome"].map(|name| cores[0][name].as_str().expect("text").to_owned()).into()
    }

    /// Returns the row of the core while its Verilog is `present`.
    fn row(&self, present: &str) -> Vec<String> {
        self.0.write("present", format!("rv32i arbiter 2 {present}\n"));
        let table = self.script(&["table", "store.json", "present"]).succeeded().stdout;
        let row = table.lines().nth(2).expect("a row");
        row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    }
}

/// Makes the answer of `weft synth --json` for these seeds; each seed's path has one level more than the one before.
fn answer(outcome: &str, seeds: &[f64]) -> Value {
    let path = |levels: usize| {
        json!({
            "from": {"stage": "S8", "name": "unit.turns"}, "to": {"stage": "weft_core", "name": "hart_out"},
            "delay_ns": 12.5, "routing_ns": 8.0, "levels": levels,
        })
    };
    let placed = seeds.iter().zip(11..).map(|(mhz, levels)| json!({"fmax_mhz": mhz, "critical_path": path(levels)}));
    let placed: Vec<Value> = placed.collect();
    let mut sorted = seeds.to_vec();
    sorted.sort_by(f64::total_cmp);
    json!({
        "outcome": outcome, "lut4": 3589, "packed": 4747, "ff": 2284, "bram": 12, "dsp": 0,
        "fmax_mhz": seeds, "fmax_mhz_median": sorted.get(seeds.len() / 2),
        "placing": {"placer": "static", "reason": null, "seeds": placed},
        "tools": {"yosys": SAID[0], "nextpnr": SAID[1]},
    })
}

#[test]
fn a_row_tells_the_median_and_the_path_of_its_seed() {
    let store = Store(Workspace::new());
    store.keep("aaa", &answer("placed", &[80.72, 79.44, 79.49]));
    let row = store.row("aaa");
    assert_eq!(row[8..], ["80.7, 79.4, 79.5", "79.5", "S8 → ports, 13 levels"]);
    assert_eq!((row[1].as_str(), store.row("bbb")[1].as_str()), ("arbiter", "arbiter †"), "Verilog that has changed");
    assert_eq!([store.knows("aaa", "3"), store.knows("aaa", "4"), store.knows("bbb", "3")], [true, false, false]);
}

#[test]
fn what_was_given_up_never_replaces_the_same_verilog_placed() {
    let store = Store(Workspace::new());
    let [placed, given_up, of_memory] =
        [answer("placed", &[80.0]), answer("given-up", &[81.0]), answer("out-of-memory", &[])];
    let kept = |verilog: &str, outcome: &str| (verilog.to_owned(), outcome.to_owned());
    store.keep("aaa", &given_up);
    assert_eq!(store.kept(), kept("aaa", "given-up"));
    assert!(!store.knows("aaa", "1"), "more time may place it");
    // An incomplete list of seeds has no median.
    assert_eq!(store.row("aaa")[8..10], ["81.0, timed out", ""]);
    store.keep("aaa", &placed);
    store.keep("aaa", &given_up);
    store.keep("aaa", &of_memory);
    assert_eq!(store.kept(), kept("aaa", "placed"));
    store.keep("bbb", &given_up);
    assert_eq!(store.kept(), kept("bbb", "given-up"), "what was placed is of old Verilog");
    store.keep("bbb", &answer("not-routed", &[]));
    assert!(store.knows("bbb", "3"), "no time routes it");
}
