//! How many post-dominators a thread has gone beyond (section 4.3, post-dominator priority).
//!
//! They are the reconvergence points that the analysis finds: pcs, and returns of functions. A point counts each time it
//! is reached, whether or not the thread had diverged from others. The paper does not say how it counts; its field has 8
//! bits, this count does not overflow.

use std::collections::HashSet;

use weft_config::Config;

use super::Hart;
use crate::Program;
use crate::control_flow::{Analysis, Reconvergence};

pub(super) struct PostDominators {
    points: HashSet<u32>,
    /// By hart.
    passed: Vec<u32>,
}

impl PostDominators {
    pub(super) fn new(config: &Config, program: &Program) -> Self {
        let analysis = Analysis::of(program);
        let point = |branch: &crate::control_flow::Branch| match branch.reconvergence() {
            Reconvergence::At(pc) => Some(pc),
            Reconvergence::Unknown | Reconvergence::Return => None,
        };
        let points = analysis.branches().iter().filter_map(point).collect();
        Self { points, passed: vec![0; (config.warps * config.threads) as usize] }
    }

    /// Threads arrive at `pc`. Returns the least count of one of them.
    pub(super) fn arrive(&mut self, pc: u32, harts: &[Hart], returns: bool) -> u32 {
        let more = u32::from(self.points.contains(&pc)) + u32::from(returns);
        let counts = harts.iter().map(|hart| {
            let count = &mut self.passed[*hart as usize];
            *count = count.saturating_add(more);
            *count
        });
        counts.min().unwrap_or(0)
    }
}
