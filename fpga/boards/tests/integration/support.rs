//! A board in Verilator, accessed through its pins.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::env;
use std::fs;
use std::sync::{Mutex, PoisonError};

use boards::{Board, elaborate};
use cores::Core;
use rtl::Direction::{self, Input, Output};
use sim::Program;
use testbench::memory::Ram;
use tools::cache::Cache;
use verilate::{Built, Effort, Model, Port, Source};
use weft_config::{Config, Memory, MemoryKind, RAM_BASE};

/// Makes a small core with its own memory.
pub fn config() -> Config {
    let mut config = Config { warps: 2, threads: 2, ..Config::default() };
    config.memory = Memory::of_kind(MemoryKind::Bram);
    config.trace.port = false;
    config
}

/// Builds the program of a C text, or a bundled kernel.
pub fn program(config: &Config, text: Result<&str, &str>) -> Program {
    let out = tempfile::tempdir().unwrap();
    let (name, elf) = match text {
        Err(kernel) => (kernel, kernels::build(kernels::find(kernel).unwrap(), out.path())),
        Ok(text) => ("program", kernels::compile("program.c", text, out.path())),
    };
    Program::load(name, &fs::read(elf.unwrap()).unwrap(), config).unwrap()
}

/// Models of the FPGA cells in a top: a PLL that divides by its parameters, and a buffer.
pub const CELLS: &str = r#"
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSED */
module PLLE2_BASE #(parameter CLKIN1_PERIOD = 0.0, parameter CLKFBOUT_MULT = 1, parameter CLKOUT0_DIVIDE = 1) (
    input wire CLKIN1, input wire CLKFBIN, input wire RST, input wire PWRDWN,
    output wire CLKOUT0, output wire CLKFBOUT, output wire LOCKED
);
    reg [7:0] edges = 0;
    reg out = 0;
    always @(posedge CLKIN1) begin
        edges <= edges + {7'd0, ~&edges};
        if (CLKOUT0_DIVIDE == 2 * CLKFBOUT_MULT) out <= ~out;
    end
    assign CLKOUT0 = out;
    assign CLKFBOUT = CLKIN1;
    assign LOCKED = &edges;
endmodule
module BUFG (input wire I, output wire O);
    assign O = I;
endmodule
"#;

pub struct Bench {
    model: Model,
    clock: Port,
    button: Port,
    transmit: Port,
    /// Of a core that is loaded over the line.
    receive: Option<Port>,
    /// The cycles of a bit on the line.
    bit: u64,
    lights: Port,
    active_low: bool,
    /// The number of cycles of the clock pin.
    pub cycle: u64,
    /// The bits of the byte that arrives, and the cycle in which the next one is sampled.
    arriving: Option<(u16, u64)>,
    arrived: Vec<u8>,
}

/// The lock of the working directory, of which a process has only one.
static WORKING_DIRECTORY: Mutex<()> = Mutex::new(());

impl Bench {
    /// Starts the board without pressing reset. The simulator reads the initial memory once, from the working directory.
    pub fn start(board: &'static Board, core: &Core, contents: &[(String, String)]) -> Self {
        Self::of(board, &elaborate(board, &config(), core, boards::BAUD).unwrap(), contents, boards::BAUD)
    }

    pub fn of(board: &'static Board, top: &Core, contents: &[(String, String)], baud: u32) -> Self {
        let ports = top.ports();
        let verilog = top.all_in_one() + CELLS;
        let source = Source { top: &top.name(), ports: &ports, verilog: &verilog, memory: None };
        let cache = Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        let built = Built::of(&cache, &source, false, Effort::Fast).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in contents {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let alone = WORKING_DIRECTORY.lock().unwrap_or_else(PoisonError::into_inner);
        env::set_current_dir(folder.path()).unwrap();
        let model = built.instance(1).unwrap();
        let port = |name: &str, bits: usize, direction: Direction| model.port(name, bits, direction).unwrap();
        let (clock, button) = (port(board.clock.port, 1, Input), port(board.reset.port, 1, Input));
        let (transmit, lights) = (port(board.transmit, 1, Output), port(board.lights, 8, Output));
        let active_low = board.reset.active_low;
        let is_loaded = board.receive.as_ref().filter(|receive| ports.iter().any(|port| port.name == receive.port));
        let receive = is_loaded.map(|receive| port(receive.port, 1, Input));
        let bit = u64::from(1_000_000 * board.clock.mhz / baud);
        let (arrived, arriving) = (Vec::new(), None);
        let mut bench =
            Self { model, clock, button, transmit, receive, bit, lights, active_low, cycle: 0, arriving, arrived };
        bench.press(false);
        bench.line(true);
        bench.model.eval().unwrap();
        env::set_current_dir(env!("CARGO_MANIFEST_DIR")).unwrap();
        drop(alone);
        bench
    }

    pub fn press(&mut self, pressed: bool) {
        self.model.set(self.button, u64::from(pressed != self.active_low));
    }

    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            for level in [0, 1] {
                self.model.set(self.clock, level);
                self.model.eval().unwrap();
            }
            self.cycle += 1;
            self.hear(self.model.bit(self.transmit));
        }
    }

    fn line(&mut self, level: bool) {
        if let Some(receive) = self.receive {
            self.model.set(receive, level.into());
        }
    }

    /// Sends bytes to the board, one after the other.
    pub fn send(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let frame = u16::from(*byte) << 1 | 1 << 9;
            for bit in 0..10 {
                self.line(frame >> bit & 1 == 1);
                self.run(self.bit);
            }
        }
    }

    /// Samples each bit in its middle.
    fn hear(&mut self, level: bool) {
        match self.arriving {
            None if !level => self.arriving = Some((1 << 8, self.cycle + self.bit + self.bit / 2)),
            Some((bits, at)) if at == self.cycle => {
                self.arriving = Some((bits >> 1 | u16::from(level) << 8, at + self.bit));
                if bits & 1 == 1 {
                    assert!(level, "a byte without a stop bit");
                    self.arrived.push((bits >> 1) as u8);
                    self.arriving = None;
                }
            }
            _ => {}
        }
    }

    /// Takes the bytes that the board has sent.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.arrived)
    }

    /// Sends bytes, and returns the answer of `count` bytes.
    pub fn ask(&mut self, bytes: &[u8], count: usize) -> Vec<u8> {
        self.take();
        self.send(bytes);
        self.run(10 * self.bit * (count as u64 + 2) + 100 * count as u64);
        let answer = self.take();
        assert_eq!(answer.len(), count, "{answer:x?} after {bytes:x?}");
        answer
    }

    /// Runs until a light is on, for at most this number of cycles.
    pub fn run_until(&mut self, light: u32, cycles: u64) {
        let end = self.cycle + cycles;
        loop {
            self.run(1000);
            if self.light(light) {
                return;
            }
            assert!(self.cycle < end, "light {light} is dark after {cycles} cycles");
        }
    }

    pub fn light(&self, number: u32) -> bool {
        self.lights() >> number & 1 == 1
    }

    pub fn lights(&self) -> u64 {
        self.model.get(self.lights)
    }

    /// Returns the text that the board has sent.
    pub fn heard(&self) -> String {
        String::from_utf8(self.arrived.clone()).unwrap()
    }
}

pub fn core_with(config: &Config, program: &Program) -> (Core, Vec<(String, String)>) {
    let core = cores::elaborate_to_emit(config, program.entry, true).unwrap();
    let contents = core.image_files(Ram::new(config, program).words(), &[]);
    (core, contents)
}

pub fn core_with_zeros(config: &Config) -> (Core, Vec<(String, String)>) {
    let core = cores::elaborate_to_emit(config, RAM_BASE, true).unwrap();
    let contents = core.image_files(&vec![0; config.memory.ram_bytes as usize / 4], &[]);
    (core, contents)
}
