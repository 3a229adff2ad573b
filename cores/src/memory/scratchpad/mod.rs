//! The scratchpad: T banks of words in block RAM, behind the request queue.
//!
//! Bank b holds the words b, b + T, b + 2T … so a row has one word in each bank. A request has a row for each bank, and
//! the line that the request queue forms also for memory: the word, and the written bytes, at the position of the bank.
//! So the scratchpad needs no switch of its own, and its answers are lines like those of memory.
//!
//! Requests come in commit order from the queue, one a cycle. A store is performed in its cycle. A load is answered one
//! cycle later, or after the answers that memory gives from then on. Until then no other request is taken, because the
//! answer is in the output registers of the banks. An AMO also reads in its cycle; in the second, in which no request
//! is taken, it writes.
//!
//! While the core is stopped, a control block reads and writes single words ([`Host`]).
//!
//! Storage: `scratchpad.bytes` of block RAM. With atomics also registers of about 33 · T + T · row bits.
//!
//! `group` selects the lanes of a part, in S7; `rows` brings rows to banks; `alu` computes what an AMO writes.

mod alu;
pub mod group;
mod host;
mod rows;

pub use rows::rows_of_banks;

use rtl::{Builder, ElaborationError, Expr, MemoryStyle, Module, join, ones, zeros};

use crate::formal::points;
use crate::shape::Shape;
use host::Host;

/// The name of a signal that is an answer of memory or of the scratchpad.
pub fn answer(field: &str) -> String {
    format!("answer_{field}")
}

/// Name of the module, and of its instance in the pipeline.
const NAME: &str = "scratchpad";

fn bank(number: usize) -> String {
    format!("bank_{number}")
}

/// The names of the module and of its banks.
pub fn banks(shape: &Shape) -> (&'static str, Vec<String>) {
    (NAME, (0..shape.threads).map(bank).collect())
}

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let (rows, row_bits) = (shape.scratchpad_rows(), shape.scratchpad_row_bits());
    let m = Builder::new(
        NAME,
        &format!(
            "Scratchpad of {} bytes: {} banks of {rows} words, and their answers.",
            4 * rows * shape.threads,
            shape.threads
        ),
    );
    let atomics = if shape.scratchpad_atomics {
        " An AMO writes in the cycle after its request, in which none is taken."
    } else {
        ""
    };
    m.timing(&format!(
        "a store is performed in the cycle in which it is taken. An answer comes in the next cycle, or in the first \
         one after that without an answer of memory; until then no request is taken.{atomics}"
    ));
    m.port_group("requests, with a row for each bank");
    let valid = m.input("scratchpad_req_valid", 1);
    m.output_port("scratchpad_req_ready", 1);
    let request_rows = m.input("scratchpad_req_rows", shape.threads * row_bits);
    let op = m.input("dmem_req_op", 4);
    let tag = m.input("dmem_req_tag", shape.tag_bits().max(1));
    let mask = m.input("dmem_req_mask", 4 * shape.threads);
    let data = m.input("dmem_req_data", shape.line_bits());
    m.port_group("answers of memory, which go first");
    let memory_valid = m.input("dmem_rsp_valid", 1);
    let memory_tag = m.input("dmem_rsp_tag", shape.tag_bits().max(1));
    let memory_data = m.input("dmem_rsp_data", shape.line_bits());
    let host = shape.shows_scratchpad().then(|| Host::declare(&m, shape));

    let is_store = m.wire("is_store", &op.is(1));
    let waits = m.register("answer_waits", 1);
    let blocked = &waits & m.fault("takes_requests_while_an_answer_waits", &memory_valid, &zeros(1));
    let amo = shape.scratchpad_atomics.then(|| m.register("amo_writes", 1));
    let writing = amo.as_ref().map_or(zeros(1), |amo| amo.q());
    let ready = m.wire("is_ready", &!(&blocked | &writing));
    let taken = m.wire("taken", &(&valid & &ready));
    let reads = m.wire("reads", &(&taken & !&is_store));
    m.output("scratchpad_req_ready", &ready);
    waits.next(&(&reads | (&waits & &memory_valid))).reset(0);
    let answer_tag = m.hold("tag_that_waits", &tag, &reads);

    let words = m.forward("words", shape.line_bits());
    let store = Write { rows: request_rows.clone(), mask: mask.when(&(&taken & &is_store)), data };
    let write = match &amo {
        None => store,
        Some(amo) => {
            amo.next(&(&reads & op.slice(2, 2).any())).reset(0);
            amo_write(&m, shape, &store, [&op, &mask, &reads, &writing], &words)?
        }
    };

    m.comment("The banks. Nothing is written in reset, so the words stay.");
    let mask = write.mask.when(&!m.in_reset());
    let mask = host.as_ref().map_or_else(|| mask.clone(), |host| host.bytes(shape, &mask));
    let byte_enables = m.wire("byte_enables", &mask);
    let bank_reads = host.as_ref().map_or_else(|| reads.clone(), |host| &reads | &host.reads);
    let word = |number: usize| {
        let memory = m.memory(&bank(number), rows, 32, MemoryStyle::BlockUnordered);
        memory.starts_with_zeros();
        let row = write.rows.lane(number, row_bits);
        let row = m.fault("all_banks_write_the_row_of_the_first", &row, &write.rows.lane(0, row_bits));
        let (own, data) = (request_rows.lane(number, row_bits), write.data.lane(number, 32));
        let [row, data, read_row] = match &host {
            Some(host) => host.choose(shape, [&row, &data, &own]),
            None => [row, data, own],
        };
        memory.write_parts(&byte_enables.lane(number, 4), &row, &data);
        memory.read_registered_where(&format!("word_{number}"), &bank_reads, &read_row)
    };
    m.drive(&words, &join((0..shape.threads).map(word)));
    let found = [
        ("an_answer_waits_for_memory", &waits & &memory_valid),
        ("a_request_comes_as_an_answer_goes", &waits & &taken),
        ("a_request_waits_for_an_answer", &valid & &blocked),
    ];
    points(&m, shape, &found);

    if let Some(host) = &host {
        m.port_group("the word that the control block has read");
        m.output("host_word", &host.word(&m, shape, &words));
    }
    m.port_group("the answers of both");
    m.output(&answer("valid"), &(&memory_valid | &waits));
    m.output(&answer("tag"), &memory_valid.mux(&memory_tag, &answer_tag));
    m.output(&answer("data"), &memory_valid.mux(&memory_data, &words));
    m.finish()
}

/// What the banks write in a cycle.
struct Write {
    rows: Expr,
    /// The bytes of each bank's word.
    mask: Expr,
    data: Expr,
}

/// Adds the second cycle of AMOs, in which `writing` holds: each word that was read is replaced.
fn amo_write(
    m: &Builder,
    shape: &Shape,
    store: &Write,
    [op, mask, reads, writing]: [&Expr; 4],
    words: &Expr,
) -> Result<Write, ElaborationError> {
    m.comment("The second cycle of an AMO: the words that were read are replaced.");
    let hold = |name: &str, value: &Expr| m.hold(name, value, reads);
    let banks = hold("held_banks", &join(mask.lanes(4).iter().map(|bytes| bytes.bit(0))));
    let (rows, operands) = (hold("held_rows", &store.rows), hold("held_operands", &store.data));
    let control = alu::Control::of(m, &hold("held_op", op));
    let alus = m.instance_each(shape.lanes(), "alu", &alu::elaborate()?);
    control.connect(&alus);
    alus.input_parts("old", words).input_parts("operand", &operands);
    let results = alus.output_as("result", "results");
    let banks = m.fault("an_amo_writes_all_banks", &banks, &ones(shape.threads));
    let rewritten = join((0..shape.threads).map(|number| banks.bit(number).when(writing).repeat(4)));
    Ok(Write {
        rows: m.wire("written_rows", &writing.mux(&rows, &store.rows)),
        mask: m.wire("written_bytes", &(&store.mask | rewritten)),
        data: m.wire("written_words", &writing.mux(&results, &store.data)),
    })
}
