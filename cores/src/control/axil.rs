//! The AXI4-Lite slave of the control block: one write and one read at a time.
//!
//! A write is taken when its address and its data are both offered. All outputs are registers, so no input reaches an
//! output within a cycle. Storage: 36 bits.

use rtl::{Builder, ElaborationError, Module, zeros};

/// Bits of an address: a window of 1 MiB.
pub const ADDRESS: usize = 20;

/// The ports of the bus, in the order of the AXI specification: name, bits, whether the slave drives it.
pub const PORTS: [(&str, usize, bool); 19] = [
    ("awvalid", 1, false),
    ("awready", 1, true),
    ("awaddr", ADDRESS, false),
    ("awprot", 3, false),
    ("wvalid", 1, false),
    ("wready", 1, true),
    ("wdata", 32, false),
    ("wstrb", 4, false),
    ("bvalid", 1, true),
    ("bready", 1, false),
    ("bresp", 2, true),
    ("arvalid", 1, false),
    ("arready", 1, true),
    ("araddr", ADDRESS, false),
    ("arprot", 3, false),
    ("rvalid", 1, true),
    ("rready", 1, false),
    ("rdata", 32, true),
    ("rresp", 2, true),
];

pub fn elaborate() -> Result<Module, ElaborationError> {
    let m = Builder::new("control_axil", "AXI4-Lite slave: one write and one read at a time.");
    m.timing(
        "a write or read is taken in the cycle after its valid at the earliest, and answered in the next. `write` and \
         `read` are high in the cycle in which it is taken; the bus holds address and data until then.",
    );
    let input = |name: &str| {
        let (_, bits, _) = PORTS.iter().find(|(port, ..)| *port == name).expect("a port of the bus");
        m.input(&format!("s_axil_{name}"), *bits)
    };
    m.port_group("AXI4-Lite");
    let [awvalid, wvalid, bready, arvalid, rready] = ["awvalid", "wvalid", "bready", "arvalid", "rready"].map(input);
    m.port_group("the register that is read");
    let value = m.input("value", 32);
    let flag = |name: &str| m.register(name, 1);
    let (write, written, read, answered) = (flag("takes_write"), flag("written"), flag("takes_read"), flag("answered"));

    m.comment("A write is taken if none is taken or waits for its answer to be accepted.");
    let both = &awvalid & m.fault("write_does_not_wait_for_its_data", &wvalid, &rtl::ones(1));
    write.next(&(both & !&write & !&written)).reset(0);
    let stays = m.fault("bvalid_drops_before_bready", &(&written & !&bready), &zeros(1));
    written.next(&(&write | stays)).reset(0);
    m.output("write", &write);
    m.output("s_axil_awready", &write);
    m.output("s_axil_wready", &write);
    m.output("s_axil_bvalid", &written);

    m.comment("A read likewise. The answer holds the register's value.");
    read.next(&(&arvalid & !&read & !&answered)).reset(0);
    let stays = m.fault("rvalid_drops_before_rready", &(&answered & !&rready), &zeros(1));
    answered.next(&(&read | stays)).reset(0);
    let takes = m.fault("rdata_changes_before_rready", &read.q(), &rtl::ones(1));
    let data = m.hold_reset("data", &value, &takes);
    m.output("read", &read);
    m.output("s_axil_arready", &read);
    m.output("s_axil_rvalid", &answered);
    m.output("s_axil_rdata", &data);
    m.finish()
}
