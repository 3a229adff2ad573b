//! The emitted Verilog as its users meet it: lint, block RAM, the same bytes every time.

use std::fs;
use std::path::Path;
use std::process::Command;

use weft_config::Config;

fn config(warps: u32, threads: u32, trace: bool) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.stack_bytes = 256;
    config.trace.port = trace;
    config
}

fn write(config: &Config, folder: &Path) -> Vec<String> {
    let core = cores::elaborate(config, 0x8000_0000).unwrap();
    let files = core.files();
    for (name, text) in &files {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::write(folder.join("single.v"), core.all_in_one()).unwrap();
    files.into_iter().map(|(name, _)| name).collect()
}

fn run(tool: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(tool)
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{tool} cannot be started ({error}): scripts/setup.sh installs it"));
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{tool} {arguments:?}:\n{text}");
    text
}

#[test]
fn lint_is_silent_at_every_shape_of_size() {
    let sizes = [(1, 1), (1, 4), (3, 8), (8, 4), (4, 16), (64, 2), (2, 64)];
    for (number, (warps, threads)) in sizes.into_iter().enumerate() {
        for trace in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let mut config = config(warps, threads, trace);
            config.isa.m = (number % 2 == 0) == trace;
            config.isa.a = number % 3 != 0;
            config.divergence.fair_after = [0, 1, 3, 65_536][number % 4];
            config.arbiter.pipeline_stages = number as u32 % 3;
            config.memory.stack_interleave = number % 2 == 1;
            let files = write(&config, folder.path());
            let lint = ["--lint-only", "-Wall", "--top-module", "weft_core"];
            for sources in [files.iter().map(String::as_str).collect(), vec!["single.v"]] {
                let text = run("verilator", folder.path(), &[&lint[..], &sources].concat());
                assert_eq!(text, "", "{warps}x{threads}, trace {trace}");
            }
        }
    }
}

#[test]
fn register_file_becomes_block_ram() {
    let folder = tempfile::tempdir().unwrap();
    write(&config(8, 4, false), folder.path());
    let script = "read_verilog register_bank.v; synth_ecp5 -top register_bank; stat";
    let text = run("yosys", folder.path(), &["-p", script]);
    let count = |cell: &str| {
        let line = text.lines().rev().find(|line| line.split_whitespace().next() == Some(cell));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u32>().ok()).unwrap_or(0)
    };
    assert_eq!(count("DP16KD"), 1, "{text}");
    assert_eq!(count("TRELLIS_DPR16X4"), 0, "{text}");
}

#[test]
fn the_same_configuration_gives_the_same_bytes() {
    let text = || cores::elaborate(&config(3, 8, true), 0x8000_0000).unwrap().all_in_one();
    assert!(text() == text());
}

#[test]
fn modules_read_as_written_by_hand() {
    let core = cores::elaborate(&config(8, 4, false), 0x8000_0000).unwrap();
    for name in ["lane_alu.v", "arbiter_compare.v", "barrier.v", "s1_fetch.v"] {
        let (_, text) = core.files().into_iter().find(|(file, _)| file == name).unwrap();
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn an_unknown_unit_names_those_there_are() {
    let mut config = config(8, 4, false);
    config.divergence.unit = "abiter".into();
    let error = cores::elaborate(&config, 0x8000_0000).err().unwrap();
    insta::assert_snapshot!(error, @r#"divergence.unit = "abiter": no such unit; registered: arbiter"#);
}

#[test]
fn no_word_is_two_instructions() {
    let table = cores::isa::instructions(true, true);
    for (i, a) in table.iter().enumerate() {
        for b in &table[i + 1..] {
            assert!((a.value ^ b.value) & a.mask & b.mask != 0, "{} and {} overlap", a.name, b.name);
        }
    }
}
