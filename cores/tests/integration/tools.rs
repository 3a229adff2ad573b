//! The tools that read what is emitted.

use std::path::Path;
use std::process::Command;

/// Runs a tool in a folder; what it prints if it is satisfied.
pub fn run(tool: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(tool)
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{tool} cannot be started ({error}): scripts/setup.sh installs it"));
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{tool} {arguments:?}:\n{text}");
    text
}
