//! What lanes outside the running path hold in their registers changes no cycle count and no result.

use std::fs;

use kernels::{self, Kernel};
use sim::Program;
use testbench::{BuiltCore, Engine, Report, RunOptions};
use weft_config::extension::A;
use weft_config::{Config, Isa, Unit};

use crate::support;

/// In S7 of the cores with these points, such lanes have other values.
const POINTS: [&str; 2] = ["s7_commit.idle_lanes_hold_ones", "s7_commit.idle_lanes_follow_the_leader"];

fn run(core: &BuiltCore, config: &Config, program: &Program) -> Report {
    let report = core.run(config, program, Engine::Cosim, RunOptions::default()).unwrap();
    assert!(report.success(), "{}", report.message);
    report
}

#[test]
fn kernels_take_the_same_cycles_whatever_idle_lanes_hold() {
    for (unit, size, point) in
        [("sorted-table", (8, 4), POINTS[0]), ("sorted-table", (8, 4), POINTS[1]), ("dual-path", (3, 8), POINTS[0])]
    {
        let mut config = support::config(size.0, size.1);
        config.divergence.unit = unit.into();
        let runs = |kernel: &&Kernel| {
            let mut needed = config.clone();
            kernel.configure(&mut needed);
            needed == config && kernel.runs_on(Unit::find(unit).unwrap())
        };
        let kernels: Vec<_> = kernels::list().iter().filter(runs).collect();
        assert!(kernels.len() > 20, "{unit}: {} kernels", kernels.len());
        let out = tempfile::tempdir().unwrap();
        let load = |kernel: &&Kernel| {
            let elf = fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap();
            Program::load(kernel.name, &elf, &config).unwrap()
        };
        let programs: Vec<Program> = kernels.iter().map(load).collect();
        let plain = BuiltCore::of(&config, programs[0].entry, false).unwrap();
        let poisoned = BuiltCore::broken(&config, programs[0].entry, point).unwrap();
        for program in &programs {
            let [expected, found] = [&plain, &poisoned].map(|core| run(core, &config, program).cycles);
            assert_eq!(found, expected, "{} with {unit}, {point}", program.name);
        }
    }
}

/// Odd lanes load; the others sit out, with 0 or an address in RAM.
const PARTIAL: &str = "
static WEFT_ALIGNED uint32_t a[1 << 12];
int main(unsigned hart)
{
    uint32_t *p = a + hart;
    if (!(hart & 1))
        p = (uint32_t *)held[1];
    if (hart & 1)
        for (int i = 0; i < 20; i++)
            asm volatile(\"lw t1, 0(%0)\\n lw t2, 256(%0)\\n lw t3, 512(%0)\\n lw t4, 768(%0)\" :: \"r\"(p)
                         : \"t1\", \"t2\", \"t3\", \"t4\");
    return 0;
}";

/// A scattered load over its own address register. So lanes that were served hold what they loaded.
const REPLAYED: &str = "
static WEFT_ALIGNED uint32_t a[1 << 12];
int main(unsigned hart)
{
    for (unsigned i = hart; i < 1 << 12; i += weft_threads())
        a[i] = held[1];
    uint32_t *p = a + 2048 + hart - 1, s = 0;
    weft_barrier();
    for (int i = 0; i < 20; i++)
        asm volatile(\"mv t2, %1\\n lw t2, 0(t2)\\n add %0, %0, t2\" : \"+r\"(s) : \"r\"(p) : \"t2\");
    return s == 12345;
}";

fn program(text: &str, held: &str, config: &Config) -> Program {
    let text = format!("#include \"weft.h\"\nstatic volatile uint32_t held[] = {{1, {held}}};\n{text}");
    let folder = tempfile::tempdir().unwrap();
    let elf = kernels::compile_for(Isa::BASE.with(&A), "load.c", &text, folder.path()).unwrap();
    Program::load("load", &fs::read(elf).unwrap(), config).unwrap()
}

#[test]
fn loads_take_the_same_cycles_whatever_idle_lanes_hold() {
    for text in [PARTIAL, REPLAYED] {
        for size in [(8, 8), (2, 4)] {
            let config = support::config(size.0, size.1);
            let cycles = ["0", "0x80000000u"].map(|held| {
                let program = program(text, held, &config);
                run(&BuiltCore::of(&config, program.entry, false).unwrap(), &config, &program).cycles
            });
            assert_eq!(cycles[0], cycles[1], "{size:?}: {text}");
        }
    }
}

#[test]
fn loads_of_memory_leave_the_write_port_to_late_results() {
    let config = support::config(8, 8);
    let program = program(PARTIAL, "0", &config);
    let point = "s6_execute.loads_of_memory_hold_the_write_port";
    let broken = BuiltCore::broken(&config, program.entry, point).unwrap();
    let plain = BuiltCore::of(&config, program.entry, false).unwrap();
    let [plain, broken] = [plain, broken].map(|core| run(&core, &config, &program).cycles.unwrap());
    assert!(10 * broken > 11 * plain, "{broken} cycles next to {plain}");
}
