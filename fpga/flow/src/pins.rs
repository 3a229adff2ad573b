//! A core behind a handful of pins: its ports are wider than a package.

use rtl::{Builder, Direction, ElaborationError, Module, PortInfo, join};

/// Name of the module, and of what it holds.
pub const PINS: &str = "pins";
pub const CORE: &str = "core";

/// Puts a module behind the pins `clk`, `rst`, `serial_in` and `serial_out`, its clock and reset connected directly.
///
/// Each bit of an input comes from a register, all of them one shift register that `serial_in` fills; each bit of an
/// output goes into a register. So a path through a port is one between registers, as in a system. The outputs
/// leave through a second shift register, into each bit of which one of them is xored: no two ever cancel each other,
/// even if they are the same, so nothing in the core is without effect. Registers have the names of their ports.
///
/// # Errors
/// If `core` has a port whose name is used here.
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
mod tests {
    use super::*;

    #[test]
    fn every_port_has_a_register_and_every_output_an_effect() {
        let m = Builder::new("adder", "A sum, twice.");
        let sum = m.delay("sum", &(m.input("a", 2) + m.input("b", 2)));
        m.output("left", &sum);
        m.output("right", &sum);
        let pins = behind_pins(&m.finish().unwrap()).unwrap();

        let ports: Vec<String> = pins.ports().into_iter().map(|port| format!("{} {}", port.name, port.width)).collect();
        assert_eq!(ports, ["clk 1", "serial_in 1", "serial_out 1"]);
        let text = pins.verilog().pop().unwrap().text;
        for line in [
            "a <= {a[0], serial_in};",
            "b <= {b[0], a[1]};",
            "left <= core_left;",
            "folded_left <= left ^ {folded_left[0], b[1]};",
            "right <= core_right;",
            "folded_right <= right ^ {folded_right[0], folded_left[1]};",
            "assign serial_out = folded_right[1];",
        ] {
            assert!(text.contains(line), "`{line}` is not in\n{text}");
        }
    }
}
