//! S7 returns the reservations of S2 if it squashes the word: for all 2³² words, instructions or not.

use cores::formal;
use rtl::with_fault;
use weft_config::{Config, Isa, MemoryKind};

use super::yosys::Design;
use super::{assert_fails, assert_proved};

fn design(isa: Isa, kind: MemoryKind) -> Design {
    let config = Config { threads: 1, isa, ..Config::default() };
    let config = Config { memory: weft_config::Memory { kind, ..config.memory.clone() }, ..config };
    let unit = cores::divergence::find(&config.divergence.unit).expect("a unit");
    let shape = cores::Shape::new(&config, 0x8000_0000, unit);
    Design::new(&formal::reservations(&shape).expect("a whole module"))
}

#[test]
fn what_s2_reserves_for_any_word_s7_gives_back() {
    let but_one = weft_config::EXTENSIONS.iter().map(|extension| Isa::ALL.without(extension));
    for isa in [Isa::ALL, Isa::default(), Isa::BASE].into_iter().chain(but_one) {
        assert_proved(design(isa, MemoryKind::Model).prove_for_all_inputs());
    }
    assert_proved(design(Isa::ALL, MemoryKind::Axi4).prove_for_all_inputs());
}

#[test]
fn a_reservation_that_is_not_given_back_is_found() {
    for name in ["request", "tag", "long_result", "divider"] {
        let broken = with_fault(&format!("s5_decode.keeps_the_{name}"), || design(Isa::ALL, MemoryKind::Model));
        assert_fails(&format!("the {name} is kept"), broken.prove_for_all_inputs());
    }
}
