//! The integration example builds, runs and prints the expected text.

use std::path::Path;
use std::process::Command;

/// The first thread prints a byte without an end of line.
const UNFINISHED_LINE: &str = ".globl main
main: csrr t0, mhartid
 bnez t0, 1f
 li t0, 0x10000000
 li t1, 'A'
 sb t1, 0(t0)
1: li a0, 0
 ret
";

#[test]
fn two_cores_share_a_console_and_a_core_that_ends_within_a_line_gives_it_up() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/soc/run.sh");
    let output = Command::new(script)
        .arg(folder.path().join("soc"))
        .env("WEFT", env!("CARGO_BIN_EXE_weft"))
        .env("WEFT_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .output()
        .expect("bash starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert_eq!(stdout.matches("2 warps of 2 threads\n").count(), 2, "{stdout}");
    assert!(stderr.contains("done after "), "{stderr}");

    // The simulator is the same; only the contents of memory differ.
    let elf = kernels::compile("unfinished_line.S", UNFINISHED_LINE, folder.path()).expect("it compiles");
    let unfinished = folder.path().join("unfinished");
    let emitted = Command::new(env!("CARGO_BIN_EXE_weft"))
        .args(["emit", "--preset", "bram-4x4", "--set", "warps=2", "--set", "threads=2", "--set", "trace.port=false"])
        .arg("--image")
        .arg(elf)
        .arg("--out")
        .arg(&unfinished)
        .output()
        .expect("weft starts");
    assert!(emitted.status.success(), "{}", String::from_utf8_lossy(&emitted.stderr));
    let output = Command::new(folder.path().join("soc/core/obj_dir/Vsoc"))
        .current_dir(&unfinished)
        .output()
        .expect("the simulator starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "AA", "a core that ends within a line: {stderr}");
    assert!(stderr.contains("done after "), "{stderr}");
}
