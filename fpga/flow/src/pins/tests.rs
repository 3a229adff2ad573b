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
