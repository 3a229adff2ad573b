//! The rows of a warp: the active path, a path in the queue, a meeting.

use rtl::{Expr, concat, ones, zeros};

use super::turns;
use crate::divergence::stack::rpc::Rpc;
use crate::shape::Shape;

/// The flags of the active path: it is empty or must yield; it is at its meeting's point; it arrives at a `ret`.
pub const FLAGS: [&str; 3] = ["must_yield", "at_meeting", "leaves_at_ret"];

/// Bits of a reference to a meeting: whether there is one, and its row.
fn up_bits(shape: &Shape) -> usize {
    1 + shape.lane_bits()
}

pub fn is_some(up: &Expr) -> Expr {
    up.bit(0)
}

pub fn row_of(up: &Expr) -> Expr {
    up.from(1)
}

pub fn some(row: &Expr) -> Expr {
    concat([row, &ones(1)])
}

rtl::bundle! {
    /// The fields of the active path and of its warp that only S8 needs.
    pub struct Active(shape: &Shape) {
        /// All threads of the path, including those that earlier parts of a load have served. An empty path has none.
        mask: shape.threads,
        live: shape.threads,
        up: up_bits(shape),
        /// Meetings at which threads wait.
        occupied: shape.lane_bits().max(1),
        /// Instructions in the present turn.
        count: turns::count_bits(shape),
        /// Divergences make no meetings: a path has let go, and threads have waited at meetings ever since.
        dissolves: 1,
        /// The turn is over.
        over: 1,
        /// The path is the far one of a divergence, and goes to the back of the queue.
        is_far: usize::from(shape.breadth_first),
    }
}

impl Active {
    pub fn start(shape: &Shape) -> Self {
        let all = ones(shape.threads);
        Self {
            mask: all.clone(),
            live: all,
            up: zeros(up_bits(shape)),
            occupied: zeros(shape.lane_bits().max(1)),
            count: zeros(turns::count_bits(shape)),
            dissolves: zeros(1),
            over: zeros(1),
            is_far: zeros(usize::from(shape.breadth_first)),
        }
    }

    /// The reconvergence point of the path: that of its meeting, if it has one.
    pub fn point(&self, meeting: &Meeting) -> Rpc {
        let rpc = meeting.rpc();
        Rpc { kind: rpc.kind.when(&is_some(&self.up)), ..rpc }
    }
}

rtl::bundle! {
    /// The fields of a path in the queue, besides those of a [`Row`](crate::divergence::row::Row).
    pub struct Queued(shape: &Shape) {
        up: up_bits(shape),
        /// It is at the point of its meeting, and arrives there unless it is parked.
        at_meeting: 1,
        leaves_at_ret: 1,
    }
}

rtl::bundle! {
    pub struct Meeting(shape: &Shape) {
        /// The reconvergence point, an [`Rpc`].
        rpc_kind: 2,
        rpc_pc: shape.pc_bits,
        rpc_depth: shape.depth_bits,
        /// The threads that meet there, including those that have ended since.
        expected: shape.threads,
        arrived: shape.threads,
        up: up_bits(shape),
        /// From the point on, the threads arrive at the next meeting at a `ret`.
        leaves_at_ret: 1,
    }
}

impl Meeting {
    pub fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }
}
