//! S7, branch and coalesce: validates the instruction against its path, and says what each lane does.
//!
//! Enters: the results of S6 and the path in charge of the slot. An instruction commits if its epoch is its slot's, the
//! path is not parked, and it is not at fault; its pc is the path's then, as S8 sees to. Otherwise it is squashed and
//! nothing is written (but of an instruction at fault the registers, which nobody reads any more: the core halts).
//! Leaves, at the end of the stage: the registers of the served lanes, at most one memory request, the fault, and for S8
//! the new paths a and b. Never stalls.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, MemoryStyle, Module, concat, encode, increment, join, lit, lowest_one,
    ones, zeros,
};
use weft_config::extension::A;
use weft_trace::{CommitPorts, SquashPorts};

use super::context::{Written, join_context};
use super::resource::{REQUEST, Reservations, TAG};
use super::s4_collect::{RegisterWrite, register_row};
use crate::formal::{points, points_exist};
use crate::memory::coalescer;
use crate::memory::map::in_ram;
use crate::shape::{CONSOLE, DEPTH, PC, Shape};
use crate::signals::{Alignment, Control, LateResult, Meta, Path, Request, Resolve};
use crate::trace::Traced;

/// Elaborates the stage.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let threads = shape.threads;
    let coalescer = coalescer::elaborate(shape)?;
    let m = Builder::new("s7_commit", "S7, branch and coalesce: validation, branch targets, one memory transaction.");
    m.port_group("instruction, control and results from S6");
    let meta = Meta::inputs(&m, shape, "s7");
    let control = Control::inputs(&m, shape, "s7");
    let reserved = Reservations::inputs(&m, shape, "reserved_s7");
    let result = m.input("result_s7", shape.line_bits());
    let uniform = m.input("uniform_s7", 32);
    let addresses = m.input("address_s7", shape.line_bits());
    let taken = m.input("taken_s7", threads);
    let store = m.input("store_s7", shape.line_bits());
    m.port_group("the leader of the path's threads, which S6 elected, and its address");
    let leader = m.input("leader_s7", threads);
    let leader_number = m.input("leader_number_s7", shape.lane_bits());
    let leader_address = m.input("leader_address_s7", 32);
    m.port_group("the path it must belong to, and whether it is of its slot's epoch");
    let path = Path::inputs(&m, shape, "path");
    let gives_way = m.input("gives_way", 1);
    let leaves_at_ret = m.input("leaves_at_ret", usize::from(shape.reconverges));
    let epoch_is_present = m.input("epoch_is_present", 1);
    let halted = m.input("halted", 1);
    m.port_group("tag for a load, number of the commit");
    let tag = m.input("free_tag", shape.tag_bits());
    let number = m.input("commits", 64);

    m.comment("Validation.");
    let gives_way =
        if shape.reconverges { m.wire("leaves", &(gives_way | (&leaves_at_ret & &control.is_ret))) } else { gives_way };
    let word = &meta.instruction;
    let matches = &meta.valid & m.fault("ignores_the_epoch", &epoch_is_present, &ones(1));
    let matches = m.wire("on_path", &matches);
    let path_runs = m.wire("path_runs", &(&path.valid & !&path.parked & !&gives_way & !&halted));
    let valid = m.wire("validated", &(&matches & &path_runs));
    let rotates = m.wire("rotates", &(&matches & &gives_way & !&halted));
    if shape.formal {
        m.assert("of_its_epoch_is_at_its_path", &(!(&valid | &rotates) | meta.pc.eq(&path.pc)));
    }
    // What is said of an instruction that is squashed does not matter: neither writes, nor requests, nor paths are taken.
    let active = path.mask.clone();

    m.comment("Memory: faults of every active lane, before any is served.");
    let (is_memory, is_load) = (reserved.of(&REQUEST), reserved.of(&TAG));
    let is_store = m.wire("is_store", &(&is_memory & !&is_load));
    let size = word.slice(12, 2);
    let per_lane =
        |name: &str, f: &dyn Fn(&Expr) -> Expr| m.wire_each(shape.lanes(), name, |lane| f(&addresses.lane(lane, 32)));
    let misaligned = per_lane("misaligned", &|a| &is_memory & ((a.bit(0) & size.any()) | (a.bit(1) & size.bit(1))));
    let at_console = per_lane("at_console", &|a| a.is(u64::from(CONSOLE)));
    let mapped = per_lane("in_ram", &|a| in_ram(shape, a)) | at_console.when(&!&control.is_atomic);
    let unmapped = m.wire("unmapped", &(!mapped).when(&is_memory));
    let offsets = per_lane("offsets", &|a| a.slice(0, 2));
    let to_target = &control.is_jal.repeat(threads) | taken.when(&control.is_branch);
    let target_misaligned = m.wire("target_misaligned", &to_target.when(&control.target_misaligned));
    let jump_misaligned = m.wire_each(shape.lanes(), "jump_misaligned", |lane| {
        (&control.is_jalr & offsets.bit(2 * lane + 1)) | target_misaligned.bit(lane)
    });

    m.comment("Fault: the lowest lane at fault; misalignment comes before a missing address.");
    let at_fault = &control.faults.repeat(threads) | &misaligned | &unmapped | &jump_misaligned;
    let fault_lanes = m.wire("fault_lanes", &(&active & at_fault));
    let fault = m.wire("fault", &(&valid & fault_lanes.any()));
    let fault_one = m.wire("fault_lane_one", &lowest_one(&fault_lanes));
    let of_the_lane = &fault_one & &misaligned;
    let is_misaligned = m.fault("misalignment_of_any_lane_is_the_cause", &of_the_lane, &misaligned).any();
    // 4 load misaligned, 5 load access, 6 store misaligned, 7 store access; only LR counts as a load of the atomics
    let reads_only = control.memory_op.slice(2, 2).none() & !control.memory_op.bit(0);
    let memory_cause = concat([&lit(2, 1), &!reads_only, &!is_misaligned]);
    let cause = control.faults.mux(&control.cause, &is_memory.mux(&memory_cause, &lit(4, 0)));
    let commit = m.wire("commit", &(&valid & !&fault));

    m.comment("One transaction for the leader and those it serves as well.");
    let transaction = m.instance("coalescer", &coalescer);
    transaction.input("active", &active).input("address", &addresses).input("store", &store);
    transaction.input("leader", &leader).input("leader_number", &leader_number);
    transaction.input("leader_address", &leader_address);
    transaction.input("is_store", &is_store).input("size", &size).input("is_atomic", &control.is_atomic);
    let line = transaction.output("line");
    let leader_word = transaction.output("leader_word");
    let direct = transaction.output("direct_lanes");
    let memory_served = transaction.output("served");
    // Below RAM there is the console alone: an access there is one of it, or at fault, and then it does not commit.
    let leader_at_console = m.wire("leader_at_console", &!leader_address.bit(31));

    if shape.formal {
        let asks = &valid & (&is_memory | &control.is_jalr);
        m.assert("s6_elected_the_leader", &(!asks | leader.eq(&lowest_one(&active))));
    }

    m.comment("A jalr serves the lanes that jump where the leader does.");
    let jump_served = transaction.output("jump_lanes");
    let served = m.wire("served", &is_memory.mux(&memory_served, &control.is_jalr.mux(&jump_served, &active)));
    let unserved = &active & !&served;
    let all_but_last = &unserved & !concat([&served.bit(0), &zeros(threads - 1)]);
    let unserved = m.wire("unserved", &m.fault("serving_lane_0_drops_the_last_lane", &unserved, &all_but_last));

    m.comment("Registers, written at the end of S7.");
    let console_load = m.wire("console_load", &(&is_load & &leader_at_console));
    let rd = word.slice(7, 5);
    let writes = m.wire("writes", &(&control.writes | (&console_load & rd.any())));
    let low_word = path.mask.slice(0, threads.min(32)).extend(32).when(&control.reads_mask);
    let high_word = match control.reads_mask_high.width() {
        0 => zeros(32),
        _ => path.mask.from(32).extend(32).when(&control.reads_mask_high),
    };
    let shared = m.wire("shared_value", &(low_word | high_word | uniform));
    let values = m.wire_each(shape.lanes(), "values", |lane| result.lane(lane, 32) | &shared);
    // Of memory only a load of the console writes here: it serves the lanes whose address is the leader's.
    let one_target = m.wire("one_target", &(&control.is_jalr | &is_load));
    let of_path = m.fault("writes_lanes_of_other_paths", &active, &ones(threads));
    let written = m.wire("written", &one_target.mux(&jump_served, &of_path));
    // Whether any lane is at fault is known late. What an instruction at fault writes is read by nobody: the core halts.
    let write = RegisterWrite {
        lanes: written.when(&(&valid & &writes)),
        row: register_row(&meta.warp, &rd),
        data: values.clone(),
    };

    m.comment(
        "Request, and what its load must remember. The tag of a load at fault, and what else was reserved for it, is not\n\
         returned: nothing is issued any more. So only the request itself waits for whether any lane is at fault.",
    );
    let asks = m.wire("asks", &(&is_memory & !&console_load));
    let push = m.wire("push", &(&commit & &asks));
    let takes = m.wire("takes", &(&valid & &asks));
    let writes_memory = m.wire("writes_memory", &(&is_store | &control.is_atomic));
    let request = Request {
        op: control.memory_op.clone(),
        line: line.clone(),
        tag,
        hart: if shape.has(&A) { join([&leader_number, &meta.warp]) } else { zeros(0) },
        direct: direct.slice(0, if threads > 1 { threads } else { 0 }),
        together: if threads > 1 { transaction.output("together") } else { zeros(0) },
        position: leader_word.clone(),
        bytes: transaction.output("leader_bytes_written").when(&writes_memory),
        leaders: transaction.output("leader_data_spread"),
        words: if threads > 1 { store.clone() } else { zeros(0) },
    };
    let late = LateResult {
        warp: meta.warp.clone(),
        slot: meta.slot.clone(),
        rd: rd.clone(),
        entry: meta.entry.clone(),
        served: served.clone(),
        number: if shape.trace { number.slice(0, 32) } else { zeros(0) },
    };
    let alignment = Alignment { funct3: word.slice(12, 3), direct, offsets };

    m.comment("Paths: a goes on, b is replayed or falls through.");
    let a_pc = control.is_jalr.mux(&leader_address.from(2), &control.target);
    let not_taken = &active & !&taken;
    let falls_through = m.fault("lane_0_alone_falls_through", &not_taken, &(&not_taken & lit(threads, 1)));
    let goes_on = control.is_branch.mux(&(&active & &taken), &served);
    // One more, or one less: all ones.
    let step = concat([&control.returns.repeat(DEPTH - 1), &(&control.calls | &control.returns)]);
    let depth = m.wire("depth", &(&path.depth + step));
    let resolve = Resolve {
        valid: &commit | &rotates,
        warp: meta.warp.clone(),
        slot: meta.slot.clone(),
        a_pc,
        a_depth: depth,
        a_mask: goes_on.when(&!(&control.is_exit | &rotates)),
        a_parked: control.is_barrier.clone(),
        b_pc: (&control.is_branch & !&rotates).mux(&control.pc_value, &meta.pc),
        b_depth: path.depth.clone(),
        b_mask: rotates.mux(&path.mask, &control.is_branch.mux(&falls_through, &unserved)),
        exit_mask: active.when(&(&control.is_exit & !&rotates)),
        rotates: rotates.slice(0, usize::from(shape.rotates)),
        b_parked: (&path.parked & &rotates).slice(0, usize::from(shape.rotates)),
        is_memory: is_memory.slice(0, usize::from(shape.reconverges)),
        reconvergence: meta.reconvergence.clone(),
    };

    let kinds = [
        ("load", &is_load & !&control.is_atomic),
        ("atomic", control.is_atomic.clone()),
        ("store", &is_store & !&control.is_atomic),
        ("branch", control.is_branch.clone()),
        ("jal", control.is_jal.clone()),
        ("jalr", control.is_jalr.clone()),
        ("barrier", control.is_barrier.clone()),
        ("exit", control.is_exit.clone()),
        ("fence_i", control.is_fence_i.clone()),
        ("long", reserved.rows().filter(|(row, _)| !row.is_of_memory).fold(zeros(1), |any, (_, bit)| any | bit)),
    ];
    let squashed = &meta.valid & !&valid;
    for (kind, is) in &kinds {
        let found = [
            (format!("{kind}_commits"), &commit & is),
            (format!("{kind}_is_squashed"), &squashed & is & !&control.faults),
        ];
        points(&m, shape, &found);
    }
    if points_exist(shape) {
        m.comment("What the slot committed last.");
        let mut names = kinds.each_ref().map(|(kind, _)| *kind).to_vec();
        names.push("rotation");
        let last: Vec<Expr> = kinds.iter().map(|(_, is)| &commit & is).chain([rotates.clone()]).collect();
        let context = join_context(&meta.warp, &meta.slot);
        let table = m.memory("last_kinds", shape.contexts(), last.len(), MemoryStyle::Distributed);
        table.write(&(&commit | &rotates), &context, &join(&last));
        let last = table.read("last_kind", &context);
        let after = |(number, kind): (usize, &&str)| (format!("a_squash_after_{kind}"), &squashed & last.bit(number));
        points(&m, shape, &names.iter().enumerate().map(after).collect::<Vec<_>>());
    }
    let split = (&active & &taken).any() & not_taken.any();
    let found = [
        ("a_fault_is_squashed", &squashed & &control.faults),
        ("only_the_epoch_differs", &meta.valid & meta.pc.eq(&path.pc) & !&epoch_is_present & &path_runs),
        ("the_path_gives_way", rotates.clone()),
        ("a_console_store", &push & &leader_at_console),
        ("a_branch_splits", &commit & &control.is_branch & &split),
        ("a_branch_is_taken_by_all", &commit & &control.is_branch & not_taken.none()),
        ("a_load_in_parts", &commit & &kinds[0].1 & unserved.any()),
        ("an_atomic_in_parts", &commit & &kinds[1].1 & unserved.any()),
        ("a_store_in_parts", &commit & &kinds[2].1 & unserved.any()),
        ("a_jump_in_parts", &commit & &control.is_jalr & unserved.any()),
        ("a_load_for_many", &commit & &kinds[0].1 & (&served & !&leader).any()),
        ("a_store_for_many", &commit & &kinds[2].1 & (&served & !&leader).any()),
        ("a_barrier_of_some", &commit & &control.is_barrier & !active.all()),
        ("an_exit_of_some", &commit & &control.is_exit & !active.all()),
    ];
    points(&m, shape, &found);

    if shape.formal && shape.reconverges {
        m.port_group("for the rules of the unit");
        m.output("leaves_s7", &gives_way);
    }
    m.port_group("register write");
    write.outputs(&m, "write");
    m.port_group("memory request");
    m.output("push_s7", &push);
    m.output("may_push_s7", &(&meta.valid & &is_memory));
    m.output("to_console_s7", &leader_at_console);
    request.outputs(&m, "request");
    m.output("load_push_s7", &(&takes & &is_load));
    m.output("may_push_load_s7", &(&meta.valid & &is_load));
    m.port_group("where a late result goes, and how a load's becomes a value in each lane");
    late.outputs(&m, "late_s7");
    alignment.outputs(&m, "load");
    m.output("leader_word_load", &leader_word);
    m.port_group("what long-latency units begin");
    // Of them no lane alone is ever at fault.
    let computes = m.wire("computes", &(&valid & !&control.faults));
    let used = Reservations::new(shape, |row| reserved.of(row) & if row.is_of_memory { &takes } else { &computes });
    for (row, used) in used.rows().filter(|(row, _)| !row.is_of_memory) {
        m.output(&format!("{}_used_s7", row.name), used);
    }
    m.port_group("fault");
    m.output("fault_valid_s7", &fault);
    m.output("fault_cause_s7", &cause);
    m.output("fault_pc_s7", &meta.pc);
    m.output("fault_warp_s7", &meta.warp);
    m.output("fault_lane_s7", &encode(&fault_one));
    m.output("commit_s7", &commit);

    m.port_group("for S8: the outcome, and reservations that were not used");
    let resolve_valid = m.register("resolve_valid", 1);
    resolve_valid.next(&resolve.valid).reset(0);
    let mut resolved = resolve.delay(&m, shape, "q");
    resolved.valid = resolve_valid.q();
    resolved.outputs(&m, "s8");
    m.output("predicted_s8", &m.delay("predicted", &meta.predicted));
    let entry_s8 = m.delay("entry", &meta.entry);
    m.output("entry_s8", &entry_s8);
    m.output("fence_i_s8", &m.delay("fence_i", &control.is_fence_i));
    m.output("load_s8", &m.delay("load", &is_load));
    let flag = |name: &str, value: &Expr| {
        let register = m.register(name, 1);
        register.next(value).reset(0);
        register.q()
    };
    let unused = Reservations::new(shape, |row| {
        m.wire(&format!("{}_unused_s7", row.name), &(&meta.valid & reserved.of(row) & !used.of(row)))
    });
    Reservations::new(shape, |row| flag(&format!("{}_unused", row.name), &unused.of(row))).outputs(&m, "unused_s8");
    // Of its own register: it decides at the start of S8 who writes the register file.
    let calls_off = flag("result_unused", &(rd.any() & unused.any_late()));
    let context = m.delay("context_q", &join_context(&meta.warp, &meta.slot));
    Written { valid: calls_off, context, entry: entry_s8 }.outputs(&m, "unused_s8");

    if shape.trace {
        m.port_group("trace");
        let previous = Previous::declare(&m, shape, &meta, &commit, &unserved);
        let splits = (&active & &taken).any() & not_taken.any();
        let divergent =
            (&control.is_branch & splits) | (&control.is_jalr & unserved.any() & !previous.partial_at_this_pc);
        let op = &control.memory_op;
        let traced_op = m.wire(
            "traced_op",
            &leader_at_console.mux(&lit(4, 3), &control.is_atomic.mux(&increment(op, 2), &increment(op, 1))),
        );
        let to_console = &push & &leader_at_console;
        let data = request.data(&m, shape, "traced_data");
        let traced = CommitPorts {
            // In S8: the register of the outcome, which reset clears.
            valid: zeros(1),
            warp: meta.warp.clone(),
            slot: meta.slot.clone(),
            pc: meta.pc.clone(),
            instruction: word.clone(),
            mask: active.clone(),
            served: served.clone(),
            number: number.slice(0, 32),
            rd: rd.when(&(&control.writes | reserved.any_late())),
            writes: &writes | &control.is_exit,
            values,
            memory: traced_op.when(&push),
            memory_address: concat([&line, &zeros(2 + shape.lane_bits())]),
            memory_data: to_console.mux(&data.slice(0, 8).extend(shape.line_bits()), &data),
            memory_mask: to_console.mux(&lit(4 * threads, 1), &request.mask(&m, shape, "traced_mask")),
            divergent,
        };
        let mut traced = Traced::of(shape, &traced).delay(&m, shape, "q");
        traced.0.valid = &resolved.valid & resolved.rotates.none();
        traced.outputs(&m, "s8");
        let squashes = m.fault("reports_commits_as_squashes", &squashed, &meta.valid);
        let squashes = m.fault("reports_no_squash", &squashes, &zeros(1));
        let squash = SquashPorts { valid: squashes, warp: meta.warp.clone() };
        Traced::of(shape, &squash).outputs(&m, "s7");
    }
    m.finish()
}

/// Whether the commit before this one of its slot was a part of the same instruction (only the trace asks).
struct Previous {
    partial_at_this_pc: Expr,
}

impl Previous {
    fn declare(m: &Builder, shape: &Shape, meta: &Meta, commit: &Expr, unserved: &Expr) -> Self {
        let contexts = shape.contexts();
        let context = join_context(&meta.warp, &meta.slot);
        let partial = m.register("previous_partial", contexts);
        let one = m.wire("commit_one", &rtl::decode(&context, contexts).when(commit));
        let now = unserved.any().repeat(contexts);
        partial.next(&((&one & now) | (!&one & &*partial))).reset(0);
        let pcs = m.memory("previous_pcs", contexts, PC, MemoryStyle::Distributed);
        pcs.write(commit, &context, &meta.pc);
        let pc = pcs.read("previous_pc", &context);
        Self { partial_at_this_pc: partial.index(&context) & pc.eq(&meta.pc) }
    }
}
