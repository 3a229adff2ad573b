//! First-in first-out queues of words that are read at a clock edge, so that block RAM can hold them.
//!
//! A pushed word can be taken from the second cycle after the push. The producer must have reserved an entry, because
//! a queue does not report that it is full.

use rtl::{Builder, Expr, Memory, MemoryStyle, clog2, increment, join};

/// Words of a LUT RAM cell.
pub const SHORT: usize = 16;
/// Bits per word of a LUT RAM cell.
const CELL_WIDTH: usize = 4;
/// With fewer LUT RAM cells than this, a block RAM does not pay.
const WORTH_A_BLOCK: usize = 4;
/// Bits of a word in one block RAM.
const BLOCK_WIDTH: usize = 36;
/// A short queue (at most [`SHORT`] words) fills little of a block RAM, so it uses at most this many.
const BLOCKS: usize = 32;

/// The memory for a queue: block RAM, except for few bits, and for few words that are so wide that they need many
/// blocks.
pub fn style(words: usize, bits: usize) -> MemoryStyle {
    let cells = bits.div_ceil(CELL_WIDTH) * words.div_ceil(SHORT);
    let wide = bits.div_ceil(BLOCK_WIDTH) > BLOCKS && words <= SHORT;
    if cells < WORTH_A_BLOCK || wide { MemoryStyle::Distributed } else { MemoryStyle::BlockUnordered }
}

/// A queue of a power of two of entries.
pub struct Queue {
    name: &'static str,
    pub valid: Expr,
    /// There is no word, not even one that cannot be taken yet.
    pub empty: Expr,
    places: usize,
    /// The entry at the end is written: in every cycle with a push, and possibly in others.
    write: Expr,
    pop: Expr,
    write_at: Expr,
    read_at: Expr,
    /// The entry that is read next: that of the word behind the first or, if there is none, of the next first. It does not
    /// depend on the pop, which is late.
    coming_at: Expr,
    /// The word that is read next comes to the front.
    pub moves: Expr,
}

impl Queue {
    /// Declares a queue of at least `places` entries, into which `push` puts a word.
    pub fn declare(m: &Builder, name: &'static str, places: usize, push: &Expr) -> Self {
        let places = places.next_power_of_two();
        let pop = m.forward(&format!("{name}_pop"), 1);
        let write = Position::declare(m, &format!("{name}_write"), places, push);
        let read = Position::declare(m, &format!("{name}_read"), places, &pop);
        let empty = m.wire(&format!("{name}_is_empty"), &read.whole.eq(&write.whole));
        let valid = m.delay_reset(&format!("{name}_valid"), &pop.mux(&read.behind.ne(&write.whole), &!&empty));
        let coming = valid.mux(&read.behind, &read.whole).slice(0, clog2(places));
        let coming_at = m.wire(&format!("{name}_coming_at"), &coming);
        Self {
            name,
            empty,
            places,
            write: push.clone(),
            write_at: write.at,
            read_at: read.at,
            coming_at,
            moves: m.wire(&format!("{name}_moves"), &(&pop | !&valid)),
            valid,
            pop,
        }
    }

    /// Writes speculatively. `may_push` arrives earlier in the cycle than the push, so the last entry is written in
    /// every cycle in which a push is possible. The caller must have reserved that entry, so that it does not hold
    /// the first word.
    pub fn written_where(mut self, may_push: &Expr) -> Self {
        self.write = may_push.clone();
        self
    }

    pub fn full(&self) -> Expr {
        self.write_at.eq(&self.read_at) & !&self.empty
    }

    /// A field of the words: takes its pushed value, and returns its value in the first word.
    pub fn field(&self, m: &Builder, field: &str, pushed: &Expr) -> Expr {
        let style = style(self.places, pushed.width());
        let (name, memory) = self.memory(m, field, pushed, style);
        read_at_edge_where(m, &memory, style, &name, &self.moves, &self.coming_at)
    }

    /// The same for a field in LUT RAM whose value in the word that comes next is needed. It is in the first word from the
    /// next cycle on where the queue [moves](Self::moves).
    pub fn coming_field(&self, m: &Builder, field: &str, pushed: &Expr) -> Expr {
        let (name, memory) = self.memory(m, field, pushed, MemoryStyle::Distributed);
        memory.read(&format!("{name}_coming"), &self.coming_at)
    }

    fn memory(&self, m: &Builder, field: &str, pushed: &Expr, style: MemoryStyle) -> (String, Memory) {
        let name = format!("{}_{field}", self.name);
        let memory = m.memory(&format!("{name}s"), self.places, pushed.width(), style);
        memory.write(&self.write, &self.write_at, pushed);
        (name, memory)
    }

    /// Takes the first word. The queue must not be empty.
    pub fn pop(&self, m: &Builder, pop: &Expr) {
        m.drive(&self.pop, pop);
    }
}

/// An entry number, and above it a bit that flips with each lap and tells a full queue from an empty one. One carry chain
/// over both would cost more.
struct Position {
    at: Expr,
    whole: Expr,
    /// The entry behind.
    behind: Expr,
}

impl Position {
    /// It goes on where `moves` holds, which is late: it only enables the register.
    fn declare(m: &Builder, name: &str, places: usize, moves: &Expr) -> Self {
        let bits = clog2(places);
        let register = m.register(name, bits + 1);
        let (at, lap) = (register.slice(0, bits), register.bit(bits));
        let behind = m.wire(&format!("{name}_behind"), &join([&increment(&at, 1), &(lap ^ at.all())]));
        register.next(&behind).enable(moves).reset(0);
        Self { at, whole: register.q(), behind }
    }
}

/// Reads a word at a clock edge, from a memory of either style. The edge must not write the same word.
pub fn read_at_edge(m: &Builder, memory: &Memory, style: MemoryStyle, name: &str, address: &Expr) -> Expr {
    match style {
        MemoryStyle::Distributed => m.delay(name, &memory.read(&format!("{name}_read"), address)),
        _ => memory.read_registered(name, address),
    }
}

/// The same where `moves` holds. Elsewhere the word stays.
pub fn read_at_edge_where(
    m: &Builder,
    memory: &Memory,
    style: MemoryStyle,
    name: &str,
    moves: &Expr,
    address: &Expr,
) -> Expr {
    match style {
        MemoryStyle::Distributed => m.hold(name, &memory.read(&format!("{name}_read"), address), moves),
        _ => memory.read_registered_where(name, moves, address),
    }
}

#[cfg(test)]
mod tests {
    use super::{MemoryStyle, style};

    #[test]
    fn block_ram_holds_what_would_take_many_cells_of_lut_ram_and_few_blocks() {
        let line = |threads: usize| 32 * threads;
        for (words, bits) in [(16, 16), (8, line(4)), (16, line(32)), (128, 7), (128, line(64))] {
            assert_eq!(style(words, bits), MemoryStyle::BlockUnordered, "{words} x {bits}");
        }
        for (words, bits) in [(16, 0), (16, 12), (8, line(64)), (32, 4)] {
            assert_eq!(style(words, bits), MemoryStyle::Distributed, "{words} x {bits}");
        }
    }
}
