//! HCT, hot context table: one path of each warp, in LUT RAM. A read sees the write of the same cycle.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, join, zeros};

use super::row::Row;
use crate::shape::Shape;
use crate::signals::Path;

pub struct HotTable {
    name: &'static str,
    memory: Memory,
    write: Expr,
    warp: Expr,
    word: Expr,
}

impl HotTable {
    /// A row has a path, its valid bit and `more` bits.
    pub fn declare(m: &Builder, shape: &Shape, name: &'static str, more: usize) -> Self {
        let bits = 1 + Row::bits(shape) + more;
        Self {
            name,
            memory: m.memory(&format!("hot_{name}"), shape.warps, bits, MemoryStyle::Distributed),
            write: m.forward(&format!("{name}_write"), 1),
            warp: m.forward(&format!("{name}_warp"), shape.warp_bits()),
            word: m.forward(&format!("{name}_written"), bits),
        }
    }

    /// Reads the word of `warp`. The result is there in the next cycle.
    pub fn read_later(&self, m: &Builder, warp: &Expr) -> Expr {
        let name = self.name;
        let same = &self.write & self.warp.eq(warp);
        let same = m.fault(&format!("{name}_is_not_forwarded"), &same, &zeros(1));
        let read = self.memory.read(&format!("{name}_read"), warp);
        // Without this reset, Yosys moves the register to the address, and the table into the next stage.
        let row = m.register(&format!("{name}_row"), self.word.width());
        row.next(&same.mux(&self.word, &read)).reset(0);
        row.q()
    }

    /// Reads the row of a warp as it was before this cycle.
    pub fn read_now(&self, m: &Builder, shape: &Shape, warp: &Expr) -> Expr {
        m.field(&self.memory.read(&format!("{}_now", self.name), warp), "row", 0, Row::bits(shape))
    }

    /// Reads, for a proof, the word of a warp as it was before this cycle.
    pub fn inspect(&self, warp: &Expr) -> Expr {
        self.memory.inspect(&format!("{}_watched", self.name), warp)
    }

    pub fn write(&self, m: &Builder, enable: &Expr, warp: &Expr, word: &Expr) {
        m.drive(&self.write, enable);
        m.drive(&self.warp, warp);
        m.drive(&self.word, word);
        self.memory.write(&self.write, &self.warp, &self.word);
    }
}

pub fn pack(valid: &Expr, row: &Row) -> Expr {
    join([&row.pack(), valid])
}

/// The path in a word, and its flags with these names.
pub fn unpack<const N: usize>(
    m: &Builder,
    shape: &Shape,
    word: &Expr,
    generation: &Expr,
    flags: [&str; N],
) -> (Path, [Expr; N]) {
    let mut at = Row::bits(shape);
    let path = Row::unpack(m, shape, word).path(&m.field(word, "valid", at, 1), generation);
    let flag = |name: &str| {
        at += 1;
        m.field(word, name, at, 1)
    };
    (path, flags.map(flag))
}
