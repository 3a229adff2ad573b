//! Results of the tools: memories become the requested kind of RAM, and large modules print fast.

use crate::support;

use std::time::{Duration, Instant};

use rtl::{Builder, Expr, MemoryStyle, Module, concat, lit};
use rust_hdl::prelude::yosys_validate;
use support::{assert_clean, yosys, yosys_with};

fn memory(name: &str, depth: usize, width: usize, style: MemoryStyle) -> Module {
    let m = Builder::new(name, "");
    let bits = rtl::clog2(depth);
    let (write, to, data, from) =
        (m.input("write", 1), m.input("to", bits), m.input("data", width), m.input("from", bits));
    let words = m.memory("words", depth, width, style);
    words.write(&write, &to, &data);
    let read = match style {
        MemoryStyle::Block | MemoryStyle::BlockUnordered => words.read_registered("word", &from),
        MemoryStyle::Distributed => words.read("word", &from),
    };
    m.output("y", &read);
    m.finish().expect("a whole module")
}

#[test]
fn memories_become_the_ram_that_was_asked_for() {
    use MemoryStyle::{Block, BlockUnordered, Distributed};
    // The columns are depth, width, style, blocks of RAM and cells of LUT RAM (16 x 4 bits each).
    let expected = [
        (256, 32, Block, 1, 0),
        (512, 32, Block, 1, 0),
        (8, 4, Block, 1, 0),
        (1024, 72, Block, 4, 0),
        (100, 36, Block, 1, 0),
        (256, 32, BlockUnordered, 1, 0),
        (16, 8, Distributed, 0, 2),
        (32, 4, Distributed, 0, 2),
        (5, 3, Distributed, 0, 1),
        (64, 20, Distributed, 0, 20),
        (1024, 4, Distributed, 0, 64),
    ];
    let (mut design, mut script) = (String::new(), String::from("read_verilog design.v\n"));
    for (number, (depth, width, style, blocks, cells)) in expected.into_iter().enumerate() {
        let name = format!("memory_{number}");
        let module = memory(&name, depth, width, style);
        assert_clean(&[&module]);
        design += &module.verilog()[0].text;
        script += &format!("design -save all\nsynth_ecp5 -top {name} -run begin:map_ffs\n");
        script += &format!("select -assert-count {blocks} t:DP16KD\nselect -assert-count {cells} t:TRELLIS_DPR16X4\n");
        script += "select -assert-none t:$mem* t:$dlatch\n";
        if style != Distributed {
            // The RAM itself returns old data on a collision: no bypass is built around it.
            script += "select -assert-none t:$eq t:$mux t:$dff*\n";
        }
        script += "design -load all\n";
    }
    if let Err(log) = yosys(&design, &script) {
        panic!("{log}");
    }
}

/// Two read ports, one at the address of the byte-wise writes: block RAM of two ports, whole, with contents.
#[test]
fn byte_enables_and_contents_cost_no_logic() {
    let m = Builder::new("bytes", "");
    let (enables, row, data, from) =
        (m.input("enables", 4), m.input("row", 10), m.input("data", 32), m.input("from", 10));
    let words = m.memory("words", 1024, 32, MemoryStyle::BlockUnordered);
    words.write_parts(&enables, &row, &data).starts_with("words.hex");
    m.output("own", &words.read_registered("own_word", &row));
    m.output("other", &words.read_registered("other_word", &from));
    let module = m.finish().expect("a whole module");
    let contents: String = (0..1024).map(|word| format!("{:08x}\n", word * 0x0010_0401u32)).collect();
    let script = "read_verilog design.v\nsynth_ecp5 -top bytes\n\
                  select -assert-count 2 t:DP16KD\nselect -assert-none t:TRELLIS_FF\nselect -assert-max 2 t:LUT4";
    if let Err(log) = yosys_with(&[("words.hex", &contents)], &module.verilog()[0].text, script) {
        panic!("{log}");
    }
}

#[test]
fn a_memory_holds_the_words_of_its_file() {
    let m = Builder::new("constants", "");
    let row = m.input("row", 2);
    let words = m.memory("words", 4, 8, MemoryStyle::Distributed);
    m.output("word", &words.starts_with("constants.hex").read("entry", &row));
    let module = m.finish().expect("a whole module");
    let proof = |row, word| {
        let script = format!(
            "read_verilog design.v\nproc\nmemory\nopt\nsat -verify -set row 2'd{row} -prove word 8'h{word} constants"
        );
        yosys_with(&[("constants.hex", "5a\n01\nff\nc3\n")], &module.verilog()[0].text, &script)
    };
    for (row, word) in [(0, "5a"), (1, "01"), (3, "c3")] {
        proof(row, word).unwrap_or_else(|log| panic!("{log}"));
    }
    assert!(proof(2, "fe").is_err());
}

#[test]
fn rust_hdl_validates_the_text() {
    let child = {
        let m = Builder::new("child", "");
        m.output("y", &m.delay("q", &m.input("a", 3)));
        m.finish().expect("a whole module")
    };
    let m = Builder::new("top", "");
    let instance = m.instance("child_0", &child);
    instance.input("a", &m.input("a", 3));
    m.output("y", &instance.output("y"));
    let module = m.finish().expect("a whole module");
    let prefix = format!("rtl-validate-{}", std::process::id());
    let outcome = yosys_validate(&prefix, &rtl::single_file("", &module.verilog()));
    std::fs::remove_dir_all(std::env::temp_dir().join(prefix)).expect("the folder that rust-hdl leaves");
    outcome.expect("text that Yosys reads");
}

/// Builds a module of thousands of nets and hundreds of instances, wired forwards and backwards.
fn large() -> Module {
    let child = {
        let m = Builder::new("child", "");
        let inputs: Vec<Expr> = (0..40).map(|i| m.input(&format!("a_{i}"), 8)).collect();
        for (i, input) in inputs.iter().enumerate() {
            m.output(&format!("y_{i}"), &(input + &inputs[(i + 1) % 40]));
        }
        m.finish().expect("a whole module")
    };
    let m = Builder::new("thousands", "");
    let input = m.input("a", 8);
    let forward: Vec<Expr> = (0..4000).map(|i| m.forward(&format!("forward_{i}"), 8)).collect();
    let registers: Vec<_> = (0..4000).map(|i| m.register(&format!("register_{i}"), 8)).collect();
    for (i, register) in registers.iter().enumerate() {
        register.next(&(&forward[i] ^ &input)).enable(&input.bit(i % 8)).reset(0);
    }
    for (i, wire) in forward.iter().enumerate().rev() {
        let next = forward.get(i + 1).map_or(input.clone(), |next| next & &*registers[i]);
        m.drive(wire, &(next + lit(8, i as u64 % 256)));
    }
    let mut state: Vec<Expr> = registers.iter().take(40).map(|register| register.q()).collect();
    for i in 0..200 {
        let instance = m.instance(&format!("instance_{i}"), &child);
        for (port, value) in state.iter().enumerate() {
            instance.input(&format!("a_{port}"), value);
        }
        state = (0..40).map(|port| instance.output(&format!("y_{port}"))).collect();
    }
    m.output("y", &concat(&state));
    m.finish().expect("a whole module")
}

#[test]
fn thousands_of_nets_take_milliseconds() {
    let start = Instant::now();
    let module = large();
    let elaborated = start.elapsed();
    let text = rtl::single_file("", &module.verilog());
    let printed = start.elapsed() - elaborated;
    println!("elaborated in {elaborated:?}, {} bytes printed in {printed:?}", text.len());
    assert!(text.len() > 500_000);
    // An idle machine needs tens of milliseconds; a quadratic walk takes many seconds.
    assert!(elaborated + printed < Duration::from_secs(4), "{elaborated:?} + {printed:?}");
}
