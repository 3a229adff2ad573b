//! A core behind few pins, because its ports are wider than a package.

use rtl::{Builder, Direction, ElaborationError, Module, PortInfo, join};

pub const PINS: &str = "pins";
pub const CORE: &str = "core";

/// Puts a module behind the pins `clk`, `rst`, `serial_in` and `serial_out`. Clock and reset are connected directly.
///
/// Each input bit comes from a register of a shift register that `serial_in` fills. Each output bit goes into a register.
/// So a path through a port is a path between registers, as in a system. Registers have the names of their ports.
///
/// The outputs leave through a second shift register: each output bit is XORed into one of its bits. Equal outputs never
/// cancel each other, so all logic of the core has an effect.
///
/// # Errors
/// If `core` has a port with one of these names.
pub fn behind_pins(core: &Module) -> Result<Module, ElaborationError> {
    let m = Builder::new(PINS, "The core behind a shift register into its inputs and one out of its outputs.");
    let mut shifted = m.input("serial_in", 1);
    let ports = core.ports();
    let of = |direction| ports.iter().filter(move |port: &&PortInfo| port.direction == direction);
    let inner = m.instance(CORE, core);

    m.comment("Inputs.");
    for port in of(Direction::Input).filter(|port| port.name != "clk" && port.name != "rst") {
        let register = m.register(&port.name, port.width);
        register.next(&join([&shifted, &register.slice(0, port.width - 1)]));
        shifted = register.bit(port.width - 1);
        inner.input(&port.name, &register);
    }

    m.comment("Outputs.");
    for port in of(Direction::Output) {
        let taken = m.delay(&port.name, &inner.output(&port.name));
        let folded = m.register(&format!("folded_{}", port.name), port.width);
        folded.next(&(taken ^ join([&shifted, &folded.slice(0, port.width - 1)])));
        shifted = folded.bit(port.width - 1);
    }
    m.output("serial_out", &shifted);
    m.finish()
}

#[cfg(test)]
mod tests;
