//! The steps of a comparison: commands of `weft` and the measurement of each.

use kernels::{Comparison, Kernel};
use serde_json::{Map, Value, json};
use weft_config::Config;

use super::request::{PER_MODULE_FROM, Request, STACKS, WARPS};
use super::unit::Unit;
use crate::commands::sweep::{self, MINUTES, Step};

pub const TARGET: &str = "ecp5-85k";

/// An instruction set of the synthesised cores, with its options.
struct Isa {
    name: &'static str,
    options: &'static [&'static str],
}

/// The core that runs the kernels.
const RV32IMA: Isa = Isa { name: "rv32ima", options: &[] };
/// The smaller core: it is compared with the original Simty, and can be routed with 32 threads.
const RV32I: Isa = Isa { name: "rv32i", options: &["--preset", "rv32i-8x4"] };

pub struct Plan {
    /// The steps; the kernels are built before all others.
    pub steps: Vec<Step>,
}

impl Plan {
    pub fn of(request: &Request) -> Self {
        let mut plan = Self { steps: Vec::new() };
        for unit in &request.units {
            for kernel in request.kernels() {
                plan.steps.extend(request.threads.iter().map(|threads| run(request, unit, *threads, kernel, &[])));
                let slow = request.slow.iter().map(|point| at_latency("slow", request, unit, *point, kernel, &[]));
                plan.steps.extend(slow);
            }
            for threads in request.threads.iter().filter(|_| unit.descriptor().in_hardware) {
                plan.steps.push(core(request, unit, *threads, &RV32IMA, request.rv32ima_seeds(*threads)));
            }
            for threads in request.rv32i_threads.iter().filter(|_| request.rv32i_units.contains(unit)) {
                plan.steps.push(core(request, unit, *threads, &RV32I, request.rv32i_seeds(unit, *threads)));
            }
        }
        for unit in request.units.iter().filter(|unit| STACKS.iter().any(|stack| stack.name == unit.name)) {
            for (threads, latency) in pairs(&request.latency_threads, &request.latencies) {
                let kernels = request.kernels().filter(|kernel| kernel.comparison.is_some());
                // The maximum number of loads in flight keeps the queue from limiting the units.
                let in_flight = ["memory.outstanding=128".to_owned()];
                let point = (threads, latency);
                plan.steps
                    .extend(kernels.map(|kernel| at_latency("latency", request, unit, point, kernel, &in_flight)));
            }
        }
        plan
    }

    /// Returns the JSON that the workflow reads.
    pub fn object(&self, request: &Request, program: &str, identity: &Value) -> Value {
        let kernel = |kernel: &'static Kernel| {
            let (name, summary) = (kernel.name, kernel.summary);
            json!({ "name": name, "summary": summary, "comparison": kernel.comparison.map(Comparison::name) })
        };
        let unit = |unit: &Unit| {
            let descriptor = unit.descriptor();
            let facts = json!({ "takes_turns": descriptor.serves_all(), "reconverges": descriptor.reconverges });
            (unit.name.clone(), facts)
        };
        let names = request.kernels().map(|kernel| kernel.name);
        json!({
            "program": program,
            "identity": identity,
            "warps": WARPS,
            "target": TARGET,
            "units": request.units.iter().map(unit).collect::<Map<_, _>>(),
            "kernels": request.kernels().map(kernel).collect::<Vec<_>>(),
            "steps": sweep::with_kernels(names, &self.steps),
            "left_out": request.left_out(),
        })
    }
}

fn pairs<'a>(a: &'a [u32], b: &'a [u32]) -> impl Iterator<Item = (u32, u32)> + 'a {
    a.iter().flat_map(move |a| b.iter().map(move |b| (*a, *b)))
}

fn size(unit: &Unit, threads: u32) -> Vec<String> {
    [unit.settings.clone(), vec![format!("warps={WARPS}"), format!("threads={threads}")]].concat()
}

/// Runs a kernel at memory latency 1, with these keys on top of its own.
fn run(request: &Request, unit: &Unit, threads: u32, kernel: &Kernel, more: &[String]) -> Step {
    let may_hang = !kernel.runs_on(unit.descriptor());
    let mut command = sweep::run(request.engine, kernel, &size(unit, threads), more);
    if may_hang {
        command.extend(["--max-cycles", sweep::MOST_CYCLES].map(str::to_owned));
    }
    Step {
        name: format!("run/{}-{threads}-{}", unit.in_file_name(), kernel.name),
        command,
        unit: unit.name.clone(),
        threads,
        kernel: Some(kernel.name),
        latency: Some(Config::default().memory.latency.max),
        isa: None,
        may_hang,
        memory_mb: 2000,
    }
}

/// Runs a kernel at one number of threads and memory latency, as part of a series.
fn at_latency(
    series: &str,
    request: &Request,
    unit: &Unit,
    (threads, latency): (u32, u32),
    kernel: &Kernel,
    more: &[String],
) -> Step {
    let more = [&[format!("memory.latency={latency}")], more].concat();
    Step {
        name: format!("{series}/{}-{threads}-{latency}-{}", unit.in_file_name(), kernel.name),
        latency: Some(latency),
        ..run(request, unit, threads, kernel, &more)
    }
}

/// Synthesises the core of one size, and places it with this number of seeds.
fn core(request: &Request, unit: &Unit, threads: u32, isa: &Isa, seeds: Option<u32>) -> Step {
    let mut command = ["weft", "--json", "synth", "--target", TARGET].map(str::to_owned).to_vec();
    command.extend(isa.options.iter().map(|option| (*option).to_owned()));
    command.extend(sweep::set(&size(unit, threads)));
    if threads >= PER_MODULE_FROM {
        command.push("--per-module".into());
    }
    if let Some(seeds) = seeds {
        let (minutes, seeds) = (request.minutes.to_string(), seeds.to_string());
        command.extend(["--pnr", MINUTES, &minutes, "--seeds", &seeds].map(str::to_owned));
    }
    Step {
        name: format!("core/{}-{}-{threads}", isa.name, unit.in_file_name()),
        command,
        unit: unit.name.clone(),
        threads,
        kernel: None,
        latency: None,
        isa: Some(isa.name),
        may_hang: false,
        memory_mb: if threads >= 16 { 5000 } else { 3000 },
    }
}

#[cfg(test)]
mod tests;
