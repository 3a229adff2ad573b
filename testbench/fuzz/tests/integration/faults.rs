//! Programs that may end in a fault: every cause occurs, in some lanes of a path and in all.

use std::collections::BTreeSet;

use fuzz::assembly;
use fuzz::build::Assembler;
use fuzz::generate::generate;
use fuzz::point;
use fuzz::profile::Profile;
use fuzz::trial::{self, Verdict};
use testbench::BuiltCore;
use weft_config::{Config, RAM_BASE};

const CAUSES: [u8; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 11];

#[test]
fn every_cause_is_met_and_agrees() {
    let (assembler, profile) = (Assembler::find().unwrap(), Profile::find("faults").unwrap());
    let mut config = Config { warps: 2, threads: 4, ..Config::default() };
    config.memory.ram_bytes = 1 << 17;
    let core = BuiltCore::of(&config, RAM_BASE, false).unwrap();
    let (mut causes, mut lanes, mut exited) = (BTreeSet::new(), BTreeSet::new(), 0);
    for seed in 0..300 {
        let config = point::memory(&mut fastrand::Rng::with_seed(seed), &config);
        let program = generate(seed, profile, point::abilities(&config));
        assert!(program.may_fault && !program.independent);
        let elf = assembler.elf(&assembly::print(&program, "")).unwrap();
        match trial::run(&core, &config, &elf, true).unwrap() {
            Verdict::Agrees(report) => match &report.fault {
                Some(fault) => {
                    causes.insert(fault.cause);
                    lanes.insert(fault.lane);
                    // The same program fails if it may not fault.
                    let refused = trial::run(&core, &config, &elf, false).unwrap();
                    assert!(matches!(refused, Verdict::Fails { how: "fault", .. }), "{refused:?}");
                }
                None => exited += 1,
            },
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert_eq!((causes, lanes), (BTreeSet::from(CAUSES), BTreeSet::from([0, 1, 2, 3])));
    assert!(exited > 30, "{exited}");
}
