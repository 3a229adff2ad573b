//! Each mistake has one message: it names the position, the key, the expected values and the nearest valid choice.

use std::fs;
use std::path::{Path, PathBuf};

use weft_config::{Base, Config, ConfigError};

/// Returns the message for a configuration file with one mistake.
fn message_of_file(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("core.toml");
    fs::write(&path, text).expect("a file");
    let error = Config::resolve(&Base::File(path), &[""; 0]).expect_err(text);
    one_message(&error).replace(&format!("{}/", folder.path().display()), "")
}

fn message_of_settings(settings: &[&str]) -> String {
    one_message(&Config::resolve(&Base::default(), settings).expect_err(&settings.join(" ")))
}

fn one_message(error: &ConfigError) -> String {
    let message = error.to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn mistakes_in_a_file() {
    let mistakes = [
        "threads = 4\n\n[memory]\nlatencyy = 2\n",
        "[divergence]\nlatency = 2\n",
        "ram_bytes = 65536\n",
        "[isa]\nf = true\n",
        "[isa]\nm = \"yes\"\n",
        "[arbiter]\npipeline_stages = 3\n",
        "[memroy]\n",
        "[memory]\ncolour = \"red\"\n",
        "warps = \"many\"\n",
        "warps = 2.0\n",
        "trace = true\n",
        "[warps]\nx = 1\n",
        "[trace]\nport = \"yes\"\n",
        "[[memory]]\nlatency = 1\n",
        "[memory]\nkind = \"modell\"\n",
        "[memory]\nkind = \"dram\"\n",
        "[memory]\nlatency = 20\nkind = \"bram\"\n",
        "[memory]\nlatency = [1, 60]\n",
        "[memory]\nbandwidth = \"full\"\n",
        "[memory]\nbandwidth = nan\n",
        "warps = 0\n",
        "warps = 65\nthreads = 3\n",
        "warps = 99999999999999999999999\n",
        "warps = 999999999999999999999999999999999999999999999\n",
        "[memory]\nlatency = 1\nstack_bytes = 100\n",
        "threads = 16\n[memory]\nram_bytes = 20000000\n",
        "warps = 4\nwarps = 5\n",
        "warps 4\n",
        "threads = 4\nwarps = \n",
        "# Größe\nwärme = 4\n[memory\n",
        "\0\u{1}\u{2}",
    ];
    let messages: Vec<String> = mistakes.iter().map(|text| format!("{text:?}\n  {}", message_of_file(text))).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn mistakes_in_settings() {
    let mistakes: &[&[&str]] = &[
        &["warps"],
        &["=4"],
        &["memory.latencyy=2"],
        &["memory=2"],
        &["memory={latency=2, colour=3}"],
        &["threads=3"],
        &["threads=0"],
        &["threads=48"],
        &["threads=65"],
        &["threads=128"],
        &["warps=-1"],
        &["memory.latency=0"],
        &["memory.latency=60..1"],
        &["memory.latency=1..99999"],
        &["memory.latency=fast"],
        &["memory.outstanding=0"],
        &["memory.outstanding=129"],
        &["memory.seed=-1"],
        &["memory.stack_bytes=32"],
        &["memory.stack_bytes=3000"],
        &["memory.ram_bytes=4294967296"],
        &["memory.ram_bytes=1000"],
        &["memory.ram_bytes=16777215"],
        &["memory.base=0x3fffffff"],
        &["memory.base=0x80001000"],
        &["memory.base=0xffff0000"],
        &["reset_pc=0x80000002"],
        &["reset_pc=0x81000000"],
        &["memory.stack_bytes=262144", "trace.port=false"],
        &["memory.stack_bytes=1073741824", "warps=64", "threads=64", "memory.ram_bytes=4096"],
        &["memory.bandwidth=0"],
        &["memory.bandwidth=0.0001"],
        &["memory.bandwidth=0.3333"],
        &["memory.bandwidth=2"],
        &["memory.bandwidth=-1e400"],
        &["memory.stack_interleave=1"],
        &["divergence.fair_after=-1"],
        &["divergence.fair_after=4294967296"],
        &["arbiter.pipeline_stages=3"],
        &["dws.threshold=0"],
        &["dwf.issue=majorty"],
        &["dwf.table_entries=7"],
        &["dwf.lanes=ideal", "dwf.swizzle=true"],
        &["dwf.swizzle=true", "threads=1"],
        &["dwf.warps=post-dominator", "dwf.issue=minority"],
        &["divergence.scheduler=constraint"],
        &["divergence.scheduler=none"],
        &["divergence.scheduler=2"],
        &["model.scoreboard=optimal"],
        &["model.path_forwarding=1"],
        &["model.memory_divergence=1"],
        &["model.memory_divergence=true"],
        &["divergence.unit=dual-path", "dcache.bytes=4096", "model.memory_divergence=true"],
        &["dcache.bytes=4096", "model.path_forwarding=true", "model.memory_divergence=true"],
        &["model.l2_bytes=3000"],
        &["model.l2_bytes=512"],
        &["model.l2_bytes=65536", "threads=64"],
        &["model.l2_bytes=65536", "memory.kind=bram"],
        &["model.l2_ways=4"],
        &["model.memory_bandwidth=0.5"],
        &["divergence.scoreboard=optimistic"],
        &["isa.m=1"],
        &["isa.c=true"],
        &["run.watchdog=0"],
        &["memory.kind=bam"],
        &["memory.kind=bram", "memory.latency=1"],
        &["memory.bandwidth=0.5", "memory.kind=bram"],
        &["memory.kind=bram", "memory.seed=2"],
        &["memory.kind=bram", "warps=64", "threads=8"],
        &["memory.kind=bram", "memory.ram_bytes=65000"],
        &["trace.port=1"],
        &["run.tohost=0x80000002"],
        &["run.tohost=0x7ffffffc"],
        &["run.tohost=0x80fe0000"],
        &["run.tohost=4294967296"],
        &["scratchpad.bytes=2"],
        &["scratchpad.bytes=3000"],
        &["scratchpad.bytes=524288"],
        &["scratchpad.bytes=16"],
        &["scratchpad.bytes=64", "threads=32"],
        &["scratchpad.bytes=1024", "isa.a=false", "scratchpad.atomics=true"],
        &["scratchpad.bits=1024"],
        &["axi.data_bits=64"],
        &["memory.kind=bram", "axi.data_bits=64"],
        &["memory.kind=axi4", "axi.data_bits=48"],
        &["memory.kind=axi4", "axi.data_bits=16"],
        &["memory.kind=axi4", "axi.data_bits=2048"],
        &["memory.kind=axi4", "axi.data_width=64"],
        &["memory.kind=axi4", "axi.data_bits=1024", "threads=1", "memory.stack_bytes=64", "memory.ram_bytes=8256"],
        &["dcache.bytes=3000"],
        &["dcache.bytes=524288"],
        &["dcache.bytes=32"],
        &["dcache.bytes=4096", "memory.kind=bram"],
        &["divider.units=3"],
        &["divider.units=32"],
        &["divider.units=8", "threads=4"],
        &["divider.units=2", "isa.m=false"],
        &["memory.windows=4096"],
        &["memory.windows=[0xf0000000, 4096]"],
        &["memory.windows=[[0xf0000000]]"],
        &["memory.windows=[[0xf0000000, \"4K\"]]"],
        &["memory.windows=[[0xf0000000, 0]]"],
        &["memory.windows=[[0xf0000000, -4]]"],
        &["memory.windows=[[0xf0000000, 3000]]"],
        &["memory.windows=[[0, 0x80000000]]"],
        &["memory.windows=[[0xf0000800, 4096]]"],
        &["memory.windows=[[0xfffff800, 4096]]"],
        &["memory.windows=[[0x100000000, 4096]]"],
        &["memory.windows=[[-4096, 4096]]"],
        &["memory.windows=[[0,4],[8,4],[16,4],[24,4],[32,4],[40,4],[48,4],[56,4],[64,4]]"],
        &["memory.windows=[[0xf0000000, 4096]]"],
        &["memory.kind=bram", "memory.windows=[[0xf0000000, 4096]]"],
        &["memory.kind=axi4", "memory.windows=[[0x80001000, 4096]]"],
        &["memory.kind=axi4", "memory.windows=[[0x80000000, 0x40000000]]"],
        &["memory.kind=axi4", "memory.windows=[[0x10000000, 4096]]"],
        &["memory.kind=axi4", "memory.windows=[[0x20000000, 64]]", "scratchpad.bytes=4096"],
        &["memory.kind=axi4", "memory.windows=[[0xf0000000, 4096], [0xf0000800, 64]]"],
        &["memory.kind=axi4", "memory.windows=[[0xf0000000, 4096]]", "memory.base=0xf0000000"],
    ];
    let messages: Vec<String> = mistakes.iter().map(|settings| message_of_settings(settings)).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn an_unknown_preset_names_the_nearest_or_all() {
    let message = |name: &str| one_message(&Config::resolve(&Base::Preset(name.into()), &[""; 0]).expect_err(name));
    insta::assert_snapshot!(format!("{}\n{}", message("rv32-8x4"), message("huge")));
}

#[test]
fn a_missing_file_and_a_folder_are_named() {
    for path in ["/nonexistent/core.toml", "/"] {
        let error = Config::resolve(&Base::File(PathBuf::from(path)), &[""; 0]).expect_err(path);
        assert!(matches!(&error, ConfigError::Unreadable { path: named, .. } if named == Path::new(path)));
        assert!(one_message(&error).starts_with(&format!("{path}: cannot read the configuration file: ")));
    }
}
