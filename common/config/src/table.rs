//! The table of keys, with the range and the purpose of each. The reader of files and arguments, the printed
//! configuration, the error texts and the reference in the documentation are all derived from it.

use crate::extension::{EXTENSIONS, Extension, M};
use crate::keys::{Bandwidth, Coalescer, Config, Latency, MemoryKind, Order, Reset, Scheduler, Scoreboard};
use crate::suggest::hint_among;
use crate::unit::{UNITS, UnitKey};
use crate::value::Given;

/// The highest latency of the modelled memory, in cycles.
const MAX_LATENCY: u32 = 10_000;

#[derive(Clone, Copy)]
pub struct Key {
    /// The name, with dots.
    pub name: &'static str,
    pub summary: &'static str,
    /// Whether the emitted Verilog depends on the key.
    pub in_hardware: bool,
    field: Field,
}

/// The field of [`Config`] behind a key, and the range of its values.
#[derive(Clone, Copy)]
enum Field {
    Integer {
        values: Integers,
        at: fn(&mut Config) -> &mut u32,
    },
    Long {
        values: Integers,
        at: fn(&mut Config) -> &mut u64,
    },
    Boolean {
        at: fn(&mut Config) -> &mut bool,
    },
    Extension(&'static Extension),
    OfUnit(&'static UnitKey),
    Name {
        what: &'static str,
        at: fn(&mut Config) -> &mut String,
    },
    /// The beginning of identifiers, or an empty string.
    Prefix {
        at: fn(&mut Config) -> &mut String,
    },
    Choice {
        plural: &'static str,
        names: fn() -> Vec<&'static str>,
        name: fn(&Config) -> &str,
        choose: fn(&mut Config, usize),
    },
    Latency {
        at: fn(&mut Config) -> &mut Latency,
    },
    Bandwidth {
        at: fn(&mut Config) -> &mut Bandwidth,
    },
}

#[derive(Clone, Copy)]
struct Integers {
    min: u64,
    max: u64,
    powers_of_two: bool,
    /// Whether 0 is accepted, too.
    or_zero: bool,
}

pub(crate) enum Refusal {
    WrongType,
    OutOfRange { hint: String },
}

/// Every key, in the order of the file.
pub const KEYS: &[Key] = &keys::<{ SIZES.len() + EXTENSIONS.len() + DIVERGENCE.len() + unit_keys() + OTHERS.len() }>();

const fn keys<const COUNT: usize>() -> [Key; COUNT] {
    let mut keys = [SIZES[0]; COUNT];
    let (extensions, divergence) = (SIZES.len(), SIZES.len() + EXTENSIONS.len());
    let units = divergence + DIVERGENCE.len();
    let others = units + unit_keys();
    let mut at = 0;
    while at < COUNT {
        keys[at] = match at {
            _ if at < extensions => SIZES[at],
            _ if at < divergence => Key::of_extension(&EXTENSIONS[at - extensions]),
            _ if at < units => DIVERGENCE[at - divergence],
            _ if at < others => Key::of_unit(at - units),
            _ => OTHERS[at - others],
        };
        at += 1;
    }
    keys
}

const fn unit_keys() -> usize {
    let (mut count, mut unit) = (0, 0);
    while unit < UNITS.len() {
        count += UNITS[unit].own_keys.len();
        unit += 1;
    }
    count
}

const SIZES: &[Key] = &[
    Key {
        name: "warps",
        summary: "Warps in the core.",
        in_hardware: true,
        field: Field::Integer { values: Integers::between(1, 64), at: |config| &mut config.warps },
    },
    Key {
        name: "threads",
        summary: "Threads per warp, and the number of lanes.",
        in_hardware: true,
        field: Field::Integer { values: Integers::powers_of_two(1, 64), at: |config| &mut config.threads },
    },
];

/// The unit that tracks divergence, and the keys that do not belong to a single unit.
const DIVERGENCE: &[Key] = &[
    Key {
        name: "divergence.unit",
        summary: "The unit that tracks the paths of a warp; \"verilog\" is a module of yours.",
        in_hardware: true,
        field: Field::Name { what: "the name of a divergence unit", at: |config| &mut config.divergence.unit },
    },
    Key {
        name: "divergence.file",
        summary: "Unit \"verilog\": its file; in a file of keys, relative to that file.",
        in_hardware: true,
        field: Field::Name { what: "the path of a file", at: |config| &mut config.divergence.file },
    },
    Key {
        name: "divergence.module",
        summary: "Unit \"verilog\": the name of its module.",
        in_hardware: true,
        field: Field::Name { what: "the name of a module", at: |config| &mut config.divergence.module },
    },
    Key {
        name: "divergence.fair_after",
        summary: "Commits of a warp until its path yields; 0 = only at pause. Not read by the stacks.",
        in_hardware: true,
        field: Field::Long {
            values: Integers::between(0, u32::MAX as u64),
            at: |config| &mut config.divergence.fair_after,
        },
    },
    Key {
        name: "divergence.order",
        summary: "Unit \"multi-path\": which of two paths that diverge runs first.",
        in_hardware: true,
        field: Field::Choice {
            plural: "orders",
            names: || Order::ALL.iter().map(|order| order.name()).collect(),
            name: |config| config.divergence.order.name(),
            choose: |config, number| config.divergence.order = Order::ALL[number],
        },
    },
    Key {
        name: "divergence.scheduler",
        summary: "Unit \"dual-path\": both slots of a warp may issue, or one at a time.",
        in_hardware: true,
        field: Field::Choice {
            plural: "schedulers",
            names: || Scheduler::ALL.iter().map(|scheduler| scheduler.name()).collect(),
            name: |config| config.divergence.scheduler.name(),
            choose: |config, number| config.divergence.scheduler = Scheduler::ALL[number],
        },
    },
    Key {
        name: "divergence.scoreboard",
        summary: "Unit \"dual-path\": dependences by shadow bit, or by thread (model only).",
        in_hardware: false,
        field: Field::Choice {
            plural: "scoreboards",
            names: || Scoreboard::ALL.iter().map(|scoreboard| scoreboard.name()).collect(),
            name: |config| config.divergence.scoreboard.name(),
            choose: |config, number| config.divergence.scoreboard = Scoreboard::ALL[number],
        },
    },
    Key {
        name: "divergence.path_forwarding",
        summary: "Unit \"dual-path\": whether lower rows use a free slot (model only).",
        in_hardware: false,
        field: Field::Boolean { at: |config| &mut config.divergence.path_forwarding },
    },
];

const OTHERS: &[Key] = &[
    Key {
        name: "divider.units",
        summary: "Lanes that divide at a time, at most `threads`; 0 = 1 to 4, or 16 from 16 threads on.",
        in_hardware: true,
        field: Field::Integer { values: Integers::zero_or_power_of_two(1, 16), at: |config| &mut config.divider.units },
    },
    Key {
        name: "memory.kind",
        summary: "Memory behind the core: open ports, block RAM in it, or an AXI4 master.",
        in_hardware: true,
        field: Field::Choice {
            plural: "kinds",
            names: || MemoryKind::ALL.iter().map(|kind| kind.name()).collect(),
            name: |config| config.memory.kind.name(),
            choose: |config, number| config.memory.kind = MemoryKind::ALL[number],
        },
    },
    Key {
        name: "memory.latency",
        summary: "Cycles from an accepted load to its response; a range is drawn at random.",
        in_hardware: false,
        field: Field::Latency { at: |config| &mut config.memory.latency },
    },
    Key {
        name: "memory.fetch_latency",
        summary: "Cycles from an accepted fetch to its word; a range is drawn at random.",
        in_hardware: false,
        field: Field::Latency { at: |config| &mut config.memory.fetch_latency },
    },
    Key {
        name: "memory.bandwidth",
        summary: "Transactions per cycle that memory accepts on average: 0.25 = one in four.",
        in_hardware: false,
        field: Field::Bandwidth { at: |config| &mut config.memory.bandwidth },
    },
    Key {
        name: "memory.seed",
        summary: "Seed of random latencies.",
        in_hardware: false,
        field: Field::Long { values: Integers::between(0, i64::MAX as u64), at: |config| &mut config.memory.seed },
    },
    Key {
        name: "memory.coalescer",
        summary: "Lanes of one transaction: by word, or in one line (\"line\" by default with a scratchpad).",
        in_hardware: true,
        field: Field::Choice {
            plural: "coalescers",
            names: || Coalescer::ALL.iter().map(|coalescer| coalescer.name()).collect(),
            name: |config| config.memory.coalescer.name(),
            choose: |config, number| config.memory.coalescer = Coalescer::ALL[number],
        },
    },
    Key {
        name: "memory.outstanding",
        summary: "Loads in flight, with \"axi4\" stores too; by default W/2, at least 16.",
        in_hardware: true,
        field: Field::Integer { values: Integers::between(1, 128), at: |config| &mut config.memory.outstanding },
    },
    Key {
        name: "memory.ram_bytes",
        summary: "RAM from 0x80000000 on: a multiple of threads · stack_bytes.",
        in_hardware: true,
        field: Field::Integer { values: Integers::between(128, 1 << 31), at: |config| &mut config.memory.ram_bytes },
    },
    Key {
        name: "memory.stack_bytes",
        summary: "Stack of each thread, at the end of RAM.",
        in_hardware: true,
        field: Field::Integer {
            values: Integers::powers_of_two(64, 1 << 30),
            at: |config| &mut config.memory.stack_bytes,
        },
    },
    Key {
        name: "memory.stack_interleave",
        summary: "Whether the stacks of a warp alternate word by word, to share lines.",
        in_hardware: true,
        field: Field::Boolean { at: |config| &mut config.memory.stack_interleave },
    },
    Key {
        name: "scratchpad.bytes",
        summary: "Memory in the core at 0x20000000, in a bank per lane; 0 = none.",
        in_hardware: true,
        field: Field::Integer {
            values: Integers::zero_or_power_of_two(4, 1 << 18),
            at: |config| &mut config.scratchpad.bytes,
        },
    },
    Key {
        name: "scratchpad.atomics",
        summary: "Whether the scratchpad performs atomic memory operations; by default as isa.a.",
        in_hardware: true,
        field: Field::Boolean { at: |config| &mut config.scratchpad.atomics },
    },
    Key {
        name: "control.port",
        summary: "Whether registers behind an AXI4-Lite port start and stop the core; not with \"bram\".",
        in_hardware: true,
        field: Field::Boolean { at: |config| &mut config.control.port },
    },
    Key {
        name: "icache.bytes",
        summary: "Instruction cache, direct mapped; 0 = none.",
        in_hardware: true,
        field: Field::Integer {
            values: Integers::zero_or_power_of_two(64, 1 << 18),
            at: |config| &mut config.icache.bytes,
        },
    },
    Key {
        name: "icache.line_bytes",
        summary: "Line of the instruction cache.",
        in_hardware: true,
        field: Field::Integer { values: Integers::powers_of_two(32, 64), at: |config| &mut config.icache.line_bytes },
    },
    Key {
        name: "dcache.bytes",
        summary: "Data cache, direct mapped, in lines of a word per lane; 0 = none.",
        in_hardware: true,
        field: Field::Integer {
            values: Integers::zero_or_power_of_two(8, 1 << 18),
            at: |config| &mut config.dcache.bytes,
        },
    },
    Key {
        name: "trace.port",
        summary: "Whether the core has the trace port that lock step reads.",
        in_hardware: true,
        field: Field::Boolean { at: |config| &mut config.trace.port },
    },
    Key {
        name: "emit.prefix",
        summary: "Prefix of all module names and hex files; the top is prefix and \"core\".",
        in_hardware: true,
        field: Field::Prefix { at: |config| &mut config.emit.prefix },
    },
    Key {
        name: "emit.reset",
        summary: "Reset of an emitted core: `rst`, or `rst_n` behind two registers. Boards have their own.",
        in_hardware: true,
        field: Field::Choice {
            plural: "resets",
            names: || Reset::ALL.iter().map(|reset| reset.name()).collect(),
            name: |config| config.emit.reset.name(),
            choose: |config, number| config.emit.reset = Reset::ALL[number],
        },
    },
    Key {
        name: "emit.hex_path",
        summary: "Folder of the hex files as tools see it; empty: where they are started.",
        in_hardware: true,
        field: Field::Name { what: "the path of a folder", at: |config| &mut config.emit.hex_path },
    },
    Key {
        name: "run.watchdog",
        summary: "Cycles without commit, response or pending request that make a deadlock.",
        in_hardware: false,
        field: Field::Long { values: Integers::between(1, i64::MAX as u64), at: |config| &mut config.run.watchdog },
    },
    Key {
        name: "run.starvation",
        summary: "Factor on the commits of its warp within which a unit serves each thread that can run.",
        in_hardware: false,
        field: Field::Long { values: Integers::between(1, 1000), at: |config| &mut config.run.starvation },
    },
    Key {
        name: "run.tohost",
        summary: "Address of the word whose stores end the run in hardware; 0 = none.",
        in_hardware: true,
        field: Field::Integer { values: Integers::between(0, u32::MAX as u64), at: |config| &mut config.run.tohost },
    },
];

impl Key {
    const fn of_extension(extension: &'static Extension) -> Self {
        let Extension { key, summary, .. } = *extension;
        Self { name: key, summary, in_hardware: true, field: Field::Extension(extension) }
    }

    /// Makes the entry of a unit's key, by its number among the keys of all units.
    const fn of_unit(number: usize) -> Self {
        let (mut at, mut unit) = (number, 0);
        while at >= UNITS[unit].own_keys.len() {
            at -= UNITS[unit].own_keys.len();
            unit += 1;
        }
        let key = &UNITS[unit].own_keys[at];
        Self { name: key.name, summary: key.summary, in_hardware: true, field: Field::OfUnit(key) }
    }

    /// Returns whether the key belongs to an extension that is off by default and off in `config`.
    pub(crate) fn is_absent_extension(&self, config: &Config) -> bool {
        matches!(self.field, Field::Extension(extension) if !extension.by_default && !config.isa.has(extension))
    }

    /// Returns whether the key belongs to a scratchpad, a cache, a divider or a control port that `config` does not have.
    pub(crate) fn is_of_absent_part(&self, config: &Config) -> bool {
        let is_of = |table: &str| self.name.starts_with(table);
        (is_of("scratchpad.") && !config.scratchpad.exists())
            || (is_of("icache.") && !config.icache.exists())
            || (is_of("dcache.") && !config.dcache.exists())
            || (is_of("divider.") && !config.isa.has(&M))
            || (is_of("control.") && !config.control.port)
    }

    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Returns whether the hardware supports only the default, and the golden model also the other values.
    pub fn is_of_the_model(&self) -> bool {
        matches!(self.name, "divergence.scoreboard" | "divergence.path_forwarding")
    }

    pub fn values(&self) -> String {
        match &self.field {
            Field::Integer { values, .. } | Field::Long { values, .. } => values.describe(),
            Field::OfUnit(key) => Integers::of(key).describe(),
            Field::Boolean { .. } | Field::Extension(_) => "true or false".into(),
            Field::Name { what, .. } => (*what).into(),
            Field::Prefix { .. } => "a Verilog identifier, or nothing".into(),
            Field::Choice { names, .. } => {
                names().into_iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" or ")
            }
            Field::Latency { .. } => {
                format!("an integer from 1 to {MAX_LATENCY}, or a range such as \"1..60\"")
            }
            Field::Bandwidth { .. } => "a number from 0.001 to 1, with up to three decimals".into(),
        }
    }

    /// Returns the value in `config`, as TOML.
    pub fn value(&self, config: &Config) -> toml::Value {
        let config = &mut config.clone();
        match &self.field {
            Field::Integer { at, .. } => toml::Value::Integer((*at(config)).into()),
            Field::Long { at, .. } => toml::Value::Integer(i64::try_from(*at(config)).unwrap_or(i64::MAX)),
            Field::Boolean { at } => toml::Value::Boolean(*at(config)),
            Field::Extension(extension) => toml::Value::Boolean(config.isa.has(extension)),
            Field::OfUnit(key) => toml::Value::Integer(config.unit_keys.get(key.name).into()),
            Field::Name { at, .. } | Field::Prefix { at } => toml::Value::String(at(config).clone()),
            Field::Choice { name, .. } => toml::Value::String(name(config).into()),
            Field::Latency { at } => (*at(config)).into(),
            Field::Bandwidth { at } => (*at(config)).into(),
        }
    }

    /// Returns whether the key is a name that is empty in `config`.
    pub(crate) fn is_empty(&self, config: &Config) -> bool {
        matches!(&self.field, Field::Name { at, .. } if at(&mut config.clone()).is_empty())
    }

    /// Returns the value in a configuration that sets nothing, as TOML.
    pub fn default(&self) -> toml::Value {
        self.value(&Config::default())
    }

    /// Returns the default in a configuration with the memory and the instruction set of `config`, as TOML.
    pub(crate) fn default_beside(&self, config: &Config) -> toml::Value {
        self.value(&Config::defaults_beside(config))
    }

    /// Returns whether the key has no effect in `config`.
    pub(crate) fn is_ignored(&self, config: &Config) -> bool {
        config.memory.kind.ignored_keys().contains(&self.name)
    }

    pub(crate) fn reset(&self, config: &mut Config, defaults: &Config) {
        let value = self.value(defaults);
        // A default is always in range.
        let _ = self.set(config, &Given::from_value(&value));
    }

    pub(crate) fn set(&self, config: &mut Config, given: &Given) -> Result<(), Refusal> {
        match (&self.field, given) {
            (Field::Integer { values, at }, Given::Integer(number)) => {
                let number = values.accept(*number)?;
                *at(config) = u32::try_from(number).map_err(|_| values.refuse(number.into()))?;
            }
            (Field::OfUnit(key), Given::Integer(number)) => {
                *config.unit_keys.get_mut(key.name) = Integers::of(key).accept(*number)? as u32;
            }
            (Field::Long { .. }, Given::Integer(1001..)) if self.name == "run.starvation" => {
                let hint =
                    "it is a factor on the bound of the unit now, not a number of cycles: leave it out, or write 4";
                return Err(Refusal::OutOfRange { hint: hint.into() });
            }
            (Field::Long { values, at }, Given::Integer(number)) => *at(config) = values.accept(*number)?,
            (Field::Boolean { at }, Given::Boolean(truth)) => *at(config) = *truth,
            (Field::Extension(extension), Given::Boolean(truth)) => config.isa.set(extension, *truth),
            (Field::Name { at, .. }, Given::Text(name)) => at(config).clone_from(name),
            (Field::Prefix { at }, Given::Text(name)) => *at(config) = prefix(name)?,
            (Field::Choice { plural, names, choose, .. }, Given::Text(given)) => {
                choose(config, choice(given, plural, &names())?);
            }
            (Field::Latency { at }, Given::Integer(_) | Given::Text(_)) => *at(config) = latency(given)?,
            (Field::Bandwidth { at }, Given::Integer(number)) => *at(config) = bandwidth(*number as f64)?,
            (Field::Bandwidth { at }, Given::Float(number)) => {
                *at(config) = bandwidth(number.parse().unwrap_or(f64::NAN))?;
            }
            _ => return Err(Refusal::WrongType),
        }
        Ok(())
    }

    pub(crate) fn verify(&self, config: &Config) -> Result<(), Refusal> {
        self.set(&mut config.clone(), &Given::from_value(&self.value(config)))
    }
}

impl Integers {
    const fn between(min: u64, max: u64) -> Self {
        Self { min, max, powers_of_two: false, or_zero: false }
    }

    fn of(key: &UnitKey) -> Self {
        Self::between(key.min.into(), key.max.into())
    }

    const fn powers_of_two(min: u64, max: u64) -> Self {
        Self { min, max, powers_of_two: true, or_zero: false }
    }

    const fn zero_or_power_of_two(min: u64, max: u64) -> Self {
        Self { or_zero: true, ..Self::powers_of_two(min, max) }
    }

    fn describe(self) -> String {
        let what = match (self.powers_of_two, self.or_zero) {
            (true, true) => "0 or a power of two",
            (true, false) => "a power of two",
            (false, _) => "an integer",
        };
        if self.max == i64::MAX as u64 {
            format!("{what} from {} on", self.min)
        } else {
            format!("{what} from {} to {}", self.min, self.max)
        }
    }

    fn accept(self, number: i128) -> Result<u64, Refusal> {
        u64::try_from(number)
            .ok()
            .filter(|n| {
                let legal = (self.min..=self.max).contains(n) && (!self.powers_of_two || n.is_power_of_two());
                legal || (self.or_zero && *n == 0)
            })
            .ok_or_else(|| self.refuse(number))
    }

    fn refuse(self, number: i128) -> Refusal {
        if self.or_zero && number < self.min.into() {
            return Refusal::OutOfRange { hint: format!("the nearest are 0 and {}", self.min) };
        }
        let inside = number.clamp(self.min.into(), self.max.into()) as u64;
        let above = inside.next_power_of_two();
        let hint = if !self.powers_of_two || above == inside {
            format!("the nearest is {inside}")
        } else {
            format!("the nearest are {} and {above}", above / 2)
        };
        Refusal::OutOfRange { hint }
    }
}

/// Returns the position of `given` among the names.
fn choice(given: &str, plural: &str, names: &[&str]) -> Result<usize, Refusal> {
    let number = names.iter().position(|name| *name == given);
    number.ok_or_else(|| Refusal::OutOfRange { hint: hint_among(given, plural, names) })
}

/// Accepts letters, digits and `_`, without a digit at the start.
fn prefix(given: &str) -> Result<String, Refusal> {
    let legal = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let kept: String = given.chars().filter(|letter| legal(*letter)).collect();
    let kept = kept.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if kept == given {
        Ok(given.into())
    } else {
        Err(Refusal::OutOfRange { hint: format!("the nearest is \"{kept}\"") })
    }
}

fn latency(given: &Given) -> Result<Latency, Refusal> {
    let ends = match given {
        Given::Integer(number) => Some((*number, *number)),
        Given::Text(text) => {
            text.split_once("..").and_then(|(min, max)| Some((min.trim().parse().ok()?, max.trim().parse().ok()?)))
        }
        _ => None,
    };
    let Some((min, max)) = ends else {
        return Err(Refusal::OutOfRange { hint: "a range is two integers with `..` between them".into() });
    };
    let clamp = |end: i128| end.clamp(1, MAX_LATENCY.into()) as u32;
    let nearest = Latency { min: clamp(min.min(max)), max: clamp(min.max(max)) };
    if (i128::from(nearest.min), i128::from(nearest.max)) == (min, max) {
        Ok(nearest)
    } else {
        Err(Refusal::OutOfRange { hint: format!("the nearest is {}", toml::Value::from(nearest)) })
    }
}

/// Converts a number of transactions per cycle, which must be exact in thousandths.
fn bandwidth(number: f64) -> Result<Bandwidth, Refusal> {
    let nearest = Bandwidth((number * 1000.0).round().clamp(1.0, 1000.0) as u32);
    // NaN also compares as unequal.
    if f64::from(nearest.0) / 1000.0 == number {
        return Ok(nearest);
    }
    let hint = if number.is_nan() { Bandwidth::FULL } else { nearest };
    Err(Refusal::OutOfRange { hint: format!("the nearest is {}", toml::Value::from(hint)) })
}
