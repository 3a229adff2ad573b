//! Copies of the adaptor with one mechanism broken: the bench detects each.

use weft_config::Config;

use super::alone::{Alone, config};
use crate::memory::axi4::Service;

/// The missing mechanism, its fault point, and the expected finding: the message contains one of these words.
pub type Copy = (&'static str, &'static str, &'static [&'static str]);

const DATA: &[&str] = &["dmem_rsp_data", "m_axi_w:", "m_axi_awaddr", "m_axi_araddr"];

#[rustfmt::skip]
const ORDER: &[Copy] = &[
    ("the wait of reads for writes", "axi4.read_does_not_wait_for_write", &["m_axi_araddr"]),
    ("the wait of writes for reads", "axi4.store_does_not_wait_for_read", &["m_axi_awaddr"]),
    ("the wait of AMOs for reads", "axi4.amo_does_not_wait_for_read", &["m_axi_awaddr"]),
    ("the wait for an AMO", "axi4.request_does_not_wait_for_amo", DATA),
    ("the wait for an AMO's write", "axi4_in_flight.amo_ends_with_its_read", DATA),
    ("the wait for write responses", "axi4.awready_ends_a_write", DATA),
    ("reservations", "axi4.sc_stores_without_reservation", &["m_axi_w:"]),
    ("the answer of SC", "axi4.sc_is_not_answered", &["wait", "never answered"]),
    ("the tag of SC", "axi4.sc_is_answered_with_rid", &["dmem_rsp"]),
    ("the pause of reads for SC", "axi4.read_is_answered_beside_sc", &["wait", "never answered"]),
    ("memory of AMOs apart from stores", "axi4_atomics.store_is_remembered_as_a_read", &["m_axi_w:", "dmem_rsp_data", "done", "no request"]),
    ("the patience of an AMO", "axi4_atomics.amo_does_not_wait_for_its_write", &["m_axi_w:", "no request", "dmem_rsp_data", "done"]),
    ("the precedence of an AMO's write", "axi4.store_does_not_let_amo_go_first", &["m_axi_w:", "dmem_rsp_data"]),
    ("a request that waits twice", "axi4.skid_buffer_loses_its_request", DATA),
    ("a request that is kept", "axi4.skid_buffer_is_overwritten", &["dmem_rsp_tag"]),
    ("the wait for all to be performed", "axi4.is_idle_with_requests_in_flight", &["done"]),
];

/// With two tags and a slave that accepts no write while one of its responses waits.
const WRITES_LATE: &[Copy] = &[
    ("answers that wait for no request", "axi4.answer_waits_for_amo_to_write", &["no request"]),
    ("the wait for the tag of an AMO", "axi4.read_does_not_wait_for_amo_of_its_tag", DATA),
];

const LIMIT: &[Copy] = &[("the limit of writes", "axi4.writes_have_no_limit", &["m_axi_araddr", "no request"])];

#[rustfmt::skip]
const PROTOCOL: &[Copy] = &[
    ("read addresses that stay", "axi4_channels.arvalid_drops_before_arready", &["m_axi_ar:"]),
    ("read addresses that do not change", "axi4_channels.araddr_changes_before_arready", &["m_axi_ar:"]),
    ("write addresses that stay", "axi4_channels.awvalid_drops_before_awready", &["m_axi_aw:"]),
    ("write addresses that do not change", "axi4_channels.awaddr_changes_before_awready", &["m_axi_aw:", "m_axi_w:", "no request"]),
    ("write data that stays", "axi4_channels.wvalid_drops_before_wready", &["m_axi_w:"]),
    ("write data that does not change", "axi4_channels.wdata_changes_before_wready", &["m_axi_w:"]),
    ("WLAST", "axi4_channels.wlast_is_low", &["m_axi_wlast"]),
    ("WSTRB", "axi4_channels.wstrb_is_all_ones", &["m_axi_w:"]),
    ("IDs of their own for reads", "axi4_channels.arid_is_0", &["m_axi_arid"]),
    ("one ID for writes", "axi4_channels.awid_is_a_bit_of_the_row", &["m_axi_awid"]),
    ("the alignment of lines", "axi4_channels.araddr_is_no_multiple_of_8", &["m_axi_araddr"]),
    ("bursts within a page (0 - 1: 256 beats)", "axi4_channels.awlen_is_one_less", &["a burst within 4 KiB"]),
    ("AxLEN", "axi4_channels.arlen_is_one_more", &["m_axi_arlen", "a burst within 4 KiB"]),
    ("AxSIZE", "axi4_channels.arsize_is_one_less", &["m_axi_arsize"]),
    ("AxBURST", "axi4_channels.arburst_is_one_more", &["m_axi_arburst"]),
    ("AxCACHE", "axi4_channels.awcache_is_one_more", &["m_axi_aw:"]),
    ("the reset of read addresses", "axi4_channels.arvalid_is_high_after_reset", &["m_axi_arvalid"]),
    ("the reset of write addresses", "axi4_channels.awvalid_is_high_after_reset", &["m_axi_awvalid"]),
    ("the reset of write data", "axi4_channels.wvalid_is_high_after_reset", &["m_axi_wvalid"]),
];

const TWO_BEATS: &[Copy] = &[
    ("first beats by ID", "axi4.first_beat_is_that_of_id_0", &["dmem_rsp_data"]),
    ("WLAST with the second beat", "axi4_channels.wlast_is_high", &["m_axi_wlast"]),
    ("the upper half", "axi4_channels.wdata_repeats_the_first_beat", &["m_axi_w:"]),
    ("the wait for the second beat", "axi4.first_beat_completes_a_read", &["dmem_rsp"]),
];

pub fn each_is_found(config: &Config, copies: &[Copy]) {
    each_is_found_by(config, Service::Together, copies);
}

fn each_is_found_by(config: &Config, service: Service, copies: &[Copy]) {
    for (without, fault, found) in copies {
        let message = Alone::broken(config, service, fault).run(20_000).err();
        let message = message.unwrap_or_else(|| panic!("without {without}: not found"));
        assert!(found.iter().any(|found| message.contains(found)), "without {without}: {message}");
    }
}

#[test]
fn copies_that_lose_order_or_requests_are_found() {
    each_is_found(&config(4, 16, (1, 40), 1000), ORDER);
    each_is_found(&config(4, 2, (1, 40), 1000), LIMIT);
}

#[test]
fn copies_that_a_late_write_breaks_are_found() {
    each_is_found_by(&config(4, 2, (10, 10), 1000), Service::ReadsFirst, WRITES_LATE);
}

#[test]
fn a_copy_that_is_idle_before_an_amo_is_written_back_is_found() {
    let fault = "axi4_in_flight.amo_is_not_in_flight_after_its_read";
    let mut alone = Alone::broken(&config(4, 16, (10, 10), 1000), Service::Together, fault);
    let message = alone.stream(5, 1).expect_err("not found");
    assert!(message.contains("done"), "{message}");
}

#[test]
fn copies_that_break_the_protocol_are_found() {
    each_is_found(&config(4, 16, (1, 40), 1000), PROTOCOL);
}

#[test]
fn copies_that_break_the_protocol_of_two_beats_are_found() {
    each_is_found(&config(64, 16, (1, 20), 1000), TWO_BEATS);
}
