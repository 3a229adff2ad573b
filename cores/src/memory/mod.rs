//! The memory side: the coalescer, the queue of requests, and the adaptors behind the ports of the pipeline.

pub mod axi4;
pub mod bram;
pub mod coalescer;
pub mod dcache;
pub mod icache;
pub mod map;
pub mod port;
pub mod request_queue;
pub mod reservations;
pub mod scratchpad;
pub mod store_switch;
pub mod table_refills;

use rtl::{Builder, ElaborationError, Expr, Module, clog2, concat, zeros};

use crate::shape::Shape;

/// Elaborates the module of an adaptor. `image` names the file with the initial content of each bank.
type Elaborate = fn(&Shape, image: Option<&dyn Fn(usize) -> String>) -> Result<Module, ElaborationError>;

/// A module between the pipeline and the top. It mirrors some of the memory ports of the module before it. The next
/// adaptor mirrors its other ports, or they are ports of the top ([`crate::top`]).
pub struct Adaptor {
    pub is_wanted: fn(&weft_config::Config) -> bool,
    pub elaborate: Elaborate,
    /// RAM, if it is in the module.
    pub storage: Option<Storage>,
    /// Whether an accepted store may still be in flight. The pipeline then reads `dmem_idle`.
    pub posts_stores: bool,
}

pub struct Storage {
    /// Number of the memories that hold RAM. Successive words are in successive memories.
    pub banks: fn(&Shape) -> usize,
    pub bank: fn(usize) -> String,
    /// The names of as many memories with the reconvergence table, in the same order, if the divergence unit reads
    /// it.
    pub table_bank: fn(usize) -> String,
}

impl Storage {
    /// The number of memories with RAM, and the names of all, with those of the reconvergence table at the end.
    pub fn banks(&self, shape: &Shape) -> (usize, Vec<String>) {
        let numbers = 0..(self.banks)(shape);
        let tables = if shape.reconverges { numbers.clone() } else { 0..0 };
        (numbers.len(), numbers.map(self.bank).chain(tables.map(self.table_bank)).collect())
    }
}

/// All adaptors, in the order from the pipeline to the memory.
static ADAPTORS: &[Adaptor] = &[dcache::ADAPTOR, bram::ADAPTOR, icache::ADAPTOR, table_refills::ADAPTOR, axi4::ADAPTOR];

/// The adaptors of a configuration, in that order. If RAM is in the core, the last adaptor contains it.
pub fn adaptors(config: &weft_config::Config) -> Vec<&'static Adaptor> {
    ADAPTORS.iter().filter(|adaptor| (adaptor.is_wanted)(config)).collect()
}

/// The reset of an adaptor that keeps nothing from one run to the next: with a control block each start resets it. To be
/// called before all else.
fn reset_at_start(m: &Builder, shape: &Shape) {
    if shape.control {
        let reset = m.own_reset();
        m.port_group("a run begins: the reset");
        let restart = m.input("restart", 1);
        m.drive(&reset, &m.fault("keeps_its_state_at_a_start", &restart, &zeros(1)));
        m.output("next_restart", &restart);
    }
}

/// Bits of the number of a line in RAM, its row.
fn row_bits(shape: &Shape) -> usize {
    clog2(shape.ram_bytes as usize / (4 * shape.threads))
}

/// The address of a row.
fn address(shape: &Shape, row: &Expr) -> Expr {
    let offset = 2 + shape.lane_bits();
    let base = rtl::lit(32 - offset - row.width(), u64::from(shape.ram_base) >> (offset + row.width()));
    concat([&base, row, &zeros(offset)])
}
