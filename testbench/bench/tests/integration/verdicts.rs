//! Programs in which threads wait long for each other, or for ever: only the latter are called deadlocks, by the
//! model, the hardware and lock step alike.

use sim::Program;
use testbench::{Engine, Outcome, Report, RunOptions};
use weft_config::{Config, Latency};

use crate::support;

/// No thread waits: lane 0 has more to do than the others.
const LONG_SIDE: &str = "
static volatile uint32_t out[64];
int main(unsigned hart)
{
    uint32_t value = hart, rounds = hart == 0 ? 5000 : 10;
    for (uint32_t i = 0; i < rounds; i++)
        value = (value << 5) - value + 12345;
    out[hart] = value;
    return 0;
}
";

/// Lane 0 walks a long way round a list of 64 entries.
const LONG_LIST: &str = "
static volatile uint32_t next[64], out[64];
int main(unsigned hart)
{
    for (uint32_t i = 0; hart == 0 && i < 64; i++)
        next[i] = (i * 5 + 1) & 63;
    weft_barrier();
    uint32_t at = hart, steps = hart == 0 ? 1000 : 10;
    while (steps-- > 0)
        at = next[at];
    out[hart] = at;
    return 0;
}
";

const EARLY_RETURN: &str = "
static volatile uint32_t out[64];
int main(unsigned hart)
{
    if (hart >= 3)
        LEAVE;
    out[hart] = hart + 1;
    weft_barrier();
    return out[2 - hart] != 3 - hart;
}
";

/// Lanes 0 to 2 wait for a lock that no thread holds or releases.
const LOCK_KEPT: &str = "
static volatile uint32_t lock = 1;
int main(unsigned hart)
{
    if (hart == 3)
        return 0;
    while (lock)
        ;
    return 0;
}
";

fn run(text: &str, unit: &str, latency: u32, engine: Engine) -> Report {
    let mut config = support::config(1, 4);
    config.divergence.unit = unit.into();
    config.memory.latency = Latency { min: latency, max: latency };
    if config.unit().unwrap().takes_turns {
        config.divergence.fair_after = 4;
    }
    let options = RunOptions { max_cycles: 1_000_000, ..RunOptions::default() };
    testbench::run(&config, &program(text, &config), engine, options).unwrap()
}

fn program(text: &str, config: &Config) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let elf = kernels::compile("program.c", &format!("#include \"weft.h\"\n{text}"), folder.path()).unwrap();
    Program::load("program", &std::fs::read(elf).unwrap(), config).unwrap()
}

#[test]
fn a_thread_with_much_to_do_is_waited_for() {
    for (unit, text) in [("sorted-table", LONG_LIST), ("pdom-stack", LONG_SIDE), ("pdom-stack", LONG_LIST)] {
        for (engine, latency) in [(Engine::Model, 1), (Engine::Model, 300), (Engine::Cosim, 100), (Engine::Rtl, 1)] {
            let report = run(text, unit, latency, engine);
            assert!(report.success(), "{unit}, {engine:?}, latency {latency}: {}", report.message);
        }
    }
    for (unit, text) in [("dual-path", LONG_SIDE), ("dual-path", LONG_LIST), ("arbiter", LONG_LIST)] {
        assert!(run(text, unit, 300, Engine::Model).success(), "{unit}");
    }
}

#[test]
fn a_return_before_a_barrier_is_a_deadlock_of_a_stack_and_weft_exit_the_cure() {
    let returns = EARLY_RETURN.replace("LEAVE", "return 0");
    for (unit, engine) in [("dual-path", Engine::Model), ("pdom-stack", Engine::Model), ("pdom-stack", Engine::Rtl)] {
        let report = run(&returns, unit, 1, engine);
        assert_eq!(report.outcome, Outcome::Deadlock, "{unit}: {}", report.message);
        assert!(report.message.contains("write `weft_exit(0);` instead of `return 0;`"), "{}", report.message);
        let exits = run(&EARLY_RETURN.replace("LEAVE", "weft_exit(0)"), unit, 1, engine);
        assert!(exits.success(), "{unit}: {}", exits.message);
    }
    assert!(run(&returns, "sorted-table", 1, Engine::Model).success());
}

#[test]
fn a_lock_that_is_never_released_is_the_same_deadlock_everywhere() {
    for unit in ["sorted-table", "pdom-stack"] {
        let messages = [(Engine::Model, 1), (Engine::Model, 100), (Engine::Rtl, 1), (Engine::Cosim, 100)].map(
            |(engine, latency)| {
                let report = run(LOCK_KEPT, unit, latency, engine);
                assert_eq!(report.outcome, Outcome::Deadlock, "{unit}, {engine:?}, {latency}: {}", report.message);
                report.message
            },
        );
        assert!(messages.iter().all(|message| *message == messages[0]), "{messages:#?}");
        assert!(messages[0].contains("lanes 0x7"), "{}", messages[0]);
    }
}

#[test]
fn a_run_at_its_limit_lists_the_threads() {
    let text = "int main(unsigned hart) { if (hart > 0) for (volatile uint32_t i = 0;; i++); return 0; }";
    for engine in [Engine::Model, Engine::Rtl] {
        let mut config = support::config(1, 4);
        config.divergence.unit = "pdom-stack".into();
        let options = RunOptions { max_cycles: 3000, ..RunOptions::default() };
        let report = testbench::run(&config, &program(text, &config), engine, options).unwrap();
        assert_eq!(report.outcome, Outcome::Limit, "{}", report.message);
        assert!(report.message.contains("lanes 0xe: last committed 0x800000"), "{}", report.message);
    }
}

#[test]
fn a_fault_names_its_address_and_source_line() {
    let text =
        "int main(unsigned hart)\n{\n  if (hart == 2)\n    *(volatile uint32_t *)0x40000010 = hart;\n  return 0;\n}";
    for engine in [Engine::Model, Engine::Cosim, Engine::Rtl] {
        let report = run(text, "sorted-table", 1, engine);
        let fault = report.fault.expect("a fault");
        assert_eq!((fault.cause, fault.lane, fault.address), (7, 2, Some(0x4000_0010)), "{engine:?}");
        assert!(report.message.contains("(program.c:5)"), "{}", report.message);
        assert!(report.message.contains("address 0x40000010"), "{}", report.message);
        let config = support::config(1, 4);
        let object = report.stats_json(&config, &program(text, &config), engine);
        assert_eq!(object["fault"]["address"], 0x4000_0010, "{engine:?}");
        assert_eq!(object["fault"]["pc"], fault.pc);
        assert_eq!(object["exit_codes"][2], serde_json::Value::Null);
    }
}

/// Hart 1 calls itself ten times; each call takes 32 bytes of its 256.
const DEEP: &str = "
__attribute__((noinline)) static uint32_t deep(uint32_t n)
{
    volatile uint32_t pad[4] = {n};
    return n ? deep(n - 1) + pad[0] : pad[0];
}
int main(unsigned hart) { return hart == 1 && deep(CALLS) == 1; }
";

#[test]
fn a_hart_that_leaves_its_stack_is_named() {
    for engine in [Engine::Model, Engine::Rtl] {
        let report = run(&DEEP.replace("CALLS", "10"), "sorted-table", 1, engine);
        let place = "warning: hart 1 (warp 0, lane 1) left its stack of 256 bytes at ";
        let line = report.message.lines().find(|line| line.starts_with(place));
        assert!(line.is_some_and(|line| line.contains("<deep") && line.contains("program.c:")), "{}", report.message);
        let shallow = run(&DEEP.replace("CALLS", "3"), "sorted-table", 1, engine);
        assert!(!shallow.message.contains("warning"), "{}", shallow.message);
        assert!(shallow.stack_bytes.is_some_and(|bytes| (64..256).contains(&bytes)), "{:?}", shallow.stack_bytes);
    }
}

#[test]
fn a_declared_stack_is_a_stack() {
    let text = "
        SECTION static char other[64];
        int main(void)
        {
            __asm__ volatile(\"mv t0, sp; la sp, %0; nop; mv sp, t0\" :: \"i\"(other) : \"t0\", \"memory\");
            return 0;
        }";
    let declared = text.replace("SECTION", "__attribute__((section(\".weft.stack\")))");
    let report = run(&declared, "sorted-table", 1, Engine::Model);
    assert!(report.success() && !report.message.contains("warning"), "{}", report.message);
    let report = run(&text.replace("SECTION", ""), "sorted-table", 1, Engine::Model);
    assert!(report.message.contains("left its stack") && report.message.contains("3 more harts"), "{}", report.message);
}

#[test]
fn barriers_at_different_places_that_release_each_other_are_a_warning() {
    let text = "
        int main(unsigned hart)
        {
            if (hart & 1)
                __asm__ volatile(\"nop; csrw 0x801, zero\");
            else
                __asm__ volatile(\"csrw 0x801, zero; nop; nop\");
            weft_barrier();
            return 0;
        }";
    for engine in [Engine::Model, Engine::Rtl] {
        let report = run(text, "sorted-table", 1, engine);
        assert!(report.success() && report.message.contains(" released each other"), "{}", report.message);
    }
}
