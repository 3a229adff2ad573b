//! The exit code at the ports of the core, compared with the model's.

use sim::Exit;
use weft_config::Config;

use super::mismatch::{Difference, require_equal};

pub(super) struct Exits {
    /// Whether the hardware halts at a word in `run.tohost`.
    pub(super) tohost_halts: bool,
    /// Cycles from a commit in the trace until the ports must show its exit code.
    delay: u64,
    expected: Option<Exit>,
    /// Until this cycle the ports may show what was expected before.
    changing: Option<(u64, Option<Exit>)>,
}

impl Exits {
    pub(super) fn new(config: &Config) -> Self {
        // The trace shows a commit one cycle after its S7.
        let delay = u64::from(config.threads) + 3;
        Self { tohost_halts: config.run.tohost != 0, delay, expected: None, changing: None }
    }

    /// Expects `exit` after a commit.
    pub(super) fn expect(&mut self, cycle: u64, exit: Option<Exit>) {
        if self.expected != exit {
            self.changing = Some((cycle + self.delay, self.expected));
            self.expected = exit;
        }
    }

    /// Compares the ports in a cycle. `done` must not come before its exit code.
    pub(super) fn check(&self, cycle: u64, exit: Option<Exit>, done: bool) -> Result<(), Difference> {
        let late = self.changing.filter(|(until, before)| cycle < *until && !done && exit == *before);
        if exit == self.expected || late.is_some() {
            return Ok(());
        }
        require_equal!("exit_valid", self.expected.is_some(), exit.is_some(), "{}");
        let [expected, actual] = [self.expected, exit].map(Option::unwrap_or_default);
        require_equal!("exit_code", expected.code, actual.code, "{:#x}");
        require_equal!("exit_hart", expected.hart, actual.hart, "{}");
        Ok(())
    }
}
