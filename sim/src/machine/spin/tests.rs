use super::*;
use crate::decode::decode;

fn step(state: &mut Loop, word: u32, divides: bool) -> bool {
    state.spins(word, &decode(word).expect("an instruction"), divides)
}

/// The iterations, each a backward branch at the end, until the loop is seen to wait; `None` within ten.
fn seen_after(words: &[u32]) -> Option<u32> {
    let mut state = Loop::default();
    (1..=10).find(|_| words.iter().any(|word| step(&mut state, *word, false)))
}

#[test]
fn loops_that_wait_are_seen_in_the_second_iteration() {
    let loops: [(&str, &[u32]); 5] = [
        ("lw; beqz", &[0x0007_2783, 0xfe07_8ee3]),
        ("lw; beqz out; j", &[0x0007_2783, 0x0007_8463, 0xff9f_f06f]),
        ("lr; bne", &[0x1005_27af, 0xfee7_9ee3]),
        ("amoor; srl; andi; bnez, of a byte", &[0x44e6_a7af, 0x00c7_d7b3, 0x0ff7_f793, 0xfe07_9ae3]),
        ("mv; add; amoswap; bnez", &[0x0006_0793, 0x0f07_0513, 0x0cf5_27af, 0xfe07_9ae3]),
    ];
    for (text, words) in loops {
        assert_eq!(seen_after(words), Some(2), "{text}");
    }
}

#[test]
fn loops_that_work_are_not() {
    let loops: [(&str, &[u32]); 5] = [
        ("rem; mv; mv; bnez, without memory", &[0x02d7_67b3, 0x0006_8713, 0x0007_8693, 0xfe06_9ae3]),
        ("addi, in place; bne", &[0x0017_0713, 0xfee6_9ee3]),
        ("lw along a list; bnez", &[0x0007_a783, 0xfe07_9ee3]),
        ("sw; beqz", &[0x00e6_a023, 0xfe07_8ee3]),
        ("amoadd; addi; bne", &[0x00e6_a7af, 0x0046_8693, 0xfec6_9ce3]),
    ];
    for (text, words) in loops {
        assert_eq!(seen_after(words), None, "{text}");
    }
}

#[test]
fn a_branch_that_divides_the_path_is_no_iteration() {
    let mut state = Loop::default();
    for _ in 0..10 {
        assert!(!step(&mut state, 0x0007_2783, false) && !step(&mut state, 0xfe07_8ee3, true));
    }
}
