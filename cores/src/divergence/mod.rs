//! Divergence units: which path of a warp runs, behind one set of ports.
//!
//! A unit is a type that implements [`DivergenceUnit`] and is listed in [`UNITS`]; its descriptor ([`Unit`]) says what
//! its surroundings know of it, and nothing else in the core knows its name. Its module has these ports, whatever the mechanism:
//!
//! | ports | direction | stage | meaning |
//! |---|---|---|---|
//! | `start_valid`, `start_warp` | in | – | after reset, one warp a cycle: all its threads live at the reset pc |
//! | `generation` | in | – | which value of a parked thread's generation bit still counts as parked |
//! | `warp_s6`, `slot_s6` | in | S6 | whose path S7 will validate against |
//! | [`Path`] `_s7` | out | S7 | that path, with the effect of every earlier S8 |
//! | `leaves_at_ret_s7` | out | S7 | only where the unit [reconverges](Unit::reconverges): that path gives way at a `ret` |
//! | `warp_s7`, `slot_s7` | in | S7 | whose context S8 will update |
//! | [`Resolve`] `_s8` | in | S8 | what the instruction did |
//! | [`Path`] `_x` | out | S8 + delay | the path in charge after it; of two slots, that of slot 0 |
//! | [`Path`] `_y`, `gives_way_y` | out | S8 | only with two slots: the same of slot 1 |
//! | `restarts` | out | S8 | only with two slots: those that are fetched anew, whatever was predicted |
//! | `shadows` | out | S8 | only with two slots: those whose late results may be those of threads that go on in the other |
//! | `predicted_s8` | in | S8 | only where the unit [compares it](DivergenceUnit::compares_prediction): where the front end went on |
//! | `at_prediction_x`, `_y` | out | S8 | and with it: whether the path in charge is there, if it is that of the instruction's slot |
//! | `is_b_x` | out | S8 | and with it, but not where the unit reconverges: whether the path in charge is b, if b has threads, and no others |
//! | [`UnitPorts`] `_trace` | out | S8 + record delay | only with the trace port |
//! | `gives_way_s7`, `gives_way_x` | out | S7, S8 + delay | that path gives way to another: see [`Unit::rotates`] |
//!
//! In a formal build it has more, and asserts its invariants by name: see [`crate::formal`].

pub mod arbiter;
mod hot;
mod row;
mod sorted_table;
mod stack;
mod verilog;

use rtl::{Builder, ElaborationError, Expr, Instance, Module, zeros};

use weft_config::{Unit, UnknownUnit};
use weft_trace::UnitPorts;

use crate::shape::Shape;
use crate::signals::{Path, Resolve};
use crate::trace::Traced;
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
    /// What its surroundings know of it.
    fn descriptor(&self) -> &'static Unit;

    /// Whether it tells if the path in charge is where the front end went on, since it can sooner than who knows that path. It
    /// has no delay. A commit asks it of the path of its own slot, a rotation not at all.
    fn compares_prediction(&self) -> bool {
        false
    }

    /// Its tables.
    fn storage(&self, shape: &Shape) -> Vec<Storage>;

    /// Its module.
    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError>;

    /// Commits of its warp that a thread which lives and is not parked sees at most between two of its own, where the
    /// unit bounds them. In a formal build the unit then has the output `waits_at_most`: a bound, for the state it is
    /// in, on those that the watched thread is still to see.
    fn longest_wait(&self, _: &Shape) -> Option<u64> {
        None
    }

    /// Paths in the list that it gives in a formal build ([`crate::formal`]).
    fn listed_paths(&self, shape: &Shape) -> usize {
        shape.threads
    }

    /// In a formal build of a unit that reconverges: pcs that it may hold as those of returns, `return_0_valid` and
    /// `return_0_pc` and up.
    fn listed_returns(&self, _: &Shape) -> usize {
        0
    }

    /// Circuits of it without state, each with its specification as properties, to be proved for all inputs.
    fn specifications(&self, _: &Shape) -> Result<Vec<Module>, ElaborationError> {
        Ok(Vec::new())
    }
}

/// The registered units.
static UNITS: &[&dyn DivergenceUnit] =
    &[&arbiter::Arbiter, &sorted_table::SortedTable, &stack::PdomStack, &stack::DualPath];

/// And the one that is a module of its user's: no test or comparison of all units has it.
static VERILOG: &dyn DivergenceUnit = &verilog::Verilog;

/// The hardware of a unit.
///
/// # Panics
/// If a descriptor has no hardware, which a test excludes.
pub fn hardware(unit: &Unit) -> &'static dyn DivergenceUnit {
    let mut all = UNITS.iter().copied().chain([VERILOG]);
    all.find(|hardware| hardware.descriptor() == unit).expect("hardware of every unit")
}

/// The hardware of the unit of a name.
pub fn find(name: &str) -> Result<&'static dyn DivergenceUnit, UnknownUnit> {
    Unit::find(name).map(hardware)
}

pub(crate) use verilog::{check as check_external, check_names as check_names_of_external, of as external_of};

/// What a unit tells the trace.
pub type UnitTrace = Traced<UnitPorts<Expr>>;

rtl::inputs! {
    /// The inputs of a unit's module, declared in the order of the table above.
    pub struct UnitInputs(m: &Builder, shape: &Shape) {
        #[group = "start after reset, and the barrier's generation"]
        /// A warp starts.
        pub start_valid: Expr = m.input("start_valid", 1),
        /// Which.
        pub start_warp: Expr = m.input("start_warp", shape.warp_bits()),
        /// Current generation of the barrier.
        pub generation: Expr = m.input("generation", 1),
        #[group = "whose path S7 validates against, and whose context S8 updates"]
        /// Warp in S6.
        pub warp_s6: Expr = m.input("warp_s6", shape.warp_bits()),
        /// Its slot.
        pub slot_s6: Expr = m.input("slot_s6", shape.slot_bits()),
        /// Warp in S7.
        pub warp_s7: Expr = m.input("warp_s7", shape.warp_bits()),
        /// Its slot.
        pub slot_s7: Expr = m.input("slot_s7", shape.slot_bits()),
        #[group = "what the instruction in S8 did"]
        /// The instruction in S8.
        pub resolve: Resolve = Resolve::inputs(m, shape, "s8"),
    }
}

impl UnitInputs {
    /// Connects them to an instance that has the same ports.
    pub fn connect(&self, instance: &Instance) {
        instance.input("start_valid", &self.start_valid).input("start_warp", &self.start_warp);
        instance.input("generation", &self.generation);
        instance.input("warp_s6", &self.warp_s6).input("slot_s6", &self.slot_s6);
        instance.input("warp_s7", &self.warp_s7).input("slot_s7", &self.slot_s7);
        self.resolve.connect(instance, "s8");
    }
}

/// The cycle in which a unit knows the active path after an instruction.
pub fn known_in(shape: &Shape) -> String {
    match shape.delay {
        0 => "in its S8".to_owned(),
        1 => "one cycle after its S8".to_owned(),
        cycles => format!("{cycles} cycles after its S8"),
    }
}

/// Latency and contract of a unit's module, for its head.
fn timing(shape: &Shape) -> String {
    let (known, spacing) = (known_in(shape), shape.spacing());
    format!(
        "the active path after an instruction is known {known}; the path for S7 is read in S6, with every earlier \
         outcome in it. Instructions of one warp arrive at least {spacing} cycles apart."
    )
}

/// The outputs of a unit's module, of the table above.
pub struct UnitOutputs {
    /// The path that S7 validates against.
    pub validate: Path,
    /// It gives way.
    pub gives_way_s7: Expr,
    /// It gives way at a `ret`; no bits where the unit does not reconverge.
    pub leaves_at_ret_s7: Expr,
    /// The path in charge of each slot after S8, and whether it gives way.
    pub in_charge: Vec<(Path, Expr)>,
    /// Whether it is where the front end went on; none where the unit does not compare it.
    pub at_prediction: Vec<Expr>,
    /// Whether it is b, with no others; none where the unit does not compare the prediction, or reconverges.
    pub is_b: Vec<Expr>,
    /// Slots that are fetched anew; no bits with one slot.
    pub restarts: Expr,
    /// Slots whose late results may be those of threads of the other; no bits with one slot.
    pub shadows: Expr,
    /// What the trace is told.
    pub trace: UnitTrace,
}

impl UnitOutputs {
    /// Of a unit with one slot that needs no reconvergence points: the path that S7 validates against and the path in
    /// charge after S8, and whether each gives way.
    pub fn of_one_slot([validate, in_charge]: [Path; 2], [gave_way, gives_way]: [Expr; 2], trace: UnitTrace) -> Self {
        Self {
            validate,
            gives_way_s7: gave_way,
            leaves_at_ret_s7: zeros(0),
            in_charge: vec![(in_charge, gives_way)],
            at_prediction: Vec::new(),
            is_b: Vec::new(),
            restarts: zeros(0),
            shadows: zeros(0),
            trace,
        }
    }

    /// Declares the ports.
    pub fn declare(&self, m: &Builder, shape: &Shape) {
        m.port_group("the path that S7 validates against");
        self.validate.outputs(m, "s7");
        m.output("gives_way_s7", &self.gives_way_s7);
        if shape.reconverges {
            m.output("leaves_at_ret_s7", &self.leaves_at_ret_s7);
        }
        m.port_group("the path in charge after S8");
        for ((path, gives_way), name) in self.in_charge.iter().zip(SLOTS) {
            path.outputs(m, name);
            m.output(&format!("gives_way_{name}"), gives_way);
        }
        for (what, answers) in [("at_prediction", &self.at_prediction), ("is_b", &self.is_b)] {
            for (answer, name) in answers.iter().zip(SLOTS) {
                m.output(&format!("{what}_{name}"), answer);
            }
        }
        if shape.slots > 1 {
            m.port_group("slots that are fetched anew; slots whose late results may be those of threads of the other");
            m.output("restarts", &self.restarts);
            m.output("shadows", &self.shadows);
        }
        if shape.trace {
            m.port_group("trace");
            self.trace.outputs(m, "trace");
        }
    }
}

/// Names of the slots in the ports of a unit.
pub const SLOTS: [&str; 2] = ["x", "y"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_hardware_of_its_own() {
        let hardware: Vec<&str> = UNITS.iter().map(|unit| unit.descriptor().name).collect();
        assert_eq!(hardware, Unit::names());
        assert!(VERILOG.descriptor().is_external());
    }
}
