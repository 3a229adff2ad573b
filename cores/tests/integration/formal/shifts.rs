//! Shifts that go through the multiplier, for all words, amounts and kinds.

use cores::{Shape, formal};
use rtl::with_fault;
use weft_config::Config;

use super::yosys::Design;
use super::{assert_fails, assert_proved};

fn design() -> Design {
    let config = Config { threads: 1, ..Config::default() };
    let unit = cores::divergence::find(&config.divergence.unit).expect("a unit");
    Design::new(&formal::shifts(&Shape::new(&config, 0x8000_0000, unit)).expect("a whole module"))
}

#[test]
fn products_with_a_power_of_two_are_shifts() {
    assert_proved(design().prove_for_all_inputs());
}

#[test]
fn an_arithmetic_shift_without_its_sign_is_found() {
    let broken = with_fault("multiplier.sign_does_not_fill", design);
    assert_fails("the sign does not fill", broken.prove_for_all_inputs());
}
