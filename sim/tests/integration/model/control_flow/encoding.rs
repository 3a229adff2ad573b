use sim::Program;
use sim::control_flow::{Analysis, Reconvergence, ReconvergenceTable};

use super::analysis;
use crate::model::bench::CODE;
use words::*;

#[test]
fn an_entry_is_the_pc_with_its_kind_in_the_low_bits() {
    assert_eq!(Reconvergence::Unknown.word(), 0);
    assert_eq!(Reconvergence::At(0x8000_0010).word(), 0x8000_0011);
    assert_eq!(Reconvergence::Return.word(), 2);
}

#[test]
fn there_is_one_entry_for_each_word_and_none_outside() {
    let words = [beq(10, 0, 8), NOP, jalr(0, 1, 0)];
    let analysis = analysis(&words);
    let table = analysis.table();
    assert_eq!(table.len(), 3);
    let entries: Vec<u32> = (0..3).map(|word| table.word(CODE + 4 * word)).collect();
    assert_eq!(entries, [(CODE + 8) | 1, 0, 0]);
    assert_eq!(table.at(CODE), Reconvergence::At(CODE + 8));
    for outside in [0, CODE - 4, CODE + 12, u32::MAX - 3] {
        assert_eq!(table.at(outside), Reconvergence::Unknown);
        assert_eq!(table.word(outside), 0);
    }
}

#[test]
fn a_table_that_knows_nothing() {
    let none = ReconvergenceTable::none();
    assert!(none.is_empty());
    assert_eq!(none.at(CODE), Reconvergence::Unknown);
    let empty = Analysis::of(&Program::from_words("empty", CODE, &[]));
    assert_eq!(empty.table(), &none);
    assert_eq!(empty.unknown_branches(), 0);
}
