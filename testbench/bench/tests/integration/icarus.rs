//! The emitted text in a four-state simulator, Icarus Verilog: bundled kernels, with memory that returns X for words
//! never written, after one clock edge of reset.
//! The kernels end with the expected memory and console, and no output is ever X or Z. A counter outside the core
//! counts the cycles of `weft run` plus a constant.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cores::Core;
use rtl::{Direction, PortInfo};
use sim::Program;
use testbench::memory::{RAM_BASE, Ram};
use testbench::reconvergence::{reconvergence_table, reconvergence_words};
use testbench::{Engine, RunOptions};
use weft_config::{Config, Memory, MemoryKind, Scheduler, Unit};

const MOST_CYCLES: u64 = 40_000;

fn benches() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/icarus")
}

/// A core without a trace port, as in a real design.
fn config(kind: MemoryKind, unit: &str, warps: u32, threads: u32) -> Config {
    let mut config = Config { warps, threads, memory: Memory::of_kind(kind), ..Config::default() };
    config.divergence.unit = unit.into();
    config.memory.ram_bytes = 1 << 16;
    config.memory.stack_bytes = 512;
    config.trace.port = false;
    config
}

fn program(kernel: &str, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    let elf = kernels::build(kernels::find(kernel).unwrap(), out.path()).unwrap();
    Program::load(kernel, &fs::read(elf).unwrap(), config).unwrap()
}

struct Simulated {
    console: String,
    cycles: u64,
    unknown: u64,
    fault: bool,
    /// The words of memory, by physical address; `None` if a bit is unknown.
    memory: Vec<Option<u32>>,
}

fn holds(program: &Program, index: usize) -> bool {
    let address = RAM_BASE + 4 * index as u32;
    program.segments.iter().any(|segment| {
        let offset = address.wrapping_sub(segment.address & !3) as usize;
        offset < segment.bytes.len() + (segment.address & 3) as usize
    })
}

fn write(folder: &Path, config: &Config, core: &Core, program: &Program) {
    let ram = Ram::new(config, program);
    let table = reconvergence_words(&reconvergence_table(config, program), &ram);
    let word = |(index, word): (usize, &u32)| {
        if holds(program, index) { format!("{word:08x}\n") } else { "xxxxxxxx\n".to_owned() }
    };
    let held: String = ram.words().iter().enumerate().map(word).collect();
    let entries: String = table.iter().enumerate().map(word).collect();
    let banks =
        core.memory().map_or(0, |memory| if config.memory.kind == MemoryKind::Bram { memory.ram_banks } else { 0 });
    let dumps: String =
        (0..banks).map(|bank| format!("$writememh(\"dump_{bank}.hex\", dut.memory.bank_{bank});\n")).collect();
    let files = [
        ("weft_core.v".to_owned(), core.all_in_one()),
        ("memory.hex".to_owned(), held),
        ("reconvergence.hex".to_owned(), entries),
        ("dump.v".to_owned(), format!("task dump;\nbegin\n{dumps}end\nendtask\n")),
    ];
    for (name, text) in core.image_files(ram.words(), &table).into_iter().chain(files) {
        fs::write(folder.join(name), text).unwrap();
    }
}

fn run_tool(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; scripts/setup.sh installs it"));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {stdout}{stderr}");
    stdout.into_owned()
}

fn words(path: &Path) -> Vec<Option<u32>> {
    let text = fs::read_to_string(path).unwrap();
    let words = text.split_whitespace().filter(|word| !word.starts_with("//") && !word.starts_with("0x"));
    words.map(|word| u32::from_str_radix(word, 16).ok()).collect()
}

fn simulate(config: &Config, core: &Core, program: &Program) -> Simulated {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, config, core, program);
    let kind = config.memory.kind.name();
    let harts = config.warps * config.threads;
    let bits = |count: u32| count.next_power_of_two().trailing_zeros().max(1);
    let defines = [
        ("THREADS", config.threads.into()),
        ("HARTS", harts.into()),
        ("HART_BITS", bits(harts).into()),
        ("TAG_BITS", bits(config.memory.outstanding).into()),
        ("MOST_CYCLES", MOST_CYCLES),
    ];
    let mut compile = Command::new("iverilog");
    compile.args(["-g2005", "-s", "bench", "-o", "bench.vvp", "-I"]).arg(benches()).current_dir(folder);
    compile.args(defines.map(|(name, value)| format!("-D{name}={value}")));
    if config.unit().is_ok_and(|unit| unit.reconverges) {
        compile.arg("-DRECONVERGES");
    }
    compile.args([benches().join("bench.v"), benches().join(format!("{kind}.v")), "weft_core.v".into()]);
    run_tool(&mut compile);
    let said = run_tool(Command::new("vvp").args(["-n", "bench.vvp"]).current_dir(folder));
    let (console, end) = said.split_once("\n#").unwrap_or_else(|| panic!("no end: {said}"));
    let number = |name: &str| {
        let rest = end.split_once(name).unwrap_or_else(|| panic!("no {name}: {said}")).1;
        rest.lines().next().and_then(|number| number.trim().parse().ok()).unwrap_or_else(|| panic!("no {name}: {said}"))
    };
    let memory = if config.memory.kind == MemoryKind::Bram {
        let banks: Vec<_> = (0..config.threads).map(|bank| words(&folder.join(format!("dump_{bank}.hex")))).collect();
        (0..banks.len() * banks[0].len()).map(|index| banks[index % banks.len()][index / banks.len()]).collect()
    } else {
        words(&folder.join("dump.hex"))
    };
    let (cycles, unknown, fault) = (number("cycles "), number("unknown "), end.starts_with("error"));
    Simulated { console: console.to_owned(), cycles, unknown, fault, memory }
}

/// Cycles from the end of reset to the first fetch, and from `done` to the counter outside.
fn around(config: &Config) -> u64 {
    u64::from((32 * config.warps).max(config.memory.outstanding)) + 2
}

/// Runs a kernel on a core: its output must be correct, and nothing unknown.
fn runs(config: &Config, name: &str) -> (Simulated, Program) {
    let program = program(name, config);
    let core = match config.memory.kind {
        MemoryKind::Bram => cores::elaborate_to_emit(config, program.entry, true).unwrap(),
        _ => cores::elaborate(config, program.entry).unwrap(),
    };
    let simulated = simulate(config, &core, &program);
    let what = format!("{name}, {} with memory {}", config.divergence.unit, config.memory.kind.name());
    assert_eq!(simulated.unknown, 0, "{what}: cycles in which an output was unknown, of {}", simulated.cycles);
    assert!(!simulated.fault, "{what}: a fault");
    assert_eq!(simulated.console, known::console(kernels::find(name).unwrap(), config.warps, config.threads), "{what}");
    (simulated, program)
}

/// Runs kernels on a core, and compares memory and cycles with the bench of Weft.
fn passes(config: &Config, names: &[&str]) {
    for name in names {
        let (simulated, program) = runs(config, name);
        let report = testbench::run(config, &program, Engine::Rtl, RunOptions::default()).unwrap();
        let what = format!("{name}, {} with memory {}", config.divergence.unit, config.memory.kind.name());
        for index in (0..simulated.memory.len()).filter(|index| holds(&program, *index)) {
            let expected = report.memory.read_word(RAM_BASE + 4 * index as u32);
            assert_eq!(simulated.memory[index], expected, "{what}: word {index} of memory");
        }
        assert_eq!(simulated.cycles, report.cycles.unwrap() + around(config), "{what}: cycles");
    }
}

#[test]
fn memory_beside_the_core() {
    for unit in Unit::names_in_hardware() {
        passes(&config(MemoryKind::Model, unit, 2, 4), &["console", "gcd", "csr", "reduction", "recursion"]);
    }
}

#[test]
fn memory_in_the_core() {
    for unit in Unit::names_in_hardware() {
        passes(&config(MemoryKind::Bram, unit, 2, 4), &["console", "gcd", "short_circuit"]);
    }
}

#[test]
fn memory_on_the_bus() {
    passes(&config(MemoryKind::Axi4, "sorted-table", 2, 4), &["console", "gcd", "lock_free_list"]);
}

/// Sizes at which fields have no bits or a number of values that is not a power of two, and ports of other keys.
#[test]
fn other_cores() {
    for (unit, warps, threads) in [("sorted-table", 1, 1), ("dual-path", 3, 2), ("pdom-stack", 1, 1)] {
        runs(&config(MemoryKind::Bram, unit, warps, threads), "gcd");
    }
    let mut delayed = config(MemoryKind::Model, "arbiter", 3, 2);
    *delayed.unit_keys.get_mut("arbiter.pipeline_stages") = 2;
    runs(&delayed, "lock_free_list");
    let mut constrained = config(MemoryKind::Axi4, "dual-path", 1, 4);
    constrained.divergence.scheduler = Scheduler::Constrained;
    runs(&constrained, "lock_free_list");
    let mut small = config(MemoryKind::Model, "sorted-table", 2, 2);
    small.memory.outstanding = 1;
    runs(&small, "gcd");
}

/// A bench around a core with a control port: after one clock edge of reset it reads the status, starts a run, and
/// expects the first fetch at the entry. Memory never answers. An output has a meaning if it is a valid, a ready, a
/// response or the interrupt, or belongs to a valid that is high.
fn bench_of_control(core: &Core) -> String {
    let ports = core.ports();
    let others = ports.iter().filter(|port| !matches!(port.name.as_str(), "clk" | "rst"));
    let (mut declared, mut connected, mut known) = (String::new(), String::new(), Vec::new());
    for PortInfo { name, width, direction } in others {
        let driven = if name.ends_with("valid") || name.starts_with("s_axil") { " = 0" } else { "" };
        declared += &match direction {
            Direction::Input if name.ends_with("ready") => format!("reg [{}:0] {name} = 1;\n", width - 1),
            Direction::Input => format!("reg [{}:0] {name}{driven};\n", width - 1),
            Direction::Output => format!("wire [{}:0] {name};\n", width - 1),
        };
        connected += &format!(", .{name}({name})");
        let means = ["valid", "ready", "resp", "irq", "restart", "s_axil_rdata"].iter().any(|end| name.ends_with(end));
        if *direction == Direction::Output && means {
            known.push(name.clone());
        }
    }
    let write = |offset: u32, value: u32| {
        format!(
            "s_axil_awaddr = {offset}; s_axil_wdata = {value}; s_axil_wstrb = 15;\n\
             s_axil_awvalid = 1; s_axil_wvalid = 1; @(posedge clk); while (s_axil_awready !== 1) @(posedge clk);\n\
             #1 s_axil_awvalid = 0; s_axil_wvalid = 0; while (s_axil_bvalid !== 1) @(posedge clk); #1;\n"
        )
    };
    format!(
        "module bench;\nreg clk = 0, rst = 1; always #5 clk = ~clk;\n{declared}\
         weft_core dut (.clk(clk), .rst(rst){connected});\ninteger unknowns = 0;\n\
         always @(negedge clk) if (!rst) begin\n\
         if ((^{{{}}}) === 1'bx || (imem_req_valid && (^imem_req_addr) === 1'bx)) unknowns = unknowns + 1;\nend\n\
         initial begin\n@(posedge clk); #1 rst = 0; s_axil_bready = 1; s_axil_rready = 1;\n\
         s_axil_araddr = 'h24; s_axil_arvalid = 1; @(posedge clk); while (s_axil_arready !== 1) @(posedge clk);\n\
         #1 s_axil_arvalid = 0; while (s_axil_rvalid !== 1) @(posedge clk);\n\
         $display(\"status %0d\", s_axil_rdata); #1;\n\
         {}{}while (imem_req_valid !== 1) @(negedge clk);\n\
         $display(\"fetch %h\", imem_req_addr); repeat (300) @(posedge clk);\n\
         $display(\"unknown %0d\", unknowns); $finish;\nend\n\
         initial begin #100000 $display(\"stuck\"); $finish; end\nendmodule\n",
        known.join(", "),
        write(0x30, 0x8000_1230),
        write(0x20, 1),
    )
}

#[test]
fn no_output_of_a_core_behind_a_control_port_is_unknown() {
    for (kind, unit) in [
        (MemoryKind::Model, "sorted-table"),
        (MemoryKind::Axi4, "arbiter"),
        (MemoryKind::Axi4, "multi-path"),
        (MemoryKind::Model, "dual-path"),
    ] {
        let mut config = config(kind, unit, 2, 2);
        config.control.port = true;
        let core = cores::elaborate(&config, RAM_BASE).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("core.v"), core.all_in_one()).unwrap();
        fs::write(folder.path().join("bench.v"), bench_of_control(&core)).unwrap();
        let compile = ["-g2005", "-s", "bench", "-o", "bench.vvp", "bench.v", "core.v"];
        run_tool(Command::new("iverilog").args(compile).current_dir(folder.path()));
        let said = run_tool(Command::new("vvp").args(["-n", "bench.vvp"]).current_dir(folder.path()));
        assert_eq!(said, "status 0\nfetch 80001230\nunknown 0\n", "{unit} with memory {}", kind.name());
    }
}
