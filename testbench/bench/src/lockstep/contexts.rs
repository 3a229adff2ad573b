//! Context records: those that commits owe, and their contents.

use std::collections::VecDeque;

use weft_trace::{Context, MovePorts, Moves, PathRecord};

use super::mismatch::{Difference, Subject, require_equal};

/// Owed records, the oldest first.
#[derive(Clone, Debug)]
pub(super) struct Contexts {
    owed: VecDeque<Owed>,
    delay: u64,
}

#[derive(Clone, Copy, Debug)]
struct Owed {
    cycle: u64,
    subject: Subject,
    moves: Moves,
}

impl Contexts {
    pub(super) fn new(delay: u64) -> Self {
        Self { owed: VecDeque::new(), delay }
    }

    /// Adds a commit in `cycle` with its moves in the model.
    pub(super) fn owe(&mut self, cycle: u64, subject: Subject, moves: Moves) {
        self.owed.push_back(Owed { cycle: cycle + self.delay, subject, moves });
    }

    /// Matches a record with the commit that owes it. Returns that commit and its expected moves.
    pub(super) fn take(&mut self, context: &Context) -> Result<(Subject, Moves), (Option<Subject>, Difference)> {
        match self.owed.pop_front() {
            Some(Owed { cycle, subject, moves }) if cycle == context.cycle => {
                let same = || {
                    require_equal!("context_warp", subject.warp, context.warp, "{}");
                    require_equal!("context_slot", subject.slot, context.slot, "{}");
                    Ok((subject, moves))
                };
                same().map_err(|difference| (Some(subject), difference))
            }
            _ => {
                let actual = format!("a record of warp {}", context.warp);
                Err((None, Difference::new("context_valid", "no record without a commit", actual)))
            }
        }
    }

    /// At the end of a cycle, no record may be overdue.
    pub(super) fn check_paid(&self, cycle: u64) -> Result<(), (Option<Subject>, Difference)> {
        match self.owed.front() {
            Some(owed) if owed.cycle <= cycle => {
                Err((Some(owed.subject), Difference::new("context_valid", "a context record for each commit", "none")))
            }
            _ => Ok(()),
        }
    }
}

/// The ports of a path.
type Fields = [&'static str; 5];

const X: Fields = ["context_x_valid", "context_x_pc", "context_x_depth", "context_x_mask", "context_x_parked"];
const Y: Fields = ["context_y_valid", "context_y_pc", "context_y_depth", "context_y_mask", "context_y_parked"];

/// The first difference between a record and the model's paths and moves.
pub(super) fn compare(
    (x, y): (Option<PathRecord>, Option<PathRecord>),
    moves: Moves,
    actual: &Context,
    describe: impl Fn(&PathRecord) -> String,
) -> Result<(), Difference> {
    compare_path(X, x, actual.x, &describe)?;
    compare_path(Y, y, actual.y, &describe)?;
    for (field, (_, differ)) in MovePorts::<()>::FIELDS.iter().zip(Moves::COMPARISONS) {
        if let Some([expected, actual]) = differ(&moves, &actual.moves) {
            return Err(Difference::new(field.port, expected, actual));
        }
    }
    Ok(())
}

fn compare_path(
    [valid, pc, depth, mask, parked]: Fields,
    expected: Option<PathRecord>,
    actual: Option<PathRecord>,
    describe: impl Fn(&PathRecord) -> String,
) -> Result<(), Difference> {
    let (expected, actual) = match (expected, actual) {
        (Some(expected), Some(actual)) => (expected, actual),
        (None, None) => return Ok(()),
        (expected, actual) => {
            let text = |path: Option<PathRecord>| path.map_or("no path".into(), |path| describe(&path));
            return Err(Difference::new(valid, text(expected), text(actual)));
        }
    };
    require_equal!(pc, expected.pc, actual.pc, "{:#010x}");
    require_equal!(depth, expected.depth, actual.depth, "{}");
    require_equal!(mask, expected.mask, actual.mask, "{:#x}");
    require_equal!(parked, expected.parked, actual.parked, "{}");
    Ok(())
}
