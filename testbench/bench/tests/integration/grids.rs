//! Launches of grids (`weft_grid.h`): the bundled kernels of grids, warp 0, errors of launches.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use kernels::{Kernel, Variant};
use sim::control_flow::Analysis;
use sim::{Outcome, Program};
use testbench::{Engine, Report, RunOptions};
use weft_config::extension::{A, M};
use weft_config::{Config, Isa, MULTI_PATH, Unit};
use weft_trace::{MemoryOp, Record};

fn config(unit: &str, warps: u32, threads: u32) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.divergence.unit = unit.into();
    config
}

fn load(elf: &Path, config: &Config) -> Program {
    Program::load("program", &fs::read(elf).unwrap(), config).unwrap()
}

fn build(kernel: &Kernel, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    load(&kernels::build(kernel, out.path()).unwrap(), config)
}

fn compile_as(file: &str, isa: Isa, text: &str, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    let text = format!("#include \"weft_grid.h\"\n{text}");
    load(&kernels::compile_for(isa, file, &text, out.path()).unwrap(), config)
}

fn compile(text: &str, config: &Config) -> Program {
    compile_as("program.c", Isa::BASE.with(&M).with(&A), text, config)
}

/// The exit code of hart 0 and the console; all other harts end with 0.
fn run(program: &Program, config: &Config) -> (u32, String) {
    let mut console = String::new();
    let mut observer = |record: &Record| {
        if let Record::Commit(commit) = record
            && commit.memory == MemoryOp::Console
        {
            let lanes = (0..config.threads).filter(|lane| commit.served >> lane & 1 == 1);
            console.extend(lanes.map(|lane| char::from(commit.memory_data[lane as usize] as u8)));
        }
    };
    let finished = sim::run(config, program, 20_000_000, &mut observer).unwrap();
    let place = format!("{}, {}x{}", config.divergence.unit, config.warps, config.threads);
    assert_eq!(finished.outcome, Outcome::Exited, "{place}: {console}");
    let codes = (0..config.warps * config.threads)
        .map(|hart| finished.machine.exit_code(hart / config.threads, hart % config.threads).unwrap());
    let codes: Vec<u32> = codes.collect();
    assert!(codes[1..].iter().all(|code| *code == 0), "{place}: {codes:?}");
    (codes[0], console)
}

#[test]
fn kernels_of_grids_pass_on_every_unit_and_size() {
    for kernel in kernels::grids() {
        for (warps, threads) in [(1, 1), (8, 8), (3, 8), (4, 32), (1, 64)] {
            for unit in Unit::names_in_hardware() {
                let mut config = config(unit, warps, threads);
                kernel.configure(&mut config);
                let place = format!("{}, {unit}, {warps}x{threads}", kernel.name);
                assert_eq!(run(&build(kernel, &config), &config), (0, String::new()), "{place}");
            }
        }
    }
}

#[test]
fn kernels_of_grids_run_without_the_extensions_that_they_do_not_name() {
    for kernel in kernels::grids() {
        let mut config = config("sorted-table", 2, 4);
        config.isa = kernel.isa;
        assert_eq!(run(&build(kernel, &config), &config).0, 0, "{}", kernel.name);
    }
}

/// Paths of a warp that change turns between any two instructions do not write the barrier group while others wait.
#[test]
fn kernels_of_grids_pass_with_the_shortest_time_slices() {
    for kernel in kernels::grids() {
        for (unit, fair_after) in [("sorted-table", 1), ("sorted-table", 3), ("arbiter", 1), ("arbiter", 8)] {
            let mut config = config(unit, 4, 8);
            config.divergence.fair_after = fair_after;
            kernel.configure(&mut config);
            assert_eq!(run(&build(kernel, &config), &config).0, 0, "{}, {unit}, {fair_after}", kernel.name);
        }
    }
}

fn cosim(config: &Config, program: &Program, console: &mut Vec<u8>) -> Report {
    let options = RunOptions { max_cycles: 20_000_000, console: Some(console), ..RunOptions::default() };
    testbench::run(config, program, Engine::Cosim, options).unwrap()
}

#[test]
fn kernels_of_grids_pass_in_lock_step() {
    for unit in Unit::names_in_hardware() {
        for kernel in kernels::grids() {
            let mut config = config(unit, 4, 4);
            kernel.configure(&mut config);
            let report = cosim(&config, &build(kernel, &config), &mut Vec::new());
            assert!(report.success(), "{}, {unit}: {}", kernel.name, report.message);
            assert!(!report.message.contains("warning"), "{}, {unit}: {}", kernel.name, report.message);
            assert!(report.cycles.unwrap() < 400_000, "{}, {unit}: {:?} cycles", kernel.name, report.cycles);
        }
    }
}

/// Shared memory is where the program was linked for: in the scratchpad, which then has all of its accesses.
#[test]
fn kernels_of_grids_pass_with_a_scratchpad_in_lock_step() {
    for unit in ["sorted-table", "dual-path"] {
        for kernel in kernels::grids() {
            let mut config = config(unit, 4, 4);
            kernel.configure(&mut config);
            config.scratchpad.bytes = 16_384;
            config.scratchpad.atomics = config.isa.has(&A);
            let out = tempfile::tempdir().unwrap();
            let variant = Variant { scratchpad_bytes: config.scratchpad.bytes, ..Variant::default() };
            let program = load(&kernels::build_as(kernel, variant, out.path()).unwrap(), &config);
            let report = cosim(&config, &program, &mut Vec::new());
            assert!(report.success(), "{}, {unit}: {}", kernel.name, report.message);

            let mut uses = false;
            let mut observer = |record: &Record| {
                let Record::Commit(commit) = record else { return };
                uses |= commit.memory != MemoryOp::None && commit.memory_address >> 28 == 2;
            };
            sim::run(&config, &program, 20_000_000, &mut observer).unwrap();
            assert_eq!(uses, kernel.source.contains("WEFT_SHARED("), "{}", kernel.name);
        }
    }
}

#[test]
fn all_branches_of_the_runtime_and_the_kernels_reconverge_at_a_known_point() {
    for kernel in kernels::grids() {
        let analysis = Analysis::of(&build(kernel, &Config::default()));
        assert_eq!(analysis.unknown_branches(), 0, "{}", kernel.name);
        assert!(analysis.branches().len() > 50);
    }
    let analysis = Analysis::of(&compile_as("program.c", Isa::BASE, REPORTS, &Config::default()));
    assert_eq!(analysis.unknown_branches(), 0);
}

const REPORTS: &str = r#"
struct where { uint32_t *seen; };
static WEFT_ALIGNED uint32_t seen[4096];
WEFT_KERNEL(mark, struct where, w, at) { w.seen[weft_index(at)] += 1 + at.block; }
int weft_host(void)
{
    struct where w = {seen};
    uint32_t block = weft_block_of(1), grid = weft_blocks_at_once(block) * 3;
    struct weft_figures figures = weft_launch(mark, grid, block, 0, &w);
    figures = weft_launch(mark, grid, block, 0, &w);
    for (uint32_t i = 0, index = 0; i < grid; i++)
        for (uint32_t thread = 0; thread < block; thread++, index++)
            if (seen[index] != 2 + 2 * i)
                return 9;
    weft_print_figures("mark", &figures);
    return figures.error;
}
"#;

/// Hart 0 comes from the host part, the others from the barrier. In a kernel they are together, as in any other warp.
#[test]
fn warp_0_is_whole_in_a_kernel_on_every_unit() {
    for unit in Unit::names_in_hardware() {
        for (warps, threads) in [(4, 4), (3, 8), (2, 32)] {
            let config = config(unit, warps, threads);
            let program = compile(REPORTS, &config);
            let function = program.functions().iter().find(|function| function.name == "mark").unwrap();
            let range = function.address..function.address + function.bytes;
            let mut masks: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
            let mut observer = |record: &Record| {
                if let Record::Commit(commit) = record
                    && range.contains(&commit.pc)
                {
                    masks.entry(commit.warp).or_default().push(commit.mask);
                }
            };
            sim::run(&config, &program, 10_000_000, &mut observer).unwrap();
            let place = format!("{unit}, {warps}x{threads}");
            assert_eq!(masks.len(), warps as usize, "{place}");
            assert!(masks.values().all(|of_warp| of_warp == &masks[&0]), "{place}");
            assert!(
                masks[&0].len() > 20 && masks[&0].iter().all(|mask| *mask == u64::MAX >> (64 - threads)),
                "{place}"
            );
        }
    }
}

#[test]
fn figures_of_a_launch_are_those_of_the_machine() {
    let config = config("sorted-table", 4, 4);
    let program = compile(REPORTS, &config);
    let mut console = Vec::new();
    let report = cosim(&config, &program, &mut console);
    assert!(report.success(), "{}", report.message);
    let console = String::from_utf8(console).unwrap();
    let numbers = console.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    let &[cycles, instructions, of_threads, parts] = numbers.as_slice() else { panic!("{console}") };
    assert!(console.starts_with("mark: ") && console.ends_with(" parts\n"), "{console}");
    // Three blocks a warp, each of some ten instructions and a call.
    assert!((300..1_500).contains(&instructions) && parts >= instructions && cycles > instructions / 2, "{console}");
    assert!((3 * instructions..=4 * instructions).contains(&of_threads), "{console}");
}

#[test]
fn a_block_is_of_whole_warps_and_its_barrier_waits_for_it_alone() {
    // In a block, each thread reads what its neighbour wrote before the barrier. Blocks have different numbers of
    // barriers.
    let text = r"
        struct nothing { uint32_t size; };
        static uint32_t wrong, blocks;
        WEFT_KERNEL(turn, struct nothing, n, at)
        {
            volatile uint32_t *shared = WEFT_SHARED(uint32_t, at);
            shared[at.thread] = at.block;
            for (uint32_t round = 0; round < 1 + 3 * at.block; round++) {
                weft_block_barrier();
                uint32_t other = shared[(at.thread + 1) & (at.threads - 1)];
                weft_block_barrier();
                if (other != at.block + round)
                    wrong = 1;
                shared[at.thread] = other + 1;
            }
            if (at.threads != n.size || at.grid != 9)
                wrong = 2;
            if (at.thread == 0)
                __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
        }
        int weft_host(void)
        {
            for (uint32_t size = weft_threads_per_warp(), k = weft_warps(); k; size *= 2, k /= 2) {
                struct nothing n = {size};
                blocks = 0;
                if (weft_launch(turn, 9, size, 4 * size, &n).error || blocks != 9 || wrong)
                    return 1;
            }
            return 0;
        }";
    for unit in Unit::names_in_hardware() {
        for (warps, threads) in [(1, 1), (8, 2), (4, 4), (3, 8), (6, 4)] {
            let config = config(unit, warps, threads);
            assert_eq!(run(&compile(text, &config), &config), (0, String::new()), "{unit}, {warps}x{threads}");
        }
    }
}

#[test]
fn a_bad_launch_is_an_error_with_a_message() {
    let text = r"
        struct nothing { uint32_t size; };
        static uint32_t ran;
        WEFT_KERNEL(nothing, struct nothing, n, at) { ran = 1; }
        WEFT_KERNEL(outer, struct nothing, n, at) { weft_launch(nothing, 1, weft_threads_per_warp(), 0, &n); }
        int weft_host(void)
        {
            struct nothing n = {0};
            static const uint32_t sizes[] = {0, 2, 12, 32};
            int codes = 0;
            for (int i = 0; i < 4; i++)
                codes = codes * 8 + weft_launch(nothing, 1, sizes[i], 0, &n).error;
            codes = codes * 8 + weft_launch(nothing, 9, 8, 100000000, &n).error;
            codes = codes * 8 + weft_launch(nothing, 9, 8, ~0u, &n).error;
            codes = codes * 8 + weft_launch(outer, 9, 8, 0, &n).error;
            codes = codes * 8 + weft_launch(nothing, 0, 8, 0, &n).error;
            return ran ? -1 : codes;
        }";
    let size =
        |bytes: &str| format!("weft_launch: {bytes} bytes of shared memory for each of 2 blocks at once: there are ");
    let lines = [
        "weft_launch: 0 threads in a block: it must be a power of two from 4 to 16".to_owned(),
        "weft_launch: 2 threads in a block: it must be a power of two from 4 to 16".into(),
        "weft_launch: 12 threads in a block: it must be a power of two from 4 to 16".into(),
        "weft_launch: 32 threads in a block: it must be a power of two from 4 to 16".into(),
        size("100000000"),
        size("4294967295"),
        "weft_launch: a kernel cannot launch a kernel".into(),
    ];
    // With `multi-path`, paths of a warp may be apart behind a barrier: one writes the level while another waits, a fault.
    for unit in Unit::names_in_hardware().into_iter().filter(|unit| *unit != MULTI_PATH.name) {
        let config = config(unit, 4, 4);
        let (code, console) = run(&compile(text, &config), &config);
        assert_eq!(code, 0o1111_2230, "{unit}: {console}");
        assert_eq!(console.lines().count(), lines.len(), "{console}");
        assert!(console.lines().zip(&lines).all(|(line, expected)| line.starts_with(expected)), "{console}");
    }
}

#[test]
fn too_little_memory_ends_the_run() {
    let text = "int weft_host(void) { weft_allocate(1000); weft_allocate(1u << 30); return 0; }";
    for unit in Unit::names_in_hardware() {
        let config = config(unit, 2, 4);
        let (code, console) = run(&compile(text, &config), &config);
        assert!(code == 1 && console.starts_with("weft_allocate: 1073741824 bytes: there are "), "{console}");
    }
}

#[test]
fn a_host_part_that_leaves_its_stack_ends_the_run() {
    let text = "
        static volatile int sink;
        __attribute__((noinline)) static int deep(int n)
        {
            volatile int words[32];
            for (int i = 0; i < 32; i++)
                words[i] = n;
            return n ? deep(n - 1) + words[sink] : 0;
        }
        int weft_host(void) { sink = deep(CALLS) & 31; return 0; }";
    for unit in Unit::names_in_hardware() {
        let config = config(unit, 2, 4);
        assert_eq!(run(&compile(&text.replace("CALLS", "5"), &config), &config), (0, String::new()));
        let (code, console) = run(&compile(&text.replace("CALLS", "15"), &config), &config);
        assert!(code == 4 && console.starts_with("weft_host: it needs more than 2048 bytes of stack"), "{console}");
    }
}

/// A kernel must not end a thread. If it ends hart 0, all end.
#[test]
fn a_kernel_that_ends_hart_0_ends_the_run() {
    let text = r"
        struct nothing { uint32_t size; };
        WEFT_KERNEL(leave, struct nothing, n, at) { if (at.block + at.thread == 0) weft_exit(0); }
        int weft_host(void) { struct nothing n = {0}; return weft_launch(leave, 9, 4, 0, &n).error; }";
    for unit in Unit::names_in_hardware() {
        let config = config(unit, 4, 4);
        let finished = sim::run(&config, &compile(text, &config), 100_000, &mut |_| {}).unwrap();
        assert_eq!(finished.outcome, Outcome::Exited, "{unit}");
        let codes: Vec<_> = (0..16).map(|hart| finished.machine.exit_code(hart / 4, hart % 4).unwrap()).collect();
        assert!(codes[0] == 0 && codes[1..].iter().all(|code| *code == 5), "{unit}: {codes:?}");
    }
}

#[test]
fn a_constructor_cannot_launch() {
    let text = r"
        struct nothing { uint32_t size; };
        WEFT_KERNEL(run, nothing, n, at) { }
        struct Early { int error; Early() { nothing n = {0}; error = weft_launch(run, 1, 4, 0, &n).error; } };
        Early early;
        int weft_host() { return early.error; }";
    let config = config("sorted-table", 4, 4);
    let program = compile_as("program.cpp", Isa::BASE.with(&M), text, &config);
    assert_eq!(run(&program, &config), (3, "weft_launch: a constructor cannot launch a kernel\n".into()));
}

#[test]
fn errors_that_the_compiler_can_see_are_its_errors() {
    let program = |fields: &str, threads: &str, arguments: &str| {
        format!(
            "#include \"weft_grid.h\"\n\
             struct words {{ uint32_t {fields}; }};\n\
             WEFT_KERNEL(nothing, struct words, w, at) {{ }}\n\
             int weft_host(void) {{ struct words w = {{0}}; uint32_t n = 0; (void)n; (void)w;\n\
             return weft_launch(nothing, 1, {threads}, 0, {arguments}).error; }}\n"
        )
    };
    let out = tempfile::tempdir().unwrap();
    kernels::compile("right.c", &program("one", "32", "&w"), out.path()).unwrap();
    for (fields, threads, arguments, message) in [
        ("one", "48", "&w", "the threads of a block must be a power of two"),
        ("many[17]", "32", "&w", "a kernel takes at most 64 bytes of arguments"),
        ("one", "32", "&n", "incompatible pointer type"),
    ] {
        let text = program(fields, threads, arguments);
        let error = kernels::compile("wrong.c", &text, out.path()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn the_example_runs_on_every_unit() {
    let text = include_str!("../../../../examples/grid/dot_product.c");
    for unit in Unit::names_in_hardware() {
        let config = config(unit, 4, 8);
        let (code, console) = run(&compile(text, &config), &config);
        assert!(code == 0 && console.starts_with("dot_product: "), "{unit}: {code}, {console}");
    }
}

#[test]
fn a_launch_works_in_cpp() {
    let text = r"
        namespace { struct words { uint32_t one[2]; uint32_t *out; }; uint32_t out[4096]; }
        WEFT_KERNEL(store, words, w, at) { w.out[weft_index(at)] = w.one[at.thread & 1]; }
        int weft_host()
        {
            words w = {{5, 6}, out};
            weft_figures figures = weft_launch(store, 2, weft_block_of(64), 0, &w);
            return figures.error || out[0] != 5 || out[weft_threads_per_warp() - 1] != 6;
        }";
    let config = config("sorted-table", 4, 4);
    assert_eq!(run(&compile_as("program.cpp", Isa::BASE.with(&M), text, &config), &config), (0, String::new()));
}
