use std::fs;

use weft_config::Base;

use super::*;

#[test]
fn every_kind_of_memory_is_drawn_and_what_a_failure_leaves_can_be_read() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut drawn = [0; 3];
    let (mut slow, mut windows, mut scratchpads, mut caches, mut buses) = (0, 0, [0; 2], [0; 4], [0; 3]);
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let core = core(&mut rng, weft_config::SORTED_TABLE.name, SIZES[seed as usize % SIZES.len()]);
        let config = memory(&mut rng, &core);
        drawn[config.memory.kind as usize] += 1;
        if config.scratchpad.exists() {
            scratchpads[usize::from(config.scratchpad.atomics)] += 1;
        }
        caches[2 * usize::from(config.icache.exists()) + usize::from(config.dcache.exists())] += 1;
        if config.memory.kind == MemoryKind::Axi4 {
            let (bus, line) = (config.bus_bits(), 32 * config.threads);
            buses[usize::from(bus >= line) + usize::from(bus > line)] += 1;
        }
        windows += config.memory.windows.len();
        slow += u32::from(config.memory.bandwidth == Bandwidth(LEAST_BANDWIDTH));
        fs::write(file.path(), config.to_commented_toml()).unwrap();
        let read = Config::resolve(&Base::File(file.path().into()), &[""; 0]).unwrap();
        assert_eq!(read, config, "seed {seed}");
    }
    assert!(drawn.iter().all(|number| *number > 20), "{drawn:?}");
    assert!(scratchpads.iter().all(|number| *number > 10), "{scratchpads:?}");
    assert!(caches.iter().all(|number| *number > 20), "{caches:?}");
    assert!(buses.iter().all(|number| *number > 2), "narrower, as a line, wider: {buses:?}");
    assert!(slow > 0 && windows > 10, "{slow}, {windows}");
}
