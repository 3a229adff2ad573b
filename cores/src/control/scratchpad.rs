//! The scratchpad, word by word, while the core is stopped. A read asks a bank in the cycle before it is taken.

use rtl::{Builder, Expr, zeros};

use super::registers::SCRATCHPAD;
use super::{Bus, File, Run};
use crate::shape::Shape;

pub fn declare(m: &Builder, shape: &Shape, bus: &Bus, run: &Run, file: &mut File) {
    let bits = shape.shown_word_bits();
    let stopped = m.fault("the_scratchpad_is_open_in_a_run", &run.stopped, &rtl::ones(1));
    // Its offset is a multiple of the largest size.
    let end = SCRATCHPAD.trailing_zeros() as usize;
    let hits = |address: &Expr| {
        let in_window = address.from(end).is(u64::from(SCRATCHPAD >> end));
        in_window & address.slice(2 + bits, end - 2 - bits).none() & &stopped
    };
    let word = |address: &Expr| address.slice(2, bits);
    m.port_group("the scratchpad: reads and writes of a word; the word that was read");
    let value = m.input("host_word", 32);
    let reads = m.wire("reads_the_scratchpad", &hits(&bus.read_at));
    m.output("host_reads", &(&bus.asks_read & &reads));
    m.output("host_read_at", &word(&bus.read_at));
    let writes = m.wire("writes_the_scratchpad", &(&bus.write & hits(&bus.write_at)));
    m.output("host_writes", &m.fault("the_scratchpad_takes_no_writes", &bus.strobes, &zeros(4)).when(&writes));
    m.output("host_write_at", &word(&bus.write_at));
    m.output("host_data", &bus.data);
    file.others.push(value.when(&reads));
}
