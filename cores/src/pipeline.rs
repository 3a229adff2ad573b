//! The pipeline: the stages, wired; the core without its memory.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, increment, ones, zeros};
use weft_config::extension::{A, M};
use weft_trace::{Ports as _, ReleasePorts, TracePorts};

use crate::divergence::DivergenceUnit;
use crate::formal::{self, KeptRegister};
use crate::functional::lane_operands::Operands;
use crate::functional::{long_results, round_robin};
use crate::memory::request_queue;
use crate::shape::{PC, Shape};
use crate::signals::{Alignment, Control, Hazards, LaneControl, LateResult, Meta, Path, Request, Resolve};
use crate::stages::context::{Fetch, Written};
use crate::stages::resource::{DIVIDER, LONG_RESULT, REQUEST, Reservations, TAG};
use crate::stages::s0_steer::{Resteer, Stand};
use crate::stages::s3_schedule::ReplayRecord;
use crate::stages::s4_collect::RegisterWrite;
use crate::stages::s4_immediate::Shared;
use crate::stages::{
    s0_steer, s1_fetch, s2_predecode, s3_schedule, s4_collect, s4_immediate, s5_decode, s6_execute, s6_leader,
    s7_commit, s8_context, s9_gather,
};
use crate::start;
use crate::trace::Traced;

/// Elaborates the pipeline with a divergence unit.
pub fn elaborate(shape: &Shape, unit: &dyn DivergenceUnit) -> Result<Module, ElaborationError> {
    let [round_robin, preferring] = [false, true].map(|prefers| round_robin::elaborate(shape.contexts(), prefers));
    let (round_robin, preferring) = (round_robin?, preferring?);
    let m = Builder::new(crate::PIPELINE, "The core without its memory.");
    m.keep_inputs();
    let ports = Ports::declare(&m, shape);

    m.comment("Start, and the counters that programs read.");
    let start = m.instance("start", &start::elaborate(shape)?);
    let started = start.output("done");
    let halted = m.register("halted", 1);
    let running = m.wire("running", &(&started & !&*halted));
    let commit = m.forward("commit_s7", 1);
    let counter = |name: &str, step: &Expr| {
        let register = m.register(name, 64);
        register.next(&increment(&register, 1)).enable(step).reset(0);
        register.q()
    };
    let cycles = counter("cycles", &ones(1));
    let commits = counter("commits", &commit);

    m.comment("S0 to S3: the front end.");
    let ready_s1 = m.forward("ready_s1", 1);
    let room = m.forward("room", shape.contexts());
    let urgent = m.forward("urgent", shape.contexts());
    let fetch_s2 = Fetch::forward(&m, shape, "s2");
    let predicted_s2 = m.forward("predicted_s2", PC);
    let stand = Stand::forward(&m, shape, "stand_s8");
    let resteer = Resteer::build(shape, &mut |field, width| m.forward(&format!("resteer_{field}"), width));
    let release = m.forward("barrier_release", 1);
    let s0 = m.instance("s0", &s0_steer::elaborate(shape, &preferring)?);
    let warp_start = start.output("warp_valid");
    let warp_at = start.output("warp_at");
    let start_row_valid = start.output("row_valid");
    let start_row = start.output("row_at");
    s0.input("start_valid", &start_row_valid).input("start_row", &start_row);
    s0.input("barrier_release", &release).input("room", &room).input("urgent", &urgent);
    s0.input("valid_s2", &fetch_s2.valid).input("context_s2", &fetch_s2.context).input("pc_s2", &predicted_s2);
    stand.connect(&s0, "stand");
    resteer.connect(&s0, "resteer");
    s0.input("ready_s1", &ready_s1);
    let fetch_s1 = Fetch::from_instance(&s0, shape, "s1");
    let dead_s2 = s0.net("dead_s2");

    let s1 = m.instance("s1", &s1_fetch::elaborate(shape)?);
    fetch_s1.connect(&s1, "s1");
    s1.output_to("ready_s1", &ready_s1);
    s1.input("imem_req_ready", &ports.imem_req_ready).input("imem_rsp_valid", &ports.imem_rsp_valid);
    s1.input("imem_rsp_data", &ports.imem_rsp_data);
    s1.input("imem_rsp_reconvergence", &ports.imem_rsp_reconvergence.slice(0, shape.reconvergence_bits()));
    let word_s2 = s1.net("word_s2");
    fetch_s2.driven_by(&s1, "s2");
    m.output("imem_req_valid", &s1.output("imem_req_valid"));
    m.output("imem_req_addr", &s1.output("imem_req_addr"));

    let s2 = m.instance("s2", &s2_predecode::elaborate(shape)?);
    fetch_s2.connect(&s2, "s2");
    s2.input("word_s2", &word_s2).output_to("predicted_s2", &predicted_s2);
    let hazards = Hazards::from_instance(&s2, shape, "s2");
    let fetch_fault_s2 = s2.net("fetch_fault_s2");

    let epochs = m.forward("epochs", shape.contexts() * shape.epoch_bits());
    let bubble = m.forward("bubble", 1);
    let late = Written::forward(&m, shape, "late");
    let freed = Reservations::forward(&m, shape, "freed");
    let unused = Reservations::forward(&m, shape, "unused_s8");
    let s3 = m.instance("s3", &s3_schedule::elaborate(shape, &round_robin)?);
    s3.input("running", &running).input("bubble", &bubble).input("epochs", &epochs);
    fetch_s2.connect(&s3, "s2");
    s3.input("dead_s2", &dead_s2).input("word_s2", &word_s2);
    s3.input("predicted_s2", &predicted_s2).input("fetch_fault_s2", &fetch_fault_s2);
    hazards.connect(&s3, "s2");
    Reservations::from_instance(&s2, shape, "reserved_s2").connect(&s3, "reserved_s2");
    s1.feeds(&s3, &["reconvergence_s2"]);
    s3.input("resteer_valid", &resteer.valid).input("resteer_warp", &resteer.warp);
    let shadows = m.forward("shadows_s8", shape.slot_mask_bits());
    s3.input("shadows_s8", &shadows);
    if shape.slots > 1 {
        s3.input("shadow_warp_s8", &stand.warp);
    }
    if shape.constrained {
        s3.input("enabled_contexts", &s0.output_as("enabled_contexts_now", "enabled_contexts"));
    }
    let record = ReplayRecord::build(shape, &mut |field, width| m.forward(&format!("record_{field}_s8"), width));
    record.connect(&s3, "record");
    s3.input("start_valid", &start_row_valid).input("start_row", &start_row);
    late.connect(&s3, "late");
    s3.input("memory_idle", &ports.dmem_idle);
    freed.connect(&s3, "freed");
    unused.connect(&s3, "unused_s8");
    let late_idle = s3.net("late_idle");
    s3.output_to("room", &room).output_to("urgent", &urgent);

    m.comment("S4 to S7: operands, decode, lanes, commit.");
    let meta_s4 = Meta::from_instance(&s3, shape, "s4");
    let fetch_fault_s4 = s3.net("fetch_fault_s4");
    let write = RegisterWrite::forward(&m, shape, "write");
    let s4 = m.instance("s4", &s4_collect::elaborate(shape)?);
    meta_s4.connect(&s4, "s4");
    s4.input("fetch_fault_s4", &fetch_fault_s4).input("epoch_s4", &s3.net("epoch_s4"));
    write.connect(&s4, "write");
    if shape.observed {
        m.port_group("registers: the one that is kept, and what the others read");
        KeptRegister::inputs(&m, shape, "kept").connect(&s4, "kept");
    }

    let s5 = m.instance("s5", &s5_decode::elaborate(shape)?);
    let meta_s5 = Meta::from_instance(&s4, shape, "s5");
    meta_s5.connect(&s5, "s5");
    s4.feeds(&s5, &["fetch_fault_s5", "epoch_s5", "rs1_s5", "rs2_s5"]);
    let immediate = m.instance("s4_immediate", &s4_immediate::elaborate(shape)?);
    immediate.input("instruction_s4", &meta_s4.instruction).input("warp_s4", &meta_s4.warp);
    immediate.input("cycles", &cycles).input("commits", &commits);
    Shared::from_instance(&immediate, shape, "s5").connect(&s5, "s5");

    let s6 = m.instance("s6", &s6_execute::elaborate(shape)?);
    let meta_s6 = Meta::from_instance(&s5, shape, "s6");
    meta_s6.connect(&s6, "s6");
    LaneControl::from_instance(&s5, shape, "s6").connect(&s6, "s6");
    let control_s6 = Control::from_instance(&s5, shape, "s6");
    control_s6.connect(&s6, "s6");
    Reservations::from_instance(&s5, shape, "reserved_s6").connect(&s6, "reserved_s6");
    Operands::from_instance(&s5, &shape.threads, "s6").connect(&s6, "s6");
    s5.feeds(&s6, &["store_s6"]);
    let leader = m.instance("s6_leader", &s6_leader::elaborate(shape)?);
    leader.input("start_valid", &warp_start).input("start_warp", &warp_at);
    leader.input("warp_s5", &meta_s5.warp).input("slot_s6", &meta_s6.slot);
    leader.feeds(&s6, &["leader_s6", "group_s6"]);

    let path = Path::forward(&m, shape, "path_s7");
    let path_gives_way = m.forward("path_gives_way", 1);
    let epoch_is_present = m.forward("epoch_is_present_s7", 1);
    let free_tag = m.forward("free_tag", shape.tag_bits());
    let s7 = m.instance("s7", &s7_commit::elaborate(shape)?);
    let meta_s7 = Meta::from_instance(&s6, shape, "s7");
    meta_s7.connect(&s7, "s7");
    Control::from_instance(&s6, shape, "s7").connect(&s7, "s7");
    let reserved_s7 = Reservations::from_instance(&s6, shape, "reserved_s7");
    reserved_s7.connect(&s7, "reserved_s7");
    let (result_s7, store_s7) = (s6.net("result_s7"), s6.net("store_s7"));
    s7.input("result_s7", &result_s7).input("store_s7", &store_s7);
    s6.feeds(&s7, &["address_s7", "taken_s7", "uniform_s7", "leader_s7", "leader_number_s7", "leader_address_s7"]);
    path.connect(&s7, "path");
    let leaves_at_ret = m.forward("path_leaves_at_ret", usize::from(shape.reconverges));
    s7.input("gives_way", &path_gives_way).input("leaves_at_ret", &leaves_at_ret);
    s7.input("epoch_is_present", &epoch_is_present)
        .input("halted", &halted)
        .input("free_tag", &free_tag)
        .input("commits", &commits);
    s7.output_to("commit_s7", &commit);
    unused.driven_by(&s7, "unused_s8");

    m.comment("S8: context, and requests to memory.");
    let s8 = m.instance("s8", &s8_context::elaborate(shape, &unit.elaborate(shape)?)?);
    s8.input("start_valid", &warp_start).input("start_warp", &warp_at);
    s8.input("warp_s6", &meta_s6.warp).input("slot_s6", &meta_s6.slot).input("epoch_s6", &s5.net("epoch_s6"));
    s8.input("warp_s7", &meta_s7.warp).input("slot_s7", &meta_s7.slot);
    Resolve::build(shape, &mut |field, _| s7.output_as(&format!("{field}_s8"), &format!("{field}_s8")))
        .connect(&s8, "s8");
    s7.feeds(&s8, &["predicted_s8", "fence_i_s8", "load_s8", "entry_s8"]);
    if shape.formal && shape.reconverges {
        s7.feeds(&s8, &["leaves_s7"]);
    }
    path.driven_by(&s8, "s7");
    s8.output_to("path_gives_way", &path_gives_way);
    if shape.reconverges {
        s8.output_to("path_leaves_at_ret", &leaves_at_ret);
    }
    if shape.slots > 1 {
        s8.output_to("shadows", &shadows);
    }
    s8.output_to("epoch_is_present_s7", &epoch_is_present)
        .output_to("epochs_now", &epochs)
        .output_to("release_barrier", &release);
    stand.driven_by(&s8, "stand");
    leader.input("valid_s8", &stand.valid).input("warp_s8", &stand.warp);
    leader.input("masks_s8", &s8.output_as("masks", "masks_s8"));
    resteer.driven_by(&s8, "resteer");
    record.driven_by(&s8, "record");
    let all_ended = s8.output_as("ended", "all_ended");

    let queue = m.instance("request_queue", &request_queue::elaborate(shape)?);
    queue.input("push", &s7.net("push_s7"));
    queue.input("may_push", &s7.net("may_push_s7"));
    queue.input("to_console", &s7.net("to_console_s7"));
    Request::from_instance(&s7, shape, "request").connect(&queue, "request");
    queue.input("dmem_req_ready", &ports.dmem_req_ready).input("console_ready", &ports.console_ready);
    queue.output_to("request_freed", &freed.of(&REQUEST));
    for port in ["valid", "op", "addr", "tag", "mask", "data"].map(|field| format!("dmem_req_{field}")) {
        m.output(&port, &queue.output(&port));
    }
    if shape.has(&A) {
        m.output("dmem_req_hart", &queue.output("dmem_req_hart"));
    }
    m.output("console_valid", &queue.output("console_valid"));
    m.output("console_data", &queue.output("console_data"));
    let requests_idle = queue.output("idle");

    m.comment("S9: loads.");
    let s9 = m.instance("s9", &s9_gather::elaborate(shape)?);
    s9.input("start_valid", &start_row_valid).input("start_row", &start_row);
    s9.input("start_tag_valid", &start.output("tag_valid")).input("start_tag", &start.output("tag_at"));
    s7.feeds(&s9, &["load_push_s7", "may_push_load_s7"]);
    let late_s7 = LateResult::from_instance(&s7, shape, "late_s7");
    late_s7.connect(&s9, "load");
    Alignment::from_instance(&s7, shape, "load").connect(&s9, "load");
    s7.feeds(&s9, &["leader_word_load"]);
    s9.input("dmem_rsp_valid", &ports.dmem_rsp_valid).input("dmem_rsp_tag", &ports.dmem_rsp_tag);
    s9.input("dmem_rsp_data", &ports.dmem_rsp_data);
    RegisterWrite::build(shape, &mut |field, _| s7.output_as(&format!("{field}_write"), &format!("write_{field}_s7")))
        .connect(&s9, "s7");
    s6.feeds(&s9, &["may_write_s7"]);
    Written::from_instance(&s7, shape, "unused_s8").connect(&s9, "unused_s8");
    s9.output_to("free_tag", &free_tag).output_to("bubble", &bubble).output_to("tag_freed", &freed.of(&TAG));
    write.driven_by(&s9, "write");
    late.driven_by(&s9, "late");
    if shape.has(&M) {
        let long = m.instance("long_results", &long_results::elaborate(shape)?);
        let long_taken = s9.net("long_taken");
        s7.feeds(&long, &["long_result_used_s7", "divider_used_s7"]);
        long.input("may_divide_s7", &(&meta_s7.valid & reserved_s7.of(&DIVIDER)));
        late_s7.connect(&long, "s7");
        long.input("funct3_s7", &meta_s7.instruction.slice(12, 2));
        long.input("dividend_s7", &result_s7).input("divisor_s7", &store_s7);
        long.input("product_s8", &s6.net("product_s8")).input("pop", &long_taken);
        long.feeds(&s9, &["valid_long"]);
        LateResult::from_instance(&long, shape, "long").connect(&s9, "long");
        long.feeds(&s9, &["data_long"]);
        s9.output_to("long_result_freed", &freed.of(&LONG_RESULT));
        long.output_to("divider_freed", &freed.of(&DIVIDER));
    }

    m.comment("Halt on the first fault; done when every thread has ended and nothing is on its way.");
    let fault = s7.output_as("fault_valid_s7", "fault_s7");
    halted.next(&(&*halted | &fault)).reset(0);
    // They follow S7 until then, so that nothing waits for the fault to be found.
    let sticky = |name: &str, value: &Expr| {
        let register = m.register(name, value.width());
        register.next(value).enable(&!&*halted).reset(0);
        register.q()
    };
    let at_least_one = |value: &Expr| value.extend(value.width().max(1));
    let performed = if shape.posts_stores { ports.dmem_idle.clone() } else { ones(1) };
    let performed = m.fault("done_does_not_wait_for_memory", &performed, &ones(1));
    m.output("done", &(&started & all_ended & requests_idle & late_idle & performed));
    m.output("error_valid", &halted);
    m.output("error_cause", &sticky("fault_cause", &s7.output("fault_cause_s7")));
    m.output("error_pc", &concat([&sticky("fault_pc", &s7.output("fault_pc_s7")), &zeros(2)]));
    m.output("error_warp", &at_least_one(&sticky("fault_warp", &s7.output("fault_warp_s7"))));
    m.output("error_lane", &at_least_one(&sticky("fault_lane", &s7.output("fault_lane_s7"))));

    if shape.trace {
        trace(&m, shape, [&s3, &s7, &s8, &s9], &release);
    }
    if shape.observed {
        formal::observe(&m, shape, [&s4, &s6, &s7, &s9]);
    }
    m.finish()
}

/// The inputs of the top.
struct Ports {
    imem_req_ready: Expr,
    imem_rsp_valid: Expr,
    imem_rsp_data: Expr,
    imem_rsp_reconvergence: Expr,
    dmem_req_ready: Expr,
    dmem_rsp_valid: Expr,
    dmem_rsp_tag: Expr,
    dmem_rsp_data: Expr,
    /// Nothing that has been accepted is still on its way; only where stores may be.
    dmem_idle: Expr,
    console_ready: Expr,
}

impl Ports {
    /// Declares all ports but the trace, in the order in which a user reads them.
    fn declare(m: &Builder, shape: &Shape) -> Self {
        let tag = shape.tag_bits().max(1);
        m.port_group("instruction memory: one request at a time, of any address, answered in a later cycle");
        m.output_port("imem_req_valid", 1);
        let imem_req_ready = m.input("imem_req_ready", 1);
        m.output_port("imem_req_addr", 32);
        let imem_rsp_valid = m.input("imem_rsp_valid", 1);
        let imem_rsp_data = m.input("imem_rsp_data", 32);
        let imem_rsp_reconvergence = m.input("imem_rsp_reconvergence", if shape.reconverges { 32 } else { 0 });
        m.port_group("data memory: requests are performed in order, responses to loads come in any order");
        m.output_port("dmem_req_valid", 1);
        let dmem_req_ready = m.input("dmem_req_ready", 1);
        m.output_port("dmem_req_op", 4);
        m.output_port("dmem_req_addr", 32);
        m.output_port("dmem_req_tag", tag);
        m.output_port("dmem_req_mask", 4 * shape.threads);
        m.output_port("dmem_req_data", shape.line_bits());
        if shape.has(&A) {
            m.output_port("dmem_req_hart", request_queue::hart_bits(shape));
        }
        let dmem_rsp_valid = m.input("dmem_rsp_valid", 1);
        let dmem_rsp_tag = m.input("dmem_rsp_tag", tag);
        let dmem_rsp_data = m.input("dmem_rsp_data", shape.line_bits());
        let dmem_idle = m.input("dmem_idle", usize::from(shape.posts_stores));
        m.port_group("console");
        m.output_port("console_valid", 1);
        let console_ready = m.input("console_ready", 1);
        m.output_port("console_data", 8);
        m.port_group("end of the run: all threads ended, or the first fault (sticky)");
        m.output_port("done", 1);
        m.output_port("error_valid", 1);
        m.output_port("error_cause", 4);
        m.output_port("error_pc", 32);
        m.output_port("error_warp", shape.warp_bits().max(1));
        m.output_port("error_lane", shape.lane_bits().max(1));
        Self {
            imem_req_ready,
            imem_rsp_valid,
            imem_rsp_data,
            imem_rsp_reconvergence,
            dmem_req_ready,
            dmem_rsp_valid,
            dmem_rsp_tag,
            dmem_rsp_data,
            dmem_idle,
            console_ready,
        }
    }
}

/// The trace port: the groups that the stages fill, in the order of the table.
fn trace(m: &Builder, shape: &Shape, [s3, s7, s8, s9]: [&rtl::Instance; 4], release: &Expr) {
    let ports = TracePorts {
        commit: Traced::from_instance(s7, shape, "s8").0,
        context: Traced::from_instance(s8, shape, "").0,
        unit: Traced::from_instance(s8, shape, "").0,
        release: ReleasePorts { valid: release.clone() },
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
