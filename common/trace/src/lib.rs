//! Trace and statistics records: what the core's trace port says, what the golden model says, and
//! the figures counted from either. One definition of each, used by both sides.
//!
//! The trace port is one table: [`TracePorts`]. A row gives a port its name, width and meaning; the pins of a simulation,
//! the records, their comparison and the table in `docs/manual/trace.md` follow from it.

mod port;
mod record;
mod schema;
mod statistics;

pub use port::{GROUPS, IssuePorts, ReleasePorts, SquashPorts, TracePorts, UnitPorts, table};
pub use record::{
    Commit, CommitPorts, Context, ContextPorts, Event, Exchange, ExchangePorts, LatePorts, LateWrite, MemoryOp,
    MovePorts, Moves, PathRecord, Record, SecondPorts, Sorting,
};
pub use schema::{Bytes, Comparison, Field, Kind, Ports, Sizes, Source};
pub use statistics::Statistics;
