//! The core at its edge, by the RISC-V formal interface: an arbitrary thread is checked against a specification of
//! the instructions. The specification shares nothing with the core (`edge/spec.sv`). The memories answer arbitrarily
//! (`edge/edge.sv`). Docs: `docs/design/proofs.md`, "The core's edge".

use std::fmt::Write;

use cores::{Shape, divergence, formal};
use rtl::{Direction, Module, clog2};
use weft_config::Config;

use crate::formal::abc::{Circuits, From, Outcome};
use crate::formal::assert_proved;
use crate::formal::yosys::Design;

/// Checks of single instructions.
const INSTRUCTIONS: [&str; 10] = [
    "bad_mark",
    "bad_upper",
    "bad_arithmetic",
    "bad_jump",
    "bad_branch",
    "bad_load",
    "bad_store",
    "bad_system",
    "bad_trap",
    "bad_split",
];
/// Checks of a thread from one instruction to the next, and of its requests.
const RUNS: [&str; 9] = [
    "bad_leader",
    "bad_pc",
    "bad_order",
    "bad_end",
    "bad_register",
    "bad_late",
    "bad_value",
    "bad_request",
    "bad_fetch",
];
/// Situations that runs reach, and the first cycle of each after the start.
const SEEN: [(&str, usize); 16] = [
    ("seen_upper", 10),
    ("seen_arithmetic", 10),
    ("seen_jump", 10),
    ("seen_branch", 10),
    ("seen_load", 10),
    ("seen_store", 10),
    ("seen_system", 10),
    ("seen_trap", 10),
    ("seen_end", 10),
    ("seen_release", 11),
    ("seen_part", 10),
    ("seen_late_in_order", 18),
    ("seen_late_out_of_order", 19),
    ("seen_divergence", 10),
    ("seen_dependence", 17),
    ("seen_reconvergence", 19),
];
/// Cycles from the start. The first commit is in cycle 11. A divergent branch, two dependent instructions of one side
/// and an instruction of both sides again take 20.
const LONG: usize = 20;
/// A check of so many cycles takes a tenth of the time. It still reaches a divergent branch and the instructions
/// after it on one side.
const SHORT: usize = 17;
/// Cycles after which S3 to S8 hold nothing from before.
const PASSED: usize = 7;

/// A core of RV32I whose observed thread, register and program are free.
struct Core {
    shape: Shape,
    module: Module,
    text: String,
}

impl Core {
    /// A core with two loads in flight. The sizes are warps, and threads of each.
    fn new(unit: &str, [warps, threads]: [u32; 2]) -> Self {
        let mut config = Config { warps, threads, ..Config::default() };
        config.isa = weft_config::Isa::BASE;
        config.divergence.fair_after = 0;
        config.memory.outstanding = 2;
        (config.memory.ram_bytes, config.memory.stack_bytes) = (4096, 64);
        let unit = divergence::find(unit).expect("a unit");
        let shape = Shape { late_results: 2, ..Shape::new(&config, 0x8000_0000, unit) };
        let module = formal::edge(&shape, unit).expect("a whole module");
        let text = rtl::single_file("", &module.verilog());
        Self { shape, module, text }
    }

    fn circuits(&self) -> Circuits {
        let (sizes, instance) = (self.sizes(), self.instance());
        let files = [
            ("sizes.sv", sizes.as_str()),
            ("core.vh", &instance),
            ("core.sv", &self.text),
            ("spec.sv", include_str!("edge/spec.sv")),
            ("edge.sv", include_str!("edge/edge.sv")),
        ];
        Circuits::new("edge", &files)
    }

    fn started(&self) -> usize {
        self.shape.start_cycles() + 1
    }

    /// The sizes, as macros for the harness.
    fn sizes(&self) -> String {
        let shape = &self.shape;
        let sizes = [
            ("WARPS", shape.warps),
            ("THREADS", shape.threads),
            ("LANE_BITS", shape.lane_bits()),
            ("TAG_BITS", shape.tag_bits()),
            ("OUTSTANDING", shape.outstanding),
            ("STACK_BYTES", shape.stack_bytes as usize),
            ("START_CYCLES", shape.start_cycles()),
            ("LONGEST", LONGEST_PAUSE),
        ];
        let mut text: String = sizes.iter().fold(String::new(), |text, (name, size)| text + &define(name, size));
        text += &define("RAM_BYTES", &format!("32'd{}", shape.ram_bytes));
        text += &define("RESET_PC", &format!("32'h{:08x}", shape.reset_pc));
        if shape.warps > 1 {
            text += &define("WARP_BITS", &clog2(shape.warps));
        }
        if shape.reconverges {
            text += &define("RECONVERGES", &shape.slots);
        }
        text
    }

    /// The core as an instance whose ports are nets of the same names.
    fn instance(&self) -> String {
        let ports = self.module.ports();
        let mut text = String::new();
        for port in ports.iter().filter(|port| port.direction == Direction::Output) {
            writeln!(text, "wire [{}:0] {};", port.width - 1, port.name).expect("a string");
        }
        let connected: Vec<String> = ports.iter().map(|port| format!(".{0}({0})", port.name)).collect();
        text + &format!("{} core ({});\n", self.module.name(), connected.join(", "))
    }
}

fn define(name: &str, value: &dyn std::fmt::Display) -> String {
    format!("`define {name} {value}\n")
}

/// Most cycles without a commit of a warp that can run, while memories accept and answer at once.
const LONGEST_PAUSE: usize = 14;

/// Checks each instruction alone, in an arbitrary state. This proves all runs, given `bad_buffered` and `bad_leader`. Of
/// these, `bad_buffered` is proved for all runs, `bad_leader` is not.
#[track_caller]
fn check_instructions(circuits: &Circuits) {
    assert!(circuits.is_never("bad_buffered"));
    for output in INSTRUCTIONS {
        assert_eq!(circuits.find(output, From::AnyState, PASSED, PASSED + 1), Outcome::Never, "{output}");
    }
}

/// A warp that can run commits at least twice within these cycles.
#[track_caller]
fn check_pauses(core: &Core, circuits: &Circuits) {
    let (from, end) = (core.started(), core.started() + 2 * LONGEST_PAUSE + 2);
    assert_eq!(circuits.find("bad_stuck", From::Reset, from, end), Outcome::Never);
}

/// Checks runs from the reset, for this number of cycles from the start.
#[track_caller]
fn check_runs(core: &Core, circuits: &Circuits, cycles: usize) {
    for output in RUNS {
        let end = core.started() + cycles;
        assert_eq!(circuits.find(output, From::Reset, core.started(), end), Outcome::Never, "{output}");
    }
}

#[test]
fn a_register_that_is_kept_stands_for_the_bank() {
    for warps in [1, 2] {
        let shape = Shape { observed: true, ..Core::new("sorted-table", [warps, 2]).shape };
        assert_proved(Design::new(&formal::registers(&shape).expect("a whole module")).prove_by_induction());
    }
}

#[test]
fn threads_of_the_sorted_table_do_what_the_manual_says() {
    let core = Core::new("sorted-table", [1, 2]);
    let circuits = core.circuits();
    check_instructions(&circuits);
    check_runs(&core, &circuits, SHORT);
    for (output, cycle) in SEEN {
        let found = circuits.find(output, From::Reset, core.started(), core.started() + LONG);
        assert_eq!(found, Outcome::At(core.started() + cycle), "{output}");
    }
}

#[test]
#[ignore = "takes minutes: in scripts/nightly.sh"]
fn threads_of_the_sorted_table_do_so_for_longer() {
    let core = Core::new("sorted-table", [1, 2]);
    let circuits = core.circuits();
    check_pauses(&core, &circuits);
    check_runs(&core, &circuits, LONG);
}

#[test]
#[ignore = "takes minutes: in scripts/nightly.sh"]
fn threads_of_other_units_and_of_two_warps_do_so() {
    for (unit, sizes) in [("arbiter", [1, 2]), ("pdom-stack", [1, 2]), ("dual-path", [1, 2]), ("sorted-table", [2, 2])]
    {
        let core = Core::new(unit, sizes);
        let circuits = core.circuits();
        check_instructions(&circuits);
        check_runs(&core, &circuits, SHORT);
    }
}

#[test]
#[ignore = "takes minutes: in scripts/nightly.sh"]
fn broken_cores_are_found() {
    let broken = [
        (
            "bits 10:5 of the immediate of branches are lost",
            "s4_immediate.stores_and_branches_lose_bits_10_to_5",
            "bad_branch",
        ),
        ("a branch loses a thread", "s7_commit.lane_0_alone_falls_through", "bad_split"),
        (
            "an unsigned half word is extended by its sign",
            "s9_gather.extends_an_unsigned_half_by_its_sign",
            "bad_value",
        ),
        ("a long-latency result is not waited for", "s3_context.does_not_wait_for_late_results", "bad_register"),
        (
            "the result of the instruction before is read too early",
            "s3_scoreboard.ignores_reads_of_the_last_result",
            "bad_register",
        ),
        (
            "a fetch from outside RAM has the cause of another fault",
            "s5_decode.a_fetch_fault_gets_another_cause",
            "bad_mark",
        ),
        ("a fetch from outside RAM has no mark", "s2_predecode.no_fetch_is_outside_ram", "bad_buffered"),
        ("the epoch is not compared with the path's", "s7_commit.ignores_the_epoch", "bad_pc"),
    ];
    for (what, fault, output) in broken {
        let core = rtl::with_fault(fault, || Core::new("sorted-table", [1, 2]));
        let circuits = core.circuits();
        let found = if INSTRUCTIONS.contains(&output) {
            circuits.find(output, From::AnyState, PASSED, PASSED + 1)
        } else {
            circuits.find(output, From::Reset, core.started(), core.started() + LONG)
        };
        assert_ne!(found, Outcome::Never, "{what}");
    }
}
