//! Stages S2, S4 (its immediates and control of the lanes), S5 and S6 of the emitted core, verilated without the rest of it. The outputs of
//! the stages for a word must equal those of the golden model's decoder.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{Debug, Write};

use rtl::{Direction, PortInfo};
use sim::decode::decode;
use tools::cache::Cache;
use verilate::{self, Built, Effort, Port, Source};
use weft_config::{Config, Isa};

use crate::decoders::asked::{self, Model};
use crate::decoders::expected::{self, Expected, LANES, Operands};

const STAGES: [&str; 4] = ["s2_predecode", "s4_immediate", "s5_decode", "s6_execute"];
const TOP: &str = "decoders";

const MASK: u32 = (1 << LANES) - 1;

macro_rules! pins {
    ($($name:ident)*) => {
        #[derive(Clone, Copy)]
        struct Pins { $($name: Port,)* }

        impl Pins {
            fn of(ports: &HashMap<&str, Port>) -> Self {
                let port = |name: &str| *ports.get(name).unwrap_or_else(|| panic!("the stages have no port {name}"));
                Self { $($name: port(stringify!($name)),)* }
            }
        }
    };
}

pins! {
    clk rst
    word_s2 pc_s2
    uses_rs1_s2 rs1_s2 uses_rs2_s2 rs2_s2 writes_rd_s2 rd_s2
    needs_leader_s2 is_fence_i_s2 predicted_s2
    warp_s4 instruction_s4 fetch_fault_s5 valid_s5 warp_s5 instruction_s5 pc_s5 rs1_s5 rs2_s5
    is_branch_s7 is_jal_s7 is_jalr_s7 is_atomic_s7
    is_exit_s7 is_barrier_s7 is_fence_i_s7 reads_mask_s7 calls_s7 returns_s7 writes_s7
    takes_leader_s7 reads_level_s7 reads_depth_s7 reads_region_s7 writes_level_s7 writes_depth_s7 writes_region_s7
    memory_op_s7 target_s7 target_misaligned_s7 faults_s7 cause_s7
    result_s7 uniform_s7 address_s7 taken_s7 store_s7
}

/// The reservations of S3, by the names of the stages' ports.
const RESERVED: [&str; 4] = ["request", "tag", "long_result", "divider"];

/// A word in flight: the expected outputs of S6 and S7, and the reservations of S2.
struct Entered {
    word: u32,
    expected: Expected,
    reserved: [bool; 4],
}

pub struct Stages {
    isa: Isa,
    model: Model,
    hardware: verilate::Model,
    pins: Pins,
    /// Reservations by S2 and their release by S7; no port if the core has no such instruction.
    reserved: [[Option<Port>; 4]; 2],
    rng: fastrand::Rng,
    before: Option<Entered>,
}

impl Stages {
    pub fn new(config: &Config) -> Self {
        let core = cores::elaborate(config, 0x8000_0000).unwrap().without_prefix();
        let parts = STAGES.map(|name| (name, core.part(name).expect("a stage of the core")));
        let stages = parts.each_ref().map(|(name, part)| (*name, part.ports()));
        let outer = outer_ports(&stages);
        let verilog = with_submodules(&parts) + &top(&stages, &outer);
        let source = Source { top: TOP, ports: &outer, verilog: &verilog, memory: None };
        let mut hardware = Built::of(&Cache::of_user(), &source, false, Effort::Fast).unwrap().instance(1).unwrap();
        let found = |PortInfo { name, width, direction }: &PortInfo| hardware.port(name, *width, *direction).unwrap();
        let ports: HashMap<&str, Port> = outer.iter().map(|port| (port.name.as_str(), found(port))).collect();
        let pins = Pins::of(&ports);
        let reserved = ["s2", "s7"]
            .map(|stage| RESERVED.map(|name| ports.get(format!("{name}_reserved_{stage}").as_str()).copied()));
        for (input, value) in [(pins.rst, 0), (pins.fetch_fault_s5, 0), (pins.valid_s5, 1_u64)] {
            hardware.set(input, value);
        }
        for warp in [pins.warp_s4, pins.warp_s5] {
            hardware.set(warp, asked::WARP.into());
        }
        let rng = fastrand::Rng::with_seed(1);
        Self { isa: config.isa, model: Model::new(config), hardware, pins, reserved, rng, before: None }
    }

    /// Lets the stages decode a word, and compares. The outputs of S6 and S7 are compared when the next word follows.
    pub fn check(&mut self, word: u32) {
        let pc = 0x8000_0000 | self.rng.u32(0..1 << 24) & !3;
        let lanes: [Operands; LANES] = std::array::from_fn(|_| self.operands());
        let instruction = decode(word).filter(|found| found.supported(&self.isa));
        let expected = expected::of(word, instruction, pc, lanes, &mut self.model);

        let pins = self.pins;
        let both = |operand: usize| u64::from(lanes[1][operand]) << 32 | u64::from(lanes[0][operand]);
        // One clock edge for S4; later stages keep their state.
        self.hardware.set(pins.instruction_s4, word.into());
        self.clock(0);
        self.clock(1);
        self.hardware.set(pins.word_s2, word.into());
        self.hardware.set(pins.instruction_s5, word.into());
        self.hardware.set(pins.pc_s2, (pc >> 2).into());
        self.hardware.set(pins.pc_s5, (pc >> 2).into());
        self.hardware.set(pins.rs1_s5, both(0));
        self.hardware.set(pins.rs2_s5, both(1));
        self.clock(0);
        let reserved = self.predecoded(word, &expected);
        self.clock(1);
        if let Some(before) = self.before.replace(Entered { word, expected, reserved }) {
            self.decoded(&before);
        }
    }

    /// Random operands, often equal, or equal except for the sign.
    fn operands(&mut self) -> Operands {
        let (a, b) = (self.rng.u32(..), self.rng.u32(..));
        [a, [a, a ^ 1 << 31, b, b][self.rng.usize(0..4)]]
    }

    fn clock(&mut self, level: u64) {
        self.hardware.set(self.pins.clk, level);
        self.hardware.eval().unwrap();
    }

    fn get(&self, port: Port) -> u32 {
        self.hardware.get(port) as u32
    }

    fn is(&self, port: Port) -> bool {
        self.get(port) == 1
    }

    fn lanes(&self, port: Port) -> [u32; LANES] {
        let both = self.hardware.get(port);
        [both as u32, (both >> 32) as u32]
    }

    /// S2: hazards and prediction. Returns the reservations of S3.
    fn predecoded(&self, word: u32, expected: &Expected) -> [bool; 4] {
        let pins = &self.pins;
        let reserved = self.reserved[0].map(|pin| pin.is_some_and(|pin| self.is(pin)));
        // For a word that is not an instruction, the other outputs of S2 are free.
        if expected.cause == Some(2) {
            return reserved;
        }
        let register = |uses, number| Some(self.get(number) as u8).filter(|number| self.is(uses) && *number != 0);
        let same = |what, found, expected| same(word, what, found, expected);
        same("rs1 in S2", register(pins.uses_rs1_s2, pins.rs1_s2), expected.rs1);
        same("rs2 in S2", register(pins.uses_rs2_s2, pins.rs2_s2), expected.rs2);
        same("rd in S2", register(pins.writes_rd_s2, pins.rd_s2), expected.rd);
        let Expected { is_load, is_store, is_multiply, is_divide, .. } = *expected;
        let takes = [is_load || is_store, is_load, is_multiply || is_divide, is_divide];
        self::same(word, "reserved in S2", reserved, takes);
        self::same(word, "fence.i in S2", self.is(pins.is_fence_i_s2), expected.is_fence_i);
        self::same(word, "leader", self.is(pins.needs_leader_s2), expected.is_jalr || expected.takes_leader);
        self::same(word, "predicted pc", self.get(pins.predicted_s2) << 2, expected.next & !3);
        reserved
    }

    /// S5 and S6: control and values, as they enter S7.
    fn decoded(&self, Entered { word, expected, reserved }: &Entered) {
        let (pins, word, e) = (&self.pins, *word, expected);
        let given_back = self.reserved[1].map(|pin| pin.is_some_and(|pin| self.is(pin)));
        same(word, "reservations in S2 and S7", given_back, *reserved);

        let cause = Some(self.get(pins.cause_s7)).filter(|_| self.is(pins.faults_s7));
        same(word, "cause", cause, e.cause);
        if cause.is_some() {
            return;
        }
        for (what, pin, expected) in [
            ("branch", pins.is_branch_s7, e.is_branch),
            ("jal", pins.is_jal_s7, e.is_jal),
            ("jalr", pins.is_jalr_s7, e.is_jalr),
            ("atomic", pins.is_atomic_s7, e.is_atomic),
            ("exit", pins.is_exit_s7, e.is_exit),
            ("barrier", pins.is_barrier_s7, e.is_barrier),
            ("fence.i", pins.is_fence_i_s7, e.is_fence_i),
            ("mask", pins.reads_mask_s7, e.reads_mask),
            ("value of the leader", pins.takes_leader_s7, e.takes_leader),
            ("call", pins.calls_s7, e.calls),
            ("return", pins.returns_s7, e.returns),
            ("write of rd", pins.writes_s7, e.writes),
        ] {
            same(word, what, self.is(pin), expected);
        }
        let reads = [pins.reads_level_s7, pins.reads_depth_s7, pins.reads_region_s7].map(|pin| self.is(pin));
        same(word, "read of level, depth, region", reads, e.reads_of_warp);
        let writes = [pins.writes_level_s7, pins.writes_depth_s7, pins.writes_region_s7].map(|pin| self.is(pin));
        same(word, "write of level, depth, region", writes, e.writes_of_warp);
        if let Some(operation) = e.memory_op {
            same(word, "memory operation", self.get(pins.memory_op_s7), operation);
        }
        if let Some(target) = e.target {
            let found = self.get(pins.target_s7) << 2 | self.get(pins.target_misaligned_s7) << 1;
            same(word, "target", found, target);
        }
        if let Some(result) = e.result {
            let mask = if self.is(pins.reads_mask_s7) { MASK } else { 0 };
            let shared = self.get(pins.uniform_s7) | mask;
            same(word, "result", self.lanes(pins.result_s7).map(|lane| lane | shared), result);
        }
        if let Some(address) = e.address {
            same(word, "address", self.lanes(pins.address_s7), address);
        }
        if let Some(store) = e.store {
            same(word, "store data", self.lanes(pins.store_s7), store);
        }
        if let Some(taken) = e.taken {
            let lanes = self.get(pins.taken_s7);
            same(word, "taken", std::array::from_fn(|lane| lanes >> lane & 1 == 1), taken);
        }
    }
}

fn same<T: Debug + PartialEq>(word: u32, what: &str, found: T, expected: T) {
    if found != expected {
        let text = decode(word).map_or("no instruction".into(), |instruction| instruction.to_string());
        panic!("{word:#010x}, {text}: {what}: {found:?} in the hardware, {expected:?} by the model");
    }
}

/// Outputs of all stages, and each input that no stage drives.
fn outer_ports(stages: &[(&str, Vec<PortInfo>)]) -> Vec<PortInfo> {
    let of =
        |direction: Direction| stages.iter().flat_map(|(_, ports)| ports).filter(move |p| p.direction == direction);
    let mut outer: Vec<PortInfo> = of(Direction::Output).cloned().collect();
    for input in of(Direction::Input) {
        if !outer.iter().any(|port| port.name == input.name) {
            outer.push(input.clone());
        }
    }
    outer
}

fn with_submodules(parts: &[(&str, cores::Core)]) -> String {
    let files: BTreeMap<String, String> = parts.iter().flat_map(|(_, part)| part.files()).collect();
    files.into_values().collect()
}

fn top(stages: &[(&str, Vec<PortInfo>)], outer: &[PortInfo]) -> String {
    let mut text = String::from("\n`default_nettype none\n");
    let direction = |port: &PortInfo| if port.direction == Direction::Input { "input" } else { "output" };
    let declare = |port: &PortInfo| format!("    {} wire [{}:0] {}", direction(port), port.width - 1, port.name);
    let declarations: Vec<String> = outer.iter().map(declare).collect();
    let _ = writeln!(text, "module {TOP} (\n{}\n);", declarations.join(",\n"));
    for (name, ports) in stages {
        let connections: Vec<String> = ports.iter().map(|PortInfo { name, .. }| format!(".{name} ({name})")).collect();
        let _ = writeln!(text, "    {name} {name} ({});", connections.join(", "));
    }
    text + "endmodule\n"
}
