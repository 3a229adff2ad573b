//! What the reconvergence stacks share: sides, the points where they come together again, and what a
//! commit means to a side (dual-path execution paper, sections 2.1 and 3.1).
//!
//! A row of a stack holds sides and one *reconvergence point*. A side that gets there leaves; when
//! none is left the row is popped, and the row below, which holds all threads that were to come, goes
//! on from that point.

mod rpc;
mod side;

#[cfg(test)]
mod tests;

pub(super) use rpc::Rpc;
pub(super) use side::{Course, Side};

/// The word at which a side arrives that reconverges where its function returns: `ret`, and no other.
const RETURN: u32 = 0x0000_8067;

/// In a row that waits for the rows over it, where the threads stand that have arrived, if that is not
/// in the row yet: at a return. `over` are the reconvergence points of the rows over it, from its own
/// reconvergence point `rpc` upwards.
pub(super) fn waiting_at_return(rpc: Rpc, over: impl Iterator<Item = Rpc>) -> Option<u32> {
    let mut over = over.peekable();
    let awaited = over.peek().copied().filter(|awaited| !awaited.is(rpc))?;
    over.take_while(|rpc| rpc.is(awaited)).find_map(Rpc::first_arrival)
}
