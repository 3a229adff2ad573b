//! The whole trace port: its groups in order, the values that a simulation reads, and its table for the documentation.

use crate::record::{
    Commit, CommitPorts, Context, ContextPorts, Event, Exchange, ExchangePorts, LatePorts, LateWrite, MovePorts, Moves,
    PathRecord, SecondPorts, Sorting,
};
use crate::schema::{Field, Ports, Source, ports};

ports! {
    /// The barrier.
    ReleasePorts {
        /// Bit w: all live threads of warp w wait at the barrier, and continue.
        warps: Warps as "release",
    }
}

ports! {
    /// An instruction that leaves S3.
    IssuePorts {
        /// S3 issues an instruction.
        valid: Flag as "issue_valid",
        /// Warp index.
        warp: Warp as "issue_warp",
        /// Path slot.
        slot: Slot as "issue_slot",
    }
}

ports! {
    /// An instruction that S7 squashes.
    SquashPorts {
        /// S7 squashes an instruction.
        valid: Flag as "squash_valid",
        /// Warp index.
        warp: Warp as "squash_warp",
    }
}

/// Declares a struct of groups of ports, in order.
macro_rules! groups {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $group:ident: $ports:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name<P> {
            $($(#[$doc])* pub $group: $ports<P>,)*
        }

        impl<P> Ports<P> for $name<P> {
            fn build(make: &mut dyn FnMut(&'static Field) -> P) -> Self {
                $(let $group = $ports::build(make);)*
                Self { $($group,)* }
            }

            fn fields(&self) -> Vec<(&'static Field, &P)> {
                [$(self.$group.fields()),*].concat()
            }
        }
    };
}

groups! {
    /// Trace ports of a divergence unit: the rest of a context record, and its sorter. A unit drives unused ports with 0.
    UnitPorts {
        second: SecondPorts,
        /// Changes to the waiting paths.
        moves: MovePorts,
        exchange: ExchangePorts,
    }
}

groups! {
    /// The whole trace port.
    TracePorts {
        /// Commits (S8).
        commit: CommitPorts,
        /// The context after S8.
        context: ContextPorts,
        /// Further records of the divergence unit.
        unit: UnitPorts,
        /// Release of the barrier.
        release: ReleasePorts,
        /// Register writes of long-latency results (S9).
        late: LatePorts,
        /// Issues (S3).
        issue: IssuePorts,
        /// Squashes (S7).
        squash: SquashPorts,
    }
}

/// The titles of the groups, by the name of their first port.
pub const GROUPS: [(&str, &str); 7] = [
    ("commit_valid", "trace: commits (S8)"),
    ("context_valid", "trace: the active path after S8, and further records of the divergence unit"),
    ("exchange_valid", "trace: the divergence unit's sorter"),
    ("release", "trace: release of the barrier"),
    ("late_valid", "trace: register writes of long-latency results (S9)"),
    ("issue_valid", "trace: issues (S3)"),
    ("squash_valid", "trace: squashes (S7)"),
];

impl<P: Copy> TracePorts<P> {
    /// Reads the commit of this cycle into `commit`, and returns whether there is one.
    pub fn commit(&self, source: &dyn Source<P>, cycle: u64, commit: &mut Commit) -> bool {
        let valid = flag(source, self.commit.valid);
        if valid {
            commit.cycle = cycle;
            commit.read(&self.commit, source);
        }
        valid
    }

    /// Reads the register write of a long-latency result in this cycle into `late`, and returns whether there is one.
    pub fn late_write(&self, source: &dyn Source<P>, cycle: u64, late: &mut LateWrite) -> bool {
        let valid = flag(source, self.late.valid);
        if valid {
            late.cycle = cycle;
            late.read(&self.late, source);
        }
        valid
    }

    /// Returns the context record of this cycle, if there is one.
    pub fn context(&self, source: &dyn Source<P>, cycle: u64) -> Option<Context> {
        let path = |[valid, pc, depth, mask, parked]: [P; 5]| {
            flag(source, valid).then(|| PathRecord {
                pc: source.bits(pc) as u32,
                depth: source.bits(depth) as u8,
                mask: source.bits(mask),
                parked: flag(source, parked),
            })
        };
        let (x, y) = (&self.context, &self.unit.second);
        flag(source, x.valid).then(|| {
            let mut moves = Moves::default();
            moves.read(&self.unit.moves, source);
            Context {
                cycle,
                warp: source.bits(x.warp) as u32,
                slot: source.bits(x.slot) as u32,
                event: if flag(source, y.rotates) { Event::Rotation } else { Event::Commit },
                x: path([x.x_valid, x.x_pc, x.x_depth, x.x_mask, x.x_parked]),
                y: path([y.y_valid, y.y_pc, y.y_depth, y.y_mask, y.y_parked]),
                moves,
                released: 0,
            }
        })
    }

    /// Returns the step of the divergence unit's sorter in this cycle, if there is one.
    pub fn exchange(&self, source: &dyn Source<P>, cycle: u64) -> Option<Exchange> {
        let ports = &self.unit.exchange;
        flag(source, ports.valid).then(|| Exchange {
            cycle,
            warp: source.bits(ports.warp) as u32,
            row: source.bits(ports.row) as u32,
            sorting: match (flag(source, ports.merges), flag(source, ports.folds)) {
                (true, _) => Sorting::Merge,
                (false, true) => Sorting::Fold,
                (false, false) => Sorting::Exchange,
            },
        })
    }

    /// Returns the warps that the barrier releases in this cycle, bit w for warp w.
    pub fn released(&self, source: &dyn Source<P>) -> u64 {
        source.bits(self.release.warps)
    }

    /// Returns warp and slot of the instruction that S3 issues in this cycle.
    pub fn issued(&self, source: &dyn Source<P>) -> Option<(u32, u32)> {
        let IssuePorts { valid, warp, slot } = self.issue;
        flag(source, valid).then(|| (source.bits(warp) as u32, source.bits(slot) as u32))
    }

    /// Returns the warp of the instruction that S7 squashes in this cycle.
    pub fn squashed(&self, source: &dyn Source<P>) -> Option<u32> {
        flag(source, self.squash.valid).then(|| source.bits(self.squash.warp) as u32)
    }
}

fn flag<P>(source: &dyn Source<P>, port: P) -> bool {
    source.bits(port) != 0
}

/// Makes the table of the ports in Markdown: the first sentence of each meaning, then a list of the further sentences.
pub fn table() -> String {
    let mut rows = vec!["| port | width | meaning |".to_owned(), "|---|---|---|".to_owned()];
    let mut notes = Vec::new();
    TracePorts::build(&mut |field| {
        if let Some((_, title)) = GROUPS.iter().find(|(first, _)| *first == field.port) {
            let title = title.trim_start_matches("trace: ");
            rows.push(format!("| | | **{title}** |"));
        }
        let mut sentences = field.meaning.trim().trim_end_matches('.').split(". ");
        let first = sentences.next().unwrap_or_default();
        rows.push(format!("| `trace_{}` | {} | {first}. |", field.port, field.formula));
        notes.extend(sentences.map(|sentence| format!("- `trace_{}`: {sentence}.", field.port)));
    });
    rows.push(String::new());
    rows.extend(notes);
    rows.push(String::new());
    rows.join("\n")
}

#[cfg(test)]
mod tests;
