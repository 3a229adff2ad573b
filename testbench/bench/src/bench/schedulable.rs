//! The number of paths of a warp from which its unit could issue, from the hardware's context records.

use weft_config::Config;
use weft_trace::{Context, PathRecord};

#[derive(Clone, Debug)]
pub(super) struct Schedulable {
    /// For a unit with two slots: whether the path in each slot is runnable. `None` for other units.
    warps: Option<Vec<[Slot; 2]>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Empty,
    Parked,
    Runnable,
}

impl Slot {
    fn of(path: Option<&PathRecord>) -> Self {
        match path {
            None => Self::Empty,
            Some(path) if path.parked => Self::Parked,
            Some(_) => Self::Runnable,
        }
    }
}

impl Schedulable {
    /// Starts with one path in each warp.
    pub(super) fn new(config: &Config) -> Self {
        let two = config.unit().is_ok_and(|unit| unit.slots == 2);
        Self { warps: two.then(|| vec![[Slot::Runnable, Slot::Empty]; config.warps as usize]) }
    }

    /// The number of paths from which an instruction of `warp` that commits now could have been issued.
    pub(super) fn paths(&self, warp: u32) -> u32 {
        let slots = self.warps.as_ref().and_then(|warps| warps.get(warp as usize));
        slots.map_or(1, |slots| slots.iter().filter(|slot| **slot == Slot::Runnable).count() as u32)
    }

    pub(super) fn context(&mut self, context: &Context) {
        if let Some(slots) = self.warps.as_mut().and_then(|warps| warps.get_mut(context.warp as usize)) {
            *slots = [Slot::of(context.x.as_ref()), Slot::of(context.y.as_ref())];
        }
    }

    pub(super) fn release(&mut self, warps: u64) {
        let released = self.warps.iter_mut().flatten().enumerate().filter(|(number, _)| warps >> number & 1 == 1);
        for slot in released.flat_map(|(_, slots)| slots).filter(|slot| **slot == Slot::Parked) {
            *slot = Slot::Runnable;
        }
    }
}

#[cfg(test)]
mod tests;
