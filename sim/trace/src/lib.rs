//! Trace and statistics records: what the core's trace port says, what the golden model says, and
//! the figures counted from either. One definition of each, used by both sides.

mod record;
mod statistics;

pub use record::{Commit, Context, Event, Exchange, LateWrite, MemoryOp, Moves, PathRecord, Record, Sorting};
pub use statistics::Statistics;
