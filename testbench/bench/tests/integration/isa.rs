//! Every instruction of RV32IMA on every lane, compared with QEMU, which shares no code with the project.
//!
//! An image holds many *cases*, each of which writes one word, and 24 *sets* of operands. Every thread of the core
//! runs all cases for its own sets, so each lane has other operands than its neighbours at any time.
//! QEMU runs the same file on one hart, set after set. Then the words of all cases and sets must be equal. On the
//! hardware the run is in lock step, so the golden model must match QEMU's words too.
//!
//! `WEFT_ISA_SEED` is the seed of operands, registers and random code; the default is 1.

mod control;
mod data;
mod extended;
mod faults;
mod harts;
mod image;
mod memory;
mod qemu;
mod random;
mod writer;

use std::time::Instant;

use image::{Image, SETS};
use sim::Program;
use testbench::{BuiltCore, Effort, Engine, Report, RunOptions};
use weft_config::{Config, Isa, Latency};

fn seed() -> u64 {
    std::env::var("WEFT_ISA_SEED").map_or(1, |seed| seed.parse().expect("WEFT_ISA_SEED must be a number"))
}

/// The default configuration with another size and latency.
fn config((warps, threads): (u32, u32), (min, max): (u32, u32)) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.latency = Latency { min, max };
    config
}

fn options() -> RunOptions<'static> {
    RunOptions { max_cycles: 20_000_000, ..RunOptions::default() }
}

fn on_core(image: &Image, config: &Config) -> Vec<u32> {
    let program = Program::load(image.name, &image.elf, config).unwrap();
    let report = testbench::run(config, &program, Engine::Cosim, options()).unwrap();
    words(image, &program, &report)
}

fn words(image: &Image, program: &Program, report: &Report) -> Vec<u32> {
    assert!(report.success(), "{}: {}", image.name, report.message);
    let first = program.symbol("results").expect("every image has results");
    let words = (0..image.words()).map(|index| report.memory.read_word(first + 4 * index as u32));
    words.collect::<Option<_>>().expect("the results are in RAM")
}

/// The images: each tests a group of instructions, with `sets` sets of operands.
fn images(sets: usize) -> Vec<Image> {
    let mut rng = fastrand::Rng::with_seed(seed());
    vec![
        Image::new("arithmetic", sets, &mut rng, data::cases),
        Image::new("memory", sets, &mut rng, memory::cases),
        Image::new("control", sets, &mut rng, control::cases),
        Image::new("random code", sets, &mut rng, random::cases),
    ]
}

fn every_lane_agrees_with_qemu(size: (u32, u32), latency: (u32, u32), sets: usize) {
    println!("seed {} (WEFT_ISA_SEED)", seed());
    for image in images(sets) {
        let start = Instant::now();
        let expected = qemu::run(&image.elf, 1, image.words());
        let of_qemu = start.elapsed();
        let found = on_core(&image, &config(size, latency));
        println!(
            "{}: {} cases of {} sets, QEMU {:.1} s, core {size:?} {:.1} s",
            image.name,
            image.cases(),
            image.sets,
            of_qemu.as_secs_f64(),
            (start.elapsed() - of_qemu).as_secs_f64(),
        );
        image.compare(&found, &expected).unwrap_or_else(|report| panic!("{report}"));
    }
}

#[test]
fn every_lane_of_four_agrees_with_qemu() {
    every_lane_agrees_with_qemu((2, 4), (1, 1), SETS);
}

#[test]
fn every_lane_of_eight_agrees_with_qemu() {
    every_lane_agrees_with_qemu((3, 8), (1, 20), SETS);
}

#[test]
fn a_warp_of_one_thread_agrees_with_qemu() {
    every_lane_agrees_with_qemu((8, 1), (1, 1), 8);
}

/// The cases for the core, and QEMU's words.
fn extended_cases(sets: usize) -> (Image, Vec<u32>) {
    let image = |write| Image::new("extensions", sets, &mut fastrand::Rng::with_seed(seed()), write);
    let for_qemu = image(extended::cases_for_qemu);
    (image(extended::cases), qemu::run(&for_qemu.elf, 1, for_qemu.words()))
}

#[test]
fn extensions_agree_with_qemu_in_warps_of_one_four_and_eight_threads() {
    let (image, expected) = extended_cases(SETS);
    for (size, latency) in [((8, 1), (1, 1)), ((2, 4), (1, 1)), ((3, 8), (1, 20))] {
        let config = Config { isa: Isa::ALL, ..config(size, latency) };
        let found = on_core(&image, &config);
        image.compare(&found, &expected).unwrap_or_else(|report| panic!("{size:?}: {report}"));
    }
}

/// Without the golden model: only QEMU's words are compared.
#[test]
fn a_fault_in_the_gates_of_each_extension_is_found() {
    let (image, expected) = extended_cases(SETS);
    let config = Config { isa: Isa::ALL, ..config((2, 4), (1, 1)) };
    let program = Program::load(image.name, &image.elf, &config).unwrap();
    let broken = [
        ("lane_operands.sh1add_does_not_shift", &["sh1add"][..]),
        ("lane_alu.max_is_nothing", &["max", "maxu"]),
        ("lane_alu.czero_nez_never_keeps", &["czero.nez"]),
    ];
    let cores =
        BuiltCore::broken_copies(&config, program.entry, &broken.map(|(fault, _)| fault), Effort::Quick).unwrap();
    for ((fault, mnemonics), core) in broken.into_iter().zip(cores) {
        let report = core.run(&config, &program, Engine::Rtl, options()).unwrap();
        let found = words(&image, &program, &report);
        let report = image.compare(&found, &expected).expect_err(fault);
        for line in report.lines().skip(1) {
            let is_of = |mnemonic: &&str| line.contains(&format!(": {mnemonic} with"));
            assert!(mnemonics.iter().any(is_of), "{fault}: {line}");
        }
    }
}

#[test]
fn every_hart_has_its_own_number() {
    let image = harts::image();
    let config = config((2, 4), (1, 1));
    let expected = qemu::run(&image.elf, 8, image.words());
    assert_eq!(expected, [1; 8], "each hart of QEMU counts its own number once");
    assert_eq!(on_core(&image, &config), expected);
}

#[test]
fn faults_have_the_cause_and_pc_that_qemu_gives_them() {
    let config = config((2, 4), (1, 1));
    let image = faults::image(0);
    let expected = qemu::run(&image.elf, faults::HARTS, image.words());
    for (number, case) in faults::CASES.iter().enumerate() {
        let program = Program::load(image.name, &faults::image(number).elf, &config).unwrap();
        let report = testbench::run(&config, &program, Engine::Cosim, options()).unwrap();
        let fault = report.fault.unwrap_or_else(|| panic!("{case}: {}", report.message));
        let [cause, pc] = [expected[2 * number], expected[2 * number + 1]];
        assert_eq!((u32::from(fault.cause), fault.pc), (cause, pc), "{case}: cause and pc");
    }
}

/// The report on a core of 2 x 4 with this fault.
fn on_broken_core(fault: &str) -> String {
    let config = config((2, 4), (1, 1));
    let image = Image::new("arithmetic", SETS, &mut fastrand::Rng::with_seed(seed()), data::cases);
    let program = Program::load(image.name, &image.elf, &config).unwrap();
    let core = BuiltCore::broken(&config, program.entry, fault).unwrap();
    let report = core.run(&config, &program, Engine::Rtl, options()).unwrap();
    let found = words(&image, &program, &report);
    image.compare(&found, &qemu::run(&image.elf, 1, image.words())).unwrap_err()
}

#[test]
fn an_arithmetic_shift_by_a_product_without_its_sign_is_found() {
    for line in on_broken_core("multiplier.sign_does_not_fill").lines().skip(1) {
        assert!(line.contains("sra"), "{line}");
    }
}

#[test]
fn an_unsigned_comparison_that_is_signed_in_one_lane_is_found() {
    for line in on_broken_core("s6_execute.lane_2_compares_signed").lines().skip(1) {
        assert!(line.contains("slt"), "{line}");
        let set = line.trim().strip_prefix("set ").and_then(|rest| rest.split(',').next());
        assert_eq!(set.unwrap().parse::<u32>().unwrap() % 4, 2, "{line}");
    }
}

#[test]
fn a_wrong_word_is_reported_with_case_and_set() {
    let mut rng = fastrand::Rng::with_seed(1);
    let image = Image::new("arithmetic", SETS, &mut rng, data::cases);
    let expected = vec![0; image.words()];
    let mut found = expected.clone();
    found[3 * SETS + 5] = 7;
    let report = image.compare(&found, &expected).unwrap_err();
    assert!(report.starts_with("arithmetic: 1 of"), "{report}");
    assert!(report.contains("set 5, a = ") && report.contains("0x00000007, in QEMU 0x00000000"), "{report}");
    image.compare(&expected, &expected).unwrap();
}
