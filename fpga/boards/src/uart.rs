//! The transmitter of a serial line: 8 data bits, no parity, one stop bit.

use rtl::{Builder, ElaborationError, Module, clog2, concat, lit, ones, zeros};

/// Start bit, data bits, stop bit.
const BITS: u64 = 10;

/// Elaborates the transmitter; a bit lasts `divisor` cycles, at least 2.
///
/// It accepts a byte in a cycle in which `valid` and `ready` hold. The start bit begins in the next cycle. `ready`
/// returns after the stop bit, 10 · `divisor` cycles later. The line is a register without glitches, and is 1 from the
/// configuration of the FPGA on.
pub fn elaborate(divisor: u64) -> Result<Module, ElaborationError> {
    let m = Builder::new("uart_transmitter", &format!("Serial transmitter, 8N1: a bit lasts {divisor} cycles."));
    m.port_group("bytes to send");
    let valid = m.input("valid", 1);
    m.output_port("ready", 1);
    let data = m.input("data", 8);
    m.port_group("serial line, 1 when idle");
    m.output_port("txd", 1);

    m.comment("The number of remaining bits, with the one on the line, and the remaining cycles of that bit.");
    let left = m.register("bits_left", clog2(BITS as usize + 1));
    let idle = m.wire("idle", &left.none());
    let accept = m.wire("accept", &(&valid & &idle));
    let cycles = m.register("cycles_left", clog2(divisor as usize));
    let last = m.wire("last_cycle", &cycles.none());
    let advance = m.wire("advance", &(&last & !&idle));
    let start = lit(cycles.width(), divisor - 1);
    cycles.next(&(&accept | &last).mux(&start, &(&*cycles - lit(cycles.width(), 1)))).reset(0);
    left.next(&accept.mux(&lit(left.width(), BITS), &(&*left - lit(left.width(), 1))))
        .enable(&(&accept | &advance))
        .reset(0);

    m.comment("The bit on the line is the lowest, then the next bits, then ones.");
    let shift = m.register("shift", BITS as usize - 1);
    let sent = concat([&ones(1), &shift.from(1)]);
    shift.next(&accept.mux(&concat([&data, &zeros(1)]), &sent)).enable(&(&accept | &advance)).reset_ones();
    shift.starts_at((1 << shift.width()) - 1);
    m.output("ready", &idle);
    m.output("txd", &shift.bit(0));
    m.finish()
}
