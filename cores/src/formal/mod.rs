//! Formal verification. Of divergence units: rules that the pipeline keeps, and what every unit owes under them. Of the
//! core at its edge: a port that tells what one thread does ([`Observation`]).
//!
//! In a formal build ([`Shape::formal`](crate::Shape)) a unit has more ports: [`Watched`] `_watched` tells it the warp
//! that is watched, and it answers with that warp's context, the path in charge as [`Path`](crate::signals::Path)
//! `_charge` (of two slots, that of slot 1 as `_charge_y`) and the complete list as `_list_0` and up, all with the effect
//! of every earlier S8. A stack adds what else is known of the paths in the list ([`Standing`]). It asserts its own
//! invariants by name. No part of this is in a core that is emitted.

mod observation;
mod points;
mod registers;
mod reservations;
mod rules;
mod scoreboard;
mod unit;

pub(crate) use observation::observe;
pub use observation::{Observation, elaborate as edge};
pub(crate) use points::{exist as points_exist, points, points_at_heights};
pub use registers::registers;
pub(crate) use registers::{KeptRegister, kept_register};
pub use reservations::elaborate as reservations;
pub(crate) use rules::{Rules, Watched, elaborate as rules};
pub use scoreboard::elaborate as scoreboard;
pub use unit::elaborate as unit;
pub(crate) use unit::{CHARGES, Standing};

use rtl::{Builder, Expr};

/// A value a cycle later, 0 after reset.
fn flag(m: &Builder, name: &str, next: &Expr) -> Expr {
    let register = m.register(name, next.width());
    register.next(next).reset(0);
    register.q()
}
