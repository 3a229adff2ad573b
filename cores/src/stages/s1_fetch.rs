//! S1, fetch: presents the address to instruction memory and waits for the word.
//!
//! Enters: one fetch from S0. Leaves: the fetch whose word arrives, with the word, for S2. Stalls while memory is not
//! ready, or while the word before it has not come.

use rtl::{Builder, Bundle, ElaborationError, Module, concat, lit, zeros};

use super::context::Fetch;
use crate::formal::points;
use crate::memory::map::physical;
use crate::shape::Shape;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s1_fetch", "S1, fetch: the request to instruction memory.");
    m.timing(
        "the request is combinational from S0's fetch, which S0 holds until `ready_s1`; fetch and word leave in \
         the cycle of the response. Memory answers each accepted request once, in a later cycle.",
    );
    m.port_group("fetch from S0");
    let fetch = Fetch::inputs(&m, shape, "s1");
    m.output_port("ready_s1", 1);
    m.port_group("instruction memory");
    m.output_port("imem_req_valid", 1);
    let req_ready = m.input("imem_req_ready", 1);
    m.output_port("imem_req_addr", 32);
    let rsp_valid = m.input("imem_rsp_valid", 1);
    let rsp_data = m.input("imem_rsp_data", 32);
    let rsp_reconvergence = m.input("imem_rsp_reconvergence", shape.reconvergence_bits());

    let waiting = m.register("waiting_s2", 1);
    let free = m.wire("free_s2", &(!&waiting | &rsp_valid));
    let request = m.wire("request", &(&fetch.valid & &free));
    let moves = m.wire("moves", &(&request & &req_ready));
    let is_late = m.fault("does_not_wait_for_late_words", &(&waiting & !&rsp_valid), &zeros(1));
    waiting.next(&(&moves | is_late)).reset(0);
    m.output("ready_s1", &(!&fetch.valid | &moves));
    m.output("imem_req_valid", &request);
    let byte = m.fault("asks_between_words", &zeros(2), &lit(2, 1));
    m.output("imem_req_addr", &physical(shape, &concat([&fetch.pc, &byte])));

    let context = m.hold("context_q", &fetch.context, &moves);
    let pc = m.hold("pc_q", &fetch.pc, &moves);
    let found = [
        ("memory_refuses_a_fetch", &request & !&req_ready),
        ("a_fetch_waits_for_the_word_before", &fetch.valid & !&free),
        ("a_word_is_late_and_nothing_waits", &waiting & !&rsp_valid & !&fetch.valid),
    ];
    points(&m, shape, &found);
    m.port_group("the fetch whose word is here");
    Fetch { valid: &*waiting & &rsp_valid, context, pc }.outputs(&m, "s2");
    m.comment(
        "A word that is fetched ahead may lie where memory was never written. In four-state simulation its X would reach\n\
         which instruction is picked, also of other warps.",
    );
    m.output("word_s2", &m.known("word", &rsp_data));
    m.output("reconvergence_s2", &m.known("reconvergence", &rsp_reconvergence));
    m.finish()
}
