//! The schema of records and of the ports that carry them: one table of fields for both.
//!
//! A row has the name of a field, its kind of value and its meaning. The kind has the width for a core of W warps of T
//! threads, the type in a record, and the functions that read and print a value. The structs of values and of ports, the
//! port widths, the comparison of records and the table in the documentation are derived from the rows.
//!
//! The schema does not define the right value: hardware and golden model compute it independently.

use crate::record::MemoryOp;

#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub warps: usize,
    pub threads: usize,
}

impl Sizes {
    /// Returns the bits of an index below `count`, at least one.
    fn index(count: usize) -> usize {
        count.next_power_of_two().trailing_zeros().max(1) as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name, without the prefix `trace_`.
    pub port: &'static str,
    /// The meaning. The first sentence is the cell of the table in the documentation.
    pub meaning: &'static str,
    /// The width, as a formula of W and T.
    pub formula: &'static str,
    pub width: fn(Sizes) -> usize,
}

/// A group of ports of any type `P`, for example expressions of the hardware or pins of a simulation.
pub trait Ports<P>: Sized {
    fn build(make: &mut dyn FnMut(&'static Field) -> P) -> Self;

    fn fields(&self) -> Vec<(&'static Field, &P)>;
}

/// The values of ports in one cycle.
pub trait Source<P> {
    /// Returns the value of a port of up to 64 bits.
    fn bits(&self, port: P) -> u64;

    /// Returns the value of a port in words of 32 bits.
    fn words(&self, port: P) -> &[u32];

    /// Returns the value of a port of up to 256 bits.
    fn long_bits(&self, port: P) -> [u64; 4];

    /// Completes the number of a commit from its low 32 bits.
    fn number(&self, low: u32) -> u64;
}

pub trait Kind {
    type Value: PartialEq;
    /// The width, as a formula of W and T.
    const FORMULA: &'static str;

    fn width(sizes: Sizes) -> usize;

    fn read<P>(source: &dyn Source<P>, port: P, into: &mut Self::Value);

    /// Formats a value for messages.
    fn show(value: &Self::Value) -> String;

    /// Returns both values, formatted, if they differ.
    fn differ(a: &Self::Value, b: &Self::Value) -> Option<[String; 2]> {
        (a != b).then(|| [Self::show(a), Self::show(b)])
    }
}

/// Declares a kind: its width as formula and value, its type, how it is read, and its format. For up to 64 bits, `read`
/// takes the bits.
macro_rules! kind {
    (
        $(#[$meta:meta])* $name:ident, $formula:literal, |$sizes:ident| $width:expr, $value:ty,
        |$source:ident, $port:ident, $into:ident| $read:expr, |$shown:ident| $show:expr
    ) => {
        $(#[$meta])*
        pub struct $name;

        impl Kind for $name {
            type Value = $value;
            const FORMULA: &'static str = $formula;

            fn width($sizes: Sizes) -> usize {
                $width
            }

            fn read<P>($source: &dyn Source<P>, $port: P, $into: &mut Self::Value) {
                $read
            }

            fn show($shown: &Self::Value) -> String {
                $show
            }
        }
    };
    (
        $(#[$meta:meta])* $name:ident, $formula:literal, |$sizes:ident| $width:expr, $value:ty,
        |$bits:ident| $read:expr, $format:literal
    ) => {
        kind!(
            $(#[$meta])* $name, $formula, |$sizes| $width, $value,
            |source, port, into| {
                let $bits = source.bits(port);
                *into = $read;
            },
            |value| format!($format, value)
        );
    };
}

kind!(/// Yes or no.
    Flag, "1", |_sizes| 1, bool, |bits| bits != 0, "{}");
kind!(/// Number of a warp.
    Warp, "max(1, ⌈log2 W⌉)", |sizes| Sizes::index(sizes.warps), u32, |bits| bits as u32, "{}");
kind!(/// Number of a slot of a warp.
    Slot, "1", |_sizes| 1, u32, |bits| bits as u32, "{}");
kind!(/// Number of one of T rows.
    Row, "max(1, log2 T)", |sizes| Sizes::index(sizes.threads), u32, |bits| bits as u32, "{}");
kind!(/// A byte address.
    Address, "32", |_sizes| 32, u32, |bits| bits as u32, "{:#010x}");
kind!(/// An instruction word.
    Instruction, "32", |_sizes| 32, u32, |bits| bits as u32, "{:#010x}");
kind!(/// A call depth, wrapping.
    Depth, "8", |_sizes| 8, u8, |bits| bits as u8, "{}");
kind!(/// Number of a region.
    Region, "5", |_sizes| 5, u8, |bits| bits as u8, "{}");
kind!(/// One bit per warp.
    Warps, "W", |sizes| sizes.warps, u64, |bits| bits, "{:#x}");
kind!(/// Number of a register.
    Register, "5", |_sizes| 5, u8, |bits| bits as u8, "x{}");
kind!(/// One bit per lane.
    Lanes, "T", |sizes| sizes.threads, u64, |bits| bits, "{:#x}");
kind!(/// What is asked of memory.
    Operation, "4", |_sizes| 4, MemoryOp, |bits| MemoryOp::from_code(bits), "{:?}");

kind! {
    /// Number of a commit; the port carries its low 32 bits.
    Number, "32", |_sizes| 32, u64,
    |source, port, into| *into = source.number(source.bits(port) as u32), |value| value.to_string()
}
kind! {
    /// One word per lane.
    Words, "32·T", |sizes| 32 * sizes.threads, Vec<u32>,
    |source, port, into| source.words(port).clone_into(into), |value| format!("{value:08x?}")
}
kind! {
    /// One bit per byte of a line.
    Bytes, "4·T", |sizes| 4 * sizes.threads, [u64; 4],
    |source, port, into| *into = source.long_bits(port),
    |value| {
        let digits: String = value.iter().rev().map(|part| format!("{part:016x}")).collect();
        format!("0x{:0>1}", digits.trim_start_matches('0'))
    }
}

/// Declares a group of ports by its rows: `field: Kind as "port"`, each with its meaning.
macro_rules! ports {
    ($(#[$meta:meta])* $ports:ident { $($(#[doc = $doc:literal])+ $field:ident: $kind:ident as $port:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $ports<P> {
            $($(#[doc = $doc])+ pub $field: P,)*
        }

        impl<P> $ports<P> {
            pub const FIELDS: &'static [$crate::schema::Field] = &[
                $($crate::schema::Field {
                    port: $port,
                    meaning: concat!($($doc),+),
                    formula: <$crate::schema::$kind as $crate::schema::Kind>::FORMULA,
                    width: <$crate::schema::$kind as $crate::schema::Kind>::width,
                },)*
            ];
        }

        impl<P> $crate::schema::Ports<P> for $ports<P> {
            fn build(make: &mut dyn FnMut(&'static $crate::schema::Field) -> P) -> Self {
                let mut fields = Self::FIELDS.iter();
                $(let $field = make(fields.next().expect("a row of each field"));)*
                Self { $($field,)* }
            }

            fn fields(&self) -> Vec<(&'static $crate::schema::Field, &P)> {
                Self::FIELDS.iter().zip([$(&self.$field),*]).collect()
            }
        }
    };
}

/// Declares a record and its ports: a struct of values with extra fields, and the ports with an optional valid bit.
macro_rules! record {
    (
        $(#[$meta:meta])* $name:ident { $($(#[$own_meta:meta])* $own:ident: $own_type:ty,)* }
        $(#[$ports_meta:meta])* $ports:ident {
            $(valid as $valid:literal: $valid_doc:literal,)?
            $($(#[doc = $doc:literal])+ $field:ident: $kind:ident as $port:literal,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$own_meta])* pub $own: $own_type,)*
            $($(#[doc = $doc])+ pub $field: <$crate::schema::$kind as $crate::schema::Kind>::Value,)*
        }

        $crate::schema::ports! {
            $(#[$ports_meta])* $ports {
                $(#[doc = $valid_doc] valid: Flag as $valid,)?
                $($(#[doc = $doc])+ $field: $kind as $port,)*
            }
        }

        impl $name {
            /// The name of each field and the function that compares it.
            pub const COMPARISONS: &'static [(&'static str, $crate::schema::Comparison<Self>)] = &[
                $((stringify!($field), |a, b| {
                    <$crate::schema::$kind as $crate::schema::Kind>::differ(&a.$field, &b.$field)
                }),)*
            ];

            pub fn read<P: Copy>(&mut self, ports: &$ports<P>, source: &dyn $crate::schema::Source<P>) {
                $(<$crate::schema::$kind as $crate::schema::Kind>::read(source, ports.$field, &mut self.$field);)*
            }
        }
    };
}

/// Formats a field of two records, if it differs.
pub type Comparison<R> = fn(&R, &R) -> Option<[String; 2]>;

pub(crate) use {ports, record};
