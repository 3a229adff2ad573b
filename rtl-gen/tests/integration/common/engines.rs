//! One program on every engine.

use super::Workspace;
use super::elf::Elf;

/// The engines with their arguments.
pub const ENGINES: &[(&str, &[&str])] =
    &[("model", &["run", "p.elf", "--engine", "model"]), ("rtl", &["run", "p.elf"]), ("cosim", &["cosim", "p.elf"])];

/// Two warps of two threads: a core that is quickly built, the same for all tests here.
pub const SMALL: &[&str] =
    &["--set", "warps=2", "--set", "threads=2", "--set", "memory.outstanding=4", "--set", "run.watchdog=2000"];

/// Runs a program with every engine, plainly and with `--json`, and checks status and outcome. Returns the standard
/// output of the plain runs.
pub fn run_everywhere(elf: &Elf, more: &[&str], status: i32, outcome: &str) -> Vec<(&'static str, String)> {
    run_on(ENGINES, elf, more, status, outcome)
}

/// Does the same with the model only.
pub fn run_on_model(elf: &Elf, more: &[&str], status: i32, outcome: &str) -> Vec<(&'static str, String)> {
    run_on(&ENGINES[..1], elf, more, status, outcome)
}

fn run_on(
    engines: &[(&'static str, &[&str])],
    elf: &Elf,
    more: &[&str],
    status: i32,
    outcome: &str,
) -> Vec<(&'static str, String)> {
    let workspace = Workspace::new();
    workspace.write("p.elf", elf.bytes());
    let mut printed = Vec::new();
    for (engine, arguments) in engines {
        let arguments = [arguments, SMALL, more].concat();
        let plain = workspace.weft(&arguments);
        assert_eq!(plain.status, status, "{engine}: {}{}", plain.stdout, plain.stderr);
        assert_eq!(plain.stderr, "", "{engine}");
        let json = workspace.weft(&[arguments.as_slice(), &["--json"]].concat());
        assert_eq!(json.status, status, "{engine}");
        assert!(!json.stderr.contains("panicked"), "{engine}: {}", json.stderr);
        let object = json.object();
        assert_eq!((&object["engine"], &object["outcome"]), (&(*engine).into(), &outcome.into()), "{object}");
        assert_eq!(workspace.entries(), ["p.elf"], "{engine}");
        printed.push((*engine, plain.stdout));
    }
    printed
}

/// Checks that the output of every engine contains each of the parts.
pub fn says(printed: &[(&str, String)], parts: &[&str]) {
    for (engine, text) in printed {
        for part in parts {
            assert!(text.contains(part), "{engine} does not say `{part}`:\n{text}");
        }
    }
}
