//! Verilated models: built once per content, kept in the [cache](crate::cache), loaded at run time.

mod build;
mod harness;
mod library;

pub use build::{BuildError, Effort, Source};
pub use library::{Model, ModelError, Port};

use std::path::PathBuf;

use crate::cache::Cache;

/// A core as a shared object, in the cache.
#[derive(Clone, Debug)]
pub struct Built {
    path: PathBuf,
}

impl Built {
    /// Builds a core, if the cache does not hold it. With `wave`, it can write waveforms, and is larger and slower.
    pub fn of(cache: &Cache, source: &Source<'_>, wave: bool, effort: Effort) -> Result<Self, BuildError> {
        Ok(Self { path: build::shared_object(cache, source, wave, effort)? })
    }

    /// An instance of it. Its uninitialised state starts with random bits of this seed, which is positive.
    pub fn instance(&self, seed: i32) -> Result<Model, ModelError> {
        Model::load(&self.path, seed)
    }
}
