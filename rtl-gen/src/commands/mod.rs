//! One file per command.

mod analyze;
mod cache;
mod compare;
mod completions;
mod config;
mod emit;
mod fusesoc;
mod fuzz;
mod image;
mod kernels;
mod outputs;
mod papers;
mod program;
mod run;
mod sweep;
mod synth;
mod with_image;
mod yosys;

pub use analyze::analyze;
pub use cache::cache;
pub use compare::compare;
pub use completions::completions;
pub use config::config;
pub use emit::emit;
pub use fuzz::fuzz;
pub use image::image;
pub use kernels::kernels;
pub use papers::papers;
pub use run::{cosim, run};
pub use synth::synth;
