//! The emitted Verilog from its user's view: lint, block RAM, the same bytes every time.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use weft_config::extension::{A, M, ZBA, ZBB, ZICOND};
use weft_config::{Coalescer, Config, Counters, Isa, Memory, MemoryKind, Scheduler};

use crate::tools::run;

fn config(warps: u32, threads: u32, trace: bool) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.stack_bytes = 256;
    config.trace.port = trace;
    config
}

fn write(config: &Config, folder: &Path) -> Vec<String> {
    let core = cores::elaborate(config, 0x8000_0000).unwrap();
    let files = core.files();
    for (name, text) in &files {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::write(folder.join("single.v"), core.all_in_one()).unwrap();
    files.into_iter().map(|(name, _)| name).collect()
}

/// Runs `verilator --lint-only -Wall` on the core of a configuration: on its files and, if `single`, on the file with
/// all modules.
fn check_lint(config: &Config, single: bool) {
    let folder = tempfile::tempdir().unwrap();
    let files = write(config, folder.path());
    let lint = ["--lint-only", "-Wall", "--top-module", "weft_core"];
    let forms = [files.iter().map(String::as_str).collect(), vec!["single.v"]];
    for sources in forms.into_iter().take(1 + usize::from(single)) {
        let text = run("verilator", folder.path(), &[&lint[..], &sources].concat());
        assert_eq!(text, "", "{config:?}");
    }
}

/// The number of values per key, of which lint tries every pair: unit, threads (up to 32), warps, memory, flags, time
/// slices, coalescer, scratchpad, control port, caches.
const CHOICES: [usize; 16] = [7, 6, 4, 3, 2, 2, 2, 2, 2, 2, 2, 4, 3, 3, 2, 3];

fn chosen(row: &[usize]) -> Config {
    let [
        unit,
        threads,
        warps,
        memory,
        trace,
        m,
        a,
        bits,
        conditional,
        constrained,
        interleaves,
        turns,
        coalescer,
        scratchpad,
        control,
        caches,
    ] = *row
    else {
        panic!("{row:?}");
    };
    let descriptor = weft_config::Unit::find(weft_config::Unit::names_in_hardware()[unit]).unwrap();
    let mut config = config([1, 3, 8, 64][warps], 1 << threads, trace == 1);
    let kinds = [MemoryKind::Model, MemoryKind::Bram, MemoryKind::Axi4];
    config.memory = Memory {
        stack_bytes: 256,
        stack_interleave: interleaves == 1,
        coalescer: Coalescer::ALL[coalescer],
        ..Memory::of_kind(kinds[memory])
    };
    config.divergence.unit = descriptor.name.into();
    for (extension, is_there) in [(&M, m), (&A, a), (&ZBA, bits), (&ZBB, bits), (&ZICOND, conditional)] {
        config.isa.set(extension, is_there == 1);
    }
    config.scratchpad.bytes = [0, 4 * config.threads, 1 << 14][scratchpad];
    config.control.port = control == 1 && kinds[memory] != MemoryKind::Bram;
    config.scratchpad.atomics = a == 1 && (threads + warps) % 4 > 0;
    if kinds[memory] != MemoryKind::Bram && caches > 0 {
        config.dcache.bytes = (8 * config.threads) << warps;
        config.icache.bytes = [0, 128, 8192][caches];
        config.icache.line_bytes = [0, 32, 64][caches];
        config.icache.prefetch = m == 1;
        // On the bus the control block says where the reconvergence table is.
        config.control.port |= descriptor.reconverges && kinds[memory] == MemoryKind::Axi4;
    }
    if config.control.port && trace == 1 {
        config.control.counters = Counters::Full;
        config.control.paths = true;
    }
    if descriptor.reads("divergence.fair_after") {
        config.divergence.fair_after = [0, 1, 3, 65_536][turns];
    }
    if descriptor.reads("divergence.scheduler") && constrained == 1 {
        config.divergence.scheduler = Scheduler::Constrained;
    }
    for key in descriptor.own_keys {
        *config.unit_keys.get_mut(key.name) = key.min + (threads + turns) as u32 % (key.max - key.min + 1);
    }
    config
}

#[test]
fn lint_is_silent() {
    let rows = pairwise(&CHOICES);
    for row in &rows {
        let config = chosen(row);
        check_lint(&config, config.threads <= 8);
    }
}

#[test]
fn lint_is_silent_with_the_smallest_and_the_largest_core() {
    for unit in weft_config::Unit::names_in_hardware() {
        for (warps, threads) in [(1, 1), (64, 64)] {
            let mut config = config(warps, threads, true);
            config.divergence.unit = unit.into();
            check_lint(&config, false);
        }
    }
}

/// Rows of choices, one per count, in which every pair of choices of two columns occurs. Each row starts from the
/// first missing pair, and is filled with the choices that cover most of the other missing pairs.
fn pairwise(counts: &[usize]) -> Vec<Vec<usize>> {
    let pairs = |row: &[Option<usize>]| {
        let taken: Vec<_> = row.iter().enumerate().filter_map(|(column, value)| Some((column, (*value)?))).collect();
        let of = |i: usize| taken[i + 1..].iter().map(|b| (taken[i], *b)).collect::<Vec<_>>();
        (0..taken.len()).flat_map(of).collect::<Vec<_>>()
    };
    let values = |column: usize| (0..counts[column]).map(move |value| (column, value));
    let later = |column: usize| (column + 1..counts.len()).flat_map(values);
    let all = (0..counts.len()).flat_map(values);
    let mut missing: BTreeSet<_> = all.flat_map(|a| later(a.0).map(move |b| (a, b))).collect();
    let mut rows = Vec::new();
    while let Some(&(a, b)) = missing.first() {
        let mut row = vec![None; counts.len()];
        (row[a.0], row[b.0]) = (Some(a.1), Some(b.1));
        for column in 0..counts.len() {
            if row[column].is_none() {
                let gain = |value: usize| {
                    let mut tried = row.clone();
                    tried[column] = Some(value);
                    pairs(&tried).iter().filter(|pair| missing.contains(pair)).count()
                };
                row[column] = (0..counts[column]).rev().max_by_key(|value| gain(*value));
            }
        }
        missing = &missing - &pairs(&row).into_iter().collect();
        rows.push(row.into_iter().flatten().collect());
    }
    rows
}

#[test]
fn every_pair_of_choices_occurs() {
    let rows = pairwise(&CHOICES);
    for (i, a) in CHOICES.iter().enumerate() {
        for (j, b) in CHOICES.iter().enumerate().skip(i + 1) {
            let found: BTreeSet<_> = rows.iter().map(|row| (row[i], row[j])).collect();
            assert_eq!(found.len(), a * b, "columns {i} and {j}");
        }
    }
    assert!(rows.len() < 2 * CHOICES[0] * CHOICES[1], "{} rows", rows.len());
}

#[test]
fn register_file_becomes_block_ram() {
    let folder = tempfile::tempdir().unwrap();
    write(&config(8, 4, false), folder.path());
    let script = "read_verilog weft_register_bank.v; synth_ecp5 -top weft_register_bank; stat";
    let text = run("yosys", folder.path(), &["-p", script]);
    let count = |cell: &str| {
        let line = text.lines().rev().find(|line| line.split_whitespace().next() == Some(cell));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u32>().ok()).unwrap_or(0)
    };
    assert_eq!(count("DP16KD"), 1, "{text}");
    assert_eq!(count("TRELLIS_DPR16X4"), 0, "{text}");
}

/// Two cores of different configurations, distinguished by their prefixes. Modules of the user have the same names as
/// ours.
#[test]
fn two_cores_live_in_one_design() {
    let folder = tempfile::tempdir().unwrap();
    let cores = [("weft_", "sorted-table", 4), ("gpu_", "dual-path", 2)].map(|(prefix, unit, threads)| {
        let mut config = config(2, threads, false);
        config.memory.kind = MemoryKind::Bram;
        config.memory.ram_bytes = 1 << 14;
        config.divergence.unit = unit.into();
        config.emit.prefix = prefix.into();
        config.emit.hex_path = "hex/".into();
        cores::elaborate_to_emit(&config, 0x8000_0000, true).unwrap()
    });
    let own = "module divider; endmodule\nmodule pipeline; endmodule\n";
    fs::write(folder.path().join("own.v"), own).unwrap();
    fs::create_dir(folder.path().join("hex")).unwrap();
    let mut instances = String::new();
    for core in &cores {
        let name = core.name();
        let text = core.all_in_one();
        assert!(text.contains(&format!("$readmemh(\"hex/{name}_0.hex\"")), "{name}");
        fs::write(folder.path().join(format!("{name}.v")), text).unwrap();
        for (file, words) in core.image_files(&[0; 64], &[0; 64]) {
            fs::write(folder.path().join("hex").join(file), words).unwrap();
        }
        instances += &format!("    {name} {name}_0 (.clk(clk), .rst(rst), .console_ready(1'b1));\n");
    }
    let top = format!("module top (input wire clk, input wire rst);\n{instances}    divider mine ();\nendmodule\n");
    fs::write(folder.path().join("top.v"), top).unwrap();
    let files = ["top.v", "own.v", "weft_core.v", "gpu_core.v"];
    let options = ["--lint-only", "-Wno-PINMISSING", "-Wno-DECLFILENAME", "--top-module", "top"];
    let text = run("verilator", folder.path(), &[&options[..], &files].concat());
    assert_eq!(text, "");
}

/// Memory in the core, with and without an initial image. Without one, nothing drives the reconvergence table.
#[test]
fn lint_is_silent_with_memory_in_the_core() {
    for unit in weft_config::Unit::names_in_hardware() {
        let memory = Memory::of_kind(MemoryKind::Bram);
        let mut config = Config { memory, ..config(2, 4, false) };
        config.divergence.unit = unit.into();
        check_lint(&config, true);
        let folder = tempfile::tempdir().unwrap();
        let core = cores::elaborate_to_emit(&config, 0x8000_0000, true).unwrap();
        fs::write(folder.path().join("single.v"), core.all_in_one()).unwrap();
        let words = vec![0; config.memory.ram_bytes as usize / 4];
        for (name, text) in core.image_files(&words, &words) {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let lint = ["--lint-only", "-Wall", "--top-module", "weft_core", "single.v"];
        assert_eq!(run("verilator", folder.path(), &lint), "", "{unit}");
    }
}

#[test]
fn every_unit_states_its_invariants_with_one_thread_and_with_more() {
    for unit in weft_config::Unit::names_in_hardware() {
        for threads in [1, 2, 8] {
            let mut config = config(2, threads, false);
            config.divergence.unit = unit.into();
            let folder = tempfile::tempdir().unwrap();
            let core = cores::elaborate_asserting(&config, 0x8000_0000).unwrap();
            fs::write(folder.path().join("single.v"), core.all_in_one()).unwrap();
            run("verilator", folder.path(), &["--lint-only", "--assert", "--top-module", "weft_core", "single.v"]);
        }
    }
}

/// Synthesises an emitted core for a Yosys target other than the ECP5.
fn synthesise(command: &str, options: &str, memory: Memory) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config { warps: 1, threads: 2, memory, ..config(1, 2, false) };
    config.memory.outstanding = 4;
    config.isa = Isa::BASE;
    write(&config, folder.path());
    let script = format!("read_verilog single.v; {command} -top weft_core {options}; select -assert-none t:$mem* m:*");
    run("yosys", folder.path(), &["-q", "-p", &script]);
}

/// Synthesises until all memories are mapped, where a family can lack a kind of memory.
fn memories_are_mapped(command: &str, next: &str) {
    synthesise(command, &format!("-run begin:{next}"), Memory::default());
}

#[test]
fn ice40_has_what_the_memories_need() {
    memories_are_mapped("synth_ice40", "map_gates");
}

#[test]
fn gowin_has_what_the_memories_need() {
    memories_are_mapped("synth_gowin", "map_gates");
}

#[test]
fn nexus_has_what_the_memories_need() {
    memories_are_mapped("synth_nexus", "map_gates");
}

#[test]
fn xilinx_has_what_the_memories_need() {
    memories_are_mapped("synth_xilinx", "map_ffs");
}

#[test]
fn intel_has_what_the_memories_need() {
    memories_are_mapped("synth_intel_alm", "map_ffs");
}

#[test]
#[ignore = "takes minutes: scripts/nightly.sh runs it"]
fn every_family_is_synthesised_for() {
    for command in ["synth_ice40", "synth_gowin", "synth_nexus", "synth_xilinx", "synth_intel_alm"] {
        let memory = Memory { ram_bytes: 4096, ..Memory::of_kind(MemoryKind::Bram) };
        synthesise(command, "", memory);
    }
}

#[test]
fn the_same_configuration_gives_the_same_bytes() {
    let text = || cores::elaborate(&config(3, 8, true), 0x8000_0000).unwrap().all_in_one();
    assert!(text() == text());
}

#[test]
fn modules_read_as_written_by_hand() {
    let core = cores::elaborate(&config(8, 4, false), 0x8000_0000).unwrap();
    for name in ["lane_alu.v", "ccs.v", "barrier.v", "s1_fetch.v"] {
        let module = core.module().verilog().into_iter().find(|module| name == format!("{}.v", module.name));
        insta::assert_snapshot!(name, module.unwrap().text);
    }
}

#[test]
fn an_unknown_unit_names_those_there_are() {
    let mut config = config(8, 4, false);
    config.divergence.unit = "abiter".into();
    let error = cores::elaborate(&config, 0x8000_0000).err().unwrap();
    insta::assert_snapshot!(error, @"`divergence.unit`: no divergence unit `abiter`; did you mean `arbiter`?");
}

#[test]
fn no_word_is_two_instructions_unless_one_is_an_exception_from_the_other() {
    let (table, exceptions) = cores::isa::exceptions(cores::isa::instructions(Isa::ALL));
    let names = exceptions.iter().map(|exception| (exception.encoding.name, exception.general.name));
    assert_eq!(names.collect::<Vec<_>>(), [("pause", "fence")]);
    for (i, a) in table.iter().enumerate() {
        for b in &table[i + 1..] {
            assert!((a.value ^ b.value) & a.mask & b.mask != 0, "{} and {} overlap", a.name, b.name);
        }
    }
}
