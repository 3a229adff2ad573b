//! The scoreboard of a warp of two slots, whose threads pass from one slot to the other ("The Dual-Path Execution
//! Model for Efficient GPU Control Flow", section 3.2). Claim: no thread uses a register before its long-latency
//! result is written.
//!
//! - here: the free inputs, the assumptions about the pipeline, and the position of one thread;
//! - `circuit`: the scoreboard and the contexts;
//! - `flight`: instructions from S4 to S8, and the long-latency results that have been issued;
//! - `invariants`: the invariants that make the claim inductive.

mod circuit;
mod flight;
mod invariants;

use rtl::{Builder, Bundle, ElaborationError, Expr, Module};

use crate::divergence::flag;
use crate::shape::Shape;
use crate::signals::Hazards;
use crate::stages::context::Written;
use crate::stages::resource::Reservations;
use circuit::{Circuit, Events, Waiting};
use flight::{Flight, Results};
use invariants::Invariants;

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "the word from S2; the slot that is picked"]
        /// An arbitrary register, the same at all times.
        register: Expr = {
            let register = m.input("watched_register", 5);
            m.assume("one_register_is_watched", &register.eq(&m.delay("watched_register_before", &register)));
            register
        },
        push: Expr = m.input("push", 1),
        context: Expr = m.input("context_s2", shape.context_bits()),
        hazards: Hazards = Hazards::inputs(m, shape, "s2"),
        reserved: Reservations = Reservations::inputs(m, shape, "reserved_s2"),
        elects: Expr = m.input("elects_s2", 1),
        picked: Expr = m.input("picked", shape.slots),
        #[group = "S7: validation. S8: the outcome for the paths and the thread; slots to fetch again"]
        /// The instruction in S7 is on the active path of its slot.
        commits: Expr = m.input("commits_s7", 1),
        pops: Expr = m.input("pops_s8", 1),
        /// The instruction in S8 pushes a row, or reuses one.
        diverges: Expr = m.input("diverges_s8", 1),
        restarts: Expr = m.input("restarts_s8", shape.slots),
        /// The slot that the thread is in after S8.
        thread_slot: Expr = m.input("thread_slot", 1),
        thread_runs: Expr = m.input("thread_runs", 1),
        #[group = "a long-latency result is written or cancelled"]
        late: Written = Written::inputs(m, shape, "late"),
    }
}

impl Inputs {
    /// The notes on the word from S2. `entry` is the entry that the scoreboard assigns, if it `takes` one.
    fn word(&self, m: &Builder, entry: &Expr, takes: &Expr) -> Waiting {
        let hazards = &self.hazards;
        let uses = |used: &Expr, number: &Expr| used & number.eq(&self.register);
        let touches = uses(&hazards.uses_rs1, &hazards.rs1)
            | uses(&hazards.uses_rs2, &hazards.rs2)
            | uses(&hazards.writes_rd, &hazards.rd);
        Waiting {
            entry: entry.clone(),
            rd: hazards.rd.clone(),
            writes: takes & uses(&hazards.writes_rd, &hazards.rd),
            takes: takes.clone(),
            touches: m.wire("touches_s2", &touches),
        }
    }
}

/// When each slot was flushed, got a word, and had room.
struct Fetches {
    flushed_before: Expr,
    pushed_before: Expr,
    pushed_earlier: Expr,
    room_before: Expr,
    room_earlier: Expr,
}

impl Fetches {
    /// Assumes the properties that the pipeline provides: of fetches by S0 to S2, of picks by S3.
    fn assume(m: &Builder, inputs: &Inputs, circuit: &Circuit) -> Self {
        m.comment("Assumptions about the pipeline.");
        let (flush, pushed, picked) = (&circuit.events.flush, &circuit.pushed, &inputs.picked);
        let room = circuit.column(|context| &context.room);
        let flushed_before = flag(m, "flushed_before", flush);
        let pushed_before = flag(m, "pushed_before", pushed);
        let pushed_earlier = flag(m, "pushed_earlier", &pushed_before);
        let too_early = &flushed_before | &pushed_before | &pushed_earlier;
        m.assume("a_fetch_takes_three_cycles", &(pushed & too_early).none());
        let room_before = m.delay("room_before", &(room | flush));
        let room_earlier = m.delay("room_earlier", &room_before);
        m.assume("a_fetch_finds_room", &(pushed & !&room_earlier).none());
        let ready = circuit.column(|context| &context.ready);
        m.assume("what_is_picked_is_ready", &(picked & !ready).none());
        m.assume("one_is_picked_at_a_time", &!picked.all());
        Self { flushed_before, pushed_before, pushed_earlier, room_before, room_earlier }
    }

    /// Slots that had room two cycles ago, and have received no word since.
    fn still_empty(&self) -> Expr {
        &self.room_earlier & !(&self.pushed_before | &self.pushed_earlier)
    }
}

struct Thread {
    slot: Expr,
    /// The thread is on the active path of that slot.
    runs: Expr,
}

impl Thread {
    /// The thread moves freely, within the limits that a stack of two paths sets.
    fn follow(m: &Builder, inputs: &Inputs, events: &Events) -> Self {
        m.comment("The thread: the slot in which it runs, or ran last.");
        let Inputs { pops, diverges, restarts, thread_slot: goes_to, thread_runs: goes_on, .. } = inputs;
        let Events { resolves, own, .. } = events;
        let slot = m.register("stands", 1);
        let runs = m.register("runs", 1);
        let here = m.wire("it_runs_in_s8", &(&*runs & slot.eq(&events.slot)));
        let moves = goes_to.ne(&slot);
        slot.next(goes_to).enable(resolves).reset(0);
        runs.next(goes_on).enable(resolves);
        let restarted = restarts.index(goes_to);
        let free = |name: &str, condition: Expr| m.assume(name, &(!resolves | condition));
        free("a_row_is_popped_or_pushed", !(pops & diverges));
        free("a_row_is_popped_when_its_other_side_is_gone", !pops | !&*runs | &here);
        free("a_thread_changes_slots_where_paths_part_or_meet", !&moves | pops | (diverges & &here));
        free("a_slot_that_threads_enter_is_restarted", !&moves | &restarted);
        free("a_thread_that_waits_stays_where_it_ran", !&moves | goes_on);
        free("a_thread_that_waits_runs_after_a_pop", !goes_on | &*runs | pops);
        free("a_thread_leaves_by_its_own_path_or_under_a_push", goes_on | !&*runs | &here | diverges);
        free("the_other_slot_is_restarted_where_paths_part_or_meet", pops | diverges | (restarts & !own).none());
        Self { slot: slot.q(), runs: runs.q() }
    }
}

/// The scoreboard and the two contexts of one warp, the progress of their instructions, and the position of one
/// thread: a module for a proof.
///
/// All inputs are free. `watched_register` is an arbitrary register, the same at all times, and the thread is
/// arbitrary. Scattered loads that are served in parts are left out. The proof holds `rst` in the first cycle.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "scoreboard_proof",
        "The scoreboard of one warp of two slots, and a thread that moves between them.",
    );
    let inputs = Inputs::declare(&m, shape);
    let circuit = Circuit::elaborate(&m, shape, &inputs)?;
    let fetches = Fetches::assume(&m, &inputs, &circuit);
    let (flight, results) = Flight::issue(&m, shape, &circuit, &inputs.picked);
    let thread = Thread::follow(&m, &inputs, &circuit.events);
    let executes = results.update(&m, shape, &inputs, &flight, &thread);
    Invariants {
        m: &m,
        shape,
        inputs: &inputs,
        circuit: &circuit,
        fetches: &fetches,
        flight: &flight,
        thread: &thread,
        results: &results,
    }
    .state();
    results.cover(&m, shape, &flight, &executes);
    m.finish()
}
