//! The data cache answers as memory would that performed all requests in order of acceptance: in all runs of some
//! cycles after reset, with two lines and any memory behind it.

use cores::{Shape, formal};
use rtl::with_fault;
use weft_config::Config;

use super::abc::{Circuits, Outcome};
use super::assert_proved;
use super::yosys::{Cycles, Design};

/// Cycles of the runs. In so many each broken copy here fails; others need more, and two of them fail in lock step.
const CYCLES: usize = 13;

fn shape() -> Shape {
    let config = Config { warps: 2, threads: 1, ..Config::default() };
    let unit = cores::divergence::find(&config.divergence.unit).expect("a unit");
    let shape = Shape::new(&config, 0x8000_0000, unit);
    Shape { ram_bytes: 16, dcache_bytes: 8, outstanding: 2, formal: true, trace: true, ..shape }
}

fn module() -> rtl::Module {
    formal::dcache(&shape()).expect("a whole module")
}

#[test]
#[ignore = "takes a minute and more: in scripts/nightly.sh"]
fn loads_are_answered_in_order_of_acceptance() {
    assert_eq!(Circuits::of_assertions(&module()).refute(0, CYCLES), Outcome::Never);
}

#[test]
#[ignore = "takes a minute and more: in scripts/nightly.sh"]
fn the_data_cache_reaches_all_that_it_is_for() {
    // Memory answers while a load that joined a refill does: no run of 17 cycles with two tags has that.
    let design = Design::new(&module()).without(&["a_list_waits_for_memory"]);
    assert_proved(design.reach(Cycles(CYCLES)));
}

#[test]
fn broken_copies_of_the_data_cache_fail() {
    let broken = [
        ("a store keeps the refill", "dcache_refills.store_keeps_the_refill"),
        ("a load overtakes a buffered store", "dcache.load_overtakes_a_buffered_store"),
        ("a store-conditional ignores its reservation", "dcache.sc_ignores_its_reservation"),
    ];
    for (what, fault) in broken {
        let outcome = with_fault(fault, || Circuits::of_assertions(&module())).refute(0, CYCLES);
        assert!(matches!(outcome, Outcome::At(_)), "{what}: not found");
    }
}
