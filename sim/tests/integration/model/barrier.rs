//! The barrier: which threads wait, and when it is released.

use sim::{Given, Machine, Program, Stop};
use weft_trace::{Commit, PathRecord};

use crate::model::bench::{Bench, CODE, config};
use words::*;

fn step(machine: &mut Machine, warp: u32) -> Result<Commit, Stop> {
    let mut commit = Commit::default();
    machine.step(warp, 0, &Given::default(), &mut commit).map(|_| commit)
}

fn parked(pc: u32, mask: u64) -> PathRecord {
    PathRecord { pc, depth: 0, mask, parked: true }
}

#[test]
fn no_warp_passes_before_all_have_arrived() {
    let program = Program::from_words("barrier", CODE, &[csrrw(3, BARRIER, 0), NOP]);
    let mut machine = Machine::new(&config(2, 2), &program).expect("a known unit");
    let commit = step(&mut machine, 0).expect("it arrives");
    assert_eq!((commit.rd, commit.writes, &commit.values[..]), (3, true, &[0, 0][..]));
    assert_eq!(machine.path(0, 0), Some(parked(CODE + 4, 0b11)));
    assert_eq!(step(&mut machine, 0), Err(Stop::Idle));
    assert_eq!(machine.schedulable(0), 0);
    assert_eq!(machine.release_due(), 0, "warp 1 is still on its way");
    step(&mut machine, 1).expect("it arrives");
    assert_ne!(machine.release_due(), 0);
    assert_eq!(machine.release_due(), 0, "once");
    for warp in 0..2 {
        assert_eq!(machine.path(warp, 0), Some(PathRecord { parked: false, ..parked(CODE + 4, 0b11) }));
        step(&mut machine, warp).expect("it goes on");
    }
}

#[test]
fn the_last_exit_releases_the_others() {
    // Hart 0 ends; the others wait.
    let program = Program::from_words("exit", CODE, &[csrrs(1, MHARTID, 0), bne(1, 0, 8), exit(), barrier()]);
    let mut machine = Machine::new(&config(1, 4), &program).expect("a known unit");
    for _ in 0..2 {
        step(&mut machine, 0).expect("it runs");
    }
    step(&mut machine, 0).expect("lane 0 ends");
    assert_eq!(machine.release_due(), 0, "no thread is at the barrier yet");
    step(&mut machine, 0).expect("the others arrive");
    assert_ne!(machine.release_due(), 0, "three live, three wait");
    assert_eq!(machine.live(), 3);
}

#[test]
fn an_exit_after_the_others_have_parked_releases_them() {
    // Lane 0 parks first (smaller pc), lane 1 ends later.
    let program = Program::from_words("late", CODE, &[csrrs(1, MHARTID, 0), bne(1, 0, 8), barrier(), exit()]);
    let mut machine = Machine::new(&config(1, 2), &program).expect("a known unit");
    for _ in 0..3 {
        step(&mut machine, 0).expect("it runs");
    }
    // Lane 1 is at the exit with the pc that lane 0 waits at: parked, so they do not merge.
    let pc = CODE + 12;
    assert_eq!(machine.paths(0), [PathRecord { parked: false, ..parked(pc, 0b10) }, parked(pc, 0b01)]);
    assert_eq!(machine.release_due(), 0);
    step(&mut machine, 0).expect("lane 1 ends");
    assert_ne!(machine.release_due(), 0);
    assert_eq!(machine.paths(0), [PathRecord { parked: false, ..parked(pc, 0b01) }]);
}

#[test]
fn nothing_is_released_when_all_have_ended() {
    let program = Program::from_words("all", CODE, &[exit()]);
    let mut machine = Machine::new(&config(1, 2), &program).expect("a known unit");
    step(&mut machine, 0).expect("it ends");
    assert_eq!(machine.release_due(), 0);
    assert_eq!(step(&mut machine, 0), Err(Stop::Idle));
}

#[test]
fn a_runnable_path_goes_before_a_parked_one_with_a_smaller_pc() {
    let traced =
        Bench::new(1, 4).lanes(1, &[0, 0, 1, 1]).code(&[bne(1, 0, 12), barrier(), NOP, NOP, barrier()]).trace();
    assert_eq!(traced.masks(), [(0, 0b1111), (1, 0b0011), (3, 0b1100), (4, 0b1100)]);
    let start = traced.start;
    assert_eq!(traced.machine.paths(0), [parked(start + 8, 0b0011), parked(start + 20, 0b1100)]);
    assert_eq!(traced.machine.held(0), 2);
}

#[test]
fn paths_parked_at_different_barriers_are_released_together_and_meet() {
    let mut machine =
        Bench::new(1, 4).lanes(1, &[0, 0, 1, 1]).code(&[bne(1, 0, 12), barrier(), jal(0, 8), barrier(), NOP]).ready();
    for _ in 0..3 {
        step(&mut machine, 0).expect("it runs");
    }
    assert_ne!(machine.release_due(), 0);
    assert_eq!(machine.paths(0).len(), 2);
    step(&mut machine, 0).expect("the first half jumps to the second");
    assert_eq!(machine.paths(0).len(), 1, "they merge");
    assert_eq!(machine.path(0, 0).map(|path| path.mask), Some(0b1111));
}
