//! Rules between keys: RAM and the stacks at its end; divider, scratchpad, caches, control port, bus; a unit in Verilog and
//! its file.

mod dwf;

use std::ops::Range;
use std::sync::LazyLock;

use crate::LOWEST_RAM;
use crate::error::{ConfigError, Origin};
use crate::extension::{self, EXTENSIONS, Extension};
use crate::keys::{Config, Counters, MemoryKind};
use crate::model;
use crate::table::{KEYS, Key, Refusal};
use crate::unit::{UNITS, VERILOG};
use crate::window;

/// A broken rule: the keys it concerns, and the two halves of its message.
pub(crate) struct Broken {
    pub(crate) keys: &'static [&'static str],
    pub(crate) reason: String,
    pub(crate) hint: String,
}

static ISA_KEYS: LazyLock<Vec<&str>> = LazyLock::new(|| EXTENSIONS.iter().map(|extension| extension.key).collect());

const LARGEST_RAM: u64 = 1 << 31;
const SMALLEST_STACK: u64 = 64;

impl Config {
    /// Checks every key and every rule between keys, for configurations made by code.
    pub fn check(&self) -> Result<(), ConfigError> {
        for key in KEYS {
            if let Err(Refusal::OutOfRange { hint }) = key.verify(self) {
                return Err(ConfigError::OutOfRange {
                    origin: Box::new(Origin::Default),
                    key: key.name.into(),
                    value: key.value(self).to_string(),
                    expected: key.values(),
                    hint,
                });
            }
        }
        let ignored = KEYS.iter().find(|key| key.is_ignored(self) && key.value(self) != key.default());
        ignored.map_or(Ok(()), |key| Err(no_effect(self, key))).and_then(|()| check_rules(self)).map_err(
            |Broken { reason, hint, .. }| ConfigError::Conflict { origin: Box::new(Origin::Default), reason, hint },
        )
    }
}

/// Reports a key that is set but has no effect.
pub(crate) fn no_effect(config: &Config, key: &'static Key) -> Broken {
    let kind = config.memory.kind.name();
    let reads = MemoryKind::ALL.iter().find(|kind| !kind.ignored_keys().contains(&key.name));
    let other = reads.map_or("", |kind| kind.name());
    Broken {
        keys: std::slice::from_ref(&key.name),
        reason: format!("`{}` has no effect with `memory.kind` = \"{kind}\"", key.name),
        hint: format!("leave it out, or set memory.kind=\"{other}\""),
    }
}

/// Checks the rules between keys. The caller has checked the range of each key.
pub(crate) fn check_rules(config: &Config) -> Result<(), Broken> {
    check_external(config)?;
    check_hex_path(config)?;
    check_extensions(config)?;
    check_divider(config)?;
    check_scratchpad(config)?;
    check_control(config)?;
    check_instruction_cache(config)?;
    check_data_cache(config)?;
    model::check(config)?;
    dwf::check(config)?;
    let (warps, threads) = (u64::from(config.warps), u64::from(config.threads));
    let (ram, stack) = (u64::from(config.memory.ram_bytes), u64::from(config.memory.stack_bytes));
    let of_warp = threads * stack;
    let stacks = warps * of_warp;
    if stacks >= ram {
        return Err(Broken {
            keys: &["warps", "threads", "memory.kind", "memory.stack_bytes", "memory.ram_bytes"],
            reason: format!(
                "`memory.ram_bytes` = {ram} must be more than all stacks, `warps` · `threads` · `memory.stack_bytes` = \
                 {warps} · {threads} · {stack} = {stacks}"
            ),
            hint: hint_for_room(warps, threads, ram, stack),
        });
    }
    if !ram.is_multiple_of(of_warp) {
        let below = ram / of_warp * of_warp;
        let nearest: Vec<String> = [below, below + of_warp]
            .into_iter()
            .filter(|size| (stacks + 1..=LARGEST_RAM).contains(size))
            .map(|size| size.to_string())
            .collect();
        return Err(Broken {
            keys: &["threads", "memory.kind", "memory.stack_bytes", "memory.ram_bytes"],
            reason: format!(
                "`memory.ram_bytes` = {ram} must be a multiple of `threads` · `memory.stack_bytes` = \
                 {threads} · {stack} = {of_warp}"
            ),
            hint: match nearest.as_slice() {
                [one] => format!("the nearest is {one}"),
                several => format!("the nearest are {}", several.join(" and ")),
            },
        });
    }
    check_base(config)?;
    window::check(config)?;
    check_bus(config)?;
    let base = u64::from(config.memory.base);
    check_reset_pc(config, base + ram)?;
    check_tohost(config.run.tohost, base..base + ram - stacks)
}

/// Checks that RAM begins at a multiple of its size, so that an address in it is the base and an offset, bit by bit.
fn check_base(config: &Config) -> Result<(), Broken> {
    let (base, ram) = (u64::from(config.memory.base), u64::from(config.memory.ram_bytes).next_power_of_two());
    let below = base / ram * ram;
    if below == base {
        return Ok(());
    }
    let nearest: Vec<String> = [below, below + ram]
        .into_iter()
        .filter(|base| (u64::from(LOWEST_RAM)..1 << 32).contains(base))
        .map(|base| format!("{base:#010x}"))
        .collect();
    Err(Broken {
        keys: &["memory.base", "memory.kind", "memory.ram_bytes"],
        reason: format!(
            "`memory.base` = {base:#010x} must be a multiple of {ram}, the size of RAM rounded up to a power of two"
        ),
        hint: format!("the nearest: {}", nearest.join(" and ")),
    })
}

/// Checks that no beat of the bus is partly outside RAM.
fn check_bus(config: &Config) -> Result<(), Broken> {
    let (ram, bits) = (config.memory.ram_bytes, config.bus_bits());
    let beat = bits / 8;
    if config.memory.kind != MemoryKind::Axi4 || ram.is_multiple_of(beat) {
        return Ok(());
    }
    Err(Broken {
        keys: &["axi.data_bits", "memory.kind", "memory.ram_bytes"],
        reason: format!("`memory.ram_bytes` = {ram} must be a multiple of {beat}, a beat of `axi.data_bits` = {bits}"),
        hint: format!("the nearest is {}", ram.next_multiple_of(beat)),
    })
}

/// Checks that threads start in RAM.
fn check_reset_pc(config: &Config, end: u64) -> Result<(), Broken> {
    let pc = config.first_pc();
    if pc.is_multiple_of(4) && (config.memory.base.into()..end).contains(&u64::from(pc)) {
        return Ok(());
    }
    Err(Broken {
        keys: &["reset_pc", "memory.base", "memory.kind", "memory.ram_bytes"],
        reason: format!("`reset_pc` = {pc:#010x} is no word of RAM"),
        hint: format!("expected 0, or a multiple of 4 from {:#010x} to {:#010x}", config.memory.base, end - 4),
    })
}

/// Checks that `run.tohost` is a word of RAM below the stacks.
fn check_tohost(address: u32, below_stacks: Range<u64>) -> Result<(), Broken> {
    if address == 0 || (address.is_multiple_of(4) && below_stacks.contains(&address.into())) {
        return Ok(());
    }
    Err(Broken {
        keys: &[
            "run.tohost",
            "warps",
            "threads",
            "memory.kind",
            "memory.base",
            "memory.stack_bytes",
            "memory.ram_bytes",
        ],
        reason: format!("`run.tohost` = {address:#010x} is no word of RAM below the stacks"),
        hint: format!(
            "expected 0, or a multiple of 4 from {:#010x} to {:#010x}",
            below_stacks.start,
            below_stacks.end - 4
        ),
    })
}

/// Checks that the path can be part of a Verilog string.
fn check_hex_path(config: &Config) -> Result<(), Broken> {
    let path = &config.emit.hex_path;
    match path.chars().find(|letter| matches!(letter, '"' | '\\') || letter.is_control()) {
        None => Ok(()),
        Some(letter) => Err(Broken {
            keys: &["emit.hex_path"],
            reason: format!(
                "`emit.hex_path` = {path:?} has the character {letter:?}, which a string in Verilog cannot hold"
            ),
            hint: "expected a path with `/` between folders, without quotes".into(),
        }),
    }
}

/// Checks that a unit in Verilog has a file and a module.
fn check_external(config: &Config) -> Result<(), Broken> {
    let unit = &config.divergence;
    let missing = |key: &str| Broken {
        keys: &["divergence.unit", "divergence.file", "divergence.module"],
        reason: format!("`divergence.unit` = \"{}\" needs `{key}`", VERILOG.name),
        hint: "divergence.file names a Verilog file, divergence.module the module in it".into(),
    };
    match (unit.unit == VERILOG.name, unit.file.is_empty(), unit.module.is_empty()) {
        (true, true, _) => Err(missing("divergence.file")),
        (true, false, true) => Err(missing("divergence.module")),
        _ => Ok(()),
    }
}

fn check_extensions(config: &Config) -> Result<(), Broken> {
    let Some((Extension { key, .. }, required)) = extension::lacking(config.isa) else { return Ok(()) };
    Err(Broken {
        keys: &ISA_KEYS,
        reason: format!("`{key}` requires `{required}`"),
        hint: format!("set {required}=true, or {key}=false"),
    })
}

/// Checks that there is a divider, and a lane for each of its units.
fn check_divider(config: &Config) -> Result<(), Broken> {
    let (units, threads) = (config.divider.units, config.threads);
    if units > 0 && !config.isa.has(&extension::M) {
        return Err(Broken {
            keys: &["divider.units", "isa.m"],
            reason: "`divider.units` requires `isa.m`".into(),
            hint: "set isa.m=true, or leave divider.units out".into(),
        });
    }
    if units > threads {
        return Err(Broken {
            keys: &["threads", "divider.units"],
            reason: format!(
                "`divider.units` = {units} must be at most `threads` = {threads}: each divides for one lane"
            ),
            hint: format!("the nearest is {threads}"),
        });
    }
    Ok(())
}

/// Checks that every lane has a bank, and that atomic operations have their instructions.
fn check_scratchpad(config: &Config) -> Result<(), Broken> {
    let (bytes, least) = (config.scratchpad.bytes, 4 * config.threads);
    if bytes == 0 {
        return Ok(());
    }
    if bytes < least {
        return Err(Broken {
            keys: &["threads", "scratchpad.bytes"],
            reason: format!(
                "`scratchpad.bytes` = {bytes} must be 0, or at least a word for each thread of a warp, 4 · `threads` = \
                 {least}"
            ),
            hint: format!("the nearest is {least}"),
        });
    }
    if config.scratchpad.atomics && !config.isa.has(&extension::A) {
        return Err(Broken {
            keys: &["scratchpad.atomics", "isa.a"],
            reason: "`scratchpad.atomics` requires `isa.a`".into(),
            hint: "set isa.a=true, or scratchpad.atomics=false".into(),
        });
    }
    Ok(())
}

/// Checks that counters and paths can be read, and that the memory can be filled before the core is started.
fn check_control(config: &Config) -> Result<(), Broken> {
    let others = [
        (config.control.counters == Counters::Full, "`control.counters` = \"full\""),
        (config.control.paths, "`control.paths`"),
    ];
    let without_port = others.iter().find(|(is_set, _)| *is_set && !config.control.port);
    if let Some((_, key)) = without_port {
        return Err(Broken {
            keys: &["control.counters", "control.paths", "control.port"],
            reason: format!("{key} has no effect without `control.port`"),
            hint: "set control.port=true, or leave it out".into(),
        });
    }
    if !config.control.port || config.memory.kind != MemoryKind::Bram {
        return Ok(());
    }
    Err(Broken {
        keys: &["control.port", "memory.kind"],
        reason: "`control.port` has no effect on `memory.kind` = \"bram\": no port fills its RAM, which starts with a \
                 program"
            .into(),
        hint: "set memory.kind=\"axi4\" or \"model\", or control.port=false".into(),
    })
}

/// Checks that there are two lines, a memory behind them, and registers for the reconvergence table.
fn check_instruction_cache(config: &Config) -> Result<(), Broken> {
    let (bytes, line) = (config.icache.bytes, config.icache.line_bytes);
    if bytes == 0 {
        return Ok(());
    }
    if config.memory.kind == MemoryKind::Bram {
        return Err(Broken {
            keys: &["icache.bytes", "memory.kind"],
            reason: format!("`icache.bytes` = {bytes}: with `memory.kind` = \"bram\" memory is as fast as a cache"),
            hint: "set icache.bytes=0, or memory.kind=\"axi4\"".into(),
        });
    }
    if bytes < 2 * line {
        return Err(Broken {
            keys: &["icache.bytes", "icache.line_bytes"],
            reason: format!(
                "`icache.bytes` = {bytes} must be 0, or at least two lines of `icache.line_bytes` = {line}"
            ),
            hint: format!("the nearest is {}", 2 * line),
        });
    }
    let unit = config.divergence.unit.as_str();
    let reconverges = UNITS.iter().any(|row| row.name == unit && row.reconverges);
    if reconverges && config.memory.kind == MemoryKind::Axi4 && !config.control.port {
        return Err(Broken {
            keys: &["icache.bytes", "control.port", "divergence.unit"],
            reason: format!(
                "`icache.bytes` = {bytes}: `divergence.unit` = \"{unit}\" reads the reconvergence table, and only registers \
                 of the control port say where it is on the bus"
            ),
            hint: "set control.port=true or icache.bytes=0".into(),
        });
    }
    Ok(())
}

/// Checks that there are two lines, and a memory that a cache makes faster.
fn check_data_cache(config: &Config) -> Result<(), Broken> {
    let (bytes, least, kind) = (config.dcache.bytes, 8 * config.threads, config.memory.kind);
    if bytes > 0 && kind == MemoryKind::Bram {
        return Err(Broken {
            keys: &["dcache.bytes", "memory.kind"],
            reason: format!(
                "`dcache.bytes` = {bytes}: with `memory.kind` = \"{}\" memory is as fast as a cache",
                kind.name()
            ),
            hint: "leave dcache.bytes out, or set memory.kind=\"axi4\"".into(),
        });
    }
    if bytes == 0 || bytes >= least {
        return Ok(());
    }
    Err(Broken {
        keys: &["threads", "dcache.bytes"],
        reason: format!(
            "`dcache.bytes` = {bytes} must be 0, or at least two lines, 8 · `threads` = {least}: a line has a word for \
             each thread of a warp"
        ),
        hint: format!("the nearest is {least}"),
    })
}

fn hint_for_room(warps: u64, threads: u64, ram: u64, stack: u64) -> String {
    let more_ram = (warps + 1) * threads * stack;
    let smaller_stack = (ram - 1) / (warps * threads);
    let mut hints = Vec::new();
    if more_ram <= LARGEST_RAM {
        hints.push(format!("memory.ram_bytes={more_ram}"));
    }
    if smaller_stack >= SMALLEST_STACK {
        hints.push(format!("memory.stack_bytes={}", 1 << smaller_stack.ilog2()));
    }
    if hints.is_empty() {
        let least = (warps + 1) * threads * SMALLEST_STACK;
        hints.push(format!("memory.stack_bytes={SMALLEST_STACK} with memory.ram_bytes={least}"));
    }
    format!("the nearest that fits is {}", hints.join(" or "))
}
