//! Small modules as text: each should look as if a person wrote it.

use crate::support;

use insta::assert_snapshot;
use rtl::{Builder, Bundle, Each, Expr, MemoryStyle, Module, concat, decode, encode, join, lit, select, zeros};
use support::assert_clean;

/// Lints a hierarchy and returns its text.
fn text(module: Builder) -> String {
    let module = module.finish().expect("a whole module");
    assert_clean(&[&module]);
    module.verilog().iter().map(|module| module.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn operators() {
    let m = Builder::new("operators", "Every operator once, and the parentheses that they need.");
    let (a, b, c, s) = (m.input("a", 8), m.input("b", 8), m.input("c", 1), m.input("s", 3));
    m.output("bitwise", &((&a & &b) | (&a & !&b) | (&a ^ &b ^ lit(8, 0x5a))));
    m.output("sum", &((&a + &b) - (&b - lit(8, 3)) + &a));
    m.output("compare", &concat([&a.eq(&b), &a.ne(&b), &a.lt(&b), &a.lt_signed(&b), &!a.lt(&b), &!a.lt_signed(&b)]));
    m.output("shift", &((a.shl(&s) | b.shr(&s)) ^ a.shr_signed(&s)));
    m.output("reduce", &concat([&a.any(), &a.all(), &a.parity(), &a.none(), &(!&a).parity(), &(a.any() & !b.all())]));
    m.output("choice", &c.mux(&a, &a.lt(&b).mux(&b, &(&a + &b))));
    m.output("nested_choice", &a.eq(&b).mux(&c.mux(&a, &b), &lit(8, 255)));
    m.output("gated", &a.when(&(&c & s.any())));
    assert_snapshot!(text(m));
}

#[test]
fn structure() {
    let m = Builder::new("structure", "");
    let (a, b, i) = (m.input("a", 8), m.input("b", 4), m.input("i", 3));
    m.output("joined", &join([&b, &a, &lit(2, 1)]));
    m.output("neighbours", &concat([&a.slice(4, 3), &a.slice(1, 3), &lit(3, 5), &lit(1, 1)]));
    m.output("through", &(!(concat([&b, &b]) ^ &a)).slice(2, 4));
    m.output("repeated", &concat([&b.bit(3).repeat(3), &concat([&b, &a.bit(0)]).repeat(2)]));
    m.output("zero_extended", &b.extend(9));
    m.output("sign_extended", &b.extend_signed(9));
    m.output("indexed", &a.index(&i));
    m.output("nothing", &b.slice(2, 0));
    assert_snapshot!(text(m));
}

#[test]
fn selectors() {
    let m = Builder::new("selectors", "");
    let (i, values, requests) = (m.input("i", 3), m.input("values", 20), m.input("requests", 5));
    m.output("selected", &select(&i, values.lanes(4)));
    m.output("decoded", &decode(&i, 8));
    m.output("one_bit", &decode(&i, 8).bit(6));
    m.output("lowest", &rtl::lowest_one(&requests));
    m.output("encoded", &encode(&requests));
    m.output("counted", &rtl::count_ones(&requests));
    m.output("one_hot", &rtl::select_one_hot(&requests, values.lanes(4)));
    assert_snapshot!(text(m));
}

#[test]
fn properties() {
    let child = {
        let m = Builder::new("half", "Properties of logic hold at all times.");
        let (a, b) = (m.input("a", 4), m.input("b", 4));
        let sum = m.wire("sum", &(&a & &b));
        m.output("y", &(&a & &b));
        m.assert("is_no_more_than_a", &!a.lt(&sum));
        m.finish().expect("a whole module")
    };
    let m = Builder::new("properties", "Properties hold at clock edges; what only they read is kept.");
    let (push, data) = (m.input("push", 1), m.input("data", 4));
    let count = m.register("count", 3);
    count.next(&rtl::increment(&count, 1)).enable(&push).reset(0);
    let words = m.memory("words", 8, 4, MemoryStyle::Block);
    words.write(&push, &count, &data);
    m.output("word", &words.read_registered("word_read", &count));
    let first = words.inspect("first_word", &lit(3, 0));
    let instance = m.instance("half_0", &child);
    instance.input("a", &data).input("b", &first);
    let pushed = m.delay("pushed", &push);
    m.assume("is_never_full", &!(count.all() & &push));
    m.assert("count_follows_push", &(!&pushed | count.any()));
    m.cover(
        "is_half_full_and_the_first_word_is_larger_than_the_one_that_is_pushed",
        &(count.is(4) & data.lt(&first) & instance.output("y").any()),
    );
    assert_snapshot!(text(m));
}

/// Before the first clock edge a register has any value, so a property of it would fail there.
#[test]
fn properties_of_a_module_that_resets_nothing_wait_for_the_end_of_reset() {
    let m = Builder::new("later", "A register without reset.");
    let a = m.input("a", 1);
    let (once, twice) = (m.delay("once", &a), m.delay("twice", &a));
    m.output("y", &once);
    m.assert("the_same", &once.eq(&twice));
    let verilog = text(m);
    assert!(verilog.contains("input  wire rst") && verilog.contains("if (!rst) begin"), "{verilog}");
}

#[test]
fn registers() {
    let m = Builder::new("registers", "Registers that share enable and reset share a block, section by section.");
    let (enable, flush, data) = (m.input("enable", 1), m.input("flush", 1), m.input("data", 16));
    m.comment("A counter of accepted words.");
    let count = m.register("count", 8);
    let last = m.register("last", 16);
    count.next(&rtl::increment(&count, 1)).enable(&enable).reset(0);
    last.next(&data).enable(&enable);
    let full = m.register("full", 1);
    full.next(&count.all()).enable(&enable).reset_ones();
    m.comment("What follows a flush.");
    let flushed = m.delay("flushed", &flush);
    let held = m.register("held", 16);
    held.next(&flushed.mux(&last, &held)).reset(0xbeef);
    m.output("count_now", &count);
    m.output("state", &concat([&*full, &flushed, &*held]));
    assert_snapshot!(text(m));
}

#[test]
fn memories() {
    let m = Builder::new("memories", "");
    m.port_group("write port");
    let (write, address, data) = (m.input("write", 1), m.input("address", 5), m.input("data", 8));
    m.port_group("read ports");
    let row = m.input("row", 5);
    m.comment("Block RAM: 32 words.");
    let block = m.memory("block_words", 32, 8, MemoryStyle::Block);
    block.write(&write, &address, &data);
    m.output("sampled", &block.read_registered("sampled_word", &row));
    m.comment("LUT RAM: two read ports.");
    let distributed = m.memory("lut_words", 20, 8, MemoryStyle::Distributed);
    distributed.write(&lit(1, 1), &address, &data);
    m.output("now", &(distributed.read("first", &row) ^ distributed.read("second", &(&row + lit(5, 1)))));
    m.comment("One row needs no address.");
    let row = m.memory("row_words", 1, 8, MemoryStyle::Distributed);
    row.write(&write, &lit(0, 0), &data);
    m.output("only", &row.read("only_word", &lit(0, 0)));
    m.comment("Nothing reads it: it does not appear.");
    m.memory("dead", 4, 4, MemoryStyle::Block).write(&write, &address.slice(0, 2), &data.slice(0, 4));
    assert_snapshot!(text(m));
}

#[test]
fn addresses_and_indices_never_overflow() {
    let m = Builder::new("addresses", "");
    let (write, at, data) = (m.input("write", 1), m.input("at", 3), m.input("data", 4));
    let other = m.input("other", 3);
    m.comment("What could overflow is a wire of its own.");
    let words = m.memory("words", 8, 4, MemoryStyle::Block);
    words.write(&write, &(&at + lit(3, 1)), &data);
    words.write(&write, &write.mux(&!&at, &other), &data);
    m.output("sampled", &words.read_registered("word", &(&at - lit(3, 1))));
    m.comment("What cannot stands in brackets.");
    let others = m.memory("others", 8, 4, MemoryStyle::Distributed);
    others.write(&write, &(&at & &other), &data);
    m.output("now", &others.read("now_word", &write.mux(&at, &concat([&other.slice(0, 2), &write]))));
    assert_snapshot!(text(m));
}

#[test]
fn bits_from_outside_are_known() {
    let m = Builder::new("known_bits", "");
    let (word, flag) = (m.input("word", 8), m.input("flag", 1));
    m.comment("From memory that was never written.");
    m.output("y", &(m.known("word_known", &word) & m.known("flag_known", &flag).repeat(8)));
    assert_snapshot!(text(m));
}

/// Builds 8 words of 4 bytes with byte enables, and a table without writes.
fn memories_with_contents() -> Module {
    let m = Builder::new("contents", "Memories that start with the words of a file.");
    let (enables, row, data) = (m.input("enables", 4), m.input("row", 3), m.input("data", 32));
    m.comment("Byte enables.");
    let bytes = m.memory("bytes", 8, 32, MemoryStyle::BlockUnordered);
    bytes.write_parts(&enables, &row, &data).starts_with("bytes.hex");
    m.output("word", &bytes.read_registered("bytes_word", &row));
    m.comment("A table.");
    let table = m.memory("table_words", 8, 8, MemoryStyle::Distributed);
    m.output("entry", &table.starts_with("tables/table 1.hex").read("table_entry", &row));
    m.finish().expect("a whole module")
}

#[test]
fn contents_and_parts_of_memories() {
    // This module is not linted, because Yosys reads the files.
    assert_snapshot!(memories_with_contents().verilog()[0].text);
}

#[test]
fn a_memory_of_zeros_that_keeps_the_word_it_read_last() {
    let m = Builder::new("kept", "");
    let (write, read, row, data) = (m.input("write", 1), m.input("read", 1), m.input("row", 3), m.input("data", 8));
    let words = m.memory("words", 8, 8, MemoryStyle::BlockUnordered);
    words.write(&write, &row, &data).starts_with_zeros();
    m.output("word", &words.read_registered_where("word_read", &read, &row));
    assert_snapshot!(text(m));
}

fn half_adder() -> Module {
    let m = Builder::new("half_adder", "Adds two bits.");
    let (a, b) = (m.input("a", 1), m.input("b", 1));
    m.output("sum", &(&a ^ &b));
    m.output("carry", &(&a & &b));
    m.finish().expect("a whole module")
}

#[test]
fn instances() {
    let child = half_adder();
    let m = Builder::new("full_adder", "Adds three bits with two instances of one module.");
    let (a, b, c) = (m.input("a", 1), m.input("b", 1), m.input("carry_in", 1));
    let first = m.instance("first", &child);
    let second = m.instance("second", &child);
    first.input("a", &a).input("b", &b);
    second.input("a", &first.output("sum")).input("b", &c);
    let sum = m.forward("sum_bit", 1);
    second.output_to("sum", &sum);
    m.output("sum", &sum);
    m.output("carry", &(first.output("carry") | second.output("carry")));
    let spare = m.instance("spare", &child);
    spare.input("a", &a).input("b", &c);
    m.output("spare_sum", &spare.output_as("sum", "only_the_sum"));
    assert_snapshot!(text(m));
}

#[test]
fn values_that_come_later() {
    let child = half_adder();
    let m = Builder::new("later", "What reads a net stands below its declaration, whatever the order of description.");
    let a = m.input("a", 4);
    m.comment("A forward wire and an instance, fed by what is described below.");
    let next = m.forward("next", 4);
    let adder = m.instance("adder", &child);
    let state = m.register("state", 4);
    m.comment("What feeds them.");
    let masked = m.wire("masked", &(&*state & &a));
    m.drive(&next, &(&masked + lit(4, 1)));
    adder.input("a", &masked.bit(0)).input("b", &masked.bit(3));
    state.next(&next).enable(&adder.output("sum")).reset(0);
    m.output("y", &concat([&*state, &adder.output("carry")]));
    assert_snapshot!(text(m));
}

struct Shape {
    warps: usize,
    lanes: usize,
}

rtl::bundle! {
    struct Store(shape: &Shape) {
        valid: 1,
        warp: rtl::clog2(shape.warps),
        /// One byte per lane.
        data: 8 * shape.lanes,
    }
}

#[test]
fn fields_of_a_word_are_wires_where_they_are_read() {
    let shape = Shape { warps: 4, lanes: 2 };
    let m = Builder::new("fields", "Fields of a word, of which one is not read.");
    let store = Store::unpack(&m, &shape, &m.delay("store_s7", &m.input("store", Store::bits(&shape))));
    let taken = m.wire("taken_now", &(&store.valid & store.data.bit(9)));
    m.note(&taken, "the second byte is odd");
    m.output("taken", &!taken);
    m.output("data", &Store::unpack(&m, &shape, &m.delay("held", &m.input("next", Store::bits(&shape)))).data);
    assert_snapshot!(text(m));
}

#[test]
fn widths_of_one_and_none() {
    for (warps, lanes) in [(1, 1), (4, 2)] {
        let shape = Shape { warps, lanes };
        let m = Builder::new("queue", "A bundle between two stages; with one warp its number vanishes.");
        m.port_group("from the pipeline");
        let store = Store::inputs(&m, &shape, "s7");
        m.port_group("to memory");
        store.delay(&m, &shape, "s8").outputs(&m, "s9");
        let owners = m.memory("owners", warps, lanes, MemoryStyle::Distributed);
        owners.write(&store.valid, &store.warp, &store.data.slice(0, lanes));
        m.output("owner", &owners.read("owner_row", &store.warp));
        m.output("mine", &store.warp.is(0));
        assert_snapshot!(format!("widths_of_one_and_none_{warps}x{lanes}"), text(m));
    }
}

#[test]
fn long_lines() {
    let m = Builder::new("long_lines", "Expressions that do not fit a line are broken by their structure.");
    let parts: Vec<Expr> = (0..12).map(|i| m.input(&format!("a_rather_long_name_{i}"), 16)).collect();
    let conditions = m.input("a_condition_with_a_long_name", 12);
    m.output("any", &parts.iter().skip(1).fold(parts[0].clone(), |all, part| all | part));
    m.output("joined", &join(&parts));
    m.output("one_hot", &rtl::select_one_hot(&conditions, &parts));
    let chain =
        parts.iter().enumerate().take(5).fold(lit(16, 0), |otherwise, (i, part)| {
            (conditions.bit(i) & !conditions.bit(i + 1)).mux(part, &otherwise)
        });
    m.output("chain", &chain);
    m.output("less", &(&parts[0] + &parts[1]).lt_signed(&(&(&parts[2] + &parts[3]) - &(&parts[4] ^ &parts[5]))));
    m.output("difference", &((&parts[0] & &parts[1] & &parts[2]) - (&parts[3] & &parts[4] & &parts[5])));
    let wide = concat([&parts[0], &parts[1], &parts[2], &parts[3], &parts[4]]);
    m.output("all", &wide.all());
    m.output("none", &concat([&parts[5], &parts[6], &parts[7], &parts[8], &parts[9]]).none());
    m.output("shifted", &concat([&parts[5], &parts[6], &parts[7], &parts[8]]).shr_signed(&(&parts[10] + &parts[11])));
    let register = m.register("a_register_with_a_rather_long_name", 16);
    let enable = parts[0].eq(&parts[1]) & parts[2].eq(&parts[3]) & parts[4].eq(&parts[5]) & conditions.any();
    register.next(&(&*register + &(&parts[0] & &parts[1]) + (&parts[2] & &parts[3]) + &parts[4])).enable(&enable);
    m.output("state", &register);
    assert_snapshot!(text(m));
}

#[test]
fn comments_and_groups() {
    let m = Builder::new("comments", "A purpose\nof two lines.\n\nAnd a third.");
    let a = m.input("a", 2);
    m.port_group("a group\nof two lines");
    let b = m.input("b", 2);
    m.port_group("an empty group vanishes");
    m.port_group("results");
    m.output_port("y", 2);
    m.comment("Nothing is left below this one.");
    m.wire("dead", &a);
    m.comment("The sum,\nin two lines.");
    let sum = m.wire("sum", &(&a + &b));
    m.output("y", &sum);
    m.comment("Nor below this one.");
    assert_snapshot!(text(m));
}

#[test]
fn unread_bits_are_gathered() {
    let m = Builder::new("unread", "");
    let (a, b) = (m.input("a", 8), m.input("b", 3));
    m.input("ignored", 1);
    let sum = m.wire("sum", &(&a + &lit(8, 1)));
    m.output("y", &concat([&sum.bit(7), &sum.slice(2, 2), &b.bit(1)]));
    assert_snapshot!(text(m));
}

#[test]
fn files() {
    let module = half_adder().verilog().remove(0);
    let header = "// SPDX-License-Identifier: CC0-1.0\n// half_adder 1.0";
    assert_snapshot!(rtl::file(header, &module));
    assert_snapshot!(rtl::single_file(header, &[module.clone(), module]));
}

#[test]
fn the_same_description_gives_the_same_bytes() {
    let describe = || {
        let m = Builder::new("top", "");
        let children: Vec<Module> = (1..40)
            .map(|width| {
                let m = Builder::new(&format!("child_{width}"), "");
                m.output("y", &m.delay("q", &m.input("a", width)));
                m.finish().expect("a whole module")
            })
            .collect();
        for (number, child) in children.iter().enumerate() {
            let instance = m.instance(&format!("instance_{number}"), child);
            instance.input("a", &m.input(&format!("a_{number}"), number + 1));
            m.output(&format!("y_{number}"), &instance.output("y"));
        }
        let module = m.finish().expect("a whole module");
        rtl::single_file("", &module.verilog())
    };
    assert_eq!(describe(), describe());
}

/// Builds a top with its own clock pin, a reset that it makes, and a cell of an FPGA between pin and clock.
fn top(through_a_cell: bool) -> Builder {
    let below = Builder::new("below", "Counts.");
    let count = below.register("count", 4);
    count.next(&rtl::increment(&count, 1)).reset(0);
    below.output("count_now", &count);
    let below = below.finish().unwrap();

    let m = Builder::new("top", "A board.");
    let (clk, rst) = (m.own_clock(), m.own_reset());
    let pin = m.input("clk_25mhz", 1);
    if through_a_cell {
        use rtl::Direction::{Input, Output};
        let parameters = [("DIVIDE", "2".to_owned()), ("NAME", "\"fast\"".to_owned())];
        let cell = Module::external("DIVIDER", &parameters, &[("I", 1, Input), ("O", 1, Output)]);
        let divider = m.instance("divider", &cell);
        divider.input("I", &pin).output_to("O", &clk);
    } else {
        m.drive(&clk, &pin);
    }
    m.comment("Reset, for eight cycles from the start.");
    let held = m.register("held", 4);
    held.next(&rtl::increment(&held, 1)).enable(&!held.bit(3)).starts_at(0);
    m.drive(&rst, &!held.bit(3));
    m.comment("What is reset.");
    let seen = m.register("seen", 4);
    seen.next(&m.instance("counter", &below).output("count_now")).reset(9);
    m.output("led", &concat([&seen.q(), &m.in_reset()]));
    m
}

#[test]
fn own_clock_and_reset() {
    assert_snapshot!(text(top(false)));
}

#[test]
fn a_module_described_elsewhere_is_an_instance_alone() {
    let module = top(true).finish().unwrap();
    let names: Vec<String> = module.hierarchy().iter().map(|module| module.name().to_owned()).collect();
    assert_eq!(names, ["below", "top"]);
    let texts = module.verilog();
    assert_eq!(texts.len(), 2);
    let instance = texts[1].text.split_once("    DIVIDER ").expect("the instance").1.split_once(";").unwrap().0;
    assert_snapshot!(instance);
}

#[test]
fn a_module_in_verilog_is_printed_as_it_is() {
    use rtl::Direction::{Input, Output};
    let text = "module theirs #(parameter N = 1) (input clk, input d, output reg q);\nalways @(posedge clk) q <= d;\nendmodule\n";
    let ports = [("clk", 1, Input), ("d", 1, Input), ("q", 1, Output)];
    let theirs = Module::in_verilog("theirs", &[("N", "3".to_owned())], &ports, text);
    let m = Builder::new("top", "Around it.");
    let d = m.input("d", 1);
    let instance = m.instance("it", &theirs);
    instance.input("d", &d);
    m.output("q", &instance.output("q"));
    let module = m.finish().unwrap();
    let names: Vec<String> = module.hierarchy().iter().map(|module| module.name().to_owned()).collect();
    assert_eq!(names, ["theirs", "top"], "the top has its clock");
    let [first, second] = &module.verilog()[..] else { panic!("two modules") };
    assert!(first.text.contains(text.trim()));
    assert_snapshot!(second.text);
}

/// Builds an adder of one bit, for one instance per lane.
fn adder() -> Module {
    let m = Builder::new("lane_adder", "");
    let (a, b, up) = (m.input("a", 4), m.input("b", 4), m.input("up", 1));
    m.output("sum", &m.wire("total", &(up.mux(&a, &b) + &b)));
    m.finish().expect("a whole module")
}

#[test]
fn loops() {
    let m = Builder::new("loops", "Equal parts are a loop; what differs otherwise is none.");
    m.timing("`word` a cycle after `up`, all else in the same cycle.");
    let lanes = Each::new("lane", 4);
    let (a, b, up) = (m.input("a", 16), m.input("b", 16), m.input("up", 4));
    let (row, write) = (m.input("row", 1), m.input("write", 1));
    let larger = m.wire_each(lanes, "larger", |lane| up.bit(lane).mux(&a.lane(lane, 4), &b.lane(lane, 4)));
    let odd = m.wire_each(lanes, "odd", |lane| larger.lane(lane, 4).parity() & larger.bit(4 * lane + 1));
    m.comment("An instance for each part, one input shared.");
    let adders = m.instance_each(lanes, "adder", &adder());
    adders.input_parts("a", &a).input_parts("b", &larger).input("up", &write);
    m.output("sums", &adders.output("sum"));
    m.comment("The number of a part has 32 bits.");
    let hit = m.wire_each(lanes, "hit", |lane| a.lane(lane, 4).is_part(lane));
    let base = m.wire_each(lanes, "base", |lane| write.mux(&lit(32, 64 * lane as u64 + 8), &zeros(32)));
    m.comment("Not even: one value.");
    let below = m.wire_each(lanes, "below", |lane| up.slice(0, lane).any());
    let backward = m.wire_each(lanes, "backward", |lane| up.bit(3 - lane));
    m.comment("One part: no loop.");
    let only = m.wire_each(Each::new("lane", 1), "only", |_| odd.bit(0) & hit.bit(3));
    m.comment("Writes that differ in nothing but their number.");
    let words = m.memory("words", 8, 4, MemoryStyle::Block);
    for number in 0..4 {
        words.write(&write, &join([&lit(2, number), &row]), &a.lane(number as usize, 4));
    }
    m.output("word", &words.read_registered("read", &up.slice(0, 3)));
    m.output("rest", &concat([&base, &below, &backward, &only, &odd]));
    assert_snapshot!(text(m));
}

#[test]
fn patterns() {
    let m = Builder::new("patterns", "");
    let word = m.input("word", 8);
    let pattern = |mask: u64, value: u64, label: &str| rtl::Pattern { mask, value, label: label.to_owned() };
    let patterns = [pattern(0xc0, 0x80, "high"), pattern(0xff, 0x01, "one")];
    m.output("found", &m.matches("is_known", &word, &[2, 4, 2], &patterns));
    m.output("never", &m.matches("is_nothing", &word, &[8], &[]));
    assert_snapshot!(text(m));
}

#[test]
fn inputs_that_nothing_reads_do_not_appear() {
    let child = |keeps: bool| {
        let m = Builder::new(if keeps { "keeping" } else { "hiding" }, "");
        if keeps {
            m.keep_inputs();
        }
        m.port_group("nothing reads these");
        m.input("spare", 3);
        m.port_group("it is passed on");
        m.output("y", &m.input("x", 1));
        m.finish().expect("a whole module")
    };
    let m = Builder::new("unread_inputs", "");
    let (x, spare) = (m.input("x", 1), m.input("spare", 3));
    let connected = |name: &str, module: &Module| {
        let instance = m.instance(name, module);
        instance.input("x", &x).input("spare", &spare).output("y")
    };
    m.output("y", &concat([&connected("hides", &child(false)), &connected("keeps", &child(true))]));
    assert_snapshot!(text(m));
}
