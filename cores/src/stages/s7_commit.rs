//! S7, branch and coalesce: validates the instruction against its path, and decides what each lane does.
//!
//! Enters: the results of S6, and the active path of the slot. An instruction commits if its epoch is the slot's
//! epoch, the path is not parked, and no lane is at fault. S8 ensures that its pc is the path's pc. Otherwise it is
//! squashed and writes nothing. Only an instruction at fault, and those after it, can still write registers, which
//! nothing reads any more, because the core halts. Leaves, at the end of the stage: the registers of the served lanes,
//! at most one memory request, the fault, and for S8 the new paths a and b. Never stalls.
//!
//! Other files: `s7_faults`, the lanes at fault; `s7_access`, the served lanes and their request; `s7_end`, the end of
//! the run; `s7_spin`, loops that only wait; `s7_points`, coverage points; `s7_trace`, the trace port. This file: validation,
//! registers, paths, and the outputs.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, join, lit, ones, zeros};

use super::context::{Written, join_context};
use super::decoder::Fields;
use super::resource::{REQUEST, Reservations, Resource, TAG};
use super::s4_collect::{RegisterWrite, register_row};
use super::s7_access::{Requested, Service, late_result};
use super::s7_csrs::Csrs;
use super::s7_faults::Faults;
use super::{s7_end, s7_points, s7_spin, s7_trace};
use crate::memory::coalescer;
use crate::memory::map::{at_scratchpad, interleaves};
use crate::shape::{DEPTH, Shape};
use crate::signals::{Alignment, Control, Meta, Path, Resolve};

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let coalescer = coalescer::elaborate(shape)?;
    let m = Builder::new("s7_commit", "S7, branch and coalesce: validation, branch targets, one memory transaction.");
    m.timing(
        "register write, request and fault are combinational in S7; outcome and unused reservations are registered \
         at the end of S7, for S8. S3 has reserved all that the instruction takes, so it never stalls.",
    );
    let inputs = Inputs::declare(&m, shape).with_idle_lanes(&m, shape);
    let validation = Validation::of(&m, shape, &inputs);
    let faults = Faults::of(&m, shape, &inputs, &validation.valid);
    let commits = m.wire("commit", &(&validation.valid & !&faults.any));
    let service = Service::of(&m, shape, &inputs, &validation.valid, &coalescer);
    let csrs = Csrs::of(&m, shape, &inputs, &commits);
    let registers = Registers::of(&m, shape, &inputs, &validation.writes, &service, &csrs);
    let decided = [&validation.valid, &commits];
    let requested = Requested::of(&m, shape, &inputs, decided, &service, &registers.console_load);
    let commit = Commit { inputs, validation, faults, commits, service, csrs, registers, requested };
    let resolve = commit.resolve(&m, shape);
    s7_points::state(&m, shape, &commit);

    if shape.formal && shape.reconverges {
        m.port_group("for the rules of the unit");
        m.output("leaves_s7", &commit.validation.leaves);
    }
    commit.outputs(&m, shape);
    let used = commit.used(&m, shape);
    let resolved = commit.outcome(&m, shape, &resolve, &used);
    if shape.trace {
        s7_trace::outputs(&m, shape, &commit, &resolved);
    }
    m.finish()
}

rtl::inputs! {
    pub struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "instruction, control and results from S6"]
        pub meta: Meta = Meta::inputs(m, shape, "s7"),
        pub fields: Fields = Fields::declare(m, &meta.instruction),
        pub control: Control = Control::inputs(m, shape, "s7"),
        pub reserved: Reservations = Reservations::inputs(m, shape, "reserved_s7"),
        /// It is a store: a memory instruction without a tag.
        pub is_store: Expr = m.wire("is_store", &(reserved.of(&REQUEST) & !reserved.of(&TAG))),
        result: Expr = m.input("result_s7", shape.line_bits()),
        /// The value that is the same in all lanes, and is joined to the results.
        uniform: Expr = m.input("uniform_s7", 32),
        pub addresses: Expr = m.input("address_s7", shape.line_bits()),
        /// The lanes whose address may be accessed.
        pub mapped: Expr = m.input("mapped_s7", shape.threads),
        /// The lanes whose address is in the stacks.
        pub in_stacks: Expr = m.input("in_stacks_s7", if interleaves(shape) { shape.threads } else { 0 }),
        /// The lanes in which the branch condition holds.
        pub taken: Expr = m.input("taken_s7", shape.threads),
        pub store: Expr = m.input("store_s7", shape.line_bits()),
        #[group = "the leader of the path's threads, which S6 elected, and its address"]
        /// The leader, one-hot.
        pub leader: Expr = m.input("leader_s7", shape.threads),
        pub leader_number: Expr = m.input("leader_number_s7", shape.lane_bits()),
        pub leader_address: Expr = m.input("leader_address_s7", 32),
        #[group = "the path it must belong to, and whether its epoch is its slot's"]
        pub path: Path = Path::inputs(m, shape, "path"),
        /// That path yields.
        gives_way: Expr = m.input("path_gives_way", 1),
        /// That path yields at a `ret`; no bits where paths do not reconverge.
        leaves_at_ret: Expr = m.input("path_leaves_at_ret", usize::from(shape.reconverges)),
        /// The epoch of the instruction is its slot's epoch.
        pub epoch_is_present: Expr = m.input("epoch_is_present_s7", 1),
        halted: Expr = m.input("halted", 1),
        /// The level of the warp at the barrier, and whether a thread of it waits there.
        pub level: Expr = m.input("level_s7", shape.level_bits()),
        pub waits: Expr = m.input("waits_s7", 1),
        /// A warp starts.
        pub start_valid: Expr = m.input("start_warp_valid", usize::from(shape.fair_after > 0 || shape.trace)),
        pub start_warp: Expr = m.input("start_warp", start_valid.width() * shape.warp_bits()),
        #[group = "tag for a load, number of the commit"]
        pub tag: Expr = m.input("free_tag", shape.tag_bits()),
        pub number: Expr = m.input("commits", 64),
    }
}

impl Inputs {
    /// What lanes outside the path hold must not matter. A core with one of these faults behaves as one without.
    fn with_idle_lanes(mut self, m: &Builder, shape: &Shape) -> Self {
        let (active, leader_address) = (self.path.mask.clone(), self.leader_address.clone());
        for (point, word) in [("idle_lanes_hold_ones", ones(32)), ("idle_lanes_follow_the_leader", leader_address)] {
            for words in [&mut self.result, &mut self.addresses, &mut self.store] {
                let kept = |lane: usize| active.bit(lane).mux(&words.lane(lane, 32), &word);
                let held = join((0..shape.threads).map(kept));
                *words = m.fault(point, words, &held);
            }
            self.taken = m.fault(point, &self.taken, &(&self.taken | !&active));
        }
        self
    }

    /// The threads of the path. For a squashed instruction they do not matter, because its writes, requests and
    /// paths are ignored.
    pub fn active(&self) -> &Expr {
        &self.path.mask
    }

    pub fn is_memory(&self) -> Expr {
        self.reserved.of(&REQUEST)
    }

    /// Whether memory answers the instruction.
    pub fn is_load(&self) -> Expr {
        self.reserved.of(&TAG)
    }

    pub fn rd(&self) -> Expr {
        self.fields.rd.clone()
    }

    /// The threads of the path that do not take a branch.
    pub fn not_taken(&self) -> Expr {
        self.active() & !&self.taken
    }

    /// Whether threads of the path take a branch.
    fn any_taken(&self) -> Expr {
        (self.active() & &self.taken).any()
    }

    /// Whether a branch divides the threads of the path.
    pub fn splits(&self) -> Expr {
        self.any_taken() & self.not_taken().any()
    }
}

pub struct Validation {
    /// Its path yields, here or at a `ret`.
    leaves: Expr,
    pub path_runs: Expr,
    /// It commits, unless it is at fault.
    pub valid: Expr,
    /// The same for its registers, but known earlier: the core may have halted, because nothing reads them then, and
    /// `ret` writes none.
    writes: Expr,
    /// Its path yields, and the instruction does not run.
    pub rotates: Expr,
}

impl Validation {
    fn of(m: &Builder, shape: &Shape, inputs: &Inputs) -> Self {
        m.comment("Validation. S8 leaves no instruction of the present epoch to a parked path.");
        let Inputs { meta, control, path, gives_way, leaves_at_ret, epoch_is_present, halted, .. } = inputs;
        let on_path = &meta.valid & m.fault("ignores_the_epoch", epoch_is_present, &ones(1));
        let on_path = m.wire("on_path", &on_path);
        let writes = m.wire("may_write", &(&on_path & &path.valid & !gives_way));
        let leaves = if shape.reconverges {
            m.wire("leaves", &(gives_way | (leaves_at_ret & &control.is_ret)))
        } else {
            gives_way.clone()
        };
        let path_runs = m.wire("path_runs", &(path.can_run() & !&leaves & !halted));
        let valid = m.wire("validated", &(&on_path & &path_runs));
        let rotates = m.wire("rotates", &(&on_path & &leaves & !halted));
        if shape.formal {
            m.assert("of_its_epoch_is_at_its_path", &(!(&valid | &rotates) | meta.pc.eq(&path.pc)));
            m.assert("no_path_of_its_epoch_is_parked", &(!&writes | halted | !&path.parked));
        }
        Self { leaves, path_runs, valid, writes, rotates }
    }
}

/// What is written to the registers at the end of S7.
pub struct Registers {
    /// The load reads the console, and is answered here.
    console_load: Expr,
    pub writes: Expr,
    pub write: RegisterWrite,
}

impl Registers {
    fn of(m: &Builder, shape: &Shape, inputs: &Inputs, valid: &Expr, service: &Service, csrs: &Csrs) -> Self {
        m.comment("Registers, written at the end of S7.");
        let Inputs { meta, control, path, result, uniform, .. } = inputs;
        let console_load = m.wire("console_load", &(inputs.is_load() & &service.at_console));
        let rd = inputs.rd();
        let writes = m.wire("writes", &(&control.writes | (&console_load & rd.any())));
        let low_word = path.mask.slice(0, shape.threads.min(32)).extend(32).when(&control.reads_mask);
        let high_word = match control.reads_mask_high.width() {
            0 => zeros(32),
            _ => path.mask.from(32).extend(32).when(&control.reads_mask_high),
        };
        let shared = m.wire("shared_value", &(low_word | high_word | &csrs.read | uniform));
        let values = m.wire_each(shape.lanes(), "values", |lane| result.lane(lane, 32) | &shared);
        let of_path = m.fault("writes_lanes_of_other_paths", inputs.active(), &ones(shape.threads));
        let to_path = m.wire("writes_path", &(valid & &control.writes & !&control.is_jalr));
        // Of the memory instructions only a console load writes here. Like a `jalr` it serves the lanes with the
        // leader's address, which are the last to be known.
        let one_target = m.wire("one_target", &(&control.is_jalr | inputs.is_load()));
        let to_target = m.wire("writes_target", &(valid & &writes & &one_target));
        let lanes = of_path.when(&to_path) | service.with_leader.jump.when(&to_target);
        let write = RegisterWrite { lanes, row: register_row(&meta.warp, &rd), data: values };
        Self { console_load, writes, write }
    }
}

pub struct Commit {
    pub inputs: Inputs,
    pub validation: Validation,
    pub faults: Faults,
    pub commits: Expr,
    pub service: Service,
    pub csrs: Csrs,
    pub registers: Registers,
    pub requested: Requested,
}

impl Commit {
    pub fn squashed(&self) -> Expr {
        &self.inputs.meta.valid & !&self.validation.valid
    }

    fn resolve(&self, m: &Builder, shape: &Shape) -> Resolve {
        m.comment("Paths: a continues, b is replayed or falls through.");
        let Inputs { meta, control, path, .. } = &self.inputs;
        let active = self.inputs.active();
        // Whether the path yields is known earlier than `rotates`, which differs only if the outcome is not valid.
        let leaves = &self.validation.leaves;
        let a_pc = control.is_jalr.mux(&self.inputs.leader_address.from(2), &control.target);
        let not_taken = self.inputs.not_taken();
        let falls_through = m.fault("lane_0_alone_falls_through", &not_taken, &(&not_taken & lit(shape.threads, 1)));
        let takes = active & (&self.inputs.taken | (!&control.is_branch).repeat(shape.threads));
        let some_take = !&control.is_branch | self.inputs.any_taken();
        let some_take = m.fault("a_branch_that_none_takes_has_a_taken_side", &some_take, &ones(1));
        let ends = &control.is_exit & !leaves;
        let goes_on = self.service.with_leader.serves(&self.inputs, &takes, &!(&control.is_exit | leaves));
        // The depth increases by one, or decreases by one: all ones.
        let step = concat([&control.returns.repeat(DEPTH - 1), &(&control.calls | &control.returns)]);
        let depth = m.wire("depth", &(&path.depth + step));
        // Unserved threads are late. No branch has any.
        let remains = self.service.unserved.when(&!leaves);
        let stays = leaves.mux(&path.mask, &falls_through.when(&control.is_branch));
        let ends_turn = if shape.takes_turns {
            s7_spin::yields(m, shape, &self.inputs, &self.validation.valid, &not_taken.any())
        } else {
            zeros(0)
        };
        // Of a path that yields, only the rotation counts.
        let b_pc = (&control.is_branch & !leaves).mux(&control.pc_value, &meta.pc);
        let a_depth = control.writes_depth.mux(&self.inputs.fields.rs1.extend(DEPTH), &depth);
        let named = |name: &str, at: Expr| if shape.compares_ahead { m.wire(name, &at) } else { at };
        Resolve {
            valid: &self.commits | &self.validation.rotates,
            warp: meta.warp.clone(),
            slot: meta.slot.clone(),
            a_pc: named("a_pc", a_pc),
            a_depth: named("a_depth", a_depth),
            a_mask: goes_on,
            a_parked: control.is_barrier.clone(),
            b_pc: named("b_pc", b_pc),
            b_depth: path.depth.clone(),
            b_mask: remains | stays,
            exit_mask: active.when(&ends),
            a_goes: (&some_take & !(&control.is_exit | leaves)).slice(0, usize::from(shape.reconverges)),
            ends: ends.slice(0, usize::from(shape.reconverges)),
            rotates: self.validation.rotates.slice(0, usize::from(shape.rotates)),
            b_parked: (&path.parked & leaves).slice(0, shape.b_parked_bits()),
            is_memory: self.inputs.is_memory().slice(0, usize::from(shape.reconverges)),
            in_parts: ((self.inputs.is_memory() | &control.is_jalr) & !leaves).slice(0, usize::from(shape.takes_turns)),
            yields: ends_turn & !leaves.slice(0, usize::from(shape.takes_turns)),
            reconvergence: meta.reconvergence.clone(),
        }
    }

    /// The outputs in S7 itself.
    fn outputs(&self, m: &Builder, shape: &Shape) {
        let Inputs { meta, .. } = &self.inputs;
        let Requested { push, takes, request } = &self.requested;
        m.port_group("register write");
        self.registers.write.outputs(m, "s7");
        m.port_group("memory request");
        m.output("push_s7", push);
        m.output("may_push_s7", &(&meta.valid & self.inputs.is_memory()));
        m.output("to_console_s7", &self.service.at_console);
        if shape.has_scratchpad() {
            m.output("to_scratchpad_s7", &at_scratchpad(shape, &self.inputs.leader_address));
        }
        request.outputs(m, "request");
        m.output("load_push_s7", &(takes & self.inputs.is_load()));
        m.output("may_push_load_s7", &(&meta.valid & self.inputs.is_load()));
        m.port_group("the destination of a long-latency result, and how a load's word becomes a value in each lane");
        late_result(shape, &self.inputs, &self.service).outputs(m, "late_s7");
        self.alignment(shape).outputs(m, "load");
        if shape.routes_loads() {
            m.output("positions_load", &self.service.positions);
        } else {
            m.output("leader_word_load", &self.service.leader_word);
        }
        m.output("commit_s7", &self.commits);
        m.output("unserved_s7", &self.service.unserved);
        s7_end::outputs(m, shape, self);
    }

    /// What a load must remember for its answer.
    fn alignment(&self, shape: &Shape) -> Alignment {
        let (funct3, offsets) = (self.inputs.fields.funct3.clone(), self.faults.offsets.clone());
        let direct = if shape.routes_loads() { zeros(0) } else { self.service.direct.clone() };
        Alignment { funct3, direct, offsets }
    }

    /// The reservations that the instruction uses.
    fn used(&self, m: &Builder, shape: &Shape) -> Reservations {
        m.port_group("starts of the long-latency units");
        // In these instructions no single lane can be at fault.
        let computes = m.wire("computes", &(&self.validation.valid & !&self.inputs.control.faults));
        let used = Reservations::new(shape, |row| {
            self.inputs.reserved.of(row) & if row.is_of_memory { &self.requested.takes } else { &computes }
        });
        for (row, used) in used.rows().filter(|(row, _)| !row.is_of_memory) {
            m.output(&format!("{}_used_s7", row.name), used);
        }
        used
    }

    /// The registered outputs, for S8: the outcome, which is returned, and the reservations that were not used.
    fn outcome(&self, m: &Builder, shape: &Shape, resolve: &Resolve, used: &Reservations) -> Resolve {
        m.port_group("for S8: the outcome, and reservations that were not used");
        let Inputs { meta, control, reserved, .. } = &self.inputs;
        let valid = m.delay_reset("resolve_valid", &resolve.valid);
        let resolved = Resolve { valid, ..resolve.delay(m, shape, "q") };
        resolved.outputs(m, "s8");
        if shape.compares_ahead {
            m.output("a_pc_s7", &resolve.a_pc);
            m.output("b_pc_s7", &resolve.b_pc);
        }
        if shape.reconverges {
            let step = &control.calls | &control.returns;
            let written = self.inputs.fields.rs1.extend(DEPTH).eq(&self.inputs.path.depth);
            m.output("a_depth_s7", &resolve.a_depth);
            m.output("a_keeps_depth_s7", &control.writes_depth.mux(&written, &!step));
        }
        m.output("predicted_s8", &m.delay("predicted", &meta.predicted));
        self.csrs.level.delay(m, shape, "q").outputs(m, "level_s8");
        let entry_s8 = m.delay("entry", &meta.entry);
        m.output("entry_s8", &entry_s8);
        m.output("fence_i_s8", &m.delay("fence_i", &control.is_fence_i));
        if shape.has_dcache() {
            m.output("empties_data_s8", &m.delay("empties_data", &control.empties_data));
        }
        m.output("load_s8", &m.delay("load", &self.inputs.is_load()));
        let unused = Reservations::new(shape, |row| {
            m.wire(&format!("{}_unused_s7", row.name), &(&meta.valid & reserved.of(row) & !used.of(row)))
        });
        let unused_s8 = |row: &Resource| m.delay_reset(&format!("{}_unused", row.name), &unused.of(row));
        Reservations::new(shape, unused_s8).outputs(m, "unused_s8");
        // It has its own register, because it decides at the start of S8 which stage writes the register file.
        let calls_off = m.delay_reset("result_unused", &(self.inputs.rd().any() & unused.any_late()));
        // Many others read the registers of the warp and the slot. A reset keeps these apart from them.
        let context = m.delay_reset("context_q", &join_context(&meta.warp, &meta.slot));
        Written { valid: calls_off, context, entry: entry_s8 }.outputs(m, "unused_s8");
        resolved
    }
}
