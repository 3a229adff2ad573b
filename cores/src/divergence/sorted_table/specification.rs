//! What the CCS must do, stated for a proof over all inputs.
//!
//! Written from the rules, not from the circuit: no path is compared with its neighbour, merged or moved. Each path that
//! enters has a place, the number of different keys before its own; its threads must leave with its key at the port
//! that stands for that place, and nowhere else. Everything is stated in S9, when y and z are there.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, join, lit, zeros};

use super::ccs;
use super::invariants::{promises, rank};
use crate::shape::Shape;
use crate::signals::Path;

/// A path that enters.
struct Entering {
    path: Path,
    /// Number of different keys before its own: 0, 1 or 2.
    places: [Expr; 3],
}

/// The CCS and its specification, as properties.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("ccs_specification", "The context compact sort, and what it must do.");
    let names = ["a", "b", "c"];
    let paths = names.map(|name| Path::inputs(&m, shape, name));
    let control = ["c_deferred", "rotates", "goes_on", "cold_any"].map(|name| (name, m.input(name, 1)));
    let circuit = m.instance("ccs", &ccs::elaborate(shape)?);
    let (predicted, marked) = (m.input("predicted", shape.pc_bits), m.input("marked", shape.threads));
    circuit.input("predicted", &predicted).input("marked", &marked);
    for (name, path) in names.into_iter().zip(&paths) {
        path.connect(&circuit, name);
    }
    for (name, value) in &control {
        circuit.input(name, value);
    }
    let [a, b, c] = &paths;
    let [_, (_, rotates), _, (_, cold_any)] = &control;
    for (name, promise) in promises([a, b, c], cold_any, rotates) {
        m.assume(&name, &promise);
    }

    m.comment("What is asked of x.");
    let x = Path::from_instance(&circuit, shape, "x");
    let asked = [
        ("x_at_prediction", &x.valid & !rotates, x.pc.eq(&predicted)),
        ("x_has_marked", lit(1, 1), (&x.mask & &marked).any()),
        ("x_is_b", b.valid.clone(), &x.valid & x.mask.eq(&b.mask) & rank(&x).eq(&rank(b))),
    ];
    for (port, when, answer) in asked {
        m.assert(&format!("{port}_is_of_x"), &(!when | circuit.net(port).eq(&answer)));
    }

    m.comment("What entered in S8, and what left.");
    let later = |name: &str, value: &Expr| m.delay(&format!("{name}_was"), value);
    let paths = [0, 1, 2].map(|own| paths[own].delay(&m, shape, &format!("{}_was", names[own])));
    let [a, b, c] = &paths;
    let [deferred, rotates, goes_on, cold_any] = control.map(|(name, value)| later(name, &value));
    let x = x.delay(&m, shape, "x_was");
    let [y, z] = ["y", "z"].map(|name| Path::from_instance(&circuit, shape, name));
    let flag = |name: &str| later(name, &circuit.net(name));
    let (to_back, to_front, extracts) = (flag("to_back"), flag("to_front"), flag("extracts"));
    let (x_is_c, second_runs) = (flag("x_is_c"), flag("second_runs"));
    let y_changes = m.wire("y_is_another", &(circuit.output("y_changes") | &extracts));

    m.comment("Places.");
    let joins_c = |path: &Path| &path.valid & rank(path).eq(&rank(c));
    let waits = m.wire("c_waits", &(&deferred & !joins_c(a) & !joins_c(b)));
    let key = |name: &str, path: &Path, waits: &Expr| {
        m.wire(&format!("key_{name}"), &concat([&path.parked, waits, &!&path.depth, &path.pc]))
    };
    let no = lit(1, 0);
    let keys = [key("a", a, &no), key("b", b, &no), key("c", c, &waits)];
    let entering: Vec<Entering> = (0..3)
        .map(|own| {
            let others = [(own + 1) % 3, (own + 2) % 3];
            let before = |other: usize| {
                let name = format!("{}_before_{}", names[other], names[own]);
                m.wire(&name, &(&paths[other].valid & keys[other].lt(&keys[own])))
            };
            let [p, q] = others.map(before);
            let both = &p & &q & keys[others[0]].ne(&keys[others[1]]);
            let two = m.wire(&format!("two_before_{}", names[own]), &both);
            Entering { path: paths[own].clone(), places: [!(&p | &q), (p | q) & !&two, two] }
        })
        .collect();
    let exists = |name: &str, condition: &dyn Fn(&Entering) -> Expr| {
        let each: Vec<Expr> = entering.iter().map(|e| &e.path.valid & condition(e)).collect();
        m.wire(name, &join(&each).any())
    };
    let two = exists("two_leave", &|e| e.places[1].clone());
    let three = exists("three_leave", &|e| e.places[2].clone());

    m.comment("Where each path leaves: by its place, or in a rotation b and c each by itself.");
    let swaps = m.wire("b_and_c_swap", &(&rotates & !&goes_on));
    let rotated = |name: &str, own: usize| match (name, own) {
        ("x", 1) | ("y", 2) => goes_on.clone(),
        ("x", 2) => !&goes_on,
        ("y", 1) => !&goes_on & !&cold_any,
        ("z", 1) => !&goes_on & &cold_any,
        _ => no.clone(),
    };
    let port = |name: &str, place: usize| -> Vec<Expr> {
        let leaves = |(own, e): (usize, &Entering)| {
            let here = rotates.mux(&rotated(name, own), &e.places[place]);
            m.wire(&format!("{}_to_{name}", names[own]), &(&e.path.valid & here))
        };
        entering.iter().enumerate().map(leaves).collect()
    };
    let ports = [
        ("x", &x, x.valid.clone(), port("x", 0)),
        ("y", &y, &y.valid & !&extracts, port("y", 1)),
        ("z", &z, &to_back | &to_front, port("z", 2)),
    ];
    for (name, path, valid, here) in &ports {
        m.assert(&format!("{name}_leaves_with_its_place"), &valid.eq(&join(here).any()));
        let threads = here.iter().zip(&paths).map(|(here, path)| path.mask.when(here));
        let threads = m.wire(&format!("threads_of_{name}"), &threads.reduce(|a, b| a | b).expect("three paths"));
        m.assert(&format!("{name}_has_the_threads_of_its_place"), &(!valid | path.mask.eq(&threads)));
        let same = here.iter().zip(&paths).map(|(here, entered)| {
            let fields = [(&path.pc, &entered.pc), (&path.depth, &entered.depth), (&path.parked, &entered.parked)];
            let fields = fields.map(|(left, entered)| left.eq(entered));
            !here | join(&fields).all()
        });
        m.assert(&format!("{name}_has_the_key_of_its_place"), &same.reduce(|a, b| a & b).expect("three paths"));
    }

    m.comment("No thread is lost or doubled, no two equal paths leave but in a rotation.");
    let leaving: Vec<(Expr, &Path)> = ports.iter().map(|(_, path, valid, _)| (valid.clone(), *path)).collect();
    let union = |paths: &mut dyn Iterator<Item = Expr>| paths.fold(zeros(shape.threads), |a, b| a | b);
    let entered = union(&mut paths.iter().map(|path| path.mask.when(&path.valid)));
    let left = union(&mut leaving.iter().map(|(valid, path)| path.mask.when(valid)));
    m.assert("no_thread_is_lost", &entered.eq(&left));
    for (p, q, name) in [(0, 1, "x_and_y"), (0, 2, "x_and_z"), (1, 2, "y_and_z")] {
        let ((valid_p, p), (valid_q, q)) = (&leaving[p], &leaving[q]);
        let apart = m.wire(&format!("{name}_leave"), &(valid_p & valid_q));
        m.assert(&format!("{name}_share_no_thread"), &(!&apart | (&p.mask & &q.mask).none()));
        m.assert(&format!("{name}_are_not_to_be_merged"), &(!apart | rank(p).ne(&rank(q)) | &rotates));
    }

    m.comment("What the tables are told.");
    m.assert("goes_to_the_back", &to_back.eq(&(&swaps & &cold_any)));
    m.assert("goes_to_the_front", &to_front.eq(&(!&rotates & &three)));
    m.assert("takes_the_front", &extracts.eq(&(&cold_any & rotates.mux(&swaps, &!&two))));
    let same_y = y.valid.eq(&c.valid) & (!&c.valid | (y.mask.eq(&c.mask) & rank(&y).eq(&rank(c))));
    m.assert("y_changes_or_stays", &(&y_changes | same_y));
    let x_was_y = &entering[2].places[0] & !joins_c(a) & !joins_c(b);
    m.assert("tells_whether_x_was_y", &(&rotates | !&x.valid | x_is_c.eq(&(x_was_y & &c.valid))));
    let second = exists("a_second_runs", &|e| &e.places[1] & !&e.path.parked);
    m.assert("tells_whether_a_second_path_runs", &(&rotates | second_runs.eq(&second)));

    m.cover("three_are_one", &(&a.valid & &b.valid & &c.valid & !&two));
    m.cover("three_leave_in_reverse", &(&entering[0].places[2] & &entering[2].places[0] & &a.valid & &to_front));
    m.cover("c_comes_last_while_it_waits", &(&waits & &three & &entering[2].places[2] & &c.valid & !&rotates));
    m.cover("c_leads_while_it_waits", &(&waits & &x_is_c & &two & !&rotates));
    m.cover("nothing_is_left", &!&x.valid);
    m.cover("y_stays", &(&a.valid & &c.valid & !&y_changes));
    m.cover("y_comes_from_the_cold_table", &(&extracts & !&rotates));
    m.cover("a_rotation_to_the_cold_table", &(&rotates & &to_back));
    m.cover("a_rotation_between_two", &(&swaps & !&cold_any));
    m.cover("a_rotation_that_changes_nothing", &(&rotates & &goes_on));
    m.finish()
}
