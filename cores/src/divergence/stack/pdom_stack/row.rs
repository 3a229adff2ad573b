//! A row of the stack of one path: what is on top, and what is below.

use rtl::{Expr, ones, zeros};

use super::height_bits;
use crate::divergence::stack::rpc::Rpc;
use crate::shape::Shape;

/// Beside the path: the row is empty and not the bottom one; the path stands at its reconvergence point; it leaves at a
/// `ret`.
pub const FLAGS: [&str; 3] = ["is_empty", "at_rpc", "leaves_at_ret"];

rtl::bundle! {
    /// What S8 alone needs of the top row.
    pub struct Top(shape: &Shape) {
        /// Rows below.
        height: height_bits(shape),
        /// All threads of the path: also those that a load in parts has served.
        mask: shape.threads,
        /// The warp's live threads.
        live: shape.threads,
        /// Kind of the reconvergence point.
        rpc_kind: 2,
        /// Its address.
        rpc_pc: shape.pc_bits,
        /// Its call depth.
        rpc_depth: shape.depth_bits,
    }
}

impl Top {
    /// That of a warp that starts.
    pub fn start(shape: &Shape) -> Self {
        let Rpc { kind: rpc_kind, pc: rpc_pc, depth: rpc_depth } = Rpc::nowhere(shape);
        let all = ones(shape.threads);
        Self { height: zeros(height_bits(shape)), mask: all.clone(), live: all, rpc_kind, rpc_pc, rpc_depth }
    }

    /// The reconvergence point of the row.
    pub fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }
}

rtl::bundle! {
    /// A row below the top.
    pub struct Suspended(shape: &Shape) {
        /// Where its threads go on.
        pc: shape.pc_bits,
        /// Their call depth.
        depth: shape.depth_bits,
        /// The threads, also those that have ended since.
        mask: shape.threads,
        /// Kind of the reconvergence point.
        rpc_kind: 2,
        /// Its address.
        rpc_pc: shape.pc_bits,
        /// Its call depth.
        rpc_depth: shape.depth_bits,
    }
}

impl Suspended {
    /// A path that goes on at this pc, until its reconvergence point.
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

    /// The reconvergence point of the row.
    pub fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }
}
