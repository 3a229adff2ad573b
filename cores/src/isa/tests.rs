use std::fs;

use rtl::{Builder, ones};

use super::*;

/// The gates of the example as a module of their own.
fn lane_of_the_example() -> Result<rtl::Module, rtl::ElaborationError> {
    let m = Builder::new("example", "The gates of the example.");
    let lane = Lane { a: m.input("a", 32), b: m.input("b", 32), less: m.input("less", 1) };
    let selected =
        Selected { names: lane_operations(&(example::EXTENSION.encodings)(), Acts::OnResult), bits: ones(1) };
    let gates = example::EXTENSION.on_result.expect("gates in S6");
    m.output("result", &gates(&m, &selected, &lane));
    m.finish()
}

#[test]
fn the_example_of_the_documentation_is_an_extension() {
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/design/extending.md")).unwrap();
    assert!(document.contains(include_str!("example.rs")), "docs/design/extending.md differs from isa/example.rs");
    let base = instructions(Isa::ALL);
    for encoding in (example::EXTENSION.encodings)() {
        let meets = |other: &&Encoding| (other.value ^ encoding.value) & other.mask & encoding.mask == 0;
        assert!(!base.iter().any(|other| meets(&other)), "{} is another instruction", encoding.name);
        assert_eq!(encoding.text([1, 2, 0]), "abs x1, x2");
    }
    lane_of_the_example().unwrap();
}

#[test]
fn every_extension_has_hardware() {
    let here: Vec<_> = EXTENSIONS.iter().map(|extension| extension.descriptor.key).collect();
    let all: Vec<_> = weft_config::EXTENSIONS.iter().map(|extension| extension.key).collect();
    assert_eq!(here, all);
}
