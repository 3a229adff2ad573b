//! A random core (size, divergence unit, options) and the memory that a program meets behind it.

use fastrand::Rng;
use weft_config::extension::{A, M};
use weft_config::{
    Bandwidth, Coalescer, Config, EXTENSIONS, Latency, Memory, MemoryKind, Order, Scheduler, Scratchpad, Unit, Window,
};

use crate::generate::Abilities;

/// Warps and threads that are drawn by default.
pub const SIZES: &[(u32, u32)] =
    &[(2, 4), (3, 8), (1, 4), (8, 4), (5, 2), (4, 16), (1, 8), (2, 2), (1, 1), (2, 32), (12, 4), (1, 64)];

const LATENCIES: [(u32, u32); 7] = [(1, 1), (1, 1), (2, 9), (20, 20), (1, 60), (1, 60), (100, 100)];
const FETCH_LATENCIES: [(u32, u32); 6] = [(1, 1), (1, 1), (1, 1), (1, 4), (2, 2), (1, 30)];
const BANDWIDTHS: [u32; 4] = [1000, 1000, 500, 130];
/// Bandwidth of one program in sixteen. It is so low that S3 holds contexts back for one that has waited for long.
const LEAST_BANDWIDTH: u32 = 5;
const KINDS: [MemoryKind; 5] =
    [MemoryKind::Model, MemoryKind::Model, MemoryKind::Model, MemoryKind::Axi4, MemoryKind::Bram];

pub fn core(rng: &mut Rng, unit: &str, (warps, threads): (u32, u32)) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.divergence.unit = unit.into();
    let unit = Unit::find(unit).ok();
    let reads = |key| unit.is_some_and(|unit| unit.reads(key));
    if reads("divergence.fair_after") && rng.bool() {
        config.divergence.fair_after = match rng.u32(0..8) {
            0 => 0,
            1 => 16,
            2 => 50,
            _ => u64::from(rng.u32(1..=threads)),
        };
    }
    for key in unit.map_or(&[][..], |unit| unit.own_keys) {
        *config.unit_keys.get_mut(key.name) = rng.u32(key.min..=key.max);
    }
    if reads("divergence.scheduler") && rng.u32(0..3) == 0 {
        config.divergence.scheduler = Scheduler::Constrained;
    }
    if reads("divergence.order") && rng.bool() {
        config.divergence.order = Order::BreadthFirst;
    }
    config.isa.set(&M, rng.u32(0..5) > 0);
    config.isa.set(&A, rng.u32(0..5) > 0);
    config.memory.outstanding = [16, 16, 4, 3, 32][rng.usize(0..5)];
    config.memory.stack_interleave = rng.u32(0..4) > 0;
    config.memory.ram_bytes = ram_bytes(warps * threads);
    config.memory.kind = KINDS[rng.usize(0..KINDS.len())];
    // Drawn last, so that cores without extensions keep the seeds of earlier campaigns.
    if rng.u32(0..3) == 0 {
        for extension in EXTENSIONS.iter().filter(|extension| !extension.by_default) {
            config.isa.set(extension, rng.bool());
        }
    }
    config.memory.coalescer = Coalescer::ALL[rng.usize(0..Coalescer::ALL.len())];
    config.scratchpad = Scratchpad::beside(config.isa);
    if rng.u32(0..3) == 0 {
        config.scratchpad.bytes = (4 * threads) << rng.u32(0..7);
        config.scratchpad.atomics &= rng.u32(0..4) > 0;
    }
    if config.isa.has(&M) && rng.bool() {
        config.divider.units = 1 << rng.u32(0..=threads.min(16).ilog2());
    }
    // Drawn beside the others, so that the programs of recorded seeds stay.
    caches(&mut Rng::with_seed(rng.get_seed() ^ 0xcac4e5), &mut config, unit.is_some_and(|unit| unit.reconverges));
    config
}

/// The upper bits of its rows alone differ from those of RAM.
const WINDOW: Window = Window { base: 0xf000_0000, bytes: 4096 };

/// Caches of a few lines or many, before memory that is not in the core, and a bus of any width, some with a window.
fn caches(rng: &mut Rng, config: &mut Config, reconverges: bool) {
    if config.memory.kind == MemoryKind::Bram {
        return;
    }
    if rng.bool() {
        config.dcache.bytes = (8 * config.threads) << rng.u32(0..6);
    }
    if rng.bool() {
        // On the bus the control block says where the reconvergence table is.
        config.control.port |= reconverges && config.memory.kind == MemoryKind::Axi4;
        config.icache.line_bytes = 32 << rng.u32(0..2);
        config.icache.bytes = (2 * config.icache.line_bytes) << rng.u32(0..6);
        config.icache.prefetch = rng.bool();
    }
    if config.memory.kind == MemoryKind::Axi4 {
        let has_window = if rng.bool() {
            config.axi.data_bits = 32 << rng.u32(0..6);
            // Not a separate draw: that would change the programs of recorded seeds.
            config.axi.data_bits.ilog2().is_multiple_of(2)
        } else {
            rng.bool()
        };
        if has_window {
            config.memory.windows.push(WINDOW);
        }
    }
}

/// RAM for the programs and stacks of so many threads. It is kept small because every run clears it.
fn ram_bytes(harts: u32) -> u32 {
    (harts * 4096).next_power_of_two().max(1 << 17)
}

/// Draws the memory behind a core for one program. Block RAM in the core is not drawn.
pub fn memory(rng: &mut Rng, core: &Config) -> Config {
    let mut config = core.clone();
    config.run.watchdog = 20_000;
    let (min, max) = LATENCIES[rng.usize(0..LATENCIES.len())];
    config.memory.latency = Latency { min, max };
    config.memory.bandwidth = Bandwidth(BANDWIDTHS[rng.usize(0..BANDWIDTHS.len())]);
    config.memory.seed = rng.u64(1..1 << 31);
    // Not a separate draw: that would change the programs of recorded seeds.
    let (min, max) = FETCH_LATENCIES[(config.memory.seed % FETCH_LATENCIES.len() as u64) as usize];
    config.memory.fetch_latency = Latency { min, max };
    if config.memory.seed.is_multiple_of(16) {
        config.memory.bandwidth = Bandwidth(LEAST_BANDWIDTH);
    }
    if config.memory.kind == MemoryKind::Bram {
        let Memory { latency, fetch_latency, bandwidth, seed, .. } = Config::default().memory;
        config.memory = Memory { latency, fetch_latency, bandwidth, seed, ..config.memory };
    }
    config
}

pub fn abilities(config: &Config) -> Abilities {
    let Config { warps, threads, isa, scratchpad, .. } = *config;
    let window = config.memory.windows.first().copied();
    Abilities { harts: warps * threads, isa, turns: takes_turns(config), scratchpad, window }
}

pub fn takes_turns(config: &Config) -> bool {
    config.unit().is_ok_and(|unit| unit.takes_turns)
}

#[cfg(test)]
mod tests;
