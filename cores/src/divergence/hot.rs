//! HCT, hot context table: one path of each warp, in LUT RAM. A read sees the write of the same cycle.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, join, zeros};

use super::UnitInputs;
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
        let bits = bits(shape, more);
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
        keep(m, self.name, &self.read_late(m, warp))
    }

    /// Reads the word of `warp`, late in the cycle.
    pub fn read_late(&self, m: &Builder, warp: &Expr) -> Expr {
        let name = self.name;
        let same = &self.write & self.warp.eq(warp);
        let same = m.fault(&format!("{name}_is_not_forwarded"), &same, &zeros(1));
        let read = self.memory.read(&format!("{name}_read"), warp);
        same.mux(&self.word, &read)
    }

    /// Reads the row of a warp as it was before this cycle.
    pub fn read_now(&self, m: &Builder, shape: &Shape, warp: &Expr) -> Expr {
        m.field(&self.memory.read(&format!("{}_now", self.name), warp), "row", 0, Row::bits(shape))
    }

    /// Reads, for a proof, the word of a warp as it was before this cycle.
    pub fn inspect(&self, warp: &Expr) -> Expr {
        self.memory.inspect(&format!("{}_watched", self.name), warp)
    }

    /// Writes the word of x after S8, or the path of a starting warp.
    pub fn write_s8(&self, m: &Builder, shape: &Shape, inputs: &UnitInputs, word: &Expr) {
        m.comment("x is written in S8.");
        let [write, warp] = inputs.write_s8();
        let start = start_word(shape, inputs, &zeros(1), word);
        self.write(m, &write, &warp, &inputs.start_valid.mux(&start, word));
    }

    pub fn write(&self, m: &Builder, enable: &Expr, warp: &Expr, word: &Expr) {
        m.drive(&self.write, enable);
        m.drive(&self.warp, warp);
        m.drive(&self.word, word);
        self.memory.write(&self.write, &self.warp, &self.word);
    }
}

/// A word that was read late in a cycle, in the next one.
pub fn keep(m: &Builder, name: &str, word: &Expr) -> Expr {
    // Without this reset, Yosys moves the register to the address, and the table into the next stage.
    let row = m.register(&format!("{name}_row"), word.width());
    row.next(word).reset(0);
    row.q()
}

/// Bits of a path, its valid bit and `more` bits.
pub fn bits(shape: &Shape, more: usize) -> usize {
    Row::bits(shape) + 1 + more
}

/// A word of a path and its flags.
pub fn pack<const N: usize>(path: &Path, generation: &Expr, flags: [&Expr; N]) -> Expr {
    join([&Row::of(path, generation).pack(), &path.valid].into_iter().chain(flags))
}

/// The word of a starting warp, without flags. It has the width of `other`.
fn start_word(shape: &Shape, inputs: &UnitInputs, generation: &Expr, other: &Expr) -> Expr {
    pack(&inputs.start(shape), generation, [&zeros(other.width() - bits(shape, 0))])
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

/// The row of the active path of each warp: the path with its flags, which S7 validates against, and the rest, which
/// only S8 needs.
pub struct ActiveRows {
    pub path: HotTable,
    pub rest: Memory,
}

/// What is read of a warp.
pub struct Read<const N: usize> {
    /// The path that S7 validates against, and its flags.
    pub given: Path,
    pub flags: [Expr; N],
    /// The rest of the row of the warp in S7, as a word.
    pub rest: Expr,
}

impl ActiveRows {
    /// Declares the tables, and reads them for the warps in S6 and S7. The names are those of the path, of the table of
    /// the rest, and of the rest, which has `bits`.
    pub fn declare<const N: usize>(
        m: &Builder,
        shape: &Shape,
        inputs: &UnitInputs,
        [path, table, name]: [&'static str; 3],
        flags: [&str; N],
        bits: usize,
        generation_s7: &Expr,
    ) -> (Self, Read<N>) {
        let path = HotTable::declare(m, shape, path, N);
        let (given, flags) = unpack(m, shape, &path.read_later(m, &inputs.warp_s6), generation_s7, flags);
        let table = m.memory(table, shape.warps, bits, MemoryStyle::Distributed);
        let rest = m.wire(&format!("{name}_s7"), &table.read(&format!("{name}_read"), &inputs.warp_s7));
        (Self { path, rest: table }, Read { given, flags, rest })
    }

    /// Writes the new row from S8, or that of a starting warp: the path with this `generation`, and the first `rest`.
    pub fn write(
        &self,
        m: &Builder,
        shape: &Shape,
        inputs: &UnitInputs,
        path: &Expr,
        generation: &Expr,
        [start_rest, rest]: [&Expr; 2],
    ) {
        let [write, warp] = inputs.write_s8();
        let (write, warp) = (m.wire("write", &write), m.wire("write_warp", &warp));
        let start = &inputs.start_valid;
        self.path.write(m, &write, &warp, &start.mux(&start_word(shape, inputs, generation, path), path));
        self.rest.write(&write, &warp, &start.mux(start_rest, rest));
    }
}
