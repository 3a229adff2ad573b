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

/// What can be put between the memory ports of the pipeline and the top: a module with some of those ports, mirrored,
/// whose other ports become ports of the top, as do those of the pipeline that it has not.
pub struct Adaptor {
    /// The `memory.kind` that asks for it.
    pub kind: &'static str,
    /// Name of its module.
    pub module: &'static str,
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

impl Adaptor {
    /// How many of the memories hold RAM, and the names of all, those with the reconvergence table at the end.
    pub fn banks(&self, shape: &Shape) -> (usize, Vec<String>) {
        let Some(storage) = &self.storage else { return (0, Vec::new()) };
        let numbers = 0..(storage.banks)(shape);
        let tables = if shape.reconverges { numbers.clone() } else { 0..0 };
        (numbers.len(), numbers.map(storage.bank).chain(tables.map(storage.table_bank)).collect())
    }
}

/// Every adaptor. With another kind the memory ports of the pipeline are ports of the top.
static ADAPTORS: &[Adaptor] = &[bram::ADAPTOR, axi4::ADAPTOR];

/// The adaptor of a `memory.kind`, if it needs one.
pub fn find(kind: &str) -> Option<&'static Adaptor> {
    ADAPTORS.iter().find(|adaptor| adaptor.kind == kind)
}
