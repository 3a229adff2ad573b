//! `sorted-table`: the paths of each warp in order of priority, the best two in hot tables, the others in a cold
//! table ("Path list traversal: a new class of SIMT flow tracking mechanisms", section 3.2).
//!
//! - `ccs`: sorts and merges in one cycle the second path c and the paths a and b, which S7 made of x;
//! - HCT x and y: the active path and the next one, in LUT RAM. x is written in S8. y is written in S9, when a path
//!   from the cold table arrives;
//! - `cct`, `sorter`: the cold table, and the state machine that sorts it in idle cycles;
//! - `turns`: time slices, `divergence.fair_after`.
//!
//! Latency: the active path is known in S8. It yields if it is parked and another path is not, or if its time slice
//! is over. Then the front end stays at its pc for one slot of the pipeline, S7 commits no instruction of it, and
//! S8 rotates the table. The path goes to the back, and the next one becomes active.
//!
//! Storage: 2 · W rows of 3 + T + depth + pc bits in LUT RAM, and the rows of the cold table and the time slices.

mod ccs;
mod cct;
mod invariants;
mod sorter;
mod specification;
mod turns;
mod waiting;

use rtl::{Builder, Bundle, ElaborationError, Expr, Instance, Module, join, ones, zeros};

use super::hot::{self, HotTable};
use super::ring::{self, Ring};
use super::row::Row;
use super::watch::Watch;
use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs, UnitTrace, flag, second_ports};
use crate::shape::Shape;
use crate::signals::{Path, delay_by};
use crate::trace::Traced;
use invariants::{Commit, Hot};
use turns::{Turn, Turns};
use waiting::Waiting;
use weft_config::{SORTED_TABLE, Unit};
use weft_trace::{ExchangePorts, MovePorts, UnitPorts};

pub struct SortedTable;

impl DivergenceUnit for SortedTable {
    fn descriptor(&self) -> &'static Unit {
        &SORTED_TABLE
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let hot = |name, bits| Storage { name, words: shape.warps, bits };
        let mut tables = vec![hot("hot_x", hot::bits(shape, 1)), hot("hot_y", hot::bits(shape, 0))];
        if ring::exists(shape) {
            tables.push(Storage { name: "cold", words: shape.warps * shape.threads, bits: Row::bits(shape) });
            tables.push(hot("rings", Ring::bits(shape)));
        }
        tables.push(hot("turns", Turn::bits(shape)));
        tables
    }

    fn specifications(&self, shape: &Shape) -> Result<Vec<Module>, ElaborationError> {
        Ok(vec![specification::elaborate(shape)?])
    }

    fn puts_the_rest_first(&self) -> bool {
        true
    }

    fn longest_wait(&self, shape: &Shape) -> Option<u64> {
        waiting::longest(shape)
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let (ccs_module, cct_module) = (ccs::elaborate(shape)?, cct::elaborate(shape)?);
        let m = Builder::new(
            "sorted_table",
            "Divergence unit: the paths of a warp in order of priority, the first two in hot tables, the others in a\n\
             cold table that is sorted in idle cycles.",
        );
        m.timing(&super::timing(shape));
        let inputs = UnitInputs::declare(&m, shape);
        let hot = HotTables::declare(&m, shape, &inputs);
        let paths = Paths::of(&m, shape, &inputs, &hot, &ccs_module);
        let turns = paths.turns();
        let gives_way = paths.gives_way(&turns);
        hot.x.write_s8(&m, shape, &inputs, &hot::pack(&paths.x, &hot.generation_s8, [&gives_way]));
        let cold = Cold::of(&paths, &turns, &hot, &cct_module);
        let y = hot.write_y(&paths, &cold);

        let trace = trace(&paths, &cold, &y.word);
        let validate = [hot.validate.clone(), paths.x.clone()];
        UnitOutputs::of_one_slot(validate, [hot.gave_way.clone(), gives_way], trace)
            .following(&paths.ccs.output("x_at_prediction"))
            .declare(&m, shape);
        if shape.formal {
            state(&paths, &hot, &turns, &cold, &y);
        }
        m.finish()
    }
}

/// The hot tables, HCT x and HCT y. A read sees the write of the same cycle.
struct HotTables {
    x: HotTable,
    y: HotTable,
    /// x of the warp in S7, which validates against it.
    validate: Path,
    /// That path yields.
    gave_way: Expr,
    /// y of the warp in S8.
    second: Path,
    /// The barrier's generation of the warp in S8.
    generation_s8: Expr,
}

/// The values for the write to y in S9, unless the sorter writes.
struct Second {
    /// y from the CCS.
    sorted: Expr,
    /// The same, or the path that was taken from the cold table.
    word: Expr,
}

impl HotTables {
    fn declare(m: &Builder, shape: &Shape, inputs: &UnitInputs) -> Self {
        m.comment("x for the validation in S7, y for the commit in S8. A read sees the write of the same cycle.");
        let UnitInputs { warp_s6, warp_s7, .. } = inputs;
        let [generation_s7, generation_s8] = inputs.generations(m);
        let x = HotTable::declare(m, shape, "x", 1);
        let y = HotTable::declare(m, shape, "y", 0);
        let word = x.read_later(m, warp_s6);
        let generation_s7 =
            m.fault("s7_misses_a_barrier_release", &generation_s7, &Row::unpack(m, shape, &word).generation);
        let (validate, [gave_way]) = hot::unpack(m, shape, &word, &generation_s7, ["gives_way"]);
        let (second, []) = hot::unpack(m, shape, &y.read_later(m, warp_s7), &generation_s8, []);
        Self { x, y, validate, gave_way, second, generation_s8 }
    }

    fn write_y(&self, paths: &Paths, cold: &Cold) -> Second {
        let Paths { m, inputs, valid_s9, warp_s9, .. } = paths;
        m.comment("y is written in S9: from the CCS, from the front of the cold table, or from the sorter.");
        let (start_valid, cct) = (&inputs.start_valid, &cold.table);
        let sorted = hot::pack(&paths.sorted("y"), &cold.generation, []);
        let extracted = cct.net("extracted");
        let valid = |port| join([&cct.net(port), &ones(1)]);
        let word = m.wire("y_s9", &extracted.mux(&valid("extracted_row"), &sorted));
        let sorts = cct.net("sorts_y");
        let written = sorts.mux(&valid("sorted_y"), &word);
        self.y.write(
            m,
            &(start_valid | valid_s9 | &sorts),
            &start_valid.mux(&inputs.start_warp, &sorts.mux(&cct.net("sorter_warp"), warp_s9)),
            &written.when(&!start_valid),
        );
        Second { sorted, word }
    }
}

/// The paths of the commit in S8, and the CCS that sorts them.
struct Paths<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    inputs: &'a UnitInputs,
    /// The paths a and b, which x has become, and the second path c.
    entering: [Path; 3],
    ccs: Instance,
    /// The new active path.
    x: Path,
    /// The changes of the cold table: see [`MOVES`].
    moves: [Expr; 3],
    /// y is another path in S9, even if it does not come from the cold table.
    y_changes: Expr,
    cold_any: Expr,
    /// The cold table has a path of the warp that can run.
    cold_runnable: Expr,
    /// In a rotation: b continues, because the round is over.
    goes_on: Expr,
    others_run: Expr,
    /// b are threads that their instruction has not served.
    parts_remain: Expr,
    /// y, displaced by a better path, goes to the front of the cold table in S9.
    y_is_displaced: Expr,
    /// There was a commit in the previous cycle.
    valid_s9: Expr,
    warp_s9: Expr,
}

impl<'a> Paths<'a> {
    fn of(m: &'a Builder, shape: &'a Shape, inputs: &'a UnitInputs, hot: &HotTables, ccs: &Module) -> Self {
        m.comment("S8: x has become a and b; c is the second path.");
        let (resolve, c) = (&inputs.resolve, hot.second.clone());
        let [a, b] = resolve.paths();
        let ccs = m.instance("ccs", ccs);
        for (name, path) in [("a", &a), ("b", &b), ("c", &c)] {
            path.connect(&ccs, name);
        }
        let x = sorted(shape, &ccs, "x");
        let moves = MOVES.map(|port| ccs.net(port));
        let [y_changes, y_is_displaced] = ["y_changes", "z_is_c"].map(|port| ccs.net(port));
        let [cold_any, cold_runnable, goes_on] =
            ["cold_any", "cold_runnable", "goes_on"].map(|name| m.forward(name, 1));
        ccs.input("predicted", &m.input("predicted_s8", shape.pc_bits));
        // Where a rotation ends a round, nothing depends on whether others run: no hold or count outlasts it.
        let second_runs = resolve.rotates.mux(&!&b.parked, &ccs.output("second_runs"));
        let others_run = m.wire("others_run", &(second_runs | &cold_runnable));
        Self {
            m,
            shape,
            inputs,
            parts_remain: &resolve.in_parts & &b.valid,
            entering: [a, b, c],
            ccs,
            x,
            moves,
            y_changes,
            cold_any,
            cold_runnable,
            goes_on,
            others_run,
            y_is_displaced,
            valid_s9: flag(m, "valid_s9", &resolve.valid),
            warp_s9: m.delay("warp_s9", &resolve.warp),
        }
    }

    /// A path that the CCS sorted: x, y or z.
    fn sorted(&self, name: &str) -> Path {
        sorted(self.shape, &self.ccs, name)
    }

    /// The time slice of the warp. Connects the inputs of the CCS that depend on it.
    fn turns(&self) -> Turns {
        let Self { m, shape, inputs, ccs, valid_s9, warp_s9, .. } = self;
        let ends_early = m.fault("a_turn_ends_between_parts", &self.parts_remain, &zeros(1));
        ccs.input("in_parts", &inputs.resolve.in_parts);
        let (second, x_has_second) = (&self.entering[2], ccs.net("x_has_c"));
        let now = [&self.others_run, &ends_early];
        let turns = Turns::elaborate(m, shape, inputs, second, &x_has_second, now, [valid_s9, warp_s9]);
        m.drive(&self.goes_on, &turns.round_over);
        let y_waits = m.fault("y_does_not_wait_when_a_turn_ends", &turns.deferred, &(&turns.deferred & !&turns.due));
        ccs.input("c_deferred", &y_waits).input("rotates", &inputs.resolve.rotates).input("goes_on", &self.goes_on);
        ccs.input("cold_any", &self.cold_any);
        turns
    }

    /// Whether x yields: another path can run, and x is parked or its time slice ends.
    fn gives_way(&self, turns: &Turns) -> Expr {
        let (m, x) = (self.m, &self.x);
        let turn_ends = &turns.due & !self.ccs.output("x_is_c");
        let x_parked = m.fault("a_parked_path_stays_in_charge", &x.parked, &zeros(1));
        m.wire("gives_way", &(&x.valid & &self.others_run & (x_parked | turn_ends)))
    }
}

/// Outputs of the CCS: z goes to the front of the cold table, or to its back; y comes from its front.
const MOVES: [&str; 3] = ["to_front", "to_back", "extracts"];

fn sorted(shape: &Shape, ccs: &Instance, name: &str) -> Path {
    Path::build(shape, &mut |field, _| ccs.output_as(&format!("{field}_{name}"), &format!("{name}_{field}")))
}

struct Cold {
    table: Instance,
    generation: Expr,
}

impl Cold {
    fn of(paths: &Paths, turns: &Turns, hot: &HotTables, module: &Module) -> Self {
        let Paths { m, shape, inputs, valid_s9, .. } = paths;
        let UnitInputs { start_valid, start_warp, generation, warp_s7, resolve, .. } = inputs;
        m.comment("The cold table.");
        let generation_s9 = m.delay("generation_s9", &hot.generation_s8);
        let z = Row::of(&paths.sorted("z"), &generation_s9).pack();
        let table = m.instance("cct", module);
        table.input("start_valid", start_valid).input("start_warp", start_warp).input("generation", generation);
        table.input("warp_s7", warp_s7).input("valid_s8", &resolve.valid).input("warp_s8", &resolve.warp);
        table.input("generation_s8", &hot.generation_s8);
        for (port, moves) in MOVES.iter().zip(&paths.moves) {
            table.input(&format!("{port}_s8"), moves);
        }
        table.input("inserted_s9", &z);
        let y_changes = &paths.y_changes | &turns.hold_changes;
        table.input("y_changes_s9", &(valid_s9 & y_changes));
        table.input("holds_s9", &m.fault("the_sorter_sorts_during_a_round", &turns.holds, &zeros(1)));
        table.input("y_displaced_s9", &(&paths.y_is_displaced & !m.delay("deferred_s9", &turns.deferred)));
        table.output_to("any_s8", &paths.cold_any).output_to("runnable_s8", &paths.cold_runnable);
        table.input("y_sorted", &hot.y.read_now(m, shape, &table.net("sorter_warp")));
        Self { table, generation: generation_s9 }
    }
}

fn trace(paths: &Paths, cold: &Cold, y: &Expr) -> UnitTrace {
    let Paths { m, shape, inputs, .. } = paths;
    let (resolve, cct) = (&inputs.resolve, &cold.table);
    let [to_front, to_back, _] = &paths.moves;
    let generation = m.wire("generation_traced", &inputs.generation.index(&paths.warp_s9));
    let (y, []) = hot::unpack(m, shape, y, &generation, []);
    let s9 = |name: &str, value: &Expr| delay_by(m, name, value, usize::from(shape.trace));
    let trace = UnitPorts {
        second: second_ports(s9("rotated", &resolve.rotates), &y),
        moves: MovePorts {
            yields: s9("yielded", &(&resolve.rotates & !&resolve.b_parked)),
            inserts: s9("inserted", &(to_front | to_back)),
            extracts: cct.net("extracted"),
            ..UnitTrace::none(shape).0.moves
        },
        exchange: ExchangePorts {
            valid: cct.output("sorts"),
            warp: cct.net("sorter_warp"),
            row: cct.output("sorter_position"),
            merges: cct.output("merges"),
            folds: cct.output("folds"),
        },
    };
    Traced::of(shape, &trace)
}

/// Asserts the claims about the watched warp, and declares the outputs for a proof.
fn state(paths: &Paths, hot: &HotTables, turns: &Turns, cold: &Cold, y: &Second) {
    let Paths { m, shape, inputs, valid_s9, warp_s9, .. } = paths;
    let ([a, b, c], cct) = (&paths.entering, &cold.table);
    let (watch, released) = &Watch::declare(m, shape, inputs, &hot.generation_s8);
    let Watch { at, generation, .. } = watch;
    let s9 = [valid_s9, warp_s9, &y.sorted, &y.word];
    let in_s9 = &(valid_s9 & warp_s9.eq(&at.warp));
    m.assert("s9_has_the_generation", &(!(in_s9 & &at.started) | cold.generation.eq(generation)));
    let (list, gives_way) = Hot { x: &hot.x, y: &hot.y, s9, c, released, cct }.state(watch);
    watch.claim("no_path_gives_way_over_a_release", &!(&gives_way & released));
    if shape.fair_after > 0 {
        Waiting { turns: &turns.table, in_s9, list: &list, gives_way: &gives_way, cct }.state(watch);
    }
    let [to_front, to_back, extracts] = &paths.moves;
    let commit = Commit {
        paths: [a, b, c],
        x: &paths.x,
        cold_any: &paths.cold_any,
        deferred: &turns.deferred,
        parts_remain: &paths.parts_remain,
        goes_on: &paths.goes_on,
        moves: [to_front, to_back, extracts],
    };
    commit.state(watch, &inputs.resolve);
}
