//! Reconvergence stacks: `pdom-stack` runs one path, `dual-path` runs two ("The Dual-Path Execution Model for
//! Efficient GPU Control Flow", sections 2.1 and 3.1).
//!
//! The paths of a divergent instruction wait for each other at its reconvergence point, which comes from the
//! reconvergence table with the instruction. It is the immediate post-dominator, or a return of the function where
//! there is none nearer. Meanwhile a row below holds the threads of both paths at that point. Both units share:
//!
//! - `rpc`: reconvergence points;
//! - `below`: the rows below the top one;
//! - `places`: the places where an instruction leads, compared;
//! - `outcome`: the change of an instruction to its row.
//!
//! If a memory instruction serves some lanes, it stays in its path, and the other lanes are its *active* lanes.
//!
//! A path pops its row when it arrives at the reconvergence point. It arrives with the commit that leads there, or
//! without one, as a bubble for which the unit yields:
//!
//! - at a `ret`, which the path below executes for all;
//! - after the release of a barrier right before the reconvergence point;
//! - where all threads of an uncovered row have ended.
//!
//! Of the two paths of a divergent instruction, the one with the smaller pc is the *near* path. It continues in the
//! slot of the instruction, and its pc is the predicted one.

pub(super) mod below;
mod dual_path;
mod invariants;
pub(super) mod outcome;
mod pdom_stack;
pub(super) mod places;
pub(super) mod rpc;

use rtl::Expr;
use weft_trace::{MovePorts, SecondPorts, UnitPorts};

use super::UnitTrace;
use crate::shape::Shape;
use crate::signals::Resolve;

pub use dual_path::DualPath;
pub use pdom_stack::PdomStack;

/// The trace of rotations, and of the rows that an instruction pushes and pops.
pub(super) fn trace(shape: &Shape, resolve: &Resolve, pushes: &Expr, pops: &Expr) -> UnitPorts<Expr> {
    let none = UnitTrace::none(shape).0;
    UnitPorts {
        second: SecondPorts { rotates: resolve.rotates.clone(), ..none.second },
        moves: MovePorts { pushes: &resolve.valid & pushes, pops: pops.clone(), ..none.moves },
        exchange: none.exchange,
    }
}
