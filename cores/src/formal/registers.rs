//! Registers for proofs at the core's edge: each lane keeps one arbitrary register, and the others read free values.
//!
//! Every behaviour of the register file is a behaviour of this model, for some choice of the free values. So a claim
//! that holds for each register that can be kept also holds for the core with the real register file.

use rtl::{Builder, ElaborationError, Instance, Module};

use crate::shape::Shape;
use crate::stages::s4_collect;

rtl::bundle! {
    /// The register that is kept, and the values read from others; all free.
    pub struct KeptRegister(shape: &Shape) {
        /// Its row: warp and register. The same at all times.
        row: 5 + shape.warp_bits(),
        /// The value that each lane reads as rs1 from any other register.
        other_rs1: shape.line_bits(),
        /// The same for rs2.
        other_rs2: shape.line_bits(),
    }
}

impl KeptRegister {
    /// Connects the ports that the banks of an operand have in addition to those of [`s4_collect::bank`].
    pub fn connect_banks(&self, banks: &Instance, operand: usize) {
        banks.input("kept_row", &self.row).input_parts("other", [&self.other_rs1, &self.other_rs2][operand]);
    }
}

/// Elaborates the replacement of [`s4_collect::bank`]. As there, a read at the edge that writes the same row is
/// undefined.
pub fn kept_register(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("kept_register", "One arbitrary register of a lane; reads of others are free.");
    let row_bits = 5 + shape.warp_bits();
    let read_row = m.input("read_row", row_bits);
    let write = m.input("write", 1);
    let write_row = m.input("write_row", row_bits);
    let write_data = m.input("write_data", 32);
    let kept_row = m.input("kept_row", row_bits);
    let other = m.input("other", 32);
    let kept = m.register("kept", 32);
    let writes = m.wire("writes", &(write & write_row.eq(&kept_row)));
    kept.next(&write_data).enable(&writes);
    let reads = m.wire("reads", &(read_row.eq(&kept_row) & !&writes));
    m.output("data", &m.delay("read_data", &reads.mux(&kept, &other)));
    m.output("kept_now", &kept);
    m.finish()
}

/// A bank of the register file next to its replacement, for a proof over all runs. It asserts that both hold the same
/// value, and that both read the same if the kept register is read and not written.
pub fn registers(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("registers_proof", "A bank of the register file, and its replacement.");
    let row_bits = 5 + shape.warp_bits();
    let [read_row, write_row, kept_row] = ["read_row", "write_row", "kept_row"].map(|name| m.input(name, row_bits));
    let (write, write_data) = (m.input("write", 1), m.input("write_data", 32));
    m.assume("one_register_is_kept", &kept_row.eq(&m.delay("kept_row_before", &kept_row)));
    let bank = |name: &str, module: &Module| {
        let bank = m.instance(name, module);
        bank.input("read_row", &read_row).input("write", &write).input("kept_row", &kept_row);
        bank.input("write_row", &write_row).input("write_data", &write_data);
        bank
    };
    let real = bank("bank", &s4_collect::bank(shape)?);
    let stand_in = bank("stand_in", &kept_register(shape)?);
    stand_in.input("other", &m.input("other", 32));
    let writes = m.wire("writes", &(&write & write_row.eq(&kept_row)));
    let known = m.register("known", 1);
    known.next(&(&*known | &writes)).reset(0);
    let reads = m.register("reads", 1);
    reads.next(&(&*known & read_row.eq(&kept_row) & !writes)).reset(0);
    let same = |port: &str| stand_in.output(port).eq(&real.output(port));
    m.assert("it_holds_what_the_bank_does", &(!&*known | same("kept_now")));
    m.assert("it_reads_what_the_bank_does", &(!&*reads | same("data")));
    m.finish()
}
