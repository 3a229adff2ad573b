//! Verilated models: built once per content, kept in the [cache](crate::cache), loaded at run time.

mod build;
mod harness;
mod library;

pub use build::{BuildError, Effort, Source};
pub use library::{Model, ModelError, Port};

use crate::cache::Cache;

/// A model that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// It cannot be loaded.
    #[error(transparent)]
    Load(#[from] ModelError),
}

/// How a model is built and started.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Built with the code that writes waveforms (larger and slower).
    pub wave: bool,
    /// How hard the compiler works.
    pub effort: Effort,
    /// Seed of the random bits that uninitialised state starts with.
    pub seed: i32,
}

/// An instance of a core, built if the cache does not hold it.
pub fn open(cache: &Cache, source: &Source<'_>, options: Options) -> Result<Model, OpenError> {
    let path = build::shared_object(cache, source, options.wave, options.effort)?;
    Ok(Model::load(&path, options.seed)?)
}
