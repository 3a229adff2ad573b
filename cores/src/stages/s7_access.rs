//! S7, access: the lanes that the instruction serves, and its one request to memory.
//!
//! A memory instruction serves the lanes of the coalescer's transaction. A `jalr` serves the lanes with the
//! leader's target. Every other instruction serves all lanes of the path. The unserved lanes execute it again.

use rtl::{Builder, Bundle, Expr, Instance, Module, concat, join, lowest_one, ones, zeros};
use weft_config::extension::A;

use super::s7_commit::Inputs;
use crate::memory::map::{at_console, in_windows};
use crate::shape::Shape;
use crate::signals::{LateResult, Request};

pub struct Service {
    transaction: Instance,
    /// Lanes whose word is the one at their own position in the line.
    pub direct: Expr,
    /// The position of each lane's word in its line.
    pub positions: Expr,
    /// Number of the line.
    pub line: Expr,
    /// The leader's position in the line.
    pub leader_word: Expr,
    pub at_console: Expr,
    /// No bits without windows.
    at_window: Expr,
    pub with_leader: WithLeader,
    pub served: Expr,
    pub unserved: Expr,
}

/// The lanes that the leader's part serves, if the instruction has parts. They are the last to be known.
pub struct WithLeader {
    /// Of a `jalr`: lanes whose target is the leader's.
    pub jump: Expr,
    /// Of a memory instruction: lanes of the transaction.
    memory: Expr,
}

impl WithLeader {
    /// The lanes that an instruction serves if it `goes_on`: `others`, if it has no parts.
    pub fn serves(&self, inputs: &Inputs, others: &Expr, goes_on: &Expr) -> Expr {
        let (is_memory, is_jalr) = (inputs.is_memory(), &inputs.control.is_jalr);
        let rest = others.when(&(goes_on & !(&is_memory | is_jalr))) | self.jump.when(&(goes_on & is_jalr));
        rest | self.memory.when(&(goes_on & is_memory))
    }
}

impl Service {
    /// The coalescer selects the lanes that the leader of a `valid` instruction serves.
    pub fn of(m: &Builder, shape: &Shape, inputs: &Inputs, valid: &Expr, coalescer: &Module) -> Self {
        m.comment("One transaction for the leader and the other lanes that it serves.");
        let Inputs { control, leader, leader_address, .. } = inputs;
        let (active, is_memory) = (inputs.active(), inputs.is_memory());
        let transaction = m.instance("coalescer", coalescer);
        transaction.input("active", active).input("address", &inputs.addresses).input("store", &inputs.store);
        transaction.input("in_stacks", &inputs.in_stacks).input("leader", leader);
        if !shape.routes_stores() {
            transaction.input("leader_number", &inputs.leader_number);
        }
        transaction.input("leader_address", leader_address).input("is_store", &inputs.is_store);
        transaction.input("size", &inputs.fields.funct3.slice(0, 2)).input("is_atomic", &control.is_atomic);
        let at_window =
            if shape.has_windows() { m.wire("leader_at_window", &in_windows(shape, leader_address)) } else { zeros(0) };
        transaction.input("at_window", &at_window);
        let line = transaction.output("line");
        let [leader_word, direct] = ["leader_word", "direct_lanes"]
            .map(|port| if shape.routes_stores() { zeros(0) } else { transaction.output(port) });
        let positions = if shape.routes_loads() { transaction.output("positions") } else { zeros(0) };
        let memory = transaction.output("served");
        // Other accesses below RAM are those of scratchpad and windows, or are at fault and do not commit.
        let at_console = m.wire("leader_at_console", &at_console(shape, leader_address));
        if shape.formal {
            let asks = valid & (&is_memory | &control.is_jalr);
            m.assert("s6_elected_the_leader", &(!asks | leader.eq(&lowest_one(active))));
        }

        m.comment("A jalr serves the lanes with the leader's target.");
        let with_leader = WithLeader { jump: transaction.output("jump_lanes"), memory };
        let served = m.wire("served", &with_leader.serves(inputs, active, &ones(1)));
        let WithLeader { jump, memory } = &with_leader;
        let unserved = active & ((!memory).when(&is_memory) | (!jump).when(&control.is_jalr));
        let all_but_last = &unserved & !concat([&served.bit(0), &zeros(shape.threads - 1)]);
        let unserved = m.wire("unserved", &m.fault("serving_lane_0_drops_the_last_lane", &unserved, &all_but_last));
        Self { transaction, direct, positions, line, leader_word, at_console, at_window, with_leader, served, unserved }
    }
}

pub struct Requested {
    pub push: Expr,
    /// The instruction uses the reserved entry of the queue, and the reserved tag.
    pub takes: Expr,
    pub request: Request,
}

impl Requested {
    /// The request of an instruction that is `valid`, and that `commits` if no lane is at fault. A console load has
    /// none.
    pub fn of(
        m: &Builder,
        shape: &Shape,
        inputs: &Inputs,
        [valid, commits]: [&Expr; 2],
        service: &Service,
        console_load: &Expr,
    ) -> Self {
        m.comment(
            "The request, and the data that its load must remember. An instruction at fault returns none of its \
             reservations, because nothing issues any more. So only the request itself waits for the fault check.",
        );
        let asks = m.wire("asks", &(inputs.is_memory() & !console_load));
        let push = m.wire("push", &(commits & &asks));
        let takes = m.wire("takes", &(valid & &asks));
        Self { push, takes, request: request(m, shape, inputs, service) }
    }
}

fn request(m: &Builder, shape: &Shape, inputs: &Inputs, service: &Service) -> Request {
    let Inputs { meta, control, .. } = inputs;
    let (transaction, several) = (&service.transaction, shape.threads > 1);
    let request = Request {
        op: control.memory_op.clone(),
        line: service.line.clone(),
        tag: inputs.tag.clone(),
        hart: if shape.has(&A) { join([&inputs.leader_number, &meta.warp]) } else { zeros(0) },
        rows: rows(shape, inputs),
        window: service.at_window.clone(),
        ..Request::zeros(shape)
    };
    if shape.routes_stores() {
        return Request {
            position: service.positions.clone(),
            bytes: transaction.output("bytes_written"),
            words: transaction.output("data_spread"),
            served: service.served.slice(0, if shape.has_scratchpad() { shape.threads } else { 0 }),
            ..request
        };
    }
    let writes_memory = m.wire("writes_memory", &(&inputs.is_store | &control.is_atomic));
    let has_mask = if shape.has_windows() { writes_memory | &service.at_window } else { writes_memory };
    Request {
        direct: service.direct.slice(0, if several { shape.threads } else { 0 }),
        together: if several { transaction.output("together") } else { zeros(0) },
        position: service.leader_word.clone(),
        bytes: transaction.output("leader_bytes_written").when(&has_mask),
        leaders: transaction.output("leader_data_spread"),
        words: if several { inputs.store.clone() } else { zeros(0) },
        ..request
    }
}

/// The row of the scratchpad of each lane's address.
fn rows(shape: &Shape, inputs: &Inputs) -> Expr {
    let row = |lane: usize| inputs.addresses.slice(32 * lane + 2 + shape.lane_bits(), shape.scratchpad_row_bits());
    join((0..shape.threads).map(row))
}

/// The destination of the instruction's long-latency result.
pub fn late_result(shape: &Shape, inputs: &Inputs, service: &Service) -> LateResult {
    let meta = &inputs.meta;
    LateResult {
        warp: meta.warp.clone(),
        slot: meta.slot.clone(),
        rd: inputs.rd(),
        entry: meta.entry.clone(),
        served: service.served.clone(),
        number: if shape.trace { inputs.number.slice(0, 32) } else { zeros(0) },
    }
}
