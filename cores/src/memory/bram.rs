//! `memory.kind = "bram"`: block RAM behind the ports of the pipeline.
//!
//! Each word of a line has its bank, which is one block RAM of two ports. Fetch reads at one port; data is read or
//! written, byte by byte, at the other. A request is accepted at once and answered in the next cycle. An atomic
//! operation (also LR and SC) takes a second cycle, in which nothing else is accepted. It reads in the first cycle;
//! in the second it computes, checks the reservation and writes.
//!
//! On an FPGA, a word is undefined if it is fetched in the cycle in which it is written. So a program fetches stored
//! code only after a `fence.i`, which waits for the store.
//!
//! Where the divergence unit reads the reconvergence table, as many words more hold it. Without an image the table is
//! all zeros, so no reconvergence point is known.
//!
//! Storage: `ram_bytes` of block RAM, twice that with the table. With isa.a also registers: the reservations, and
//! about 36 + T + row bits.

use rtl::{
    Builder, ElaborationError, Expr, Memory, MemoryStyle, Module, Register, join, ones, select, select_one_hot, zeros,
};
use weft_config::MemoryKind;
use weft_config::extension::A;

use super::port::Request;
use super::{Adaptor, Storage, reservations, row_bits};
use crate::functional::atomic_alu;
use crate::shape::Shape;

pub const ADAPTOR: Adaptor = Adaptor {
    is_wanted: |config| config.memory.kind == MemoryKind::Bram,
    elaborate,
    storage: Some(Storage { banks: |shape| shape.threads, bank, table_bank }),
    posts_stores: false,
};

fn bank(number: usize) -> String {
    format!("bank_{number}")
}

/// The memory with the entries of the reconvergence table for those words.
fn table_bank(number: usize) -> String {
    format!("reconvergence_{number}")
}

/// The access of the banks' data ports in a cycle.
struct Access {
    row: Expr,
    mask: Expr,
    data: Expr,
}

/// Text on latency and contract, for the head of the module.
fn timing(shape: &Shape) -> String {
    let atomic = "An atomic operation takes a second cycle, in which `dmem_req_ready` is low.";
    let answers =
        "fetches and loads are answered one cycle after the request, and the pipeline takes each answer at once.";
    if shape.has(&A) { format!("{answers} {atomic}") } else { answers.to_owned() }
}

fn elaborate(shape: &Shape, image: Option<&dyn Fn(usize) -> String>) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "bram",
        &format!("Memory in the core: {} bytes of block RAM, {} banks of words.", shape.ram_bytes, shape.threads),
    );
    m.timing(&timing(shape));
    m.keep_inputs();
    let rows = shape.ram_bytes as usize / (4 * shape.threads);

    m.port_group("instruction memory: answers in the next cycle");
    let fetch = m.input("imem_req_valid", 1);
    m.output("imem_req_ready", &ones(1));
    let fetch_address = m.input("imem_req_addr", 32);
    m.output_port("imem_rsp_valid", 1);
    m.output_port("imem_rsp_data", 32);
    m.output_port("imem_rsp_reconvergence", if shape.reconverges { 32 } else { 0 });
    m.port_group("data memory: loads are answered in the next cycle, atomic operations take another");
    let request = Request::inputs(&m, shape, shape.has(&A));

    m.comment("Data: a request is accepted unless an atomic operation is in its second cycle.");
    let second_cycle = shape.has(&A).then(|| m.register("second_cycle", 1));
    let second = second_cycle.as_ref().map_or(zeros(1), |second| second.q());
    let accepted = m.wire("accepted", &(&request.valid & !&second));
    let is_store = m.wire("is_store", &request.op.is(1));
    let mask = m.wire("store_mask", &request.mask.when(&(&accepted & &is_store)));
    let first = Access { row: request.row.clone(), mask, data: request.data.clone() };
    let words = m.forward("words", shape.line_bits());
    let (access, answer) = match &second_cycle {
        Some(second) => atomic_operations(&m, shape, &request, &accepted, second, first, &words)?,
        None => (first, words.clone()),
    };
    m.output("dmem_req_ready", &!&second);
    m.output("dmem_rsp_valid", &m.delay_reset("answered", &(&accepted & !&is_store)));
    let tag = m.delay("answered_tag", &request.tag);
    m.output("dmem_rsp_tag", &m.fault("answers_with_the_inverted_tag", &tag, &!&tag));
    m.output("dmem_rsp_data", &answer);

    m.comment(
        "The banks. A store ignores the word that it reads. Nothing is written in reset, because the requests of the\n\
         pipeline may be meaningless then.",
    );
    let byte_enables = m.wire("byte_enables", &access.mask.when(&!m.in_reset()));
    let fetch_row = fetch_address.slice(2 + shape.lane_bits(), row_bits(shape));
    let (mut read, mut fetched, mut table) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..shape.threads {
        let memory: Memory = m.memory(&bank(number), rows, 32, MemoryStyle::BlockUnordered);
        if let Some(file) = image {
            memory.starts_with(&file(number));
        }
        memory.write_parts(&byte_enables.lane(number, 4), &access.row, &access.data.lane(number, 32));
        read.push(memory.read_registered(&format!("word_{number}"), &access.row));
        fetched.push(memory.read_registered(&format!("fetched_{number}"), &fetch_row));
    }
    if shape.reconverges {
        m.comment("The reconvergence table, an entry for each word: nothing in the core writes it.");
        for number in 0..shape.threads {
            let memory: Memory = m.memory(&table_bank(number), rows, 32, MemoryStyle::BlockUnordered);
            match image {
                Some(file) => memory.starts_with(&file(shape.threads + number)),
                None => memory.filled_from_outside(),
            };
            table.push(memory.read_registered(&format!("entry_{number}"), &fetch_row));
        }
    }
    m.drive(&words, &join(&read));

    m.comment("Fetch: the word of the line that was read.");
    let fetched_valid = m.delay_reset("fetched_valid", &fetch);
    let fetched_word = m.delay("fetched_word", &fetch_address.slice(2, shape.lane_bits()));
    m.output("imem_rsp_valid", &fetched_valid);
    m.output("imem_rsp_data", &select(&fetched_word, &fetched));
    m.output("imem_rsp_reconvergence", &if shape.reconverges { select(&fetched_word, &table) } else { zeros(0) });
    m.finish()
}

/// Adds the second cycle of atomic operations. Returns the access of either cycle, and the answer.
fn atomic_operations(
    m: &Builder,
    shape: &Shape,
    request: &Request,
    accepted: &Expr,
    second: &Register,
    first: Access,
    words: &Expr,
) -> Result<(Access, Expr), ElaborationError> {
    m.comment("The second cycle of an atomic operation: the word that was read is replaced.");
    second.next(&(accepted & &request.op.from(1).any())).reset(0);
    let hold = |name: &str, value: &Expr| m.hold(name, value, accepted);
    let one_of_word = join(request.mask.lanes(4).iter().map(|bytes| bytes.bit(0)));
    let word = hold("held_word", &one_of_word);
    let op = hold("held_op", &request.op);
    let row = hold("held_row", &request.row);
    let hart = hold("held_hart", &request.hart);
    let operand = hold("held_operand", &select_one_hot(&one_of_word, request.data.lanes(32)));
    let alu = m.instance("alu", &atomic_alu::elaborate()?);
    alu.input("op", &op).input("operand", &operand);
    alu.input("old", &m.wire("old_word", &select_one_hot(&word, words.lanes(32))));
    let result = alu.output_as("result", "new_word");

    let is_reserve = m.wire("is_reserve", &op.is(2));
    let is_conditional = m.wire("is_conditional", &op.is(3));
    let holds = m.forward("reservation_holds", 1);
    let writes = m.wire("atomic_writes", &(second & is_conditional.mux(&holds, &!&is_reserve)));
    let rewritten = join((0..shape.threads).map(|number| word.bit(number).when(&writes).repeat(4)));
    let access = Access {
        row: m.wire("row", &second.mux(&row, &first.row)),
        mask: m.wire("mask", &(&first.mask | rewritten)),
        data: m.wire("data", &second.mux(&result.repeat(shape.threads), &first.data)),
    };

    let reservations = m.instance("reservations", &reservations::elaborate(shape, row.width())?);
    reservations.input("reserve", &(second & &is_reserve)).input("take", &(second & &is_conditional));
    reservations.input("hart", &hart).input("row", &access.row).input("word", &word);
    let written = join(access.mask.lanes(4).iter().map(Expr::any));
    reservations.input("written", &written).output_to("holds", &holds);

    m.comment("A store-conditional answers 0 if it wrote, otherwise 1.");
    let verdict = (!&holds).extend(32).repeat(shape.threads);
    let answer = (second & &is_conditional).mux(&verdict, words);
    Ok((access, answer))
}
