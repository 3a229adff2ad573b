//! The results of presets, files and settings, and the texts derived from the table of keys.

use std::fs;
use std::path::Path;

use weft_config::{Bandwidth, Base, Config, Isa, KEYS, Latency, Memory, MemoryKind, PRESETS, Window, reference};

const NOTHING: &[&str] = &[];

fn with(settings: &[&str]) -> Config {
    Config::resolve(&Base::default(), settings).expect("a valid configuration")
}

#[test]
fn the_default_preset_is_the_default_configuration() {
    assert_eq!(with(&[]), Config::default());
}

#[test]
fn every_preset_resolves_and_says_what_it_is_for() {
    for preset in PRESETS {
        let config = Config::resolve(&Base::Preset(preset.name.into()), NOTHING).expect(preset.name);
        assert_eq!(config.check(), Ok(()), "{}", preset.name);
        assert!(preset.summary().ends_with('.'), "{}", preset.name);
    }
}

#[test]
fn the_last_setting_wins_and_its_right_side_is_toml_or_else_a_string() {
    let config = with(&[
        "warps=3",
        "warps = 5",
        "memory.ram_bytes=0x0100_0000",
        "memory.latency=1..60",
        "divergence.unit=some-unit",
        "memory={outstanding=8}",
        "trace.port=false",
    ]);
    assert_eq!(config.warps, 5);
    assert_eq!(config.memory.ram_bytes, 16 << 20);
    assert_eq!(config.memory.latency, Latency { min: 1, max: 60 });
    assert_eq!(config.divergence.unit, "some-unit");
    assert_eq!(config.memory.outstanding, 8);
    assert!(!config.trace.port);
    assert_eq!(with(&["memory.latency=\"2..9\""]).memory.latency, Latency { min: 2, max: 9 });
    assert_eq!(with(&["memory.latency=7"]).memory.latency, Latency { min: 7, max: 7 });
}

#[test]
fn a_bandwidth_is_a_number_of_up_to_three_decimals() {
    for (setting, thousandths) in
        [("1", 1000), ("1.0", 1000), ("0.25", 250), ("0.001", 1), ("2.5e-1", 250), ("0.333", 333)]
    {
        assert_eq!(with(&[&format!("memory.bandwidth={setting}")]).memory.bandwidth, Bandwidth(thousandths));
    }
    for thousandths in 1..=1000 {
        let mut config = Config::default();
        config.memory.bandwidth = Bandwidth(thousandths);
        assert_eq!(config.check(), Ok(()), "{thousandths}");
    }
    for thousandths in [0, 1001, u32::MAX] {
        let mut config = Config::default();
        config.memory.bandwidth = Bandwidth(thousandths);
        assert!(config.check().is_err(), "{thousandths}");
    }
}

#[test]
fn the_extensions_and_fairness_can_be_turned_off() {
    let config = with(&["isa={m=false, a=false}", "divergence.fair_after=0", "memory.stack_interleave=false"]);
    assert!(config.isa == Isa::BASE && !config.memory.stack_interleave);
    assert_eq!(config.divergence.fair_after, 0);
}

#[test]
fn settings_apply_on_top_of_a_file_and_unset_keys_have_their_defaults() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("core.toml");
    fs::write(&path, "warps = 2\nmemory.seed = 9\n").expect("a file");
    let config = Config::resolve(&Base::File(path), &["warps=4"]).expect("a valid configuration");
    assert_eq!((config.warps, config.memory.seed, config.threads), (4, 9, 8));
}

#[test]
fn every_allowed_size_resolves_with_the_default_memory() {
    for threads in [1, 2, 4, 8, 16, 32, 64] {
        for warps in 1..=64 {
            with(&[&format!("warps={warps}"), &format!("threads={threads}")]);
        }
    }
}

#[test]
fn ram_reaches_to_the_end_of_the_address_space_and_to_one_row_above_the_stacks() {
    assert_eq!(with(&["memory.ram_bytes=2147483648"]).memory.ram_bytes, 1 << 31);
    assert_eq!(with(&["memory.ram_bytes=147456"]).memory.ram_bytes, 9 * 8 * 2048);
    assert!(Config::resolve(&Base::default(), &["memory.ram_bytes=131072"]).is_err());
}

#[test]
fn the_commented_file_reads_back_as_itself() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("core.toml");
    let config = with(&[
        "warps=3",
        "threads=16",
        "memory.latency=1..60",
        "divergence.unit=\"a\\\"b\"",
        "memory.seed=7",
        "memory.bandwidth=0.125",
        "isa.a=false",
    ]);
    fs::write(&path, config.to_commented_toml()).expect("a file");
    assert_eq!(Config::resolve(&Base::File(path), NOTHING), Ok(config));
}

#[test]
fn the_commented_file_of_the_defaults() {
    insta::assert_snapshot!(Config::default().to_commented_toml());
}

#[test]
fn memory_on_chip_has_smaller_defaults_wherever_it_was_chosen() {
    let sizes = |settings: &[&str]| {
        let memory = with(settings).memory;
        (memory.kind, memory.ram_bytes, memory.stack_bytes)
    };
    assert_eq!(sizes(&["memory.kind=bram"]), (MemoryKind::Bram, 65536, 256));
    assert_eq!(sizes(&["memory.kind=bram", "memory.kind=model"]), (MemoryKind::Model, 16 << 20, 2048));
    assert_eq!(sizes(&["memory.ram_bytes=131072", "memory.kind=bram"]), (MemoryKind::Bram, 131_072, 256));
    assert_eq!(sizes(&["memory.kind=bram", "memory.stack_bytes=512"]), (MemoryKind::Bram, 65536, 512));
    let preset = Config::resolve(&Base::Preset("bram-4x4".into()), NOTHING).expect("a preset");
    assert_eq!((preset.memory.kind, preset.memory.ram_bytes), (MemoryKind::Bram, 65536));
}

#[test]
fn the_commented_file_leaves_out_what_block_ram_ignores_and_reads_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("core.toml");
    let config = with(&["memory.kind=bram", "warps=2", "memory.ram_bytes=98304"]);
    let text = config.to_commented_toml();
    for line in ["# latency = 1", "# bandwidth = 1", "# seed = 1", "ram_bytes = 98304", "stack_bytes = 256"] {
        assert!(text.lines().any(|written| written == line), "{line}");
    }
    assert!(text.contains("default 65536.") && text.contains("default 256."), "{text}");
    fs::write(&path, text).expect("a file");
    assert_eq!(Config::resolve(&Base::File(path), NOTHING), Ok(config));
}

#[test]
fn memory_on_chip_made_by_code_has_no_latency() {
    let mut config = Config { memory: Memory::of_kind(MemoryKind::Bram), ..Config::default() };
    assert_eq!(config.check(), Ok(()));
    config.memory.latency = Latency { min: 1, max: 60 };
    insta::assert_snapshot!(config.check().expect_err("a latency"), @r#"configuration: `memory.latency` has no effect with `memory.kind` = "bram"; leave it out, or set memory.kind="model""#);
}

#[test]
fn each_key_is_known_to_be_where_it_was_set_last() {
    let settings = ["warps=4", "divergence.unit=arbiter", "warps=2"];
    let (_, origins) =
        Config::resolve_with_origins(&Base::Preset("wide".into()), &settings).expect("it can be resolved");
    let shown = ["warps", "threads", "divergence.unit", "memory.latency"].map(|key| origins.of(key).to_string());
    assert_eq!(shown, ["--set warps=2", "preset `wide`", "--set divergence.unit=arbiter", "configuration"]);
}

#[test]
fn the_table_has_every_key_of_the_configuration_once_and_in_order() {
    fn leaves(prefix: &str, table: &toml::Table, names: &mut Vec<String>) {
        for (name, value) in table {
            match value {
                toml::Value::Table(inner) => leaves(&format!("{prefix}{name}."), inner, names),
                _ => names.push(format!("{prefix}{name}")),
            }
        }
    }
    let mut names = Vec::new();
    leaves("", &toml::Table::try_from(Config::default()).expect("a table"), &mut names);
    let mut in_table: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    in_table.sort_unstable();
    names.sort_unstable();
    assert_eq!(in_table, names);
}

#[test]
fn the_hardware_text_changes_with_hardware_keys_only() {
    let of_default = Config::default().rtl_hash_text();
    for (setting, changes) in [
        ("warps=7", true),
        ("threads=4", true),
        ("divergence.unit=other", true),
        ("memory.outstanding=8", true),
        ("memory.kind=bram", true),
        ("memory.ram_bytes=33554432", true),
        ("memory.stack_bytes=1024", true),
        ("trace.port=false", true),
        ("isa.m=false", true),
        ("isa.a=false", true),
        ("isa.zba=true", true),
        ("isa.zba=false", false),
        ("divergence.fair_after=0", true),
        ("arbiter.pipeline_stages=1", true),
        ("dws.threshold=10", false),
        ("dwf.table_entries=8", false),
        ("dwf.issue=minority", false),
        ("dwf.swizzle=true", false),
        ("divergence.scheduler=constrained", true),
        ("memory.stack_interleave=false", true),
        ("model.scoreboard=optimistic", false),
        ("model.path_forwarding=true", false),
        ("memory.bandwidth=0.5", false),
        ("memory.latency=20", false),
        ("memory.seed=2", false),
        ("run.watchdog=5", false),
        ("run.starvation=5", false),
        ("run.tohost=0x80000010", true),
        ("control.port=true", true),
        ("control.port=false", false),
    ] {
        assert_eq!(with(&[setting]).rtl_hash_text() != of_default, changes, "{setting}");
    }
}

#[test]
fn the_bus_is_a_line_wide_unless_its_width_is_set() {
    let bits = |settings: &[&str]| {
        let config = with(&[&["memory.kind=axi4"], settings].concat());
        (config.bus_bits(), config.rtl_hash_text().contains("axi.data_bits"))
    };
    assert_eq!(bits(&[]), (256, false));
    assert_eq!(bits(&["threads=1"]), (32, false));
    assert_eq!(bits(&["threads=64"]), (1024, false));
    assert_eq!(bits(&["axi.data_bits=64"]), (64, true));
    assert_eq!(bits(&["axi.data_bits=64", "axi.data_bits=0"]), (256, false));
}

#[test]
fn a_starvation_limit_in_cycles_is_refused_with_what_it_is_now() {
    let refused = Config::resolve(&Base::default(), &["run.starvation=1000000".to_owned()]).expect_err("a factor");
    insta::assert_snapshot!(refused, @"--set run.starvation=1000000: `run.starvation` = 1000000 is out of range: expected an integer from 1 to 1000; it is a factor on the bound of the unit now, not a number of cycles: leave it out, or write 4");
}

#[test]
fn a_configuration_made_by_code_is_checked_like_a_written_one() {
    let broken = Config { threads: 3, ..Config::default() };
    insta::assert_snapshot!(broken.check().expect_err("three threads"), @"configuration: `threads` = 3 is out of range: expected a power of two from 1 to 64; the nearest are 2 and 4");
    let mut broken = Config::default();
    broken.memory.latency = Latency { min: 5, max: 2 };
    assert!(broken.check().is_err());
}

#[test]
fn the_documentation_says_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual/configuration.md");
    let written = fs::read_to_string(path).expect("docs/manual/configuration.md");
    assert!(
        written == reference(),
        "docs/manual/configuration.md is stale: cargo run -p weft-config --example reference > docs/manual/configuration.md"
    );
}

#[test]
fn no_file_however_spoiled_ends_in_a_panic() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("core.toml");
    let whole = Config::default().to_commented_toml();
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut refused = 0;
    for _ in 0..3000 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..1 + random(8) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] = random(256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"[]{}=.\"'#\n0-9xe_"[random(16)]),
            }
        }
        fs::write(&path, bytes).expect("a file");
        match Config::resolve(&Base::File(path.clone()), NOTHING) {
            Ok(config) => assert_eq!(config.check(), Ok(())),
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("core.toml"), "{error}");
            }
        }
    }
    assert!(refused > 1000);
}

#[test]
fn the_divider_fits_the_threads_and_depends_on_nothing_without_m() {
    let units = |threads: u32| with(&[&format!("threads={threads}")]).divider_units();
    assert_eq!([1, 2, 4, 8, 16, 32, 64].map(units), [1, 2, 4, 4, 16, 16, 16]);
    assert_eq!(with(&["divider.units=2"]).divider_units(), 2);
    assert!(!with(&["isa.m=false"]).rtl_hash_text().contains("divider"));
}

#[test]
fn windows_are_read_as_they_are_printed() {
    let config = with(&["memory.kind=axi4", "memory.windows=[[0xf0000000, 65536], [0, 4]]"]);
    let windows = [(0xf000_0000, 65536), (0, 4)].map(|(base, bytes)| Window { base, bytes });
    assert_eq!(config.memory.windows, windows);
    let text = config.to_commented_toml();
    assert!(text.contains("\nwindows = [[0xf0000000, 65536], [0x00000000, 4]]\n"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("core.toml");
    fs::write(&path, text).unwrap();
    assert_eq!(Config::resolve(&Base::File(path), &[""; 0]).unwrap(), config);
    assert!(windows[0].contains(0xf000_ffff) && !windows[0].contains(0xf001_0000) && !windows[0].contains(0));
    // Without windows hardware does not depend on the key.
    assert!(!with(&[]).rtl_hash_text().contains("windows") && config.rtl_hash_text().contains("windows"));
}

#[test]
fn many_warps_have_more_loads_in_flight_by_default() {
    let outstanding = |settings: &[&str]| with(settings).memory.outstanding;
    assert_eq!(["1", "8", "32"].map(|warps| outstanding(&[&format!("warps={warps}")])), [16; 3]);
    assert_eq!(["33", "48", "64"].map(|warps| outstanding(&[&format!("warps={warps}")])), [32; 3]);
    assert_eq!(outstanding(&["warps=64", "memory.outstanding=16"]), 16);
    assert_eq!(outstanding(&["warps=64", "memory.kind=axi4"]), 32);
}

#[test]
fn atomics_of_the_scratchpad_follow_the_instruction_set_unless_they_are_set() {
    assert!(with(&["scratchpad.bytes=1024"]).scratchpad.atomics);
    assert!(!with(&["scratchpad.bytes=1024", "isa.a=false"]).scratchpad.atomics);
    assert!(!with(&["scratchpad.bytes=1024", "scratchpad.atomics=false"]).scratchpad.atomics);
    // Without a scratchpad it does not matter, and hardware does not depend on it.
    let without = with(&["isa.a=false", "scratchpad.atomics=true"]);
    assert_eq!(without.rtl_hash_text(), with(&["isa.a=false"]).rtl_hash_text());
    assert_ne!(with(&["scratchpad.bytes=64"]).rtl_hash_text(), with(&[]).rtl_hash_text());
    for bytes in [32, 1 << 18] {
        assert_eq!(with(&[&format!("scratchpad.bytes={bytes}")]).check(), Ok(()), "{bytes}");
    }
}
