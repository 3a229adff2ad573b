use super::*;
use weft_config::Config;

use crate::assembly;
use crate::point;
use crate::profile::PROFILES;

/// Seed 20261130, program 30495: a routine changed tp. So the analysis knew only one target of a jump table
/// addressed by tp, and with the stacks threads reconverged too late for a barrier.
#[test]
fn what_is_called_before_a_barrier_of_a_stack_keeps_what_the_calling_convention_says() {
    let writes = |line: &str| -> Option<Register> {
        let (name, operands) = line.trim().split_once(" x")?;
        let reads = ["sb", "sh", "sw", "jr", "csrw 0x804,"].contains(&name) || name.starts_with('b');
        (!reads).then(|| operands.split(',').next()?.parse().ok())?
    };
    let abilities = Abilities {
        harts: 8,
        isa: Isa::default(),
        turns: false,
        scratchpad: Scratchpad::beside(Isa::default()),
        window: None,
    };
    let (mut with_barriers, mut written) = (0, [0; 32]);
    for seed in 0..1000 {
        let program = generate(seed, &PROFILES[seed as usize % PROFILES.len()], abilities);
        let text = assembly::print(&program, "");
        if !text.contains("csrw 0x801") {
            continue;
        }
        with_barriers += 1;
        // The functions, and after them the copied code.
        let called = text.split_once(".size _start").unwrap().1;
        called.lines().filter_map(writes).for_each(|register| written[register as usize] += 1);
    }
    assert!(with_barriers > 100, "{with_barriers}");
    let kept = DATA.iter().filter(|register| !TEMPORARIES.contains(register));
    for register in kept {
        assert_eq!(written[*register as usize], 0, "x{register}");
    }
    for register in TEMPORARIES {
        assert!(written[register as usize] > 100, "x{register}: {}", written[register as usize]);
    }
}

#[test]
fn locks_of_every_kind_are_drawn_for_cores_on_which_they_are_released() {
    let profile = Profile::find("locks").unwrap();
    let mut suited = [0; 2];
    for (seed, unit) in (0..400).zip(["sorted-table", "arbiter", "pdom-stack", "dual-path"].into_iter().cycle()) {
        let mut core = point::core(&mut Rng::with_seed(seed), unit, (2, 4));
        let turns = point::takes_turns(&core);
        suited[usize::from(profile.suits(&core))] += 1;
        assert!(turns || !profile.suits(&core), "{unit}");
        profile.adapt(&mut core);
        assert_eq!(profile.suits(&core), turns, "{unit}");
    }
    assert!(suited[0] > 200 && suited[1] > 100, "{suited:?}");

    let abilities = Abilities {
        harts: 8,
        isa: Config::default().isa.with(&weft_config::extension::A),
        turns: true,
        scratchpad: Scratchpad::beside(Isa::default()),
        window: None,
    };
    let mut kinds = [[0; 2]; LockKind::ALL.len()];
    for seed in 0..200 {
        for function in generate(seed, profile, abilities).functions {
            count_locks(&function.body, false, &mut kinds);
        }
    }
    assert!(kinds.iter().flatten().all(|number| *number > 20), "{kinds:?}");
}

/// Counts locks by kind and pause, and checks that no thread waits, leaves or calls while it holds one.
fn count_locks(body: &[Statement], locked: bool, kinds: &mut [[u32; 2]]) {
    for statement in body {
        match statement {
            Statement::Lock(lock) => {
                assert!(!locked, "{lock:?}");
                let kind = LockKind::ALL.iter().position(|kind| *kind == lock.kind).unwrap();
                kinds[kind][usize::from(lock.pauses)] += 1;
                count_locks(&lock.body, true, kinds);
            }
            Statement::If { then, otherwise, .. } => {
                [then, otherwise].into_iter().for_each(|side| count_locks(side, locked, kinds));
            }
            Statement::Loop(Loop { body, .. }) => count_locks(body, locked, kinds),
            Statement::Switch { arms, .. } => arms.iter().for_each(|arm| count_locks(arm, locked, kinds)),
            Statement::Graph(_) | Statement::Code(_) => {}
            _ => assert!(!locked, "{statement:?}"),
        }
    }
}
