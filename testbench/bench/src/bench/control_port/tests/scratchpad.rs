//! The scratchpad at the control port.

use cores::control::registers::SCRATCHPAD;
use weft_config::Config;

use super::host::{Host, compile, with_scratchpad};

/// Each thread adds 1 to every fourth word, and then spins if the argument is not 0.
const ADDS: &str = "
    .globl main
main:
    csrr    a0, mhartid
    slli    a0, a0, 2
    lui     a1, 0x20000
    add     a1, a1, a0
    li      a2, 16
1:  lw      a3, 0(a1)
    addi    a3, a3, 1
    sw      a3, 0(a1)
    addi    a1, a1, 16
    addi    a2, a2, -1
    bnez    a2, 1b
    csrr    a0, 0xcc7
2:  bnez    a0, 2b
    csrw    0x800, zero
";

fn words(host: &Host) -> u32 {
    host.config.scratchpad.bytes / 4
}

fn is(host: &mut Host, word: u32, expected: u32) -> Result<(), String> {
    let found = host.read_at(SCRATCHPAD + 4 * word)?;
    if found == expected { Ok(()) } else { Err(format!("word {word} is {found:#x}, expected {expected:#x}")) }
}

fn are(host: &mut Host, expected: &[u32]) -> Result<(), String> {
    expected.iter().zip(0..).try_for_each(|(value, word)| is(host, word, *value))
}

pub fn words_go_in_and_come_out(host: &mut Host) -> Result<(), String> {
    let words = words(host);
    host.is("scratchpad_bytes", 4 * words)?;
    let mut expected = vec![0; words as usize];
    // Before the first run, and after one.
    for run in 0..3 {
        are(host, &expected)?;
        for _ in 0..100 {
            let (word, value, strobes) = (host.rng.u32(..words), host.rng.u32(..), host.rng.u32(..16));
            host.write_at(SCRATCHPAD + 4 * word, value, strobes)?;
            let bits = (0..4).filter(|byte| strobes >> byte & 1 == 1).fold(0, |bits, byte| bits | 0xff << (8 * byte));
            let stored = &mut expected[word as usize];
            *stored = *stored & !bits | value & bits;
            let other = host.rng.u32(..words);
            is(host, word, expected[word as usize])?;
            is(host, other, expected[other as usize])?;
        }
        // Behind its end there is nothing.
        for word in [words, 2 * words, 0xffff] {
            host.write_at(SCRATCHPAD + 4 * word, 7, 0xf)?;
            is(host, word, 0)?;
        }
        are(host, &expected)?;
        let program = compile("adds.S", ADDS, &host.config);
        host.load(&program);
        if run == 1 {
            // In a run it is closed.
            host.start(program.entry, 1)?;
            host.wait(8000)?;
            is(host, 1, 0)?;
            host.write_at(SCRATCHPAD + 4, 99, 0xf)?;
            host.stop()?;
        } else {
            host.run(program.entry, 0)?;
        }
        expected.iter_mut().for_each(|word| *word = word.wrapping_add(1));
    }
    are(host, &expected)
}

fn check(config: &Config) {
    if let Err(message) = words_go_in_and_come_out(&mut Host::new(config)) {
        panic!("{} bytes, {} threads: {message}", config.scratchpad.bytes, config.threads);
    }
}

#[test]
fn the_host_reads_and_writes_the_scratchpad() {
    check(&with_scratchpad());
    let mut single = with_scratchpad();
    (single.warps, single.threads) = (4, 1);
    check(&single);
    let mut without_atomics = with_scratchpad();
    (without_atomics.warps, without_atomics.threads) = (1, 4);
    without_atomics.scratchpad.atomics = false;
    check(&without_atomics);
}

#[test]
fn a_core_without_one_shows_none() {
    let mut host = Host::new(&super::open());
    host.is("scratchpad_bytes", 0).unwrap();
    host.write_at(SCRATCHPAD, 5, 0xf).unwrap();
    is(&mut host, 0, 0).unwrap();
}
