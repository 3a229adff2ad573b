//! The pipeline: the stages, connected by name. It is the core without its memory.
//!
//! A signal has one name, from the port that drives it to every port that reads it. Names of stage signals end in the
//! stage (`pc_s6` is the pc in S6), so a stage is described by its ports. This file adds only the logic between
//! stages.

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, Module, clog2, ones, reduce};
use weft_config::extension::{A, M};
use weft_trace::{Ports as _, ReleasePorts, TracePorts};

use crate::divergence::DivergenceUnit;
use crate::formal::{self, KeptRegister};
use crate::functional::long_results;
use crate::memory::{port, request_queue, scratchpad};
use crate::shape::Shape;
use crate::stages::{
    s0_steer, s1_cached, s1_fetch, s2_predecode, s3_schedule, s4_collect, s4_immediate, s5_decode, s6_execute,
    s6_leader, s7_commit, s8_context, s8_end, s9_gather,
};
use crate::start;
use crate::trace::Traced;

pub fn elaborate(shape: &Shape, unit: &dyn DivergenceUnit) -> Result<Module, ElaborationError> {
    let m = Builder::new(crate::PIPELINE, "The core without its memory.");
    let reset = shape.control.then(|| m.own_reset());
    m.keep_inputs();
    let dmem_idle = declare_ports(&m, shape);
    let control = ControlInputs::declare(&m, shape);
    if let Some(reset) = reset {
        m.drive(&reset, &control.restart);
    }

    m.comment("Start, and the counters that programs read. S7 knows late in its cycle whom it serves.");
    let start = m.instance("start", &start::elaborate(shape)?);
    let halted = m.forward("halted", 1);
    let commit = m.forward("commit_s7", 1);
    let runs = if shape.control { !&control.stop } else { ones(1) };
    m.wire("running", &(start.net("start_done") & !&halted & &runs));
    let [served, unserved] = [("served", "served_late_s7"), ("unserved", "unserved_s7")]
        .map(|(name, net)| m.delay(&format!("{name}_counted"), &m.forward(net, shape.threads)));
    let commits_counted = m.delay_reset("commit_counted", &commit);
    let completes = m.wire("completes", &(&commits_counted & unserved.none()));
    let cycles = m.counter("cycles", 64, &runs);
    let commits = m.counter("commits", 64, &commit);
    let instructions = m.counter("instructions", 64, &completes);
    let lanes: Vec<Expr> = served.lanes(1).iter().map(|lane| lane.extend(clog2(shape.threads + 1))).collect();
    let threads = m.register("thread_instructions", 64);
    let served = reduce(&lanes, &|a, b| a + b).when(&commits_counted);
    threads.next(&(&threads + served.extend(64))).reset(0);

    m.comment("S0 to S3: the front end.");
    let s0 = m.instance("s0", &s0_steer::elaborate(shape)?);
    let s1 = if shape.has_icache() { s1_cached::elaborate(shape) } else { s1_fetch::elaborate(shape) };
    let s1 = m.instance("s1", &s1?);
    let s2 = m.instance("s2", &s2_predecode::elaborate(shape)?);
    let s3 = m.instance("s3", &s3_schedule::elaborate(shape)?);

    m.comment("S4 to S7: operands, decode, lanes, commit.");
    let s4 = m.instance("s4", &s4_collect::elaborate(shape)?);
    let immediate = m.instance("s4_immediate", &s4_immediate::elaborate(shape)?);
    let s5 = m.instance("s5", &s5_decode::elaborate(shape)?);
    let leader = m.instance("s6_leader", &s6_leader::elaborate(shape)?);
    let s6 = m.instance("s6", &s6_execute::elaborate(shape)?);
    let s7 = m.instance("s7", &s7_commit::elaborate(shape)?);

    m.comment("S8: context, end of the run, and requests to memory.");
    let s8 = m.instance("s8", &s8_context::elaborate(shape, &unit.elaborate(shape)?)?);
    let end = m.instance("s8_end", &s8_end::elaborate(shape)?);
    let queue = m.instance("request_queue", &request_queue::elaborate(shape)?);

    m.comment("S9: long-latency results.");
    let s9 = m.instance("s9", &s9_gather::elaborate(shape)?);
    let mut instances =
        vec![&start, &s0, &s1, &s2, &s3, &s4, &immediate, &s5, &leader, &s6, &s7, &s8, &end, &queue, &s9];
    let long = if shape.has(&M) { Some(m.instance("long_results", &long_results::elaborate(shape)?)) } else { None };
    if let Some(long) = &long {
        long.input("may_divide_s7", &(s6.net("valid_s7") & s6.net("divider_reserved_s7")));
        long.input("funct3_s7", &s6.net("instruction_s7").slice(12, 2));
        instances.push(long);
    }
    let scratchpad = match shape.has_scratchpad() {
        true => Some(m.instance("scratchpad", &scratchpad::elaborate(shape)?)),
        false => None,
    };
    instances.extend(&scratchpad);
    m.connect_by_name(&instances);

    if shape.has_dcache() {
        m.comment("A committed `fence.i`, or access to its CSR, empties the data cache.");
        let empties = s7.net("empties_data_s8");
        let empties = m.fault("only_a_fence_empties_the_data_cache", &empties, &s7.net("fence_i_s8"));
        m.output("dcache_empty", &(s7.net("valid_s8") & empties));
    }
    m.comment("Done when every thread has ended, or `tohost` says so, and nothing is in flight.");
    let performed = if shape.posts_stores { dmem_idle } else { ones(1) };
    let performed = m.fault("done_does_not_wait_for_memory", &performed, &ones(1));
    let ended = if shape.tohost == 0 { s8.net("ended") } else { s8.net("ended") | end.net("tohost_ends") };
    let quiet = queue.net("requests_idle") & s3.net("late_idle") & performed;
    m.output("done", &(start.net("start_done") & ended & &quiet));
    if shape.control {
        m.port_group("for the control block: no request is pending; the counters");
        m.output("quiet", &quiet);
        for (name, counter) in COUNTERS.into_iter().zip([cycles, commits, instructions, threads.q()]) {
            m.output(name, &counter);
        }
        if shape.counts_stalls {
            m.output("count_stall", &s3.net("stall"));
        }
        if shape.shows_paths {
            let ports = [
                ("valid", "valid_stand_s8"),
                ("warp", "warp_stand_s8"),
                ("pcs", "pc_stand_s8"),
                ("masks", "masks_s8"),
                ("present", "paths_s8"),
                ("parked", "parked_s8"),
            ];
            for (port, net) in ports {
                m.output(&format!("path_{port}"), &s8.net(net));
            }
        }
    }

    if shape.trace {
        trace(&m, shape, [&s3, &s7, &s8, &s9]);
    }
    if shape.observed {
        formal::observe(&m, shape, [&s3, &s4, &s6, &s7, &s9]);
    }
    m.finish()
}

/// The outputs of the counters, of 64 bits each, for a control block.
pub const COUNTERS: [&str; 4] = ["count_cycles", "count_parts", "count_instructions", "count_thread_instructions"];

rtl::inputs! {
    /// The inputs that a control block drives. Without one they have no bits.
    pub struct ControlInputs(m: &Builder, shape: &Shape) {
        #[group = "from the control block: the pipeline's reset; nothing issues; the first pc, CSR 0xCC7"]
        restart: Expr = m.input("restart", usize::from(shape.control)),
        stop: Expr = m.input("stop", usize::from(shape.control)),
        pub start_pc: Expr = m.input("start_pc", shape.start_pc_bits()),
        pub argument: Expr = m.input("argument", if shape.control { 32 } else { 0 }),
        #[group = "from the control block: a word of the scratchpad is read or written"]
        host_reads: Expr = m.input("host_reads", usize::from(shape.shows_scratchpad())),
        host_read_at: Expr = m.input("host_read_at", shape.shown_word_bits()),
        host_writes: Expr = m.input("host_writes", if shape.shows_scratchpad() { 4 } else { 0 }),
        host_write_at: Expr = m.input("host_write_at", shape.shown_word_bits()),
        #[output("host_word", if shape.shows_scratchpad() { 32 } else { 0 })]
        host_data: Expr = m.input("host_data", if shape.shows_scratchpad() { 32 } else { 0 }),
    }
}

/// Declares all ports except the trace, in an order for readers. Returns `dmem_idle`: memory has performed all that
/// it accepted. Only a memory that posts stores has this port.
fn declare_ports(m: &Builder, shape: &Shape) -> Expr {
    let tag = shape.tag_bits().max(1);
    m.port_group("instruction memory: one request at a time, of any address, answered in a later cycle");
    m.output_port("imem_req_valid", 1);
    m.input("imem_req_ready", 1);
    m.output_port("imem_req_addr", 32);
    m.input("imem_rsp_valid", 1);
    m.input("imem_rsp_data", 32);
    m.input("imem_rsp_reconvergence", if shape.reconverges { 32 } else { 0 });
    if shape.has_icache() {
        m.port_group("instruction cache: the context of a fetch; a word, miss or fault of a context");
        m.output_port("imem_req_context", shape.context_bits());
        m.input("imem_rsp_missed", 1);
        m.input("imem_rsp_context", shape.context_bits());
        m.input("imem_rsp_error", 1);
        m.input("imem_waits", shape.contexts());
        m.output_port("imem_cancelled", shape.contexts());
        m.output_port("imem_empty", 1);
    }
    m.port_group("data memory: requests are performed in order, responses to loads come in any order");
    m.output_port("dmem_req_valid", 1);
    m.input("dmem_req_ready", 1);
    port::request_outputs(m, shape, "");
    if shape.has(&A) {
        m.output_port("dmem_req_hart", shape.hart_bits());
    }
    m.input("dmem_rsp_valid", 1);
    m.input("dmem_rsp_tag", tag);
    m.input("dmem_rsp_data", shape.line_bits());
    let dmem_idle = m.input("dmem_idle", usize::from(shape.posts_stores));
    m.output_port("dcache_empty", usize::from(shape.has_dcache()));
    m.port_group("console");
    m.output_port("console_valid", 1);
    m.input("console_ready", 1);
    m.output_port("console_data", 8);
    m.port_group("end of the run: all threads ended, or the first fault (sticky)");
    m.output_port("done", 1);
    m.output_port("error_valid", 1);
    m.output_port("error_cause", 4);
    m.output_port("error_pc", 32);
    m.output_port("error_warp", shape.warp_bits().max(1));
    m.output_port("error_lane", shape.lane_bits().max(1));
    m.output_port("error_address", 32);
    m.port_group("the first exit code that is not 0, or of `tohost` (sticky)");
    m.output_port("exit_valid", 1);
    m.output_port("exit_code", 32);
    m.output_port("exit_hart", shape.hart_bits());
    if shape.observed {
        m.port_group("registers: the one that is kept, and the values read from the others");
        KeptRegister::inputs(m, shape, "kept");
    }
    dmem_idle
}

/// Declares the trace port: the groups that the stages fill, in the order of the table.
fn trace(m: &Builder, shape: &Shape, [s3, s7, s8, s9]: [&Instance; 4]) {
    let ports = TracePorts {
        commit: Traced::from_instance(s7, shape, "s8").0,
        context: Traced::from_instance(s8, shape, "").0,
        unit: Traced::from_instance(s8, shape, "").0,
        release: ReleasePorts { warps: s8.net("barrier_release") },
        late: Traced::from_instance(s9, shape, "s9").0,
        issue: Traced::from_instance(s3, shape, "s3").0,
        squash: Traced::from_instance(s7, shape, "s7").0,
    };
    for (field, value) in ports.fields() {
        if let Some((_, title)) = weft_trace::GROUPS.iter().find(|(first, _)| *first == field.port) {
            m.port_group(title);
        }
        m.output(&format!("trace_{}", field.port), value);
    }
}
