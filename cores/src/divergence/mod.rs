//! Divergence units: which path of a warp runs, behind one set of ports.
//!
//! A unit is a type that implements [`DivergenceUnit`] and is listed in [`UNITS`]. Its descriptor ([`Unit`]) tells
//! the rest of the core what it must take into account. Nothing else in the core depends on its name. Every unit has
//! these ports:
//!
//! | ports | direction | stage | meaning |
//! |---|---|---|---|
//! | `start_valid`, `start_warp` | in | – | after reset, one warp a cycle: all its threads start at the reset pc |
//! | `generation` | in | – | for each warp, the value of a thread's generation bit that counts as parked |
//! | `warp_s6`, `slot_s6` | in | S6 | the context whose path S7 validates against in the next cycle |
//! | [`Path`] `_s7` | out | S7 | that path, with all outcomes of earlier S8 cycles in it |
//! | `leaves_at_ret_s7` | out | S7 | if the unit [reconverges](Unit::reconverges): that path yields at a `ret` |
//! | `warp_s7`, `slot_s7` | in | S7 | the context that S8 updates in the next cycle |
//! | [`Ahead`] `_s7` | in | S7 | if the unit [compares](DivergenceUnit::compares_ahead) then: fields of the outcome in the next cycle |
//! | [`Resolve`] `_s8` | in | S8 | the outcome of the instruction |
//! | [`Path`] `_x` | out | S8 + delay | the next active path; with two slots, that of slot 0 |
//! | [`Path`] `_y`, `gives_way_y` | out | S8 | only with two slots: the same for slot 1 |
//! | `restarts` | out | S8 | only with two slots: the slots to fetch again, despite the prediction |
//! | `shadows` | out | S8 | only with two slots: the slots that need shadow bits |
//! | `predicted_s8` | in | S8 | if the unit [compares it](DivergenceUnit::compares_prediction): the predicted pc |
//! | `follows_x`, `_y` | out | S8 | with it: the active path of the instruction's slot can run, and is at that pc |
//! | `is_b_x` | out | S8 | with it, unless the unit [knows](DivergenceUnit::puts_the_rest_first): if b has threads, the active path is b alone |
//! | [`UnitPorts`] `_trace` | out | S8 + record delay | only with the trace port |
//! | `gives_way_s7`, `gives_way_x` | out | S7, S8 + delay | that path yields to another: see [`Unit::rotates`] |
//!
//! Some fields of these paths are ports only where they are read: the pc of `_s7` and the depth of `_y` in a formal build,
//! the depth of `_x` there and with the trace port.
//!
//! In a formal build a unit has more ports, and asserts its invariants by name: see [`crate::formal`].

pub mod arbiter;
mod hot;
mod minority_first;
mod multi_path;
mod path_stack;
mod queue;
mod ring;
mod rings;
mod row;
mod slices;
mod sorted_table;
mod stack;
mod verilog;
mod watch;

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, Module, zeros};

use weft_config::{Unit, UnknownUnit};
use weft_trace::{SecondPorts, UnitPorts};

use crate::shape::Shape;
use crate::signals::{Ahead, Path, Resolve};
use crate::trace::Traced;

pub struct Storage {
    pub name: &'static str,
    pub words: usize,
    pub bits: usize,
}

pub trait DivergenceUnit: Sync {
    fn descriptor(&self) -> &'static Unit;

    /// Whether the unit compares the active path with the predicted pc, which it can do earlier than its
    /// surroundings. Such a unit has no delay. The comparison counts for a commit's own slot, and not in a rotation, nor
    /// where threads end and paths reconverge: both resteer.
    fn compares_prediction(&self) -> bool {
        true
    }

    /// Whether the unit compares where an instruction leads a cycle before S8, in S7.
    fn compares_ahead(&self) -> bool {
        self.descriptor().reconverges
    }

    /// Whether threads that their instruction has not served come before all others of the warp.
    fn puts_the_rest_first(&self) -> bool {
        false
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage>;

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError>;

    /// The most commits of its warp between two commits of a thread that lives and is not parked, if the unit bounds
    /// them. In a formal build the unit then has the output `waits_at_most`. It bounds the commits that the watched
    /// thread still has to wait for.
    fn longest_wait(&self, _: &Shape) -> Option<u64> {
        None
    }

    /// Number of paths in the list that the unit outputs in a formal build ([`crate::formal`]).
    fn listed_paths(&self, shape: &Shape) -> usize {
        shape.threads
    }

    /// Number of pcs of returns that a reconverging unit outputs in a formal build, as `return_0_valid`,
    /// `return_0_pc` and up.
    fn listed_returns(&self, _: &Shape) -> usize {
        0
    }

    /// Circuits of the unit without state, each with its specification as properties. They are proved for all inputs.
    fn specifications(&self, _: &Shape) -> Result<Vec<Module>, ElaborationError> {
        Ok(Vec::new())
    }
}

static UNITS: &[&dyn DivergenceUnit] = &[
    &arbiter::Arbiter,
    &sorted_table::SortedTable,
    &path_stack::PathStack,
    &stack::PdomStack,
    &stack::DualPath,
    &minority_first::MinorityFirst,
    &multi_path::MultiPath,
];

/// The unit that wraps a module of the user. Tests and comparisons of all units leave it out.
static VERILOG: &dyn DivergenceUnit = &verilog::Verilog;

/// # Panics
/// Panics if a descriptor has no hardware. A test makes sure that each has.
pub fn hardware(unit: &Unit) -> &'static dyn DivergenceUnit {
    let mut all = UNITS.iter().copied().chain([VERILOG]);
    all.find(|hardware| hardware.descriptor() == unit).expect("hardware of every unit")
}

pub fn find(name: &str) -> Result<&'static dyn DivergenceUnit, UnknownUnit> {
    Unit::find(name).map(hardware)
}

pub(crate) use verilog::{
    check as check_external, check_names as check_names_of_external, of as external_of, takes_turns,
};

pub type UnitTrace = Traced<UnitPorts<Expr>>;

rtl::inputs! {
    pub struct UnitInputs(m: &Builder, shape: &Shape) {
        #[group = "start after reset, and each warp's generation at the barrier"]
        pub start_valid: Expr = m.input("start_valid", 1),
        pub start_warp: Expr = m.input("start_warp", shape.warp_bits()),
        pub generation: Expr = m.input("generation", shape.warps),
        /// That of the warp in S7.
        pub generation_s7: Expr = m.input("generation_s7", 1),
        /// The pc of the path on which warps start. No bits where it is constant ([`Shape::start_pc`]).
        pub start_pc: Expr = m.input("start_pc", shape.start_pc_bits()),
        #[group = "the context that S7 validates next, and the one that S8 updates next"]
        pub warp_s6: Expr = m.input("warp_s6", shape.warp_bits()),
        pub slot_s6: Expr = m.input("slot_s6", shape.slot_bits()),
        pub warp_s7: Expr = m.input("warp_s7", shape.warp_bits()),
        pub slot_s7: Expr = m.input("slot_s7", shape.slot_bits()),
        #[group = "what S8 will know of the instruction in S7"]
        pub ahead: Ahead = Ahead::inputs(m, shape, "s7"),
        #[group = "what the instruction in S8 did"]
        pub resolve: Resolve = Resolve::inputs(m, shape, "s8"),
    }
}

impl UnitInputs {
    /// The path on which a warp starts.
    pub fn start(&self, shape: &Shape) -> Path {
        Path::start(shape, &self.start_pc)
    }

    /// The barrier's generations of the warps in S7 and S8. That of S8 was read in S7: no release comes between, because
    /// the path of the warp was not parked.
    pub fn generations(&self, m: &Builder) -> [Expr; 2] {
        [self.generation_s7.clone(), m.delay("generation_s8", &self.generation_s7)]
    }

    /// Connects the inputs to an instance that has the same ports.
    pub fn connect(&self, instance: &Instance) {
        instance.input("start_valid", &self.start_valid).input("start_warp", &self.start_warp);
        instance.input("start_pc", &self.start_pc).input("generation", &self.generation);
        instance.input("generation_s7", &self.generation_s7);
        instance.input("warp_s6", &self.warp_s6).input("slot_s6", &self.slot_s6);
        instance.input("warp_s7", &self.warp_s7).input("slot_s7", &self.slot_s7);
        self.ahead.connect(instance, "s7");
        self.resolve.connect(instance, "s8");
    }

    /// When a table is written, and for which warp: for this one, if `valid`, or for a starting one.
    pub fn write_of(&self, valid: &Expr, warp: &Expr) -> [Expr; 2] {
        [&self.start_valid | valid, self.start_valid.mux(&self.start_warp, warp)]
    }

    /// When S8 writes a table, and for which warp.
    pub fn write_s8(&self) -> [Expr; 2] {
        self.write_of(&self.resolve.valid, &self.resolve.warp)
    }
}

impl Resolve {
    /// The paths a and b.
    fn paths(&self) -> [Path; 2] {
        let path = |[pc, depth, mask, parked]: [&Expr; 4]| Path {
            valid: mask.any(),
            pc: pc.clone(),
            depth: depth.clone(),
            mask: mask.clone(),
            parked: parked.clone(),
        };
        [
            path([&self.a_pc, &self.a_depth, &self.a_mask, &self.a_parked]),
            path([&self.b_pc, &self.b_depth, &self.b_mask, &self.b_parked]),
        ]
    }
}

impl Path {
    /// Whether the path stands and is not parked. It may yield.
    pub fn can_run(&self) -> Expr {
        &self.valid & !&self.parked
    }

    /// A path whose fields `choose` makes of the fields of others.
    fn choose(paths: &[&Path], choose: &dyn Fn(&[Expr]) -> Expr) -> Self {
        let field = |of: &dyn Fn(&Path) -> &Expr| {
            let values: Vec<Expr> = paths.iter().map(|path| of(path).clone()).collect();
            choose(&values)
        };
        Self {
            valid: field(&|path| &path.valid),
            pc: field(&|path| &path.pc),
            depth: field(&|path| &path.depth),
            mask: field(&|path| &path.mask),
            parked: field(&|path| &path.parked),
        }
    }
}

/// The field of a path `_s7`, `_x` or `_y` that nothing reads. The pc of the first and the depth of the last are for the
/// rules of a formal build alone, the depth of `_x` for the trace too.
fn unread(shape: &Shape, name: &str) -> Option<&'static str> {
    match name {
        _ if shape.formal => None,
        "s7" => Some("pc"),
        "x" if shape.trace => None,
        _ => Some("depth"),
    }
}

/// Registers a value, 0 after reset.
pub(crate) fn flag(m: &Builder, name: &str, next: &Expr) -> Expr {
    let register = m.register(name, next.width());
    register.next(next).reset(0);
    register.q()
}

/// Whether the new path is at the predicted pc. `choose` is given the comparison, for each path that it can be.
fn at_prediction(m: &Builder, shape: &Shape, choose: impl FnOnce(&dyn Fn(&Expr) -> Expr) -> Expr) -> Expr {
    m.comment(
        "Whether the new path is at the predicted pc, compared for each path that it can be. A rotation always \
         resteers.",
    );
    let predicted = m.input("predicted_s8", shape.pc_bits);
    m.wire("is_at_prediction", &choose(&|pc| pc.eq(&predicted)))
}

/// Whether a path that may yield runs next.
pub fn goes_on(path: &Path, gives_way: &Expr) -> Expr {
    path.can_run() & !gives_way
}

/// The trace of a rotation and of the second path.
fn second_ports(rotates: Expr, y: &Path) -> SecondPorts<Expr> {
    SecondPorts {
        rotates,
        y_valid: y.valid.clone(),
        y_pc: y.pc.clone(),
        y_depth: y.depth.clone(),
        y_mask: y.mask.clone(),
        y_parked: y.parked.clone(),
    }
}

/// Text for the cycle in which a unit outputs the active path after an instruction.
pub fn known_in(shape: &Shape) -> String {
    match shape.delay {
        0 => "in its S8".to_owned(),
        1 => "one cycle after its S8".to_owned(),
        cycles => format!("{cycles} cycles after its S8"),
    }
}

/// Text on the latency and contract of a unit's module, for its head.
fn timing(shape: &Shape) -> String {
    let (known, spacing) = (known_in(shape), shape.spacing());
    format!(
        "the active path after an instruction is known {known}; the path for S7 is read in S6, with every earlier \
         outcome in it. Instructions of one warp arrive at least {spacing} cycles apart."
    )
}

pub struct UnitOutputs {
    /// The path that S7 validates against.
    pub validate: Path,
    pub gives_way_s7: Expr,
    /// That path yields at a `ret`; no bits where the unit does not reconverge.
    pub leaves_at_ret_s7: Expr,
    /// The active path of each slot after S8, and whether it yields.
    pub in_charge: Vec<(Path, Expr)>,
    /// Whether the active path of each slot can run and is at the predicted pc; empty where the unit does not compare it.
    pub follows: Vec<Expr>,
    /// Whether the active path is b alone; empty where the unit reconverges, puts the rest first or does not compare the
    /// prediction.
    pub is_b: Vec<Expr>,
    /// Slots to fetch again; no bits with one slot.
    pub restarts: Expr,
    /// Slots whose entries in use get shadow bits; no bits with one slot.
    pub shadows: Expr,
    pub trace: UnitTrace,
}

impl UnitOutputs {
    /// The outputs of a unit with one slot that needs no reconvergence points and compares no prediction. The paths are
    /// the one that S7 validates against and the active path after S8. Each flag is set if the path yields.
    pub fn of_one_slot([validate, in_charge]: [Path; 2], [gave_way, gives_way]: [Expr; 2], trace: UnitTrace) -> Self {
        Self {
            validate,
            gives_way_s7: gave_way,
            leaves_at_ret_s7: zeros(0),
            in_charge: vec![(in_charge, gives_way)],
            follows: Vec::new(),
            is_b: Vec::new(),
            restarts: zeros(0),
            shadows: zeros(0),
            trace,
        }
    }

    /// The same outputs of a unit that compares the prediction: the active path is at the predicted pc.
    pub fn following(self, at_prediction: &Expr) -> Self {
        let [(path, _)] = self.in_charge.as_slice() else { panic!("one slot") };
        Self { follows: vec![path.can_run() & at_prediction], ..self }
    }

    pub fn declare(&self, m: &Builder, shape: &Shape) {
        self.declare_without(m, shape, &|name| unread(shape, name));
    }

    /// Declares the ports, except for a field of each path.
    fn declare_without(&self, m: &Builder, shape: &Shape, unread: &dyn Fn(&str) -> Option<&'static str>) {
        let outputs = |path: &Path, name: &str| {
            let unread = unread(name);
            let read = |field: &str, value: &Expr| if unread == Some(field) { zeros(0) } else { value.clone() };
            path.map(shape, &mut |field, value| read(field, value)).outputs(m, name);
        };
        m.port_group("the path that S7 validates against");
        outputs(&self.validate, "s7");
        m.output("gives_way_s7", &self.gives_way_s7);
        if shape.reconverges {
            m.output("leaves_at_ret_s7", &self.leaves_at_ret_s7);
        }
        m.port_group("the active path after S8");
        for ((path, gives_way), name) in self.in_charge.iter().zip(SLOTS) {
            outputs(path, name);
            m.output(&format!("gives_way_{name}"), gives_way);
        }
        for (what, answers) in [("follows", &self.follows), ("is_b", &self.is_b)] {
            for (answer, name) in answers.iter().zip(SLOTS) {
                m.output(&format!("{what}_{name}"), answer);
            }
        }
        if shape.slots > 1 {
            m.port_group("slots to fetch again; slots whose scoreboard entries get shadow bits");
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
        assert_eq!(hardware, Unit::names_in_hardware());
        assert!(VERILOG.descriptor().is_external());
    }
}
