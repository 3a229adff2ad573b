//! The reset of an emitted core (`emit.reset`).

use rtl::Direction;
use tools::cache::Cache;
use verilate::{Built, Effort, Source};
use weft_config::{Config, RAM_BASE, Reset};

/// Returns the cycle after the end of reset in which the core first fetches. Reset lasts one clock edge.
fn first_fetch(reset: Reset) -> u64 {
    let mut config = Config { warps: 1, threads: 1, ..Config::default() };
    config.emit.reset = reset;
    let core = cores::elaborate_to_emit(&config, RAM_BASE, false).unwrap();
    let cache = Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    let (name, ports, verilog) = (core.name(), core.ports(), core.all_in_one());
    let source = Source { top: &name, ports: &ports, verilog: &verilog, memory: None };
    let mut model = Built::of(&cache, &source, false, Effort::Quick).unwrap().instance(1).unwrap();
    let (port, held) = match reset {
        Reset::High => ("rst", 1),
        Reset::ActiveLow => ("rst_n", 0),
    };
    let [clk, rst] = ["clk", port].map(|name| model.port(name, 1, Direction::Input).unwrap());
    let fetches = model.port("imem_req_valid", 1, Direction::Output).unwrap();
    let mut cycle = |rst_level| {
        model.set(rst, rst_level);
        for level in [0, 1] {
            model.set(clk, level);
            model.eval().unwrap();
        }
        model.bit(fetches)
    };
    cycle(held);
    (1..200).find(|_| cycle(1 - held)).expect("a fetch")
}

#[test]
fn an_active_low_reset_of_one_edge_starts_the_core_two_cycles_later() {
    assert_eq!(first_fetch(Reset::ActiveLow), first_fetch(Reset::High) + 2);
}
