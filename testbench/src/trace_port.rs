//! The trace port: from signals to records, in buffers that are used again.

use weft_config::Config;
use weft_trace::{Commit, Context, Event, Exchange, LateWrite, MemoryOp, Moves, PathRecord, Sorting};

use crate::model::{Model, ModelError, Port};
use crate::pins::{TracePorts, byte_mask};

/// By `trace_commit_memory_op`; 15 is not used.
const MEMORY_OPS: [MemoryOp; 16] = [
    MemoryOp::None,
    MemoryOp::Load,
    MemoryOp::Store,
    MemoryOp::Console,
    MemoryOp::LoadReserved,
    MemoryOp::StoreConditional,
    MemoryOp::AmoSwap,
    MemoryOp::AmoAdd,
    MemoryOp::AmoXor,
    MemoryOp::AmoAnd,
    MemoryOp::AmoOr,
    MemoryOp::AmoMin,
    MemoryOp::AmoMax,
    MemoryOp::AmoMinUnsigned,
    MemoryOp::AmoMaxUnsigned,
    MemoryOp::None,
];

/// What the trace port says in one cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) commit: Option<Commit>,
    pub(crate) context: Option<Context>,
    pub(crate) exchange: Option<Exchange>,
    pub(crate) late_write: Option<LateWrite>,
    pub(crate) release: bool,
    /// Warp and slot of an issue at S3.
    pub(crate) issue: Option<(u32, u32)>,
    /// The warp of an instruction squashed at S7.
    pub(crate) squash: Option<u32>,
}

/// Reads the trace port.
#[derive(Clone, Debug)]
pub(crate) struct TracePort {
    pins: TracePorts,
    commits: u64,
    spare_commit: Option<Commit>,
    spare_late_write: Option<LateWrite>,
}

impl TracePort {
    pub(crate) fn of(model: &Model, config: &Config) -> Result<Self, ModelError> {
        let pins = TracePorts::of(model, config)?;
        Ok(Self { pins, commits: 0, spare_commit: None, spare_late_write: None })
    }

    /// Reads the cycle `cycle` into `sample`.
    pub(crate) fn sample(&mut self, model: &Model, cycle: u64, sample: &mut Sample) {
        let pins = &self.pins;
        self.spare_commit = sample.commit.take().or(self.spare_commit.take());
        self.spare_late_write = sample.late_write.take().or(self.spare_late_write.take());
        let get = |port| model.get(port) as u32;
        sample.issue = model.bit(pins.issue_valid).then(|| (get(pins.issue_warp), get(pins.issue_slot)));
        sample.squash = model.bit(pins.squash_valid).then(|| get(pins.squash_warp));
        sample.release = model.bit(pins.release);
        sample.context = model.bit(pins.context_valid).then(|| self.context(model, cycle));
        sample.exchange = model.bit(pins.exchange_valid).then(|| Exchange {
            cycle,
            warp: model.get(pins.exchange_warp) as u32,
            row: model.get(pins.exchange_row) as u32,
            sorting: match (model.bit(pins.exchange_merges), model.bit(pins.exchange_folds)) {
                (true, _) => Sorting::Merge,
                (false, true) => Sorting::Fold,
                (false, false) => Sorting::Exchange,
            },
        });
        if model.bit(pins.late_valid) {
            let mut late = self.spare_late_write.take().unwrap_or_default();
            self.late_write(model, cycle, &mut late);
            sample.late_write = Some(late);
        }
        if model.bit(pins.commit_valid) {
            let mut commit = self.spare_commit.take().unwrap_or_default();
            self.commit(model, cycle, &mut commit);
            sample.commit = Some(commit);
            self.commits += 1;
        }
    }

    fn commit(&self, model: &Model, cycle: u64, commit: &mut Commit) {
        let pins = &self.pins;
        commit.cycle = cycle;
        commit.warp = model.get(pins.commit_warp) as u32;
        commit.slot = model.get(pins.commit_slot) as u32;
        commit.number = self.extend(model.get(pins.commit_number) as u32);
        commit.pc = model.get(pins.commit_pc) as u32;
        commit.instruction = model.get(pins.commit_instruction) as u32;
        commit.mask = model.get(pins.commit_mask);
        commit.served = model.get(pins.commit_served);
        commit.rd = model.get(pins.commit_rd) as u8;
        commit.writes = model.bit(pins.commit_writes);
        copy(model.words(pins.commit_values), &mut commit.values);
        commit.memory = MEMORY_OPS[model.get(pins.commit_memory_op) as usize];
        commit.memory_address = model.get(pins.commit_memory_address) as u32;
        copy(model.words(pins.commit_memory_data), &mut commit.memory_data);
        commit.memory_mask = byte_mask(model, pins.commit_memory_mask);
        commit.divergent = model.bit(pins.commit_divergent);
    }

    fn late_write(&self, model: &Model, cycle: u64, late: &mut LateWrite) {
        let pins = &self.pins;
        late.cycle = cycle;
        late.warp = model.get(pins.late_warp) as u32;
        late.slot = model.get(pins.late_slot) as u32;
        late.number = self.extend(model.get(pins.late_number) as u32);
        late.rd = model.get(pins.late_rd) as u8;
        late.mask = model.get(pins.late_mask);
        copy(model.words(pins.late_values), &mut late.values);
    }

    fn context(&self, model: &Model, cycle: u64) -> Context {
        let pins = self.pins;
        let path = |[valid, pc, depth, mask, parked]: [Port; 5]| {
            model.bit(valid).then(|| PathRecord {
                pc: model.get(pc) as u32,
                depth: model.get(depth) as u8,
                mask: model.get(mask),
                parked: model.bit(parked),
            })
        };
        let TracePorts { context_x_valid, context_x_pc, context_x_depth, context_x_mask, context_x_parked, .. } = pins;
        let TracePorts { context_y_valid, context_y_pc, context_y_depth, context_y_mask, context_y_parked, .. } = pins;
        Context {
            cycle,
            warp: model.get(pins.context_warp) as u32,
            slot: model.get(pins.context_slot) as u32,
            event: if model.bit(pins.context_rotates) { Event::Rotation } else { Event::Commit },
            x: path([context_x_valid, context_x_pc, context_x_depth, context_x_mask, context_x_parked]),
            y: path([context_y_valid, context_y_pc, context_y_depth, context_y_mask, context_y_parked]),
            moves: Moves {
                yields: model.bit(pins.context_yields),
                inserts: model.bit(pins.context_inserts),
                extracts: model.bit(pins.context_extracts),
                pushes: model.bit(pins.context_pushes),
                pops: model.bit(pins.context_pops),
            },
        }
    }

    /// The commit number nearest to the present one that has these low 32 bits.
    fn extend(&self, low: u32) -> u64 {
        let ahead = low.wrapping_sub(self.commits as u32) as i32;
        self.commits.wrapping_add_signed(ahead.into())
    }
}

fn copy(words: &[u32], into: &mut Vec<u32>) {
    into.clear();
    into.extend_from_slice(words);
}
