//! Divergence units: which path of a warp runs, behind one set of ports.
//!
//! A unit is a type that implements [`DivergenceUnit`] and stands in [`UNITS`]; nothing else in the core knows its
//! name. Its module has these ports, whatever the mechanism:
//!
//! | ports | direction | stage | meaning |
//! |---|---|---|---|
//! | `start_valid`, `start_warp` | in | – | after reset, one warp a cycle: all its threads live at the reset pc |
//! | `generation` | in | – | which value of a parked thread's generation bit still counts as parked |
//! | `warp_s6`, `slot_s6` | in | S6 | whose path S7 will validate against |
//! | [`Path`] `_s7` | out | S7 | that path, with the effect of every earlier S8 |
//! | `warp_s7`, `slot_s7` | in | S7 | whose context S8 will update |
//! | [`Resolve`] `_s8` | in | S8 | what the instruction did |
//! | [`Path`] `_x` | out | S8 + delay | the path in charge after it |

pub mod arbiter;

use rtl::{Builder, ElaborationError, Expr, Module};

use weft_config::Config;

use crate::CoreError;
use crate::shape::Shape;
use crate::signals::{Path, Resolve};
use rtl::Bundle;

/// A table of a unit.
pub struct Storage {
    /// Its name in the Verilog.
    pub name: &'static str,
    /// Words.
    pub words: usize,
    /// Bits of a word.
    pub bits: usize,
}

/// One mechanism of divergence tracking.
pub trait DivergenceUnit: Sync {
    /// Value of `divergence.unit`.
    fn name(&self) -> &'static str;

    /// Paths of a warp that it schedules at once.
    fn slots(&self) -> usize;

    /// Cycles after S8 in which the path in charge becomes known; 0 for a unit that settles in S8. Two instructions of
    /// one context leave S3 two cycles and these apart, so that S7 never needs a path that is still being computed.
    fn delay(&self, config: &Config) -> usize;

    /// Cycles from a commit's trace record to the record of the context that it leaves.
    fn record_delay(&self, config: &Config) -> usize {
        self.delay(config)
    }

    /// Its tables.
    fn storage(&self, shape: &Shape) -> Vec<Storage>;

    /// Its module.
    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError>;
}

/// The registered units.
static UNITS: &[&dyn DivergenceUnit] = &[&arbiter::Arbiter];

/// Names of the registered units.
pub fn names() -> Vec<&'static str> {
    UNITS.iter().map(|unit| unit.name()).collect()
}

/// The unit of a name.
pub fn find(name: &str) -> Result<&'static dyn DivergenceUnit, CoreError> {
    UNITS
        .iter()
        .find(|unit| unit.name() == name)
        .copied()
        .ok_or_else(|| CoreError::UnknownUnit { name: name.to_owned(), known: names().join(", ") })
}

/// The inputs of a unit's module, declared in the order of the table above.
pub struct UnitInputs {
    /// A warp starts.
    pub start_valid: Expr,
    /// Which.
    pub start_warp: Expr,
    /// Current generation of the barrier.
    pub generation: Expr,
    /// Warp in S6.
    pub warp_s6: Expr,
    /// Warp in S7.
    pub warp_s7: Expr,
    /// The instruction in S8.
    pub resolve: Resolve,
}

impl UnitInputs {
    /// Declares the ports of a unit.
    pub fn declare(m: &Builder, shape: &Shape) -> Self {
        m.port_group("start after reset, and the barrier's generation");
        let start_valid = m.input("start_valid", 1);
        let start_warp = m.input("start_warp", shape.warp_bits());
        let generation = m.input("generation", 1);
        m.port_group("whose path S7 validates against, and whose context S8 updates");
        let warp_s6 = m.input("warp_s6", shape.warp_bits());
        m.input("slot_s6", shape.slot_bits());
        let warp_s7 = m.input("warp_s7", shape.warp_bits());
        m.input("slot_s7", shape.slot_bits());
        m.port_group("what the instruction in S8 did");
        let resolve = Resolve::inputs(m, shape, "s8");
        Self { start_valid, start_warp, generation, warp_s6, warp_s7, resolve }
    }
}

/// Declares the outputs of a unit: the path S7 validates against and the path in charge after S8.
pub fn declare_outputs(m: &Builder, validate: &Path, in_charge: &Path) {
    m.port_group("the path that S7 validates against");
    validate.outputs(m, "s7");
    m.port_group("the path in charge after S8");
    in_charge.outputs(m, "x");
}
