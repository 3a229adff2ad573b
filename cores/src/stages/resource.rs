//! The resources that an instruction needs before S3 issues it, one row each.
//!
//! The stages derive their logic from these rows. S2 decides whether an instruction reserves the resource, S3 counts
//! the credits in use, and S7 returns unneeded reservations. Each signal has one bit per row, [`Reservations`]:
//!
//! | signal | from | to | meaning |
//! |---|---|---|---|
//! | `NAME_reserved_s2`, `_s6`, `_s7` | S2; S5 | S3; S7 | the instruction reserves a credit |
//! | `NAME_used_s7` | S7 | the unit | the instruction commits, and its unit starts; only for rows without request |
//! | `NAME_unused_s8` | S7 | S3 | the instruction does not need its credit |
//! | `NAME_freed` | the unit | S3 | a credit is free again |
//!
//! Words that are no instructions are also fetched, issued and squashed. S3 reserves by S2, and S7 returns by S5, so
//! both must agree on every word. Both call [`reserved`]. For an instruction it takes the class from the table. For
//! any other word it takes the class that the fewest opcode bits give. Such a word faults if it stays on the path,
//! whatever it reserved.

use rtl::{Bundle, Expr, zeros};

use super::decoder::Decoder;
use crate::isa::Class;
use crate::shape::{LONG_RESULTS, REQUEST_QUEUE, Shape};

pub struct Resource {
    pub name: &'static str,
    /// Number of credits, one for each instruction that holds the resource.
    pub capacity: fn(&Shape) -> usize,
    /// The classes that need it.
    pub classes: fn(Class) -> bool,
    /// It belongs to a memory request. An access to the console does not need it.
    pub is_of_memory: bool,
    /// The result of an instruction that needs it is a long-latency result.
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

/// A tag, which connects a memory request and its answer.
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

pub static DIVIDER: Resource = Resource {
    name: "divider",
    capacity: |_| 1,
    classes: |class| class == Class::Quotient,
    is_of_memory: false,
    is_late: false,
};

static RESOURCES: [&Resource; 4] = [&REQUEST, &TAG, &LONG_RESULT, &DIVIDER];

/// The resources of a core: those that some instruction of it needs.
pub fn resources(shape: &Shape) -> Vec<&'static Resource> {
    let table = shape.instructions();
    RESOURCES.into_iter().filter(|resource| table.iter().any(|e| (resource.classes)(e.class))).collect()
}

pub fn is_late(class: Class) -> bool {
    RESOURCES.iter().any(|resource| resource.is_late && (resource.classes)(class))
}

/// One bit for each resource of a core.
#[derive(Clone)]
pub struct Reservations(Vec<(&'static Resource, Expr)>);

impl Reservations {
    pub fn new(shape: &Shape, bit: impl FnMut(&'static Resource) -> Expr) -> Self {
        let rows = resources(shape);
        Self(rows.iter().copied().zip(rows.iter().copied().map(bit)).collect())
    }

    /// The bit of a resource; 0 if the core does not have it.
    pub fn of(&self, resource: &Resource) -> Expr {
        let found = self.0.iter().find(|(row, _)| row.name == resource.name);
        found.map_or_else(|| zeros(1), |(_, bit)| bit.clone())
    }

    pub fn rows(&self) -> impl Iterator<Item = &(&'static Resource, Expr)> {
        self.0.iter()
    }

    /// Whether the bit of a resource with a long-latency result is set.
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

/// The reservations of a word, the same in S2 and S5.
pub fn reserved(shape: &Shape, decoder: &Decoder) -> Reservations {
    Reservations::new(shape, |row| decoder.in_opcode(&|e| (row.classes)(e.class), &|_| false))
}
