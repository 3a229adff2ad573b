//! RV32A on the verilated core, compared with the golden model commit by commit, in programs that check their own
//! results; and the accesses that the core refuses.

use crate::support;

use support::assembly::{config, cosim, file, passes, text};
use testbench::Outcome;

#[test]
fn operations_of_all_threads_on_one_word_happen_one_by_one() {
    passes("amo_one_word");
}

#[test]
fn operations_on_own_words_answer_the_old_value_and_leave_the_new_one() {
    passes("amo_own_word");
}

#[test]
fn a_store_conditional_succeeds_if_and_only_if_its_word_is_still_reserved() {
    passes("reservations");
}

#[test]
fn no_increment_by_reservation_is_lost() {
    passes("increments");
}

#[test]
fn a_lock_keeps_the_threads_of_all_warps_apart() {
    passes("lock");
}

/// One instruction that lanes 2 and 3 mod 4 execute with a faulting address in t1, the others with one in RAM.
fn refused(address: &str, instruction: &str) -> (Outcome, Option<u8>, Option<u32>) {
    let body = format!(
        "begin\n la t0, word\n andi t1, s0, 2\n neg t1, t1\n srai t1, t1, 1\n li t2, {address}\n\
         xor t2, t2, t0\n and t1, t1, t2\n xor t1, t1, t0\n{instruction}\n finish\n\
         .bss\n .balign 16\nword: .zero 16\n"
    );
    let source = text("refused", body);
    let report = cosim(&source, &config((2, 4), (1, 60)));
    (report.outcome, report.fault.map(|fault| fault.cause), report.fault.map(|fault| fault.lane))
}

#[test]
fn atomic_operations_at_bad_addresses_halt_the_core() {
    let at = |cause| (Outcome::Fault, Some(cause), Some(2));
    for (address, load, store) in [
        ("0x80000002", 4, 6),
        ("0x7ffffffd", 4, 6), // misaligned has precedence over unmapped
        ("0x7ffffffc", 5, 7),
        ("0x90000000", 5, 7),
        ("0x10000000", 5, 7), // the console
        ("0x10000004", 5, 7),
        ("0", 5, 7),
    ] {
        assert_eq!(refused(address, "lr.w t3, (t1)"), at(load), "lr.w at {address}");
        assert_eq!(refused(address, "sc.w t3, t0, (t1)"), at(store), "sc.w at {address}");
        assert_eq!(refused(address, "amoadd.w t3, t0, (t1)"), at(store), "amoadd.w at {address}");
    }
    assert_eq!(refused("0x80001000", "amoadd.w t3, t0, (t1)").0, Outcome::Exited);
}

#[test]
fn encodings_beside_rv32a_are_illegal() {
    let illegal = (Outcome::Fault, Some(2), Some(0));
    for word in [
        "0x1013232f", // lr.w with rs2
        "0x0003332f", // amoadd.d
        "0x0003032f", // amoadd.b
        "0x2803232f", // an undefined operation
        "0x5003232f", // another undefined operation
    ] {
        assert_eq!(refused("0x80001000", &format!(".word {word}")), illegal, "{word}");
    }
}

#[test]
fn a_core_without_rv32a_refuses_it() {
    let mut config = config((2, 4), (1, 60));
    config.isa.set(&weft_config::extension::A, false);
    let body = "begin\n la t0, word\n lr.w t1, (t0)\n finish\n.bss\nword: .zero 4\n";
    let report = cosim(&text("without", body), &config);
    assert_eq!(
        (report.outcome, report.fault.map(|fault| fault.cause)),
        (Outcome::Fault, Some(2)),
        "{}",
        report.message
    );
    assert!(Outcome::Exited == cosim(&file("load_registers"), &config).outcome, "the rest of the core works");
}

/// A program in which hart 0 ends the run with an atomic operation on `tohost`.
fn ends_by(body: &str) -> (Outcome, Option<u32>) {
    let body = format!("begin\n la t0, tohost\n bnez s0, 1f\n li t1, 1\n li t2, 7\n{body}\n1: j 1b\n");
    let report = cosim(&text("tohost", body), &config((2, 4), (1, 60)));
    (report.outcome, report.tohost)
}

#[test]
fn atomic_operations_that_write_tohost_end_the_run() {
    assert_eq!(ends_by("amoswap.w t3, t1, (t0)"), (Outcome::Pass, Some(1)));
    assert_eq!(ends_by("amoadd.w zero, t2, (t0)"), (Outcome::Fail, Some(7)));
    assert_eq!(ends_by("lr.w t3, (t0)\n sc.w t3, t1, (t0)"), (Outcome::Pass, Some(1)));
    // A store-conditional that fails writes nothing; neither do loads.
    assert_eq!(ends_by("sc.w t3, t2, (t0)\n lr.w t3, (t0)\n sw t1, 0(t0)"), (Outcome::Pass, Some(1)));
    assert_eq!(ends_by("lr.w t3, (t0)\n amoor.w t3, t3, (t0)\n sw t1, 0(t0)"), (Outcome::Fault, Some(0)));
    assert_eq!(ends_by("lr.w t3, (t0)\n sc.w t3, x0, (t0)\n sw t1, 0(t0)"), (Outcome::Fault, Some(0)));
}
