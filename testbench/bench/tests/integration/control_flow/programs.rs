//! Programs to analyse: every kernel, and C with many branches, at several levels of optimisation.

use std::fs;
use std::process::Command;

use sim::Program;
use weft_config::Config;

/// A program, and a configuration on which it ends.
pub struct Case {
    pub name: String,
    pub program: Program,
    pub config: Config,
}

pub fn all() -> Vec<Case> {
    kernels().into_iter().chain(branches()).collect()
}

pub fn kernels() -> Vec<Case> {
    let out = tempfile::tempdir().unwrap();
    let case = |kernel| {
        let mut config = Config { warps: 2, threads: 4, ..Config::default() };
        kernels::Kernel::configure(kernel, &mut config);
        let bytes = fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap();
        Case { name: kernel.name.into(), program: Program::load(kernel.name, &bytes, &config).unwrap(), config }
    };
    kernels::list().iter().map(case).collect()
}

/// The same source with all compiler options that change control flow.
pub fn branches() -> Vec<Case> {
    let ways: [&[&str]; 7] = [
        &["-O0"],
        &["-O1"],
        &["-O2"],
        &["-O3"],
        &["-Os", "-msave-restore"],
        &["-O2", "-fpic"],
        &["-O2", "-fno-jump-tables", "-s"],
    ];
    ways.into_iter().map(compile).collect()
}

fn compile(options: &[&str]) -> Case {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in kernels::RUNTIME.iter().copied().chain([("branches.c", include_str!("branches.c"))]) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = Command::new("riscv64-unknown-elf-gcc")
        .current_dir(folder.path())
        .args(["-march=rv32im"])
        .args(kernels::FLAGS)
        .args(options)
        .args(["crt0.S", "string.c", "branches.c", "-lgcc", "-o", "branches.elf"])
        .output()
        .unwrap();
    let name = format!("branches.c {}", options.join(" "));
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let config = Config { warps: 2, threads: 8, ..Config::default() };
    let bytes = fs::read(folder.path().join("branches.elf")).unwrap();
    Case { program: Program::load(&name, &bytes, &config).unwrap(), name, config }
}
