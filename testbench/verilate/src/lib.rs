//! Verilated models: built once per content, kept in the [cache](tools::cache), loaded at run time.

mod build;
mod coverage;
mod extra;
mod harness;
mod library;
mod variants;

pub use build::{BuildError, Effort, Source};
pub use coverage::{Counters, Point, PointKind};
pub use library::{Model, ModelError, Port};
pub use variants::{differs_in_expressions, expressions};

use std::path::PathBuf;

use coverage::Sums;
use extra::Extra;

use rtl::{Direction, PortInfo};
use tools::cache::Cache;

#[derive(Clone, Debug)]
pub struct Built {
    path: PathBuf,
    covered: Option<Sums>,
    /// The value of the input that selects a variant, if there is one.
    variant: Option<usize>,
}

impl Built {
    /// Builds a core unless the cache holds it. With `wave` it can write waveforms, and is larger and slower.
    pub fn of(cache: &Cache, source: &Source<'_>, wave: bool, effort: Effort) -> Result<Self, BuildError> {
        let extra = if wave { Extra::Wave } else { Extra::None };
        Ok(Self { path: build::shared_object(cache, source, extra, effort)?, covered: None, variant: None })
    }

    /// Builds variants of a core, given as Verilog: one model for all that differ from the original in expressions
    /// alone, and one for each other.
    pub fn variants(
        cache: &Cache,
        original: &Source<'_>,
        variants: &[String],
        effort: Effort,
    ) -> Result<Vec<Self>, BuildError> {
        let (verilog, numbers) = variants::selectable(original.verilog, variants);
        let mut ports = original.ports.to_vec();
        ports.push(PortInfo { name: variants::INPUT.into(), width: variants::BITS, direction: Direction::Input });
        let together = Source { ports: &ports, verilog: &verilog, ..*original };
        let shared = match numbers.iter().flatten().next() {
            Some(_) => Some(Self::of(cache, &together, false, effort)?),
            None => None,
        };
        let built = numbers.into_iter().zip(variants).map(|(variant, verilog)| match (&shared, variant) {
            (Some(shared), Some(_)) => Ok(Self { variant, ..shared.clone() }),
            _ => Self::of(cache, &Source { verilog, ..*original }, false, effort),
        });
        built.collect()
    }

    /// Builds a core in which each instance counts coverage.
    pub fn counting(
        cache: &Cache,
        source: &Source<'_>,
        counters: Counters,
        effort: Effort,
    ) -> Result<Self, BuildError> {
        let path = build::shared_object(cache, source, Extra::Coverage(counters), effort)?;
        Ok(Self { path, covered: Some(Sums::default()), variant: None })
    }

    /// Creates an instance. Its uninitialised state starts with random bits of this seed, which is positive.
    pub fn instance(&self, seed: i32) -> Result<Model, ModelError> {
        let mut model = Model::load(&self.path, seed, self.covered.clone())?;
        if let Some(variant) = self.variant {
            let port = model.port(variants::INPUT, variants::BITS, Direction::Input)?;
            model.set(port, variant as u64);
        }
        Ok(model)
    }

    /// The counts of its instances that have ended; empty without counters.
    pub fn coverage(&self) -> Result<Vec<Point>, ModelError> {
        let Some(sums) = &self.covered else { return Ok(Vec::new()) };
        Model::load(&self.path, 1, None)?.coverage(&sums.get())
    }
}
