//! `control.paths`: where each warp is.

use cores::control::registers::PATHS;
use weft_config::Config;

use super::host::{Host, compile, with_paths};
use super::scenarios::expect;
use crate::memory::RAM_BASE;

/// Warp 0 waits at the barrier. In warp 1 thread 2 spins, and thread 3 has ended.
const APART: &str = "
    .globl main, spin, waits
main:
    csrr    a0, mhartid
    addi    a0, a0, -2
    bltz    a0, 1f
    bnez    a0, 2f
spin:
    lw      a1, (sp)
    j       spin
1:  csrw    0x801, zero
waits:
    nop
2:  csrw    0x800, zero
";

/// pc, mask, its upper half and state of the path in a slot of a warp.
fn path(host: &mut Host, warp: u32, slot: u32) -> Result<[u32; 4], String> {
    let base = PATHS.offset + PATHS.warp * warp + PATHS.slot * slot;
    let mut words = [0; 4];
    for (word, register) in words.iter_mut().zip(&PATHS.words) {
        *word = host.read_at(base + register.offset)?;
    }
    Ok(words)
}

/// The paths of a warp.
fn paths(host: &mut Host, warp: u32) -> Result<Vec<[u32; 4]>, String> {
    let found = [path(host, warp, 0)?, path(host, warp, 1)?];
    Ok(found.into_iter().filter(|words| *words != [0; 4]).collect())
}

fn is_at(host: &mut Host, warp: u32, wanted: [u32; 4]) -> Result<(), String> {
    let found = paths(host, warp)?;
    if found != [wanted] {
        return Err(format!("warp {warp}: pc, mask and state {found:x?}, expected {wanted:x?}"));
    }
    Ok(())
}

pub fn a_stopped_core_shows_its_paths(host: &mut Host) -> Result<(), String> {
    let program = compile("apart.S", APART, &host.config);
    let address = |name: &str| program.symbol(name).unwrap();
    host.load(&program);
    for _ in 0..2 {
        host.start(program.entry, 0)?;
        host.wait(2000)?;
        host.stop()?;
        is_at(host, 0, [address("waits"), 0b11, 0, 0b11])?;
        let found = paths(host, 1)?;
        let is_right = |path: &[u32; 4]| path[0].wrapping_sub(address("spin")) <= 4 && path[1..] == [0b01, 0, 0b01];
        if found.len() != 1 || !found.iter().all(is_right) {
            return Err(format!("warp 1: {found:x?}"));
        }
        // Stopped at once, each warp is at the entry with all threads.
        host.start(program.symbol("_start").unwrap_or(program.entry), 0)?;
        host.stop()?;
        for warp in 0..2 {
            is_at(host, warp, [program.entry, 0b11, 0, 0b01])?;
        }
    }
    Ok(())
}

fn check(config: Config) {
    let mut host = Host::new(&config);
    expect("a core that has not run", path(&mut host, 1, 0).unwrap()[0], RAM_BASE).unwrap();
    if let Err(message) = a_stopped_core_shows_its_paths(&mut host) {
        panic!("{}: {message}", config.divergence.unit);
    }
    // There is no other warp.
    for (warp, slot) in [(2, 0), (3, 1), (127, 1)] {
        assert_eq!(path(&mut host, warp, slot).unwrap(), [0; 4], "warp {warp}, slot {slot}");
    }
}

#[test]
fn a_stopped_core_shows_where_its_warps_are() {
    for unit in ["sorted-table", "multi-path", "dual-path"] {
        let mut config = with_paths();
        config.divergence.unit = unit.into();
        check(config);
    }
}

#[test]
fn a_run_that_ends_leaves_no_path() {
    let config = with_paths();
    let mut host = Host::new(&config);
    let program = compile("ends.S", ".globl main\nmain: csrw 0x801, zero\n csrw 0x800, zero\n", &config);
    host.load(&program);
    host.run(program.entry, 0).unwrap();
    for warp in 0..2 {
        assert_eq!(path(&mut host, warp, 0).unwrap(), [0; 4]);
    }
}
