//! Chains of adaptors: a core with register stages between pipeline and block RAM is lint-free and runs a program.

use std::fs;
use std::path::Path;
use std::process::Command;

use rtl::{Builder, Direction, Module};
use weft_config::{Config, Memory, MemoryKind, Reset};

use crate::memory::bram;
use crate::shape::{RAM_BASE, Shape};
use crate::{divergence, pipeline};

/// Each thread prints the letter of its number, starting with `a`.
const PROGRAM: [u32; 8] = [
    0x0000_0097, // auipc x1, 0
    0x01c0_a103, // lw x2, 28(x1)
    0xf140_2273, // csrr x4, mhartid
    0x0041_0133, // add x2, x2, x4
    0x1000_01b7, // lui x3, 0x10000
    0x0021_a023, // sw x2, 0(x3)
    0x8000_1073, // csrw exit, x0
    b'a' as u32,
];

const BENCH: &str = "
module bench;
    reg clk = 0, rst = 1;
    always #1 clk = !clk;
    wire done, error_valid, console_valid;
    wire [7:0] console_data;
    core dut (.clk(clk), .rst(rst), .console_ready(1'b1), .console_valid(console_valid),
              .console_data(console_data), .done(done), .error_valid(error_valid));
    initial #8 rst = 0;
    always @(posedge clk) begin
        if (!rst && console_valid) $write(\"%c\", console_data);
        if (!rst && (done || error_valid || $time > 20000)) begin
            if (done) $display(\" done\");
            $finish;
        end
    end
endmodule
";

/// An adaptor with all memory ports of the pipeline on both sides. It passes the answers on one cycle later.
fn late_answers(name: &str, pipeline: &Module) -> Module {
    let m = Builder::new(name, "Delays the answers of memory by a cycle.");
    let of_memory = |name: &str| name.starts_with("imem_") || name.starts_with("dmem_");
    for port in pipeline.ports().iter().filter(|port| of_memory(&port.name)) {
        let next = format!("next_{}", port.name);
        match port.direction {
            Direction::Output => m.output(&next, &m.input(&port.name, port.width)),
            Direction::Input if port.name.ends_with("_rsp_valid") => {
                let valid = m.register(&format!("{}_now", port.name), port.width);
                valid.next(&m.input(&next, port.width)).reset(0);
                m.output(&port.name, &valid);
            }
            Direction::Input if port.name.contains("_rsp_") => {
                let late = m.delay(&format!("{}_now", port.name), &m.input(&next, port.width));
                m.output(&port.name, &late);
            }
            Direction::Input => m.output(&port.name, &m.input(&next, port.width)),
        }
    }
    m.finish().unwrap()
}

/// Writes a core of one warp with these stages between the pipeline and block RAM to `core.v` in the folder.
fn write(stages: &[&str], folder: &Path) -> Module {
    let memory = Memory { ram_bytes: 4096, ..Memory::of_kind(MemoryKind::Bram) };
    let mut config = Config { warps: 1, threads: 4, memory, ..Config::default() };
    config.trace.port = false;
    let unit = divergence::find(&config.divergence.unit).unwrap();
    let shape = Shape::new(&config, RAM_BASE, unit);
    let pipeline = pipeline::elaborate(&shape, unit).unwrap();
    let mut chain: Vec<Module> = stages.iter().map(|name| late_answers(name, &pipeline)).collect();
    chain.push((bram::ADAPTOR.elaborate)(&shape, Some(&|bank| format!("{bank}.hex"))).unwrap());
    let top = super::elaborate(&pipeline, &chain, "A core with adaptors in a chain.", Reset::High).unwrap();
    let text: Vec<String> = top.verilog().into_iter().map(|module| module.text).collect();
    fs::write(folder.join("core.v"), text.concat()).unwrap();
    for bank in 0..shape.threads {
        let words = PROGRAM.into_iter().chain([0].into_iter().cycle()).take(4096 / 4).skip(bank).step_by(shape.threads);
        let text: String = words.map(|word| format!("{word:08x}\n")).collect();
        fs::write(folder.join(format!("{bank}.hex")), text).unwrap();
    }
    top
}

fn run(tool: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(tool).current_dir(folder).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{tool}: {error}; scripts/setup.sh installs it"));
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{tool}: {text}");
    text
}

#[test]
fn adaptors_stand_in_a_chain_between_pipeline_and_memory() {
    for stages in [&[][..], &["stage"], &["stage", "another_stage"]] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let top = write(stages, folder);
        let modules: Vec<String> = top.hierarchy().iter().map(|module| module.name().to_owned()).collect();
        assert!([crate::PIPELINE, "bram"].iter().chain(stages).all(|name| modules.iter().any(|module| module == name)));
        assert!(!top.ports().iter().any(|port| port.name.contains("mem_")));
        assert_eq!(
            run("verilator", folder, &["--lint-only", "-Wall", "-Wno-DECLFILENAME", "--top-module", "core", "core.v"]),
            ""
        );
        fs::write(folder.join("bench.v"), BENCH).unwrap();
        run("iverilog", folder, &["-g2005", "-s", "bench", "-o", "bench.vvp", "bench.v", "core.v"]);
        let said = run("vvp", folder, &["-n", "bench.vvp"]);
        assert_eq!(said, "abcd done\n", "{stages:?}");
    }
}

#[test]
fn ports_that_no_adaptor_mirrors_are_those_of_the_top() {
    let config = Config { warps: 1, threads: 1, ..Config::default() };
    let unit = divergence::find(&config.divergence.unit).unwrap();
    let pipeline = pipeline::elaborate(&Shape::new(&config, RAM_BASE, unit), unit).unwrap();
    let chain = [late_answers("stage", &pipeline)];
    let top = super::elaborate(&pipeline, &chain, "A core with an adaptor before its ports.", Reset::High).unwrap();
    let names = |module: &Module| {
        let mut names: Vec<String> = module.ports().into_iter().map(|port| port.name).collect();
        names.sort();
        names
    };
    assert_eq!(names(&top), names(&pipeline));
}
