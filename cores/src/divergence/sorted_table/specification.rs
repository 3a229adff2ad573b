//! Specification of the CCS, for a proof over all inputs.
//!
//! It follows the rules, not the circuit: it compares no neighbours, and merges and moves nothing. Each path that
//! enters has a place: the number of different keys before its own. Its threads must leave with its key at the port
//! of that place, and nowhere else. All claims are made in S9, when y and z are known.

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, Module, concat, join, lit, zeros};

use super::ccs;
use super::invariants::{promises, rank};
use crate::formal::all_equal;
use crate::shape::Shape;
use crate::signals::Path;

const NAMES: [&str; 3] = ["a", "b", "c"];

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("ccs_specification", "The context compact sort, and its specification.");
    let paths = NAMES.map(|name| Path::inputs(&m, shape, name));
    let control = ["c_deferred", "rotates", "goes_on", "cold_any", "in_parts"].map(|name| (name, m.input(name, 1)));
    let circuit = m.instance("ccs", &ccs::elaborate(shape)?);
    let predicted = m.input("predicted", shape.pc_bits);
    circuit.input("predicted", &predicted);
    for (name, path) in NAMES.into_iter().zip(&paths) {
        path.connect(&circuit, name);
    }
    for (name, value) in &control {
        circuit.input(name, value);
    }
    let [a, b, c] = &paths;
    let [_, (_, rotates), _, (_, cold_any), (_, in_parts)] = &control;
    for (name, promise) in promises([a, b, c], cold_any, [rotates, in_parts]) {
        m.assume(&name, &promise);
    }
    let x = asked_of_x(&m, shape, &circuit, c, rotates, &predicted);

    let was = Was::of(&m, shape, &circuit, paths, control, &x);
    let places = Places::of(&m, &was);
    let ports = ports(&m, &was, &places);
    ports.iter().for_each(|port| port.state(&m, &was.paths));
    no_thread_is_lost(&m, shape, &was, &ports);
    tables(&m, &was, &places);
    covers(&m, &was, &places);
    m.finish()
}

/// Claims the outputs about x in S8: at the predicted pc, has the threads of c. Returns x.
fn asked_of_x(m: &Builder, shape: &Shape, circuit: &Instance, c: &Path, rotates: &Expr, predicted: &Expr) -> Path {
    m.comment("The outputs about x.");
    let x = Path::from_instance(circuit, shape, "x");
    let asked = [
        ("x_at_prediction", &x.valid & !rotates, x.pc.eq(predicted)),
        ("x_has_c", c.valid.clone(), (&x.mask & &c.mask).any()),
    ];
    for (port, when, answer) in asked {
        m.assert(&format!("{port}_is_of_x"), &(!when | circuit.net(port).eq(&answer)));
    }
    x
}

/// The inputs of S8 and the outputs, all in S9.
struct Was {
    paths: [Path; 3],
    deferred: Expr,
    rotates: Expr,
    goes_on: Expr,
    cold_any: Expr,
    /// b are threads that their instruction has not served.
    parts_remain: Expr,
    x: Path,
    y: Path,
    z: Path,
    to_back: Expr,
    to_front: Expr,
    extracts: Expr,
    x_is_c: Expr,
    second_runs: Expr,
    y_changes: Expr,
}

impl Was {
    fn of(
        m: &Builder,
        shape: &Shape,
        circuit: &Instance,
        paths: [Path; 3],
        control: [(&str, Expr); 5],
        x: &Path,
    ) -> Self {
        m.comment("The inputs of S8, and the outputs.");
        let later = |name: &str, value: &Expr| m.delay(&format!("{name}_was"), value);
        let paths = [0, 1, 2].map(|own| paths[own].delay(m, shape, &format!("{}_was", NAMES[own])));
        let [deferred, rotates, goes_on, cold_any, in_parts] = control.map(|(name, value)| later(name, &value));
        let parts_remain = in_parts & &paths[1].valid;
        let x = x.delay(m, shape, "x_was");
        let [y, z] = ["y", "z"].map(|name| Path::from_instance(circuit, shape, name));
        let [to_back, to_front, extracts, x_is_c, second_runs] =
            ["to_back", "to_front", "extracts", "x_is_c", "second_runs"].map(|name| later(name, &circuit.net(name)));
        let y_changes = m.wire("y_is_another", &(circuit.output("y_changes") | &extracts));
        Self {
            paths,
            deferred,
            rotates,
            goes_on,
            cold_any,
            parts_remain,
            x,
            y,
            z,
            to_back,
            to_front,
            extracts,
            x_is_c,
            second_runs,
            y_changes,
        }
    }

    /// c is the same as a path that precedes it, even if c is deferred.
    fn joins_c(&self, path: &Path) -> Expr {
        &path.valid & rank(path).eq(&rank(&self.paths[2]))
    }
}

struct Entering {
    path: Path,
    /// The number of different keys before its own: 0, 1 or 2, one-hot.
    places: [Expr; 3],
}

struct Places {
    entering: Vec<Entering>,
    /// c comes after a and b, although its key may be less.
    waits: Expr,
    two: Expr,
    three: Expr,
    swaps: Expr,
}

impl Places {
    fn of(m: &Builder, was: &Was) -> Self {
        m.comment("The places of the paths.");
        let [a, b, c] = &was.paths;
        let joins_b = was.joins_c(b) & !&was.parts_remain;
        let waits = m.wire("c_waits", &(&was.deferred & !was.joins_c(a) & !joins_b));
        let key = |name: &str, path: &Path, behind: &Expr, waits: &Expr| {
            m.wire(&format!("key_{name}"), &concat([behind, &path.parked, waits, &!&path.depth, &path.pc]))
        };
        let (no, behind) = (lit(1, 0), &was.parts_remain);
        let keys = [key("a", a, behind, &no), key("b", b, &no, &no), key("c", c, behind, &waits)];
        let entering = |own: usize| {
            let others = [(own + 1) % 3, (own + 2) % 3];
            let before = |other: usize| {
                let name = format!("{}_before_{}", NAMES[other], NAMES[own]);
                m.wire(&name, &(&was.paths[other].valid & keys[other].lt(&keys[own])))
            };
            let [p, q] = others.map(before);
            let both = &p & &q & keys[others[0]].ne(&keys[others[1]]);
            let two = m.wire(&format!("two_before_{}", NAMES[own]), &both);
            Entering { path: was.paths[own].clone(), places: [!(&p | &q), (p | q) & !&two, two] }
        };
        let entering: Vec<Entering> = (0..3).map(entering).collect();
        let two = exists(m, &entering, "two_leave", &|e| e.places[1].clone());
        let three = exists(m, &entering, "three_leave", &|e| e.places[2].clone());
        m.comment("The port of each path: by its place, or in a rotation fixed for b and c.");
        let swaps = m.wire("b_and_c_swap", &(&was.rotates & !&was.goes_on));
        Self { entering, waits, two, three, swaps }
    }
}

fn exists(m: &Builder, entering: &[Entering], name: &str, condition: &dyn Fn(&Entering) -> Expr) -> Expr {
    let each: Vec<Expr> = entering.iter().map(|e| &e.path.valid & condition(e)).collect();
    m.wire(name, &join(&each).any())
}

struct Port<'a> {
    name: &'static str,
    path: &'a Path,
    valid: Expr,
    /// For each path that enters, whether it must leave here.
    here: Vec<Expr>,
}

fn ports<'a>(m: &Builder, was: &'a Was, places: &Places) -> [Port<'a>; 3] {
    let Was { rotates, goes_on, cold_any, .. } = was;
    let rotated = |name: &str, own: usize| match (name, own) {
        ("x", 1) | ("y", 2) => goes_on.clone(),
        ("x", 2) => !goes_on,
        ("y", 1) => !goes_on & !cold_any,
        ("z", 1) => !goes_on & cold_any,
        _ => lit(1, 0),
    };
    let here = |name: &str, place: usize| -> Vec<Expr> {
        let leaves = |(own, e): (usize, &Entering)| {
            let here = rotates.mux(&rotated(name, own), &e.places[place]);
            m.wire(&format!("{}_to_{name}", NAMES[own]), &(&e.path.valid & here))
        };
        places.entering.iter().enumerate().map(leaves).collect()
    };
    [
        Port { name: "x", path: &was.x, valid: was.x.valid.clone(), here: here("x", 0) },
        Port { name: "y", path: &was.y, valid: &was.y.valid & !&was.extracts, here: here("y", 1) },
        Port { name: "z", path: &was.z, valid: &was.to_back | &was.to_front, here: here("z", 2) },
    ]
}

impl Port<'_> {
    /// A path that leaves here has the threads and the key of those that must.
    fn state(&self, m: &Builder, paths: &[Path; 3]) {
        let Self { name, path, valid, here } = self;
        m.assert(&format!("{name}_leaves_with_its_place"), &valid.eq(&join(here).any()));
        let threads = here.iter().zip(paths).map(|(here, path)| path.mask.when(here));
        let threads = m.wire(&format!("threads_of_{name}"), &threads.reduce(|a, b| a | b).expect("three paths"));
        m.assert(&format!("{name}_has_the_threads_of_its_place"), &(!valid | path.mask.eq(&threads)));
        let same = here.iter().zip(paths).map(|(here, entered)| {
            let fields = [(&path.pc, &entered.pc), (&path.depth, &entered.depth), (&path.parked, &entered.parked)];
            !here | all_equal(fields)
        });
        m.assert(&format!("{name}_has_the_key_of_its_place"), &same.reduce(|a, b| a & b).expect("three paths"));
    }
}

fn no_thread_is_lost(m: &Builder, shape: &Shape, was: &Was, ports: &[Port; 3]) {
    m.comment("No thread is lost or doubled. No two equal paths leave, except in a rotation.");
    let union = |paths: &mut dyn Iterator<Item = Expr>| paths.fold(zeros(shape.threads), |a, b| a | b);
    let entered = union(&mut was.paths.iter().map(|path| path.mask.when(&path.valid)));
    let left = union(&mut ports.iter().map(|port| port.path.mask.when(&port.valid)));
    m.assert("no_thread_is_lost", &entered.eq(&left));
    for (p, q, name) in [(0, 1, "x_and_y"), (0, 2, "x_and_z"), (1, 2, "y_and_z")] {
        let (p, q) = (&ports[p], &ports[q]);
        let apart = m.wire(&format!("{name}_leave"), &(&p.valid & &q.valid));
        m.assert(&format!("{name}_share_no_thread"), &(!&apart | (&p.path.mask & &q.path.mask).none()));
        let differ = rank(p.path).ne(&rank(q.path));
        let x_stays_apart = if name.starts_with('x') { was.parts_remain.clone() } else { zeros(1) };
        m.assert(&format!("{name}_are_not_to_be_merged"), &(!apart | differ | &was.rotates | x_stays_apart));
    }
}

fn tables(m: &Builder, was: &Was, places: &Places) {
    m.comment("The outputs to the tables.");
    let Was { paths: [a, b, c], rotates, cold_any, x, y, .. } = was;
    m.assert("goes_to_the_back", &was.to_back.eq(&(&places.swaps & cold_any)));
    m.assert("goes_to_the_front", &was.to_front.eq(&(!rotates & &places.three)));
    m.assert("takes_the_front", &was.extracts.eq(&(cold_any & rotates.mux(&places.swaps, &!&places.two))));
    let same_y = y.valid.eq(&c.valid) & (!&c.valid | (y.mask.eq(&c.mask) & rank(y).eq(&rank(c))));
    m.assert("y_changes_or_stays", &(&was.y_changes | same_y));
    let x_was_y = &places.entering[2].places[0] & !was.joins_c(a) & !was.joins_c(b);
    m.assert("tells_whether_x_was_y", &(rotates | !&x.valid | was.x_is_c.eq(&(x_was_y & &c.valid))));
    let second = exists(m, &places.entering, "a_second_runs", &|e| &e.places[1] & !&e.path.parked);
    m.assert("tells_whether_a_second_path_runs", &(rotates | was.second_runs.eq(&second)));
}

fn covers(m: &Builder, was: &Was, Places { entering, waits, two, three, swaps }: &Places) {
    let Was { paths: [a, b, c], rotates, extracts, .. } = was;
    m.cover("three_are_one", &(&a.valid & &b.valid & &c.valid & !two));
    let reversed = &entering[0].places[2] & &entering[2].places[0] & &a.valid & &was.to_front;
    m.cover("three_leave_in_reverse", &reversed);
    let last = waits & three & &entering[2].places[2] & &c.valid & !rotates;
    m.cover("c_comes_last_while_it_waits", &last);
    m.cover("c_leads_while_it_waits", &(waits & &was.x_is_c & two & !rotates));
    m.cover("equal_paths_stay_apart", &(&was.parts_remain & was.joins_c(b) & !was.joins_c(a)));
    m.cover("nothing_is_left", &!&was.x.valid);
    m.cover("y_stays", &(&a.valid & &c.valid & !&was.y_changes));
    m.cover("y_comes_from_the_cold_table", &(extracts & !rotates));
    m.cover("a_rotation_to_the_cold_table", &(rotates & &was.to_back));
    m.cover("a_rotation_between_two", &(swaps & !&was.cold_any));
    m.cover("a_rotation_that_changes_nothing", &(rotates & &was.goes_on));
}
