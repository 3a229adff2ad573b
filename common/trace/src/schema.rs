//! How a record and the ports that carry it are described: one table of fields for both.
//!
//! A row says the name of a field, what kind of value it is, and what it means. The kind says how many bits it has in a
//! core of W warps of T threads, what type it has in a record, how it is read and how a person reads it. The structs of
//! values and of ports, the width of each port, the comparison of two records and the table in the documentation follow
//! from the rows. What a value *should* be is not said here: hardware and golden model compute it independently.

use crate::record::MemoryOp;

/// The sizes that widths depend on.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Warps, W.
    pub warps: usize,
    /// Threads of a warp, T.
    pub threads: usize,
}

impl Sizes {
    /// Bits of an index below `count`; a port has one bit at least.
    fn index(count: usize) -> usize {
        count.next_power_of_two().trailing_zeros().max(1) as usize
    }
}

/// One port of the trace.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name, without the prefix `trace_`.
    pub port: &'static str,
    /// What it means, one or more sentences.
    pub meaning: &'static str,
    /// Its width, as a formula of W and T.
    pub formula: &'static str,
    /// Its width in bits.
    pub width: fn(Sizes) -> usize,
}

/// A group of ports, of any type `P`: expressions of the hardware, pins of a simulation.
pub trait Ports<P>: Sized {
    /// Makes each port, in the order of the table.
    fn build(make: &mut dyn FnMut(&'static Field) -> P) -> Self;

    /// The ports, in the order of the table.
    fn fields(&self) -> Vec<(&'static Field, &P)>;
}

/// What ports carry in one cycle.
pub trait Source<P> {
    /// The value of a port of up to 64 bits.
    fn bits(&self, port: P) -> u64;

    /// The value of a port in words of 32 bits.
    fn words(&self, port: P) -> &[u32];

    /// The value of a port of up to 256 bits.
    fn long_bits(&self, port: P) -> [u64; 4];

    /// The number of a commit of which the port carries the low 32 bits.
    fn number(&self, low: u32) -> u64;
}

/// A kind of value.
pub trait Kind {
    /// Its type in a record.
    type Value: PartialEq;
    /// Its width, as a formula of W and T.
    const FORMULA: &'static str;

    /// Its width in bits.
    fn width(sizes: Sizes) -> usize;

    /// Reads it from a port.
    fn read<P>(source: &dyn Source<P>, port: P, into: &mut Self::Value);

    /// How a person reads it.
    fn show(value: &Self::Value) -> String;

    /// Both, if they differ.
    fn differ(a: &Self::Value, b: &Self::Value) -> Option<[String; 2]> {
        (a != b).then(|| [Self::show(a), Self::show(b)])
    }
}

/// Declares a kind of up to 64 bits: its width as formula and value, its type, and its format.
macro_rules! kind {
    ($(#[$meta:meta])* $name:ident, $formula:literal, |$sizes:ident| $width:expr, $value:ty, |$bits:ident| $read:expr, $format:literal) => {
        $(#[$meta])*
        pub struct $name;

        impl Kind for $name {
            type Value = $value;
            const FORMULA: &'static str = $formula;

            fn width($sizes: Sizes) -> usize {
                $width
            }

            fn read<P>(source: &dyn Source<P>, port: P, into: &mut Self::Value) {
                let $bits = source.bits(port);
                *into = $read;
            }

            fn show(value: &Self::Value) -> String {
                format!($format, value)
            }
        }
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
kind!(/// Number of a register.
    Register, "5", |_sizes| 5, u8, |bits| bits as u8, "x{}");
kind!(/// One bit per lane.
    Lanes, "T", |sizes| sizes.threads, u64, |bits| bits, "{:#x}");
kind!(/// What is asked of memory.
    Operation, "4", |_sizes| 4, MemoryOp, |bits| MemoryOp::from_code(bits), "{:?}");

/// Number of a commit; the port carries its low 32 bits.
pub struct Number;

impl Kind for Number {
    type Value = u64;
    const FORMULA: &'static str = "32";

    fn width(_: Sizes) -> usize {
        32
    }

    fn read<P>(source: &dyn Source<P>, port: P, into: &mut u64) {
        *into = source.number(source.bits(port) as u32);
    }

    fn show(value: &u64) -> String {
        value.to_string()
    }
}

/// One word per lane.
pub struct Words;

impl Kind for Words {
    type Value = Vec<u32>;
    const FORMULA: &'static str = "32·T";

    fn width(sizes: Sizes) -> usize {
        32 * sizes.threads
    }

    fn read<P>(source: &dyn Source<P>, port: P, into: &mut Vec<u32>) {
        into.clear();
        into.extend_from_slice(source.words(port));
    }

    fn show(value: &Vec<u32>) -> String {
        format!("{value:08x?}")
    }
}

/// One bit per byte of a line.
pub struct Bytes;

impl Kind for Bytes {
    type Value = [u64; 4];
    const FORMULA: &'static str = "4·T";

    fn width(sizes: Sizes) -> usize {
        4 * sizes.threads
    }

    fn read<P>(source: &dyn Source<P>, port: P, into: &mut [u64; 4]) {
        *into = source.long_bits(port);
    }

    fn show(value: &[u64; 4]) -> String {
        let digits: String = value.iter().rev().map(|part| format!("{part:016x}")).collect();
        format!("0x{:0>1}", digits.trim_start_matches('0'))
    }
}

/// Declares a group of ports by its rows: `field: Kind as "port"`, each with what it means.
macro_rules! ports {
    ($(#[$meta:meta])* $ports:ident { $($(#[doc = $doc:literal])+ $field:ident: $kind:ident as $port:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $ports<P> {
            $($(#[doc = $doc])+ pub $field: P,)*
        }

        impl<P> $ports<P> {
            /// The rows of the table.
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

/// Declares a record: a struct of values with further fields of its own, and the ports that carry the values, with one
/// that says whether they do.
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
            /// How each field differs between two records: its name, and the comparison.
            pub const COMPARISONS: &'static [(&'static str, $crate::schema::Comparison<Self>)] = &[
                $((stringify!($field), |a, b| {
                    <$crate::schema::$kind as $crate::schema::Kind>::differ(&a.$field, &b.$field)
                }),)*
            ];

            /// Reads the values of a cycle.
            pub fn read<P: Copy>(&mut self, ports: &$ports<P>, source: &dyn $crate::schema::Source<P>) {
                $(<$crate::schema::$kind as $crate::schema::Kind>::read(source, ports.$field, &mut self.$field);)*
            }
        }
    };
}

/// Shows a field of two records, if it differs.
pub type Comparison<R> = fn(&R, &R) -> Option<[String; 2]>;

pub(crate) use {ports, record};
