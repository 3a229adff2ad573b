//! S3, one context: two buffered instructions, the registers with a write under way, and whether the older instruction
//! may issue.
//!
//! Storage: 2 × (15 register number + 6 class) bits, 31 pending bits. A register is pending from the issue of the
//! instruction that writes it until its write can no longer be overtaken: for writes at S7 the pending bit falls at
//! the end of S6, four cycles after issue, so that a dependent instruction issued then reads block RAM after the write.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, decode, join, zeros};

use crate::shape::Shape;
use crate::signals::Hazards;

/// Elaborates one context.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("s3_context", "S3, one context: its instruction buffer's hazards and its scoreboard.");
    m.port_group("from S2");
    let push = m.input("push", 1);
    let pushed = Hazards::inputs(&m, shape, "s2");
    m.port_group("control");
    let issue = m.input("issue", 1);
    let flush = m.input("flush", 1);
    let may_request = m.input("may_request", 1);
    let may_load = m.input("may_load", 1);
    let requests_idle = m.input("requests_idle", 1);
    m.port_group("registers written: at S7 (known in S6), late or squashed");
    let early = m.input("early", 1);
    let early_rd = m.input("early_one", 32);
    let late = m.input("late", 1);
    let late_rd = m.input("late_one", 32);

    m.comment("Two entries, a read and a write position.");
    let count = m.register("count", 2);
    let read_at = m.register("read_at", 1);
    let write_at = m.register("write_at", 1);
    let keep = !&flush;
    let step = |up: &Expr, down: &Expr| (&*count + up.extend(2)) - down.extend(2);
    count.next(&step(&push, &issue).when(&keep)).reset(0);
    read_at.next(&(&(&*read_at ^ &issue) & &keep)).reset(0);
    write_at.next(&(&(&*write_at ^ &push) & &keep)).reset(0);
    let entry = |position: usize| {
        let here = &push & write_at.is(position as u64);
        let fields = pushed.fields().into_iter().map(|(field, value)| {
            let register = m.register(&format!("{field}_{position}"), value.width());
            register.next(value).enable(&here);
            register.q()
        });
        fields.collect::<Vec<Expr>>()
    };
    let (first, second) = (entry(0), entry(1));
    let mut pairs = first.iter().zip(&second);
    let head = Hazards::build(shape, &mut |field, _| {
        let (first, second) = pairs.next().expect("as many values as fields");
        m.wire(&format!("head_{field}"), &read_at.mux(second, first))
    });

    m.comment("Scoreboard. x0 is never pending.");
    let pending = m.register("pending", 31);
    let x1_up = |one_hot: &Expr| one_hot.from(1);
    let set = m.wire("set", &decode(&head.rd, 32));
    let cleared = (x1_up(&early_rd).when(&early)) | (x1_up(&late_rd).when(&late));
    let set = x1_up(&set).when(&(&issue & &head.writes_rd));
    pending.next(&((&*pending | set) & !cleared)).reset(0);
    let pending_all = m.wire("pending_all", &join([&zeros(1), &pending]));
    let waits = |register: &Expr, used: &Expr| used & pending_all.index(register);
    let blocked = m.wire(
        "blocked",
        &(waits(&head.rs1, &head.uses_rs1) | waits(&head.rs2, &head.uses_rs2) | waits(&head.rd, &head.writes_rd)),
    );

    m.comment("Instructions of a context keep their distance, so that S7 never needs a path that S8 is computing.");
    let recent: Vec<Expr> = (1..shape.spacing).fold(vec![issue.clone()], |mut chain, distance| {
        let last = chain.last().expect("the chain starts with the issue").clone();
        let delayed = m.register(&format!("issued_{distance}_ago"), 1);
        delayed.next(&last).reset(0);
        chain.push(delayed.q());
        chain
    });
    let too_soon = join(&recent[1..]).any();

    let requests = &head.is_load | &head.is_store;
    let resources = (!requests | may_request) & (!&head.is_load | may_load) & (!&head.is_fence_i | requests_idle);
    let present = m.wire("present", &count.any());
    m.port_group("for the pick");
    m.output("ready", &(&present & !blocked & !too_soon & resources));
    m.output("room", &!count.bit(1));
    m.output("read_position", &read_at);
    m.output("write_position", &write_at);
    m.output("waits_for_requests", &(&present & &head.is_fence_i));
    m.output("head_requests", &(&head.is_load | &head.is_store));
    m.output("head_loads", &head.is_load);
    m.finish()
}
