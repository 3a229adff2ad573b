//! The lanes that a part of an access to the scratchpad serves, in S7. Combinational.
//!
//! Each bank serves the lowest active lane that addresses it, and all lanes that address the same word. An AMO serves
//! the lowest lane of each bank alone: so the lanes of one word take turns in their order. The leader, the lowest of
//! all, is always served. Lanes in RAM are not.

use rtl::{Builder, Expr, join, zeros};

use crate::memory::map::at_scratchpad;
use crate::shape::Shape;

pub fn served(m: &Builder, shape: &Shape, active: &Expr, addresses: &Expr, is_atomic: &Expr) -> Expr {
    m.comment("The scratchpad: each lane is compared with all lower ones.");
    let address = |lane: usize| addresses.lane(lane, 32);
    let there =
        m.wire_each(shape.lanes(), "in_scratchpad", |lane| active.bit(lane) & at_scratchpad(shape, &address(lane)));
    let bank = |lane: usize| address(lane).slice(2, shape.lane_bits());
    let row = |lane: usize| address(lane).slice(2 + shape.lane_bits(), shape.scratchpad_row_bits());
    let (mut firsts, mut served) = (vec![there.bit(0)], vec![there.bit(0)]);
    for lane in 1..shape.threads {
        let others = |same: &dyn Fn(usize) -> Expr| join((0..lane).map(same));
        let same_bank = others(&|other| there.bit(other) & bank(lane).eq(&bank(other)));
        let same_bank = m.wire(&format!("same_bank_{lane}"), &same_bank);
        let other_row = m.wire(&format!("other_row_{lane}"), &others(&|other| row(lane).ne(&row(other))));
        let first = m.wire(&format!("is_first_{lane}"), &(there.bit(lane) & same_bank.none()));
        let refused = (&same_bank & &join(&firsts) & other_row).any();
        let refused = m.fault("lanes_of_a_bank_with_other_rows_are_served", &refused, &zeros(1));
        let waits = m.fault("amos_of_a_word_go_together", is_atomic, &zeros(1)) & !&first;
        served.push(there.bit(lane) & !(refused | waits));
        firsts.push(first);
    }
    join(&served)
}
