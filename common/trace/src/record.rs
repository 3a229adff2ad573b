//! The records of the trace port (one [`Record`] per line of `--commits`).

use serde::Serialize;

use crate::schema::{ports, record};

/// One path of a warp: the threads in `mask` are at `pc`, `depth` calls deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct PathRecord {
    /// The address of the next instruction of these threads.
    pub pc: u32,
    /// The call depth modulo 256.
    pub depth: u8,
    /// One bit per lane; never zero.
    pub mask: u64,
    /// Whether the path waits at a barrier, after any release.
    pub parked: bool,
}

/// The request of a committed instruction to the memory port, with its code.
#[repr(u8)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryOp {
    /// No transaction.
    #[default]
    None,
    /// A line is read.
    Load,
    /// A line is written under a byte mask.
    Store,
    /// A byte is sent to the console.
    Console,
    /// `lr.w`: a word is read and reserved.
    LoadReserved,
    /// `sc.w`: a word is written if it is still reserved.
    StoreConditional,
    /// `amoswap.w`: a word is read and replaced, as in all operations below.
    AmoSwap,
    /// `amoadd.w`
    AmoAdd,
    /// `amoxor.w`
    AmoXor,
    /// `amoand.w`
    AmoAnd,
    /// `amoor.w`
    AmoOr,
    /// `amomin.w`
    AmoMin,
    /// `amomax.w`
    AmoMax,
    /// `amominu.w`
    AmoMinUnsigned,
    /// `amomaxu.w`
    AmoMaxUnsigned,
}

/// The difference between the code here and on the memory port, for atomic operations.
const FIRST_REQUEST: u8 = MemoryOp::LoadReserved as u8 - 2;

impl MemoryOp {
    /// All operations, by their codes.
    pub const ALL: [Self; 15] = [
        Self::None,
        Self::Load,
        Self::Store,
        Self::Console,
        Self::LoadReserved,
        Self::StoreConditional,
        Self::AmoSwap,
        Self::AmoAdd,
        Self::AmoXor,
        Self::AmoAnd,
        Self::AmoOr,
        Self::AmoMin,
        Self::AmoMax,
        Self::AmoMinUnsigned,
        Self::AmoMaxUnsigned,
    ];

    /// Returns the operation of a code of the trace port, or [`MemoryOp::None`] for an unused code.
    pub fn from_code(code: u64) -> Self {
        usize::try_from(code).ok().and_then(|code| Self::ALL.get(code)).copied().unwrap_or_default()
    }

    /// Returns the code on the memory port (`dmem_req_op`) of a request: 0 load, 1 store, from 2 on the atomic operations.
    pub fn request_code(self) -> Option<u8> {
        match self {
            Self::None | Self::Console => None,
            Self::Load => Some(0),
            Self::Store => Some(1),
            atomic => Some(atomic as u8 - FIRST_REQUEST),
        }
    }

    /// Returns whether RAM sends a response to the request.
    pub fn is_answered(self) -> bool {
        self.request_code().is_some() && self != Self::Store
    }

    /// Returns whether the request to RAM carries data.
    pub fn has_data(self) -> bool {
        self.request_code().is_some() && !matches!(self, Self::Load | Self::LoadReserved)
    }

    /// Returns whether the request reads one word before any other effect.
    pub fn is_atomic(self) -> bool {
        self as u8 >= Self::LoadReserved as u8
    }

    /// Returns whether the request depends on the reservation of its thread.
    pub fn is_reservation(self) -> bool {
        matches!(self, Self::LoadReserved | Self::StoreConditional)
    }

    /// Returns the operation of a code on the memory port.
    pub fn of_request(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.request_code().is_some_and(|own| u64::from(own) == code))
    }
}

record! {
    /// One committed instruction, or one part of a replayed one: warp-wide, in commit order.
    ///
    /// `values` and `memory_data` have one word per lane. A word is valid only in the lanes that `served` and the byte mask
    /// select.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
    Commit {
        /// The clock cycle of S8, counted from the first cycle after reset; 0 in a model run.
        cycle: u64,
    }
    /// The instruction that commits in S8.
    CommitPorts {
        valid as "commit_valid": " An instruction commits.",
        /// Warp index.
        warp: Warp as "commit_warp",
        /// Path slot (0 unless the divergence unit schedules two).
        slot: Slot as "commit_slot",
        /// Commits of the whole core before this one.
        number: Number as "commit_number",
        /// Address of the instruction.
        pc: Address as "commit_pc",
        /// The instruction word.
        instruction: Instruction as "commit_instruction",
        /// Mask of the path that executes the instruction.
        mask: Lanes as "commit_mask",
        /// Lanes served by this part: `mask` unless the rest is replayed.
        served: Lanes as "commit_served",
        /// Destination register, 0 if none.
        rd: Register as "commit_rd",
        /// Whether S7 wrote `values`.
        /// For a write to CSR 0x800 it is set too, and the values are the exit codes.
        /// It is 0 for loads, atomics, multiplications and divisions: their values come in a later record.
        writes: Flag as "commit_writes",
        /// Value per lane.
        values: Words as "commit_values",
        /// Memory transaction: 0 none, 1 load, 2 store, 3 console, else `dmem_req_op` + 2.
        memory: Operation as "commit_memory_op",
        /// Byte address of the line in memory, or of the console register.
        memory_address: Address as "commit_memory_address",
        /// Store data: the line, one word per lane position.
        /// An atomic operation or store-conditional has its operand at its word.
        memory_data: Words as "commit_memory_data",
        /// Byte mask of the line: bit 4·i+b is byte b of word i.
        /// It is 0 for a load of RAM, 1 for the console, and the bytes that are read for a load of a window.
        /// A load-reserved, a store-conditional (failed or not) and an atomic operation have the bytes of their word.
        memory_mask: Bytes as "commit_memory_mask",
        /// A conditional branch, or the first part of a `jalr`, has several next pcs.
        divergent: Flag as "commit_divergent",
        /// The region of the warp (CSR 0x804) after the instruction.
        region: Region as "commit_region",
    }
}

record! {
    /// The register write of a load, atomic, multiplication or division, after its commit.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
    LateWrite {
        /// The clock cycle of the write.
        cycle: u64,
    }
    /// The register write of a load, atomic, multiplication or division, in S9.
    LatePorts {
        valid as "late_valid": " A register is written.",
        /// Warp index.
        warp: Warp as "late_warp",
        /// Path slot of the commit.
        slot: Slot as "late_slot",
        /// Number of the instruction's commit.
        number: Number as "late_number",
        /// Destination register.
        rd: Register as "late_rd",
        /// Lanes written.
        mask: Lanes as "late_mask",
        /// Value per lane.
        values: Words as "late_values",
    }
}

/// The cause of a context record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// S8 of a committed instruction.
    Commit,
    /// No instruction: a path yielded to another one, or moved to join others.
    Rotation,
    /// All live threads of some warps were at the barrier, and their paths are runnable again.
    Release,
}

record! {
    /// Changes to the waiting paths by an event.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    Moves {}
    /// Changes to the waiting paths by an event.
    MovePorts {
        /// The active path yielded to the next one.
        yields: Flag as "context_yields",
        /// A path joined those behind x and y.
        inserts: Flag as "context_inserts",
        /// The first path behind x and y was taken out.
        extracts: Flag as "context_extracts",
        /// One or two rows were pushed on a stack.
        pushes: Flag as "context_pushes",
        /// The top row of a stack was popped.
        pops: Flag as "context_pops",
    }
}

ports! {
    /// The context after a commit or a rotation: the path in slot 0.
    ContextPorts {
        /// There is a record.
        valid: Flag as "context_valid",
        /// Warp index.
        warp: Warp as "context_warp",
        /// Path slot of the event.
        slot: Slot as "context_slot",
        /// There is a path x, in slot 0.
        x_valid: Flag as "context_x_valid",
        /// Next pc of path x.
        x_pc: Address as "context_x_pc",
        /// Call depth of path x.
        x_depth: Depth as "context_x_depth",
        /// Threads of path x.
        x_mask: Lanes as "context_x_mask",
        /// Path x waits at the barrier.
        x_parked: Flag as "context_x_parked",
    }
}

ports! {
    /// The rest of that record: the path next to x, or in slot 1, for a unit that keeps two paths ready.
    SecondPorts {
        /// The record is from a rotation: no instruction committed.
        rotates: Flag as "context_rotates",
        /// There is a path y.
        y_valid: Flag as "context_y_valid",
        /// Next pc of path y.
        y_pc: Address as "context_y_pc",
        /// Call depth of path y.
        y_depth: Depth as "context_y_depth",
        /// Threads of path y.
        y_mask: Lanes as "context_y_mask",
        /// Path y waits at the barrier.
        y_parked: Flag as "context_y_parked",
    }
}

ports! {
    /// A step of a divergence unit's sorter on path y and a path behind it.
    ExchangePorts {
        /// The sorter changes something.
        valid: Flag as "exchange_valid",
        /// Warp index.
        warp: Warp as "exchange_warp",
        /// The row of the path, counted from the front.
        row: Row as "exchange_row",
        /// The row merges into y, and the front row moves into the free slot.
        merges: Flag as "exchange_merges",
        /// The front row merges into the row. With neither, the row and y swap.
        folds: Flag as "exchange_folds",
    }
}

/// The paths of a warp that its divergence unit offers after an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Context {
    /// The clock cycle.
    pub cycle: u64,
    /// Warp index (0 for a release).
    pub warp: u32,
    /// Path slot of the event (0 for a release).
    pub slot: u32,
    pub event: Event,
    /// The path in slot 0 after the event, if there is one; `None` on a release.
    pub x: Option<PathRecord>,
    /// The path next to x, or in slot 1, if the unit keeps two paths ready; `None` on a release.
    pub y: Option<PathRecord>,
    /// Changes to the waiting paths, if the unit keeps a list or a stack of them.
    #[serde(flatten)]
    pub moves: Moves,
    /// Bit w: the release is of warp w. 0 for another event, and then not in the JSON line.
    #[serde(skip_serializing_if = "is_zero")]
    pub released: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(mask: &u64) -> bool {
    *mask == 0
}

impl Context {
    /// The record of a release of these warps.
    pub fn release(cycle: u64, released: u64) -> Self {
        let (event, moves) = (Event::Release, Moves::default());
        Self { cycle, warp: 0, slot: 0, event, x: None, y: None, moves, released }
    }
}

/// A step of a sorter on path y and a path behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sorting {
    /// The path precedes y in the order, so the two swap.
    Exchange,
    /// The path equals y and merges into it. The first path moves into the free slot.
    Merge,
    /// The first path equals the path and merges into it.
    Fold,
}

/// A change of the paths behind x by the sorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// The clock cycle.
    pub cycle: u64,
    /// Warp index.
    pub warp: u32,
    /// The position of the path among those behind x and y, 0 = the first.
    pub row: u32,
    pub sorting: Sorting,
}

/// Any record, as one JSON line: `{"kind":"commit",…}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Record {
    /// A committed instruction.
    Commit(Commit),
    /// The register write of a long-latency result.
    LateWrite(LateWrite),
    /// A divergence-unit event.
    Context(Context),
    /// A step of a divergence unit's sorter.
    Exchange(Exchange),
}

#[cfg(test)]
mod tests;
