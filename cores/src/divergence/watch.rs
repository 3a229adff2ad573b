//! The watched warp of a formal build, about which a unit states its claims.

use rtl::{Builder, Bundle, Expr};

use super::UnitInputs;
use crate::formal::Watched;
use crate::shape::Shape;

pub struct Watch<'a> {
    pub m: &'a Builder,
    pub shape: &'a Shape,
    pub at: Watched,
    /// The barrier's generation of the warp.
    pub generation: Expr,
}

impl<'a> Watch<'a> {
    /// Declares the watched warp of a unit. Asserts that S8 has the generation that the warp had in S7. Returns also
    /// whether the warp has just been released.
    pub fn declare(m: &'a Builder, shape: &'a Shape, inputs: &UnitInputs, generation_s8: &Expr) -> (Self, Expr) {
        m.port_group("the watched warp");
        let watch = Self::inputs(m, shape, &inputs.generation);
        let (at, before) = (&watch.at, m.delay("generation_before", &watch.generation));
        m.assert("s8_has_the_generation_of_s7", &(!(&at.in_s8 & &at.started_by_s7) | generation_s8.eq(&before)));
        let released = watch.generation.ne(&before);
        (watch, released)
    }

    /// Declares the ports of the watched warp.
    pub fn inputs(m: &'a Builder, shape: &'a Shape, generations: &Expr) -> Self {
        let at = Watched::inputs(m, shape, "watched");
        let generation = generations.index(&at.warp);
        Self { m, shape, at, generation }
    }

    /// The same with the generation on a wire.
    pub fn with_named_generation(self) -> Self {
        Self { generation: self.m.wire("generation_watched", &self.generation), ..self }
    }

    /// Asserts a claim about the warp, which holds once it has started.
    pub fn claim(&self, name: &str, condition: &Expr) {
        self.m.assert(name, &(!&self.at.started | condition));
    }

    /// S8 has not read the tables of the warp, or they have changed since.
    pub fn s8_is_past(&self) -> Expr {
        !(&self.at.in_s8 & &self.at.started_by_s7) | &self.at.settling
    }
}
