//! Refills with entries of the reconvergence table: one watched refill between a cache that asks arbitrarily and a memory
//! that answers in order and as late as it likes (`table_refills.sv`). Lines of two words come in two beats.

use cores::{Shape, divergence, formal};
use rtl::with_fault;
use weft_config::{Config, MemoryKind};

use crate::formal::abc::{Circuits, From, Outcome, connected};

/// Cycles from the reset that are checked. The first pair with its answer takes eight.
const CYCLES: usize = 13;

fn circuits() -> Circuits {
    let mut config = Config { warps: 2, threads: 1, ..Config::default() };
    config.divergence.unit = "pdom-stack".into();
    config.memory.kind = MemoryKind::Axi4;
    config.control.port = true;
    config.icache.bytes = 64;
    let unit = divergence::find(&config.divergence.unit).expect("a unit");
    let shape = Shape { icache_line_bytes: 8, ..Shape::new(&config, 0x8000_0000, unit) };
    let module = formal::table_refills(&shape).expect("a whole module");
    let (instance, text) = (connected(&module, "refills"), rtl::single_file("", &module.verilog()));
    let files = [
        ("table_refills.vh", instance.as_str()),
        ("table_refills.v", &text),
        ("check.sv", include_str!("table_refills.sv")),
    ];
    Circuits::new("check", &files)
}

#[test]
fn each_refill_is_answered_with_its_code_and_entries() {
    let circuits = circuits();
    for claim in ["bad_address", "bad_answer", "bad_stuck"] {
        assert_eq!(circuits.find(claim, From::Reset, 2, CYCLES), Outcome::Never, "{claim}");
    }
    for seen in ["seen_covered", "seen_alone", "seen_cut", "seen_several"] {
        assert!(matches!(circuits.find(seen, From::Reset, 2, CYCLES), Outcome::At(_)), "{seen}");
    }
}

#[test]
fn broken_copies_fail() {
    let broken = [
        ("bad_address", "each_line_has_entries"),
        ("bad_answer", "entries_are_unknown"),
        ("bad_answer", "an_error_of_code_is_lost"),
        ("bad_stuck", "waits_for_entries_for_ever"),
    ];
    for (claim, fault) in broken {
        let broken = with_fault(&format!("table_refills.{fault}"), circuits);
        let found = broken.find(claim, From::Reset, 2, CYCLES + 4);
        assert!(matches!(found, Outcome::At(_)), "{fault}: not found");
    }
}
