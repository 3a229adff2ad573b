//! The example of `docs/design/rtl.md`: its source is here, and the page also shows the Verilog it prints.

use crate::support;

// example
use rtl::{Builder, ElaborationError, MemoryStyle, Module, clog2, increment};

/// A queue of `depth` words, a power of two, of `width` bits. A word that is pushed can be taken in the next cycle.
fn queue(depth: usize, width: usize) -> Result<Module, ElaborationError> {
    let m = Builder::new("queue", "First in, first out; a push into a full queue is lost.");
    m.port_group("producer");
    let push = m.input("push", 1);
    let data = m.input("data", width);
    m.port_group("consumer");
    let take = m.input("take", 1);

    m.comment("Positions carry one bit more than an address: equal means empty, half a turn apart means full.");
    let bits = clog2(depth);
    let head = m.register("head", bits + 1);
    let tail = m.register("tail", bits + 1);
    let empty = m.wire("empty", &head.eq(&tail));
    let full = m.wire("full", &(tail.bit(bits).ne(&head.bit(bits)) & tail.slice(0, bits).eq(&head.slice(0, bits))));
    let accept = m.wire("accept", &(push & !full));
    head.next(&increment(&head, 1)).enable(&(take & !&empty)).reset(0);
    tail.next(&increment(&tail, 1)).enable(&accept).reset(0);

    m.comment("The words.");
    let words = m.memory("words", depth, width, MemoryStyle::Distributed);
    words.write(&accept, &tail.slice(0, bits), &data);
    m.output("first", &words.read("first_word", &head.slice(0, bits)));
    m.output("valid", &!empty);
    m.finish()
}
// end of example

fn block<'a>(text: &'a str, language: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("```{language}\n")).expect("a block of this language");
    rest.split_once("```").expect("the end of the block").0
}

#[test]
fn the_guide_shows_what_the_example_is_and_prints() {
    let guide = include_str!("../../../../docs/design/rtl.md");
    let source = include_str!("guide.rs");
    let (_, rest) = source.split_once("// example\n").expect("the example");
    let (example, _) = rest.split_once("// end of example").expect("its end");
    assert_eq!(block(guide, "rust"), example, "docs/design/rtl.md must show the example of this test");
    let module = queue(8, 16).expect("a whole module");
    support::assert_clean(&[&module]);
    assert_eq!(block(guide, "verilog"), module.verilog()[0].text, "docs/design/rtl.md must show what it prints");
}
