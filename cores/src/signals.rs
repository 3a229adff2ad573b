//! The bundles that travel between stages. Each is defined once; the stage is a suffix of its nets.

use rtl::{Builder, Bundle, Expr, ones, zeros};
use weft_config::extension::{A, M};

use crate::isa::Acts;
use crate::memory::store_switch::Writers;
use crate::shape::{PC, Shape};
use crate::stages::s7_spin::Step;

/// Delays a value, in registers `name_later_1` and up.
pub fn delay_by(m: &Builder, name: &str, value: &Expr, cycles: usize) -> Expr {
    (1..=cycles).fold(value.clone(), |value, cycle| m.delay(&format!("{name}_later_{cycle}"), &value))
}

/// Delays a one-bit value; 0 after reset.
pub fn flag_delay_by(m: &Builder, name: &str, value: &Expr, cycles: usize) -> Expr {
    (1..=cycles).fold(value.clone(), |value, cycle| m.delay_reset(&format!("{name}_later_{cycle}"), &value))
}

/// The instruction that a divergence unit has settled.
pub struct Settled {
    pub valid: Expr,
    pub warp: Expr,
}

impl Resolve {
    /// The instruction whose next active path is settled now, `delay` cycles after its S8.
    pub fn settled(&self, m: &Builder, delay: usize) -> Settled {
        Settled {
            valid: flag_delay_by(m, "settled_valid", &self.valid, delay),
            warp: delay_by(m, "settled_warp", &self.warp, delay),
        }
    }

    pub fn later(&self, m: &Builder, shape: &Shape, delay: usize) -> Self {
        self.map(shape, &mut |field, value| {
            let name = format!("outcome_{field}");
            if field == "valid" { flag_delay_by(m, &name, value, delay) } else { delay_by(m, &name, value, delay) }
        })
    }
}

rtl::bundle! {
    /// The fields that every instruction carries from S3 to S7.
    pub struct Meta(shape: &Shape) {
        valid: 1,
        warp: shape.warp_bits(),
        slot: shape.slot_bits(),
        /// The entry of the scoreboard, if the result is a long-latency result.
        entry: shape.entry_bits(),
        /// The pc without bits 1:0.
        pc: PC,
        /// The next pc that S2 predicted.
        predicted: PC,
        instruction: 32,
        /// The instruction's entry of the reconvergence table.
        reconvergence: shape.reconvergence_bits(),
    }
}

impl Meta {
    /// The instruction in the next stage; none after reset.
    pub fn next_stage(&self, m: &Builder, shape: &Shape) -> Self {
        let valid = m.delay_reset("valid", &self.valid);
        Self { valid, ..self.delay(m, shape, "q") }
    }
}

rtl::bundle! {
    /// Registers and kind of an instruction, for the hazard checks of S3.
    pub struct Hazards(shape: &Shape) {
        rs1: 5,
        rs2: 5,
        rd: 5,
        uses_rs1: 1,
        uses_rs2: 1,
        /// Whether rd is written and is not x0.
        writes_rd: 1,
        /// It needs a leader, though it accesses no memory: a `jalr`, or a write of a CSR of the warp from a register.
        needs_leader: 1,
        /// The instruction waits until earlier requests are accepted and performed: `fence.i`, `fence` where it matters,
        /// and an access to the CSR that empties the data cache.
        is_fence_i: 1,
    }
}

rtl::bundle! {
    /// Decoded control for S6.
    pub struct LaneControl(shape: &Shape) {
        subtract: 1,
        less_unsigned: 1,
        set_less: 1,
        /// The sum is not the result but an address, or unused.
        no_result: 1,
        /// The result is `pc_value`, in every lane.
        pc_is_value: 1,
        /// Factors of the multiplier that have a sign.
        a_signed: usize::from(shape.has(&M)),
        b_signed: usize::from(shape.has(&M)),
        /// The multiplier shifts.
        shifts_left: usize::from(shape.shifts_by_products()),
        shifts_right: usize::from(shape.shifts_by_products()),
        /// The operations of extensions that produce the result, one bit each.
        selects: shape.lane_operations(Acts::OnResult).len(),
    }
}

rtl::bundle! {
    /// Decoded control for S7.
    pub struct Control(shape: &Shape) {
        is_branch: 1,
        is_jal: 1,
        is_jalr: 1,
        /// An atomic operation, with one transaction per lane.
        is_atomic: 1,
        /// The memory operation (`dmem_req_op`).
        memory_op: 4,
        /// The instruction as a [`Step`] of a loop.
        step: Step::bits(shape),
        is_exit: 1,
        is_barrier: 1,
        is_fence_i: 1,
        /// The instruction empties the data cache: `fence.i`, or the CSR for it.
        empties_data: usize::from(shape.has_dcache()),
        /// The instruction writes rd (not x0) at the end of S7.
        writes: 1,
        /// The write of a CSR of the warp takes the value of the leader, not the rs1 field.
        takes_leader: 1,
        writes_level: 1,
        writes_depth: 1,
        writes_region: usize::from(shape.trace),
        reads_level: 1,
        reads_depth: 1,
        reads_region: usize::from(shape.trace),
        /// The result is the low word of the path's mask.
        reads_mask: 1,
        /// The result is the high word of the path's mask, which only wide warps have.
        reads_mask_high: usize::from(shape.threads > 32),
        /// The call depth increases.
        calls: 1,
        /// The call depth decreases.
        returns: 1,
        /// The word is `ret`, at which paths may reconverge.
        is_ret: usize::from(shape.reconverges),
        /// Target of a branch or `jal`; for all others but `jalr`, the next instruction.
        target: PC,
        /// The target of a branch or `jal` is not a multiple of 4.
        target_misaligned: 1,
        /// The value of `auipc`; for all others, the next instruction.
        pc_value: PC,
        /// The instruction itself is at fault.
        faults: 1,
        cause: 4,
    }
}

rtl::bundle! {
    /// A path, usually the active path of a slot.
    pub struct Path(shape: &Shape) {
        valid: 1,
        pc: shape.pc_bits,
        depth: shape.depth_bits,
        mask: shape.threads,
        /// The path waits at the barrier.
        parked: 1,
    }
}

impl Path {
    /// The path on which all threads of a warp start.
    pub fn start(shape: &Shape, start_pc: &Expr) -> Self {
        Self {
            valid: ones(1),
            pc: shape.start_pc(start_pc),
            depth: zeros(shape.depth_bits),
            mask: ones(shape.threads),
            parked: zeros(1),
        }
    }
}

rtl::bundle! {
    /// The outcome of an instruction, from S7 for the divergence unit in S8.
    pub struct Resolve(shape: &Shape) {
        /// An instruction committed, or a rotation takes place.
        valid: 1,
        warp: shape.warp_bits(),
        slot: shape.slot_bits(),
        /// The next pc of the threads in `a_mask`.
        a_pc: shape.pc_bits,
        a_depth: shape.depth_bits,
        /// Path a: the served threads, or the taken side of a branch.
        a_mask: shape.threads,
        /// Path a parks at the barrier.
        a_parked: 1,
        /// The next pc of the threads in `b_mask`.
        b_pc: shape.pc_bits,
        b_depth: shape.depth_bits,
        /// Path b: the threads to be replayed, or the other side of a branch.
        b_mask: shape.threads,
        /// No instruction committed: b is the unchanged active path, which yields. Only where the unit rotates.
        rotates: usize::from(shape.rotates),
        /// Path b is parked, in a rotation.
        b_parked: shape.b_parked_bits(),
        /// A memory instruction, whose unserved threads are path b. Only for stacks, which do not count this as a
        /// divergence.
        is_memory: usize::from(shape.reconverges),
        /// A memory access or `jalr`: path b are the threads that it has not served. Only where paths run in time slices.
        in_parts: usize::from(shape.takes_turns),
        /// The path should yield to others. Only where paths run in time slices.
        yields: usize::from(shape.takes_turns),
        /// The instruction's entry of the reconvergence table.
        reconvergence: shape.reconvergence_bits(),
        exit_mask: shape.threads,
        /// Whether path a has threads, and whether threads end. Only for stacks, which need this before they could find
        /// it in the masks.
        a_goes: usize::from(shape.reconverges),
        ends: usize::from(shape.reconverges),
    }
}

rtl::bundle! {
    /// Fields of a [`Resolve`] a cycle earlier, in S7, for units that compare them there. Only stacks compare depths.
    pub struct Ahead(shape: &Shape) {
        a_pc: if shape.compares_ahead { shape.pc_bits } else { 0 },
        a_depth: if shape.reconverges { shape.depth_bits } else { 0 },
        /// It is the depth of the path.
        a_keeps_depth: usize::from(shape.reconverges),
        b_pc: if shape.compares_ahead { shape.pc_bits } else { 0 },
        reconvergence: shape.reconvergence_bits(),
    }
}

rtl::bundle! {
    /// The group of warps for which an instruction makes its warp wait at the barrier.
    pub struct Level(shape: &Shape) {
        write: 1,
        /// The level; all ones for all warps.
        value: shape.level_bits(),
    }
}

rtl::bundle! {
    /// One transaction for memory or console.
    pub struct Request(shape: &Shape) {
        op: 4,
        line: shape.line_number_bits(),
        tag: shape.tag_bits(),
        /// The thread of a reservation, which is the leader.
        hart: if shape.has(&A) { shape.warp_bits() + shape.lane_bits() } else { 0 },
        /// The positions of the line that the lane of the same number accesses. A single thread is the leader. No bits
        /// where each lane has a position.
        direct: if shape.threads > 1 && !shape.routes_stores() { shape.threads } else { 0 },
        /// A store writes the words of those lanes too. Known later than `direct`.
        together: usize::from(shape.threads > 1 && !shape.routes_stores()),
        /// The position of the leader's word, or of each lane's.
        position: if shape.routes_stores() { shape.threads } else { 1 } * shape.lane_bits(),
        /// The written bytes of the leader's word, or of each lane's; none for a load.
        bytes: if shape.routes_stores() { 4 * shape.threads } else { 4 },
        /// The leader's data, copied to all offsets. No bits where each lane has a position.
        leaders: if shape.routes_stores() { 0 } else { 32 },
        /// The words of all lanes; where each lane has a position, copied to all offsets.
        words: if shape.threads > 1 { shape.line_bits() } else { 0 },
        /// The row of the scratchpad that each lane accesses, and the served lanes, if there is more than one lane.
        rows: shape.threads * shape.scratchpad_row_bits(),
        served: if shape.has_scratchpad() && shape.threads > 1 { shape.threads } else { 0 },
        /// It goes to a window. A load then has the bytes that it reads as a mask.
        window: usize::from(shape.has_windows()),
    }
}

impl Request {
    /// The written bytes of the line, or the word of an atomic operation, and the line, on two wires with these names.
    pub fn line(&self, m: &Builder, shape: &Shape, [mask, line]: [&str; 2]) -> [Expr; 2] {
        if shape.routes_stores() {
            let writers = Writers::of(m, shape, self, line);
            return [writers.mask.clone(), writers.line(m, shape, &self.words, line)];
        }
        [self.mask(m, shape, mask), self.data(m, shape, line)]
    }

    fn mask(&self, m: &Builder, shape: &Shape, name: &str) -> Expr {
        if self.direct.width() == 0 {
            return self.bytes.clone();
        }
        let leaders = |lane: usize| self.bytes.when(&self.position.is_part(lane));
        m.wire_each(shape.lanes(), name, |lane| self.own(lane).repeat(4) | leaders(lane))
    }

    /// Each word comes from its own lane or from the leader.
    fn data(&self, m: &Builder, shape: &Shape, name: &str) -> Expr {
        if self.direct.width() == 0 {
            return m.wire(name, &self.leaders);
        }
        m.wire_each(shape.lanes(), name, |lane| self.own(lane).mux(&self.words.lane(lane, 32), &self.leaders))
    }

    /// Whether a position of the line gets the word of its own lane. A single thread is the leader.
    pub fn own(&self, lane: usize) -> Expr {
        if self.direct.width() == 0 { zeros(1) } else { self.direct.bit(lane) & &self.together }
    }
}

rtl::bundle! {
    /// The destination of the result of a load, an atomic operation, a multiplication or a division.
    pub struct LateResult(shape: &Shape) {
        warp: shape.warp_bits(),
        /// The slot that committed the instruction.
        slot: shape.slot_bits(),
        rd: 5,
        /// The entry of the scoreboard.
        entry: shape.entry_bits(),
        served: shape.threads,
        /// The number of the commit, for the trace.
        number: if shape.trace { 32 } else { 0 },
    }
}

rtl::bundle! {
    /// How the line that answers a load becomes a value in each lane.
    pub struct Alignment(shape: &Shape) {
        funct3: 3,
        /// The lanes whose word is at their own position in the line. No bits where each lane has a position.
        direct: if shape.routes_loads() { 0 } else { shape.threads },
        /// The byte offset in each lane's word.
        offsets: 2 * shape.threads,
    }
}
