//! What every divergence unit owes, whatever its mechanism.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, clog2, decode, increment, join, lit, reduce};

use super::rules::{self, Rules, Thread, Watched};
use crate::divergence::{DivergenceUnit, UnitInputs};
use crate::shape::Shape;
use crate::signals::Path;

/// A unit, the rules that its inputs keep, and what its context must be: a module for a proof.
///
/// The inputs are free; `watched_warp` is any warp and `watched_thread` any of its threads, the same at all times. The
/// proof holds `rst` in the first cycle. How long the thread waits is stated where the unit bounds it
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
    let gives_way_s7 = circuit.output_as("gives_way_s7", "gives_way_s7");
    rules.input("gives_way_s7", &gives_way_s7);
    let at = Watched::from_instance(&rules, shape, "watched");
    at.connect(&circuit, "watched");
    let threads: Vec<Thread> =
        (0..shape.threads).map(|lane| Thread::from_instance(&rules, shape, &format!("thread_{lane}"))).collect();
    let charge = Path::from_instance(&circuit, shape, "charge");
    let list: Vec<Path> = (0..unit.listed_paths(shape))
        .map(|number| Path::from_instance(&circuit, shape, &format!("list_{number}")))
        .collect();
    let released = rules.output("released_now");

    m.comment("The list is complete and disjoint, and each thread is where it went.");
    let claim = |name: &str, condition: Expr| m.assert(name, &(!&at.started | condition));
    let agrees = |path: &Path, thread: &Thread| {
        let fields = [(&path.pc, &thread.pc), (&path.depth, &thread.depth), (&path.parked, &thread.parked)];
        let fields = fields.map(|(path, thread)| path.eq(thread));
        &thread.live & join(&fields).all()
    };
    for (lane, thread) in threads.iter().enumerate() {
        let holds: Vec<Expr> = list.iter().map(|path| &path.valid & path.mask.bit(lane)).collect();
        let holds = m.wire(&format!("holds_{lane}"), &join(&holds));
        claim(&format!("thread_{lane}_is_listed_while_it_lives"), holds.any().eq(&thread.live));
        let once = list.iter().enumerate().map(|(number, path)| {
            let others = join(
                (0..list.len())
                    .filter(|other| *other != number)
                    .map(|other| holds.bit(other))
                    .collect::<Vec<_>>()
                    .iter(),
            );
            !holds.bit(number) | (others.none() & agrees(path, thread))
        });
        claim(&format!("thread_{lane}_is_listed_once_as_it_is"), reduce(&once.collect::<Vec<_>>(), &|a, b| a & b));
    }
    for (number, path) in list.iter().enumerate() {
        claim(&format!("path_{number}_has_threads"), !&path.valid | path.mask.any());
    }

    m.comment("The path in charge is a path of it, and what S7 is given.");
    let lives = join(threads.iter().map(|thread| &thread.live)).any();
    claim("a_path_is_in_charge_while_a_thread_lives", charge.valid.eq(&lives) | &at.unsettled);
    claim("the_path_in_charge_has_threads", !&charge.valid | charge.mask.any() | &at.unsettled);
    for (lane, thread) in threads.iter().enumerate() {
        let apart = !(&charge.valid & charge.mask.bit(lane)) | agrees(&charge, thread);
        claim(&format!("the_path_in_charge_holds_thread_{lane}_as_it_is"), apart | &at.unsettled);
    }
    let same_path = |given: &Path, parked: &Expr| {
        let fields = [(&given.pc, &charge.pc), (&given.depth, &charge.depth), (&given.mask, &charge.mask)];
        let fields = fields.map(|(given, charge)| given.eq(charge));
        given.valid.eq(&charge.valid) & (!&charge.valid | (join(&fields).all() & given.parked.eq(parked)))
    };
    let gives_way = circuit.output_as("gives_way_charge", "gives_way_charge");
    let given_to_s7 = same_path(&given_s7, &charge.parked) & gives_way_s7.eq(&gives_way);
    claim("s7_is_given_the_path_in_charge", !&at.in_s7 | given_to_s7);
    let given_to_s8 = same_path(&Path::from_instance(&rules, shape, "given"), &(&charge.parked | &released))
        & rules.output("gives_way_given").eq(&gives_way);
    claim("s8_has_the_path_in_charge", !(&at.in_s8 & &at.started_by_s7) | &at.settling | given_to_s8);
    let listed: Vec<&Expr> = list.iter().map(|path| &path.valid).collect();
    m.cover("every_thread_is_a_path", &(&at.started & join(listed).all()));
    let lived: Vec<&Expr> = threads.iter().map(|thread| &thread.live).collect();
    m.cover("every_thread_ends", &(&at.started & join(lived).none()));
    m.cover("a_release", &(&at.started & &released & &charge.valid));
    if shape.rotates {
        let others =
            threads.iter().zip(charge.mask.lanes(1)).map(|(thread, own)| &thread.live & !&thread.parked & !own);
        let others = m.wire("others_run", &join(&others.collect::<Vec<_>>()).any());
        let stuck = &charge.valid & &charge.parked & &others;
        claim("a_parked_path_gives_way_to_one_that_runs", !stuck | &gives_way);
        claim("a_path_gives_way_to_one_that_runs", !&gives_way | (&charge.valid & others));
        claim("no_path_gives_way_over_a_release", !(gives_way & released));
    }
    if let Some(longest) = unit.longest_wait(shape) {
        m.comment("A thread that can run does. The unit's bound on the commits to come is what makes that inductive.");
        let thread = m.wire("the_thread", &decode(&at.thread, shape.threads));
        let can_run: Vec<Expr> = threads.iter().map(|thread| &thread.live & !&thread.parked).collect();
        let waits = (join(&can_run) & &thread).any();
        let runs = (rules.output("runs_now") & thread).any();
        let waited = m.register("waited", clog2(longest as usize + 2));
        let again = &runs | !waits;
        waited.next(&increment(&waited, 1).when(&!&again)).enable(&(again | rules.output("commits_now"))).reset(0);
        let at_most = circuit.output_as("waits_at_most", "waits_at_most");
        let width = at_most.width();
        let left = m.wire("left", &(lit(width, longest) - waited.extend(width)));
        m.assert("no_thread_has_waited_longer", &!lit(waited.width(), longest).lt(&waited));
        claim("the_thread_waits_no_longer", !left.lt(&at_most));
        m.cover("a_thread_waits_so_long", &waited.is(longest));
    }
    m.finish()
}
