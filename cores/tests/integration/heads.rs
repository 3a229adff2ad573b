//! The heads of the emitted modules: above each stand its purpose, and its latency and contract.

use weft_config::{Config, Memory, MemoryKind, Unit};

/// The whole core, whose ports `docs/microarchitecture.md` describes.
const WHOLE: [&str; 2] = [cores::TOP, cores::PIPELINE];

/// What the comment above a module lacks.
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

/// Two of each unit, which between them have every memory kind, narrow and wide warps, and trace port or none.
fn configurations() -> Vec<Config> {
    let units = Unit::names().into_iter().flat_map(|unit| [unit, unit]);
    let configuration = |(number, unit): (usize, &'static str)| {
        let kind = [MemoryKind::Model, MemoryKind::Bram, MemoryKind::Axi4][number % 3];
        let threads = [1, 8, 32, 8, 32, 1, 8, 32][number % 8];
        let memory = Memory { stack_bytes: 256, ..Memory::of_kind(kind) };
        let mut config = Config { warps: 2, threads, memory, ..Config::default() };
        config.divergence.unit = unit.into();
        config.trace.port = number % 4 < 2;
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
fn every_module_tells_its_purpose_and_its_timing() {
    let mut lacking = Vec::new();
    for config in configurations() {
        let core = cores::elaborate(&config, 0x8000_0000).unwrap();
        let modules = core.module().verilog().into_iter().filter(|module| !WHOLE.contains(&module.name.as_str()));
        lacking.extend(modules.filter_map(|module| Some(format!("{}: no {}", module.name, lacks(&module.text)?))));
    }
    lacking.sort();
    lacking.dedup();
    assert_eq!(lacking, Vec::<String>::new());
}
