//! Hands the git hash of the sources to `weft --version`: "unknown" without git or outside a checkout.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=WEFT_GIT_HASH={}", hash().unwrap_or_else(|| "unknown".into()));
}

/// The commit of the checkout that this package belongs to.
fn hash() -> Option<String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.parent()?.canonicalize().ok()?;
    let top = Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    if top != workspace {
        return None;
    }
    // HEAD changes with the branch, its log with each commit.
    for file in ["HEAD", "logs/HEAD"] {
        let path = package.join(git(&["rev-parse", "--git-path", file])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}
