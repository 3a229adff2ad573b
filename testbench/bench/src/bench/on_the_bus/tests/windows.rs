//! The adaptor alone, with accesses to windows among its requests; copies with one mechanism broken; errors of devices.

use weft_config::extension::A;
use weft_config::{Config, Window};

use super::alone::{self, Alone};
use super::passes;
use crate::memory::axi4::Service;

/// The first window has the rows of RAM, but for the upper bits. The last one is a word.
fn config(threads: u32, outstanding: u32, latency: (u32, u32)) -> Config {
    let mut config = alone::config(threads, outstanding, latency, 1000);
    let windows = [(0xf000_0000, 4096), (0x1000_0400, 64), (0x0000_0004, 4)];
    config.memory.windows = windows.map(|(base, bytes)| Window { base, bytes }).to_vec();
    config.check().unwrap();
    config
}

fn with_bus(mut config: Config, bits: u32) -> Config {
    config.axi.data_bits = bits;
    config.check().unwrap();
    config
}

#[test]
fn accesses_are_alone_and_of_their_own_size() {
    for latency in [(1, 1), (1, 60)] {
        passes(&config(4, 16, latency), 10_000);
    }
    passes(&config(1, 2, (1, 20)), 5_000);
}

#[test]
fn the_beat_of_a_line_that_has_the_word_is_sent() {
    passes(&config(64, 16, (1, 20)), 5_000);
    for (threads, bits) in [(4, 64), (4, 32), (8, 32), (2, 32), (32, 256)] {
        passes(&with_bus(config(threads, 16, (1, 20)), bits), 5_000);
    }
}

#[test]
fn a_line_may_be_a_part_of_a_beat() {
    for (threads, bits) in [(1, 64), (1, 1024), (2, 256), (4, 512)] {
        passes(&with_bus(config(threads, 16, (1, 20)), bits), 5_000);
    }
}

#[test]
fn without_atomic_operations_accesses_are_left() {
    let mut config = config(4, 16, (1, 40));
    config.isa.set(&A, false);
    passes(&config, 5_000);
}

#[test]
fn a_slave_that_does_one_thing_after_the_other_never_waits_for_ever() {
    for service in [Service::ReadsFirst, Service::WritesFirst] {
        let run = Alone::with(&config(4, 16, (1, 40)), service).run(3000);
        run.unwrap_or_else(|message| panic!("{service:?}: {message}"));
    }
}

#[test]
fn copies_that_lose_the_rules_of_windows_are_found() {
    for (fault, found) in [
        ("axi4.window_does_not_wait_for_others", &["an access to a window alone"][..]),
        ("axi4.others_do_not_wait_for_window", &["m_axi_a", "dmem_rsp", "m_axi_w"]),
        ("axi4_channels.windows_have_the_size_of_words", &["m_axi_araddr", "m_axi_awaddr", "m_axi_wstrb"]),
        ("axi4_channels.windows_are_memory", &["cache 0b0010"]),
    ] {
        let message = Alone::broken(&config(4, 16, (1, 40)), Service::Together, fault).run(20_000).err();
        let message = message.unwrap_or_else(|| panic!("{fault}: not found"));
        assert!(found.iter().any(|found| message.contains(found)), "{fault}: {message}");
    }
}

#[test]
fn copies_that_send_or_read_another_beat_are_found() {
    for fault in [
        "axi4_channels.windows_send_the_first_data",
        "axi4_channels.windows_send_the_first_strb",
        "axi4.windows_read_the_last_beat",
    ] {
        let config = with_bus(config(4, 16, (1, 20)), 32);
        let run = Alone::broken(&config, Service::Together, fault).run(20_000);
        assert!(run.is_err(), "{fault}: not found");
    }
}

/// The reserved word and the word of the window differ in the upper bits of their addresses.
#[test]
fn a_store_to_a_window_ends_no_reservation() {
    let config = config(4, 16, (5, 5));
    let reserved = |mut alone: Alone| {
        for (operation, tag) in [(2, 0), (1, 0), (3, 1)] {
            if operation == 1 {
                alone.ask_window(1, 0xf000_0000, 4, 0)
            } else {
                alone.ask(operation, 0, tag)
            }
            while !alone.is_accepted() {
                alone.step(|_| ())?;
            }
        }
        alone.finish()
    };
    reserved(Alone::new(&config)).unwrap();
    let fault = "axi4.window_ends_reservations";
    assert!(reserved(Alone::broken(&config, Service::Together, fault)).is_err(), "{fault}: not found");
}

#[test]
fn an_error_of_a_device_is_told_with_its_address() {
    for (operation, told) in [(0, "SLVERR for a read at 0x10000406"), (1, "SLVERR for a write at 0x10000406")] {
        let mut alone = Alone::new(&config(4, 16, (5, 5)));
        let [rresp, bresp] = [alone.side.bus.rresp, alone.side.bus.bresp];
        alone.ask_window(operation, 0x1000_0406, 2, 1);
        let mut step = || {
            let stepped = alone.step(|model| {
                model.set(rresp, 2);
                model.set(bresp, 2);
            });
            assert!(!alone.is_answered(), "an error was answered as data");
            stepped.err()
        };
        let message = (0..50).find_map(|_| step()).expect("an error");
        assert!(message.contains(told), "{message}");
    }
}
