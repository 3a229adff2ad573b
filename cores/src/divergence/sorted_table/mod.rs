//! `sorted-table`: each warp's paths in order of priority, the best two in hot tables, the others in a cold one (seed
//! `path-lists-simty.txt`, section 3.2).
//!
//! - `ccs`: sorts and merges the paths a and b that S7 made of x with the second path c, in one cycle;
//! - HCT x and y: the path in charge and the next one, LUT RAM. x is written in S8; y in S9, where a path that was
//!   taken from the cold table arrives;
//! - `cct`, `sorter`: the cold table and the state machine that sorts it when nobody needs it;
//! - `turns`: `divergence.fair_after`.
//!
//! Latency: the path in charge is known in S8. Where it is parked and another path is not, or its turn is over, it gives
//! way: the front end goes on at its pc for a slot in the pipeline, S7 lets no instruction of it commit, and S8 rotates
//! the table: the path goes to its back, and the next one is in charge.
//!
//! Storage: 2 · W rows of 3 + T + depth + pc bits in LUT RAM, and that of the cold table and the turns.

mod ccs;
mod cct;
mod invariants;
mod sorter;
mod specification;
mod turns;
mod waiting;

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, join, lit, ones, zeros};

use super::hot::{self, HotTable};
use super::row::Row;
use super::{DivergenceUnit, Storage, UnitInputs, UnitOutputs};
use crate::formal::Watched;
use crate::shape::Shape;
use crate::signals::{Path, delay_by};
use crate::trace::Traced;
use invariants::{Commit, Hot};
use turns::Turns;
use waiting::Waiting;
use weft_config::{SORTED_TABLE, Unit};
use weft_trace::{ExchangePorts, MovePorts, SecondPorts, UnitPorts};

/// The unit.
pub struct SortedTable;

impl DivergenceUnit for SortedTable {
    fn descriptor(&self) -> &'static Unit {
        &SORTED_TABLE
    }

    fn storage(&self, shape: &Shape) -> Vec<Storage> {
        let hot = |name, bits| Storage { name, words: shape.warps, bits };
        let mut tables = vec![hot("hot_x", 2 + Row::bits(shape)), hot("hot_y", 1 + Row::bits(shape))];
        if cct::exists(shape) {
            tables.push(Storage { name: "cold", words: shape.warps * shape.threads, bits: Row::bits(shape) });
            tables.push(Storage { name: "rings", words: shape.warps, bits: cct::ring_bits(shape) });
        }
        if shape.fair_after > 0 {
            tables.push(Storage { name: "turns", words: shape.warps, bits: turns::bits(shape) });
        }
        tables
    }

    fn compares_prediction(&self) -> bool {
        true
    }

    fn specifications(&self, shape: &Shape) -> Result<Vec<Module>, ElaborationError> {
        Ok(vec![specification::elaborate(shape)?])
    }

    fn longest_wait(&self, shape: &Shape) -> Option<u64> {
        waiting::longest(shape)
    }

    fn elaborate(&self, shape: &Shape) -> Result<Module, ElaborationError> {
        let (ccs_module, cct_module) = (ccs::elaborate(shape)?, cct::elaborate(shape)?);
        let m = Builder::new(
            "sorted_table",
            "Divergence unit: the paths of a warp in order of priority, the first two in hot tables, the others in a\n\
             cold one that is sorted when nobody needs it.",
        );
        let inputs = UnitInputs::declare(&m, shape);
        let UnitInputs { start_valid, start_warp, generation, warp_s6, warp_s7, resolve, .. } = &inputs;

        m.comment(
            "x as S7 validates against it, y for the commit in S8: each with what is being written already in it.",
        );
        let hot_x = HotTable::declare(&m, shape, "x", 1);
        let hot_y = HotTable::declare(&m, shape, "y", 0);
        let x_word = hot_x.read_later(&m, warp_s6);
        let generation_s7 = m.fault("s7_misses_a_barrier_release", generation, &Row::unpack(shape, &x_word).generation);
        let (validate, gave_way) = hot::unpack(shape, &x_word, &generation_s7);
        let (c, _) = hot::unpack(shape, &hot_y.read_later(&m, warp_s7), generation);

        m.comment("S8: a and b are what became of x, c is the second path.");
        let a = Path {
            valid: resolve.a_mask.any(),
            pc: resolve.a_pc.clone(),
            depth: resolve.a_depth.clone(),
            mask: resolve.a_mask.clone(),
            parked: resolve.a_parked.clone(),
        };
        let b = Path {
            valid: resolve.b_mask.any(),
            pc: resolve.b_pc.clone(),
            depth: resolve.b_depth.clone(),
            mask: resolve.b_mask.clone(),
            parked: resolve.b_parked.clone(),
        };
        let ccs = m.instance("ccs", &ccs_module);
        for (name, path) in [("a", &a), ("b", &b), ("c", &c)] {
            path.connect(&ccs, name);
        }
        let sorted = |name: &str| {
            let mut output = |field: &str, _| ccs.output_as(&format!("{field}_{name}"), &format!("{name}_{field}"));
            Path::build(shape, &mut output)
        };
        let x = sorted("x");
        let flags = ["to_front", "to_back", "extracts", "y_changes"].map(|port| ccs.net(port));
        let [to_front, to_back, extracts, y_changes] = &flags;
        let cold_any = m.forward("cold_any", 1);
        let cold_runnable = m.forward("cold_runnable", 1);
        let goes_on = m.forward("goes_on", 1);
        let marker = m.forward("marker", shape.threads);
        ccs.input("predicted", &m.input("predicted_s8", shape.pc_bits)).input("marked", &marker);
        let second_runs = resolve.rotates.mux(&goes_on.mux(&!&c.parked, &!&b.parked), &ccs.output("second_runs"));
        let others_run = m.wire("others_run", &(second_runs | &cold_runnable));
        let valid_s9 = m.register("valid_s9", 1);
        valid_s9.next(&resolve.valid).reset(0);
        let warp_s9 = m.delay("warp_s9", &resolve.warp);
        let turns = match shape.fair_after {
            0 => Turns::none(shape),
            _ => {
                let began = ccs.net("x_has_marked");
                Turns::elaborate(&m, shape, &inputs, &c, &began, &others_run, [&*valid_s9, &warp_s9])
            }
        };
        m.drive(&marker, &turns.marker);
        m.drive(&goes_on, &turns.round_over);
        let y_waits = m.fault("y_does_not_wait_when_a_turn_ends", &turns.deferred, &(&turns.deferred & !&turns.due));
        ccs.input("c_deferred", &y_waits).input("rotates", &resolve.rotates).input("goes_on", &goes_on);
        ccs.input("cold_any", &cold_any);
        let turn_ends = &turns.due & !ccs.output("x_is_c");
        let x_parked = m.fault("a_parked_path_stays_in_charge", &x.parked, &zeros(1));
        let gives_way = m.wire("gives_way", &(&x.valid & &others_run & (x_parked | turn_ends)));

        m.comment("x is written in S8.");
        let start = Row {
            pc: lit(shape.pc_bits, shape.reset_word()),
            mask: ones(shape.threads),
            depth: zeros(shape.depth_bits),
            generation: lit(1, 0),
            parked: lit(1, 0),
        };
        let word = join([&hot::pack(&x.valid, &Row::of(&x, generation)), &gives_way]);
        let start_word = join([&hot::pack(&ones(1), &start), &lit(1, 0)]);
        let warp = start_valid.mux(start_warp, &resolve.warp);
        hot_x.write(&m, &(start_valid | &resolve.valid), &warp, &start_valid.mux(&start_word, &word));

        m.comment("The cold table.");
        let generation_s9 = m.delay("generation_s9", generation);
        let z = Row::of(&sorted("z"), &generation_s9).pack();
        let cct = m.instance("cct", &cct_module);
        cct.input("start_valid", start_valid).input("start_warp", start_warp).input("generation", generation);
        cct.input("warp_s7", warp_s7).input("valid_s8", &resolve.valid).input("warp_s8", &resolve.warp);
        cct.input("to_front_s8", to_front).input("to_back_s8", to_back).input("extracts_s8", extracts);
        cct.input("inserted_s9", &z);
        cct.input("y_changes_s9", &(&*valid_s9 & (y_changes | &turns.hold_changes)));
        cct.input("holds_s9", &m.fault("the_sorter_sorts_during_a_round", &turns.holds, &zeros(1)));
        cct.output_to("any_s8", &cold_any).output_to("runnable_s8", &cold_runnable);
        let sorter_warp = cct.net("sorter_warp");
        cct.input("y_sorted", &hot_y.read_now(shape, &sorter_warp).pack());

        m.comment("y is written in S9: from the CCS, or from the front of the cold table, or as the sorter leaves it.");
        let y = sorted("y");
        let y_ccs = hot::pack(&y.valid, &Row::of(&y, &generation_s9));
        let extracted = cct.net("extracted");
        let front = Row::unpack(shape, &cct.net("extracted_row"));
        let y = m.wire("y_s9", &extracted.mux(&hot::pack(&ones(1), &front), &y_ccs));
        let sorts = cct.net("sorts_y");
        let y_sorted = Row::unpack(shape, &cct.net("sorted_y"));
        let word = sorts.mux(&hot::pack(&ones(1), &y_sorted), &y);
        hot_y.write(
            &m,
            &(start_valid | &*valid_s9 | &sorts),
            &start_valid.mux(start_warp, &sorts.mux(&sorter_warp, &warp_s9)),
            &word.when(&!start_valid),
        );

        let y_word = y.clone();
        let (y, _) = hot::unpack(shape, &y, generation);
        let s9 = |name: &str, value: &Expr| delay_by(&m, name, value, usize::from(shape.trace));
        let trace = UnitPorts {
            second: SecondPorts {
                rotates: s9("rotated", &resolve.rotates),
                y_valid: y.valid,
                y_pc: y.pc,
                y_depth: y.depth,
                y_mask: y.mask,
                y_parked: y.parked,
            },
            moves: MovePorts {
                yields: s9("yielded", &(&resolve.rotates & !&resolve.b_parked)),
                inserts: s9("inserted", &(to_front | to_back)),
                extracts: extracted,
                pushes: zeros(1),
                pops: zeros(1),
            },
            exchange: ExchangePorts {
                valid: cct.output("sorts"),
                warp: sorter_warp,
                row: cct.output("sorter_position"),
                merges: cct.output("merges"),
                folds: cct.output("folds"),
            },
        };
        let trace = Traced::of(shape, &trace);
        let mut outputs = UnitOutputs::of_one_slot([validate, x.clone()], [gave_way, gives_way], trace);
        outputs.at_prediction.push(ccs.output("x_at_prediction"));
        outputs.is_b.push(ccs.output("x_is_b"));
        outputs.declare(&m, shape);
        if shape.formal {
            m.port_group("the warp that is watched");
            let at = Watched::inputs(&m, shape, "watched");
            let s9 = [&*valid_s9, &warp_s9, &y_ccs, &y_word];
            let (list, gives_way) =
                Hot { x: &hot_x, y: &hot_y, s9, c: &c, cct: &cct }.state(&m, shape, &at, generation);
            if let Some(turns) = &turns.table {
                let in_s9 = &(&*valid_s9 & warp_s9.eq(&at.warp));
                Waiting { turns, in_s9, list: &list, gives_way: &gives_way, cct: &cct }.state(&m, shape, &at);
            }
            let commit = Commit {
                paths: [&a, &b, &c],
                x: &x,
                cold_any: &cold_any,
                deferred: &turns.deferred,
                goes_on: &goes_on,
                moves: [to_front, to_back, extracts],
            };
            commit.state(&m, shape, &inputs, &at);
        }
        m.finish()
    }
}
