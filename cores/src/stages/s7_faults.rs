//! S7, faults: the lane of the path that is at fault, and the cause.
//!
//! All active lanes are checked before any is served. If one is at fault, the instruction does not commit, and the
//! core halts. Faults of the instruction itself come from S5.

use rtl::{Builder, Expr, concat, lit, lowest_one, zeros};

use super::s7_commit::Inputs;
use crate::shape::Shape;

pub struct Faults {
    /// An instruction that would commit is at fault.
    pub any: Expr,
    /// The lanes that end with a code other than 0, if no lane is at fault.
    pub failed_exits: Expr,
    /// The lowest of them, or the lowest lane at fault, one-hot.
    pub lane_one: Expr,
    pub cause: Expr,
    /// Bits 1:0 of each lane's address.
    pub offsets: Expr,
}

impl Faults {
    /// The faults of an instruction. They count if it is `valid`.
    pub fn of(m: &Builder, shape: &Shape, inputs: &Inputs, valid: &Expr) -> Self {
        m.comment("Memory: faults of every active lane, before any is served.");
        let Inputs { fields, control, addresses, taken, .. } = inputs;
        let (is_memory, size) = (inputs.is_memory(), fields.funct3.slice(0, 2));
        let per_lane = |name: &str, f: &dyn Fn(&Expr) -> Expr| {
            m.wire_each(shape.lanes(), name, |lane| f(&addresses.lane(lane, 32)))
        };
        let misaligned = per_lane("misaligned", &|a| &is_memory & ((a.bit(0) & size.any()) | (a.bit(1) & size.bit(1))));
        let unmapped = m.wire("unmapped", &(!&inputs.mapped).when(&is_memory));
        let offsets = per_lane("offsets", &|a| a.slice(0, 2));
        let to_target = &control.is_jal.repeat(shape.threads) | taken.when(&control.is_branch);
        let target_misaligned = m.wire("target_misaligned", &to_target.when(&control.target_misaligned));
        let jump_misaligned = m.wire_each(shape.lanes(), "jump_misaligned", |lane| {
            (&control.is_jalr & offsets.bit(2 * lane + 1)) | target_misaligned.bit(lane)
        });

        m.comment("Fault: the lowest lane at fault; misalignment comes before a missing address.");
        let of_itself = m.wire("instruction_at_fault", &(&control.faults | (&control.writes_level & &inputs.waits)));
        let of_lanes = m.wire("lanes_at_fault", &(inputs.active() & (&misaligned | &unmapped | &jump_misaligned)));
        // A valid path has threads. Whether the instruction itself is at fault is late in the cycle.
        let any = m.wire("fault", &(valid & (&of_itself | of_lanes.any())));
        let lanes = m.wire("fault_lanes", &(of_lanes | inputs.active().when(&of_itself)));
        let failed_exits = m.wire("failed_exits", &failed_exits(m, shape, inputs));
        let reported = m.wire("reported_lanes", &(&lanes | &failed_exits));
        let lane_one = m.wire("fault_lane_one", &lowest_one(&reported));
        let of_the_lane = &lane_one & &misaligned;
        let is_misaligned = m.fault("misalignment_of_any_lane_is_the_cause", &of_the_lane, &misaligned).any();
        // 4 load misaligned, 5 load access, 6 store misaligned, 7 store access. Of the atomic operations only LR
        // counts as a load.
        let reads_only = control.memory_op.slice(2, 2).none() & !control.memory_op.bit(0);
        let memory_cause = concat([&lit(2, 1), &!reads_only, &!is_misaligned]);
        let cause = of_itself.mux(&control.cause, &is_memory.mux(&memory_cause, &lit(4, 0)));
        Self { any, failed_exits, lane_one, cause, offsets }
    }
}

/// The lanes of an exit whose code is not 0. S6 subtracts the code from 0, and compares them in the way of the branch
/// with the same funct3. Set, write of an immediate and clear by an immediate are as `bge`: they find the equal lanes.
fn failed_exits(m: &Builder, shape: &Shape, inputs: &Inputs) -> Expr {
    let [low, middle, high] = [0, 1, 2].map(|bit| inputs.fields.funct3.bit(bit));
    let finds_equal = m.fault("each_exit_finds_other_codes", &high.mux(&low, &(middle & !&low)), &zeros(1));
    let finds_equal = m.wire("finds_equal", &finds_equal);
    (inputs.active() & (&inputs.taken ^ finds_equal.repeat(shape.threads))).when(&inputs.control.is_exit)
}
