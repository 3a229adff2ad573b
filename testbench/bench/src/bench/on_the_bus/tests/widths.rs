//! A bus that is narrower or wider than a line.

use weft_config::Config;

use super::alone::{Alone, config};
use super::broken::each_is_found;
use super::passes;
use crate::memory::axi4::Service;

fn with(threads: u32, bits: u32, latency: (u32, u32)) -> Config {
    let mut config = config(threads, 16, latency, 1000);
    config.axi.data_bits = bits;
    config
}

#[test]
fn a_line_is_a_burst_on_a_narrower_bus() {
    for (threads, bits) in [(2, 32), (4, 32), (8, 64), (8, 128), (32, 128), (64, 32)] {
        passes(&with(threads, bits, (1, 40)), 5_000);
    }
    passes(&with(8, 64, (1, 1)), 5_000);
}

#[test]
fn a_line_is_a_part_of_a_beat_on_a_wider_bus() {
    for (threads, bits) in [(1, 64), (1, 1024), (4, 256), (8, 512), (16, 1024)] {
        passes(&with(threads, bits, (1, 40)), 5_000);
    }
    passes(&with(8, 512, (1, 1)), 5_000);
}

#[test]
fn a_slave_that_does_one_thing_after_the_other_serves_any_width() {
    for service in [Service::ReadsFirst, Service::WritesFirst] {
        for config in [with(8, 32, (1, 20)), with(8, 64, (10, 10)), with(4, 512, (1, 20))] {
            if let Err(message) = Alone::with(&config, service).run(2000) {
                panic!("{service:?}, {} threads, {:?}: {message}", config.threads, config.axi);
            }
        }
    }
}

/// One beat in each cycle, of loads or of stores.
#[test]
fn beats_follow_one_another() {
    for (bits, beats) in [(32, 8), (128, 2), (512, 1)] {
        for code in [0, 1] {
            let mut config = with(8, bits, (20, 20));
            config.memory.outstanding = 32;
            let cycles = Alone::new(&config).stream(code, 1000).unwrap();
            assert!(cycles < beats * 1000 + 100, "{bits} bits, kind {code}: {cycles} cycles");
        }
    }
}

#[test]
fn broken_copies_on_a_narrower_bus_are_found() {
    each_is_found(
        &with(8, 64, (1, 20)),
        &[
            ("beats by ID", "axi4.first_beat_is_that_of_id_0", &["dmem_rsp_data"]),
            ("the order of beats", "axi4.beats_come_from_the_high_end", &["dmem_rsp_data"]),
            ("the wait for the last beat", "axi4.first_beat_completes_a_read", &["dmem_rsp"]),
            ("WLAST with the last beat alone", "axi4_channels.wlast_is_high", &["m_axi_wlast"]),
            ("the later data", "axi4_channels.wdata_repeats_the_first_beat", &["m_axi_w:"]),
            ("the later strobes", "axi4_channels.wstrb_repeats_the_first_beat", &["m_axi_w:"]),
            ("ARLEN", "axi4_channels.arlen_is_one_less", &["m_axi_arlen"]),
            ("AWLEN", "axi4_channels.awlen_is_one_more", &["m_axi_awlen", "a burst within 4 KiB"]),
            ("ARSIZE", "axi4_channels.arsize_is_one_more", &["m_axi_arsize", "a burst within 4 KiB"]),
        ],
    );
}

#[test]
fn broken_copies_on_a_wider_bus_are_found() {
    each_is_found(
        &with(8, 512, (1, 20)),
        &[
            ("the part of a read", "axi4.first_part_is_read", &["dmem_rsp_data"]),
            ("the part of a write", "axi4_channels.line_is_written_to_the_first_part", &["m_axi_w:"]),
            ("the strobes of a write", "axi4_channels.wstrb_is_all_ones", &["m_axi_w:"]),
            ("ARADDR of a beat", "axi4_channels.araddr_is_that_of_the_line", &["m_axi_araddr"]),
            ("AWADDR of a beat", "axi4_channels.awaddr_is_that_of_the_line", &["m_axi_awaddr"]),
            ("the wait of reads for writes", "axi4.read_does_not_wait_for_write", &["dmem_rsp_data"]),
        ],
    );
}
