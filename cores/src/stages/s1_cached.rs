//! S1, fetch, with an instruction cache: presents the address to the cache.
//!
//! Enters: one fetch from S0, and the answers of the cache. Leaves: the fetch that the cache answers, with its word, for
//! S2. A missed fetch ends without a word; its context waits in the cache, which presents the word later. So the pc
//! of each context is kept. Stalls while the cache is not ready.
//!
//! Storage: a pc for each context, in LUT RAM.

use rtl::{Builder, Bundle, ElaborationError, MemoryStyle, Module, concat, zeros};

use super::context::Fetch;
use crate::formal::points;
use crate::memory::map::physical;
use crate::shape::{PC, Shape};

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s1_fetch", "S1, fetch: the request to the instruction cache.");
    m.timing(
        "the request is combinational from S0's fetch, which S0 holds until `ready_s1`; fetch and word leave in the \
         cycle of the answer. A fetch that misses ends in `missed_s2`, and again with its word.",
    );
    m.port_group("fetch from S0");
    let fetch = Fetch::inputs(&m, shape, "s1");
    m.output_port("ready_s1", 1);
    m.port_group("instruction cache");
    m.output_port("imem_req_valid", 1);
    let ready = m.input("imem_req_ready", 1);
    m.output_port("imem_req_addr", 32);
    m.output_port("imem_req_context", shape.context_bits());
    let valid = m.input("imem_rsp_valid", 1);
    let missed = m.input("imem_rsp_missed", 1);
    let context = m.input("imem_rsp_context", shape.context_bits());
    let data = m.input("imem_rsp_data", 32);
    let reconvergence = m.input("imem_rsp_reconvergence", shape.reconvergence_bits());
    let error = m.input("imem_rsp_error", 1);

    let moves = m.wire("moves", &(&fetch.valid & &ready));
    m.output("ready_s1", &(!&fetch.valid | &moves));
    m.output("imem_req_valid", &fetch.valid);
    m.output("imem_req_addr", &physical(shape, &concat([&fetch.pc, &zeros(2)])));
    m.output("imem_req_context", &fetch.context);

    m.comment("The pcs of fetches. A context fetches again only when its fetch has ended, or was overtaken.");
    let pcs = m.memory("pcs", shape.contexts(), PC, MemoryStyle::Distributed);
    pcs.write(&moves, &fetch.context, &fetch.pc);
    let pc = pcs.read("answered_pc", &context);
    points(&m, shape, &[("the_cache_refuses_a_fetch", &fetch.valid & !&ready)]);
    m.port_group("the fetch whose word is here; or it ends without one");
    Fetch { valid, context, pc }.outputs(&m, "s2");
    m.output("missed_s2", &missed);
    m.comment("An X of a fetched word would reach which instruction is picked, also of other warps.");
    m.output("word_s2", &m.known("word", &data));
    m.output("reconvergence_s2", &m.known("reconvergence", &reconvergence));
    m.port_group("the word could not be read");
    m.output("error_s2", &error);
    m.finish()
}
