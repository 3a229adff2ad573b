//! Transmitter and receiver of a serial line: 8 data bits, no parity, one stop bit.

use rtl::{Builder, ElaborationError, Module, clog2, concat, lit, ones, zeros};

/// Start bit, data bits, stop bit.
const BITS: u64 = 10;

/// Elaborates the transmitter; a bit lasts `divisor` cycles, at least 2.
///
/// It accepts a byte in a cycle in which `valid` and `ready` hold. The start bit begins in the next cycle. `ready`
/// returns after the stop bit, 10 · `divisor` cycles later. The line is a register without glitches, and is 1 from the
/// configuration of the FPGA on.
pub fn transmitter(divisor: u64) -> Result<Module, ElaborationError> {
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

/// Elaborates the receiver; a bit lasts `divisor` cycles, at least 4.
///
/// `valid` holds for one cycle for each byte, in the middle of its stop bit. Two registers synchronise the line to the
/// clock. A byte whose stop bit is 0 is dropped.
pub fn receiver(divisor: u64) -> Result<Module, ElaborationError> {
    let m = Builder::new("uart_receiver", &format!("Serial receiver, 8N1: a bit lasts {divisor} cycles."));
    m.port_group("serial line, 1 when idle");
    let line = m.input("rxd", 1);
    m.port_group("bytes that were received");
    m.output_port("valid", 1);
    m.output_port("data", 8);

    let [first, level] = ["line_first", "line"].map(|name| m.register(name, 1));
    first.next(&line).reset(1).starts_at(1);
    level.next(&first).reset(1).starts_at(1);
    m.comment("The number of remaining bits, and the remaining cycles to the middle of the next one.");
    let left = m.register("bits_left", clog2(BITS as usize + 1));
    let idle = m.wire("idle", &left.none());
    let begins = m.wire("begins", &(&idle & &!&*level));
    let cycles = m.register("cycles_left", clog2(divisor as usize));
    let middle = m.wire("in_middle", &(cycles.none() & &!&idle));
    let bits = |cycles: u64| lit(clog2(divisor as usize), cycles);
    let wait = middle.mux(&bits(divisor - 1), &(&*cycles - bits(1)));
    cycles.next(&idle.mux(&bits(divisor / 2 - 1), &wait)).reset(0);
    let false_start = m.wire("is_no_start", &(&middle & &*level & left.is(BITS)));
    let fewer = false_start.mux(&zeros(left.width()), &(&*left - lit(left.width(), 1)));
    left.next(&begins.mux(&lit(left.width(), BITS), &fewer)).enable(&(&begins | &middle)).reset(0);
    let shift = m.register("shift", 8);
    shift.next(&concat([&level.q(), &shift.from(1)])).enable(&(&middle & &!left.is(1)));
    m.output("valid", &(&middle & left.is(1) & &*level));
    m.output("data", &shift);
    m.finish()
}
