//! The control block's access to the banks: it reads and writes one word at a time, while the core is stopped. In the
//! first cycles after a stop instructions may still commit. Their requests give way, as those to memory do.
//!
//! Storage: the number of the bank that was read.

use rtl::{Builder, Expr, join, select};

use crate::shape::Shape;

pub struct Host {
    pub reads: Expr,
    read_at: Expr,
    /// The bytes of a word that are written.
    writes: Expr,
    write_at: Expr,
    data: Expr,
}

impl Host {
    pub fn declare(m: &Builder, shape: &Shape) -> Self {
        m.port_group("the control block reads or writes a word");
        let at = shape.shown_word_bits();
        Self {
            reads: m.input("host_reads", 1),
            read_at: m.input("host_read_at", at),
            writes: m.input("host_writes", 4),
            write_at: m.input("host_write_at", at),
            data: m.input("host_data", 32),
        }
    }

    /// The bytes that each bank writes: those of the control block in its cycles, otherwise `mask`.
    pub fn bytes(&self, shape: &Shape, mask: &Expr) -> Expr {
        let bank = self.write_at.slice(0, shape.lane_bits());
        let bytes = join((0..shape.threads).map(|number| self.writes.when(&bank.is_part(number))));
        self.writes.any().mux(&bytes, mask)
    }

    /// The row and the word that a bank writes, and the row that it reads: those of the control block in its cycles.
    pub fn choose(&self, shape: &Shape, [row, data, read_row]: [&Expr; 3]) -> [Expr; 3] {
        let writes = self.writes.any();
        let row_of = |at: &Expr| at.from(shape.lane_bits());
        [
            writes.mux(&row_of(&self.write_at), row),
            writes.mux(&self.data, data),
            self.reads.mux(&row_of(&self.read_at), read_row),
        ]
    }

    /// The word that was read.
    pub fn word(&self, m: &Builder, shape: &Shape, words: &Expr) -> Expr {
        let bank = m.hold("host_bank", &self.read_at.slice(0, shape.lane_bits()), &self.reads);
        select(&bank, words.lanes(32))
    }
}
