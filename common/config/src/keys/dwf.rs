//! `[dwf]`: dynamic warp formation (W. Fung, I. Sham, G. Yuan, T. Aamodt, *Dynamic Warp Formation and Scheduling for
//! Efficient GPU Control Flow*, MICRO 2007). Sections are those of this paper.

use super::Choice;

/// The keys of the unit `dwf` that are no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dwf {
    /// The warps that the barrel processor executes.
    pub warps: BarrelWarps,
    /// Which warp of the pool issues first.
    pub issue: IssueHeuristic,
    /// The lanes that a thread may use.
    pub lanes: FormedLanes,
    /// Whether lanes 2i and 2i + 1 of odd warps are exchanged (section 4.1, thread swizzling).
    pub swizzle: bool,
}

impl Default for Dwf {
    fn default() -> Self {
        Self {
            warps: BarrelWarps::Formed,
            issue: IssueHeuristic::Majority,
            lanes: FormedLanes::LaneAware,
            swizzle: false,
        }
    }
}

choice! {
    /// `dwf.warps`
    BarrelWarps {
        /// Threads at one pc form a warp.
        Formed = "formed",
        /// The reference: the warps of the program, each with a post-dominator stack (section 3.2).
        PostDominator = "post-dominator",
        /// The reference without reconvergence (section 3.1).
        Serial = "serial",
    }
}

choice! {
    /// `dwf.issue` (section 4.3)
    IssueHeuristic {
        /// All warps at the most common pc, then at another one.
        Majority = "majority",
        /// A warp at the least common pc.
        Minority = "minority",
        /// The oldest warp.
        TimeStamp = "timestamp",
        /// The warp that has passed the fewest post-dominators.
        PostDominator = "post-dominator",
        /// The warp at the smallest pc.
        ProgramCounter = "program-counter",
    }
}

choice! {
    /// `dwf.lanes` (section 4.1)
    FormedLanes {
        /// A thread stays in the lane that has its registers.
        LaneAware = "lane-aware",
        /// Any thread may use any lane.
        Ideal = "ideal",
        /// The same, and a warp takes as many cycles as threads in it have their registers in one lane.
        Conflict = "conflict",
    }
}
