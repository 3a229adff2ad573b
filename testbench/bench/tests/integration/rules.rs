//! The assumptions of the proofs of the divergence units, asserted in lock step: the rules of the pipeline, for every
//! warp, and the unit's own invariants for one warp.

use crate::support;

use cores::{Core, CoreError};
use rtl::PortInfo;
use sim::Program;
use support::directed;
use testbench::{BenchError, Engine, Report, RunOptions};
use tools::cache::Cache;
use verilate::{Effort, Source};
use weft_config::{Config, Latency, Order};

struct Bench {
    config: Config,
    ports: Vec<PortInfo>,
    verilog: String,
    cache: Cache,
}

impl Bench {
    fn new(unit: &str, configure: impl FnOnce(&mut Config)) -> Self {
        Self::of(unit, configure, |config| cores::elaborate_asserting(config, 0x8000_0000))
    }

    /// The same core with a broken fault point.
    fn broken(unit: &str, configure: impl FnOnce(&mut Config), fault: &str) -> Self {
        Self::of(unit, configure, |config| rtl::with_fault(fault, || cores::elaborate_asserting(config, 0x8000_0000)))
    }

    fn of(
        unit: &str,
        configure: impl FnOnce(&mut Config),
        elaborate: impl FnOnce(&Config) -> Result<Core, CoreError>,
    ) -> Self {
        let mut config = support::config(3, 4);
        config.divergence.unit = unit.into();
        configure(&mut config);
        config.memory.stack_bytes = 1024;
        config.memory.latency = Latency { min: 1, max: 9 };
        let core = elaborate(&config).unwrap().without_prefix();
        let cache = Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/rules"));
        Self { config, ports: core.ports(), verilog: core.all_in_one(), cache }
    }

    fn run(&self, program: &Program) -> Result<Report, BenchError> {
        let source = Source { top: cores::TOP, ports: &self.ports, verilog: &self.verilog, memory: None };
        let options = RunOptions { max_cycles: 1_000_000, ..RunOptions::default() };
        testbench::run_source(&self.config, program, Engine::Cosim, options, &self.cache, &source, Effort::Quick)
    }

    fn programs(&self) -> Vec<Program> {
        let directed = directed::programs().into_iter().map(|directed| {
            let mut program = support::program(&self.config, &directed.words, &directed.symbols);
            program.name = directed.name;
            program
        });
        let random = (0..6).map(|seed| support::random_jumps(&self.config, seed));
        directed.chain(random).collect()
    }

    /// Whether an assertion stops one of the programs.
    fn stops(&self) -> bool {
        self.programs().iter().any(|program| match self.run(program) {
            Err(BenchError::Model(error)) => error.to_string().contains("stop"),
            Err(error) => panic!("{error}"),
            Ok(_) => false,
        })
    }

    fn keeps_the_rules(&self) {
        for program in self.programs() {
            let report = self.run(&program).unwrap_or_else(|error| panic!("{}: {error}", program.name));
            assert!(report.mismatch.is_none(), "{}: {}", program.name, report.message);
        }
    }
}

#[test]
fn the_pipeline_keeps_the_rules_towards_the_sorted_table() {
    Bench::new("sorted-table", |config| config.divergence.fair_after = 3).keeps_the_rules();
}

#[test]
fn the_pipeline_keeps_the_rules_towards_the_path_stack() {
    Bench::new("path-stack", |config| config.divergence.fair_after = 3).keeps_the_rules();
}

#[test]
fn the_pipeline_keeps_the_rules_towards_the_arbiter() {
    Bench::new("arbiter", |config| config.divergence.fair_after = 4).keeps_the_rules();
}

#[test]
fn the_pipeline_keeps_the_rules_towards_a_pipelined_arbiter() {
    let configure = |config: &mut Config| {
        config.divergence.fair_after = 3;
        *config.unit_keys.get_mut("arbiter.pipeline_stages") = 2;
    };
    Bench::new("arbiter", configure).keeps_the_rules();
}

#[test]
fn the_pipeline_keeps_the_rules_towards_the_dual_path() {
    Bench::new("dual-path", |_| ()).keeps_the_rules();
}

#[test]
fn the_pipeline_keeps_the_rules_towards_the_single_path() {
    Bench::new("pdom-stack", |_| ()).keeps_the_rules();
}

#[test]
fn the_pipeline_keeps_the_rules_towards_the_minority() {
    Bench::new("minority-first", |_| ()).keeps_the_rules();
}

#[test]
fn the_pipeline_keeps_the_rules_towards_multi_path() {
    for &order in Order::ALL {
        let configure = |config: &mut Config| {
            config.divergence.fair_after = 3;
            config.divergence.order = order;
        };
        Bench::new("multi-path", configure).keeps_the_rules();
    }
}

#[test]
fn a_rule_that_is_broken_stops_the_run() {
    let configure = |config: &mut Config| config.divergence.fair_after = 3;
    let bench = Bench::broken("sorted-table", configure, "divergence_rules.every_instruction_is_too_close");
    match bench.run(&bench.programs()[0]) {
        Err(BenchError::Model(error)) => assert!(error.to_string().contains("stop"), "{error}"),
        Err(error) => panic!("{error}"),
        Ok(report) => panic!("not stopped: {}", report.message),
    }
}

/// Without the additional cycle between an access and the previous instruction, S6 elects from threads that have left
/// the path.
#[test]
fn a_leader_that_is_elected_too_early_stops_the_run() {
    for unit in ["sorted-table", "dual-path"] {
        let bench = Bench::broken(unit, |_| (), "s3_context.elects_too_early_after_its_own_slot");
        assert!(bench.stops(), "{unit}: no program notices");
    }
}

/// S7 tells a stack early whether path a has threads.
#[test]
fn a_side_of_a_branch_that_nobody_takes_stops_the_run() {
    let bench = Bench::broken("pdom-stack", |_| (), "s7_commit.a_branch_that_none_takes_has_a_taken_side");
    assert!(bench.stops(), "no program notices");
}

/// S9 joins what it writes and what S7 writes without a selection.
#[test]
fn results_that_meet_at_the_write_port_stop_the_run() {
    let bench = Bench::broken("sorted-table", |_| (), "s6_execute.results_meet_at_the_write_port");
    assert!(bench.stops(), "no program notices");
}
