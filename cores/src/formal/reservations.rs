//! S2 and S5 together: S5 returns exactly the reservations that S2 makes.

use rtl::{Builder, Bundle, Direction, ElaborationError, Expr, Instance, Module};

use crate::shape::Shape;
use crate::stages::resource::Reservations;
use crate::stages::{s2_predecode, s5_decode};

/// S2 with a word, and S5 with the same word, whose outputs come one cycle later. This is a module for a proof over
/// all words. All other inputs are free.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("reservations_proof", "S2 and S5 decode the same reservations from every word.");
    let word = m.input("word", 32);
    let stages = [s2_predecode::elaborate(shape)?, s5_decode::elaborate(shape)?];
    let [s2, s5] = ["s2", "s5"].map(|name| m.instance(name, &stages[usize::from(name == "s5")]));
    connect(&m, &s2, &stages[0], "word_s2", &word);
    connect(&m, &s5, &stages[1], "instruction_s5", &word);
    let reserved = Reservations::from_instance(&s2, shape, "reserved_s2").pack();
    let given_back = Reservations::from_instance(&s5, shape, "reserved_s6").pack();
    let later = m.delay("reserved", &reserved);
    m.assert("what_s2_reserves_s7_gives_back", &later.eq(&given_back));
    m.output("reserved_s6", &later);
    m.finish()
}

/// Connects the word, and connects every other input to an input of the same name.
fn connect(m: &Builder, instance: &Instance, module: &Module, name: &str, word: &Expr) {
    let is_free = |port: &rtl::PortInfo| port.direction == Direction::Input && !matches!(&*port.name, "clk" | "rst");
    for port in module.ports().iter().filter(|port| is_free(port)) {
        let value = if port.name == name { word.clone() } else { m.input(&port.name, port.width) };
        instance.input(&port.name, &value);
    }
}
