//! A row of the stack of two sides: what is on top, and what is below.

use rtl::{Builder, Bundle, Expr, join, lit, ones, zeros};

use super::height_bits;
use crate::divergence::hot;
use crate::divergence::row::Row;
use crate::divergence::stack::rpc::Rpc;
use crate::shape::Shape;
use crate::signals::Path;

/// Sides, and slots, of a warp.
pub const LEFT: usize = 0;
pub const RIGHT: usize = 1;

/// Beside a side's path: it stands at its reconvergence point; it leaves at a `ret`.
pub const FLAGS: usize = 2;

/// Bits of a side: its path, whether it is valid, its flags.
pub fn side_bits(shape: &Shape) -> usize {
    1 + Row::bits(shape) + FLAGS
}

rtl::bundle! {
    /// What a row has beside the paths of its sides.
    pub struct Common(shape: &Shape) {
        /// All threads of the left path, also those that a load in parts has served.
        left_mask: shape.threads,
        /// Those of the right path.
        right_mask: shape.threads,
        /// Which side of the row below diverged to make this one.
        from: 1,
        /// Threads have gone both ways in this row.
        both: 1,
        /// Kind of the reconvergence point.
        rpc_kind: 2,
        /// Its address.
        rpc_pc: shape.pc_bits,
        /// Its call depth.
        rpc_depth: shape.depth_bits,
    }
}

impl Common {
    /// The reconvergence point of the row.
    pub fn rpc(&self) -> Rpc {
        Rpc { kind: self.rpc_kind.clone(), pc: self.rpc_pc.clone(), depth: self.rpc_depth.clone() }
    }

    /// The threads of both sides.
    pub fn masks(&self) -> [Expr; 2] {
        [self.left_mask.clone(), self.right_mask.clone()]
    }
}

rtl::bundle! {
    /// A row below the top.
    pub struct Suspended(shape: &Shape) {
        left: side_bits(shape),
        right: side_bits(shape),
        /// The rest.
        common: Common::bits(shape),
    }
}

/// One of two, or the other, by a bit that says that it is the second.
pub fn sides(swapped: &Expr, [first, second]: [&Expr; 2]) -> [Expr; 2] {
    [swapped.mux(second, first), swapped.mux(first, second)]
}

/// A path and its flags, in the words of the tables.
#[derive(Clone)]
pub struct Side {
    pub path: Path,
    /// It is at its reconvergence point.
    pub at_rpc: Expr,
    /// It leaves at a `ret`.
    pub leaves_at_ret: Expr,
}

impl Side {
    /// The fields of a word of the hot tables.
    pub fn unpack(m: &Builder, shape: &Shape, word: &Expr, generation: &Expr) -> Self {
        let (path, [at_rpc, leaves_at_ret]) = hot::unpack(m, shape, word, generation, ["at_rpc", "leaves_at_ret"]);
        Self { path, at_rpc, leaves_at_ret }
    }

    /// The word.
    pub fn pack(&self, generation: &Expr) -> Expr {
        let path = hot::pack(&self.path.valid, &Row::of(&self.path, generation));
        join([&path, &self.at_rpc, &self.leaves_at_ret])
    }

    /// A side without a path.
    pub fn none(shape: &Shape) -> Self {
        Self { path: Path::build(shape, &mut |_, width| zeros(width)), at_rpc: zeros(1), leaves_at_ret: zeros(1) }
    }

    /// The side that all threads of a warp start on.
    pub fn start(shape: &Shape) -> Self {
        let mut start = Self::none(shape);
        start.path.valid = ones(1);
        start.path.pc = lit(shape.pc_bits, shape.reset_word());
        start.path.mask = ones(shape.threads);
        start
    }

    /// It can run and is where it leaves its row.
    pub fn gives_way(&self) -> Expr {
        &self.at_rpc & &self.path.valid & !&self.path.parked
    }
}

/// The top row of a warp, but for its sides.
pub struct Top {
    /// What each row has.
    pub common: Common,
    /// The warp's live threads.
    pub live: Expr,
    /// The number of rows below.
    pub height: Expr,
}

impl Top {
    /// Bits of a word.
    pub fn bits(shape: &Shape) -> usize {
        Common::bits(shape) + shape.threads + height_bits(shape)
    }

    /// The fields of a word.
    pub fn unpack(m: &Builder, shape: &Shape, word: &Expr) -> Self {
        let live_at = Common::bits(shape);
        Self {
            common: Common::unpack(m, shape, word),
            live: m.field(word, "live", live_at, shape.threads),
            height: m.field(word, "height", live_at + shape.threads, height_bits(shape)),
        }
    }

    /// The word.
    pub fn pack(&self) -> Expr {
        join([&self.common.pack(), &self.live, &self.height])
    }

    /// That of a warp that starts: all its threads on the left.
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
