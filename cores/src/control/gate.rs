//! The gate between the pipeline and its memory. While it is closed no new request passes. A request that was offered
//! before stays until it is accepted, as the rules of the port demand.
//!
//! Latency: none; the gate is combinational. Storage: a bit for each of the two ports, a bit for the fetch in flight,
//! and, if memory performs stores at once, the number of loads in flight.

use rtl::{Builder, Expr, clog2, increment, join, ones, zeros};
use weft_config::extension::A;

use crate::formal::points;
use crate::shape::Shape;

/// Whether nothing is offered, unanswered or unperformed.
pub struct Quiet {
    pub fetch: Expr,
    pub data: Expr,
}

/// The ports of the pipeline that pass unchanged, with their widths: requests, and answers.
fn passed(shape: &Shape) -> [Vec<(&'static str, usize)>; 2] {
    let tag = shape.tag_bits().max(1);
    let requests = vec![
        ("imem_req_addr", 32),
        ("dmem_req_op", 4),
        ("dmem_req_addr", 32),
        ("dmem_req_tag", tag),
        ("dmem_req_mask", 4 * shape.threads),
        ("dmem_req_data", shape.line_bits()),
        ("dmem_req_hart", if shape.has(&A) { shape.hart_bits() } else { 0 }),
    ];
    let answers = vec![
        ("imem_rsp_data", 32),
        ("imem_rsp_reconvergence", if shape.reconverges { 32 } else { 0 }),
        ("dmem_rsp_tag", tag),
        ("dmem_rsp_data", shape.line_bits()),
    ];
    [requests, answers]
}

/// Declares the ports of one side, `imem` or `dmem`, in the order of the pipeline, and connects what passes
/// unchanged. Returns the request's valid, the memory's ready, the operation, and whether there is an answer.
fn pass(m: &Builder, shape: &Shape, side: &str) -> [Expr; 4] {
    let [requests, answers] = passed(shape);
    let of_side = |ports: Vec<(&'static str, usize)>| ports.into_iter().filter(|(name, _)| name.starts_with(side));
    let name = |end: &str| format!("{side}_{end}");
    m.port_group("as the pipeline sees it");
    let valid = m.input(&name("req_valid"), 1);
    m.output_port(&name("req_ready"), 1);
    let inputs: Vec<(&str, Expr)> = of_side(requests).map(|(port, bits)| (port, m.input(port, bits))).collect();
    m.output_port(&name("rsp_valid"), 1);
    of_side(answers.clone()).for_each(|(port, bits)| m.output_port(port, bits));
    m.port_group("towards memory");
    m.output_port(&format!("next_{side}_req_valid"), 1);
    let ready = m.input(&format!("next_{side}_req_ready"), 1);
    for (port, value) in &inputs {
        m.output(&format!("next_{port}"), value);
    }
    let answer = m.input(&format!("next_{side}_rsp_valid"), 1);
    m.output(&name("rsp_valid"), &answer);
    for (port, bits) in of_side(answers) {
        m.output(port, &m.input(&format!("next_{port}"), bits));
    }
    let op = inputs.into_iter().find(|(port, _)| *port == "dmem_req_op").map_or(zeros(4), |(_, op)| op);
    [valid, ready, op, answer]
}

/// A side's gate: whether a request is at the port of the memory, and whether it is accepted.
fn gate(m: &Builder, side: &str, open: &Expr, [valid, ready]: [&Expr; 2]) -> [Expr; 2] {
    let offered = m.register(&format!("{side}_offered"), 1);
    let stays = m.fault(&format!("{side}_request_is_withdrawn"), &offered.q(), &zeros(1));
    let passes = m.wire(&format!("{side}_passes"), &(open | stays));
    let present = m.wire(&format!("{side}_present"), &(valid & &passes));
    let accepted = m.wire(&format!("{side}_accepted"), &(&present & ready));
    offered.next(&(&present & !ready)).reset(0);
    m.output(&format!("next_{side}_req_valid"), &present);
    m.output(&format!("{side}_req_ready"), &(ready & &passes));
    [present, accepted]
}

impl Quiet {
    pub fn of(m: &Builder, shape: &Shape, open: &Expr) -> Self {
        let [valid, ready, _, answer] = pass(m, shape, "imem");
        let [data_valid, data_ready, op, data_answer] = pass(m, shape, "dmem");
        let idle = m.input("next_dmem_idle", usize::from(shape.posts_stores));
        if shape.posts_stores {
            m.output("dmem_idle", &idle);
        }

        m.comment("Fetches: one is in flight at a time.");
        let [present, accepted] = gate(m, "imem", open, [&valid, &ready]);
        let fetching = m.register("fetching", 1);
        fetching.next(&(&accepted | (&*fetching & !&answer))).reset(0);
        let fetch = !m.fault("stop_does_not_wait_for_a_fetch", &(&present | &*fetching), &zeros(1));

        m.comment("Data. A memory that posts stores says when all it accepted is performed; else loads are counted.");
        let [present, accepted] = gate(m, "dmem", open, [&data_valid, &data_ready]);
        let busy = if shape.posts_stores {
            // It drops in the cycle after an acceptance.
            !idle | &present
        } else {
            let bits = clog2(shape.outstanding + 1);
            let loads = m.register("loads", bits);
            let asked = m.wire("load_accepted", &(&accepted & op.ne(&rtl::lit(4, 1))));
            let fewer = &*loads - join([&ones(1), &zeros(bits - 1)]);
            let next = asked.mux(&increment(&loads, 1), &fewer);
            loads.next(&next).enable(&(&asked ^ &data_answer)).reset(0);
            loads.any() | &present
        };
        let data = !m.fault("stop_does_not_wait_for_data", &m.wire("data_busy", &busy), &zeros(1));
        points(m, shape, &[("a_closed_gate_holds_a_request", &present & !open)]);
        Self { fetch, data }
    }
}
