//! S3, one context: the state of its two buffered instructions that every cycle needs, and whether the older can
//! issue.
//!
//! The words wait in LUT RAM (`s3_schedule`). This module has only their hazards, as `s3_scoreboard` found them
//! when they came from S2:
//!
//! - the entries of long-latency results on which they depend;
//! - whether they read the result that the preceding instruction writes in S7, which is ready four cycles after its
//!   issue;
//! - whether they need a leader from S6.
//!
//! Storage: 2 × (slots · entries + 2 + needs) + 17 bits.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, Register, join, lit, ones, zeros};

use super::resource::{Reservations, Resource, TAG};
use crate::formal::points;
use crate::shape::Shape;

/// Cycles from issue until a register written in S7 may be read. S4 samples block RAM after the write.
const WRITE_LATENCY: usize = 4;

/// Cycles from issue until S8 can have resteered.
const RESTEER_LATENCY: usize = 5;

/// The requirements of an instruction before it issues. The same bits say which are lacking.
pub struct Needs {
    pub reserved: Reservations,
    /// No request waits in the queue.
    pub no_requests: Expr,
}

impl Bundle for Needs {
    type Shape = Shape;

    fn build(shape: &Shape, make: &mut dyn FnMut(&'static str, usize) -> Expr) -> Self {
        Self { reserved: Reservations::build(shape, make), no_requests: make("no_requests", 1) }
    }

    fn fields(&self) -> Vec<(&'static str, &Expr)> {
        self.reserved.fields().into_iter().chain([("no_requests", &self.no_requests)]).collect()
    }
}

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let entries = shape.late_results;
    let m = Builder::new("s3_context", "S3, one context: the hazards of its two buffered instructions.");
    m.timing(
        "`ready` is combinational in S3; `room` and `urgent` come from registers. It is not ready in the cycle of a \
         flush. An instruction that is pushed finds a free entry.",
    );
    m.port_group("from S2");
    let push = m.input("push", 1);
    let pushed = [
        ("needs", m.input("needs_s2", Needs::bits(shape))),
        ("depends", m.input("depends_s2", shape.slots * entries)),
        ("reads_last", m.input("reads_last_s2", 1)),
        ("elects", m.input("elects_s2", 1)),
    ];
    m.port_group("control");
    let running = m.input("running", 1);
    let picked = m.input("picked", 1);
    let flush = m.input("flush", 1);
    let record = m.input("record", 1);
    let record_ends = m.input("record_ends", 1);
    m.port_group("pending long-latency results, and the requirements that are lacking");
    let pending = m.input("pending", shape.slots * entries);
    let lacking = m.input("lacking", Needs::bits(shape));

    let places = Places::declare(&m, &flush, &push, &picked);
    let Places { present, full, .. } = &places;
    let picked_beside = m.input("sibling_issues", shape.slots - 1);
    let (spacing, election) = (shape.spacing(), shape.election_spacing());
    let issued = since(&m, "issued", &picked, WRITE_LATENCY.max(election));
    let [needs, depends, reads_last, elects] = older(&m, &pushed, &push, present, &issued[1]);
    let waits_for = |depends: &Expr| (depends & &pending).any();
    let waits_for_late = m.fault("does_not_wait_for_late_results", &waits_for(&depends.head), &zeros(1));
    let waits_for_late = m.wire("waits_for_late", &waits_for_late);
    let waits_now = present & waits_for(&depends.now);

    let recent = Recent {
        m: &m,
        shape,
        issued: &issued,
        beside: (shape.slots > 1).then(|| since(&m, "sibling_issued", &picked_beside, election)),
    };
    let later = &picked | picked_beside.any() | recent.holds([&reads_last.soon(&m), &elects.soon(&m)], 1);
    let later = m.wire("later", &(&flush | later));
    let may_issue = m.delay_reset("may_issue", &((&push | present) & !later));
    if shape.formal {
        let may = present & !recent.holds([&reads_last.now, &elects.now], 0);
        m.assert("it_is_known_whether_it_may_issue", &may_issue.eq(&may));
    }

    m.comment("A fetch beyond a load that is replayed is wasted. So it comes last, and after a replay not at all.");
    let replayed = m.register("replayed", 1);
    replayed.next(&unless(&flush, &(&record & (&picked | &replayed)))).reset(0);
    let stood = m.delay_reset("record_stood", &(&record & !record_ends));
    let beyond_replay = m.wire("beyond_replay", &(stood & (present | &replayed)));
    m.output("needs", &needs.head);
    let (needs_nothing, mut has_places) = (needs.head.none(), (&needs.head & &lacking).none());
    let [needs, needs_now, lacking] = [&needs.head, &needs.now, &lacking].map(|word| Needs::unpack(&m, shape, word));
    let loads = m.wire("loads", &(&picked & needs.reserved.of(&TAG)));
    let loading = since(&m, "loaded", &loads, RESTEER_LATENCY + 1).swap_remove(RESTEER_LATENCY);

    if shape.constrained {
        m.port_group("for the constrained scheduler");
        m.output("issues_late", &(&picked & needs.reserved.any_late()));
        m.output("waits_late", &waits_now);
    }
    let too_close_to_issue = present & &issued[spacing - 1];
    let found = [
        ("two_wait", full.q()),
        ("waits_for_a_late_result", waits_now.clone()),
        ("waits_for_the_one_before", present & &reads_last.now & &issued[WRITE_LATENCY - 1]),
        ("waits_for_the_path", too_close_to_issue),
        ("waits_for_the_leader", present & &elects.now & &issued[election - 1] & !&issued[spacing - 1]),
        ("does_not_fetch_beyond_a_replay", &beyond_replay & !full),
        ("a_fence_waits", present & &needs_now.no_requests & &lacking.no_requests),
    ];
    points(&m, shape, &found);
    points_of_waiting(&m, shape, present, [&needs_now, &lacking], &(&depends.now & &pending));
    m.port_group("for the pick: the context waits for nothing but a credit; it does not even wait for that");
    let stays = m.fault("issues_in_the_cycle_of_a_flush", &!&flush, &ones(1));
    let unblocked = m.wire("unblocked_now", &(&may_issue & stays & !&waits_for_late));
    let mut waits_for_requests = present & &needs_now.no_requests;
    if shape.contexts() > 1 {
        let held_back = m.input("held_back", 1);
        has_places = has_places & (needs_nothing | !&held_back);
        // The context in favour of which the others are held back may need an entry of the queue. While a fence
        // waits, no context gets one.
        waits_for_requests = waits_for_requests & !held_back;
        m.output("unblocked", &unblocked);
    }
    m.output("ready", &(&unblocked & &has_places));
    m.comment("For S0: what followed from the pick of the cycle before.");
    m.output("room", &(m.delay_reset("runs", &running) & !full & !beyond_replay));
    m.output("urgent", &!(present | loading));
    m.output("read_position", &places.read_at);
    m.output("write_position", &places.write_at);
    m.output("follows", &places.follows);
    if shape.counts_stalls {
        m.port_group("for the counters: it waits for a place alone; for a long-latency result; for anything");
        m.output("waits_for_place", &(&unblocked & !&has_places));
        m.output("waits_for_result", &waits_now);
        m.output("waits_to_issue", present);
    }
    if shape.shows_scoreboard() {
        m.port_group("for a proof");
        m.output("present_now", present);
        m.output("full_now", full);
        m.output("depends_held", &join([&depends.now, &depends.newest]));
    }
    m.output("waits_for_requests", &waits_for_requests);
    m.finish()
}

/// A field of the older instruction.
struct Older {
    field: &'static str,
    /// What is stored. It is that of the instruction before in the cycle after an issue.
    head: Expr,
    now: Expr,
    soon: Expr,
    /// The field of the newest instruction.
    newest: Expr,
}

impl Older {
    /// The field in the next cycle, if the older instruction does not issue in this one.
    fn soon(&self, m: &Builder) -> Expr {
        m.wire(&format!("{}_soon", self.field), &self.soon)
    }
}

/// Stores the fields that are `pushed`. The pick is late in its cycle, so the instruction behind the one that issues moves
/// up a cycle later, when nothing issues.
fn older(m: &Builder, pushed: &[(&'static str, Expr); 4], push: &Expr, present: &Expr, issued: &Expr) -> [Older; 4] {
    m.comment("The hazards of the older instruction, and of the newest, which moves up a cycle after an issue.");
    let moves_up = m.fault("the_instruction_behind_does_not_move_up", &(issued & present), &zeros(1));
    let moves_up = m.wire("moves_up", &moves_up);
    let takes = m.wire("takes_older", &(&moves_up | !present));
    pushed.each_ref().map(|(field, value)| {
        let newest = m.hold(&format!("{field}_newest"), value, push);
        let next = present.mux(&newest, value);
        let head = m.hold(&format!("{field}_head"), &next, &takes);
        Older { field, now: moves_up.mux(&newest, &head), soon: takes.mux(&next, &head), head, newest }
    })
}

/// The issues of the last cycles, of the context and of the other slot of its warp.
struct Recent<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    issued: &'a [Expr],
    beside: Option<Vec<Expr>>,
}

impl Recent<'_> {
    /// Whether an issue was too recent for an instruction: the result of S7 cannot be read yet, or S8 or S6 does not know
    /// its outcome. With `soon` 1 in the next cycle, if none happens in this one.
    fn holds(&self, [reads_last, elects]: [&Expr; 2], soon: usize) -> Expr {
        let Self { m, shape, issued, beside } = self;
        let last = reads_last & &issued[WRITE_LATENCY - 1 - soon];
        let last = m.fault("does_not_wait_for_the_last_result", &last, &zeros(1));
        let (spacing, election) = (shape.spacing() - 1 - soon, shape.election_spacing() - 1 - soon);
        let close = |issued: &[Expr], too_early: &str| {
            &issued[spacing] | m.fault(too_early, &(elects & &issued[election]), &zeros(1))
        };
        let own = last | close(issued, "elects_too_early_after_its_own_slot");
        let beside = beside.as_ref().map(|issued| close(issued, "elects_too_early_after_the_other_slot"));
        beside.map_or(own.clone(), |beside| own | beside)
    }
}

/// Element n: whether `event` happened in one of the last n cycles, for n below `cycles`. Registers.
fn since(m: &Builder, name: &str, event: &Expr, cycles: usize) -> Vec<Expr> {
    let mut within = vec![lit(1, 0)];
    for count in 1..cycles {
        within.push(m.delay_reset(&format!("{name}_in_last_{count}"), &(event | &within[count - 1])));
    }
    within
}

/// The two entries for instructions of a context.
struct Places {
    present: Register,
    /// There are two instructions.
    full: Register,
    /// The position of the older instruction.
    read_at: Register,
    /// The position of the next instruction.
    write_at: Register,
    /// An instruction came since the last flush.
    follows: Register,
}

impl Places {
    fn declare(m: &Builder, flush: &Expr, push: &Expr, picked: &Expr) -> Self {
        m.comment("Two entries, a read and a write position.");
        let [present, full, read_at, write_at, follows] =
            ["present", "full", "read_at", "write_at", "follows_one"].map(|name| m.register(name, 1));
        present.next(&unless(flush, &(push | &full | (&present & !picked)))).reset(0);
        full.next(&unless(flush, &(!picked & (&*full | (&present & push))))).reset(0);
        read_at.next(&unless(flush, &(&read_at ^ picked))).reset(0);
        write_at.next(&unless(flush, &(&write_at ^ push))).reset(0);
        follows.next(&unless(flush, &(&follows | push))).reset(0);
        Self { present, full, read_at, write_at, follows }
    }
}

/// One bit, 0 in a flush.
fn unless(flush: &Expr, value: &Expr) -> Expr {
    flush.mux(&lit(1, 0), value)
}

/// Coverage: the older instruction waits for each resource, and for results of its own slot or of the other.
fn points_of_waiting(m: &Builder, shape: &Shape, present: &Expr, [needs, lacking]: [&Needs; 2], late: &Expr) {
    let waits_for = |(row, needs): &(&Resource, Expr)| {
        (format!("waits_for_a_{}", row.name), present & needs & lacking.reserved.of(row))
    };
    points(m, shape, &needs.reserved.rows().map(waits_for).collect::<Vec<_>>());
    if shape.slots > 1 {
        let [own, shadowed] = [late.slice(0, shape.late_results).any(), late.from(shape.late_results).any()];
        let found = [
            ("waits_for_a_shadow_alone", present & &shadowed & !&own),
            ("waits_for_own_results_and_shadows", present & &shadowed & &own),
        ];
        points(m, shape, &found);
    }
}
