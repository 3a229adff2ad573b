//! The registers of the control block: the table, what is made from it, and the ports of a core that has it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use cores::control::registers::{self, Access, REGISTERS};
use rtl::Direction;
use weft_config::{Config, MemoryKind, RAM_BASE};

fn config(kind: MemoryKind) -> Config {
    let mut config = Config { warps: 2, threads: 2, ..Config::default() };
    config.memory.kind = kind;
    config.control.port = true;
    config.trace.port = false;
    config
}

#[test]
fn the_documentation_says_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/manual/registers.md");
    let written = fs::read_to_string(path).expect("docs/manual/registers.md");
    assert!(
        written == registers::reference(),
        "docs/manual/registers.md is stale: cargo run -p weft-cores --example registers > docs/manual/registers.md"
    );
}

#[test]
fn registers_and_fields_do_not_overlap() {
    let offsets: BTreeSet<u32> = REGISTERS.iter().map(|register| register.offset).collect();
    assert_eq!(offsets.len(), REGISTERS.len(), "two registers have one offset");
    assert!(offsets.iter().all(|offset| offset % 4 == 0 && *offset < 0x100), "{offsets:x?}");
    for register in REGISTERS {
        let mut taken = 0_u64;
        for field in register.fields() {
            let mask = ((1_u64 << field.bits) - 1) << field.bit;
            assert!(field.bit + field.bits <= 32 && taken & mask == 0, "{}.{}", register.name, field.name);
            taken |= mask;
        }
    }
}

/// A program in C and one in Python print all numbers; both see those of the table.
#[test]
fn c_and_python_have_the_numbers_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("weft_registers.h"), registers::c_header()).unwrap();
    fs::write(path("weft_registers.py"), registers::python()).unwrap();
    let text = |command: &mut Command| {
        let output = command.current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let names: Vec<(String, u32)> = REGISTERS
        .iter()
        .flat_map(|register| {
            let name = register.name.to_uppercase();
            let fields = register.fields().into_iter().map({
                let name = name.clone();
                move |field| (format!("{name}_{}_BIT", field.name.to_uppercase()), field.bit as u32)
            });
            [(name, register.offset)].into_iter().chain(fields).collect::<Vec<_>>()
        })
        .collect();
    let wanted: String = names.iter().map(|(_, number)| format!("{number}\n")).collect();
    let printed: String = names.iter().map(|(name, _)| format!("    printf(\"%u\\n\", WEFT_{name});\n")).collect();
    let program = format!("#include <stdio.h>\n#include \"weft_registers.h\"\nint main(void)\n{{\n{printed}}}\n");
    fs::write(path("numbers.c"), program).unwrap();
    text(Command::new("gcc").args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "numbers", "numbers.c"]));
    assert_eq!(text(&mut Command::new("./numbers")), wanted);
    let lines: String = names.iter().map(|(name, _)| format!("print(weft_registers.{name})\n")).collect();
    let program = format!("import weft_registers\n{lines}");
    assert_eq!(text(Command::new("python3").args(["-c", &program])), wanted);
}

#[test]
fn the_control_block_takes_the_place_of_the_ports_at_the_end_of_a_run() {
    for kind in [MemoryKind::Model, MemoryKind::Axi4] {
        let ports = cores::elaborate(&config(kind), RAM_BASE).unwrap().ports();
        let has = |beginning: &str| ports.iter().any(|port| port.name.starts_with(beginning));
        assert!(["s_axil_", "irq", "imem_"].into_iter().all(has), "{kind:?}");
        let taken = ["done", "error_", "exit_", "console_", "bus_error_", "table_", "dmem_idle"];
        assert!(!taken.into_iter().any(has), "{kind:?}");
        assert_eq!(has("restart"), kind == MemoryKind::Model, "{kind:?}: memory of the user sees each start");
        let widths = |name: &str| ports.iter().find(|port| port.name == name).map(|port| (port.width, port.direction));
        assert_eq!(widths("s_axil_araddr"), Some((20, Direction::Input)));
    }
}

#[test]
fn units_with_a_reconvergence_table_have_its_registers_at_the_top() {
    let mut config = config(MemoryKind::Axi4);
    config.divergence.unit = "pdom-stack".into();
    let ports = cores::elaborate(&config, RAM_BASE).unwrap().ports();
    for name in ["table_base", "table_first", "table_bytes"] {
        assert!(ports.iter().any(|port| port.name == name && port.width == 32), "{name}");
    }
}

#[test]
fn only_what_is_written_while_stopped_is_of_a_run() {
    let held = REGISTERS.iter().filter(|register| register.access == Access::WhileStopped);
    let names: Vec<&str> = held.map(|register| register.name).collect();
    assert_eq!(names, ["entry", "argument", "table_base", "table_first", "table_bytes"]);
}
