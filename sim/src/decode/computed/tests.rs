use std::fs;

use super::*;
use weft_config::EXTENSIONS;
use weft_config::extension::A;

#[test]
fn every_extension_that_only_computes_is_here() {
    for extension in EXTENSIONS.iter().filter(|extension| **extension != A) {
        let is_of = |computation: &Computation| computation.extension == *extension;
        assert!(COMPUTATIONS.iter().copied().flatten().any(is_of), "{}", extension.name);
    }
}

#[test]
fn the_example_of_the_documentation_computes() {
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/design/extending.md")).unwrap();
    assert!(document.contains(include_str!("example.rs")), "docs/design/extending.md differs from computed/example.rs");
    let [abs] = example::COMPUTATIONS else { panic!("one instruction") };
    assert_eq!([5, 0, -5, i32::MIN].map(|a| (abs.compute)(a as u32, 0)), [5, 0, 5, 1 << 31]);
}
