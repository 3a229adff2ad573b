//! The memory side: which lanes one transaction serves, the requests on their way out, and what may stand behind the
//! ports of the pipeline.

pub mod axi4;
pub mod bram;
pub mod coalescer;
pub mod map;
pub mod request_queue;
pub mod reservations;

use rtl::{ElaborationError, Module};

use crate::shape::Shape;

/// Elaborates the module of an adaptor; `image` names the file that each bank starts with.
type Elaborate = fn(&Shape, image: Option<&dyn Fn(usize) -> String>) -> Result<Module, ElaborationError>;

/// What can be put between the pipeline and the top: a module that mirrors some of the memory ports before it, and whose
/// other ports the next adaptor mirrors, or the top has ([`crate::top`]).
pub struct Adaptor {
    /// Whether a configuration asks for it.
    pub is_wanted: fn(&weft_config::Memory) -> bool,
    /// Elaborates it.
    pub elaborate: Elaborate,
    /// RAM, if it is in the module.
    pub storage: Option<Storage>,
    /// Whether stores that it has accepted may still be on their way: the pipeline asks by `dmem_idle`.
    pub posts_stores: bool,
}

/// The memories of a module that hold RAM.
pub struct Storage {
    /// Memories that together hold RAM, word by word in turn.
    pub banks: fn(&Shape) -> usize,
    /// The name of each.
    pub bank: fn(usize) -> String,
    /// The names of as many that hold the reconvergence table in the same way, where the divergence unit reads one.
    pub table_bank: fn(usize) -> String,
}

impl Storage {
    /// How many of the memories hold RAM, and the names of all, those with the reconvergence table at the end.
    pub fn banks(&self, shape: &Shape) -> (usize, Vec<String>) {
        let numbers = 0..(self.banks)(shape);
        let tables = if shape.reconverges { numbers.clone() } else { 0..0 };
        (numbers.len(), numbers.map(self.bank).chain(tables.map(self.table_bank)).collect())
    }
}

/// Every adaptor, in the order from the pipeline to the memory.
static ADAPTORS: &[Adaptor] = &[bram::ADAPTOR, axi4::ADAPTOR];

/// The adaptors of a configuration, in that order. RAM is in the last of them, if it is in the core.
pub fn adaptors(memory: &weft_config::Memory) -> Vec<&'static Adaptor> {
    ADAPTORS.iter().filter(|adaptor| (adaptor.is_wanted)(memory)).collect()
}
