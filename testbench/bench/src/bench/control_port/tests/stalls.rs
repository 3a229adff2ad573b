//! `control.counters` = "full": each cycle of a run is an issue, or has one cause.

use rtl::Direction;
use weft_config::{Config, Latency};

use super::host::{Host, compile, counted};
use super::scenarios::{expect, work};

const CAUSES: [&str; 6] = ["write_port", "place", "result", "spacing", "fetch", "parked"];

fn stalls(host: &mut Host) -> Result<[u32; 6], String> {
    let mut found = [0; 6];
    for (cause, count) in CAUSES.iter().zip(&mut found) {
        *count = host.read(&format!("stalls_{cause}"))?;
        expect("the high word", host.read(&format!("stalls_{cause}_high"))?, 0)?;
    }
    Ok(found)
}

/// Runs a program twice. The second run counts as the first, and the issues with the stalls are all cycles.
pub fn every_cycle_issues_or_has_a_cause(host: &mut Host) -> Result<(), String> {
    let program = work(host);
    let issues = host.model.port("trace_issue_valid", 1, Direction::Output).unwrap();
    host.field_is("shape", "stalls", 1)?;
    if stalls(host)? != [0; 6] {
        return Err("stalls before the first run".into());
    }
    for _ in 0..2 {
        host.load(&program);
        let issued = host.count(issues);
        host.run(program.entry, 7)?;
        let issued = host.count(issues) - issued;
        let (cycles, found) = (host.read("cycles")?, stalls(host)?);
        let sum = issued as u32 + found.iter().sum::<u32>();
        if sum.abs_diff(cycles) > 3 {
            return Err(format!("{issued} issues and {found:?} stalls in {cycles} cycles"));
        }
    }
    Ok(())
}

/// Runs `body` 100 times. Returns the cycles of a cause, and all.
fn counts(warps: u32, body: &str, wanted: &str) -> (u32, u32) {
    let mut config = Config { warps, ..counted(super::open()) };
    config.memory.latency = Latency { min: 40, max: 40 };
    config.memory.fetch_latency = Latency { min: 1, max: 1 };
    let mut host = Host::new(&config);
    let text = format!(
        ".globl main\nmain: li a5, 100\n la a3, words\n1: {body}\n addi a5, a5, -1\n bnez a5, 1b\n csrw 0x800, zero\n \
         .data\n .balign 64\nwords: .zero 64\n"
    );
    let program = compile("stalls.S", &text, &config);
    host.load(&program);
    host.run(program.entry, 0).unwrap();
    let (found, cycles) = (stalls(&mut host).unwrap(), host.read("cycles").unwrap());
    let at = CAUSES.iter().position(|cause| *cause == wanted).unwrap();
    println!("{wanted}: {found:?} of {cycles} cycles");
    (found[at], cycles)
}

/// Whether one warp waits for one thing in most cycles.
fn dominates(body: &str, wanted: &str) -> bool {
    let (found, cycles) = counts(1, body, wanted);
    2 * found > cycles
}

#[test]
fn each_cycle_of_a_run_issues_or_has_a_cause() {
    for config in [super::open(), super::cached()] {
        let mut host = Host::new(&counted(config));
        if let Err(message) = every_cycle_issues_or_has_a_cause(&mut host) {
            panic!("{:?}: {message}", host.config.memory.kind);
        }
    }
}

/// A load of latency 40 that is used at once; more loads in flight than tags; `add`s that each use the one
/// before; jumps, of which each is fetched after the one before. Eight warps: results that come while others issue. Two: barriers.
#[test]
fn what_a_program_waits_for_is_counted() {
    assert!(dominates("lw a0, (a3)\n add a0, a0, a0", "result"));
    let loads: String = ["a0", "a1", "a2", "a4", "a6", "a7", "t0", "t1"].map(|to| format!("lw {to}, (a3)\n")).concat();
    assert!(dominates(&loads, "place"));
    assert!(dominates(&format!("lw a1, (a3)\n{}", "add a0, a0, a0\n".repeat(40)), "spacing"));
    let jumps: String = (0..40).map(|at| format!("j 2{at}f\n nop\n 2{at}:\n")).collect();
    let jumps = format!("lw a1, (a3)\n{jumps}");
    assert!(dominates(&jumps, "fetch"));
    let fault = "s3_schedule.a_path_that_fetches_is_parked";
    assert!(!rtl::with_fault(fault, || dominates(&jumps, "fetch")), "{fault}: not found");
    let adds = "add t0, a3, a3\n add t1, a3, a3\n add t2, a3, a3\n add t3, a3, a3\n".repeat(10);
    assert!(counts(8, &(loads + &adds), "write_port").0 > 0);
    assert!(counts(2, "lw a1, (a3)\n csrw 0x801, zero", "parked").0 > 0);
}

#[test]
fn a_core_without_the_counters_reads_zeros() {
    let mut host = Host::new(&super::open());
    let program = work(&host);
    host.load(&program);
    host.run(program.entry, 7).unwrap();
    host.field_is("shape", "stalls", 0).unwrap();
    assert_eq!(stalls(&mut host).unwrap(), [0; 6]);
}
