//! CCS, context compact sort: sorts up to three paths and merges equal ones, in one cycle ("Path list traversal: a
//! new class of SIMT flow tracking mechanisms", section 3.2).
//!
//! Six comparators (order and equality of each pair) find the first, second and third path. Three multiplexers of
//! three inputs follow. x is needed in S8. y and z are written in S9, so their multiplexers are behind registers.
//!
//! Whether x is at the predicted pc is found for a, b and c in parallel with the comparators. Two other properties do
//! not depend on the order, because paths that can run precede all that cannot: whether x is parked, and whether a
//! second path can run.
//!
//! A rotation compares nothing. The yielding path b and c swap places, or c comes first and b goes to the cold table.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, join, lit, ones, zeros};

use crate::shape::Shape;
use crate::signals::Path;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("ccs", "Context compact sort: orders paths a, b and c, and merges equal ones.");
    m.timing(
        "x is combinational in S8; y and z are chosen behind registers, in S9. All inputs belong to the \
         instruction in S8; without one the outputs are undefined.",
    );
    let inputs = Inputs::declare(&m, shape);
    let order = Order::of(&m, &inputs);
    let merged = Merged::of(&m, &inputs, &order);
    let places = Places::of(&m, &inputs, &order, &merged);
    let select = Select::of(&m, &inputs, &places);
    let [a, b, c] = &inputs.paths;
    let names = ["a_s9", "b_s9", "c_s9"];
    let later: Vec<Path> = merged.paths.iter().zip(names).map(|(path, name)| path.delay(&m, shape, name)).collect();

    m.port_group("S8: the active path");
    let (rotates, goes_on) = (&inputs.rotates, &inputs.goes_on);
    let runs = [a, b, c].map(Path::can_run);
    let runs = m.wire("can_run", &join(&runs));
    let parked = rotates.mux(&goes_on.mux(&b.parked, &c.parked), &runs.none());
    let x = choose(&merged.paths, &select.x, &a.valid | &b.valid | &c.valid);
    Path { parked: m.wire("is_parked", &parked), ..x }.outputs(&m, "x");
    m.comment("A rotation always resteers, so it ignores this output.");
    m.output("x_at_prediction", &one_of(&merged.at_prediction, &places.first));

    m.port_group("S9: the next path, and the one that goes to the cold table");
    let select_y_s9 = m.delay("select_y_s9", &m.fault("y_is_the_third_path", &select.y, &select.z));
    let y_stands = m.delay("y_stands_s9", &select.y.any());
    choose(&later, &select_y_s9, y_stands.clone()).outputs(&m, "y");
    m.output("y_changes", &(!select_y_s9.bit(2) & (m.delay("c_stands_s9", &c.valid) | y_stands)));
    let to_back = m.wire("goes_to_back", &(&select.swaps & &inputs.cold_any));
    let to_front = m.fault("loses_the_third_path", &(places.third.any() & !rotates), &zeros(1));
    let to_front = m.wire("goes_to_front", &to_front);
    let select_z_s9 = m.delay("select_z_s9", &select.z);
    // Whether there is such a path is said in S8, below.
    choose(&later, &select_z_s9, zeros(0)).outputs(&m, "z");
    m.output("z_is_c", &select_z_s9.bit(2));

    m.port_group("S8: where z goes, whether y comes from the front of the cold table instead");
    m.output("to_back", &to_back);
    m.output("to_front", &to_front);
    let extracts = &inputs.cold_any & rotates.mux(&!goes_on, &places.second.none());
    m.output("extracts", &m.wire("takes_front", &extracts));
    m.port_group("x has the threads of c, x is c alone; the second path can run");
    m.output("x_has_c", &one_of(&[order.a_is_c.clone(), order.b_is_c.clone(), ones(1)], &select.x));
    m.output("x_is_c", &select.x.bit(2));
    let both_run = |p: usize, q: usize, same: &Expr| runs.bit(p) & runs.bit(q) & !same;
    let second_runs = both_run(0, 1, &order.a_is_b) | both_run(0, 2, &order.a_is_c) | both_run(1, 2, &order.b_is_c);
    m.output("second_runs", &second_runs);
    m.finish()
}

rtl::inputs! {
    struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "the paths: a and b from the active path, c from the second hot table"]
        paths: [Path; 3] = ["a", "b", "c"].map(|name| Path::inputs(m, shape, name)),
        #[group = "during a time slice, and where one is due, c comes after a and b unless they are parked"]
        deferred: Expr = m.input("c_deferred", 1),
        #[group = "a rotation: b yields to c, or continues; whether the cold table has a path"]
        rotates: Expr = m.input("rotates", 1),
        goes_on: Expr = m.input("goes_on", 1),
        /// b, if valid, are threads that their instruction has not served: it comes first and merges with no other path.
        in_parts: Expr = m.input("in_parts", 1),
        cold_any: Expr = m.input("cold_any", 1),
        #[group = "compared with x: is it at this pc"]
        predicted: Expr = m.input("predicted", shape.pc_bits),
    }
}

struct Order {
    b_before_a: Expr,
    c_before_a: Expr,
    c_before_b: Expr,
    a_is_b: Expr,
    a_is_c: Expr,
    b_is_c: Expr,
}

impl Order {
    fn of(m: &Builder, inputs: &Inputs) -> Self {
        m.comment("Order and equality of each pair: greater depth first, then lesser pc.");
        // Each key contains the other side's depth, which needs no inverters in front of the carry chain.
        let key = |path: &Path, waits: &Expr, depth: &Expr| concat([&path.parked, waits, depth, &path.pc]);
        let Inputs { paths: [a, b, c], deferred, rotates, in_parts, .. } = inputs;
        let before = |name: &str, [p, q]: [&Path; 2], [p_waits, q_waits]: [&Expr; 2]| {
            let q_depth = m.fault(&format!("{name}_ignores_the_call_depth"), &q.depth, &p.depth);
            m.wire(name, &key(p, p_waits, &q_depth).lt(&key(q, q_waits, &p.depth)))
        };
        let no = lit(1, 0);
        // An instruction in parts parks neither a nor b, so it is enough that a and c wait for b.
        let b_first = m.fault("unserved_threads_do_not_go_first", in_parts, &no);
        let c_behind_a = m.fault("c_does_not_wait_behind_a", deferred, &no);
        let b_before_a = before("b_before_a", [b, a], [&no, &b_first]);
        let c_before_a = before("c_before_a", [c, a], [&c_behind_a, &no]);
        let c_before_b = before("c_before_b", [c, b], [&(deferred | &b_first), &no]);
        let place = |path: &Path| concat([&path.parked, &path.depth, &path.pc]);
        let same = |p: &Path, q: &Path| &p.valid & &q.valid & place(p).eq(&place(q));
        let b_merges = !m.fault("unserved_threads_merge", in_parts, &no);
        let a_is_b = m.wire("a_is_b", &(same(a, b) & &b_merges));
        let a_is_c = m.wire("a_is_c", &same(a, c));
        let b_equals_c = m.wire("b_equals_c", &same(b, c));
        let b_merges = b_merges & m.fault("a_rotation_merges", &!rotates, &ones(1));
        let b_is_c = m.wire("b_is_c", &(b_equals_c & b_merges));
        Self { b_before_a, c_before_a, c_before_b, a_is_b, a_is_c, b_is_c }
    }
}

/// The paths after equal ones are merged.
struct Merged {
    /// Whether each of a, b and c is still a path of its own.
    valid: [Expr; 3],
    /// The paths, each with the threads of the paths merged into it.
    paths: Vec<Path>,
    at_prediction: [Expr; 3],
}

impl Merged {
    fn of(m: &Builder, inputs: &Inputs, Order { a_is_b, a_is_c, b_is_c, .. }: &Order) -> Self {
        m.comment("Merge: of equal paths, the alphabetically first one gets the threads of all.");
        let [a, b, c] = &inputs.paths;
        let valid = [
            a.valid.clone(),
            m.wire("b_stands", &(&b.valid & !a_is_b)),
            m.wire("c_stands", &(&c.valid & !(a_is_c | b_is_c))),
        ];
        let a_takes_b = m.fault("a_merge_loses_the_threads_of_b", a_is_b, &zeros(1));
        let masks = [
            m.wire("mask_a_merged", &(&a.mask | b.mask.when(&a_takes_b) | c.mask.when(a_is_c))),
            m.wire("mask_b_merged", &(&b.mask | c.mask.when(b_is_c))),
            c.mask.clone(),
        ];
        let at_prediction = [a, b, c].map(|path| path.pc.eq(&inputs.predicted));
        let paths = inputs.paths.iter().zip(masks).map(|(path, mask)| Path { mask, ..path.clone() }).collect();
        Self { valid, paths, at_prediction }
    }
}

/// The path that comes first, second and third: a bit for each of a, b and c.
struct Places {
    first: Expr,
    second: Expr,
    third: Expr,
}

impl Places {
    fn of(m: &Builder, inputs: &Inputs, order: &Order, Merged { valid, .. }: &Merged) -> Self {
        m.comment("The first path does not depend on merges: among equals it is the one with the merged mask.");
        let [a, b, c] = &inputs.paths;
        let Order { b_before_a, c_before_a, c_before_b, .. } = order;
        let first_a = &a.valid & !((&b.valid & b_before_a) | (&c.valid & c_before_a));
        let first_b = &b.valid & !((&a.valid & !b_before_a) | (&c.valid & c_before_b));
        let first_c = &c.valid & !((&a.valid & !c_before_a) | (&b.valid & !c_before_b));
        let first = m.wire("first", &join([&first_a, &first_b, &first_c]));
        m.comment("Whether each path is behind the others.");
        let behind = [
            [&valid[1] & b_before_a, &valid[2] & c_before_a],
            [&valid[0] & !b_before_a, &valid[2] & c_before_b],
            [&valid[0] & !c_before_a, &valid[1] & !c_before_b],
        ];
        let place = |name: &str, f: &dyn Fn(&[Expr; 2]) -> Expr| {
            let places: Vec<Expr> = valid.iter().zip(&behind).map(|(valid, behind)| valid & f(behind)).collect();
            m.wire(name, &join(&places))
        };
        let second = place("second", &|[p, q]| p ^ q);
        let third = place("third", &|[p, q]| p & q);
        Self { first, second, third }
    }
}

/// The path that leaves as x, y and z: a bit for each of a, b and c.
struct Select {
    x: Expr,
    y: Expr,
    z: Expr,
    swaps: Expr,
}

impl Select {
    fn of(m: &Builder, Inputs { rotates, goes_on, .. }: &Inputs, places: &Places) -> Self {
        let (only_b, only_c) = (lit(3, 0b010), lit(3, 0b100));
        let swaps = m.wire("swaps", &(rotates & !goes_on));
        let x = m.wire("select_x", &rotates.mux(&goes_on.mux(&only_b, &only_c), &places.first));
        let y = m.wire("select_y", &rotates.mux(&goes_on.mux(&only_c, &only_b), &places.second));
        let z = m.wire("select_z", &swaps.mux(&only_b, &places.third));
        Self { x, y, z, swaps }
    }
}

/// The path a, b or c whose select bit is set; c if none is.
fn choose(paths: &[Path], select: &Expr, valid: Expr) -> Path {
    let paths: Vec<&Path> = paths.iter().collect();
    Path { valid, ..Path::choose(&paths, &|values| one_of(values, select)) }
}

fn one_of(values: &[Expr], select: &Expr) -> Expr {
    select.bit(0).mux(&values[0], &select.bit(1).mux(&values[1], &values[2]))
}
