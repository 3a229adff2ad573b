//! Bundles: named records of expressions that travel between stages.

use crate::builder::Builder;
use crate::expr::{Expr, zeros};
use crate::instance::Instance;
use crate::structure::join;

/// A record of expressions with one definition of its fields and widths. Declare one with [`bundle!`](crate::bundle).
pub trait Bundle: Sized {
    type Shape;

    /// Builds each field with `make`, from its name and width.
    fn build(shape: &Self::Shape, make: &mut dyn FnMut(&'static str, usize) -> Expr) -> Self;

    /// Returns the fields in the order of the declaration.
    fn fields(&self) -> Vec<(&'static str, &Expr)>;

    fn bits(shape: &Self::Shape) -> usize {
        let mut bits = 0;
        Self::build(shape, &mut |_, width| {
            bits += width;
            zeros(width)
        });
        bits
    }

    fn zeros(shape: &Self::Shape) -> Self {
        Self::build(shape, &mut |_, width| zeros(width))
    }

    /// Replaces the value of each field by `change` of the field's name and value.
    fn map(&self, shape: &Self::Shape, change: &mut dyn FnMut(&'static str, &Expr) -> Expr) -> Self {
        let mut fields = self.fields().into_iter();
        Self::build(shape, &mut |_, _| {
            let (field, value) = fields.next().expect("as many values as fields");
            change(field, value)
        })
    }

    /// Chooses as `condition ? self : otherwise` does, field by field.
    #[track_caller]
    fn when_else(&self, shape: &Self::Shape, condition: &Expr, otherwise: &Self) -> Self {
        let mut others = otherwise.fields().into_iter().map(|(_, value)| value);
        self.map(shape, &mut |_, value| condition.mux(value, others.next().expect("as many values as fields")))
    }

    /// Concatenates the fields into one word, with the first field in the lowest bits.
    fn pack(&self) -> Expr {
        join(self.fields().into_iter().map(|(_, value)| value))
    }

    /// Splits a word of [`Bundle::pack`] into its fields. Those of a net are wires of their own ([`Builder::field`]).
    #[track_caller]
    fn unpack(module: &Builder, shape: &Self::Shape, word: &Expr) -> Self {
        let mut at = 0;
        Self::build(shape, &mut |name, width| {
            at += width;
            module.field(word, name, at - width, width)
        })
    }

    /// Declares the input ports `field_suffix`.
    #[track_caller]
    fn inputs(module: &Builder, shape: &Self::Shape, suffix: &str) -> Self {
        Self::build(shape, &mut |field, width| module.input(&port(field, suffix), width))
    }

    /// Drives the output ports `field_suffix`.
    #[track_caller]
    fn outputs(&self, module: &Builder, suffix: &str) {
        for (field, value) in self.fields() {
            module.output(&port(field, suffix), value);
        }
    }

    /// Delays the bundle by one clock, in registers `field_suffix`.
    #[track_caller]
    fn delay(&self, module: &Builder, shape: &Self::Shape, suffix: &str) -> Self {
        self.map(shape, &mut |field, value| module.delay(&port(field, suffix), value))
    }

    /// Declares wires `field_suffix` whose values come later.
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

    /// Reads the output ports `field_suffix` of an instance, on nets of the same names.
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

/// Declares a struct of a module's inputs and a function `declare`, which declares their ports in the order of the
/// fields. A field has a name, a type and an expression that declares it, which may use earlier fields.
/// `#[group = "..."]` begins a group of ports ([`Builder::port_group`](crate::Builder::port_group)), and
/// `#[output("...", width)]` is an output port before the field's ([`Builder::output_port`](crate::Builder::output_port)).
///
/// ```
/// use rtl::{Builder, Expr};
///
/// rtl::inputs! {
///     struct Inputs(m: &Builder, lanes: usize) {
///         #[group = "a store"]
///         valid: Expr = m.input("valid", 1),
///         #[output("ready", 1)]
///         /// One word for each lane.
///         data: Expr = m.input("data", 32 * lanes),
///     }
/// }
///
/// let m = Builder::new("store", "A store.");
/// let inputs = Inputs::declare(&m, 4);
/// assert_eq!(inputs.data.width(), 128);
/// m.output("ready", &inputs.valid);
/// ```
#[macro_export]
macro_rules! inputs {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident($m:ident: &Builder $(, $argument:ident: $of:ty)*) {
        $(
            $(#[group = $group:literal])?
            $(#[output($port:expr, $width:expr)])*
            $(#[doc = $doc:literal])*
            $field_visibility:vis $field:ident: $type:ty = $value:expr
        ),* $(,)?
    }) => {
        $(#[$meta])*
        $visibility struct $name {
            $($(#[doc = $doc])* $field_visibility $field: $type,)*
        }

        impl $name {
            $visibility fn declare($m: &$crate::Builder $(, $argument: $of)*) -> Self {
                $(
                    $($m.port_group($group);)?
                    $($m.output_port($port, $width);)*
                    let $field = $value;
                )*
                Self { $($field,)* }
            }
        }
    };
}
