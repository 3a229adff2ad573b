//! The start of a program: cleared memory, constructors, and what a start costs.

use std::fs;
use std::path::Path;
use std::process::Command;

use sim::{Finished, Outcome, Program, Segment};
use testbench::{Engine, RunOptions};
use weft_config::extension::{A, M};
use weft_config::{Config, Isa, MemoryKind, Unit};

const CONSTRUCTOR: &str = r#"#include "weft.h"
static volatile unsigned made;
struct Late { unsigned value; Late(); };
Late::Late() : value(42 + weft_hart()) { made = made + 1; }
Late first, second;
int main(unsigned) { return first.value != 42 || second.value != 42 || made != 2; }
"#;

/// All threads have one variable in common, and its constructor is slow.
const STATIC_LOCAL: &str = r#"#include "weft.h"
static volatile unsigned made, sum;
struct Late { unsigned value; Late(unsigned hart); };
__attribute__((noinline)) Late::Late(unsigned hart) : value(hart + 7)
{
    for (unsigned i = 0; i < 100; i++)
        sum = sum + i;
    made = made + 1;
}
__attribute__((noinline)) static unsigned get(unsigned hart) { static Late late(hart); return late.value; }
int main(unsigned hart)
{
    unsigned value = get(hart);
    bool wrong = value < 7 || value >= 7 + weft_threads() || sum != 4950;
    weft_barrier();
    return wrong || made != 1 || get(hart) != value;
}
"#;

/// Relies on zeros, on a value of its own in memory that is not cleared, and on initialised data.
const ZEROS: &str = r#"#include "weft.h"
static WEFT_ALIGNED volatile uint32_t zeros[300];
static volatile uint8_t few[3];
static volatile uint32_t five = 5;
static WEFT_HOST volatile uint32_t kept[2];
int main(unsigned hart)
{
    uint32_t wrong = five != 5 || (few[0] | few[1] | few[2]) || kept[1] != 0xa5a5a5a5;
    for (unsigned i = hart; i < 300; i += weft_threads())
        wrong |= zeros[i];
    return wrong;
}
"#;

fn config(unit: &str, warps: u32, threads: u32) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.divergence.unit = unit.into();
    config
}

fn load(elf: &Path, config: &Config) -> Program {
    Program::load("program", &fs::read(elf).unwrap(), config).unwrap()
}

fn compile(file: &str, text: &str, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    load(&kernels::compile_for(Isa::BASE.with(&M).with(&A), file, text, out.path()).unwrap(), config)
}

/// Compiles a program for stacks only.
fn compile_for_stacks(text: &str, config: &Config) -> Program {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in kernels::RUNTIME.iter().copied().chain([("program.cpp", text)]) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = Command::new("riscv64-unknown-elf-gcc")
        .current_dir(folder.path())
        .args(["-march=rv32ia", "-DWEFT_STACKS"])
        .args(kernels::FLAGS)
        .args(["crt0.S", "string.c", "guard.c", "program.cpp", "-o", "program.elf"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    load(&folder.path().join("program.elf"), config)
}

/// Fills all memory behind the bytes of the file, which end before `.bss`.
fn with_garbage(mut program: Program, config: &Config) -> Program {
    let address = program.symbol("__bss_start").unwrap();
    let bytes = vec![0xa5; (0x8000_0000 + config.memory.ram_bytes - address) as usize];
    program.segments.push(Segment { address, bytes });
    program
}

fn exits(program: &Program, config: &Config) -> Finished {
    let finished = sim::run(config, program, 10_000_000, &mut |_| {}).unwrap();
    let place = format!("{}, {} x {}", config.divergence.unit, config.warps, config.threads);
    assert_eq!(finished.outcome, Outcome::Exited, "{place}");
    for hart in 0..config.warps * config.threads {
        let code = finished.machine.exit_code(hart / config.threads, hart % config.threads);
        assert_eq!(code, Some(0), "{place}, hart {hart}");
    }
    finished
}

#[test]
fn constructors_run_once_before_any_main() {
    for unit in Unit::names_in_hardware().into_iter().filter(|unit| *unit != "verilog") {
        for (warps, threads) in [(1, 1), (4, 4), (3, 8), (1, 64)] {
            let config = config(unit, warps, threads);
            exits(&with_garbage(compile("constructor.cpp", CONSTRUCTOR, &config), &config), &config);
        }
    }
}

#[test]
fn a_static_local_is_constructed_once_and_all_others_wait() {
    for unit in Unit::names_in_hardware().into_iter().filter(|unit| *unit != "verilog") {
        for (warps, threads) in [(1, 4), (4, 1), (4, 4), (1, 32)] {
            let config = config(unit, warps, threads);
            // On a stack, threads of one warp need the runtime for stacks; warps may wait for each other.
            let takes_turns = config.unit().unwrap().takes_turns;
            if takes_turns || threads == 1 {
                exits(&compile("static_local.cpp", STATIC_LOCAL, &config), &config);
            }
            if !takes_turns {
                exits(&compile_for_stacks(STATIC_LOCAL, &config), &config);
            }
        }
    }
}

#[test]
fn the_start_clears_memory_of_random_content() {
    for (warps, threads) in [(1, 1), (4, 4), (3, 8), (2, 64)] {
        let config = config("sorted-table", warps, threads);
        exits(&with_garbage(compile("zeros.c", ZEROS, &config), &config), &config);
    }
    let mut config = config("sorted-table", 2, 4);
    config.memory.kind = MemoryKind::Axi4;
    let program = with_garbage(compile("zeros.c", ZEROS, &config), &config);
    let report = testbench::run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap();
    assert!(report.success(), "{}", report.message);
}

#[test]
fn kernels_read_no_memory_that_neither_they_nor_the_start_wrote() {
    for kernel in kernels::all() {
        let mut config = config("sorted-table", 4, 4);
        kernel.configure(&mut config);
        let out = tempfile::tempdir().unwrap();
        let program = load(&kernels::build(kernel, out.path()).unwrap(), &config);
        exits(&with_garbage(program, &config), &config);
    }
}

/// `gp` (two instructions), `sp`, the hart, the check (two), a call; `main` (two); the end.
#[test]
fn a_start_with_nothing_to_do_takes_ten_instructions() {
    let config = config("sorted-table", 4, 4);
    let finished = exits(&compile("nothing.c", "int main(void) { return 0; }\n", &config), &config);
    assert_eq!(finished.statistics.issues, 4 * 10);
}
