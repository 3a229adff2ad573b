//! Records of the trace port and of the golden model, and the statistics counted from either. Both sides use the same
//! definitions.
//!
//! [`TracePorts`] is the table of the trace port. A row gives a port its name, width and meaning. The pins of a
//! simulation, the records, their comparison and the table in `docs/manual/trace.md` are derived from it.

mod port;
mod record;
mod regions;
mod schema;
mod statistics;

pub use port::{GROUPS, IssuePorts, ReleasePorts, SquashPorts, TracePorts, UnitPorts, table};
pub use record::{
    Commit, CommitPorts, Context, ContextPorts, Event, Exchange, ExchangePorts, LatePorts, LateWrite, MemoryOp,
    MovePorts, Moves, PathRecord, Record, SecondPorts, Sorting,
};
pub use regions::{Region, Regions};
pub use schema::{Bytes, Comparison, Field, Kind, Ports, Sizes, Source};
pub use statistics::Statistics;
