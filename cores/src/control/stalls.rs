//! The counters of the cycles in which nothing issues, by cause (`stages::s3_stalls`).
//!
//! A cycle has one cause, so one counter is read, incremented and written. They are rows of a memory. A row that has not
//! been written in this run counts as 0.
//!
//! Storage: 8 rows of 64 bits in LUT RAM, and a bit for each.

use rtl::{Builder, Expr, MemoryStyle, decode, increment, zeros};

use super::registers::REGISTERS;
use super::{Bus, File, Run};
use crate::stages::s3_stalls::BITS;

pub fn declare(m: &Builder, bus: &Bus, run: &Run, file: &mut File) {
    m.port_group("why nothing issued some cycles before; 0: an instruction did");
    let cause = m.input("count_stall", BITS);
    m.comment("Cycles in which nothing issued, by cause.");
    let rows = 1 << BITS;
    let counts = m.memory("stalls", rows, 64, MemoryStyle::Distributed);
    let known = m.register("stalls_known", rows);
    let value = |name: &str, at: &Expr| counts.read(name, at).when(&known.index(at));
    let counted = m.wire("counts_stall", &(&run.running & cause.any()));
    counts.write(&counted, &cause, &increment(&value("stalls_so_far", &cause), 1));
    let kept = (!m.fault("a_start_keeps_the_stalls", &run.accepted, &zeros(1))).repeat(rows);
    known.next(&((&known & kept) | decode(&cause, rows).when(&counted))).reset(0);
    let count = value("stalls_read", &bus.read_at.slice(3, BITS));
    let half = bus.read_at.bit(2).mux(&count.lane(1, 32), &count.lane(0, 32));
    let names: Vec<_> =
        REGISTERS.iter().map(|register| register.name).filter(|name| name.starts_with("stalls_")).collect();
    file.words(&names, &half);
}

#[cfg(test)]
mod tests {
    use super::BITS;
    use crate::control::registers::Register;
    use crate::stages::s3_stalls::CAUSES;

    #[test]
    fn offsets_contain_the_code_of_the_cause() {
        for (at, cause) in CAUSES.into_iter().enumerate() {
            for name in [format!("stalls_{cause}"), format!("stalls_{cause}_high")] {
                let Register { offset, .. } = Register::find(&name);
                let found = (*offset as usize >> 3 & ((1 << BITS) - 1), offset >> 2 & 1 == 1);
                assert_eq!(found, (at + 1, name.ends_with("_high")), "{name}");
            }
        }
    }
}
