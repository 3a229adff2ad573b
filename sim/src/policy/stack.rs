//! Shared parts of the reconvergence stacks: sides, their reconvergence points, and the effect of a commit on a side
//! (dual-path execution paper, sections 2.1 and 3.1).
//!
//! A row of a stack holds sides and one *reconvergence point*. A side that arrives there is removed; when none is
//! left the row is popped. The row below holds all expected threads and continues from that point.

mod rpc;
mod side;

#[cfg(test)]
mod tests;

pub(super) use rpc::Rpc;
pub(super) use side::{Course, Side};

/// A side that reconverges at the return of its function arrives at this word: `ret`, and no other.
pub(super) const RETURN: u32 = 0x0000_8067;

/// For a row that waits for the rows above it, the pc of the threads that have arrived at a return, if the row does
/// not hold that pc yet.
/// `over` are the reconvergence points of the rows above, starting with the row's own reconvergence point `rpc`.
pub(super) fn waiting_at_return(rpc: Rpc, over: impl Iterator<Item = Rpc>) -> Option<u32> {
    let mut over = over.peekable();
    let awaited = over.peek().copied().filter(|awaited| !awaited.is(rpc))?;
    over.take_while(|rpc| rpc.is(awaited)).find_map(Rpc::first_arrival)
}
