//! The claims that every divergence unit must meet, independent of its mechanism.

use rtl::{
    Builder, Bundle, ElaborationError, Expr, Instance, Module, clog2, decode, increment, join, lit, reduce, select,
    zeros,
};

use super::rules::{self, Rules, Thread, Watched};
use crate::divergence::{DivergenceUnit, SLOTS, UnitInputs};
use crate::shape::Shape;
use crate::signals::{Path, Resolve};

rtl::bundle! {
    /// The state that a stack reports for a path of its list.
    pub struct Standing(shape: &Shape) {
        /// The path is the part that a memory instruction still has to serve.
        rest: usize::from(shape.reconverges),
        /// It waits at a return for others; the pc may be the pc of any return.
        at_return: usize::from(shape.reconverges),
    }
}

impl Standing {
    /// The active lanes of a path, and the served ones, as paths of the list. `whole` are all its threads.
    pub fn of_active(m: &Builder, path: &Path, whole: &Expr) -> [(Path, Self); 2] {
        let served = m.wire("served_watched", &(whole & !&path.mask));
        let listed = |pc: Expr, mask: &Expr, rest: Expr| {
            let path = Path { valid: &path.valid & mask.any(), pc, mask: mask.clone(), ..path.clone() };
            (path, Self { rest, at_return: lit(1, 0) })
        };
        [listed(path.pc.clone(), &path.mask, served.any()), listed(increment(&path.pc, 1), &served, lit(1, 0))]
    }
}

/// Outputs the list of all paths of a unit that reconverges.
pub fn output_list(m: &Builder, list: Vec<(Path, Standing)>) {
    for (number, (path, standing)) in list.into_iter().enumerate() {
        path.outputs(m, &format!("list_{number}"));
        standing.outputs(m, &format!("list_{number}"));
    }
}

/// Outputs the active path of a slot of such a unit, by its name in [`CHARGES`].
pub fn output_active(m: &Builder, name: &str, path: &Path, gives_way: &Expr, leaves_at_ret: &Expr) {
    m.output(&format!("gives_way_{name}"), gives_way);
    m.output(&format!("leaves_at_ret_{name}"), leaves_at_ret);
    path.outputs(m, name);
}

/// Whether the values of every pair are equal.
pub fn all_equal<const N: usize>(pairs: [(&Expr, &Expr); N]) -> Expr {
    join(pairs.map(|(one, other)| one.eq(other))).all()
}

struct Charge {
    path: Path,
    gives_way: Expr,
    leaves_at_ret: Expr,
}

/// Names of the active paths of the slots in a formal build.
pub const CHARGES: [&str; 2] = ["charge", "charge_y"];

impl Charge {
    fn of(shape: &Shape, unit: &Instance, name: &str) -> Self {
        let output = |port: &str| unit.output_as(&format!("{port}_{name}"), &format!("{port}_{name}"));
        Self {
            path: Path::from_instance(unit, shape, name),
            gives_way: output("gives_way"),
            leaves_at_ret: if shape.reconverges { output("leaves_at_ret") } else { zeros(0) },
        }
    }
}

/// The words of the program that are a `ret`: arbitrary, the same at all times.
struct Returns {
    at: Expr,
}

impl Returns {
    fn declare(m: &Builder, shape: &Shape) -> Self {
        let at = m.input("returns", 1 << shape.pc_bits);
        m.assume("the_program_stays", &at.eq(&m.delay("returns_before", &at)));
        Self { at }
    }

    fn at(&self, pc: &Expr) -> Expr {
        self.at.index(pc)
    }

    /// Each pc that a stack holds as a return is one, and no memory instruction is a return.
    fn state(&self, m: &Builder, rules: &Instance, resolve: &Resolve, threads: &[Thread], at: &Watched) {
        let loads = rules.output("commits_now") & &resolve.is_memory;
        m.assume("a_memory_instruction_is_no_return", &!(loads & self.at(&resolve.b_pc)));
        for (lane, thread) in threads.iter().enumerate() {
            let rests = &thread.live & &thread.rest & self.at(&thread.pc);
            m.assert(&format!("thread_{lane}_has_no_rest_of_a_return"), &!(&at.started & rests));
        }
    }
}

/// A unit, the rules that its inputs keep, and the claims about its state: a module for a proof.
///
/// The inputs are free. `watched_warp` is an arbitrary warp and `watched_thread` one of its threads, the same at all
/// times. The proof holds `rst` in the first cycle. The waiting time of the thread is claimed if the unit bounds it
/// ([`DivergenceUnit::longest_wait`]).
pub fn elaborate(shape: &Shape, unit: &dyn DivergenceUnit) -> Result<Module, ElaborationError> {
    let m = Builder::new("divergence_proof", "A divergence unit under the rules of the pipeline.");
    let inputs = UnitInputs::declare(&m, shape);
    let watched = m.input("watched_warp", shape.warp_bits());
    m.assume("one_warp_is_watched", &watched.eq(&m.delay("watched_before", &watched)));
    let watched_thread = m.input("watched_thread", shape.lane_bits());
    m.assume("one_thread_is_watched", &watched_thread.eq(&m.delay("watched_thread_before", &watched_thread)));

    let circuit = m.instance("unit", &unit.elaborate(shape)?);
    let rules = m.instance("rules", &rules::elaborate(shape, Rules::Assume)?);
    for instance in [&circuit, &rules] {
        inputs.connect(instance);
    }
    rules.input("watched", &watched).input("watched_thread", &watched_thread);
    let given_s7 = Path::from_instance(&circuit, shape, "s7");
    given_s7.connect(&rules, "s7");
    if shape.compares_prediction {
        prediction(&m, shape, &inputs, &watched, &circuit);
    }
    let proof = Proof::of(&m, shape, unit, &inputs, circuit, rules, given_s7);
    proof.list();
    proof.returns(unit);
    proof.in_charge();
    proof.given();
    proof.covers();
    if shape.rotates && !shape.reconverges {
        proof.gives_way_to_one_that_runs();
    }
    if shape.rotates && (shape.takes_turns || !shape.reconverges) {
        proof.no_rotation_meets_a_release();
    }
    if let Some(longest) = unit.longest_wait(shape) {
        proof.waits(longest);
    }
    m.finish()
}

/// States that the unit compares the prediction with the active path of the instruction's slot.
fn prediction(m: &Builder, shape: &Shape, inputs: &UnitInputs, watched: &Expr, circuit: &Instance) {
    let predicted = m.input("predicted_s8", shape.pc_bits);
    circuit.input("predicted_s8", &predicted);
    let resolve = &inputs.resolve;
    let resteers = resolve.rotates.any() | resolve.ends.any();
    let asks = m.wire("asks", &(&resolve.valid & watched.eq(&resolve.warp) & !resteers));
    for (slot, name) in SLOTS[..shape.slots].iter().enumerate() {
        let x = Path::from_instance(circuit, shape, name);
        let of_slot = m.wire(&format!("asks_of_{name}"), &(&asks & resolve.slot.is(slot as u64)));
        let compared = circuit.output(&format!("follows_{name}")).eq(&(x.can_run() & x.pc.eq(&predicted)));
        m.assert(&format!("the_prediction_is_compared_with_{name}"), &(!&of_slot | compared));
        let is_b = &x.valid & x.pc.eq(&resolve.b_pc) & x.mask.eq(&resolve.b_mask);
        let has_rest = &of_slot & resolve.b_mask.any();
        if shape.reconverges {
            m.assert(&format!("{name}_is_the_rest"), &(!(has_rest & &resolve.is_memory) | is_b));
        } else if shape.puts_the_rest_first {
            let unserved = has_rest & resolve.in_parts.any();
            m.assert(&format!("{name}_is_the_rest"), &(!unserved | is_b));
        } else {
            let known = circuit.output(&format!("is_b_{name}")).eq(&is_b);
            m.assert(&format!("it_is_known_whether_{name}_is_b"), &(!has_rest | known));
        }
    }
}

struct Proof<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    inputs: &'a UnitInputs,
    circuit: Instance,
    rules: Instance,
    at: Watched,
    threads: Vec<Thread>,
    charges: Vec<Charge>,
    list: Vec<(Path, Standing)>,
    /// The returns of the program; none where the unit does not reconverge.
    returns: Option<Returns>,
    given_s7: Path,
    released: Expr,
}

impl<'a> Proof<'a> {
    fn of(
        m: &'a Builder,
        shape: &'a Shape,
        unit: &dyn DivergenceUnit,
        inputs: &'a UnitInputs,
        circuit: Instance,
        rules: Instance,
        given_s7: Path,
    ) -> Self {
        let returns = shape.reconverges.then(|| Returns::declare(m, shape));
        let gives_way = circuit.net("gives_way_s7");
        let gives_way_s7 = match &returns {
            Some(returns) => {
                let leaves = circuit.net("leaves_at_ret_s7");
                m.wire("path_gives_way_s7", &(&gives_way | (leaves & returns.at(&given_s7.pc))))
            }
            None => gives_way,
        };
        rules.input("gives_way_s7", &gives_way_s7);
        let at = Watched::from_instance(&rules, shape, "watched");
        at.connect(&circuit, "watched");
        let thread = |lane| Thread::from_instance(&rules, shape, &format!("thread_{lane}"));
        let threads = (0..shape.threads).map(thread).collect();
        let charges = CHARGES[..shape.slots].iter().map(|name| Charge::of(shape, &circuit, name)).collect();
        let listed = |number: usize| {
            let name = format!("list_{number}");
            let standing = match shape.reconverges {
                true => Standing::from_instance(&circuit, shape, &name),
                false => Standing::build(shape, &mut |_, width| zeros(width)),
            };
            (Path::from_instance(&circuit, shape, &name), standing)
        };
        let list = (0..unit.listed_paths(shape)).map(listed).collect();
        let released = rules.output("released_now");
        Self { m, shape, inputs, circuit, rules, at, threads, charges, list, returns, given_s7, released }
    }

    fn claim(&self, name: &str, condition: Expr) {
        self.m.assert(name, &(!&self.at.started | condition));
    }

    /// The path matches the expected state of the thread.
    fn agrees(&self, path: &Path, thread: &Thread) -> Expr {
        let pc = path.pc.eq(&thread.pc);
        let pc = match &self.returns {
            Some(returns) => pc | (returns.at(&path.pc) & returns.at(&thread.pc)),
            None => pc,
        };
        &thread.live & pc & all_equal([(&path.depth, &thread.depth), (&path.parked, &thread.parked)])
    }

    /// The thread is where an entry of the list says.
    fn is_there(&self, path: &Path, standing: &Standing, thread: &Thread) -> Expr {
        match &self.returns {
            Some(returns) => {
                let waits = returns.at(&thread.pc) & path.depth.eq(&thread.depth) & !&thread.parked & &thread.live;
                standing.at_return.mux(&waits, &self.agrees(path, thread)) & (!&standing.rest | &thread.rest)
            }
            None => self.agrees(path, thread),
        }
    }

    /// Each live thread is in exactly one path of the list, and its state is the expected one.
    fn list(&self) {
        let (m, list) = (self.m, &self.list);
        m.comment("The list is complete and disjoint, and each thread has its expected state.");
        for (lane, thread) in self.threads.iter().enumerate() {
            let holds: Vec<Expr> = list.iter().map(|(path, _)| &path.valid & path.mask.bit(lane)).collect();
            let holds = m.wire(&format!("holds_{lane}"), &join(&holds));
            self.claim(&format!("thread_{lane}_is_listed_while_it_lives"), holds.any().eq(&thread.live));
            let once = list.iter().enumerate().map(|(number, (path, standing))| {
                let others = (0..list.len()).filter(|other| *other != number).map(|other| holds.bit(other));
                let others = join(others.collect::<Vec<_>>());
                !holds.bit(number) | (others.none() & self.is_there(path, standing, thread))
            });
            let once = reduce(&once.collect::<Vec<_>>(), &|a, b| a & b);
            self.claim(&format!("thread_{lane}_is_listed_once_as_it_is"), once);
        }
        for (number, (path, _)) in list.iter().enumerate() {
            self.claim(&format!("path_{number}_has_threads"), !&path.valid | path.mask.any());
        }
    }

    /// Each pc that a stack holds as a return is one.
    fn returns(&self, unit: &dyn DivergenceUnit) {
        let Some(returns) = &self.returns else { return };
        returns.state(self.m, &self.rules, &self.inputs.resolve, &self.threads, &self.at);
        for number in 0..unit.listed_returns(self.shape) {
            let output = |field: &str| {
                let name = format!("return_{number}_{field}");
                self.circuit.output_as(&name, &name)
            };
            self.claim(&format!("return_{number}_is_one"), !output("valid") | returns.at(&output("pc")));
        }
    }

    /// There is an active path while a thread lives, and its threads have the expected state.
    fn in_charge(&self) {
        let Self { m, at, threads, charges, .. } = self;
        m.comment("The active path is a path of the warp, and S7 receives it.");
        let lives = join(threads.iter().map(|thread| &thread.live)).any();
        let any = |of: &dyn Fn(&Charge) -> Expr| join(charges.iter().map(of).collect::<Vec<_>>()).any();
        let in_charge = any(&|charge| charge.path.valid.clone());
        let in_charge = if self.shape.reconverges {
            (&in_charge | any(&|charge| charge.gives_way.clone()) | !&lives) & (&lives | !&in_charge)
        } else {
            in_charge.eq(&lives)
        };
        self.claim("a_path_is_in_charge_while_a_thread_lives", in_charge | &at.unsettled);
        for (Charge { path, .. }, name) in charges.iter().zip(["the_path_in_charge", "the_second_path_in_charge"]) {
            self.claim(&format!("{name}_has_threads"), !&path.valid | path.mask.any() | &at.unsettled);
            for (lane, thread) in threads.iter().enumerate() {
                let apart = !(&path.valid & path.mask.bit(lane)) | self.agrees(path, thread);
                self.claim(&format!("{name}_holds_thread_{lane}_as_it_is"), apart | &at.unsettled);
            }
        }
    }

    /// A value of the active path of a slot.
    fn of_slot(&self, slot: &Expr, of: &dyn Fn(&Charge) -> Expr) -> Expr {
        let each: Vec<Expr> = self.charges.iter().map(of).collect();
        if each.len() > 1 { select(slot, &each) } else { each[0].clone() }
    }

    /// S7 receives the active path, and S8 still has it.
    fn given(&self) {
        let Self { m, shape, inputs, circuit, rules, at, given_s7, released, .. } = self;
        let gives_way_s7 = circuit.net("gives_way_s7");
        let same_path = |given: &Path, charge: &Path, parked: &Expr| {
            let fields = [(&given.pc, &charge.pc), (&given.depth, &charge.depth), (&given.mask, &charge.mask)];
            given.valid.eq(&charge.valid) & (!&charge.valid | (all_equal(fields) & given.parked.eq(parked)))
        };
        let given_to_s7 = self.of_slot(&inputs.slot_s7, &|charge| {
            let same = same_path(given_s7, &charge.path, &charge.path.parked) & gives_way_s7.eq(&charge.gives_way);
            if shape.reconverges { same & circuit.output("leaves_at_ret_s7").eq(&charge.leaves_at_ret) } else { same }
        });
        self.claim("s7_is_given_the_path_in_charge", !&at.in_s7 | given_to_s7);
        let given_s8 = Path::from_instance(rules, shape, "given");
        let gave_way = rules.output("gives_way_given");
        let given_to_s8 = self.of_slot(&m.delay("slot_of_s8", &inputs.slot_s7), &|charge| {
            let gives_way = match &self.returns {
                Some(returns) => &charge.gives_way | (&charge.leaves_at_ret & returns.at(&charge.path.pc)),
                None => charge.gives_way.clone(),
            };
            let same_way = gave_way.eq(&gives_way);
            // A parked path may yield from the release on: nothing of it commits before.
            let same_way = if shape.rotates { same_way | (&given_s8.parked & !&gave_way & released) } else { same_way };
            same_path(&given_s8, &charge.path, &(&charge.path.parked | released)) & same_way
        });
        self.claim("s8_has_the_path_in_charge", !(&at.in_s8 & &at.started_by_s7) | &at.settling | given_to_s8);
    }

    /// Covers that show that the claims are not vacuous.
    fn covers(&self) {
        let Self { m, shape, at, threads, list, .. } = self;
        let every = if shape.reconverges {
            let alone = |lane: usize| {
                let paths = list.iter().map(|(path, _)| &path.valid & path.mask.is(1 << lane));
                join(paths.collect::<Vec<_>>()).any()
            };
            join((0..shape.threads).map(alone).collect::<Vec<_>>()).all()
        } else {
            join(list.iter().map(|(path, _)| &path.valid)).all()
        };
        m.cover("every_thread_is_a_path", &(&at.started & every));
        let lived: Vec<&Expr> = threads.iter().map(|thread| &thread.live).collect();
        m.cover("every_thread_ends", &(&at.started & join(lived).none()));
        m.cover("a_release", &(&at.started & &self.released & &self.charges[0].path.valid));
    }

    /// A path yields only if another can run, and a parked path then must.
    fn gives_way_to_one_that_runs(&self) {
        let Charge { path: charge, gives_way, .. } = &self.charges[0];
        let others =
            self.threads.iter().zip(charge.mask.lanes(1)).map(|(thread, own)| &thread.live & !&thread.parked & !own);
        let others = self.m.wire("others_run", &join(others.collect::<Vec<_>>()).any());
        let stuck = &charge.valid & &charge.parked & &others;
        self.claim("a_parked_path_gives_way_to_one_that_runs", !stuck | gives_way);
        self.claim("a_path_gives_way_to_one_that_runs", !gives_way | (&charge.valid & others));
    }

    /// While a path yields, another one can run, so the barrier is not released.
    fn no_rotation_meets_a_release(&self) {
        let gave_way = self.rules.output("gives_way_given");
        self.claim(
            "no_rotation_meets_a_release",
            !(&self.at.in_s8 & &self.at.started_by_s7 & gave_way & &self.released),
        );
    }

    /// The watched thread sees at most `longest` commits of its warp between two of its own.
    fn waits(&self, longest: u64) {
        let Self { m, circuit, rules, .. } = self;
        m.comment("A thread that can run does. The unit's bound on the commits to come makes this inductive.");
        let thread = m.wire("the_thread", &decode(&self.at.thread, self.shape.threads));
        let can_run: Vec<Expr> = self.threads.iter().map(|thread| &thread.live & !&thread.parked).collect();
        let waits = (join(&can_run) & &thread).any();
        let runs = (rules.output("runs_now") & thread).any();
        let waited = m.register("waited", clog2(longest as usize + 2));
        let again = &runs | !waits;
        waited.next(&increment(&waited, 1).when(&!&again)).enable(&(again | rules.output("commits_now"))).reset(0);
        let at_most = circuit.net("waits_at_most");
        let width = at_most.width();
        let left = m.wire("left", &(lit(width, longest) - waited.extend(width)));
        m.assert("no_thread_has_waited_longer", &!lit(waited.width(), longest).lt(&waited));
        m.assert("no_thread_waits_before_the_start", &(&self.at.started | waited.q().none()));
        self.claim("the_thread_waits_no_longer", !left.lt(&at_most));
        m.cover("a_thread_waits_so_long", &waited.is(longest));
    }
}
