//! S3, places: what an instruction reserves when it issues, so that nothing after S3 stalls.
//!
//! A place is reserved at issue and counted a cycle later, from S4; each [`Resource`] has a count. Storage: a count and
//! two or three flags for each.

use rtl::{Builder, Expr, clog2, join, ones, zeros};

use super::resource::{self, Resource};
use crate::shape::Shape;

/// Places that are returned, of each kind by up to two at once: taken or written, and unused by a squashed instruction.
pub struct Returned {
    /// Entries of the request queue.
    pub requests: [Expr; 2],
    /// Nothing is in flight in the memory; no bits where it performs what it accepts.
    pub memory_idle: Expr,
    /// Tags of loads.
    pub tags: [Expr; 2],
    /// Entries of the queue of products and quotients.
    pub longs: [Expr; 2],
    /// The divider.
    pub divisions: [Expr; 2],
}

impl Returned {
    /// Declares the ports.
    pub fn inputs(m: &Builder, shape: &Shape) -> Self {
        m.port_group("places returned: request queue (accepted, unused), tags (written, unused)");
        let accepted = m.input("request_accepted", 1);
        let memory_idle = m.input("memory_idle", usize::from(shape.posts_stores));
        let requests = [accepted, m.input("request_unused_s8", 1)];
        let tags = ["tag_written", "tag_unused_s8"].map(|port| m.input(port, 1));
        m.port_group("long results written or unused, division taken or unused");
        let longs = ["long_written", "long_unused_s8"].map(|port| m.input(port, 1));
        let divisions = ["division_taken", "division_unused_s8"].map(|port| m.input(port, 1));
        Self { requests, memory_idle, tags, longs, divisions }
    }
}

/// What may be reserved now.
pub struct Reservations {
    /// Of each row of the table of resources, whether it is lacking.
    pub lacking: Expr,
    /// Nothing is on its way to a register.
    pub late_idle: Expr,
}

impl Reservations {
    /// Of what the instruction in S4 needs, and what is returned. No request issues while a fence waits for all that are
    /// under way.
    pub fn declare(m: &Builder, shape: &Shape, needs_s4: &Expr, fence_waits: &Expr, returned: &Returned) -> Self {
        let places = |resource: &Resource, returned: &[Expr; 2], closes: Option<&Expr>| {
            let taken = resource.of(shape, needs_s4);
            Places::declare(m, resource.name, (resource.capacity)(shape), &taken, returned.each_ref(), closes)
        };
        let closes = m.fault("requests_issue_while_a_fence_waits", fence_waits, &zeros(1));
        let requests = places(&resource::REQUEST, &returned.requests, Some(&closes));
        let tags = places(&resource::TAG, &returned.tags, None);
        let idle = &returned.memory_idle;
        let is_idle = m.fault("fence_does_not_wait_for_memory", idle, &ones(idle.width()));
        let performed = if shape.posts_stores { &requests.none & is_idle } else { requests.none };
        let mut lacking = vec![requests.full, tags.full, !performed];
        let mut late_idle = tags.none;
        if resource::LONG_RESULT.exists(shape) {
            let longs = places(&resource::LONG_RESULT, &returned.longs, None);
            let divisions = places(&resource::DIVIDER, &returned.divisions, None);
            lacking.extend([longs.full, divisions.full]);
            late_idle = late_idle & longs.none;
        }
        Self { lacking: m.wire("lacking", &join(&lacking)), late_idle }
    }
}

/// A count of reserved places.
struct Places {
    full: Expr,
    none: Expr,
}

impl Places {
    /// One place taken in the cycle before and up to two returned now. What `closes` them, does so from the next cycle on.
    fn declare(
        m: &Builder,
        name: &str,
        capacity: usize,
        taken: &Expr,
        returned: [&Expr; 2],
        closes: Option<&Expr>,
    ) -> Self {
        let width = clog2(capacity + 1);
        let used = m.register(&format!("{name}s_used"), width);
        let returned = join(returned);
        let down = if width == 1 { returned.any() } else { rtl::count_ones(&returned).extend(width) };
        let next = m.wire(&format!("{name}s_used_next"), &((&*used + taken.extend(width)) - down));
        used.next(&next).reset(0);
        let register = |state: &str, now: &Expr, at_reset: bool| {
            let register = m.register(&format!("{name}s_{state}"), 1);
            register.next(now).reset(u64::from(at_reset));
            register.q()
        };
        let is_used_up = |state: &str, count: usize| {
            let used_up = m.fault(&format!("{name}s_{state}_is_low"), &next.is(count as u64), &zeros(1));
            let now = closes.map_or(used_up.clone(), |closes| used_up | closes);
            register(state, &now, count == 0)
        };
        let one_left = capacity - 1;
        let one_left = m.fault(&format!("{name}s_one_left_is_one_too_early"), &one_left, &one_left.saturating_sub(1));
        let all = m.fault(&format!("{name}s_full_is_one_too_late"), &capacity, &(capacity + 1));
        let full = taken.mux(&is_used_up("one_left", one_left), &is_used_up("full", all));
        // Whoever closes places waits for all to come back, in every pick. Elsewhere a register would save no delay that counts.
        let none_before = if closes.is_some() { register("none", &next.none(), true) } else { used.none() };
        Self { full, none: none_before & !taken }
    }
}
