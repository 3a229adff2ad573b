//! Each board in Verilator, from configuration on: a receiver on the serial line reads the output of the program.

use crate::support;

use boards::{Board, find};
use support::{Bench, config, core_with, core_with_zeros, program};
use testbench::{Engine, RunOptions};

/// Returns the output of `weft run`.
fn printed(program: &sim::Program) -> String {
    let mut console = Vec::new();
    let options = RunOptions { max_cycles: 1_000_000, console: Some(&mut console), ..RunOptions::default() };
    let report = testbench::run(&config(), program, Engine::Model, options).unwrap();
    assert!(report.success(), "{}", report.message);
    String::from_utf8(console).unwrap()
}

/// Returns the cycles in reset after the configuration of the FPGA: 10 ms, rounded up.
fn reset_cycles(board: &Board) -> u64 {
    10_000 * u64::from(board.clock.mhz)
}

#[test]
fn the_program_prints_on_the_serial_line() {
    // These boards differ in more than the name of the part.
    for board in ["ulx3s", "de2-115", "arty-a7-35t"].map(|name| find(name).unwrap()) {
        let config = config();
        let program = program(&config, Err("console"));
        let expected = printed(&program);
        assert!(expected.starts_with("2 warps of 2 threads\nAB\n"), "{expected}");
        let (core, contents) = core_with(&config, &program);
        let mut bench = Bench::start(board, &core, &contents);
        let reset = reset_cycles(board);
        bench.run(reset);
        assert_eq!((bench.heard(), bench.lights()), (String::new(), 0), "{}", board.name);
        bench.run_until(1, 8 * reset);
        bench.run(reset / 10);
        assert_eq!(bench.heard(), expected, "{}", board.name);
        assert_eq!(bench.lights(), 0b10, "{}: done, and nothing else", board.name);
    }
}

#[test]
fn the_button_starts_the_program_again_when_it_has_come_to_rest() {
    let board = find("ulx3s").unwrap();
    let config = config();
    // Each thread ends at once.
    let (core, contents) = core_with(&config, &program(&config, Ok("int main(void) { return 0; }")));
    let mut bench = Bench::start(board, &core, &contents);
    let reset = reset_cycles(board);
    bench.run_until(1, 2 * reset);
    bench.press(true);
    bench.run(10);
    assert!(!bench.light(1), "reset ends what was done");
    bench.run(2 * reset);
    assert!(!bench.light(1), "held while it is pressed");
    bench.press(false);
    bench.run(reset / 2);
    bench.press(true);
    bench.run(10);
    bench.press(false);
    bench.run(reset * 9 / 10);
    assert!(!bench.light(1), "a bounce begins the time anew");
    bench.run_until(1, 2 * reset);
}

/// The blinking light is not checked: it changes every 17 million cycles.
#[test]
fn a_failed_run_shows_and_prints_why() {
    let board = find("ulx3s").unwrap();
    let returns_7 = program(&config(), Ok("int main(void) { return 7; }"));
    for ((core, contents), lights, line) in [
        // The cause of an illegal instruction has its number from the instruction-set manual.
        (core_with_zeros(&config()), 2 << 4 | 0b100, "\nfault 2: pc 80000000\n"),
        (core_with(&config(), &returns_7), 7 << 4 | 0b110, "\nexit code = 00000007\n"),
    ] {
        let mut bench = Bench::start(board, &core, &contents);
        let reset = reset_cycles(board);
        bench.run_until(2, 2 * reset);
        bench.run(reset / 4);
        assert_eq!((bench.heard().as_str(), bench.lights()), (line, lights));
    }
}
