//! Runs an image on QEMU and returns its words.
//!
//! The image writes its results to a file through semihosting, in one call, and ends QEMU.

use std::fs;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tools::Tool;

pub const FILE: &str = "results";

const LIMIT: Duration = Duration::from_secs(60);

/// The words of an image when this many harts run it.
pub fn run(elf: &[u8], harts: usize, words: usize) -> Vec<u32> {
    let qemu = tools::find(Tool::Qemu).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("image.elf"), elf).unwrap();
    let mut child = Command::new(qemu)
        .current_dir(folder.path())
        .args(["-M", "spike", "-bios", "none", "-display", "none", "-serial", "none", "-monitor", "none"])
        // Without C, so that jumps to odd halfwords fault.
        .args([
            "-cpu",
            "rv32,c=false,zba=true,zbb=true",
            "-semihosting",
            "-kernel",
            "image.elf",
            "-smp",
            &harts.to_string(),
        ])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let status = wait(&mut child);
    assert!(status.success(), "the image trapped in QEMU, or QEMU failed: {status}");
    let bytes = fs::read(folder.path().join(FILE)).unwrap();
    let found: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(found.len(), words, "words that QEMU wrote");
    found
}

fn wait(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("QEMU has not ended after {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
