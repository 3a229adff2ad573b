//! A small module built and loaded like a core: ports of every storage size, state, waveform.

use cores::MemoryInCore;
use rtl::{Direction, PortInfo};
use tools::cache::Cache;
use verilate::{BuildError, Built, Counters, Effort, Model, Point, PointKind, Source};

const TOY: &str = r#"
module toy (
    input wire clk,
    input wire rst,
    input wire [4:0] narrow,
    input wire [11:0] middle,
    input wire [31:0] word,
    input wire [63:0] pair,
    input wire [95:0] wide,
    output wire [4:0] narrow_out,
    output wire [11:0] middle_out,
    output wire [31:0] word_out,
    output wire [63:0] pair_out,
    output wire [95:0] wide_out,
    output reg [31:0] count,
    output reg [127:0] uninitialised
);
    assign narrow_out = ~narrow;
    assign middle_out = ~middle;
    assign word_out = ~word;
    assign pair_out = ~pair;
    assign wide_out = ~wide;
    always @(posedge clk) count <= rst ? 32'd0 : count + 32'd1;
    always @(posedge clk) if (rst && narrow == 5'd31) uninitialised <= {word, wide};
endmodule
"#;

fn ports() -> Vec<PortInfo> {
    use Direction::{Input, Output};
    let port = |(name, width, direction): (&str, usize, Direction)| PortInfo { name: name.into(), width, direction };
    [
        ("clk", 1, Input),
        ("rst", 1, Input),
        ("narrow", 5, Input),
        ("middle", 12, Input),
        ("word", 32, Input),
        ("pair", 64, Input),
        ("wide", 96, Input),
        ("narrow_out", 5, Output),
        ("middle_out", 12, Output),
        ("word_out", 32, Output),
        ("pair_out", 64, Output),
        ("wide_out", 96, Output),
        ("count", 32, Output),
        ("uninitialised", 128, Output),
    ]
    .map(port)
    .into()
}

/// A cache that outlives the test: its entries are keyed by content.
fn kept_cache() -> Cache {
    Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
}

fn build(cache: &Cache, verilog: &str, wave: bool) -> Result<Built, BuildError> {
    Built::of(cache, &Source { top: "toy", ports: &ports(), verilog, memory: None }, wave, Effort::Quick)
}

fn open(cache: &Cache, verilog: &str, wave: bool, seed: i32) -> Model {
    build(cache, verilog, wave).unwrap().instance(seed).unwrap()
}

fn tick(model: &mut Model, time: &mut u64) {
    let clk = model.port("clk", 1, Direction::Input).unwrap();
    for level in [0, 1] {
        model.set(clk, level);
        model.eval().unwrap();
        model.dump_wave(*time);
        *time += 5;
    }
}

#[test]
fn ports_of_every_storage_size_are_read_and_driven() {
    let mut model = open(&kept_cache(), TOY, false, 1);
    let input = |name: &str, bits| model.port(name, bits, Direction::Input).unwrap();
    let output = |name: &str, bits| model.port(name, bits, Direction::Output).unwrap();
    let inputs = [input("narrow", 5), input("middle", 12), input("word", 32), input("pair", 64)];
    let outputs = [output("narrow_out", 5), output("middle_out", 12), output("word_out", 32), output("pair_out", 64)];
    let (wide, wide_out) = (input("wide", 96), output("wide_out", 96));
    let value = 0xffff_fff0_1234_abcd_u64;
    for port in inputs {
        model.set(port, value);
    }
    model.words_mut(wide).copy_from_slice(&[1, 2, 3]);
    model.eval().unwrap();
    for (port, mask) in outputs.into_iter().zip([0x1f, 0xfff, 0xffff_ffff, u64::MAX]) {
        assert_eq!(model.get(port), !value & mask);
    }
    assert_eq!(model.words(wide_out), [!1, !2, !3]);
    assert_eq!(model.words(outputs[3]), [!0x1234_abcd, !0xffff_fff0]);
    let error = model.port("word", 31, Direction::Input).unwrap_err().to_string();
    assert_eq!(error, "port word of the core: 32 bits, Input, expected 31 bits, Input");
    assert!(model.port("missing", 1, Direction::Input).is_err());
}

#[test]
fn what_all_instances_did_is_counted_together() {
    let points =
        "always @(posedge clk) if (!rst) begin\n met: cover (narrow == 5'd3);\n never: cover (narrow == 5'd4);\n end\n";
    let verilog = TOY.replace("endmodule", &format!("{points}endmodule"));
    let source = Source { top: "toy", ports: &ports(), verilog: &verilog, memory: None };
    let counting = |counters| Built::counting(&kept_cache(), &source, counters, Effort::Quick).unwrap();
    let built = counting(Counters::PointsAndBits);
    let counts = || -> Vec<(String, u64)> {
        let functional = built.coverage().unwrap().into_iter().filter(|point| point.kind == PointKind::Functional);
        functional.map(|point| (point.name, point.count)).collect()
    };
    assert_eq!(counts(), [("met".into(), 0), ("never".into(), 0)]);
    for ticks in [2, 3] {
        let mut model = built.instance(1).unwrap();
        for (name, bits, value) in [("rst", 1, 0), ("narrow", 5, 3)] {
            let port = model.port(name, bits, Direction::Input).unwrap();
            model.set(port, value);
        }
        let mut time = 0;
        (0..ticks).for_each(|_| tick(&mut model, &mut time));
    }
    assert_eq!(counts(), [("met".into(), 5), ("never".into(), 0)]);

    let points = built.coverage().unwrap();
    assert!(points.iter().all(|point| point.module == "toy"), "{points:?}");
    let toggles = |name: &str| points.iter().find(|point| point.name == name).map(|point| point.count > 0);
    assert_eq!((toggles("count[0]"), toggles("count[31]")), (Some(true), Some(false)));
    let counts = points.iter().filter(|point| point.kind == PointKind::Line && point.count == 5).count();
    assert!(counts > 0, "a line that runs in every cycle: {points:?}");
    let without_bits = counting(Counters::Points).coverage().unwrap();
    let names = |points: &[Point]| -> Vec<_> {
        let others = points.iter().filter(|point| point.kind != PointKind::Toggle);
        others.map(|point| (point.kind, point.name.clone())).collect()
    };
    assert_eq!(names(&without_bits), names(&points));
    assert!(without_bits.iter().all(|point| point.kind != PointKind::Toggle));
    assert!(build(&kept_cache(), TOY, false).unwrap().coverage().unwrap().is_empty());
}

#[test]
fn state_is_kept_between_clocks_and_starts_random_by_seed() {
    let cache = kept_cache();
    let start = |seed| {
        let mut model = open(&cache, TOY, false, seed);
        let rst = model.port("rst", 1, Direction::Input).unwrap();
        let narrow = model.port("narrow", 5, Direction::Input).unwrap();
        let count = model.port("count", 32, Direction::Output).unwrap();
        let uninitialised = model.port("uninitialised", 128, Direction::Output).unwrap();
        let mut time = 0;
        model.set(narrow, 0);
        model.set(rst, 1);
        tick(&mut model, &mut time);
        model.set(rst, 0);
        for _ in 0..7 {
            tick(&mut model, &mut time);
        }
        assert_eq!(model.get(count), 7);
        model.words(uninitialised).to_vec()
    };
    assert_eq!(start(1), start(1));
    assert_ne!(start(1), start(2));
    assert_ne!(start(1), [0; 4]);
}

#[test]
fn wave_builds_write_an_fst_file() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("toy.fst");
    let mut model = open(&kept_cache(), TOY, true, 1);
    model.open_wave(&file).unwrap();
    let mut time = 0;
    for _ in 0..100 {
        tick(&mut model, &mut time);
    }
    drop(model);
    assert!(file.metadata().unwrap().len() > 300);
    let mut plain = open(&kept_cache(), TOY, false, 1);
    assert!(plain.open_wave(&file).is_err());
}

#[test]
fn verilog_that_does_not_compile_is_an_error_that_quotes_the_tool_and_leaves_no_entry() {
    let root = tempfile::tempdir().unwrap();
    let cache = Cache::at(root.path());
    let error = build(&cache, "module toy(input wire clk); assign = nothing; endmodule", false).unwrap_err();
    assert!(error.to_string().contains("verilator failed on the generated core"), "{error}");
    assert!(error.to_string().contains("nothing"), "{error}");
    assert_eq!(cache.clean().unwrap().entries, 0);
}

#[test]
fn a_loop_that_never_settles_is_an_error_not_an_abort() {
    let looping = TOY.replace("assign word_out = ~word;", "wire [31:0] ring = ~ring; assign word_out = ring;");
    let mut model = open(&kept_cache(), &looping, false, 1);
    assert!(model.eval().unwrap_err().to_string().contains("converge"));
}

const MEMORY: &str = r#"
module cells (input wire clk, input wire [3:0] row, output reg [31:0] even_word, output reg [31:0] odd_word);
    reg [31:0] even [0:15];
    reg [31:0] odd [0:15];
    always @(posedge clk) begin
        even_word <= even[row];
        odd_word <= odd[row];
        odd[row] <= odd[row] + 32'd1;
    end
endmodule

module toy (input wire clk, input wire [3:0] row, output wire [31:0] even_word, output wire [31:0] odd_word);
    wire [3:0] inner_row = ~row;
    cells memory (.clk(clk), .row(inner_row), .even_word(even_word), .odd_word(odd_word));
endmodule
"#;

#[test]
fn memories_and_nets_of_the_inside_are_reached_by_name() {
    use Direction::{Input, Output};
    let port = |(name, width, direction): (&str, usize, Direction)| PortInfo { name: name.into(), width, direction };
    let words = [("even_word", 32, Output), ("odd_word", 32, Output)];
    let ports: Vec<PortInfo> = [("clk", 1, Input), ("row", 4, Input)].into_iter().chain(words).map(port).collect();
    let memory = MemoryInCore {
        instance: "memory",
        module: "cells".into(),
        banks: vec!["even".into(), "odd".into()],
        ram_banks: 2,
        scratchpad: None,
        bus: vec![port(("inner_row", 4, Input))],
    };
    let source = Source { top: "toy", ports: &ports, verilog: MEMORY, memory: Some(&memory) };
    let mut model = Built::of(&kept_cache(), &source, false, Effort::Quick).unwrap().instance(1).unwrap();
    assert_eq!((model.banks(), model.bank(0).len(), model.bank(1).len()), (2, 16, 16));
    for bank in 0..2 {
        for (place, word) in model.bank_mut(bank).iter_mut().zip(0..) {
            *place = 100 * (bank as u32 + 1) + word;
        }
    }
    let inner_row = model.port("inner_row", 4, Output).unwrap();
    let [even, odd] = ["even_word", "odd_word"].map(|name| model.port(name, 32, Output).unwrap());
    let row = model.port("row", 4, Input).unwrap();
    model.set(row, 4);
    tick(&mut model, &mut 0);
    assert_eq!((model.get(inner_row), model.get(even), model.get(odd)), (11, 111, 211));
    assert_eq!((model.bank(0)[11], &model.bank(1)[10..13]), (111, &[210, 212, 212][..]));
}
