use super::*;
use weft_config::Latency;

const LOAD: [bool; 2] = [true, false];
const STORE: [bool; 2] = [false, true];

/// A cache of four lines, swept, with memory of latency 50.
fn cache() -> (DataCache, Memory) {
    let mut config = Config { threads: 4, ..Config::default() };
    config.dcache.bytes = 64;
    config.memory.latency = Latency { min: 50, max: 50 };
    (DataCache::new(&config).unwrap(), Memory::new(&config))
}

fn hit(due: u64) -> Option<Answer> {
    Some(Answer { due, missed: false })
}

fn miss(due: u64) -> Option<Answer> {
    Some(Answer { due, missed: true })
}

#[test]
fn a_load_misses_others_join_and_later_ones_hit() {
    let (mut cache, mut memory) = cache();
    assert_eq!(cache.access(3, 10, LOAD, &mut memory), miss(61));
    assert_eq!(cache.access(3, 20, LOAD, &mut memory), miss(62));
    assert_eq!(cache.access(3, 70, LOAD, &mut memory), hit(71));
    // Line 7 has the same place.
    assert_eq!(cache.access(7, 80, LOAD, &mut memory), miss(131));
    assert_eq!(cache.access(3, 140, LOAD, &mut memory), miss(191));
}

#[test]
fn a_line_that_is_stored_on_its_way_is_not_installed() {
    let (mut cache, mut memory) = cache();
    assert_eq!(cache.access(3, 10, LOAD, &mut memory), miss(61));
    assert_eq!(cache.access(3, 12, STORE, &mut memory), hit(13));
    let begins = (70..).find_map(|now| cache.access(3, now, LOAD, &mut memory).map(|answer| (now, answer.due)));
    assert_eq!(begins, Some((70, 121)));
}

#[test]
fn a_load_waits_for_a_buffered_store_of_its_line_alone() {
    let (mut cache, mut memory) = cache();
    for (line, now) in [(1, 10), (1, 11), (2, 12)] {
        assert_eq!(cache.access(line, now, STORE, &mut memory), hit(now + 1));
    }
    assert_eq!(cache.access(3, 13, LOAD, &mut memory), miss(64), "it overtakes stores of other lines");
    assert_eq!(cache.access(1, 14, LOAD, &mut memory), None);
    let begins = (15..).find_map(|now| cache.access(1, now, LOAD, &mut memory).map(|_| now));
    assert!(begins.is_some_and(|now| now < 20), "{begins:?}");
}

#[test]
fn an_atomic_operation_keeps_others_waiting_until_it_has_stored() {
    let (mut cache, mut memory) = cache();
    assert_eq!(cache.access(3, 10, [true, true], &mut memory), miss(61));
    assert_eq!(cache.access(2, 61, LOAD, &mut memory), None);
    assert!(cache.access(2, 63, LOAD, &mut memory).is_some());
    assert!(cache.leaves().is_some(), "its store is in the buffer");
}
