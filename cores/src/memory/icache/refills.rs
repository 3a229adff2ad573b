//! The refills in flight, in a ring: memory answers in order, so the oldest is at the head.
//!
//! `fence.i` leaves the entries, because contexts wait for them, but the answers to requests sent before are dropped
//! and the lines requested again.

use rtl::{Builder, Expr, Register, clog2, decode, encode, increment, join, ones, select, zeros};

use super::{Cache, REFILLS, Sizes};

/// Bits of the number of unanswered requests. It can exceed the entries after a `fence.i`.
const COUNT: usize = (2 * REFILLS).trailing_zeros() as usize;

pub struct Refills {
    /// The entries in use.
    present: Register,
    /// A request is at the port of memory.
    offered: Register,
    /// The entries whose request has left.
    sent: Register,
    numbers: Vec<Register>,
    pub head: Register,
    pub tail: Expr,
    tail_at: Register,
    send_at: Register,
    /// The line of the oldest refill.
    pub head_number: Expr,
    pub full: Expr,
    /// The looked-up line is on its way, in this entry.
    pub matched: Expr,
    pub matching: Expr,
    /// That entry is the oldest.
    pub matches_head: Expr,
    /// Requests without an answer, and those of them whose answers are dropped.
    pub outstanding: Register,
    stale: Register,
    /// The last beat of an answer that is kept; of any.
    pub arrived: Expr,
    pub answered: Expr,
}

impl Refills {
    pub fn declare(m: &Builder, sizes: &Sizes, looked_up: &Expr) -> Self {
        m.comment("The refills in flight.");
        let bits = clog2(REFILLS);
        let [present, sent] = ["refills", "sent"].map(|name| m.register(name, REFILLS));
        let [head, tail_at, send_at] = ["head", "tail", "send_at"].map(|name| m.register(name, bits));
        let numbers: Vec<Register> =
            (0..REFILLS).map(|entry| m.register(&format!("refill_{entry}"), sizes.number)).collect();
        let same = join(numbers.iter().map(|number| number.eq(looked_up)));
        let matches = m.wire("refills_of_line", &(&present & same));
        let [outstanding, stale] = ["outstanding", "stale"].map(|name| m.register(name, COUNT));
        let answered = m.forward("answered", 1);
        let offered = m.register("request_valid", 1);
        let stays = m.fault("a_fence_keeps_the_refills", &stale.none(), &ones(1));
        Self {
            head_number: m.wire("head_number", &select(&head, &numbers)),
            full: m.wire("full", &present.all()),
            matched: matches.any(),
            matching: encode(&matches),
            matches_head: matches.index(&head),
            arrived: m.wire("arrived", &(&answered & stays)),
            tail: tail_at.q(),
            present,
            offered,
            sent,
            numbers,
            head,
            tail_at,
            send_at,
            outstanding,
            stale,
            answered,
        }
    }

    pub fn any(&self) -> Expr {
        self.present.any()
    }

    /// Whether memory owes an answer. If it has `failed`, it will not accept the request at its port.
    pub fn at_memory(&self, failed: &Expr) -> Expr {
        self.outstanding.ne(&(&self.offered & failed).extend(COUNT))
    }

    /// `begins`: a refill of `number` begins. `ends`: the oldest ends.
    pub fn update(&self, m: &Builder, cache: &Cache, ends: &Expr, [begins, number]: [&Expr; 2]) {
        let Cache { sizes, memory, .. } = cache;
        let empty = &cache.port.empty;
        m.comment("A refill begins at the tail and ends at the head.");
        let begun = m.wire("begun", &decode(&self.tail, REFILLS).when(begins));
        let ended = m.wire("ended", &decode(&self.head, REFILLS).when(ends));
        self.present.next(&((&self.present & !&ended) | &begun)).reset(0);
        for (entry, register) in self.numbers.iter().enumerate() {
            register.next(number).enable(&begun.bit(entry));
        }
        self.tail_at.next(&increment(&self.tail, 1)).enable(begins).reset(0);
        self.head.next(&increment(&self.head, 1)).enable(ends).reset(0);

        m.comment("Requests. One that waits at the port when the cache is emptied stays there; its answer is dropped.");
        let offered = &self.offered;
        let can_send = self.present.index(&self.send_at) & !self.sent.index(&self.send_at);
        let free = !offered | &memory.ready;
        let sends = m.wire("sends", &(can_send & free & !self.outstanding.all() & !empty));
        offered.next(&(&sends | (offered & !&memory.ready))).reset(0);
        let number = select(&self.send_at, &self.numbers);
        let requested = m.hold("request_number", &number, &sends);
        m.output("next_ifill_req_valid", offered);
        m.output("next_ifill_req_addr", &sizes.address(&requested));
        let sent_now = decode(&self.send_at, REFILLS).when(&sends);
        let restarts = m.fault("a_fence_keeps_the_refills", empty, &zeros(1));
        self.sent.next(&(((&self.sent & !ended) | sent_now).when(&!&restarts))).reset(0);
        let head_next = m.wire("head_next", &(&self.head + ends.extend(self.head.width())));
        let send_next = &self.send_at + sends.extend(self.head.width());
        self.send_at.next(&restarts.mux(&head_next, &send_next)).reset(0);

        m.comment("Unanswered requests. Those that were sent before the cache was emptied have stale answers.");
        let more = sends.extend(COUNT);
        let left = m.wire("outstanding_next", &(&self.outstanding + more - self.answered.extend(COUNT)));
        self.outstanding.next(&left).reset(0);
        let fewer = &*self.stale - (&self.answered & self.stale.any()).extend(COUNT);
        self.stale.next(&empty.mux(&left, &fewer)).reset(0);
    }
}
