//! The trace port in hardware: groups of ports as bundles. Names and widths come from the one table in `weft-trace`.

use rtl::{Bundle, Expr, concat, zeros};
use weft_trace::{Field, Ports, Sizes};

use crate::shape::{PC, Shape};

#[derive(Clone)]
pub struct Traced<T>(pub T);

impl<T: Ports<Expr>> Traced<T> {
    /// Extends values to the widths of the table. A pc gets its bits 1:0, and a number without bits gets one.
    pub fn of(shape: &Shape, values: &T) -> Self {
        let fields = values.fields();
        let mut fields = fields.iter();
        Self(T::build(&mut |field| {
            let (_, value) = fields.next().expect("as many values as fields");
            let width = width(shape, field);
            if value.width() == PC && width == PC + 2 { concat([*value, &zeros(2)]) } else { value.extend(width) }
        }))
    }

    pub fn none(shape: &Shape) -> Self {
        Self(T::build(&mut |field| zeros(width(shape, field))))
    }
}

impl<T: Ports<Expr>> Bundle for Traced<T> {
    type Shape = Shape;

    fn build(shape: &Shape, make: &mut dyn FnMut(&'static str, usize) -> Expr) -> Self {
        Self(T::build(&mut |field| make(field.port, width(shape, field))))
    }

    fn fields(&self) -> Vec<(&'static str, &Expr)> {
        self.0.fields().into_iter().map(|(field, value)| (field.port, value)).collect()
    }
}

fn width(shape: &Shape, field: &Field) -> usize {
    (field.width)(Sizes { warps: shape.warps, threads: shape.threads })
}
