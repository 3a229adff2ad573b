//! The table of keys, with the range and the purpose of each. The reader of files and arguments, the printed
//! configuration, the error texts and the reference in the documentation are all derived from it.

use crate::LOWEST_RAM;
use crate::extension::{EXTENSIONS, Extension, M};
use crate::keys::{Axi, Bandwidth, Choice, Config, Latency, WIDEST_BUS};
use crate::suggest::hint_among;
use crate::unit::{UNITS, Unit, UnitKey};
use crate::value::Given;
use crate::window::{self, Window};

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
    Integer(Integers, fn(&mut Config) -> &mut u32),
    Long(Integers, fn(&mut Config) -> &mut u64),
    Boolean(fn(&mut Config) -> &mut bool),
    Extension(&'static Extension),
    OfUnit(&'static UnitKey),
    /// A text that names the given thing.
    Name(&'static str, fn(&mut Config) -> &mut String),
    /// The beginning of identifiers, or an empty string.
    Prefix(fn(&mut Config) -> &mut String),
    /// One of several names, with the plural for messages.
    Choice(&'static str, fn(&mut Config) -> &mut dyn Choice),
    Latency(fn(&mut Config) -> &mut Latency),
    Bandwidth(fn(&mut Config) -> &mut Bandwidth),
    Windows(fn(&mut Config) -> &mut Vec<Window>),
}

/// Makes the entries of keys: the summary of each, its name, which is also its place in [`Config`], and its values.
macro_rules! keys {
    ($(
        #[doc = $summary:literal]
        $first:ident $(. $leaf:ident)?: $kind:ident $(($argument:expr))?, in_hardware: $in_hardware:literal;
    )*) => {
        &[$(Key {
            name: concat!(stringify!($first) $(, ".", stringify!($leaf))?),
            summary: $summary.trim_ascii_start(),
            in_hardware: $in_hardware,
            field: Field::$kind($($argument,)? |config| &mut config.$first$(.$leaf)?),
        },)*]
    };
}

#[derive(Clone, Copy)]
struct Integers {
    min: u64,
    max: u64,
    powers_of_two: bool,
    /// Whether 0 is accepted, too.
    or_zero: bool,
    /// Addresses, which are printed in hexadecimal.
    addresses: bool,
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

const SIZES: &[Key] = keys! {
    /// Warps in the core.
    warps: Integer(between(1, 64)), in_hardware: true;
    /// Threads per warp, and the number of lanes.
    threads: Integer(powers_of_two(1, 64)), in_hardware: true;
    /// Where threads start in a core without a program; 0 = at memory.base.
    reset_pc: Integer(addresses(0)), in_hardware: true;
};

/// The unit that tracks divergence, and the keys that do not belong to a single unit.
const DIVERGENCE: &[Key] = keys! {
    /// The unit that tracks the paths of a warp; "verilog" is a module of yours.
    divergence.unit: Name("the name of a divergence unit"), in_hardware: true;
    /// Unit "verilog": its file; in a file of keys, relative to that file.
    divergence.file: Name("the path of a file"), in_hardware: true;
    /// Unit "verilog": the name of its module.
    divergence.module: Name("the name of a module"), in_hardware: true;
    /// Commits of a warp until its path yields; 0 = only at pause. Not read by the stacks.
    divergence.fair_after: Long(between(0, u32::MAX as u64)), in_hardware: true;
    /// Unit "multi-path": which of two paths that diverge runs first.
    divergence.order: Choice("orders"), in_hardware: true;
    /// Unit "dual-path": both slots of a warp may issue, or one at a time.
    divergence.scheduler: Choice("schedulers"), in_hardware: true;
};

const OTHERS: &[Key] = keys! {
    /// Unit "dwf": warps formed by pc, or one of two references on the same pipeline.
    dwf.warps: Choice("kinds of warps"), in_hardware: false;
    /// Unit "dwf": which warp of the pool issues first.
    dwf.issue: Choice("heuristics"), in_hardware: false;
    /// Unit "dwf": a thread stays in its lane, may use any, or any at the cost of conflicts.
    dwf.lanes: Choice("rules"), in_hardware: false;
    /// Unit "dwf": whether odd warps have even and odd lanes exchanged; not with "ideal".
    dwf.swizzle: Boolean, in_hardware: false;
    /// Lanes that divide at a time, at most `threads`; 0 = 1 to 4, or 16 from 16 threads on.
    divider.units: Integer(zero_or_power_of_two(1, 16)), in_hardware: true;
    /// Memory behind the core: open ports, block RAM in it, or an AXI4 master.
    memory.kind: Choice("kinds"), in_hardware: true;
    /// Cycles from an accepted load to its response; a range is drawn at random.
    memory.latency: Latency, in_hardware: false;
    /// Cycles from an accepted fetch to its word; a range is drawn at random.
    memory.fetch_latency: Latency, in_hardware: false;
    /// Transactions per cycle that memory accepts on average: 0.25 = one in four.
    memory.bandwidth: Bandwidth, in_hardware: false;
    /// Seed of random latencies.
    memory.seed: Long(between(0, i64::MAX as u64)), in_hardware: false;
    /// Lanes of one transaction: by word, or in one line ("line" by default with a scratchpad).
    memory.coalescer: Choice("coalescers"), in_hardware: true;
    /// Loads in flight, with "axi4" stores too; by default W/2, at least 16.
    memory.outstanding: Integer(between(1, 128)), in_hardware: true;
    /// First address of RAM, a multiple of its size; from 0x40000000 on.
    memory.base: Integer(addresses(LOWEST_RAM)), in_hardware: true;
    /// RAM from memory.base on: a multiple of threads · stack_bytes.
    memory.ram_bytes: Integer(between(128, 1 << 31)), in_hardware: true;
    /// Stack of each thread, at the end of RAM.
    memory.stack_bytes: Integer(powers_of_two(64, 1 << 30)), in_hardware: true;
    /// Whether the stacks of a warp alternate word by word, to share lines.
    memory.stack_interleave: Boolean, in_hardware: true;
    /// Ranges for devices on the AXI4 bus. Powers of two, for lanes compare upper bits alone.
    memory.windows: Windows, in_hardware: true;
    /// Memory in the core at 0x20000000, in a bank per lane; 0 = none.
    scratchpad.bytes: Integer(zero_or_power_of_two(4, 1 << 18)), in_hardware: true;
    /// Whether the scratchpad performs atomic memory operations; by default as isa.a.
    scratchpad.atomics: Boolean, in_hardware: true;
    /// Data width of the AXI4 master; 0 = a line, 32 · threads, at most 1024.
    axi.data_bits: Integer(zero_or_power_of_two(32, WIDEST_BUS as u64)), in_hardware: true;
    /// Whether registers behind an AXI4-Lite port start and stop the core; not with "bram".
    control.port: Boolean, in_hardware: true;
    /// What the control port counts: full = also the cycles in which nothing issues, by cause.
    control.counters: Choice("sets of counters"), in_hardware: true;
    /// Whether the control port shows where each warp is.
    control.paths: Boolean, in_hardware: true;
    /// Instruction cache, direct mapped; 0 = none.
    icache.bytes: Integer(zero_or_power_of_two(64, 1 << 18)), in_hardware: true;
    /// Line of the instruction cache.
    icache.line_bytes: Integer(powers_of_two(32, 64)), in_hardware: true;
    /// Whether a miss of the instruction cache brings the next line too.
    icache.prefetch: Boolean, in_hardware: true;
    /// Data cache, direct mapped, in lines of a word per lane; 0 = none.
    dcache.bytes: Integer(zero_or_power_of_two(8, 1 << 18)), in_hardware: true;
    /// Whether the core has the trace port that lock step reads.
    trace.port: Boolean, in_hardware: true;
    /// Prefix of all module names and hex files; the top is prefix and "core".
    emit.prefix: Prefix, in_hardware: true;
    /// Reset of an emitted core: `rst`, or `rst_n` behind two registers. Boards have their own.
    emit.reset: Choice("resets"), in_hardware: true;
    /// Folder of the hex files as tools see it; empty: where they are started.
    emit.hex_path: Name("the path of a folder"), in_hardware: true;
    /// Cycles without commit, response or pending request that make a deadlock.
    run.watchdog: Long(between(1, i64::MAX as u64)), in_hardware: false;
    /// Factor on the commits of its warp within which a unit serves each thread that can run.
    run.starvation: Long(between(1, 1000)), in_hardware: false;
    /// Address of the word whose stores end the run in hardware; 0 = none.
    run.tohost: Integer(addresses(0)), in_hardware: true;
    /// Unit "dual-path": dependences by shadow bit, or by thread.
    model.scoreboard: Choice("scoreboards"), in_hardware: false;
    /// Unit "dual-path": whether lower rows use a free slot.
    model.path_forwarding: Boolean, in_hardware: false;
    /// Units "dual-path", "dws": whether threads that hit go on before those that miss.
    model.memory_divergence: Boolean, in_hardware: false;
    /// Second-level cache behind the data port, which answers after memory.latency; 0 = none.
    model.l2_bytes: Integer(zero_or_power_of_two(64, 1 << 30)), in_hardware: false;
    /// Ways of each set of it; the least recently used line leaves.
    model.l2_ways: Integer(powers_of_two(1, 32)), in_hardware: false;
    /// Line of it, at least 4 · threads.
    model.l2_line_bytes: Integer(powers_of_two(16, 1024)), in_hardware: false;
    /// Cycles that a miss of it takes beyond memory.latency.
    model.memory_latency: Integer(between(1, MAX_LATENCY as u64)), in_hardware: false;
    /// Lines per cycle between it and memory, which refills and dirty lines share.
    model.memory_bandwidth: Bandwidth, in_hardware: false;
};

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
        let Unit { own_keys, in_hardware, .. } = UNITS[unit];
        let key = &own_keys[at];
        Self { name: key.name, summary: key.summary, in_hardware: *in_hardware, field: Field::OfUnit(key) }
    }

    /// Returns whether the key belongs to an extension that is off by default and off in `config`.
    pub(crate) fn is_absent_extension(&self, config: &Config) -> bool {
        matches!(self.field, Field::Extension(extension) if !extension.by_default && !config.isa.has(extension))
    }

    /// Returns whether the key belongs to a scratchpad, a cache, a divider or a control port that `config` does not have,
    /// or to a bus that is as wide as a line.
    pub(crate) fn is_of_absent_part(&self, config: &Config) -> bool {
        let is_of = |table: &str| self.name.starts_with(table);
        (is_of("scratchpad.") && !config.scratchpad.exists())
            || (is_of("icache.") && !config.icache.exists())
            || (is_of("dcache.") && !config.dcache.exists())
            || (is_of("divider.") && !config.isa.has(&M))
            || (is_of("axi.") && config.axi == Axi::default())
            || (is_of("control.") && !config.control.port)
    }

    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Returns whether the hardware supports only the default, and the golden model also the other values.
    pub fn is_of_the_model(&self) -> bool {
        self.name.starts_with("model.")
    }

    pub fn values(&self) -> String {
        match &self.field {
            Field::Integer(values, _) | Field::Long(values, _) => values.describe(),
            Field::OfUnit(key) => integers(key).describe(),
            Field::Boolean(_) | Field::Extension(_) => "true or false".into(),
            Field::Name(what, _) => (*what).into(),
            Field::Prefix(_) => "a Verilog identifier, or nothing".into(),
            Field::Choice(_, at) => format!("\"{}\"", at(&mut Config::default()).names().join("\" or \"")),
            Field::Latency(_) => format!("an integer from 1 to {MAX_LATENCY}, or a range such as \"1..60\""),
            Field::Windows(_) => window::values(),
            Field::Bandwidth(_) => "a number from 0.001 to 1, with up to three decimals".into(),
        }
    }

    /// Returns the value in `config`, as TOML.
    pub fn value(&self, config: &Config) -> toml::Value {
        let config = &mut config.clone();
        match &self.field {
            Field::Integer(_, at) => toml::Value::Integer((*at(config)).into()),
            Field::Long(_, at) => toml::Value::Integer(i64::try_from(*at(config)).unwrap_or(i64::MAX)),
            Field::Boolean(at) => toml::Value::Boolean(*at(config)),
            Field::Extension(extension) => toml::Value::Boolean(config.isa.has(extension)),
            Field::OfUnit(key) => toml::Value::Integer(config.unit_keys.get(key.name).into()),
            Field::Name(_, at) | Field::Prefix(at) => toml::Value::String(at(config).clone()),
            Field::Choice(_, at) => toml::Value::String(at(config).name().into()),
            Field::Latency(at) => (*at(config)).into(),
            Field::Bandwidth(at) => (*at(config)).into(),
            Field::Windows(at) => window::value(at(config)),
        }
    }

    /// Returns the text of the value in `config`, in TOML.
    pub fn text(&self, config: &Config) -> String {
        match &self.field {
            Field::Integer(values, at) => values.show((*at(&mut config.clone())).into()),
            Field::Windows(at) => window::text(at(&mut config.clone())),
            _ => self.value(config).to_string(),
        }
    }

    /// Returns whether the key is a name or a list that is empty in `config`.
    pub(crate) fn is_empty(&self, config: &Config) -> bool {
        match &self.field {
            Field::Name(_, at) => at(&mut config.clone()).is_empty(),
            Field::Windows(at) => at(&mut config.clone()).is_empty(),
            _ => false,
        }
    }

    /// Returns the value in a configuration that sets nothing, as TOML.
    pub fn default(&self) -> toml::Value {
        self.value(&Config::default())
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
            (Field::Integer(values, at), Given::Integer(number)) => {
                let number = values.accept(*number)?;
                *at(config) = u32::try_from(number).map_err(|_| values.refuse(number.into()))?;
            }
            (Field::OfUnit(key), Given::Integer(number)) => {
                *config.unit_keys.get_mut(key.name) = integers(key).accept(*number)? as u32;
            }
            (Field::Long(..), Given::Integer(1001..)) if self.name == "run.starvation" => {
                let hint =
                    "it is a factor on the bound of the unit now, not a number of cycles: leave it out, or write 4";
                return Err(Refusal::OutOfRange { hint: hint.into() });
            }
            (Field::Long(values, at), Given::Integer(number)) => *at(config) = values.accept(*number)?,
            (Field::Boolean(at), Given::Boolean(truth)) => *at(config) = *truth,
            (Field::Extension(extension), Given::Boolean(truth)) => config.isa.set(extension, *truth),
            (Field::Name(_, at), Given::Text(name)) => at(config).clone_from(name),
            (Field::Prefix(at), Given::Text(name)) => *at(config) = prefix(name)?,
            (Field::Choice(plural, at), Given::Text(name)) => {
                let choice = at(config);
                if !choice.choose(name) {
                    return Err(Refusal::OutOfRange { hint: hint_among(name, plural, choice.names()) });
                }
            }
            (Field::Windows(at), Given::Array(_)) => *at(config) = window::accept(given)?,
            (Field::Latency(at), Given::Integer(_) | Given::Text(_)) => *at(config) = latency(given)?,
            (Field::Bandwidth(at), Given::Integer(number)) => *at(config) = bandwidth(*number as f64)?,
            (Field::Bandwidth(at), Given::Float(number)) => {
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

const fn between(min: u64, max: u64) -> Integers {
    Integers { min, max, powers_of_two: false, or_zero: false, addresses: false }
}

const fn addresses(min: u32) -> Integers {
    Integers { addresses: true, ..between(min as u64, u32::MAX as u64) }
}

const fn powers_of_two(min: u64, max: u64) -> Integers {
    Integers { powers_of_two: true, ..between(min, max) }
}

const fn zero_or_power_of_two(min: u64, max: u64) -> Integers {
    Integers { or_zero: true, ..powers_of_two(min, max) }
}

fn integers(key: &UnitKey) -> Integers {
    between(key.min.into(), key.max.into())
}

impl Integers {
    fn describe(self) -> String {
        let what = match (self.powers_of_two, self.or_zero) {
            (true, true) => "0 or a power of two",
            (true, false) => "a power of two",
            (false, _) => "an integer",
        };
        if self.addresses {
            return format!("an address from {} on", self.show(self.min));
        }
        if self.max == i64::MAX as u64 {
            format!("{what} from {} on", self.min)
        } else {
            format!("{what} from {} to {}", self.min, self.max)
        }
    }

    fn show(self, number: u64) -> String {
        if self.addresses && number > 0 { format!("{number:#010x}") } else { number.to_string() }
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
            format!("the nearest is {}", self.show(inside))
        } else {
            format!("the nearest are {} and {above}", above / 2)
        };
        Refusal::OutOfRange { hint }
    }
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
