//! The rows of a warp: its region, and the paths that its divergences pushed.

use rtl::{Expr, ones, zeros};

use super::height_bits;
use crate::divergence::stack::rpc::Rpc;
use crate::shape::Shape;

/// The flag of the active path: it arrives at a `ret`.
pub const FLAGS: [&str; 1] = ["leaves_at_ret"];

rtl::bundle! {
    /// The fields of the active path and of the region that only S8 needs.
    pub struct Region(shape: &Shape) {
        /// Rows of the stack.
        height: height_bits(shape),
        /// All threads of the active path, including those that earlier parts of a load have served.
        mask: shape.threads,
        /// The threads that wait at the reconvergence point.
        waiting: shape.threads,
        /// The reconvergence point, an [`Rpc`]. It counts while the region is open.
        rpc_kind: 2,
        rpc_pc: shape.pc_bits,
        rpc_depth: shape.depth_bits,
    }
}

impl Region {
    pub fn start(shape: &Shape) -> Self {
        Self::new(&zeros(height_bits(shape)), &ones(shape.threads), &zeros(shape.threads), &Rpc::nowhere(shape))
    }

    pub fn new(height: &Expr, mask: &Expr, waiting: &Expr, rpc: &Rpc) -> Self {
        Self {
            height: height.clone(),
            mask: mask.clone(),
            waiting: waiting.clone(),
            rpc_kind: rpc.kind.clone(),
            rpc_pc: rpc.pc.clone(),
            rpc_depth: rpc.depth.clone(),
        }
    }

    pub fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }

    /// A region is open while other threads wait at its reconvergence point, or on the stack.
    pub fn is_open(&self) -> Expr {
        self.height.any() | self.waiting.any()
    }
}

rtl::bundle! {
    /// A path on the stack.
    pub struct Pushed(shape: &Shape) {
        pc: shape.pc_bits,
        depth: shape.depth_bits,
        mask: shape.threads,
    }
}
