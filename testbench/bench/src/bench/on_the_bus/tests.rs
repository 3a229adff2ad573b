//! The adaptor alone, under all kinds of requests to few lines; also copies with one mechanism broken.

mod alone;
mod broken;
mod errors;
mod widths;
mod windows;

use alone::{Alone, config};
use weft_config::Config;

use crate::memory::axi4::Service;

fn passes(config: &Config, requests: u32) {
    let mut alone = Alone::new(config);
    if let Err(message) = alone.run(requests) {
        panic!("{} threads, {:?}, {:?}: {message}", config.threads, config.axi, config.memory);
    }
}

#[test]
fn requests_are_performed_in_order_whatever_the_bus_does() {
    for latency in [(1, 1), (7, 7), (1, 40)] {
        for bandwidth in [1000, 300] {
            passes(&config(4, 16, latency, bandwidth), 20_000);
        }
    }
}

#[test]
fn one_lane_has_a_bus_of_one_word() {
    passes(&config(1, 16, (1, 40), 1000), 10_000);
}

#[test]
fn sixty_four_lanes_take_two_beats() {
    passes(&config(64, 16, (1, 1), 1000), 5_000);
    passes(&config(64, 16, (1, 20), 1000), 10_000);
}

#[test]
fn few_and_odd_numbers_of_tags_are_enough() {
    for outstanding in [1, 2, 5] {
        passes(&config(4, outstanding, (1, 20), 1000), 10_000);
    }
}

#[test]
fn without_atomic_operations_loads_and_stores_are_left() {
    let mut config = config(4, 16, (1, 40), 1000);
    config.isa.set(&weft_config::extension::A, false);
    passes(&config, 10_000);
}

/// The slave accepts no write while one of its responses waits, and no read before a write is answered.
#[test]
fn a_slave_that_does_one_thing_after_the_other_never_waits_for_ever() {
    for service in [Service::ReadsFirst, Service::WritesFirst] {
        for config in [
            config(4, 16, (1, 1), 1000),
            config(4, 16, (20, 20), 1000),
            config(4, 2, (1, 40), 300),
            config(1, 16, (10, 10), 1000),
            config(64, 16, (1, 20), 1000),
        ] {
            if let Err(message) = Alone::with(&config, service).run(3000) {
                panic!("{service:?}, {} threads, {:?}: {message}", config.threads, config.memory);
            }
        }
    }
}

/// If reads go first, as many lines as there are tags are read before the first is written back.
#[test]
fn atomic_operations_on_lines_of_their_own_are_all_written_back() {
    for service in [Service::Together, Service::ReadsFirst, Service::WritesFirst] {
        for outstanding in [1, 3, 16] {
            let mut alone = Alone::with(&config(4, outstanding, (10, 10), 1000), service);
            alone.stream(5, 400).unwrap_or_else(|message| panic!("{service:?}, {outstanding} tags: {message}"));
        }
    }
}

/// The bus is never idle: one load per cycle, or one store per cycle, each to another line. An atomic operation needs
/// both a read and a write.
#[test]
fn independent_requests_go_one_a_cycle() {
    for (code, each) in [(0, 1), (1, 1), (5, 2)] {
        let mut alone = Alone::new(&config(4, 32, (20, 20), 1000));
        let cycles = alone.stream(code, 4000).unwrap();
        println!("4000 requests of kind {code}: {cycles} cycles");
        assert!(cycles < each * 4000 + 100, "kind {code}: {cycles} cycles");
    }
}
