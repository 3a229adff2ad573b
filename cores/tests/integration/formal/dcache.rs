//! The data cache answers as memory would that performed all requests in order of acceptance: in all runs of some
//! cycles after reset, with two lines and any memory behind it.

use cores::{Shape, formal};
use rtl::with_fault;
use weft_config::Config;

use super::assert_proved;
use super::yosys::{Cycles, Design};

/// Cycles of the runs, and those in which each broken copy fails.
const CYCLES: Cycles = Cycles(14);

fn shape() -> Shape {
    let config = Config { warps: 2, threads: 1, ..Config::default() };
    let unit = cores::divergence::find(&config.divergence.unit).expect("a unit");
    let shape = Shape::new(&config, 0x8000_0000, unit);
    Shape { ram_bytes: 16, dcache_bytes: 8, outstanding: 2, formal: true, trace: true, ..shape }
}

fn design() -> Design {
    Design::new(&formal::dcache(&shape()).expect("a whole module"))
}

#[test]
#[ignore = "takes a minute and more: in scripts/nightly.sh"]
fn loads_are_answered_in_order_of_acceptance() {
    assert_proved(design().hold(CYCLES));
}

#[test]
#[ignore = "takes a minute and more: in scripts/nightly.sh"]
fn the_data_cache_reaches_all_that_it_is_for() {
    assert_proved(design().reach(CYCLES));
}

#[test]
#[ignore = "takes a minute and more: in scripts/nightly.sh"]
fn broken_copies_of_the_data_cache_fail() {
    let broken = [
        ("a store keeps the refill", "dcache_refills.store_keeps_the_refill"),
        ("a load overtakes a buffered store", "dcache.load_overtakes_a_buffered_store"),
        ("a store merges before another one", "dcache_write_buffer.store_merges_before_another"),
        ("an atomic operation stores before it has read", "dcache.amo_stores_before_it_has_read"),
        ("a store-conditional ignores its reservation", "dcache.sc_ignores_its_reservation"),
        ("a load joins a killed refill", "dcache.load_joins_a_refill_before_a_store"),
    ];
    for (what, fault) in broken {
        let outcome = with_fault(fault, design).refute(CYCLES);
        assert!(outcome.is_ok(), "{what}: not found\n{}", outcome.unwrap_err());
    }
}
