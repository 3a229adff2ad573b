use super::*;
use crate::assembly;
use crate::profile::PROFILES;

/// Seed 20261130, program 30495: a routine changed tp. So the analysis knew only one target of a jump table
/// addressed by tp, and with the stacks threads reconverged too late for a barrier.
#[test]
fn what_is_called_before_a_barrier_of_a_stack_keeps_what_the_calling_convention_says() {
    let writes = |line: &str| -> Option<Register> {
        let (name, operands) = line.trim().split_once(" x")?;
        let stores = ["sb", "sh", "sw"].contains(&name) || name.starts_with('b') || name == "jr";
        (!stores).then(|| operands.split(',').next()?.parse().ok())?
    };
    let abilities = Abilities { harts: 8, isa: Isa::default(), turns: false };
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
