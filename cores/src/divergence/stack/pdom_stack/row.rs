//! The rows of the stack of one path: the top row, and the rows below.

use rtl::{Expr, ones, zeros};

use super::height_bits;
use crate::divergence::stack::rpc::Rpc;
use crate::shape::Shape;

/// The flags of the path: its row is empty and not the bottom row; it is at its reconvergence point; it pops at a
/// `ret`.
pub const FLAGS: [&str; 3] = ["is_empty", "at_rpc", "leaves_at_ret"];

rtl::bundle! {
    /// The fields of the top row that only S8 needs.
    pub struct Top(shape: &Shape) {
        /// Rows below.
        height: height_bits(shape),
        /// All threads of the path, including those that earlier parts of a load have served.
        mask: shape.threads,
        live: shape.threads,
        /// The reconvergence point, an [`Rpc`].
        rpc_kind: 2,
        rpc_pc: shape.pc_bits,
        rpc_depth: shape.depth_bits,
    }
}

impl Top {
    pub fn start(shape: &Shape) -> Self {
        let Rpc { kind: rpc_kind, pc: rpc_pc, depth: rpc_depth } = Rpc::nowhere(shape);
        let all = ones(shape.threads);
        Self { height: zeros(height_bits(shape)), mask: all.clone(), live: all, rpc_kind, rpc_pc, rpc_depth }
    }

    pub fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }
}

rtl::bundle! {
    pub struct Suspended(shape: &Shape) {
        /// Where its threads continue.
        pc: shape.pc_bits,
        depth: shape.depth_bits,
        /// The threads, including those that have ended since.
        mask: shape.threads,
        /// The reconvergence point, an [`Rpc`].
        rpc_kind: 2,
        rpc_pc: shape.pc_bits,
        rpc_depth: shape.depth_bits,
    }
}

impl Suspended {
    /// A path that continues at this pc, up to its reconvergence point.
    pub fn new(pc: &Expr, depth: &Expr, mask: &Expr, rpc: &Rpc) -> Self {
        Self {
            pc: pc.clone(),
            depth: depth.clone(),
            mask: mask.clone(),
            rpc_kind: rpc.kind.clone(),
            rpc_pc: rpc.pc.clone(),
            rpc_depth: rpc.depth.clone(),
        }
    }

    pub fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }
}
