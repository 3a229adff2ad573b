//! Which warp of the pool issues (section 4.3). Of equal ones it is the oldest.

use std::cmp::Reverse;

use weft_config::IssueHeuristic;

use super::pool::{Pool, Waiting};

pub(super) struct Heuristic {
    rule: IssueHeuristic,
    /// The pc whose warps all issue before another one is chosen.
    majority: Option<u32>,
}

impl Heuristic {
    pub(super) fn new(rule: IssueHeuristic) -> Self {
        Self { rule, majority: None }
    }

    /// The index of the warp; `None` if there is none.
    pub(super) fn choose(&mut self, pool: &Pool) -> Option<usize> {
        match self.rule {
            IssueHeuristic::Majority => {
                self.majority = self.majority.filter(|pc| pool.threads_at(*pc) > 0);
                let common = || least(pool, |warp| Reverse(pool.threads_at(warp.formed.pc)));
                let pc = self.majority.or_else(|| pc_of(pool, common()?))?;
                self.majority = Some(pc);
                least(pool, |warp| warp.formed.pc != pc)
            }
            IssueHeuristic::Minority => least(pool, |warp| pool.threads_at(warp.formed.pc)),
            IssueHeuristic::TimeStamp => least(pool, |_| ()),
            IssueHeuristic::PostDominator => least(pool, |warp| warp.passed),
            IssueHeuristic::ProgramCounter => least(pool, |warp| warp.formed.pc),
        }
    }
}

/// The index of the warp with the least rank.
fn least<Rank: Ord>(pool: &Pool, rank: impl Fn(&Waiting) -> Rank) -> Option<usize> {
    let (index, _) = pool.warps().min_by_key(|(_, warp)| (rank(warp), warp.born))?;
    Some(index)
}

fn pc_of(pool: &Pool, index: usize) -> Option<u32> {
    pool.warps().find(|(other, _)| *other == index).map(|(_, warp)| warp.formed.pc)
}
