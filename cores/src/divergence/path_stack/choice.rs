//! The next active path x, and the path that waits instead, from the outcomes of an instruction and the front f.
//!
//! Of two outcomes the better one is x, whatever f is: of a branch the smaller pc, of a memory access or `jalr` the lanes
//! that it has not served. A single outcome is x unless f comes before it. So x is one of a, b and f, and all
//! comparisons are made in parallel.

use rtl::{Builder, Expr, ones, zeros};

use super::turns::Turns;
use super::waiting::Waiting;
use super::{comes_before, is_at};
use crate::divergence::UnitInputs;
use crate::signals::{Ahead, Path, Resolve};

/// The outcomes of an instruction. A rotation has the outcome b only, which is x itself.
pub struct Outcomes {
    pub a: Path,
    pub b: Path,
    /// An outcome has threads.
    pub any: Expr,
    /// There are two outcomes: the sides of a branch, at different pcs, or lanes that are served and others that are not.
    pub two: Expr,
    /// Of two outcomes the better one is a. A single outcome is a.
    pub first_is_a: Expr,
    /// b are lanes that their instruction has not served.
    pub parts_remain: Expr,
}

/// The pcs of a and b, compared in S7 for S8.
pub struct Pcs {
    pub differ: Expr,
    pub a_first: Expr,
}

impl Pcs {
    pub fn ahead(m: &Builder, inputs: &UnitInputs) -> Self {
        m.comment("S7 compares the pcs of the outcomes.");
        let Ahead { a_pc, b_pc, .. } = &inputs.ahead;
        let differ = m.fault("sides_at_one_pc_are_two_outcomes", &a_pc.ne(b_pc), &ones(1));
        Self { differ: m.delay("pcs_differ", &differ), a_first: m.delay("a_is_first", &a_pc.lt(b_pc)) }
    }
}

impl Outcomes {
    pub fn of(m: &Builder, resolve: &Resolve, pcs: &Pcs) -> Self {
        m.comment("S8: the outcomes. At one pc the sides of a branch are one.");
        let [a, b] = resolve.paths();
        let a = Path { valid: m.wire("a_valid", &a.valid), ..a };
        let b = Path { valid: m.wire("b_valid", &b.valid), ..b };
        let parts_remain = m.wire("parts_remain", &(&resolve.in_parts & &b.valid));
        let parts_first = m.fault("unserved_threads_do_not_go_first", &parts_remain, &zeros(1));
        m.comment("The sides of a branch have one depth.");
        let two = m.wire("two", &(&a.valid & &b.valid & (&parts_remain | &pcs.differ)));
        let first_is_a = m.wire("first_is_a", &two.mux(&(&pcs.a_first & !parts_first), &a.valid));
        Self { any: m.wire("any", &(&a.valid | &b.valid)), first_is_a, parts_remain, two, a, b }
    }
}

/// An outcome compared with f.
struct Compared<'a> {
    path: &'a Path,
    /// f is at its pc and depth.
    at: Expr,
    /// f is equal to it: both are also parked, or both can run.
    is: Expr,
    /// f has a greater depth, or the same depth and a smaller pc.
    before: Expr,
    at_prediction: Expr,
}

impl<'a> Compared<'a> {
    fn of(m: &Builder, name: &str, path: &'a Path, f: &Path, predicted: &Expr) -> Self {
        let depth = m.fault(&format!("f_before_{name}_ignores_the_call_depth"), &f.depth, &path.depth);
        let before = comes_before([&depth, &f.pc], [&path.depth, &path.pc]);
        let at = m.wire(&format!("f_at_{name}"), &is_at([&f.depth, &f.pc], [&path.depth, &path.pc]));
        let is = &at & &f.valid & &path.valid & path.parked.eq(&f.parked);
        Self {
            is: m.wire(&format!("f_is_{name}"), &is),
            before: m.wire(&format!("f_before_{name}"), &before),
            at_prediction: path.pc.eq(predicted),
            path,
            at,
        }
    }
}

/// The next paths. Exactly one of the flags from `none` to `pushes` holds.
pub struct Choice {
    pub x: Path,
    pub at_prediction: Expr,
    /// If b has threads, x is b alone.
    pub is_b: Expr,
    /// x is at the pc of f: f itself, or merged with f.
    pub takes_front: Expr,
    /// No outcome has threads. f is x.
    pub none: Expr,
    /// The single outcome merges with f.
    pub merges: Expr,
    /// The single outcome and f change places.
    pub changes: Expr,
    /// A rotation: x goes to the back, and f is x.
    pub to_back: Expr,
    /// The single outcome is x, and f stays.
    pub stays: Expr,
    /// The second outcome merges with f.
    pub joins: Expr,
    /// The second outcome becomes f, in front of the present one.
    pub pushes: Expr,
    /// The second outcome, or the single one.
    pub other: Path,
    /// f is at the pc and depth of the other path, or comes before it, if both can run.
    pub f_at_other: Expr,
    pub f_before_other: Expr,
    /// Afterwards a path other than x can run.
    pub others_run: Expr,
}

impl Choice {
    pub fn of(
        m: &Builder,
        outcomes: &Outcomes,
        waiting: &Waiting,
        turns: &Turns,
        rotates: &Expr,
        predicted: &Expr,
    ) -> Self {
        let Outcomes { any, two, first_is_a, .. } = outcomes;
        let (f, f_runs) = (&waiting.queue.front, &waiting.queue.front_runs);
        m.comment("Both outcomes are compared with f.");
        let [a, b] =
            [("a", &outcomes.a), ("b", &outcomes.b)].map(|(name, path)| Compared::of(m, name, path, f, predicted));

        m.comment("A single outcome merges with an equal f, and lets a better one run.");
        let one = m.wire("one", &(any & !two));
        let of_one = |of: &dyn Fn(&Compared) -> Expr| a.path.valid.mux(&of(&a), &of(&b));
        let one_is_f = m.wire("one_is_f", &of_one(&|compared| compared.is.clone()));
        let one_parked = m.wire("one_parked", &(&one & of_one(&|compared| compared.path.parked.clone())));
        let f_before_one = of_one(&|compared| compared.before.clone());
        let yields = m.wire("yields", &(rotates & &turns.is_over));
        let merges = m.wire("merges", &(&one & &one_is_f & !&yields));
        let keeps = m.fault("a_better_path_ends_a_turn", &turns.keeps, &zeros(1));
        let lets_run = rotates.mux(&!&yields, &(&one_parked | (f_before_one & !&keeps)));
        let changes = m.wire("changes", &(&one & !&one_is_f & f_runs & lets_run));
        let to_back = m.wire("to_back", &(rotates & (&yields | (!&one_is_f & !f_runs))));

        m.comment(
            "The active path. It is f after each rotation, and if f is equal to the single outcome or comes before it.",
        );
        let none = m.wire("none", &!any);
        let may_go_first = m.wire("f_may_go_first", &(f_runs & !&keeps));
        let goes_first = of_one(&|compared| &compared.is | (&compared.before & &may_go_first));
        let takes_front = &none | rotates | (&one & ((f_runs & &one_parked) | goes_first));
        let takes_front = m.wire("takes_front", &takes_front);
        let all = m.wire("all_threads", &(&a.path.mask | &b.path.mask));
        let first = |of: &dyn Fn(&Compared) -> Expr| first_is_a.mux(&of(&a), &of(&b));
        let own = two.mux(&first(&|compared| compared.path.mask.clone()), &all);
        let merged = m.fault("a_merge_loses_the_outcome", &merges, &zeros(1));
        let x = Path {
            valid: m.wire("x_stands", &(any | &f.valid)),
            pc: takes_front.mux(&f.pc, &first(&|compared| compared.path.pc.clone())),
            depth: takes_front.mux(&f.depth, &first(&|compared| compared.path.depth.clone())),
            mask: takes_front.mux(&(&f.mask | all.when(&merged)), &own),
            parked: m.wire("x_parks", &takes_front.mux(&f.parked, &one_parked)),
        };
        let at_prediction = takes_front.mux(&f.pc.eq(predicted), &first(&|compared| compared.at_prediction.clone()));

        m.comment("The other path.");
        let other_is_b = m.wire("other_is_b", &two.mux(first_is_a, &!&a.path.valid));
        let of_other = |of: &dyn Fn(&Compared) -> Expr| other_is_b.mux(&of(&b), &of(&a));
        let other_is_f = of_other(&|compared| compared.is.clone());
        let other = Path {
            valid: any.clone(),
            pc: of_other(&|compared| compared.path.pc.clone()),
            depth: of_other(&|compared| compared.path.depth.clone()),
            mask: two.mux(&of_other(&|compared| compared.path.mask.clone()), &all),
            parked: one_parked.clone(),
        };
        let one_runs = &one & !&one_parked & !&merges & (rotates | f_runs);
        Self {
            x,
            at_prediction,
            is_b: !&takes_front & !first_is_a,
            stays: m.wire("stays", &(&one & !&takes_front)),
            joins: m.wire("joins", &(two & &other_is_f)),
            pushes: m.wire("pushes", &(two & !&other_is_f)),
            f_at_other: of_other(&|compared| compared.at.clone()),
            f_before_other: of_other(&|compared| compared.before.clone()),
            others_run: m.wire("others_run", &(two | one_runs | &waiting.queue.ring_runs)),
            other,
            takes_front,
            none,
            merges,
            changes,
            to_back,
        }
    }
}
