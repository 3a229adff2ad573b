//! S3, places: the credits that an instruction reserves when it issues, so that nothing after S3 stalls.
//!
//! A credit is reserved at issue, and counted one cycle later, from S4. Each [`Resource`] has a count. Storage: a
//! count and two or three flags for each resource.

use rtl::{Builder, Bundle, Expr, clog2, join, ones, zeros};

use super::resource::{REQUEST, Reservations, Resource, resources};
use super::s3_context::Needs;
use crate::shape::Shape;

rtl::inputs! {
    pub struct Returned(m: &Builder, shape: &Shape) {
        #[group = "credits that are free again; credits that were not used"]
        /// Credits that are free again after use.
        freed: Reservations = Reservations::inputs(m, shape, "freed"),
        /// Credits that were reserved and not used.
        unused: Reservations = Reservations::inputs(m, shape, "unused_s8"),
        /// No access is in flight in the memory; no bits where it performs an access when it accepts it.
        memory_idle: Expr = m.input("dmem_idle", usize::from(shape.posts_stores)),
    }
}

pub struct Availability {
    /// The requirements that are lacking: the bits of [`Needs`].
    pub lacking: Expr,
    /// No credit for a long-latency result is in use.
    pub late_idle: Expr,
}

impl Availability {
    /// Counts the reservations of the instruction in S4, and the returned credits. No request issues while a fence
    /// waits for the requests in flight.
    pub fn declare(m: &Builder, shape: &Shape, needs_s4: &Expr, fence_waits: &Expr, returned: &Returned) -> Self {
        let Returned { freed, unused, memory_idle } = returned;
        let taken = Needs::unpack(m, shape, needs_s4).reserved;
        let closes = m.fault("requests_issue_while_a_fence_waits", fence_waits, &zeros(1));
        let is_request = |resource: &Resource| resource.name == REQUEST.name;
        let count = |resource: &'static Resource| {
            let returned = [&freed.of(resource), &unused.of(resource)];
            let closes = is_request(resource).then_some(&closes);
            let capacity = (resource.capacity)(shape);
            (resource, Places::declare(m, resource.name, capacity, &taken.of(resource), returned, closes))
        };
        let places: Vec<(&Resource, Places)> = resources(shape).into_iter().map(count).collect();
        let none = |of: &dyn Fn(&Resource) -> bool| {
            let counts = places.iter().filter(|(resource, _)| of(resource));
            counts.fold(ones(1), |none, (_, places)| none & &places.none)
        };
        let is_idle = m.fault("fence_does_not_wait_for_memory", memory_idle, &ones(memory_idle.width()));
        let no_requests = none(&is_request);
        let performed = if shape.posts_stores { no_requests & is_idle } else { no_requests };
        let lacking = join(places.iter().map(|(_, places)| &places.full).chain([&!performed]));
        Self { lacking: m.wire("lacking", &lacking), late_idle: none(&|resource| resource.is_late) }
    }
}

struct Places {
    full: Expr,
    none: Expr,
}

impl Places {
    /// Declares a count. One credit can be taken in the previous cycle, and two can return now. `closes` stops
    /// issues from the next cycle on.
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
        let next = m.wire(&format!("{name}s_used_next"), &((&used + taken.extend(width)) - down));
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
        // A waiting fence needs an empty request queue in every pick. For other resources a register would shorten
        // no critical path.
        let none_before = if closes.is_some() { register("none", &next.none(), true) } else { used.none() };
        Self { full, none: none_before & !taken }
    }
}
