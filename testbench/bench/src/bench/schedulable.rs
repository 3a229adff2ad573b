//! The number of paths of a warp from which its unit could issue, from the hardware's context records.

use weft_config::{Config, Slots};
use weft_trace::Context;

#[derive(Clone, Debug)]
pub(super) struct Schedulable {
    /// For a unit with two slots: whether the path in each slot is parked, if there is one. `None` for other units.
    warps: Option<Vec<[Option<bool>; 2]>>,
}

impl Schedulable {
    /// Starts with one path in each warp.
    pub(super) fn new(config: &Config) -> Self {
        let two = config.unit().is_ok_and(|unit| unit.slots == Slots::Two);
        Self { warps: two.then(|| vec![[Some(false), None]; config.warps as usize]) }
    }

    /// The number of paths from which an instruction of `warp` that commits now could have been issued.
    pub(super) fn paths(&self, warp: u32) -> u32 {
        let slots = self.warps.as_ref().and_then(|warps| warps.get(warp as usize));
        slots.map_or(1, |slots| slots.iter().filter(|parked| **parked == Some(false)).count() as u32)
    }

    pub(super) fn context(&mut self, context: &Context) {
        if let Some(slots) = self.warps.as_mut().and_then(|warps| warps.get_mut(context.warp as usize)) {
            *slots = [context.x, context.y].map(|path| Some(path?.parked));
        }
    }

    pub(super) fn release(&mut self, warps: u64) {
        let released = self.warps.iter_mut().flatten().enumerate().filter(|(number, _)| warps >> number & 1 == 1);
        released.flat_map(|(_, slots)| slots).flatten().for_each(|parked| *parked = false);
    }
}

#[cfg(test)]
mod tests;
