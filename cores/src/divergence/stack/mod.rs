//! Reconvergence stacks: `pdom-stack`, of which one path runs, and `dual-path`, of which two do ("The Dual-Path
//! Execution Model for Efficient GPU Control Flow", sections 2.1 and 3.1).
//!
//! The paths of a divergent instruction wait for each other at its reconvergence point, which comes with the
//! instruction from the reconvergence table: the immediate post-dominator, or a return of the function where there is none
//! nearer. Meanwhile a row below holds the threads of both at that point. What is common to the two units:
//!
//! - `rpc`: reconvergence points;
//! - `below`: the rows below the top one;
//! - `outcome`: what an instruction does to the row that it ran from;
//! - a memory instruction of which some lanes were served stays in its path, with the others as its *active* lanes;
//! - a path leaves its row when it arrives. It arrives with the commit that leads there, or without one, as a bubble
//!   for which the unit gives way: at a `ret`, which the path below executes for all; after the release of a barrier right
//!   before the reconvergence point; and where all threads of an uncovered row have ended.
//!
//! Of the two paths of a divergent instruction, that with the smaller pc is the *near* one, and goes on where the
//! instruction was: it is the predicted one.

mod below;
mod dual_path;
mod invariants;
mod outcome;
mod pdom_stack;
mod rpc;

pub use dual_path::DualPath;
pub use pdom_stack::PdomStack;
