//! The structures of dynamic warp formation, attacked at random: every thread is either in the pool, where its last
//! update put it, or in a warp that has issued.

use rtl::{Direction, ElaborationError, Module, PortInfo, with_fault};
use tools::cache::Cache;
use verilate::{Built, Effort, Model, Port, Source};

#[path = "../../../../cores/examples/warp_formation/structures.rs"]
mod structures;

struct Pins {
    clk: Port,
    rst: Port,
    update: [Port; 4],
    update_ready: Port,
    issue: [Port; 4],
    issue_ready: Port,
}

impl Pins {
    fn of(model: &Model, ports: &[PortInfo]) -> Self {
        let port = |name: &str| {
            let PortInfo { width, direction, .. } = ports.iter().find(|port| port.name == name).unwrap();
            model.port(name, *width, *direction).unwrap()
        };
        let four = |of: &str| ["valid", "pc", "lanes", "homes"].map(|field| port(&format!("{of}_{field}")));
        Self {
            clk: model.port("clk", 1, Direction::Input).unwrap(),
            rst: model.port("rst", 1, Direction::Input).unwrap(),
            update: four("update"),
            update_ready: port("update_ready"),
            issue: four("issue"),
            issue_ready: port("issue_ready"),
        }
    }
}

/// Where a thread is: in the pool at a pc, or issued.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    Waits { pc: u64, since: u64 },
    Runs,
}

/// Runs random updates; returns the warps that issued and their threads, or what was wrong.
fn attack(module: &Module, [warps, threads]: [usize; 2], seed: u64, pcs: u64) -> Result<[u64; 2], String> {
    let ports = module.ports();
    let texts: Vec<String> = module.verilog().into_iter().map(|module| module.text).collect();
    let source = Source { top: "warp_formation", ports: &ports, verilog: &texts.join("\n"), memory: None };
    let built = Built::of(&Cache::of_user(), &source, false, Effort::Fast).unwrap();
    let mut model = built.instance(seed as i32).unwrap();
    let pins = Pins::of(&model, &ports);
    let home_bits = warps.ilog2() as usize;
    let mut rng = fastrand::Rng::with_seed(seed);
    // By home warp and lane. All threads run when reset ends.
    let mut places = vec![vec![Place::Runs; threads]; warps];
    let mut offered: Option<(u64, u64, u64)> = None;
    let mut issued = [0; 2];
    let busy = rng.u32(1..5);
    for cycle in 0..20_000_u64 {
        let in_reset = cycle < 3;
        if offered.is_none() && !in_reset {
            offered = draw(&mut rng, &places, pcs, home_bits);
        }
        let (pc, lanes, homes) = offered.unwrap_or((rng.u64(..1 << 30), 0, 0));
        model.set(pins.rst, in_reset.into());
        for (port, value) in pins.update.into_iter().zip([offered.is_some().into(), pc, lanes, homes]) {
            model.set(port, value);
        }
        let takes = rng.u32(0..busy) == 0;
        model.set(pins.issue_ready, takes.into());
        model.set(pins.clk, 0);
        model.eval().unwrap();
        if !in_reset && offered.is_some() && model.bit(pins.update_ready) {
            for (lane, home) in of_lanes(lanes, homes, home_bits) {
                places[home][lane] = Place::Waits { pc, since: cycle };
            }
            offered = None;
        }
        if !in_reset && takes && model.bit(pins.issue[0]) {
            let [_, pc, lanes, homes] = pins.issue.map(|port| model.get(port));
            if lanes == 0 {
                return Err(format!("cycle {cycle}: a warp without threads"));
            }
            for (lane, home) in of_lanes(lanes, homes, home_bits) {
                match places[home][lane] {
                    Place::Waits { pc: own, .. } if own == pc => places[home][lane] = Place::Runs,
                    place => return Err(format!("cycle {cycle}: lane {lane} of warp {home} at {pc:x}: {place:?}")),
                }
            }
            issued = [issued[0] + 1, issued[1] + u64::from(lanes.count_ones())];
        }
        model.set(pins.clk, 1);
        model.eval().unwrap();
        // No warp waits behind more than all entries, each of which takes a few cycles.
        let most = 8 * u64::from(busy) * (warps * threads) as u64 + 50;
        let waits = |place: &Place| matches!(place, Place::Waits { since, .. } if cycle - since > most);
        if places.iter().flatten().any(waits) {
            return Err(format!("cycle {cycle}: a thread is lost"));
        }
    }
    Ok(issued)
}

/// Threads that run, at most one of each lane, come back at a pc.
fn draw(rng: &mut fastrand::Rng, places: &[Vec<Place>], pcs: u64, home_bits: usize) -> Option<(u64, u64, u64)> {
    let (mut lanes, mut homes) = (0, 0);
    let wanted = rng.u64(..);
    for lane in 0..places[0].len() {
        let running: Vec<_> = (0..places.len()).filter(|home| places[*home][lane] == Place::Runs).collect();
        if wanted >> lane & 1 == 1 && !running.is_empty() {
            lanes |= 1 << lane;
            homes |= (running[rng.usize(..running.len())] as u64) << (lane * home_bits);
        }
    }
    // Some pcs have the same hint.
    let pc = rng.u64(..pcs);
    (lanes != 0).then_some((pc % 3 + 32 * (pc / 3), lanes, homes))
}

fn of_lanes(lanes: u64, homes: u64, home_bits: usize) -> impl Iterator<Item = (usize, usize)> {
    let home = move |lane: usize| (homes >> (lane * home_bits)) as usize & ((1 << home_bits) - 1);
    (0..64).filter(move |lane| lanes >> lane & 1 == 1).map(move |lane| (lane, home(lane)))
}

fn formation([warps, threads]: [usize; 2]) -> Result<Module, ElaborationError> {
    structures::formation(warps, threads)
}

#[test]
fn no_thread_is_lost_and_warps_are_formed() {
    for size in [[2, 2], [4, 4], [8, 8], [4, 16]] {
        let module = formation(size).unwrap();
        for seed in 0..6 {
            let pcs = [1, 2, 5, 40][seed as usize % 4];
            let [warps, threads] = attack(&module, size, seed, pcs).unwrap_or_else(|wrong| panic!("{size:?}: {wrong}"));
            assert!(warps > 200, "{size:?}, seed {seed}: {warps} warps");
            println!("{size:?}, {pcs} pcs: {:.2} threads a warp", threads as f64 / warps as f64);
        }
    }
}

#[test]
fn broken_structures_are_found() {
    for fault in ["a_warp_that_issues_is_joined", "a_hint_of_another_pc_counts", "a_lane_is_taken_twice"] {
        let size = [4, 4];
        let module = with_fault(&format!("warp_formation.{fault}"), || formation(size)).unwrap();
        assert!((0..4).any(|seed| attack(&module, size, seed, 5).is_err()), "{fault}: not found");
    }
}
