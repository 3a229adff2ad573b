use weft_config::RAM_BASE;

use super::*;

/// A cache of eight lines of 32 bytes, with memory of latency 50.
fn cache() -> InstructionCache {
    let mut config = Config::default();
    config.icache.bytes = 256;
    config.memory.fetch_latency = Latency { min: 50, max: 50 };
    InstructionCache::new(&config).unwrap()
}

fn word(cache: &mut InstructionCache, line: u32, now: u64) -> (u64, bool) {
    let Fetched { word, missed, .. } = cache.fetch(RAM_BASE + 32 * line, now);
    (word, missed)
}

#[test]
fn a_fetch_misses_another_joins_and_later_ones_hit() {
    let mut cache = cache();
    let (first, missed) = word(&mut cache, 0, 10);
    assert_eq!((first, missed), (10 + REQUEST + 50 + TAG + WORD, true));
    assert_eq!(word(&mut cache, 0, 20), (first + NEXT_WORD, true));
    assert_eq!(word(&mut cache, 0, first + 20), (first + 21, false));
    assert!(word(&mut cache, 8, 200).1, "line 8 takes the place of line 0");
    assert!(word(&mut cache, 0, 400).1);
}

#[test]
fn a_fifth_refill_waits_for_the_first() {
    let mut cache = cache();
    let words: Vec<u64> = (0..5).map(|line| word(&mut cache, line, 10 + u64::from(line)).0).collect();
    assert!(words.windows(2).all(|pair| pair[0] < pair[1]), "{words:?}");
    assert!(words[4] >= words[0] + 50, "{words:?}");
}

#[test]
fn a_fence_empties_the_cache_and_fetches_what_is_on_its_way_again() {
    let mut cache = cache();
    let (first, _) = word(&mut cache, 0, 10);
    cache.empty(first + 100);
    assert_eq!(cache.free_from(), first + 100 + 8);
    assert!(word(&mut cache, 0, first + 110).1);
}
