//! Atomic operations in the adaptor: reservations, and the words that AMOs write back.
//!
//! An AMO first reads. When the read is answered, the AMO enters a queue with the old word, until the write of the
//! new word can start. The queue has an entry for every tag, so an answer never waits for a write. This is
//! necessary, because a slave may refuse writes while its answer waits. LR is a load that reserves. SC is a store
//! if its reservation holds when it leaves, otherwise it makes no access.
//!
//! Storage: the reservations; op, operand and word of each load in flight, LUT RAM; a queue of `outstanding` AMOs.

use rtl::{Builder, Bundle, ElaborationError, MemoryStyle, Module, decode, encode, select};

use super::row_bits;
use crate::functional::atomic_alu;
use crate::memory::reservations;
use crate::queue::Queue;
use crate::shape::Shape;

rtl::bundle! {
    /// An AMO whose read has been answered.
    struct Answered(shape: &Shape) {
        op: 4,
        operand: 32,
        old: 32,
        /// The position of the word in the line.
        place: shape.lane_bits(),
        row: row_bits(shape),
        tag: shape.tag_bits(),
    }
}

rtl::bundle! {
    struct Remembered(shape: &Shape) {
        op: 4,
        operand: 32,
        /// The position of the word in the line.
        place: shape.lane_bits(),
    }
}

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let (threads, row_bits) = (shape.threads, row_bits(shape));
    let m = Builder::new("axi4_atomics", "Reservations, and the second half of atomic operations: the write.");
    m.timing(
        "`reserved` is combinational; the verdict on SC follows one cycle after it leaves. An answered AMO waits \
         from the second cycle on until `rewritten`; the queue has an entry for each tag, so an answer never \
         waits.",
    );
    m.port_group("a request: whether it leaves now, whether it reads, and its words (one-hot if it is atomic)");
    let leaves = m.input("leaves", 1);
    let read = m.input("read", 1);
    let op = m.input("op", 4);
    let row = m.input("row", row_bits);
    let tag = m.input("tag", shape.tag_bits());
    let word = m.input("word", threads);
    let operand = m.input("operand", 32);
    let hart = m.input("hart", shape.hart_bits());
    let restart = m.input("restart", usize::from(shape.control));
    m.port_group("a line for the pipeline");
    let delivered = m.input("delivered", 1);
    let answered_tag = m.input("answered_tag", shape.tag_bits());
    let answered_row = m.input("answered_row", row_bits);
    let line = m.input("line", shape.line_bits());
    m.port_group("the first waiting AMO is written back");
    let rewritten = m.input("rewritten", 1);

    m.comment("Reservations, in the order in which requests leave. SC answers a cycle later: 0 if it writes, else 1.");
    let is_conditional = m.wire("is_conditional", &(&leaves & op.is(3)));
    let reservations = m.instance("reservations", &reservations::elaborate(shape, row_bits)?);
    let reserved = reservations.output_as("holds", "reservation_holds");
    reservations.input("reserve", &(&leaves & op.is(2))).input("take", &is_conditional);
    reservations.input("restart", &restart).input("hart", &hart).input("row", &row).input("word", &word);
    let writes = op.is(1) | op.from(2).any() | (op.is(3) & &reserved);
    reservations.input("written", &word.when(&(&leaves & m.wire("writes", &writes))));
    m.output("reserved", &reserved);
    m.output("decided", &m.delay_reset("decided_now", &is_conditional));
    m.output("decided_tag", &m.delay("tag_of_decided", &tag));
    m.output("verdict", &m.delay("not_reserved", &!&reserved));

    m.comment("The operation of each read in flight.");
    let table = m.memory("remembered", shape.outstanding, Remembered::bits(shape), MemoryStyle::Distributed);
    let remembered = Remembered { op, operand, place: encode(&word) }.pack();
    table.write(&m.fault("store_is_remembered_as_a_read", &read, &leaves), &tag, &remembered);
    let recalled = Remembered::unpack(&m, shape, &table.read("recalled", &answered_tag));

    m.comment("The answered AMOs. Each tag has at most one, so the queue has an entry for it.");
    let begins = m.wire("begins", &(&delivered & recalled.op.from(2).any()));
    let answered = Answered {
        op: recalled.op,
        operand: recalled.operand,
        old: select(&recalled.place, line.lanes(32)),
        place: recalled.place,
        row: answered_row,
        tag: answered_tag,
    };
    let queue = Queue::declare(&m, "answered", shape.outstanding, &begins);
    let first = Answered::unpack(&m, shape, &queue.field(&m, "amo", &answered.pack()));
    queue.pop(&m, &m.fault("amo_does_not_wait_for_its_write", &rewritten, &queue.valid));
    m.output("rewrite_waits", &queue.valid);
    m.output("rewrite_tag", &first.tag);
    m.output("rewrite_row", &first.row);
    m.output("rewrite_word", &decode(&first.place, threads));
    let alu = m.instance("alu", &atomic_alu::elaborate()?);
    alu.input("op", &first.op).input("operand", &first.operand).input("old", &first.old);
    m.output("new_word", &alu.net("result"));
    m.finish()
}
