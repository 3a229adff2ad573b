use super::*;
use crate::generate::{Abilities, generate};
use crate::profile::PROFILES;

fn lines(body: &[Statement], found: &mut Vec<String>) {
    for statement in body {
        match statement {
            Statement::Code(lines) => found.extend(lines.iter().cloned()),
            Statement::Copied { routines, .. } => found.extend(routines.iter().flatten().cloned()),
            Statement::Rewritten { instructions } => found.extend(instructions.iter().map(|[_, after]| after.clone())),
            Statement::If { then, otherwise, .. } => [then, otherwise].iter().for_each(|side| lines(side, found)),
            Statement::Loop(Loop { body, .. }) => lines(body, found),
            Statement::Switch { arms, .. } => arms.iter().for_each(|arm| lines(arm, found)),
            Statement::Graph(blocks) => blocks.iter().for_each(|block| lines(&block.code, found)),
            _ => {}
        }
    }
}

fn all_lines(program: &Program) -> Vec<String> {
    let mut found = Vec::new();
    program.functions.iter().for_each(|function| lines(&function.body, &mut found));
    found
}

/// A program that fails because of one of its lines shrinks to that line.
#[test]
fn one_guilty_line_is_all_that_is_left() {
    let abilities = Abilities {
        harts: 8,
        isa: weft_config::Isa::default(),
        turns: true,
        scratchpad: weft_config::Scratchpad::beside(weft_config::Isa::default()),
        window: None,
    };
    for profile in PROFILES {
        for seed in 0..4 {
            let program = generate(seed, profile, abilities);
            let lines = all_lines(&program);
            let guilty = &lines[lines.len() * 2 / 3];
            let least = shrink(&program, &mut |program| Some(all_lines(program).contains(guilty)));
            assert_eq!(all_lines(&least), std::slice::from_ref(guilty), "{} seed {seed}", profile.name);
            assert_eq!((least.statements(), least.fuel), (1, 1), "{} seed {seed}", profile.name);
            assert!(least.values.iter().all(Option::is_none));
        }
    }
}

#[test]
fn shrinking_stops_when_told() {
    let abilities = Abilities {
        harts: 8,
        isa: weft_config::Isa::default(),
        turns: true,
        scratchpad: weft_config::Scratchpad::beside(weft_config::Isa::default()),
        window: None,
    };
    let program = generate(1, &PROFILES[0], abilities);
    let mut trials = 0;
    let least = shrink(&program, &mut |_| {
        trials += 1;
        (trials < 10).then_some(false)
    });
    assert_eq!((trials, &least), (10, &program));
}
