//! Reconvergence pcs of small programs.

mod encoding;
mod shapes;

use sim::Program;
use sim::control_flow::Analysis;

use crate::bench::CODE;

/// The analysis of some words.
fn analysis(words: &[u32]) -> Analysis {
    Analysis::of(&Program::from_words("test", CODE, words))
}
