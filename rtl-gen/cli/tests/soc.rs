//! The example of integration builds, runs and prints what it should.

use std::path::Path;
use std::process::Command;

#[test]
fn two_cores_share_a_console() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/soc/run.sh");
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
}
