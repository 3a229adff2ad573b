//! The lanes that a thread may use (section 4.1).

use weft_config::{Config, FormedLanes};

use super::{Formed, Hart};

pub(super) struct Lanes {
    rule: FormedLanes,
    threads: u32,
    swizzle: bool,
}

impl Lanes {
    pub(super) fn new(config: &Config) -> Self {
        Self { rule: config.dwf.lanes, threads: config.threads, swizzle: config.dwf.swizzle }
    }

    /// The lane that has the registers of a thread: its number in its warp. With swizzling, odd warps have the lanes 2i
    /// and 2i + 1 exchanged.
    pub(super) fn home(&self, hart: Hart) -> u32 {
        let (warp, lane) = (hart / self.threads, hart % self.threads);
        if self.swizzle { lane ^ warp & 1 } else { lane }
    }

    /// The lane of a thread in a warp whose occupied lanes are these; `None` if it must go to another warp.
    pub(super) fn choose(&self, hart: Hart, occupied: u64) -> Option<u32> {
        let lane = match self.rule {
            FormedLanes::LaneAware => self.home(hart),
            FormedLanes::Ideal | FormedLanes::Conflict => occupied.trailing_ones(),
        };
        (lane < self.threads && occupied >> lane & 1 == 0).then_some(lane)
    }

    pub(super) fn rounds(&self, warp: &Formed) -> u32 {
        if self.rule != FormedLanes::Conflict {
            return 1;
        }
        let mut reads = vec![0; self.threads as usize];
        warp.harts().for_each(|hart| reads[self.home(hart) as usize] += 1);
        reads.into_iter().max().unwrap_or(1)
    }
}
