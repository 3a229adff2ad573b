//! What an instruction must have before S3 issues it: a row each.
//!
//! Everything that the stages do about a row follows from it. S2 says by its name whether an instruction reserves it, S3
//! counts those in use, and S7 gives back what was reserved in vain. Each signal is a bit for each row, [`Reservations`]:
//!
//! | signal | from | to | meaning |
//! |---|---|---|---|
//! | `NAME_reserved_s2`, `_s6`, `_s7` | S2; S5 | S3; S7 | the instruction takes one |
//! | `NAME_used_s7` | S7 | the unit | the instruction commits, and its unit begins; only of rows without request |
//! | `NAME_unused_s8` | S7 | S3 | the instruction does not need it after all |
//! | `NAME_freed` | the unit | S3 | one is free again |
//!
//! Also words that are no instructions are fetched ahead, issued and squashed. S2, by which S3 reserves, and S5, by
//! which S7 gives back, must therefore agree on every word. Both ask [`reserved`], which knows the class of an
//! instruction from the table, and of any other word the class that the fewest bits in its opcode give it. Such a word
//! that stays on the path is at fault, whatever it reserved.

use rtl::{Bundle, Expr, zeros};

use super::decoder::Decoder;
use crate::isa::Class;
use crate::shape::{LONG_RESULTS, REQUEST_QUEUE, Shape};

/// One row.
pub struct Resource {
    /// Its name in the Verilog.
    pub name: &'static str,
    /// How many instructions may have it at once.
    pub capacity: fn(&Shape) -> usize,
    /// The classes that take it.
    pub classes: fn(Class) -> bool,
    /// Whether it goes with a request to memory: an access of the console does not need it.
    pub is_of_memory: bool,
    /// Whether the result of an instruction that takes it is a long-latency result.
    pub is_late: bool,
}

/// An entry of the request queue.
pub static REQUEST: Resource = Resource {
    name: "request",
    capacity: |_| REQUEST_QUEUE,
    classes: |class| class.is_answered() || class == Class::Store,
    is_of_memory: true,
    is_late: false,
};

/// A tag, by which memory names what it answers.
pub static TAG: Resource = Resource {
    name: "tag",
    capacity: |shape| shape.outstanding,
    classes: Class::is_answered,
    is_of_memory: true,
    is_late: true,
};

/// An entry of the queue of products and quotients.
pub static LONG_RESULT: Resource = Resource {
    name: "long_result",
    capacity: |_| LONG_RESULTS,
    classes: Class::is_long,
    is_of_memory: false,
    is_late: true,
};

/// The divider.
pub static DIVIDER: Resource = Resource {
    name: "divider",
    capacity: |_| 1,
    classes: |class| class == Class::Quotient,
    is_of_memory: false,
    is_late: false,
};

/// Every row.
static RESOURCES: [&Resource; 4] = [&REQUEST, &TAG, &LONG_RESULT, &DIVIDER];

/// The rows of a core: those that some instruction of it takes.
pub fn resources(shape: &Shape) -> Vec<&'static Resource> {
    let table = shape.instructions();
    RESOURCES.into_iter().filter(|resource| table.iter().any(|e| (resource.classes)(e.class))).collect()
}

/// Whether the result of a class is a long-latency result.
pub fn is_late(class: Class) -> bool {
    RESOURCES.iter().any(|resource| resource.is_late && (resource.classes)(class))
}

/// A bit for each row of a core.
#[derive(Clone)]
pub struct Reservations(Vec<(&'static Resource, Expr)>);

impl Reservations {
    /// From the bit of each row.
    pub fn new(shape: &Shape, bit: impl FnMut(&'static Resource) -> Expr) -> Self {
        let rows = resources(shape);
        Self(rows.iter().copied().zip(rows.iter().copied().map(bit)).collect())
    }

    /// The bit of a row; 0 if the core does not have it.
    pub fn of(&self, resource: &Resource) -> Expr {
        let found = self.0.iter().find(|(row, _)| row.name == resource.name);
        found.map_or_else(|| zeros(1), |(_, bit)| bit.clone())
    }

    /// Rows and bits.
    pub fn rows(&self) -> impl Iterator<Item = &(&'static Resource, Expr)> {
        self.0.iter()
    }

    /// Whether the bit of a row is set whose results are long-latency results.
    pub fn any_late(&self) -> Expr {
        let late = self.0.iter().filter(|(row, _)| row.is_late).map(|(_, bit)| bit);
        late.fold(zeros(1), |any, bit| any | bit)
    }
}

impl Bundle for Reservations {
    type Shape = Shape;

    fn build(shape: &Shape, make: &mut dyn FnMut(&'static str, usize) -> Expr) -> Self {
        Self::new(shape, |row| make(row.name, 1))
    }

    fn fields(&self) -> Vec<(&'static str, &Expr)> {
        self.0.iter().map(|(row, bit)| (row.name, bit)).collect()
    }
}

/// What a word reserves, the same for S2 and S5.
pub fn reserved(shape: &Shape, decoder: &Decoder) -> Reservations {
    Reservations::new(shape, |row| decoder.in_opcode(&|e| (row.classes)(e.class), &|_| false))
}
