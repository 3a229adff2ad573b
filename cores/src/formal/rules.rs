//! The rules that the pipeline keeps towards a divergence unit, and the path that each thread should have under them.
//!
//! One module watches one warp. In a proof its rules are assumptions. In a simulation, one such module for each warp
//! asserts them, so every assumption is checked against the core.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, clog2, increment, join, lit, ones};

use crate::divergence::{UnitInputs, flag};
use crate::shape::Shape;
use crate::signals::{Ahead, Path, Resolve};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    Assume,
    Assert,
}

rtl::bundle! {
    /// The expected state of a thread of the watched warp, after every earlier S8.
    pub struct Thread(shape: &Shape) {
        /// The thread has started and not ended.
        live: 1,
        pc: shape.pc_bits,
        depth: shape.depth_bits,
        parked: 1,
        /// A memory instruction still has to serve this thread, and has served others. Only for stacks.
        rest: usize::from(shape.reconverges),
    }
}

rtl::bundle! {
    /// The watched warp, and its position in the pipeline.
    pub struct Watched(shape: &Shape) {
        warp: shape.warp_bits(),
        /// The thread of the warp whose waiting time is watched.
        thread: shape.lane_bits(),
        /// Some warps have still to start, or the last one started in the cycle before: nothing resolves.
        starting: 1,
        /// The rows of the watched warp have been written.
        started: 1,
        /// `started`, one cycle ago.
        started_by_s7: 1,
        /// S7 holds an instruction or a bubble of the warp.
        in_s7: 1,
        /// S8 holds an instruction or a bubble of the warp.
        in_s8: 1,
        /// S8 updated the warp so recently that nothing may resolve.
        settling: 1,
        /// The active path after an update is still being computed.
        unsettled: 1,
    }
}

pub fn elaborate(shape: &Shape, rules: Rules) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "divergence_rules",
        "The rules of the pipeline towards a divergence unit, for one warp, and the expected state of its threads.",
    );
    let warp = m.input("watched", shape.warp_bits());
    let thread = m.input("watched_thread", shape.lane_bits());
    let inputs = UnitInputs::declare(&m, shape);
    let path_s7 = Path::inputs(&m, shape, "s7");
    let gives_way_s7 = m.input("gives_way_s7", 1);
    let watcher = Watcher { m: &m, shape, rules, inputs: &inputs, warp, thread };
    let start = watcher.start();
    let stages = watcher.stages(&start, &path_s7, &gives_way_s7);
    let commits = watcher.commits(&stages);
    m.assert("nothing_settles_before_anything_resolves", &(&start.running | !&stages.at.settling));
    let remains = m.forward("remains", if shape.reconverges { shape.threads } else { 0 });
    if shape.reconverges {
        watcher.of_stacks(&stages, &commits, &remains);
    }
    let (threads, released) = watcher.threads(&start, &stages, &commits);
    m.drive(&remains, &join(threads.iter().map(|thread| &thread.rest)));
    watcher.release(&start, &threads, &released);

    m.port_group("the expected state of the threads");
    for (lane, thread) in threads.iter().enumerate() {
        thread.outputs(&m, &format!("thread_{lane}"));
    }
    m.port_group("where the warp is in the pipeline");
    stages.at.outputs(&m, "watched");
    m.port_group("the path that S7 received, and whether it yields; the barrier has been released");
    stages.path_s8.outputs(&m, "given");
    m.output("gives_way_given", &stages.gave_way);
    m.output("released_now", &released);
    m.port_group("an instruction commits, and serves these threads");
    m.output("commits_now", &commits);
    let unserved = inputs.resolve.b_mask.when(&inputs.resolve.in_parts.any());
    m.output("runs_now", &(&stages.path_s8.mask & !unserved).when(&commits));
    m.finish()
}

struct Watcher<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    rules: Rules,
    inputs: &'a UnitInputs,
    warp: Expr,
    thread: Expr,
}

struct Start {
    starts: Expr,
    started: Expr,
    started_by_s7: Expr,
    running: Expr,
}

struct Stages {
    at: Watched,
    /// The path against which S7 validated the instruction in S8.
    path_s8: Path,
    gave_way: Expr,
    /// The instruction in S8 resolves, and belongs to the warp.
    resolves: Expr,
}

impl Watcher<'_> {
    fn rule(&self, name: &str, condition: &Expr) {
        match self.rules {
            Rules::Assume => self.m.assume(name, condition),
            Rules::Assert => self.m.assert(name, condition),
        }
    }

    fn is_watched(&self, warp: &Expr) -> Expr {
        warp.eq(&self.warp)
    }

    fn start(&self) -> Start {
        let Self { m, shape, .. } = self;
        let UnitInputs { start_valid, start_warp, .. } = self.inputs;
        m.comment("Every warp starts, one a cycle, before anything else.");
        let rows = lit(clog2(shape.warps + 1), shape.warps as u64);
        let row = m.register("row", rows.width());
        let has_rows = m.wire("has_rows", &row.ne(&rows));
        row.next(&increment(&row, 1)).enable(&has_rows).reset(0);
        let starts = m.wire("starts", &(start_valid & self.is_watched(start_warp)));
        self.rule("warps_start_first", &start_valid.eq(&has_rows));
        self.rule("warps_start_in_order", &(!start_valid | start_warp.eq(&row.slice(0, shape.warp_bits()))));
        let running = flag(m, "running", &!&has_rows);
        let started = m.register("started", 1);
        started.next(&(&*started | &starts)).reset(0);
        let started = started.q();
        let started_by_s7 = flag(m, "started_by_s7", &started);
        m.assert("rows_are_counted_to_their_number", &!rows.lt(&row));
        m.assert("a_warp_has_started_when_its_row_is_past", &started.eq(&self.warp.extend(rows.width()).lt(&row)));
        m.assert("warps_run_when_all_have_started", &(!&running | (!&has_rows & &started_by_s7)));
        m.assert("a_warp_starts_once", &(!&started_by_s7 | &started));
        Start { starts, started, started_by_s7, running }
    }

    fn stages(&self, start: &Start, path_s7: &Path, gives_way_s7: &Expr) -> Stages {
        let Self { m, shape, .. } = self;
        let UnitInputs { generation, generation_s7, warp_s6, slot_s6, warp_s7, slot_s7, resolve, .. } = self.inputs;
        m.comment("An instruction goes from S6 to S8 in two cycles. Two of a warp keep their distance.");
        let in_s7 = m.delay("in_s7", &self.is_watched(warp_s6));
        let in_s8 = m.delay("in_s8", &self.is_watched(warp_s7));
        let path_s8 = path_s7.delay(m, shape, "s8_was");
        let gave_way = m.delay("gave_way", gives_way_s7);
        let resolves = m.wire("resolves", &(&resolve.valid & self.is_watched(&resolve.warp)));
        self.rule("s8_waits_for_the_start", &(!&resolve.valid | &start.running));
        self.rule("s7_follows_s6", &(!&start.started | self.is_watched(warp_s7).eq(&in_s7)));
        let has_generation = generation_s7.eq(&generation.index(&self.warp));
        self.rule("s7_has_the_generation", &(!&in_s7 | has_generation));
        self.rule("s8_follows_s7", &(!&start.started | self.is_watched(&resolve.warp).eq(&in_s8)));
        if shape.compares_ahead {
            let Ahead { a_pc, a_depth, a_keeps_depth, b_pc, reconvergence } =
                self.inputs.ahead.delay(m, shape, "ahead");
            let mut same = a_pc.eq(&resolve.a_pc) & b_pc.eq(&resolve.b_pc);
            if shape.reconverges {
                let keeps_depth = resolve.a_depth.eq(&resolve.b_depth);
                same = same & a_depth.eq(&resolve.a_depth) & reconvergence.eq(&resolve.reconvergence);
                same = same & a_keeps_depth.eq(&keeps_depth);
            }
            self.rule("s8_has_the_outcome_of_s7", &(!&resolve.valid | same));
        }
        if shape.slots > 1 {
            let slot_in_s7 = m.delay("slot_in_s7", slot_s6);
            let slot_in_s8 = m.delay("slot_in_s8", slot_s7);
            self.rule("s7_keeps_the_slot", &(!(&start.started & &in_s7) | slot_s7.eq(&slot_in_s7)));
            self.rule("s8_keeps_the_slot", &(!&resolves | resolve.slot.eq(&slot_in_s8)));
        }
        let mut earlier = vec![flag(m, "resolved_1", &resolves)];
        for cycle in 2..shape.spacing() {
            earlier.push(flag(m, &format!("resolved_{cycle}"), earlier.last().expect("one at least")));
        }
        let settling = m.wire("settling", &join(&earlier).any());
        let too_close = m.fault("every_instruction_is_too_close", &settling, &ones(1));
        self.rule("instructions_keep_their_distance", &!(&resolves & too_close));
        let unsettled = join(&earlier[..shape.delay]).any();
        let at = Watched {
            warp: self.warp.clone(),
            thread: self.thread.clone(),
            starting: !&start.running,
            started: start.started.clone(),
            started_by_s7: start.started_by_s7.clone(),
            in_s7,
            in_s8,
            settling,
            unsettled,
        };
        Stages { at, path_s8, gave_way, resolves }
    }

    /// Whether the instruction in S8 commits. A rotation does not.
    fn commits(&self, stages: &Stages) -> Expr {
        let Self { m, shape, .. } = self;
        let Stages { path_s8, gave_way, resolves, .. } = stages;
        let Resolve { a_mask: a, b_mask: b, exit_mask: exits, a_parked, a_depth, .. } = &self.inputs.resolve;
        let Resolve { b_pc, b_depth, b_parked, rotates, in_parts, yields, .. } = &self.inputs.resolve;
        m.comment("A commit splits the path that S7 received. If that path yields, a rotation returns it instead.");
        let rotates = if shape.rotates { rotates.clone() } else { lit(1, 0) };
        let commits = m.wire("commits", &(resolves & !&rotates));
        let both = (a & b) | (a & exits) | (b & exits);
        let runs = path_s8.can_run() & !gave_way;
        let splits = both.none() & (a | b | exits).eq(&path_s8.mask);
        self.rule("a_commit_splits_the_path", &(!&commits | (runs & splits)));
        if shape.takes_turns {
            let serves = a.any() & exits.none() & !a_parked;
            self.rule("an_instruction_in_parts_serves_a_thread", &(!(&commits & in_parts) | serves));
            let branches = &commits & a.any() & b.any() & !in_parts;
            let sides = a_depth.eq(b_depth) & !a_parked;
            self.rule("the_sides_of_a_branch_have_one_depth", &(!branches | sides));
        }
        if shape.rotates {
            let same = b.eq(&path_s8.mask) & b_pc.eq(&path_s8.pc) & b_depth.eq(&path_s8.depth);
            let gives_back = gave_way & same & b_parked.eq(&path_s8.parked) & (a | exits).none();
            self.rule("a_rotation_gives_the_path_back", &(!(resolves & &rotates) | gives_back));
            self.rule("a_rotation_does_not_ask_for_one", &!(resolves & &rotates & yields.any()));
            self.rule("a_rotation_is_not_in_parts", &!(resolves & &rotates & in_parts.any()));
            self.rule("b_is_not_parked_by_a_commit", &(!&commits | !b_parked));
        }
        commits
    }

    /// Rules that only stacks rely on. `remains`: threads that a memory instruction still has to serve.
    fn of_stacks(&self, Stages { path_s8, resolves, .. }: &Stages, commits: &Expr, remains: &Expr) {
        let Resolve { a_mask: a, b_mask: b, exit_mask: exits, .. } = &self.inputs.resolve;
        let Resolve { a_pc, a_depth, a_parked, b_pc, b_depth, is_memory, a_goes, ends, .. } = &self.inputs.resolve;
        self.rule(
            "the_outcome_says_which_threads_it_has",
            &(!resolves | (a_goes.eq(&a.any()) & ends.eq(&exits.any()))),
        );
        self.m.comment("Stacks rely on this: b stays at the instruction, if it is not at the next one.");
        let commit = |name: &str, condition: Expr| self.rule(name, &(!commits | condition));
        let next = increment(&path_s8.pc, 1);
        let behind = a_pc.eq(&next) & a_depth.eq(&path_s8.depth) & b_pc.eq(&path_s8.pc);
        let goes_on = behind & a.any() & exits.none() & !a_parked;
        commit("b_keeps_the_depth", b_depth.eq(&path_s8.depth));
        commit("a_memory_instruction_serves_a_thread_at_least", !is_memory | goes_on);
        commit("only_a_memory_instruction_has_a_rest", (&path_s8.mask & remains).none() | is_memory);
        commit("a_path_waits_whole", !a_parked | (b | exits).none());
        commit("a_path_ends_whole", exits.none() | (a | b).none());
    }

    /// The expected threads, and whether the barrier has been released.
    fn threads(&self, start: &Start, stages: &Stages, commits: &Expr) -> (Vec<Thread>, Expr) {
        let (m, generation) = (self.m, &self.inputs.generation.index(&self.warp));
        m.comment("The expected state of each thread.");
        let generation_was = m.delay("generation_was", generation);
        let released = m.wire("released", &generation.ne(&generation_was));
        let thread = |lane| self.thread(lane, start, stages, commits, &released);
        ((0..self.shape.threads).map(thread).collect(), released)
    }

    fn thread(&self, lane: usize, start: &Start, stages: &Stages, commits: &Expr, released: &Expr) -> Thread {
        let Self { m, shape, .. } = self;
        let (resolve, starts) = (&self.inputs.resolve, &start.starts);
        let reset_pc = shape.start_pc(&self.inputs.start_pc);
        let (in_a, in_b) = (resolve.a_mask.bit(lane) & commits, resolve.b_mask.bit(lane) & commits);
        let state = |name: &str, width: usize| m.register(&format!("{name}_{lane}"), width);
        let (live, parked) = (state("live", 1), state("parked", 1));
        let (pc, depth) = (state("pc", shape.pc_bits), state("depth", shape.depth_bits));
        let parked_now = m.wire(&format!("parked_now_{lane}"), &(&*parked & !released));
        live.next(&(starts | (&*live & !(commits & resolve.exit_mask.bit(lane))))).reset(0);
        let new_parked = in_a.mux(&resolve.a_parked, &(&parked_now & !&in_b));
        parked.next(&(&new_parked & !starts)).reset(0);
        let new_pc = in_a.mux(&resolve.a_pc, &in_b.mux(&resolve.b_pc, &pc));
        pc.next(&starts.mux(&reset_pc, &new_pc));
        let new_depth = in_a.mux(&resolve.a_depth, &in_b.mux(&resolve.b_depth, &depth));
        depth.next(&new_depth.when(&!starts));
        let rest = state("rest", usize::from(shape.reconverges));
        if shape.reconverges {
            let goes_on = commits & stages.path_s8.mask.bit(lane);
            rest.next(&(&in_b & &resolve.is_memory & !starts)).enable(&(starts | goes_on)).reset(0);
        }
        Thread { live: live.q(), pc: pc.q(), depth: depth.q(), parked: parked_now, rest: rest.q() }
    }

    fn release(&self, start: &Start, threads: &[Thread], released: &Expr) {
        let m = self.m;
        m.comment("A release comes only when every live thread waits.");
        let waits = threads
            .iter()
            .enumerate()
            .map(|(lane, thread)| m.delay(&format!("waited_{lane}"), &(!&thread.live | &thread.parked)));
        let all_wait = join(waits.collect::<Vec<_>>()).all();
        self.rule("a_release_finds_every_thread_waiting", &(!&start.started | !released | all_wait));
    }
}
