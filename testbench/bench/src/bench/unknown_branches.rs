//! The branches of a program with unknown reconvergence points, for a unit that reads the table: their number, and
//! how many of them a run executed.

use std::collections::BTreeMap;

use sim::Program;
use sim::control_flow::{Analysis, Reconvergence};
use weft_config::Config;

use crate::reconvergence::reads_table;

/// By address, whether it was executed.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnknownBranches(BTreeMap<u32, bool>);

impl UnknownBranches {
    /// Empty if the unit of the configuration does not read the reconvergence table.
    pub(super) fn of(config: &Config, program: &Program) -> Self {
        if !reads_table(config) {
            return Self::default();
        }
        let analysis = Analysis::of(program);
        let unknown = analysis.branches().iter().filter(|branch| branch.reconvergence() == Reconvergence::Unknown);
        Self(unknown.map(|branch| (branch.pc, false)).collect())
    }

    pub(super) fn commit(&mut self, pc: u32) {
        if let Some(executed) = self.0.get_mut(&pc) {
            *executed = true;
        }
    }

    /// A line for the report; `None` if there are no such branches. `traced` says whether commits were followed.
    pub(crate) fn describe(&self, traced: bool) -> Option<String> {
        let executed = self.0.values().filter(|executed| **executed).count();
        let executed = if traced { format!(", {executed} of them executed") } else { String::new() };
        (!self.0.is_empty()).then(|| {
            format!(
                "branches without a reconvergence pc: {} in the program{executed}; their threads reconverge where those of the \
                 enclosing branches do (`weft analyze` says why)",
                self.0.len()
            )
        })
    }
}
