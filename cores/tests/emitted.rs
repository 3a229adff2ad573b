//! The emitted Verilog as its users meet it: lint, block RAM, the same bytes every time.

use std::fs;
use std::path::Path;
use std::process::Command;

use weft_config::extension::{A, M};
use weft_config::{Config, Isa, Scheduler};

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

/// What `verilator --lint-only -Wall` says of the core of a configuration, from its files and, if `single`, from the
/// file of all modules.
fn check_lint(config: &Config, single: bool) {
    let folder = tempfile::tempdir().unwrap();
    let files = write(config, folder.path());
    let lint = ["--lint-only", "-Wall", "--top-module", "weft_core"];
    let forms = [files.iter().map(String::as_str).collect(), vec!["single.v"]];
    for sources in forms.into_iter().take(1 + usize::from(single)) {
        let text = run("verilator", folder.path(), &[&lint[..], &sources].concat());
        assert_eq!(text, "", "{config:?}");
    }
}

/// Every unit and number of threads, with keys that change from one to the next: of any two neighbours among the
/// numbers of warps, one has the trace port.
fn lint_is_silent(warps_number: usize, warps: u32) {
    for unit in weft_config::Unit::names() {
        for (threads_number, threads) in [1, 2, 4, 8, 16, 32, 64].into_iter().enumerate() {
            let number = 7 * warps_number + threads_number;
            let mut config = config(warps, threads, number.is_multiple_of(2));
            config.divergence.unit = unit.into();
            config.isa.set(&M, !number.is_multiple_of(3));
            config.isa.set(&A, number % 5 < 3);
            let reads = |key| weft_config::Unit::find(unit).unwrap().reads(key);
            if reads("divergence.fair_after") {
                config.divergence.fair_after = [0, 1, 3, 65_536][number % 4];
            }
            if reads("divergence.scheduler") && number.is_multiple_of(2) {
                config.divergence.scheduler = Scheduler::Constrained;
            }
            if reads("arbiter.pipeline_stages") {
                config.arbiter.pipeline_stages = number as u32 % 3;
            }
            config.memory.stack_interleave = number % 4 < 2;
            check_lint(&config, threads <= 8);
        }
    }
}

#[test]
fn lint_is_silent_with_one_warp() {
    lint_is_silent(0, 1);
}

#[test]
fn lint_is_silent_with_three_warps() {
    lint_is_silent(1, 3);
}

#[test]
fn lint_is_silent_with_eight_warps() {
    lint_is_silent(2, 8);
}

#[test]
fn lint_is_silent_with_sixty_four_warps() {
    lint_is_silent(3, 64);
}

#[test]
fn lint_is_silent_with_and_without_each_extension_and_the_trace_port() {
    for unit in weft_config::Unit::names() {
        for (warps, threads) in [(1, 1), (3, 8)] {
            for number in 0..8_u32 {
                let mut config = config(warps, threads, number & 1 != 0);
                config.divergence.unit = unit.into();
                config.isa = if number.count_ones() % 2 == 1 { Isa::ALL } else { Isa::BASE };
                config.isa.set(&M, number & 2 != 0);
                config.isa.set(&A, number & 4 != 0);
                check_lint(&config, false);
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
    for name in ["lane_alu.v", "ccs.v", "barrier.v", "s1_fetch.v"] {
        let module = core.module().verilog().into_iter().find(|module| name == format!("{}.v", module.name));
        insta::assert_snapshot!(name, module.unwrap().text);
    }
}

#[test]
fn an_unknown_unit_names_those_there_are() {
    let mut config = config(8, 4, false);
    config.divergence.unit = "abiter".into();
    let error = cores::elaborate(&config, 0x8000_0000).err().unwrap();
    insta::assert_snapshot!(error, @"`divergence.unit`: no divergence unit `abiter`; did you mean `arbiter`?");
}

#[test]
fn no_word_is_two_instructions_unless_one_is_an_exception_from_the_other() {
    let (table, exceptions) = cores::isa::exceptions(cores::isa::instructions(Isa::ALL));
    let names = exceptions.iter().map(|exception| (exception.encoding.name, exception.general.name));
    assert_eq!(names.collect::<Vec<_>>(), [("pause", "fence")]);
    for (i, a) in table.iter().enumerate() {
        for b in &table[i + 1..] {
            assert!((a.value ^ b.value) & a.mask & b.mask != 0, "{} and {} overlap", a.name, b.name);
        }
    }
}
