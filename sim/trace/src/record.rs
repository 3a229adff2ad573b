//! The records of the trace port (one `Record` per line of `--commits`).

use serde::Serialize;

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

/// What a committed instruction asked of the memory port.
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

/// One committed instruction (or one part of a replayed one): warp-wide, in commit order.
///
/// `values` and `memory_data` hold one word per lane and are meaningful only in the lanes that
/// `served` and the byte mask select.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// Clock cycle of S8, counted from the first cycle after reset; 0 in a model run.
    pub cycle: u64,
    /// Warp index.
    pub warp: u32,
    /// Path slot (0 unless the divergence unit schedules two).
    pub slot: u32,
    /// Commits of the whole core before this one.
    pub number: u64,
    /// Address of the instruction.
    pub pc: u32,
    /// The instruction word.
    pub instruction: u32,
    /// Mask of the path that executes it.
    pub mask: u64,
    /// Lanes served by this part: `mask` unless the rest is replayed.
    pub served: u64,
    /// Destination register, 0 if none.
    pub rd: u8,
    /// Whether `values` were written (or, for CSR 0x800, are the exit codes) at S7.
    /// False for loads, atomics, multiplications and divisions, whose values come in a
    /// [`LateWrite`].
    pub writes: bool,
    /// Value per lane.
    pub values: Vec<u32>,
    /// Memory transaction of this part.
    pub memory: MemoryOp,
    /// Byte address of the line, as memory holds it (or of the console register).
    pub memory_address: u32,
    /// Store data: the line, one word per lane position. An atomic operation or store-conditional
    /// has its operand at its word.
    pub memory_data: Vec<u32>,
    /// Byte mask of the line (bit 4·i+b = byte b of word i).
    /// For a load the bytes are not masked: 0. For the console: 1. A load-reserved, a
    /// store-conditional, failed or not, and an atomic operation have the bytes of their word.
    pub memory_mask: [u64; 4],
    /// Whether a conditional branch (or the first part of a `jalr`) found more than one next pc.
    pub divergent: bool,
}

/// The register write of a load, atomic, multiplication or division, after its commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LateWrite {
    /// Clock cycle of the write.
    pub cycle: u64,
    /// Warp index.
    pub warp: u32,
    /// Path slot of the commit.
    pub slot: u32,
    /// [`Commit::number`] of the instruction.
    pub number: u64,
    /// Destination register.
    pub rd: u8,
    /// Lanes written.
    pub mask: u64,
    /// Value per lane.
    pub values: Vec<u32>,
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

/// What an event did with the paths that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Moves {
    /// The path in charge gave way to the next one.
    pub yields: bool,
    /// A path joined those behind x and y.
    pub inserts: bool,
    /// The foremost of those behind x and y left them.
    pub extracts: bool,
    /// A row, or two, went onto a stack.
    pub pushes: bool,
    /// The top row of a stack was taken off.
    pub pops: bool,
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
