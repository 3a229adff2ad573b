//! Verilated models: built once per content, kept in the [cache](tools::cache), loaded at run time.

mod build;
mod coverage;
mod extra;
mod harness;
mod library;

pub use build::{BuildError, Effort, Source};
pub use coverage::{Counters, Point, PointKind};
pub use library::{Model, ModelError, Port};

use std::path::PathBuf;

use coverage::Sums;
use extra::Extra;

use tools::cache::Cache;

#[derive(Clone, Debug)]
pub struct Built {
    path: PathBuf,
    covered: Option<Sums>,
}

impl Built {
    /// Builds a core unless the cache holds it. With `wave` it can write waveforms, and is larger and slower.
    pub fn of(cache: &Cache, source: &Source<'_>, wave: bool, effort: Effort) -> Result<Self, BuildError> {
        let extra = if wave { Extra::Wave } else { Extra::None };
        Ok(Self { path: build::shared_object(cache, source, extra, effort)?, covered: None })
    }

    /// Builds a core in which each instance counts coverage.
    pub fn counting(
        cache: &Cache,
        source: &Source<'_>,
        counters: Counters,
        effort: Effort,
    ) -> Result<Self, BuildError> {
        let path = build::shared_object(cache, source, Extra::Coverage(counters), effort)?;
        Ok(Self { path, covered: Some(Sums::default()) })
    }

    /// Creates an instance. Its uninitialised state starts with random bits of this seed, which is positive.
    pub fn instance(&self, seed: i32) -> Result<Model, ModelError> {
        Model::load(&self.path, seed, self.covered.clone())
    }

    /// The counts of its instances that have ended; empty without counters.
    pub fn coverage(&self) -> Result<Vec<Point>, ModelError> {
        let Some(sums) = &self.covered else { return Ok(Vec::new()) };
        Model::load(&self.path, 1, None)?.coverage(&sums.get())
    }
}
