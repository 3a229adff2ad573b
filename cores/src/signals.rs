//! The bundles that travel between stages: one definition of each, the stage as a suffix of its nets.

use rtl::{Builder, Expr};
use weft_config::extension::A;

use crate::isa::Acts;
use crate::shape::{PC, Shape};

/// A value some cycles later, in registers `name_later_1` and up.
pub fn delay_by(m: &Builder, name: &str, value: &Expr, cycles: usize) -> Expr {
    (1..=cycles).fold(value.clone(), |value, cycle| m.delay(&format!("{name}_later_{cycle}"), &value))
}

/// A one-bit value some cycles later, 0 after reset.
pub fn flag_delay_by(m: &Builder, name: &str, value: &Expr, cycles: usize) -> Expr {
    (1..=cycles).fold(value.clone(), |value, cycle| {
        let register = m.register(&format!("{name}_later_{cycle}"), 1);
        register.next(&value).reset(0);
        register.q()
    })
}

/// Whose outcome a divergence unit has settled.
pub struct Settled {
    /// Whether it has.
    pub valid: Expr,
    /// The warp.
    pub warp: Expr,
}

impl Resolve {
    /// The instruction whose path in charge is known now, `delay` cycles after its S8.
    pub fn settled(&self, m: &Builder, delay: usize) -> Settled {
        Settled {
            valid: flag_delay_by(m, "settled_valid", &self.valid, delay),
            warp: delay_by(m, "settled_warp", &self.warp, delay),
        }
    }

    /// All of it, `delay` cycles after S8.
    pub fn later(&self, m: &Builder, shape: &Shape, delay: usize) -> Self {
        let mut fields = rtl::Bundle::fields(self).into_iter();
        rtl::Bundle::build(shape, &mut |field, _| {
            let (_, value) = fields.next().expect("as many values as fields");
            let name = format!("outcome_{field}");
            if field == "valid" { flag_delay_by(m, &name, value, delay) } else { delay_by(m, &name, value, delay) }
        })
    }
}

rtl::bundle! {
    /// What every instruction carries from S3 to S7.
    pub struct Meta(shape: &Shape) {
        /// Whether there is an instruction.
        valid: 1,
        /// Its warp.
        warp: shape.warp_bits(),
        /// Its path slot.
        slot: shape.slot_bits(),
        /// Its entry of the scoreboard, if its result comes late.
        entry: shape.entry_bits(),
        /// Its address, without bits 1:0.
        pc: PC,
        /// The address that S2 predicted after it.
        predicted: PC,
        /// The word.
        instruction: 32,
        /// Its entry of the reconvergence table.
        reconvergence: shape.reconvergence_bits(),
    }
}

rtl::bundle! {
    /// What S2 tells S3 about an instruction's hazards.
    pub struct Hazards(shape: &Shape) {
        /// Source register 1.
        rs1: 5,
        /// Source register 2.
        rs2: 5,
        /// Destination register.
        rd: 5,
        /// Whether rs1 is read.
        uses_rs1: 1,
        /// Whether rs2 is read.
        uses_rs2: 1,
        /// Whether rd is written and is not x0.
        writes_rd: 1,
        /// A `jalr`, which like an access of memory asks for a leader.
        is_jalr: 1,
        /// Waits until earlier requests have been accepted, and performed: `fence.i`, and `fence` where it matters.
        is_fence_i: 1,
    }
}

rtl::bundle! {
    /// What S5 decides for S6 alone.
    pub struct LaneControl(shape: &Shape) {
        /// The adder subtracts.
        subtract: 1,
        /// Comparisons are unsigned.
        less_unsigned: 1,
        /// The result is the comparison.
        set_less: 1,
        /// The sum is not the result but an address, or nothing.
        no_result: 1,
        /// The result is `pc_value`, in every lane.
        pc_is_value: 1,
        /// The operations of extensions that give the result, a bit each.
        selects: shape.lane_operations(Acts::OnResult).len(),
    }
}

rtl::bundle! {
    /// What S5 decides for S7.
    pub struct Control(shape: &Shape) {
        /// Conditional branch.
        is_branch: 1,
        /// `jal`.
        is_jal: 1,
        /// `jalr`.
        is_jalr: 1,
        /// Atomic operation: one lane a transaction.
        is_atomic: 1,
        /// What is asked of memory (`dmem_req_op`).
        memory_op: 4,
        /// Write to the exit CSR.
        is_exit: 1,
        /// Write to the barrier CSR.
        is_barrier: 1,
        /// `fence.i`.
        is_fence_i: 1,
        /// Writes rd (not x0) at the end of S7.
        writes: 1,
        /// The result is the low word of the path's mask.
        reads_mask: 1,
        /// The result is the high word of the path's mask, which only wide warps have.
        reads_mask_high: usize::from(shape.threads > 32),
        /// One call deeper.
        calls: 1,
        /// One call less deep.
        returns: 1,
        /// The word is `ret`, at which paths may reconverge.
        is_ret: usize::from(shape.reconverges),
        /// Target of a branch or `jal`; of everything else but `jalr`, the next instruction.
        target: PC,
        /// The target of a branch or `jal` is not a multiple of 4.
        target_misaligned: 1,
        /// The value of `auipc`; of everything else, the next instruction.
        pc_value: PC,
        /// The instruction itself is at fault.
        faults: 1,
        /// Why.
        cause: 4,
    }
}

rtl::bundle! {
    /// The path in charge of a slot.
    pub struct Path(shape: &Shape) {
        /// Whether a thread of it lives.
        valid: 1,
        /// Its next instruction.
        pc: shape.pc_bits,
        /// Its call depth.
        depth: shape.depth_bits,
        /// Its threads.
        mask: shape.threads,
        /// Whether it waits at a barrier.
        parked: 1,
    }
}

rtl::bundle! {
    /// What S7 found out, for the divergence unit in S8.
    pub struct Resolve(shape: &Shape) {
        /// Whether an instruction committed.
        valid: 1,
        /// Its warp.
        warp: shape.warp_bits(),
        /// Its slot.
        slot: shape.slot_bits(),
        /// Where the threads of path `a` go.
        a_pc: shape.pc_bits,
        /// Their call depth.
        a_depth: shape.depth_bits,
        /// The threads: those served, or a branch's taken ones.
        a_mask: shape.threads,
        /// They park at the barrier.
        a_parked: 1,
        /// Where the threads of path `b` go.
        b_pc: shape.pc_bits,
        /// Their call depth.
        b_depth: shape.depth_bits,
        /// The threads: those to be replayed, or a branch's others.
        b_mask: shape.threads,
        /// No instruction committed: b is the slot's path as it was, and gives way. Only where the unit rotates.
        rotates: usize::from(shape.rotates),
        /// That path is parked.
        b_parked: usize::from(shape.rotates),
        /// It is a memory instruction: b is what remains of the same path. Only for stacks, to which that is no divergence.
        is_memory: usize::from(shape.reconverges),
        /// The instruction's entry of the reconvergence table.
        reconvergence: shape.reconvergence_bits(),
        /// Threads that end.
        exit_mask: shape.threads,
    }
}

rtl::bundle! {
    /// One transaction on its way to memory or console.
    pub struct Request(shape: &Shape) {
        /// `dmem_req_op`.
        op: 4,
        /// Number of the line.
        line: shape.line_number_bits(),
        /// Tag of a load.
        tag: shape.tag_bits(),
        /// The thread of a reservation: the leader.
        hart: if shape.has(&A) { shape.warp_bits() + shape.lane_bits() } else { 0 },
        /// The positions of the line that a lane of the same number asks for. One thread is the leader.
        direct: if shape.threads > 1 { shape.threads } else { 0 },
        /// It is a store of those lanes' words, too. Known later than who they are.
        together: usize::from(shape.threads > 1),
        /// The position that has the leader's word.
        position: shape.lane_bits(),
        /// The bytes of it that are written: none of a load.
        bytes: 4,
        /// What they are, at every offset that they could have.
        leaders: 32,
        /// The words of all lanes.
        words: if shape.threads > 1 { shape.line_bits() } else { 0 },
    }
}

impl Request {
    /// The bytes of the line that are written, or the word of an atomic operation: of each lane on a wire `name`.
    pub fn mask(&self, m: &Builder, shape: &Shape, name: &str) -> Expr {
        if self.direct.width() == 0 {
            return self.bytes.clone();
        }
        let leaders = |lane: usize| self.bytes.when(&self.position.is_part(lane));
        m.wire_each(shape.lanes(), name, |lane| self.own(lane).repeat(4) | leaders(lane))
    }

    /// The line on a wire `name`: each word is its own lane's or the leader's.
    pub fn data(&self, m: &Builder, shape: &Shape, name: &str) -> Expr {
        if self.direct.width() == 0 {
            return m.wire(name, &self.leaders);
        }
        m.wire_each(shape.lanes(), name, |lane| self.own(lane).mux(&self.words.lane(lane, 32), &self.leaders))
    }

    /// Whether a position of the line has the word of its own lane.
    fn own(&self, lane: usize) -> Expr {
        self.direct.bit(lane) & &self.together
    }
}

rtl::bundle! {
    /// Where the result of a load, an atomic operation, a multiplication or a division goes.
    pub struct LateResult(shape: &Shape) {
        /// Warp that waits.
        warp: shape.warp_bits(),
        /// Slot that committed it.
        slot: shape.slot_bits(),
        /// Destination register.
        rd: 5,
        /// Its entry of the scoreboard.
        entry: shape.entry_bits(),
        /// Lanes served.
        served: shape.threads,
        /// Number of the commit, for the trace.
        number: if shape.trace { 32 } else { 0 },
    }
}

rtl::bundle! {
    /// How the line that answers a load becomes a value in each lane.
    pub struct Alignment(shape: &Shape) {
        /// Width and sign.
        funct3: 3,
        /// Lanes whose word is the one at their own position in the line.
        direct: shape.threads,
        /// Byte offset in each lane's word.
        offsets: 2 * shape.threads,
    }
}
