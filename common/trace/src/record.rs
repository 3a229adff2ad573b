//! The records of the trace port (one `Record` per line of `--commits`).

use serde::Serialize;

use crate::schema::{ports, record};

/// One path of a warp: the threads in `mask` are at `pc`, `depth` calls deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct PathRecord {
    /// Address of the next instruction of these threads.
    pub pc: u32,
    /// Call depth, 8 bits, wrapping.
    pub depth: u8,
    /// Bit i = lane i; never zero.
    pub mask: u64,
    /// Whether the path waits at a barrier (effective value, after any release).
    pub parked: bool,
}

/// What a committed instruction asked of the memory port, by its code.
#[repr(u8)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryOp {
    /// No transaction.
    #[default]
    None,
    /// A line read.
    Load,
    /// A line write under a byte mask.
    Store,
    /// A byte to the console.
    Console,
    /// `lr.w`: a word read and reserved.
    LoadReserved,
    /// `sc.w`: a word written if it is still reserved.
    StoreConditional,
    /// `amoswap.w`: a word read and replaced, as for all that follow.
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

/// [`MemoryOp`] of a request with code 0 on the memory port.
const FIRST_REQUEST: u8 = MemoryOp::LoadReserved as u8 - 2;

impl MemoryOp {
    /// All, by their codes.
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

    /// The operation of a code of the trace port; nothing for one that has no meaning.
    pub fn from_code(code: u64) -> Self {
        usize::try_from(code).ok().and_then(|code| Self::ALL.get(code)).copied().unwrap_or_default()
    }

    /// The code on the memory port (`dmem_req_op`), if it is a request: 0 load, 1 store, from 2 on the atomic operations.
    pub fn request_code(self) -> Option<u8> {
        match self {
            Self::None | Self::Console => None,
            Self::Load => Some(0),
            Self::Store => Some(1),
            atomic => Some(atomic as u8 - FIRST_REQUEST),
        }
    }

    /// Whether it is a request to RAM that is answered.
    pub fn is_answered(self) -> bool {
        self.request_code().is_some() && self != Self::Store
    }

    /// Whether it is a request to RAM that carries data.
    pub fn has_data(self) -> bool {
        self.request_code().is_some() && !matches!(self, Self::Load | Self::LoadReserved)
    }

    /// Whether it is a request of one word, which it reads before it does anything else.
    pub fn is_atomic(self) -> bool {
        self as u8 >= Self::LoadReserved as u8
    }

    /// Whether the requesting thread matters.
    pub fn is_reservation(self) -> bool {
        matches!(self, Self::LoadReserved | Self::StoreConditional)
    }

    /// The operation of a code on the memory port.
    pub fn of_request(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.request_code().is_some_and(|own| u64::from(own) == code))
    }
}

record! {
    /// One committed instruction (or one part of a replayed one): warp-wide, in commit order.
    ///
    /// `values` and `memory_data` hold one word per lane and are meaningful only in the lanes that
    /// `served` and the byte mask select.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
    Commit {
        /// Clock cycle of S8, counted from the first cycle after reset; 0 in a model run.
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
        /// Mask of the path that executes it.
        mask: Lanes as "commit_mask",
        /// Lanes served by this part: `mask` unless the rest is replayed.
        served: Lanes as "commit_served",
        /// Destination register, 0 if none.
        rd: Register as "commit_rd",
        /// Whether `values` were written (or, for CSR 0x800, are the exit codes) at S7.
        /// False for loads, atomics, multiplications and divisions, whose values come in a late write.
        writes: Flag as "commit_writes",
        /// Value per lane.
        values: Words as "commit_values",
        /// Memory transaction of this part: 0 none, 1 load, 2 store, 3 console, else 2 more than `dmem_req_op`.
        memory: Operation as "commit_memory_op",
        /// Byte address of the line, as memory holds it (or of the console register).
        memory_address: Address as "commit_memory_address",
        /// Store data: the line, one word per lane position. An atomic operation or store-conditional
        /// has its operand at its word.
        memory_data: Words as "commit_memory_data",
        /// Byte mask of the line (bit 4·i+b = byte b of word i).
        /// For a load the bytes are not masked: 0. For the console: 1. A load-reserved, a
        /// store-conditional, failed or not, and an atomic operation have the bytes of their word.
        memory_mask: Bytes as "commit_memory_mask",
        /// Whether a conditional branch (or the first part of a `jalr`) found more than one next pc.
        divergent: Flag as "commit_divergent",
    }
}

record! {
    /// The register write of a load, atomic, multiplication or division, after its commit.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
    LateWrite {
        /// Clock cycle of the write.
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

/// Why a context record was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// After the S8 of a committed instruction.
    Commit,
    /// Without an instruction: a path gave way to another one, or left for where it joins others.
    Rotation,
    /// All live threads were at the barrier: every path is runnable again (one record for all warps).
    Release,
}

record! {
    /// What an event did with the paths that wait.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    Moves {}
    /// What an event did with the paths that wait.
    MovePorts {
        /// The active path yielded to the next one.
        yields: Flag as "context_yields",
        /// A path joined those behind x and y.
        inserts: Flag as "context_inserts",
        /// The foremost of those behind x and y left them.
        extracts: Flag as "context_extracts",
        /// A row, or two, was pushed on a stack.
        pushes: Flag as "context_pushes",
        /// The top row of a stack was popped.
        pops: Flag as "context_pops",
    }
}

ports! {
    /// The context that a commit or a rotation leaves: the path in slot 0.
    ContextPorts {
        /// There is a record.
        valid: Flag as "context_valid",
        /// Warp index.
        warp: Warp as "context_warp",
        /// Path slot of the event.
        slot: Slot as "context_slot",
        /// There is a path x, in slot 0.
        x_valid: Flag as "context_x_valid",
        /// Its next instruction.
        x_pc: Address as "context_x_pc",
        /// Its call depth.
        x_depth: Depth as "context_x_depth",
        /// Its threads.
        x_mask: Lanes as "context_x_mask",
        /// Whether it waits at the barrier.
        x_parked: Flag as "context_x_parked",
    }
}

ports! {
    /// The rest of that record: the path next to x, or in slot 1, of a unit that keeps two at hand.
    SecondPorts {
        /// The record is of a rotation: no instruction committed.
        rotates: Flag as "context_rotates",
        /// There is a path y.
        y_valid: Flag as "context_y_valid",
        /// Its next instruction.
        y_pc: Address as "context_y_pc",
        /// Its call depth.
        y_depth: Depth as "context_y_depth",
        /// Its threads.
        y_mask: Lanes as "context_y_mask",
        /// Whether it waits at the barrier.
        y_parked: Flag as "context_y_parked",
    }
}

ports! {
    /// What a divergence unit's sorter does with y and a path behind it.
    ExchangePorts {
        /// It changes something.
        valid: Flag as "exchange_valid",
        /// The warp.
        warp: Warp as "exchange_warp",
        /// The row of the path, counted from the front.
        row: Row as "exchange_row",
        /// The row goes into y, and the front row takes its place.
        merges: Flag as "exchange_merges",
        /// The front row goes into the row. With neither, the row and y change places.
        folds: Flag as "exchange_folds",
    }
}

/// The paths a warp's divergence unit offers after an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Context {
    /// Clock cycle.
    pub cycle: u64,
    /// Warp index (0 for a release).
    pub warp: u32,
    /// Path slot of the event (0 for a release).
    pub slot: u32,
    /// What happened.
    pub event: Event,
    /// The path in slot 0 after the event; `None` where there is none (or on release).
    pub x: Option<PathRecord>,
    /// The path next to it, or in slot 1, of a unit that keeps two at hand; `None` where there is none (or on
    /// release).
    pub y: Option<PathRecord>,
    /// What happened to the others, of a unit that keeps a list or a stack of them.
    #[serde(flatten)]
    pub moves: Moves,
}

/// What a sorter does with y and a path behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sorting {
    /// The path comes before y: they change places.
    Exchange,
    /// The path equals y and goes into it. The foremost one takes its place.
    Merge,
    /// The foremost path equals the path, and goes into it.
    Fold,
}

/// A sorter changed the paths behind x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// Clock cycle.
    pub cycle: u64,
    /// Warp index.
    pub warp: u32,
    /// Place of a path among those behind x and y, 0 = the foremost.
    pub row: u32,
    /// What happened to it.
    pub sorting: Sorting,
}

/// Any record, as one JSON line: `{"kind":"commit",…}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Record {
    /// An instruction.
    Commit(Commit),
    /// A late register write.
    LateWrite(LateWrite),
    /// A divergence-unit event.
    Context(Context),
    /// A divergence unit's sorter at work.
    Exchange(Exchange),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_is_one_json_object_that_names_its_kind() {
        let commit = Commit {
            cycle: 12,
            warp: 1,
            number: 7,
            pc: 0x8000_0004,
            instruction: 0x0011_2023,
            mask: 0b11,
            served: 0b01,
            values: vec![0, 0],
            memory: MemoryOp::Store,
            memory_address: 0x8000_0100,
            memory_data: vec![5, 0],
            memory_mask: [0xf, 0, 0, 0],
            ..Commit::default()
        };
        let late = LateWrite { cycle: 20, warp: 1, number: 7, rd: 3, mask: 0b10, values: vec![0, 9], slot: 0 };
        let path = PathRecord { pc: 0x8000_0004, depth: 1, mask: 0b10, parked: true };
        let behind = PathRecord { pc: 0x8000_0100, depth: 0, mask: 0b01, parked: false };
        let moves = Moves { extracts: true, ..Moves::default() };
        let context =
            Context { cycle: 12, warp: 1, slot: 0, event: Event::Commit, x: Some(path), y: Some(behind), moves };
        let release =
            Context { cycle: 13, warp: 0, slot: 0, event: Event::Release, x: None, y: None, moves: Moves::default() };
        let exchange = Exchange { cycle: 14, warp: 1, row: 3, sorting: Sorting::Fold };
        let records = [
            Record::Commit(commit),
            Record::LateWrite(late),
            Record::Context(context),
            Record::Context(release),
            Record::Exchange(exchange),
        ];
        let lines: Vec<String> =
            records.iter().map(|record| serde_json::to_string(record).expect("records are plain data")).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
