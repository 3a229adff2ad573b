use weft_config::{Bandwidth, Config};

use super::SecondLevel;

/// Lines of the core have 16 bytes, those of the cache 64. A miss takes 100 cycles, and a line the way to memory for two.
fn second_level(bytes: u32, ways: u32) -> SecondLevel {
    let mut config = Config { threads: 4, ..Config::default() };
    (config.model.l2_bytes, config.model.l2_ways, config.model.l2_line_bytes) = (bytes, ways, 64);
    config.model.memory_bandwidth = Bandwidth(500);
    config.check().unwrap();
    SecondLevel::new(&config).unwrap()
}

#[test]
fn there_is_none_by_default() {
    assert!(SecondLevel::new(&Config::default()).is_none());
}

#[test]
fn a_line_that_is_on_its_way_answers_when_it_has_come() {
    let mut cache = second_level(256, 2);
    assert_eq!(cache.access(0, 10, false), 100);
    assert_eq!(cache.access(3, 15, false), 95, "in the same line");
    assert_eq!(cache.access(1, 110, false), 0);
    assert_eq!((cache.counts().all, cache.counts().misses), (3, 1));
}

#[test]
fn misses_share_the_bandwidth() {
    let mut cache = second_level(256, 2);
    let later: Vec<u64> = (0..3).map(|line| cache.access(4 * line, 0, false)).collect();
    assert_eq!(later, [100, 102, 104]);
    assert_eq!(cache.access(12, 5, false), 101, "the last line is on the way until cycle 6");
}

/// Two sets: lines 0, 2, 4 of the cache are in the first one.
#[test]
fn the_least_recently_used_line_leaves() {
    let mut cache = second_level(256, 2);
    for line in [0, 8, 0, 16] {
        cache.access(line, 0, false);
    }
    assert_eq!(cache.access(0, 1000, false), 0);
    assert_eq!(cache.access(8, 1000, false), 100, "used before line 0");
}

#[test]
fn a_dirty_line_that_leaves_takes_bandwidth_after_the_refill() {
    for (writes, next) in [(false, 102), (true, 104)] {
        let mut cache = second_level(256, 2);
        cache.access(0, 0, writes);
        cache.access(8, 0, false);
        assert_eq!(cache.access(16, 1000, false), 100);
        assert_eq!(cache.access(4, 1000, false), next);
    }
}

/// The same lines hit as in a list of all uses: those of which fewer than `ways` others of their set were used since.
#[test]
fn random_accesses_hit_where_few_other_lines_were_used_since() {
    let (ways, sets) = (4, 8);
    let mut cache = second_level(64 * ways * sets, ways);
    let mut random = fastrand::Rng::with_seed(1);
    let mut uses: Vec<u32> = Vec::new();
    for now in 0..4000 {
        let line = random.u32(0..400);
        let misses = cache.counts().misses;
        cache.access(line, 1000 * now, random.bool());
        let number = line / 4;
        let since = uses.iter().rev().take_while(|used| **used != number);
        let others: std::collections::BTreeSet<_> = since.filter(|used| *used % sets == number % sets).collect();
        let hits = uses.contains(&number) && others.len() < ways as usize;
        assert_eq!(cache.counts().misses - misses, u64::from(!hits), "access {now} to line {number}");
        uses.push(number);
    }
}
