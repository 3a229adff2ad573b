//! The number of paths (stacks: rows) that a unit holds for a warp, from the hardware's records.
//!
//! The descriptor of the unit says which paths its records show ([`Holds`]).

use weft_config::{Config, Holds};
use weft_trace::{Context, Event, Exchange, Sorting};

#[derive(Clone, Debug)]
pub(super) struct Held {
    holds: Holds,
    /// Paths behind x and y, or rows above the bottom.
    others: Vec<u32>,
}

impl Held {
    /// Starts with one path, or row, in each warp.
    pub(super) fn new(config: &Config) -> Self {
        let holds = config.unit().map_or(Holds::Unrecorded, |unit| unit.holds);
        Self { holds, others: vec![0; config.warps as usize] }
    }

    /// Follows a context record. Returns the number held after it, if the record belongs to a commit.
    pub(super) fn context(&mut self, context: &Context) -> Option<u32> {
        let others = self.others.get_mut(context.warp as usize)?;
        let moves = &context.moves;
        *others += u32::from(moves.inserts || moves.pushes);
        *others = others.saturating_sub(u32::from(moves.extracts || moves.pops));
        let held = match self.holds {
            Holds::Unrecorded => return None,
            Holds::Paths => u32::from(context.x.is_some()) + u32::from(context.y.is_some()) + *others,
            Holds::Rows => 1 + *others,
        };
        (context.event == Event::Commit).then_some(held)
    }

    /// Follows a sorter, which merges two equal paths.
    pub(super) fn exchange(&mut self, exchange: &Exchange) {
        if let (Sorting::Merge | Sorting::Fold, Some(others)) =
            (exchange.sorting, self.others.get_mut(exchange.warp as usize))
        {
            *others = others.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests;
