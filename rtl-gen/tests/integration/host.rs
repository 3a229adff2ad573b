//! The drivers of `host/` under Linux, on devices that are files and terminals.

use std::path::{Path, PathBuf};
use std::process::Command;

fn host() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../host")
}

/// Runs a command and returns what it prints.
fn output(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn the_drivers_wait_for_interrupts_and_reach_all_registers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let core = folder.path().join("core");
    output(Command::new(env!("CARGO_BIN_EXE_weft")).args(["emit", "--preset", "accelerator", "--out"]).arg(&core));
    let (sources, program) = (["weft.c", "weft_linux.c", "tests/linux.c"], folder.path().join("linux"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2"]).arg("-I").arg(&core).arg("-I").arg(host());
    output(gcc.args(sources.map(|name| host().join(name))).arg("-o").arg(&program));
    assert_eq!(output(Command::new(program).arg(folder.path())), "linux: right\n");
    let script = host().join("tests/interrupt.py");
    assert_eq!(output(Command::new("python3").arg("-B").arg(script).arg(&core)), "interrupt: right\n");
}
