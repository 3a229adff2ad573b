//! HCT, hot context table: one path of each warp, in LUT RAM, with the write of a cycle visible to the read of that cycle.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, join, zeros};

use super::row::Row;
use crate::shape::Shape;
use crate::signals::Path;

/// A table and its one write port.
pub struct HotTable {
    name: &'static str,
    memory: Memory,
    write: Expr,
    warp: Expr,
    word: Expr,
}

impl HotTable {
    /// A table whose rows have `more` bits beside a path and whether there is one.
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

    /// The word of a warp, in the cycle after `warp` is given.
    pub fn read_later(&self, m: &Builder, warp: &Expr) -> Expr {
        let name = self.name;
        let same = &self.write & self.warp.eq(warp);
        let same = m.fault(&format!("{name}_is_not_forwarded"), &same, &zeros(1));
        let read = self.memory.read(&format!("{name}_read"), warp);
        // Reset, though nobody needs it: with none, Yosys puts the register at the address, and the table into the next stage.
        let row = m.register(&format!("{name}_row"), self.word.width());
        row.next(&same.mux(&self.word, &read)).reset(0);
        row.q()
    }

    /// The row of a warp as it was before this cycle.
    pub fn read_now(&self, m: &Builder, shape: &Shape, warp: &Expr) -> Expr {
        m.field(&self.memory.read(&format!("{}_now", self.name), warp), "row", 0, Row::bits(shape))
    }

    /// For proofs: the word of a warp as it was before this cycle.
    pub fn inspect(&self, warp: &Expr) -> Expr {
        self.memory.inspect(&format!("{}_watched", self.name), warp)
    }

    /// Drives the write port.
    pub fn write(&self, m: &Builder, enable: &Expr, warp: &Expr, word: &Expr) {
        m.drive(&self.write, enable);
        m.drive(&self.warp, warp);
        m.drive(&self.word, word);
        self.memory.write(&self.write, &self.warp, &self.word);
    }
}

/// The word of a path.
pub fn pack(valid: &Expr, row: &Row) -> Expr {
    join([&row.pack(), valid])
}

/// The path of a word, and the flags that it has besides, of these names.
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
