//! S9, the first response: its line, the data of its load, and the word for each lane.
//!
//! With [`Shape::routes_loads`] each lane selects its word. Otherwise the leader's word goes to lanes without a word of
//! their own, in one of two forms: a multiplexer of T words, or, where lines are in block RAM, a copy of the lines that
//! is read one word at a time.

use rtl::{Builder, Bundle, Each, ElaborationError, Expr, MemoryStyle, Module, join, lit, select, select_one_hot};

use super::s9_gather::Inputs;
use crate::queue::{self, Queue};
use crate::shape::Shape;
use crate::signals::{Alignment, LateResult, flag_delay_by};

/// The first of the waiting responses.
pub struct Response {
    responses: Queue,
    pub valid: Expr,
    pub tag: Expr,
    /// The destination of the load.
    pub target: LateResult,
    pub alignment: Alignment,
    /// The word from which each lane takes its bytes.
    pub words: Expr,
}

impl Response {
    /// Keeps the responses, and the data that their loads must remember. A load in S7 takes the tag `free_tag`.
    pub fn of(m: &Builder, shape: &Shape, inputs: &Inputs, free_tag: &Expr) -> Result<Self, ElaborationError> {
        m.comment("Responses in the order in which they arrive, as tags.");
        let Inputs { response_valid, response_tag, response_data, .. } = inputs;
        let responses = Queue::declare(m, "response", shape.outstanding, response_valid);
        let (coming_tag, moves) = (responses.coming_field(m, "tag", response_tag), &responses.moves);
        let row = |name: &str, style: MemoryStyle, write: &Expr, tag: &Expr, word: &Expr| {
            let rows = m.memory(&format!("{name}_rows"), shape.outstanding, word.width(), style);
            rows.write(write, tag, word);
            queue::read_at_edge_where(m, &rows, style, name, moves, &coming_tag)
        };
        let remembered = Remembered::of(m, shape, inputs, free_tag);
        let Remembered { valid: remembers, tag: of_tag, .. } = &remembered;

        m.comment("The first response: its tag, its line, and the data of its load.");
        let tag = m.hold("load_tag", &coming_tag, moves);
        let by_size = |word: &Expr| queue::style(shape.outstanding, word.width());
        let line = row("line", by_size(response_data), response_valid, response_tag, response_data);
        let word = remembered.alignment.pack();
        let alignment = Alignment::unpack(m, shape, &row("alignment", by_size(&word), remembers, of_tag, &word));
        // S3 waits for this value, and block RAM is slow.
        let word = remembered.load.pack();
        let style = if shape.outstanding <= queue::SHORT { MemoryStyle::Distributed } else { by_size(&word) };
        let target = LateResult::unpack(m, shape, &row("load", style, remembers, of_tag, &word));

        let words = if shape.routes_loads() {
            let choice = word_of_each_lane(m, shape, &remembered, moves, &coming_tag);
            m.comment("Each lane takes a word of the line.");
            let chosen = |lane: usize| select_one_hot(&choice.lane(lane, shape.threads), line.lanes(32));
            m.wire_each(shape.lanes(), "word", chosen)
        } else {
            let leader_word = leader_word(m, shape, inputs, &responses, &remembered, (&line, &coming_tag))?;
            m.comment("Each lane takes its own word or the leader's.");
            let word = |lane: usize| alignment.direct.bit(lane).mux(&line.lane(lane, 32), &leader_word);
            m.wire_each(shape.lanes(), "word", word)
        };
        let valid = responses.valid.clone();
        Ok(Self { responses, valid, tag, target, alignment, words })
    }

    pub fn pop(&self, m: &Builder, taken: &Expr) {
        self.responses.pop(m, taken);
    }
}

/// The data of the load that was in S7.
struct Remembered {
    valid: Expr,
    tag: Expr,
    load: LateResult,
    alignment: Alignment,
    leader_word: Expr,
    positions: Expr,
}

impl Remembered {
    fn of(m: &Builder, shape: &Shape, inputs: &Inputs, free_tag: &Expr) -> Self {
        m.comment(
            "The data of a load is written one cycle later, because S7 knows the served lanes late in its cycle. The \
             request is at the memory another cycle later. A load in S7 has a reserved tag: the next free one is \
             written before it is known whether the load takes it.",
        );
        let valid = flag_delay_by(m, "may_push_load", &inputs.may_push, 1);
        let tag = m.delay("tag_load_s8", free_tag);
        let load = inputs.load.delay(m, shape, "load_s8");
        let alignment = inputs.alignment.delay(m, shape, "load_s8");
        let leader_word = m.delay("leader_word_load_s8", &inputs.leader_word);
        let positions = m.delay("positions_load_s8", &inputs.positions);
        if shape.formal {
            let answers = &inputs.response_valid & inputs.response_tag.eq(&tag);
            m.assert("a_load_is_remembered_before_its_response", &!(&valid & answers));
        }
        Self { valid, tag, load, alignment, leader_word, positions }
    }
}

/// For each lane the words of the line, of which it takes one. Decoded in the cycle before, because the line comes from
/// block RAM late in a cycle.
fn word_of_each_lane(m: &Builder, shape: &Shape, remembered: &Remembered, moves: &Expr, coming_tag: &Expr) -> Expr {
    let Remembered { valid, tag, positions, .. } = remembered;
    let rows = m.memory("position_rows", shape.outstanding, positions.width(), MemoryStyle::Distributed);
    rows.write(valid, tag, positions);
    let coming = rows.read("coming_positions", coming_tag);
    let position = |lane: usize| coming.lane(lane, shape.lane_bits());
    let words = |lane: usize| join((0..shape.threads).map(|word| position(lane).is_part(word)));
    m.hold("word_of_lane", &m.wire_each(shape.lanes(), "coming_word", words), moves)
}

/// The leader's word of the first response, for lanes without a word of their own.
fn leader_word(
    m: &Builder,
    shape: &Shape,
    inputs: &Inputs,
    responses: &Queue,
    remembered: &Remembered,
    (line, coming_tag): (&Expr, &Expr),
) -> Result<Expr, ElaborationError> {
    m.comment("The leader's word, for lanes without a word of their own.");
    let Inputs { response_valid, response_tag, response_data, .. } = inputs;
    let positions = m.memory("leader_positions", shape.outstanding, shape.lane_bits(), MemoryStyle::Distributed);
    positions.write(&remembered.valid, &remembered.tag, &remembered.leader_word);
    let position = positions.read("rsp_leader_position", response_tag);
    let (coming, moves) = (responses.coming_field(m, "leader_position", &position), &responses.moves);
    if has_copy(shape) {
        let written = [response_valid, response_tag, response_data];
        return copy_of_lines(m, shape, written, moves, &join([&coming, coming_tag]));
    }
    Ok(m.wire("leader_word", &select(&m.hold("leader_position", &coming, moves), line.lanes(32))))
}

/// Whether the leader's word comes from a copy of the lines, not from a multiplexer of T words. This is so where
/// lines are in block RAM, whose ports may differ in width.
fn has_copy(shape: &Shape) -> bool {
    (2..=32).contains(&shape.threads)
        && queue::style(shape.outstanding, shape.line_bits()) == MemoryStyle::BlockUnordered
}

/// The word at an address, which is a row and a position, in a copy of the lines; it stays unless it `moves`. The copy has T memories, each
/// with 32 / T bits of every word. A write has 32 bits, which any block RAM supports, and a read 32 / T bits.
fn copy_of_lines(
    m: &Builder,
    shape: &Shape,
    [write, row, line]: [&Expr; 3],
    moves: &Expr,
    address: &Expr,
) -> Result<Expr, ElaborationError> {
    let bits = 32 / shape.threads;
    let parts = m.instance_each(Each::new("part", shape.threads), "leader_part", &part_of_lines(shape)?);
    parts.input("write", write).input("row", row).input("reads", moves).input("address", address);
    parts.input_each("line", |number| join(line.lanes(32).iter().map(|word| word.lane(number, bits))));
    Ok(parts.output_as("word", "leader_word"))
}

fn part_of_lines(shape: &Shape) -> Result<Module, ElaborationError> {
    let bits = 32 / shape.threads;
    let m = Builder::new(
        "leader_part",
        "S9: some bits of each word of the lines, written a line at a time, and read a word at a time a cycle later.",
    );
    m.timing("`word` follows `address` by one cycle where `reads` holds, and stays elsewhere. S9 uses no word that is read at the edge that writes it.");
    let write = m.input("write", 1);
    let row = m.input("row", shape.tag_bits());
    let line = m.input("line", 32);
    let reads = m.input("reads", 1);
    let address = m.input("address", shape.tag_bits() + shape.lane_bits());
    let rows = m.memory("rows", shape.outstanding * shape.threads, bits, MemoryStyle::BlockUnordered);
    for position in 0..shape.threads {
        let address = join([&lit(shape.lane_bits(), position as u64), &row]);
        rows.write(&write, &address, &line.lane(position, bits));
    }
    m.output("word", &rows.read_registered_where("read_word", &reads, &address));
    m.finish()
}
