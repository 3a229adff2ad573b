//! The gate between the pipeline and its memory. While it is closed no new request passes. A request that was offered
//! before stays until it is accepted, as the rules of the port demand; one to a cache is withdrawn.
//!
//! Latency: none; the gate is combinational. Storage: a bit for each port without a cache; without an instruction cache
//! a bit for the fetch in flight; if memory performs stores at once, the number of loads in flight.

use rtl::{Builder, Expr, PortInfo, Register, clog2, increment, join, ones, zeros};

use crate::formal::points;
use crate::shape::Shape;

/// Whether nothing is offered, unanswered or unperformed.
pub struct Quiet {
    pub fetch: Expr,
    pub data: Expr,
}

/// Declares the ports of one side of the pipeline, `imem` or `dmem`, and connects what passes unchanged. Returns the
/// request's valid, the memory's ready, the operation, and whether there is an answer.
fn pass(m: &Builder, pipeline: &[PortInfo], side: &str) -> [Expr; 4] {
    let passed = |kind: &str| {
        let (beginning, valid, ready) = (format!("{side}_{kind}_"), format!("{side}_{kind}_valid"), "req_ready");
        let is_passed = move |port: &&PortInfo| {
            port.name.starts_with(&beginning) && port.name != valid && !port.name.ends_with(ready)
        };
        pipeline.iter().filter(is_passed)
    };
    let name = |end: &str| format!("{side}_{end}");
    m.port_group("as the pipeline sees it");
    let valid = m.input(&name("req_valid"), 1);
    m.output_port(&name("req_ready"), 1);
    let inputs: Vec<(&str, Expr)> =
        passed("req").map(|port| (port.name.as_str(), m.input(&port.name, port.width))).collect();
    m.output_port(&name("rsp_valid"), 1);
    passed("rsp").for_each(|port| m.output_port(&port.name, port.width));
    m.port_group("towards memory");
    m.output_port(&format!("next_{side}_req_valid"), 1);
    let ready = m.input(&format!("next_{side}_req_ready"), 1);
    for (port, value) in &inputs {
        m.output(&format!("next_{port}"), value);
    }
    let answer = m.input(&format!("next_{side}_rsp_valid"), 1);
    m.output(&name("rsp_valid"), &answer);
    for port in passed("rsp") {
        m.output(&port.name, &m.input(&format!("next_{}", port.name), port.width));
    }
    let op = inputs.into_iter().find(|(port, _)| *port == "dmem_req_op").map_or(zeros(4), |(_, op)| op);
    [valid, ready, op, answer]
}

/// A side's gate: whether a request is at the port of the memory, and whether it is accepted. `cached`: a cache is behind
/// the gate. It may never be ready again after an error of the bus, and a request to it may be withdrawn.
fn gate(m: &Builder, side: &str, cached: bool, open: &Expr, [valid, ready]: [&Expr; 2]) -> [Expr; 2] {
    let offered = (!cached).then(|| m.register(&format!("{side}_offered"), 1));
    let stays = |offered: &Register| m.fault(&format!("{side}_request_is_withdrawn"), &offered.q(), &zeros(1));
    let passes =
        m.wire(&format!("{side}_passes"), &offered.as_ref().map_or(open.clone(), |offered| open | stays(offered)));
    let present = m.wire(&format!("{side}_present"), &(valid & &passes));
    let accepted = m.wire(&format!("{side}_accepted"), &(&present & ready));
    if let Some(offered) = offered {
        offered.next(&(&present & !ready)).reset(0);
    }
    m.output(&format!("next_{side}_req_valid"), &present);
    m.output(&format!("{side}_req_ready"), &(ready & &passes));
    [present, accepted]
}

impl Quiet {
    /// `pipeline`: its ports. `open`: requests pass.
    pub fn of(m: &Builder, shape: &Shape, pipeline: &[PortInfo], open: &Expr) -> Self {
        let [valid, ready, _, answer] = pass(m, pipeline, "imem");
        let [data_valid, data_ready, op, data_answer] = pass(m, pipeline, "dmem");
        let idle = m.input("next_dmem_idle", usize::from(shape.posts_stores));
        if shape.posts_stores {
            m.output("dmem_idle", &idle);
        }

        let [present, accepted] = gate(m, "imem", shape.has_icache(), open, [&valid, &ready]);
        let fetching = if shape.has_icache() {
            m.comment("Fetches: the instruction cache says when none is looked up, and no refill on its way.");
            !m.input("next_imem_idle", 1)
        } else {
            m.comment("Fetches: one is in flight at a time.");
            let fetching = m.register("fetching", 1);
            fetching.next(&(&accepted | (&fetching & !&answer))).reset(0);
            fetching.q()
        };
        let fetch = !m.fault("stop_does_not_wait_for_a_fetch", &(&present | fetching), &zeros(1));

        m.comment("Data. A memory that posts stores says when all it accepted is performed; else loads are counted.");
        let [present, accepted] = gate(m, "dmem", shape.has_dcache(), open, [&data_valid, &data_ready]);
        let busy = if shape.posts_stores {
            // It drops in the cycle after an acceptance.
            !idle | &present
        } else {
            let bits = clog2(shape.outstanding + 1);
            let loads = m.register("loads", bits);
            let asked = m.wire("load_accepted", &(&accepted & op.ne(&rtl::lit(4, 1))));
            let fewer = &loads - join([&ones(1), &zeros(bits - 1)]);
            let next = asked.mux(&increment(&loads, 1), &fewer);
            loads.next(&next).enable(&(&asked ^ &data_answer)).reset(0);
            loads.any() | &present
        };
        let data = !m.fault("stop_does_not_wait_for_data", &m.wire("data_busy", &busy), &zeros(1));
        points(m, shape, &[("a_closed_gate_holds_a_request", &present & !open)]);
        Self { fetch, data }
    }
}
