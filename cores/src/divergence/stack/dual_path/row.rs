//! The rows of the stack of two paths: the top row, and the rows below.

use rtl::{Builder, Bundle, Expr, join, ones, zeros};

use super::height_bits;
use crate::divergence::hot;
use crate::divergence::stack::rpc::Rpc;
use crate::shape::Shape;
use crate::signals::Path;

/// The sides of a row, which are also the slots of a warp.
pub const LEFT: usize = 0;
pub const RIGHT: usize = 1;

/// The flags of a side: its path is at its reconvergence point; it pops at a `ret`.
pub const FLAGS: usize = 2;

/// A side has a path, a valid bit and flags.
pub fn side_bits(shape: &Shape) -> usize {
    hot::bits(shape, FLAGS)
}

rtl::bundle! {
    /// The fields of a row other than the paths of its sides.
    pub struct Common(shape: &Shape) {
        /// All threads of the left path, including those that earlier parts of a load have served.
        left_mask: shape.threads,
        /// All threads of the right path, in the same way.
        right_mask: shape.threads,
        /// The side of the row below that diverged to make this row.
        from: 1,
        /// Threads have taken both sides of this row.
        both: 1,
        /// The reconvergence point, an [`Rpc`].
        rpc_kind: 2,
        rpc_pc: shape.pc_bits,
        rpc_depth: shape.depth_bits,
    }
}

impl Common {
    pub fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }

    pub fn masks(&self) -> [Expr; 2] {
        [self.left_mask.clone(), self.right_mask.clone()]
    }
}

rtl::bundle! {
    pub struct Suspended(shape: &Shape) {
        left: side_bits(shape),
        right: side_bits(shape),
        common: Common::bits(shape),
    }
}

/// Both values, exchanged if `swapped`.
pub fn sides(swapped: &Expr, [first, second]: [&Expr; 2]) -> [Expr; 2] {
    [swapped.mux(second, first), swapped.mux(first, second)]
}

#[derive(Clone)]
pub struct Side {
    pub path: Path,
    /// It is at its reconvergence point. Without a path, only the left side of an empty row that is not the bottom row has
    /// this flag: then the row must be popped.
    pub at_rpc: Expr,
    /// It pops at a `ret`.
    pub leaves_at_ret: Expr,
}

impl Side {
    pub fn unpack(m: &Builder, shape: &Shape, word: &Expr, generation: &Expr) -> Self {
        let (path, [at_rpc, leaves_at_ret]) = hot::unpack(m, shape, word, generation, ["at_rpc", "leaves_at_ret"]);
        Self { path, at_rpc, leaves_at_ret }
    }

    pub fn pack(&self, generation: &Expr) -> Expr {
        hot::pack(&self.path, generation, [&self.at_rpc, &self.leaves_at_ret])
    }

    pub fn none(shape: &Shape) -> Self {
        Self { path: Path::build(shape, &mut |_, width| zeros(width)), at_rpc: zeros(1), leaves_at_ret: zeros(1) }
    }

    /// The side that all threads of a warp start on.
    pub fn start(shape: &Shape, path: Path) -> Self {
        Self { path, ..Self::none(shape) }
    }

    /// It is at its reconvergence point and not parked, or its row must be popped.
    pub fn gives_way(&self) -> Expr {
        &self.at_rpc & !(&self.path.valid & &self.path.parked)
    }
}

/// The top row of a warp, without its sides.
pub struct Top {
    pub common: Common,
    pub live: Expr,
    /// The number of rows below.
    pub height: Expr,
}

impl Top {
    pub fn bits(shape: &Shape) -> usize {
        Common::bits(shape) + shape.threads + height_bits(shape)
    }

    pub fn unpack(m: &Builder, shape: &Shape, word: &Expr) -> Self {
        let live_at = Common::bits(shape);
        Self {
            common: Common::unpack(m, shape, word),
            live: m.field(word, "live", live_at, shape.threads),
            height: m.field(word, "height", live_at + shape.threads, height_bits(shape)),
        }
    }

    pub fn pack(&self) -> Expr {
        join([&self.common.pack(), &self.live, &self.height])
    }

    /// The row of a starting warp: all its threads are on the left.
    pub fn start(shape: &Shape) -> Self {
        let Rpc { kind: rpc_kind, pc: rpc_pc, depth: rpc_depth } = Rpc::nowhere(shape);
        let common = Common {
            left_mask: ones(shape.threads),
            right_mask: zeros(shape.threads),
            from: zeros(1),
            both: zeros(1),
            rpc_kind,
            rpc_pc,
            rpc_depth,
        };
        Self { common, live: ones(shape.threads), height: zeros(height_bits(shape)) }
    }
}
