//! Context records: those that commits owe, and their contents.

use std::collections::VecDeque;

use weft_trace::{Context, MovePorts, Moves, PathRecord};

use super::mismatch::{Difference, Subject};

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
                let fields =
                    [("context_warp", subject.warp, context.warp), ("context_slot", subject.slot, context.slot)];
                match fields.into_iter().find(|(_, expected, actual)| expected != actual) {
                    None => Ok((subject, moves)),
                    Some((field, expected, actual)) => {
                        Err((Some(subject), Difference::new(field, expected.to_string(), actual.to_string())))
                    }
                }
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

struct Fields {
    valid: &'static str,
    pc: &'static str,
    depth: &'static str,
    mask: &'static str,
    parked: &'static str,
}

const X: Fields = Fields {
    valid: "context_x_valid",
    pc: "context_x_pc",
    depth: "context_x_depth",
    mask: "context_x_mask",
    parked: "context_x_parked",
};

const Y: Fields = Fields {
    valid: "context_y_valid",
    pc: "context_y_pc",
    depth: "context_y_depth",
    mask: "context_y_mask",
    parked: "context_y_parked",
};

/// The first difference between a record and the model's paths and moves.
pub(super) fn compare(
    (x, y): (Option<PathRecord>, Option<PathRecord>),
    moves: Moves,
    actual: &Context,
    describe: impl Fn(&PathRecord) -> String,
) -> Result<(), Difference> {
    compare_path(&X, x, actual.x, &describe)?;
    compare_path(&Y, y, actual.y, &describe)?;
    for (field, (_, differ)) in MovePorts::<()>::FIELDS.iter().zip(Moves::COMPARISONS) {
        if let Some([expected, actual]) = differ(&moves, &actual.moves) {
            return Err(Difference::new(field.port, expected, actual));
        }
    }
    Ok(())
}

fn compare_path(
    fields: &Fields,
    expected: Option<PathRecord>,
    actual: Option<PathRecord>,
    describe: impl Fn(&PathRecord) -> String,
) -> Result<(), Difference> {
    let (expected, actual) = match (expected, actual) {
        (Some(expected), Some(actual)) => (expected, actual),
        (None, None) => return Ok(()),
        (expected, actual) => {
            let text = |path: Option<PathRecord>| path.map_or("no path".into(), |path| describe(&path));
            return Err(Difference::new(fields.valid, text(expected), text(actual)));
        }
    };
    let hex = |value: u64| format!("{value:#x}");
    let pc = |path: PathRecord| format!("{:#010x}", path.pc);
    if expected.pc != actual.pc {
        return Err(Difference::new(fields.pc, pc(expected), pc(actual)));
    }
    if expected.depth != actual.depth {
        return Err(Difference::new(fields.depth, expected.depth.to_string(), actual.depth.to_string()));
    }
    if expected.mask != actual.mask {
        return Err(Difference::new(fields.mask, hex(expected.mask), hex(actual.mask)));
    }
    if expected.parked != actual.parked {
        return Err(Difference::new(fields.parked, expected.parked.to_string(), actual.parked.to_string()));
    }
    Ok(())
}
