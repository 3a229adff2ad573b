//! Copies of the adaptor without one of its mechanisms: the bench finds each.

use weft_config::Config;

use super::alone::{Alone, config};
use crate::memory::axi4::Service;

/// What a copy is without, the text of four or sixty-four threads that says so, what stands there instead, and what is
/// found: any of these signals or words is in the message.
type Copy = (&'static str, &'static str, &'static str, &'static [&'static str]);

const DATA: &[&str] = &["dmem_rsp_data", "m_axi_w:", "m_axi_awaddr", "m_axi_araddr"];

#[rustfmt::skip]
const ORDER: &[Copy] = &[
    ("the wait of reads for writes", "(reads & (writes_row | rewrites_tag))", "(reads & rewrites_tag)", &["m_axi_araddr"]),
    ("the wait of writes for reads", "((writes | rewrites) & reads_row)", "(rewrites & reads_row)", &["m_axi_awaddr"]),
    ("the wait of AMOs for reads", "((writes | rewrites) & reads_row)", "(writes & reads_row)", &["m_axi_awaddr"]),
    ("the wait for an AMO", "(uses_bus & rewrites_row)", "1'b0", DATA),
    ("the wait for an AMO's write", "{16{rewritten}} & (16'd1 << rewritten_tag)", "{16{read_answered}} & (16'd1 << answered_tag)", DATA),
    ("the wait for write responses", ".write_answered     (m_axi_bvalid)", ".write_answered     (m_axi_awready)", DATA),
    ("reservations", "(op == 4'd3) & reserved;", "(op == 4'd3);", &["m_axi_w:"]),
    ("the answer of SC", "dmem_rsp_valid = delivered | decided", "dmem_rsp_valid = delivered", &["wait", "never answered"]),
    ("the tag of SC", "dmem_rsp_tag = decided ? decided_tag : m_axi_rid", "dmem_rsp_tag = m_axi_rid", &["dmem_rsp"]),
    ("the pause of reads for SC", "read_ready = ~decided", "read_ready = 1'b1", &["wait", "never answered"]),
    ("memory of AMOs apart from stores", "if (read) begin\n            remembered", "if (leaves) begin\n            remembered", &["m_axi_w:", "dmem_rsp_data", "done", "no request"]),
    ("the patience of an AMO", "answered_pop = rewritten", "answered_pop = answered_valid", &["m_axi_w:", "no request", "dmem_rsp_data", "done"]),
    ("the precedence of an AMO's write", "(may_write & ~rewrite_waits)", "may_write", &["m_axi_w:", "dmem_rsp_data"]),
    ("the wait for all to be performed", "busy <= taken | present | in_flight_any | failed;", "busy <= taken;", &["done"]),
];

/// With two tags and a slave that takes no write while an answer of its stands.
#[rustfmt::skip]
const WRITES_LATE: &[Copy] = &[
    ("answers that wait for no request", "read_ready = ~decided", "read_ready = ~(decided | rewrite_waits)", &["no request"]),
    ("the wait for the tag of an AMO", "(reads & (writes_row | rewrites_tag))", "(reads & writes_row)", DATA),
];

/// With two tags.
const LIMIT: &[Copy] =
    &[("the limit of writes", "write_free & ~writes_full", "write_free", &["m_axi_araddr", "no request"])];

#[rustfmt::skip]
const PROTOCOL: &[Copy] = &[
    ("read addresses that stay", "read | (ar_valid & ~m_axi_arready)", "read", &["m_axi_ar:"]),
    ("read addresses that do not change", "read_free = ~ar_valid | m_axi_arready", "read_free = 1'b1", &["m_axi_ar:"]),
    ("write addresses that stay", "write | (aw_valid & ~m_axi_awready)", "write", &["m_axi_aw:"]),
    ("write addresses that do not change", "(~aw_valid | m_axi_awready) & ", "", &["m_axi_aw:", "m_axi_w:", "no request"]),
    ("write data that stays", "write | (w_valid & ~w_moves)", "write", &["m_axi_w:"]),
    ("write data that does not change", "& (~w_valid | m_axi_wready)", "", &["m_axi_w:"]),
    ("WLAST", "m_axi_wlast = 1'b1", "m_axi_wlast = 1'b0", &["m_axi_wlast"]),
    ("WSTRB", "w_strb <= mask;", "w_strb <= 16'hffff;", &["m_axi_w:"]),
    ("IDs of their own for reads", "ar_id <= tag;", "ar_id <= 4'd0;", &["m_axi_arid"]),
    ("one ID for writes", "m_axi_awid = 4'd0", "m_axi_awid = {3'd0, aw_row[0]}", &["m_axi_awid"]),
    ("the alignment of lines", "{12'h800, ar_row, 4'd0}", "{12'h800, ar_row, 4'd4}", &["m_axi_araddr"]),
    ("bursts within a page", "m_axi_awlen = 8'd0", "m_axi_awlen = 8'd255", &["a burst within 4 KiB"]),
    ("AxLEN", "m_axi_arlen = 8'd0", "m_axi_arlen = 8'd1", &["m_axi_arlen", "a burst within 4 KiB"]),
    ("AxSIZE", "m_axi_arsize = 3'd4", "m_axi_arsize = 3'd3", &["m_axi_arsize"]),
    ("AxBURST", "m_axi_arburst = 2'd1", "m_axi_arburst = 2'd2", &["m_axi_arburst"]),
    ("AxCACHE", "m_axi_awcache = 4'd2", "m_axi_awcache = 4'd15", &["m_axi_aw:"]),
    ("the reset of read addresses", "ar_valid <= 1'b0;", "ar_valid <= 1'b1;", &["m_axi_arvalid"]),
    ("the reset of write addresses", "aw_valid <= 1'b0;", "aw_valid <= 1'b1;", &["m_axi_awvalid"]),
    ("the reset of write data", " w_valid <= 1'b0;", " w_valid <= 1'b1;", &["m_axi_wvalid"]),
];

#[rustfmt::skip]
const TWO_BEATS: &[Copy] = &[
    ("first beats by ID", "first_beat = first_beats[m_axi_rid]", "first_beat = first_beats[0]", &["dmem_rsp_data"]),
    ("WLAST with the second beat", "m_axi_wlast = ~w_second", "m_axi_wlast = 1'b1", &["m_axi_wlast"]),
    ("the upper half", "write ? data[1023:0] : w_rest_data", "write ? data[1023:0] : w_data", &["m_axi_w:"]),
    ("the wait for the second beat", "read_answer & m_axi_rlast", "read_answer", &["dmem_rsp"]),
];

fn each_is_found(config: &Config, copies: &[Copy]) {
    each_is_found_by(config, Service::Together, copies);
}

fn each_is_found_by(config: &Config, service: Service, copies: &[Copy]) {
    for (without, text, becomes, found) in copies {
        let message = Alone::with(config, service, &[(text, becomes)]).run(20_000).err();
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
    let change = ("(|reading) | (|rewriting) | (|writing)", "(|reading) | (|writing)");
    let message = Alone::new(&config(4, 16, (10, 10), 1000), &[change]).stream(5, 1).expect_err("not found");
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
