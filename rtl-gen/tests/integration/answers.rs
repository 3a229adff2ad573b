//! Help, version, configuration, completions, kernels and cache.

use crate::common;

use std::fs;
use std::process::Stdio;

use common::{Ended, Workspace, entries};

#[test]
fn every_command_explains_itself_with_an_example() {
    let workspace = Workspace::new();
    for command in ["emit", "run", "cosim", "analyze", "compare", "papers", "fuzz", "config", "completions"] {
        let help = workspace.weft(&[command, "--help"]).succeeded().stdout;
        assert!(help.contains(&format!("Usage: weft {command}")), "{help}");
        assert!(
            help.contains(&format!("\n  weft {command} ")) || help.contains(&format!("\n  weft {command}\n")),
            "{help}"
        );
    }
    for (command, example) in [("kernels", "weft kernels build --out kernels"), ("cache", "weft cache path")] {
        assert!(workspace.weft(&[command, "--help"]).succeeded().stdout.contains(example), "{command}");
    }
    insta::assert_snapshot!(workspace.weft(&["--help"]).succeeded().stdout);
}

#[test]
fn the_help_of_run() {
    insta::assert_snapshot!(Workspace::new().weft(&["run", "--help"]).succeeded().stdout);
}

#[test]
fn the_version_names_schema_and_commit() {
    let workspace = Workspace::new();
    let object = workspace.weft(&["--version", "--json"]).succeeded().object();
    let (version, git) = (object["version"].as_str().expect("text"), object["git"].as_str().expect("text"));
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert!(git == "unknown" || git.len() == 12 && git.bytes().all(|byte| byte.is_ascii_hexdigit()), "{git}");
    assert_eq!(object["configuration_schema"], 2);
    let line = workspace.weft(&["--version"]).succeeded().stdout;
    assert_eq!(line, format!("weft {version} (configuration schema 2, git {git})\n"));
}

#[test]
fn help_with_json_is_one_object() {
    let object = Workspace::new().weft(&["emit", "--help", "--json"]).succeeded().object();
    assert!(object["help"].as_str().is_some_and(|help| help.contains("Usage: weft emit")));
}

#[test]
fn the_resolved_configuration_as_toml_and_as_json() {
    let workspace = Workspace::new();
    let arguments =
        ["config", "--preset", "wide", "--set", "memory.latency=1..60", "--set", "warps=3", "--set", "warps=5"];
    let text = workspace.weft(&arguments).succeeded().stdout;
    for line in ["warps = 5", "threads = 16", "latency = \"1..60\""] {
        assert!(text.lines().any(|printed| printed == line), "{line}: {text}");
    }
    let object = workspace.weft(&[arguments.as_slice(), &["--json"]].concat()).succeeded().object();
    assert_eq!(object["warps"], 5);
    assert_eq!(object["memory"]["latency"], "1..60");
    assert_eq!(object["memory"]["kind"], "model");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = Workspace::new()
        .command(&["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("weft starts");
    drop(child.stdout.take());
    let ended = Ended::of(child.wait_with_output().expect("weft ends"));
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
}

#[test]
fn a_full_disk_is_reported() {
    let full = fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let output = Workspace::new().command(&["config"]).stdout(full).output().expect("weft starts");
    let ended = Ended::of(output);
    assert_eq!(ended.status, 2);
    insta::assert_snapshot!(ended.stderr, @"error: stdout: cannot write: No space left on device (os error 28)");
}

#[test]
fn completions_know_the_commands() {
    let workspace = Workspace::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = workspace.weft(&["completions", shell]).succeeded().stdout;
        assert!(script.contains("cosim") && script.contains("max-cycles"), "{shell}");
    }
    let object = workspace.weft(&["--json", "completions", "fish"]).succeeded().object();
    assert_eq!(object["shell"], "fish");
}

#[test]
fn kernels_are_listed() {
    let workspace = Workspace::new();
    let text = workspace.weft(&["kernels", "list"]).succeeded().stdout;
    let object = workspace.weft(&["kernels", "list", "--json"]).succeeded().object();
    let kernels = object["kernels"].as_array().expect("kernels");
    assert!(kernels.len() >= 6);
    assert_eq!(text.lines().count(), kernels.len());
    for (line, kernel) in text.lines().zip(kernels) {
        assert!(line.starts_with(kernel["name"].as_str().expect("a name")));
        assert!(line.contains(kernel["summary"].as_str().expect("a summary")));
    }
}

#[test]
fn kernels_are_built_into_a_folder() {
    let workspace = Workspace::new();
    let object = workspace.weft(&["kernels", "build", "--out", "deep/kernels", "--json"]).succeeded().object();
    let kernels = object["kernels"].as_array().expect("kernels");
    for kernel in kernels {
        let path = workspace.join(kernel["path"].as_str().expect("a path"));
        assert_eq!(&fs::read(&path).expect("an ELF file")[..4], b"\x7fELF", "{}", path.display());
    }
    // The names follow from the sources: `break`, `return` or `goto` in loops, and loops that wait.
    let of_class = |class: &str| {
        let of_class = kernels.iter().filter(|kernel| kernel["class"] == class);
        of_class.map(|kernel| kernel["name"].as_str().expect("a name")).collect::<Vec<_>>()
    };
    let early =
        "breadth_first_search string_search pointer_chase mandelbrot lock_free_list ray_casting photon_walk grid_scan";
    assert_eq!(of_class("early-exit").join(" "), early);
    assert_eq!(of_class("irreducible"), ["quotations"]);
    let locking = "spin_lock ticket_lock hash_table sorted_list interval_locks atomic_barrier";
    assert_eq!(of_class("locking").join(" "), locking);
    assert_eq!(of_class("structured").len(), kernels.len() - 8 - 1 - 6);
}

#[test]
fn only_the_named_kernels_are_built() {
    let workspace = Workspace::new();
    let built = workspace.weft(&["kernels", "build", "quicksort", "gcd", "--out", "kernels"]).succeeded();
    assert_eq!(built.stdout, "kernels/gcd.elf\nkernels/quicksort.elf\n");
    assert_eq!(entries(&workspace.join("kernels")), ["gcd.elf", "quicksort.elf"]);
    let refused = workspace.refused(&["kernels", "build", "gcd", "quiksort", "--out", "none"]);
    assert!(refused.contains("quiksort") && refused.contains("quicksort"), "{refused}");
    assert!(!workspace.join("none").exists());
}

#[test]
fn a_missing_compiler_is_named_with_the_way_to_get_it() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.refused_with(&["kernels", "build"], &[("WEFT_RISCV_GCC", "/nonexistent/gcc")]));
}

#[test]
fn kernels_cannot_be_built_below_a_file() {
    let workspace = Workspace::new();
    workspace.write("file", "");
    insta::assert_snapshot!(workspace.refused(&["kernels", "build", "--out", "file/kernels"]));
}

#[test]
fn the_cache_is_where_the_variable_says_and_can_be_emptied() {
    let workspace = Workspace::new();
    let cache = workspace.join("cache");
    let run = |arguments: &[&str]| {
        Ended::of(workspace.command(arguments).env("WEFT_CACHE", &cache).output().expect("weft starts")).succeeded()
    };
    assert_eq!(run(&["cache", "path"]).stdout.trim_end(), cache.display().to_string());
    assert_eq!(run(&["cache", "clean", "--json"]).object()["entries"], 0);
    run(&["kernels", "build", "gcd", "quicksort", "--out", "kernels"]);
    let cleaned = run(&["cache", "clean", "--json"]).object();
    assert!(cleaned["entries"].as_u64() >= Some(2) && cleaned["bytes"].as_u64() > Some(0), "{cleaned}");
    assert_eq!(run(&["cache", "clean", "--json"]).object()["entries"], 0);
}
