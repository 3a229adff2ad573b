//! S3, one context: what must be known of its two buffered instructions in every cycle, and whether the older may issue.
//!
//! The words wait in LUT RAM (`s3_schedule`); here stand only their hazards, as `s3_scoreboard` found them when they
//! came: which of the context's late results they depend on, and whether they read what the instruction before
//! them writes at S7, which is ready four cycles after its issue.
//!
//! Storage: 2 × (slots · entries + 1 + class) + 14 bits.

use rtl::{Builder, ElaborationError, Expr, Module, join, lit, select};

use crate::shape::Shape;

/// Cycles from issue until a register written at S7 may be read: S4 samples block RAM after the write.
const WRITE_LATENCY: usize = 4;

/// Cycles from issue until S8 may have resteered.
const RESTEER_LATENCY: usize = 5;

/// What an instruction needs to be issued: the index into the vector `may_issue`. All others need nothing: class 0.
#[derive(Clone, Copy)]
pub enum Class {
    /// A place in the request queue.
    Store = 1,
    /// A tag, and a place in the request queue.
    Load,
    /// That no request waits.
    FenceI,
    /// A place among the long results.
    Multiply,
    /// The divider as well.
    Divide,
}

impl Class {
    /// Bits of a class: without RV32M only the first four occur.
    pub fn bits(shape: &Shape) -> usize {
        if shape.multiply { 3 } else { 2 }
    }

    /// Its number.
    pub fn number(self, shape: &Shape) -> Expr {
        lit(Self::bits(shape), self as u64)
    }

    /// Whether `class` is this one.
    pub fn is(self, class: &Expr) -> Expr {
        class.is(self as u64)
    }
}

/// Elaborates one context.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let entries = shape.late_results;
    let m = Builder::new("s3_context", "S3, one context: the hazards of its two buffered instructions.");
    m.port_group("from S2");
    let push = m.input("push", 1);
    let pushed = [
        ("class", m.input("class_s2", Class::bits(shape))),
        ("depends", m.input("depends_s2", shape.slots * entries)),
        ("reads_last", m.input("reads_last_s2", 1)),
    ];
    m.port_group("control");
    let issue = m.input("issue", 1);
    let flush = m.input("flush", 1);
    let record = m.input("record", 1);
    m.port_group("late results under way, and which classes may issue");
    let pending = m.input("pending", shape.slots * entries);
    let may_issue = m.input("may_issue", 1 << Class::bits(shape));

    m.comment("Two entries, a read and a write position.");
    let present = m.register("present", 1);
    let full = m.register("full", 1);
    let read_at = m.register("read_at", 1);
    let write_at = m.register("write_at", 1);
    let unless_flushed = |value: Expr| flush.mux(&lit(1, 0), &value);
    present.next(&unless_flushed(&push | &*full | (&*present & !&issue))).reset(0);
    full.next(&unless_flushed(!&issue & (&*full | (&*present & &push)))).reset(0);
    read_at.next(&unless_flushed(&*read_at ^ &issue)).reset(0);
    write_at.next(&unless_flushed(&*write_at ^ &push)).reset(0);
    let follows = m.register("follows_one", 1);
    follows.next(&unless_flushed(&*follows | &push)).reset(0);
    let entry = |position: usize| {
        let here = &push & write_at.is(position as u64);
        pushed.each_ref().map(|(field, value)| {
            let register = m.register(&format!("{field}_{position}"), value.width());
            register.next(value).enable(&here);
            register.q()
        })
    };
    let (first, second) = (entry(0), entry(1));
    let head = |field: usize| read_at.mux(&second[field], &first[field]);
    let class = m.wire("head_class", &head(0));
    let waits_for_late = m.wire("waits_for_late", &(head(1) & pending).any());

    m.comment("The instruction issued last: its result at S7 cannot be read yet, its outcome is not known to S8.");
    let issued: Vec<Expr> = (1..WRITE_LATENCY.max(shape.spacing()))
        .scan(issue.clone(), |value, cycle| {
            let register = m.register(&format!("issued_{cycle}_ago"), 1);
            register.next(value).reset(0);
            *value = register.q();
            Some(value.clone())
        })
        .collect();
    let within = |cycles: usize| rtl::reduce(&issued[..cycles - 1], &|a, b| a | b);
    let waits_for_last = m.wire("waits_for_last", &(head(2) & within(WRITE_LATENCY)));
    let mut blocked = &waits_for_late | waits_for_last | within(shape.spacing());
    if shape.slots > 1 {
        m.comment("The other slot's instructions change the same context.");
        let sibling = m.input("sibling_issues", 1);
        blocked = (1..shape.spacing())
            .fold((blocked, sibling), |(any, value), cycle| {
                let register = m.register(&format!("sibling_issued_{cycle}_ago"), 1);
                register.next(&value).reset(0);
                (any | &*register, register.q())
            })
            .0;
    }

    m.comment(
        "Fetching beyond a load that may be replayed is wasted if it is: it comes last, and not at all after a replay.",
    );
    let replayed = m.register("replayed", 1);
    replayed.next(&unless_flushed(&record & (&issue | &*replayed))).reset(0);
    let beyond_replay = m.wire("beyond_replay", &(&record & (&*present | &*replayed)));
    let loads = m.wire("loads", &(&issue & Class::Load.is(&class)));
    let loading = (1..=RESTEER_LATENCY).fold((lit(1, 0), loads), |(any, value), cycle| {
        let register = m.register(&format!("loaded_{cycle}_ago"), 1);
        register.next(&value).reset(0);
        (any | &*register, register.q())
    });

    if shape.constrained {
        let late = [Class::Load, Class::Multiply, Class::Divide].into_iter().take(if shape.multiply { 3 } else { 1 });
        let late: Vec<Expr> = late.map(|late| late.is(&class)).collect();
        m.port_group("for the constrained scheduler");
        m.output("issues_late", &(&issue & rtl::reduce(&late, &|a, b| a | b)));
        m.output("waits_late", &(&*present & &waits_for_late));
    }
    m.port_group("for the pick");
    m.output("ready", &(&*present & !blocked & select(&class, &may_issue.lanes(1))));
    m.output("room", &(!&*full & !beyond_replay));
    m.output("urgent", &(!&*present & !loading.0));
    m.output("read_position", &read_at);
    m.output("write_position", &write_at);
    m.output("follows", &follows);
    if shape.shows_scoreboard() {
        m.port_group("for a proof");
        m.output("present_now", &present);
        m.output("full_now", &full);
        m.output("depends_held", &join([&first[1], &second[1]]));
    }
    m.output("waits_for_requests", &(&*present & Class::FenceI.is(&class)));
    m.finish()
}
