//! Formal verification. For divergence units: the rules that the pipeline keeps, and the claims that every unit must
//! meet under them. For the core's edge: a port that shows the actions of one thread ([`edge`]).
//!
//! In a formal build ([`Shape::formal`](crate::Shape)) a unit has more ports. The inputs [`Watched`] `_watched` name
//! the watched warp. The outputs describe that warp, with the effect of every earlier S8:
//!
//! - its active path as [`Path`](crate::signals::Path) `_charge` (with two slots, also `_charge_y`);
//! - the complete list of its paths, as `_list_0` and up;
//! - from a stack, the state of each listed path ([`Standing`]).
//!
//! The unit asserts its own invariants by name. Emitted cores contain nothing of this.

mod dcache;
mod observation;
mod points;
mod registers;
mod reservations;
mod round_robin;
mod rules;
mod scoreboard;
mod shifts;
mod unit;

pub use dcache::elaborate as dcache;
pub use observation::elaborate as edge;
pub(crate) use observation::observe;
pub(crate) use points::{exist as points_exist, points, points_at_heights};
pub use registers::registers;
pub(crate) use registers::{KeptRegister, kept_register};
pub use reservations::elaborate as reservations;
pub use round_robin::elaborate as round_robin;
pub(crate) use rules::{Rules, Watched, elaborate as rules};
pub use scoreboard::elaborate as scoreboard;
pub use shifts::elaborate as shifts;
pub use unit::elaborate as unit;
pub(crate) use unit::{CHARGES, Standing, all_equal, output_active, output_list};

use rtl::{ElaborationError, Module};

use crate::shape::Shape;

/// The adaptor that adds the entries of the reconvergence table to refills, alone.
pub fn table_refills(shape: &Shape) -> Result<Module, ElaborationError> {
    (crate::memory::table_refills::ADAPTOR.elaborate)(shape, None)
}

/// The instruction cache alone.
pub fn icache(shape: &Shape) -> Result<Module, ElaborationError> {
    (crate::memory::icache::ADAPTOR.elaborate)(shape, None)
}
