//! The fetch port: a core that asks for what is between words is found.

mod support;

use support::assembler::*;

#[test]
fn fetches_are_of_whole_words() {
    let mut config = support::config(2, 2);
    config.run.watchdog = 2000;
    let program = [addi(5, 0, 1), addi(6, 5, 1), csrw(0x800, 0)];
    assert!(support::agrees(&config, &program, None));
    assert!(!support::agrees(&config, &program, Some(("{pc_s1, 2'd0};", "{pc_s1, 2'd1};"))));
}
