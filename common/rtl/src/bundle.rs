//! Bundles: named records of expressions that travel between stages.

use crate::builder::Builder;
use crate::expr::{Expr, zeros};
use crate::instance::Instance;
use crate::structure::join;

/// A record of expressions with one definition of its fields and widths. Declare one with [`bundle!`](crate::bundle).
pub trait Bundle: Sized {
    /// What the widths depend on.
    type Shape;

    /// Makes each field from its name and width.
    fn build(shape: &Self::Shape, make: &mut dyn FnMut(&'static str, usize) -> Expr) -> Self;

    /// The fields in order.
    fn fields(&self) -> Vec<(&'static str, &Expr)>;

    /// Bits of all fields together.
    fn bits(shape: &Self::Shape) -> usize {
        let mut bits = 0;
        Self::build(shape, &mut |_, width| {
            bits += width;
            zeros(width)
        });
        bits
    }

    /// All fields as one word, the first at the bottom.
    fn pack(&self) -> Expr {
        join(self.fields().into_iter().map(|(_, value)| value))
    }

    /// The fields of such a word, on wires of their own if it is a net ([`Builder::field`]).
    #[track_caller]
    fn unpack(module: &Builder, shape: &Self::Shape, word: &Expr) -> Self {
        let mut at = 0;
        Self::build(shape, &mut |name, width| {
            at += width;
            module.field(word, name, at - width, width)
        })
    }

    /// Input ports `field_suffix`.
    #[track_caller]
    fn inputs(module: &Builder, shape: &Self::Shape, suffix: &str) -> Self {
        Self::build(shape, &mut |field, width| module.input(&port(field, suffix), width))
    }

    /// Output ports `field_suffix`.
    #[track_caller]
    fn outputs(&self, module: &Builder, suffix: &str) {
        for (field, value) in self.fields() {
            module.output(&port(field, suffix), value);
        }
    }

    /// The bundle one clock later, in registers `field_suffix`.
    #[track_caller]
    fn delay(&self, module: &Builder, shape: &Self::Shape, suffix: &str) -> Self {
        let mut values = self.fields().into_iter();
        Self::build(shape, &mut |field, _| {
            let (_, value) = values.next().expect("as many values as fields");
            module.delay(&port(field, suffix), value)
        })
    }

    /// Wires `field_suffix` whose values come later.
    #[track_caller]
    fn forward(module: &Builder, shape: &Self::Shape, suffix: &str) -> Self {
        Self::build(shape, &mut |field, width| module.forward(&port(field, suffix), width))
    }

    /// Connects the bundle to the input ports `field_suffix` of an instance.
    #[track_caller]
    fn connect(&self, instance: &Instance, suffix: &str) {
        for (field, value) in self.fields() {
            instance.input(&port(field, suffix), value);
        }
    }

    /// The output ports `field_suffix` of an instance, on nets of the same names.
    #[track_caller]
    fn from_instance(instance: &Instance, shape: &Self::Shape, suffix: &str) -> Self {
        Self::build(shape, &mut |field, _| instance.output_as(&port(field, suffix), &port(field, suffix)))
    }
}

fn port(field: &str, suffix: &str) -> String {
    if suffix.is_empty() { field.to_owned() } else { format!("{field}_{suffix}") }
}

/// Declares a [`Bundle`]: the struct, its widths from a shape, and the trait.
///
/// ```
/// pub struct Shape { lanes: usize }
/// rtl::bundle! {
///     /// A store on its way to memory.
///     pub struct Store(shape: &Shape) {
///         /// Whether there is one.
///         valid: 1,
///         /// One word per lane.
///         data: 32 * shape.lanes,
///     }
/// }
/// ```
#[macro_export]
macro_rules! bundle {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident($shape:ident: &$type:ty) {
        $($(#[$field_meta:meta])* $field:ident: $width:expr),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone)]
        $visibility struct $name {
            $($(#[$field_meta])* $visibility $field: $crate::Expr,)*
        }

        impl $crate::Bundle for $name {
            type Shape = $type;

            #[allow(unused_variables)]
            fn build($shape: &$type, make: &mut dyn FnMut(&'static str, usize) -> $crate::Expr) -> Self {
                Self { $($field: make(stringify!($field), $width),)* }
            }

            fn fields(&self) -> Vec<(&'static str, &$crate::Expr)> {
                vec![$((stringify!($field), &self.$field)),*]
            }
        }
    };
}
