//! S4, collect: reads the operands of every lane.
//!
//! The register file is block RAM, sampled at the end of S4. Each lane has two copies of 32 · W rows, one for rs1 and
//! one for rs2. The scoreboard lets no instruction read a register at the edge that writes it, so read and write need
//! no order. S9 arbitrates the one write port. Rows of x0 are cleared at start and never written.

use rtl::{Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, join, lit};

use crate::formal::{KeptRegister, kept_register};
use crate::shape::Shape;
use crate::signals::Meta;

rtl::bundle! {
    pub struct RegisterWrite(shape: &Shape) {
        lanes: shape.threads,
        row: 5 + shape.warp_bits(),
        data: shape.line_bits(),
    }
}

pub fn register_row(warp: &Expr, register: &Expr) -> Expr {
    join([register, warp])
}

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let bank = if shape.observed { kept_register(shape)? } else { bank(shape)? };
    let m = Builder::new("s4_collect", "S4, collect: the register file, read at the end of the stage.");
    m.timing(
        "instruction and registers leave in S5, one cycle after the instruction enters; it never stalls. S3 \
         issues no instruction that would use a register read at the clock edge that writes it.",
    );
    m.port_group("instruction from S3");
    let meta = Meta::inputs(&m, shape, "s4");
    let fetch_fault = m.input("fetch_fault_s4", 1);
    let epoch = m.input("epoch_s4", 1);
    m.port_group("register write");
    let write = RegisterWrite::inputs(&m, shape, "write");
    let kept = shape.observed.then(|| KeptRegister::inputs(&m, shape, "kept"));

    let row1 = m.wire("rs1_row", &register_row(&meta.warp, &meta.instruction.slice(15, 5)));
    let row2 = m.wire("rs2_row", &register_row(&meta.warp, &meta.instruction.slice(20, 5)));
    let read = |operand: usize, row: &Expr| {
        let banks = m.instance_each(shape.lanes(), ["rs1", "rs2"][operand], &bank);
        banks.input("read_row", row).input_parts("write", &write.lanes);
        banks.input("write_row", &write.row).input_parts("write_data", &write.data);
        if let Some(kept) = &kept {
            kept.connect_banks(&banks, operand);
        }
        banks.output("data")
    };
    let (rs1, rs2) = (read(0, &row1), read(1, &row2));
    m.port_group("instruction and operands for S5");
    meta.next_stage(&m, shape).outputs(&m, "s5");
    m.output("fetch_fault_s5", &m.delay("fault", &fetch_fault));
    m.output("epoch_s5", &m.delay("epoch_q", &epoch));
    m.output("rs1_s5", &rs1);
    m.output("rs2_s5", &rs2);
    m.finish()
}

/// One copy of one lane's registers. With observation, the bank outputs one register, for the proof that another
/// module can replace the bank.
pub fn bank(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "register_bank",
        "The registers of one lane for one operand: all warps, block RAM, one read and one write port.",
    );
    m.timing("`data` follows `read_row` by one cycle. A word read at the edge that writes it is undefined and unused.");
    let row_bits = 5 + shape.warp_bits();
    let read_row = m.input("read_row", row_bits);
    let write = m.input("write", 1);
    let write_row = m.input("write_row", row_bits);
    let write_data = m.input("write_data", 32);
    let registers = m.memory("registers", shape.register_rows(), 32, MemoryStyle::BlockUnordered);
    registers.write(&write, &write_row, &write_data);
    let mut data = registers.read_registered("read_data", &read_row);
    if m.fault("spoils_a_word_that_is_read_while_it_is_written", &false, &true) {
        let is_spoilt = m.delay("is_spoilt", &(&write & write_row.eq(&read_row)));
        data = is_spoilt.mux(&lit(32, 0xdead_beef), &data);
    }
    m.output("data", &data);
    if shape.observed {
        let row = m.input("kept_row", row_bits);
        m.output("kept_now", &registers.inspect("kept_now_read", &row));
    }
    m.finish()
}
