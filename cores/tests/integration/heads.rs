//! The heads of the emitted modules: each module's comment states its purpose, then its latency and contract.

use std::collections::HashSet;

use weft_config::{Config, Memory, MemoryKind, Unit};

/// The whole core. `docs/manual/integration.md` describes its ports.
const WHOLE: [&str; 2] = [cores::TOP, cores::PIPELINE];

/// The part that is missing from the comment above a module.
fn lacks(text: &str) -> Option<&'static str> {
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//")).collect();
    let begins = |line: &&str, with: &str| line.strip_prefix(with).is_some_and(|rest| !rest.trim().is_empty());
    let is_timing = |line: &&str| begins(line, "// Timing: ");
    match head.first() {
        None => Some("purpose"),
        Some(first) if !begins(first, "// ") || is_timing(first) => Some("purpose"),
        Some(_) if !head.iter().any(is_timing) => Some("timing"),
        Some(_) => None,
    }
}

/// Names in the timing sentence that the module does not have, for example after a port was renamed.
fn unknown_names(text: &str) -> Vec<&str> {
    let (head, module) = text.split_at(text.find("\nmodule ").unwrap_or(0));
    let timing = head.find("// Timing: ").map_or("", |at| &head[at..]);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words: HashSet<&str> = module.split(|letter| !is_part(letter)).collect();
    timing.split('`').skip(1).step_by(2).filter(|name| !words.contains(name)).collect()
}

/// Two configurations of each unit. Together they have every memory kind, narrow and wide warps, with and without
/// trace port, with and without control port.
fn configurations() -> Vec<Config> {
    let units = Unit::names_in_hardware().into_iter().flat_map(|unit| [unit, unit]);
    let configuration = |(number, unit): (usize, &'static str)| {
        let kind = [MemoryKind::Model, MemoryKind::Bram, MemoryKind::Axi4][number % 3];
        let threads = [1, 8, 32, 8, 32, 1, 8, 32][number % 8];
        let memory = Memory { stack_bytes: 256, ..Memory::of_kind(kind) };
        let mut config = Config { warps: 2, threads, memory, ..Config::default() };
        config.divergence.unit = unit.into();
        config.trace.port = number % 4 < 2;
        config.control.port = kind != MemoryKind::Bram && number % 4 > 0;
        config
    };
    units.enumerate().map(configuration).collect()
}

#[test]
fn a_head_has_a_purpose_and_below_it_a_timing() {
    let purpose = "// Adds two words.\n";
    let timing = "// Timing: combinational.\n";
    let module = "module adder (\n);\nendmodule\n";
    let of = |head: &[&str]| lacks(&[&head.concat(), module].concat());
    assert_eq!(of(&[purpose, "// Without carry.\n", timing]), None);
    assert_eq!(of(&[purpose]), Some("timing"));
    assert_eq!(of(&[purpose, "// Timing: \n"]), Some("timing"));
    assert_eq!(of(&[timing]), Some("purpose"));
    assert_eq!(of(&[]), Some("purpose"));
    assert_eq!(lacks(&[purpose, module, timing].concat()), Some("timing"));
}

#[test]
fn a_timing_names_what_the_module_has() {
    let head = "// Adds `x` and\n// `y`.\n// Timing: `sum` follows `a`,\n// `bc` and `c_s1`.\n";
    assert_eq!(unknown_names(&format!("{head}module adder (a, b, c_s1, sum);\n")), ["bc"]);
}

#[test]
fn every_module_tells_its_purpose_and_its_timing() {
    let mut lacking = Vec::new();
    for config in configurations() {
        let core = cores::elaborate(&config, 0x8000_0000).unwrap();
        for module in core.module().verilog() {
            let name = &module.name;
            if !WHOLE.contains(&name.as_str()) {
                lacking.extend(lacks(&module.text).map(|what| format!("{name}: no {what}")));
            }
            lacking.extend(unknown_names(&module.text).into_iter().map(|port| format!("{name}: no port `{port}`")));
        }
    }
    lacking.sort();
    lacking.dedup();
    assert_eq!(lacking, Vec::<String>::new());
}
