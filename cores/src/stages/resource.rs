//! What an instruction must have before S3 issues it: a row each, in the order of their bits.
//!
//! Also words that are no instructions are fetched ahead, issued and squashed. S2, by which S3 reserves, and S5, by
//! which S7 gives back, must therefore agree on every word. Both ask [`reserved`], which knows the class of an
//! instruction from the table, and of any other word the class that the fewest bits in its opcode give it. Such a word
//! that stays on the path is at fault, whatever it reserved.

use rtl::Expr;

use super::decoder::Decoder;
use crate::isa::Class;
use crate::shape::{LONG_RESULTS, REQUEST_QUEUE, Shape};
use crate::signals::Hazards;

/// One row.
pub struct Resource {
    /// Its name in the Verilog of S3.
    pub name: &'static str,
    /// How many instructions may have it at once; 0 if no instruction may have `request`.
    pub capacity: fn(&Shape) -> usize,
    /// Whether the result of an instruction that takes it is a long-latency result.
    pub is_late: bool,
    /// The classes that take it.
    pub classes: fn(Class) -> bool,
    /// Whether S2 found that an instruction takes it.
    pub taken: fn(&Hazards) -> Expr,
}

/// An entry of the request queue.
pub static REQUEST: Resource = Resource {
    name: "request",
    capacity: |_| REQUEST_QUEUE,
    is_late: false,
    classes: |class| class.is_answered() || class == Class::Store,
    taken: |hazards| &hazards.is_store | &hazards.is_load,
};

/// A tag, by which memory names what it answers.
pub static TAG: Resource = Resource {
    name: "tag",
    capacity: |shape| shape.outstanding,
    is_late: true,
    classes: Class::is_answered,
    taken: |hazards| hazards.is_load.clone(),
};

/// That no request waits.
pub static NO_REQUESTS: Resource = Resource {
    name: "no_requests",
    capacity: |_| 0,
    is_late: false,
    classes: |class| matches!(class, Class::Fence | Class::FetchFence),
    taken: |hazards| hazards.is_fence_i.clone(),
};

/// An entry of the queue of products and quotients.
pub static LONG_RESULT: Resource = Resource {
    name: "long_result",
    capacity: |_| LONG_RESULTS,
    is_late: true,
    classes: Class::is_long,
    taken: |hazards| hazards.is_long.clone(),
};

/// The divider.
pub static DIVIDER: Resource = Resource {
    name: "divider",
    capacity: |_| 1,
    is_late: false,
    classes: |class| class == Class::Quotient,
    taken: |hazards| hazards.is_divide.clone(),
};

/// Every row.
static RESOURCES: [&Resource; 5] = [&REQUEST, &TAG, &NO_REQUESTS, &LONG_RESULT, &DIVIDER];

/// The rows of a core: those that some instruction of it takes.
pub fn resources(shape: &Shape) -> Vec<&'static Resource> {
    let table = shape.instructions();
    RESOURCES.into_iter().filter(|resource| table.iter().any(|e| (resource.classes)(e.class))).collect()
}

impl Resource {
    /// Whether the core has it.
    pub fn exists(&self, shape: &Shape) -> bool {
        resources(shape).iter().any(|resource| resource.name == self.name)
    }

    /// Its bit of `bits`, which has one for each row of the core; 0 if the core does not have it.
    pub fn of(&self, shape: &Shape, bits: &Expr) -> Expr {
        let position = resources(shape).iter().position(|resource| resource.name == self.name);
        position.map_or_else(|| rtl::zeros(1), |position| bits.bit(position))
    }
}

/// What a word reserves.
pub struct Reserved {
    /// A tag and an entry of the request queue.
    pub is_load: Expr,
    /// An entry of the request queue.
    pub is_store: Expr,
    /// An entry of the queue of products and quotients.
    pub is_long: Expr,
    /// The divider.
    pub is_divide: Expr,
}

/// What a word reserves, the same for S2 and S5.
pub fn reserved(decoder: &Decoder) -> Reserved {
    let takes = |wanted: fn(Class) -> bool| decoder.in_opcode(&|e| wanted(e.class), &|_| false);
    Reserved {
        is_load: takes(TAG.classes),
        is_store: takes(|class| (REQUEST.classes)(class) && !(TAG.classes)(class)),
        is_long: takes(LONG_RESULT.classes),
        is_divide: takes(DIVIDER.classes),
    }
}
