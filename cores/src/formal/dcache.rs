//! The data cache between a pipeline and a memory, both of which do all that the port allows. One symbolic line is
//! watched.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, clog2, decode, lit, zeros};

use crate::divergence::flag;
use crate::memory::dcache;
use crate::shape::Shape;

/// The word of the watched line, and the harts that have reserved it, at one end of the cache.
struct Word {
    value: Expr,
    answer: Expr,
}

impl Word {
    /// Performs a request, if it is accepted: a load, store, LR, SC, swap, or one of the AMOs whose lowest byte depends on
    /// lowest bytes alone.
    fn declare(m: &Builder, name: &str, accepted: &Expr, watched: &Expr, request: &Request) -> Self {
        let Request { op, data, .. } = request;
        let value = m.register(name, 8);
        let own = decode(&request.hart, 1 << request.hart.width());
        let reserved = m.register(&format!("{name}_reserved"), own.width());
        let succeeds = (&*reserved & &own).any();
        let happens = m.wire(&format!("{name}_is_accessed"), &(accepted & watched));
        let atomic = op.from(2).any() | (op.is(3) & &succeeds);
        let bytes = request.mask.when(&(op.is(1) | atomic));
        let writes = m.wire(&format!("{name}_is_written"), &(&happens & bytes.any()));
        let byte = data.slice(0, 8);
        let results = [(5, &*value + &byte), (6, &*value ^ &byte), (7, &*value & &byte), (8, &*value | &byte)];
        let written = results.iter().fold(byte, |others, (code, result)| op.is(*code).mux(result, &others));
        value.next(&m.wire(&format!("{name}_next"), &written)).enable(&(&writes & bytes.bit(0)));
        // A hart has one reservation, of any word.
        let moves = own.when(&(accepted & (op.is(2) | op.is(3))));
        let stays = (&*reserved & !moves).when(&!&writes);
        reserved.next(&(own.when(&(&happens & op.is(2))) | stays)).reset(0);
        let verdict = (!succeeds).extend(8);
        Self { answer: m.wire(&format!("{name}_answer"), &op.is(3).mux(&verdict, &value)), value: value.q() }
    }
}

rtl::bundle! {
    /// A request at an end of the cache. Behind the cache there are no harts.
    struct Request(shape: &Shape) {
        op: 4,
        addr: 32,
        tag: shape.tag_bits().max(1),
        mask: 4 * shape.threads,
        data: shape.line_bits(),
        hart: shape.hart_bits(),
    }
}

/// The answers that are still to come, by tag: whether there is one, of the watched line, and its byte.
struct Answers {
    waiting: Expr,
    watched: Vec<Expr>,
    bytes: Vec<Expr>,
}

impl Answers {
    fn declare(
        m: &Builder,
        shape: &Shape,
        name: &str,
        [accepted, is_watched, tag, byte]: [&Expr; 4],
        [answers, answer_tag]: [&Expr; 2],
    ) -> Self {
        let tags = shape.outstanding;
        let begins = m.wire(&format!("{name}_begins"), &decode(tag, tags).when(accepted));
        let ends = decode(answer_tag, tags).when(answers);
        let waiting = m.register(&format!("{name}_waiting"), tags);
        waiting.next(&((&*waiting & !ends) | &begins)).reset(0);
        let held = |what: &str, value: &Expr, tag: usize| {
            let register = m.register(&format!("{name}_{what}_{tag}"), value.width());
            register.next(value).enable(&begins.bit(tag));
            register.q()
        };
        let watched = (0..tags).map(|tag| held("is_watched", is_watched, tag)).collect();
        let bytes = (0..tags).map(|tag| held("byte", byte, tag)).collect();
        Self { waiting: waiting.q(), watched, bytes }
    }
}

/// The cache with both ends: a module for a proof about a line of one word. Memory performs requests in order of
/// acceptance, accepts them and answers whenever it likes, in any order.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("dcache_proof", "A load gets what memory would hold if requests were performed in order.");
    let watched = m.input("watched_line", 32);
    let began = flag(&m, "began", &rtl::ones(1));
    m.assume("the_line_stays", &(!&began | m.delay("line_before", &watched).eq(&watched)));

    m.comment("The pipeline.");
    let cache = m.instance("cache", &dcache::elaborate(shape, None)?);
    let hart = m.input("request_hart", shape.hart_bits());
    let request = Request::build(shape, &mut |field, width| match field {
        "hart" => hart.clone(),
        _ => m.input(&format!("request_{field}"), width),
    });
    let valid = m.input("request_valid", 1);
    for (field, value) in request.fields() {
        cache.input(&format!("dmem_req_{field}"), value);
    }
    cache.input("dmem_req_valid", &valid).input("dcache_empty", &m.input("empties", 1));
    let [ready, answers] = ["dmem_req_ready", "dmem_rsp_valid"].map(|port| cache.output_as(port, port));
    let answer_tag = cache.output_as("dmem_rsp_tag", "dmem_rsp_tag");
    let data = cache.output_as("dmem_rsp_data", "dmem_rsp_data").slice(0, 8);
    let accepted = m.wire("accepted", &(&valid & &ready));
    let is_watched = m.wire("is_watched", &request.addr.eq(&watched));
    m.assume("an_operation", &request.op.lt(&lit(4, 9)));
    m.assume("a_whole_word", &(request.op.from(1).none() | request.mask.all()));
    let ram_bits = clog2(shape.ram_bytes as usize);
    let base = lit(32 - ram_bits, u64::from(shape.ram_base >> ram_bits));
    let offset = request.addr.slice(0, 2 + shape.lane_bits());
    m.assume("a_line_in_ram", &(request.addr.from(ram_bits).eq(&base) & offset.none()));
    let in_order = Word::declare(&m, "word", &accepted, &is_watched, &request);
    let asked = m.wire("is_asked", &(&accepted & !request.op.is(1)));
    let due = [&asked, &is_watched, &request.tag, &in_order.answer];
    let expected = Answers::declare(&m, shape, "expected", due, [&answers, &answer_tag]);
    m.assume("tags_are_free", &!(&valid & !request.op.is(1) & expected.waiting.index(&request.tag)));

    m.comment("Memory.");
    let leaving = Request::build(shape, &mut |field, width| {
        let port = format!("next_dmem_req_{field}");
        if field == "hart" { zeros(width) } else { cache.output_as(&port, &port) }
    });
    let leaves = cache.output_as("next_dmem_req_valid", "next_dmem_req_valid");
    let takes = m.input("memory_is_ready", 1);
    cache.input("next_dmem_req_ready", &takes);
    let taken = m.wire("taken", &(&leaves & &takes));
    let is_line = m.wire("is_watched_line", &leaving.addr.eq(&watched));
    let memory = Word::declare(&m, "memory", &taken, &is_line, &leaving);
    let loads = m.wire("is_read", &(&taken & !leaving.op.is(1)));
    let [gives, given_tag] = [("memory_answers", 1), ("memory_tag", answer_tag.width())].map(|(n, w)| m.input(n, w));
    let due = [&loads, &is_line, &leaving.tag, &memory.answer];
    let owed = Answers::declare(&m, shape, "owed", due, [&gives, &given_tag]);
    m.assume("memory_answers_what_it_owes", &(!&gives | owed.waiting.index(&given_tag)));
    let owed_byte = rtl::select(&given_tag, &owed.bytes);
    let given = m.input("memory_data", shape.line_bits());
    m.assume("memory_holds_its_line", &(!rtl::select(&given_tag, &owed.watched) | given.slice(0, 8).eq(&owed_byte)));
    cache
        .input("next_dmem_rsp_valid", &gives)
        .input("next_dmem_rsp_tag", &given_tag)
        .input("next_dmem_rsp_data", &given);

    m.comment("The claims.");
    m.assert("memory_gets_loads_and_stores", &(!&taken | leaving.op.from(1).none()));
    m.assume("both_begin_equal", &(&began | in_order.value.eq(&memory.value)));
    let is_expected = expected.waiting.index(&answer_tag);
    m.assert("answers_are_expected", &(!&answers | is_expected));
    let wanted = rtl::select(&answer_tag, &expected.bytes);
    let checks = &answers & rtl::select(&answer_tag, &expected.watched);
    m.assert("a_load_is_answered_in_order", &(!checks | data.eq(&wanted)));
    let idle = cache.output_as("dmem_idle", "dmem_idle");
    m.assert("idle_memory_is_up_to_date", &(!(idle & began) | in_order.value.eq(&memory.value)));
    m.finish()
}
