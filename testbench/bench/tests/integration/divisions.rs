//! Divisions on dividers of several sizes, in lock step. Results wait while products enter the queue.

use testbench::{BuiltCore, Engine, Outcome, RunOptions};
use weft_config::Config;

use crate::support::assembly::{config, cosim, file, program};

fn core(size: (u32, u32), units: u32) -> Config {
    let mut config = config(size, (1, 1));
    config.divider.units = units;
    config
}

#[test]
fn every_number_of_units_divides() {
    for (size, units) in [((2, 2), 2), ((3, 4), 1), ((4, 8), 2), ((4, 16), 8), ((2, 16), 16)] {
        let report = cosim(&file("divisions"), &core(size, units));
        assert_eq!(report.outcome, Outcome::Exited, "{units} units at {size:?}: {}", report.message);
        assert!(report.success(), "{units} units at {size:?}: {}", report.message);
    }
}

/// A division that enters while results wait overwrites them, if its first lane leaves before they are taken.
#[test]
fn a_division_that_does_not_wait_for_the_results_before_it_is_found_out() {
    let config = core((4, 8), 2);
    let program = program(&file("divisions"), &config);
    let broken = BuiltCore::broken(&config, program.entry, "divider.enters_before_results_are_taken").unwrap();
    let report = broken.run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap();
    assert_eq!(report.outcome, Outcome::Mismatch, "{}", report.message);
}
