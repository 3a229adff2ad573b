//! The instruction cache: one bit of an arbitrary word, fetched by two contexts, from a memory that answers in order
//! and as late as it likes (`icache.sv`). Two lines of two words hold part of a memory of eight.

use cores::{Shape, divergence, formal};
use rtl::with_fault;
use weft_config::Config;

use crate::formal::abc::{Circuits, From, Outcome, connected};

/// Most cycles between two words of a context that nothing disturbs, while memory takes and answers at once.
const LONGEST: usize = 48;
/// Cycles from the reset in which words are checked. A late word, and a hit, take 13.
const CYCLES: usize = 18;

/// `unit`: the bit is of the word's entry of the reconvergence table, if the unit reads that.
fn circuits(beats: usize, unit: &str, prefetch: bool) -> Circuits {
    let mut config = Config { warps: 2, threads: 1, ..Config::default() };
    config.divergence.unit = unit.into();
    config.icache.bytes = 64;
    config.icache.prefetch = prefetch;
    let unit = divergence::find(&config.divergence.unit).expect("a unit");
    let shape = Shape {
        icache_bytes: 16,
        icache_line_bytes: 8,
        ifill_bits: 64 / beats,
        ram_bytes: 64,
        ..Shape::new(&config, 0x8000_0000, unit)
    };
    let module = formal::icache(&shape).expect("a whole module");
    let mut sizes = format!("`define BEATS {beats}\n`define BEAT {}\n`define LONGEST {LONGEST}\n", 64 / beats);
    if beats == 1 {
        sizes += "`define ONE_BEAT\n";
    }
    if shape.reconverges {
        sizes += "`define OF_ENTRY\n";
    }
    let text = rtl::single_file("", &module.verilog());
    let files = [
        ("sizes.sv", sizes.as_str()),
        ("cache.vh", &connected(&module, "cache")),
        ("icache.v", &text),
        ("check.sv", include_str!("icache.sv")),
    ];
    Circuits::new("check", &files)
}

#[test]
fn contexts_receive_the_words_of_their_fetches() {
    for (beats, unit, prefetch) in [(2, "sorted-table", false), (1, "pdom-stack", true)] {
        let circuits = circuits(beats, unit, prefetch);
        for claim in ["bad_answer", "bad_waits", "bad_request"] {
            assert!(circuits.is_never(claim), "{claim}, {beats} beats");
        }
        assert_eq!(circuits.find("bad_word", From::Reset, 1, CYCLES), Outcome::Never, "{beats} beats");
        let settled = LONGEST + 9;
        assert_eq!(circuits.find("bad_stuck", From::Reset, LONGEST, settled), Outcome::Never, "{beats} beats");
        for seen in ["seen_hit", "seen_late", "seen_both_wait", "seen_stall", "seen_dropped", "seen_both_values"] {
            assert!(matches!(circuits.find(seen, From::Reset, 1, CYCLES), Outcome::At(_)), "{seen}, {beats} beats");
        }
    }
}

#[test]
fn broken_copies_of_the_instruction_cache_fail() {
    let broken = [
        ("bad_word", "hits_while_the_line_is_written"),
        ("bad_word", "a_fence_keeps_the_lines"),
        ("bad_word", "a_fence_keeps_the_refills"),
        ("bad_word", "a_line_with_an_error_is_kept"),
        ("bad_answer", "serves_a_cancelled_fetch"),
        ("bad_stuck", "a_refill_ends_as_a_miss_joins_it"),
        ("bad_waits", "a_resteer_does_not_end_the_wait"),
        ("bad_answer", "a_prefetch_is_answered"),
    ];
    for (claim, fault) in broken {
        let broken =
            with_fault(&format!("icache.{fault}"), || circuits(1, "sorted-table", fault == "a_prefetch_is_answered"));
        let found = broken.find(claim, From::Reset, 1, if claim == "bad_stuck" { LONGEST + 18 } else { CYCLES + 2 });
        assert!(matches!(found, Outcome::At(_)), "{fault}: not found");
    }
}
