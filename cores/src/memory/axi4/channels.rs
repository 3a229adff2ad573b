//! The request channels of the adaptor. They are registered, so no input of the bus reaches an output of the bus in
//! the same cycle.
//!
//! A write starts on both of its channels at once. A line that is wider than the bus takes several beats.

use rtl::{Builder, ElaborationError, Expr, Module, clog2, join, lit, ones, select_one_hot, zeros};

use super::window::OfWindow;
use super::{address, fetch, id_bits, width};
use crate::shape::Shape;

/// The signals of a request that are the same for all: length, size of a beat, INCR, no exclusive access; data,
/// secure, unprivileged. The memory type is normal, neither cached nor buffered, so that memory itself answers a
/// write.
fn constants(shape: &Shape) -> [(&'static str, Expr); 6] {
    [
        ("len", lit(8, width::beats(shape) as u64 - 1)),
        ("size", lit(3, clog2(shape.bus_bits / 8) as u64)),
        ("burst", lit(2, 0b01)),
        ("lock", zeros(1)),
        ("cache", lit(4, 0b0010)),
        ("prot", zeros(3)),
    ]
}

/// Declares the outputs of an address channel, `aw` or `ar`.
pub fn address_ports(m: &Builder, shape: &Shape, channel: &str) {
    let port = |name: &str, width: usize| m.output_port(&format!("m_axi_{channel}{name}"), width);
    port("valid", 1);
    port("id", id_bits(shape) + if channel == "ar" { fetch::id_bits(shape) } else { 0 });
    port("addr", 32);
    for (name, value) in constants(shape) {
        port(name, value.width());
    }
}

/// The bus outputs of the module in order, without `m_axi_`.
pub fn outputs() -> Vec<String> {
    let address = ["valid", "id", "addr", "len", "size", "burst", "lock", "cache", "prot"];
    let channels = [("aw", &address[..]), ("w", &["valid", "data", "strb", "last"]), ("ar", &address)];
    let ports = channels.iter().flat_map(|(channel, ports)| ports.iter().map(move |port| (channel, port)));
    ports.map(|(channel, port)| format!("{channel}{port}")).collect()
}

/// Elaborates the channels. `row_bits` is the width of a row number of the memory.
pub fn elaborate(shape: &Shape, row_bits: usize) -> Result<Module, ElaborationError> {
    let m = Builder::new("axi4_channels", "The request channels of an AXI4 master.");
    m.timing(
        "a start is on the bus one cycle later, and held until the bus takes it. A read starts only while \
         `read_free` is high, a write while `write_free` is; both read the bus's ready of the same cycle.",
    );
    m.port_group("a read of a row starts; whether one may");
    let read = m.input("read", 1);
    let tag = m.input("tag", shape.tag_bits());
    let row = m.input("row", row_bits);
    m.output_port("read_free", 1);
    m.port_group("a refill of the instruction cache starts instead");
    let refill = shape.has_icache().then(|| (m.input("refill", 1), m.input("refill_address", 32)));
    let window = OfWindow::declare(&m, shape);
    m.port_group("a write starts; whether one may");
    let write = m.input("write", 1);
    let written_row = m.input("written_row", row_bits);
    let mask = m.input("mask", 4 * shape.threads);
    let data = m.input("data", shape.line_bits());
    m.output_port("write_free", 1);

    m.port_group("write address");
    address_ports(&m, shape, "aw");
    let address_ready = m.input("m_axi_awready", 1);
    m.port_group("write data");
    m.output_port("m_axi_wvalid", 1);
    let data_ready = m.input("m_axi_wready", 1);
    m.output_port("m_axi_wdata", shape.bus_bits);
    m.output_port("m_axi_wstrb", shape.bus_bits / 8);
    m.output_port("m_axi_wlast", 1);
    m.port_group("read address");
    address_ports(&m, shape, "ar");
    let read_ready = m.input("m_axi_arready", 1);

    m.comment("Read addresses.");
    let id = m.fault("arid_is_0", &tag, &zeros(tag.width()));
    m.output(
        "read_free",
        &address_channel(&m, shape, "ar", Some(&id), refill.as_ref(), window.as_ref(), [&read, &row, &read_ready]),
    );
    m.comment("Write addresses.");
    let id = m.fault("awid_is_a_bit_of_the_row", &None, &Some(written_row.bit(0)));
    let start = [&write, &written_row, &address_ready];
    let address_free = address_channel(&m, shape, "aw", id.as_ref(), None, window.as_ref(), start);

    let beats = width::beats(shape);
    let (text, name) = if beats > 2 {
        ("The line. Of the beats behind the first, a bit tells the next.", "w_next")
    } else {
        ("The line. The second of two beats waits behind the first.", "w_second")
    };
    m.comment(text);
    let valid = m.register("w_valid", 1);
    let moves = m.wire("w_moves", &(&valid & &data_ready));
    let next = m.register(name, beats - 1);
    let last = next.none();
    let stays = &write | (&valid & !(&moves & &last));
    valid.next(&m.fault("wvalid_drops_before_wready", &stays, &write));
    valid.reset(m.fault("wvalid_is_high_after_reset", &0, &1));
    m.output("m_axi_wvalid", &valid);
    let is_last = m.fault("wlast_is_low", &last, &zeros(1));
    m.output("m_axi_wlast", &m.fault("wlast_is_high", &is_last, &ones(1)));
    if beats > 1 {
        let several = window.as_ref().map_or_else(|| write.clone(), |window| &write & !&window.starts);
        let first = join([&several, &zeros(beats - 2)]);
        let behind = join([&zeros(1), &next.slice(0, beats - 2)]).when(&moves);
        next.next(&(first | behind | (&next & (!&moves).repeat(beats - 1)))).reset(0);
    }
    let strobes = width::strobes(&m, shape, &mask, &written_row);
    let strobes = m.fault("wstrb_is_all_ones", &strobes, &ones(strobes.width()));
    let line_bits = data.width().min(shape.bus_bits);
    for (name, line, bits) in [("data", &data, line_bits), ("strb", &strobes, shape.bus_bits / 8)] {
        let register = m.register(&format!("w_{name}"), bits);
        let first = line.slice(0, bits);
        let first = window.as_ref().map_or_else(|| first.clone(), |window| window.beat(&m, shape, name, &mask, line));
        if beats > 1 {
            let rest = m.hold(&format!("w_rest_{name}"), &line.from(bits), &write);
            let later = if beats == 2 { rest } else { select_one_hot(&next, rest.lanes(bits)) };
            let later = m.fault(&format!("w{name}_repeats_the_first_beat"), &later, &register.q());
            register.next(&write.mux(&first, &later)).enable(&(&write | &moves));
        } else {
            register.next(&first).enable(&write);
        }
        let output = if name == "data" { register.repeat(width::parts(shape)) } else { register.q() };
        m.output(&format!("m_axi_w{name}"), &output);
    }
    let data_free = m.fault("wdata_changes_before_wready", &(!&valid | (&data_ready & &last)), &ones(1));
    m.output("write_free", &(address_free & data_free));
    m.finish()
}

/// An address channel, whose ID is `tag` or 0. Returns whether it can take an address.
fn address_channel(
    m: &Builder,
    shape: &Shape,
    channel: &str,
    tag: Option<&Expr>,
    refill: Option<&(Expr, Expr)>,
    window: Option<&OfWindow>,
    [read, row, ready]: [&Expr; 3],
) -> Expr {
    let start = &refill.map_or_else(|| read.clone(), |(refill, _)| read | refill);
    let output = |name: &str, value: &Expr| m.output(&format!("m_axi_{channel}{name}"), value);
    let register = |name: &str, value: &Expr| m.hold(&format!("{channel}_{name}"), value, start);
    let valid = m.register(&format!("{channel}_valid"), 1);
    let stays = start | (&valid & !ready);
    valid.next(&m.fault(&format!("{channel}valid_drops_before_{channel}ready"), &stays, start));
    valid.reset(m.fault(&format!("{channel}valid_is_high_after_reset"), &0, &1));
    output("valid", &valid);
    let tag = tag.map(|tag| refill.map_or_else(|| tag.clone(), |(refill, _)| tag.when(&!refill)));
    let id = tag.map_or(zeros(0), |tag| register("id", &tag)).extend(id_bits(shape));
    let of_refill = refill.map(|(refill, _)| register("of_refill", refill));
    output("id", &of_refill.as_ref().map_or_else(|| id.clone(), |of_refill| join([&id, of_refill])));
    let of_window = window.map(|window| register("of_window", &(&window.starts & read)));
    let beat = m.fault(&format!("{channel}addr_is_that_of_the_line"), &width::beat(shape, row), row);
    let of_beat = |beat: &Expr| address(shape, &join([&zeros(row.width() - beat.width()), beat]));
    let address = match refill {
        Some((refill, line)) => register("address", &refill.mux(&fetch::address(shape, line), &of_beat(&beat))),
        None => of_beat(&register("row", &beat)),
    };
    let of_window = window.zip(of_window.as_ref());
    let address = of_window.map_or_else(|| address.clone(), |(window, is)| is.mux(&window.address, &address));
    output("addr", &m.fault(&format!("{channel}addr_is_no_multiple_of_8"), &address, &(&address | lit(32, 4))));
    for (name, value) in constants(shape) {
        let of_fetch = of_refill.as_ref().zip(fetch::constant(shape, name));
        let value = of_fetch.map_or(value.clone(), |(of_refill, refill)| of_refill.mux(&refill, &value));
        let value = match of_window.and_then(|(window, is)| Some((is, window.constant(m, shape, name)?))) {
            Some((is, constant)) => is.mux(&constant, &value),
            None => value,
        };
        let one = lit(value.width(), 1);
        let value = m.fault(&format!("{channel}{name}_is_one_more"), &value, &(&value + &one));
        output(name, &m.fault(&format!("{channel}{name}_is_one_less"), &value, &(&value - &one)));
    }
    m.fault(&format!("{channel}addr_changes_before_{channel}ready"), &(!&valid | ready), &ones(1))
}
