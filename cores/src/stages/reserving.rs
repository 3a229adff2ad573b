//! Which words take something at S3 that S7 gives back if they are squashed.
//!
//! Also words that are no instructions are fetched ahead, issued and squashed. S2, by which S3 reserves, and S5, by
//! which S7 gives back, must therefore agree on every word, so both ask here. Coarser than the instruction table:
//! what is no instruction and stays on the path is at fault, whatever it reserved.

use rtl::{Expr, lit};

use crate::isa::{self, Encoding, Format, Operation};
use crate::shape::Shape;

/// What a word reserves.
pub struct Reserving {
    /// A tag and a place in the request queue.
    pub is_load: Expr,
    /// A place in the request queue.
    pub is_store: Expr,
    /// A place among the long results.
    pub is_long: Expr,
    /// The divider.
    pub is_divide: Expr,
}

impl Reserving {
    /// Of a word and its opcode.
    pub fn of(shape: &Shape, word: &Expr, opcode: &Expr) -> Self {
        let is = |wanted: &dyn Fn(&Encoding) -> bool| any_opcode(shape, opcode, wanted);
        // Register arithmetic with bit 25 set is RV32M, divisions with bit 14 set.
        let is_long = is(&|e| e.format == Format::R) & word.bit(25) & lit(1, u64::from(shape.multiply));
        Self {
            is_load: is(&|e| matches!(e.operation, Operation::Load | Operation::Atomic(_))),
            is_store: is(&|e| e.operation == Operation::Store),
            is_divide: &is_long & word.bit(14),
            is_long,
        }
    }
}

/// Whether the opcode is that of an encoding that is wanted.
pub fn any_opcode(shape: &Shape, opcode: &Expr, wanted: &dyn Fn(&Encoding) -> bool) -> Expr {
    let mut values: Vec<u64> = isa::instructions(shape.multiply, shape.atomic)
        .iter()
        .filter(|e| wanted(e))
        .map(|e| u64::from(e.value & 0x7f))
        .collect();
    values.sort_unstable();
    values.dedup();
    let matches: Vec<Expr> = values.into_iter().map(|value| opcode.is(value)).collect();
    rtl::reduce(&matches, &|a, b| a | b)
}
