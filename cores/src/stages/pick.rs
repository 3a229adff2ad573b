//! A fair pick among contexts, for S0 and S3: in each warp one of its slots, all in parallel, then one of the warps by
//! round robin. Of two slots that request, the one that was not picked last comes first.
//!
//! Storage: one bit per warp ([`round_robin`]), and one more if a warp has two slots.

use rtl::{Builder, Each, ElaborationError, Expr, join, zeros};

use super::context::join_context;
use crate::functional::round_robin;
use crate::shape::Shape;

pub struct Picked {
    /// The context, one-hot; none while there is no request.
    pub grant: Expr,
    /// Its number, which arrives before `grant`. It and `beside` are undefined while there is no request.
    pub context: Expr,
    /// The bits beside it, in the order of [`Requests::beside`].
    pub beside: Expr,
}

/// The contexts to pick from, one bit each.
pub struct Requests<'a> {
    pub all: &'a Expr,
    /// Requests of these precede others.
    pub preferred: Option<&'a Expr>,
    /// Further bits: of each context, the same number.
    pub beside: &'a [&'a Expr],
    /// The pick counts, so others come first afterwards.
    pub accept: &'a Expr,
}

pub fn pick(m: &Builder, shape: &Shape, requests: &Requests) -> Result<Picked, ElaborationError> {
    let Requests { all, preferred, beside, accept } = requests;
    let width: usize = beside.iter().map(|bits| bits.width() / shape.contexts()).sum();
    // It is known later whether one of two slots requests than whether a single one does.
    let early = shape.slots > 1;
    let picker = round_robin::elaborate(shape.warps, preferred.is_some(), width + shape.slot_bits(), early)?;
    let first = preferred.map_or(zeros(all.width()), |preferred| *all & preferred);
    let turns = (shape.slots > 1).then(|| m.register("right_is_next", shape.warps));
    let right = |warp: usize| turns.as_ref().map_or(zeros(0), |turns| is_right([all, &first], warp, &turns.bit(warp)));
    let right = m.wire("right_slots", &join((0..shape.warps).map(right)));
    let of_warp = |bits: &Expr, warp: usize| bits.slice(shape.slots * warp, shape.slots);
    let any = |bits: &Expr| join((0..shape.warps).map(|warp| of_warp(bits, warp).any()));
    let beside_of = |warp: usize| {
        let slot = right.slice(shape.slot_bits() * warp, shape.slot_bits());
        let of_slots = |bits: &&Expr| {
            let width = bits.width() / shape.contexts();
            let of_slots = bits.slice(shape.slots * width * warp, shape.slots * width).lanes(width);
            rtl::select(&slot, &of_slots)
        };
        join(beside.iter().map(of_slots).chain([slot.clone()]))
    };

    let instance = m.instance("picker", &picker);
    instance.input("requests", &any(all)).input("accept", accept);
    if let Some(preferred) = preferred {
        instance.input("preferred", &if shape.slots > 1 { any(&first) } else { (*preferred).clone() });
    }
    instance.input("beside", &m.wire_each(Each::new("index", shape.warps), "beside", beside_of));
    let warps = instance.output_as("grant", "picked_warps");
    let told = instance.output_as("beside_grant", "beside_picked");
    let (beside, slot) = (told.slice(0, width), told.from(width));
    let grant = match &turns {
        None => warps,
        Some(turns) => {
            turns.next(&((&warps & !&right) | (!&warps & turns))).enable(accept).reset(0);
            let slots = |warp: usize| {
                let (picked, right) = (warps.bit(warp), right.bit(warp));
                join(&[&picked & !&right, picked & right])
            };
            m.wire("picked_contexts", &join((0..shape.warps).map(slots)))
        }
    };
    let context = join_context(&instance.output_as("number", "picked_warp"), &slot);
    Ok(Picked { grant, context, beside })
}

/// Whether the right slot of a warp comes first. `first` are the preferred requests.
fn is_right([all, first]: [&Expr; 2], warp: usize, is_next: &Expr) -> Expr {
    let right = |requests: &Expr| {
        let [left, right] = [requests.bit(2 * warp), requests.bit(2 * warp + 1)];
        (&right & (!&left | is_next), left | right)
    };
    let ((of_first, any_first), (of_all, _)) = (right(first), right(all));
    of_first | (!any_first & of_all)
}
