//! Proofs by Yosys that a changed module is equivalent to the original.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use tools::Tool;

/// Most proofs take seconds; Yosys needs hours for multipliers and dividers.
const LIMIT: Duration = Duration::from_secs(120);

/// Yosys prints this when the induction has failed, before it tries each register alone. That takes minutes and does
/// not help.
const HOPELESS: &str = "Trying to prove individual";

/// Yosys prints this when both versions are read.
const BEGUN: &str = "EQUIV_MAKE";

/// Whether Yosys proves a module equivalent in two versions of the whole core within two minutes, for all inputs and
/// for reachable and unreachable states: from the same state, both have the same outputs and the same next state. A
/// failed proof proves nothing.
///
/// Outputs and registers are compared. Names of other wires are hidden, because Yosys would compare them too. Common
/// parts of both versions are merged first, so that the solver only sees the cone of the change.
pub fn is_proven(folder: &Path, module: &str, original: &str, mutant: &str) -> io::Result<bool> {
    let yosys = tools::find(Tool::Yosys).map_err(io::Error::other)?;
    let version = |name: &str, text: &str| {
        fs::write(folder.join(format!("{name}.v")), text)?;
        Ok::<_, io::Error>(format!(
            "read_verilog {name}.v; hierarchy -top {module}; proc; flatten; memory -nordff; memory_map; opt_clean -purge; \
             select -set registers t:$*dff* %co1:+[Q] w:* %i; rename -hide w:* @registers %d; design -stash {name};"
        ))
    };
    let script = format!(
        "{} {} design -copy-from original -as original {module}; design -copy-from mutant -as mutant {module}; \
         equiv_make original mutant both; hierarchy -top both; opt_clean; opt_merge -share_all; \
         equiv_simple -undef; equiv_induct -undef -seq 1; equiv_status -assert",
        version("original", original)?,
        version("mutant", mutant)?,
    );
    let log = folder.join("proof.log");
    // A Yosys in a sandbox sees the files of its own folder alone.
    let mut proof = Command::new(yosys);
    proof.current_dir(folder).args(["-q", "-L", "proof.log", "-p", &script]);
    proof.stdout(Stdio::null()).stderr(Stdio::null());
    let mut proof = proof.spawn()?;
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if let Some(status) = proof.try_wait()? {
            let said = fs::read_to_string(&log)?;
            if !status.success() && !said.contains(BEGUN) {
                return Err(io::Error::other(format!("Yosys has not begun the proof: {}", said.trim_end())));
            }
            return Ok(status.success());
        }
        thread::sleep(Duration::from_millis(50));
        if fs::read_to_string(&log).is_ok_and(|said| said.contains(HOPELESS)) {
            break;
        }
    }
    proof.kill()?;
    proof.wait()?;
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with a memory, a register and a submodule.
    fn core(write: &str, next: &str) -> String {
        format!(
            "module leaf (input wire a, input wire b, output wire y);\n    assign y = {next};\nendmodule\n\
             module stage (input wire clk, input wire rst, input wire [1:0] at, input wire a, input wire b,\n    \
             output reg q, output wire r);\n    reg rows [0:3];\n    assign r = rows[at];\n    wire y;\n    \
             leaf leaf (.a (a), .b (b), .y (y));\n    \
             always @(posedge clk) if ({write}) rows[at] <= y;\n    \
             always @(posedge clk) if (rst) q <= 1'b0; else q <= q ^ y;\nendmodule\n"
        )
    }

    #[test]
    fn equal_modules_are_proven_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let original = core("a & b", "a | b");
        let is_proven = |mutant: &str| is_proven(folder.path(), "stage", &original, mutant).unwrap();
        assert!(is_proven(&original));
        assert!(is_proven(&core("~(~a | ~b)", "~(~a & ~b)")));
        // Wires without a reader may differ.
        let with = |unread: &str| original.replace("wire y;\n", &format!("wire y; wire z = {unread};\n"));
        assert!(super::is_proven(folder.path(), "stage", &with("y"), &with("~y")).unwrap());
        assert!(!is_proven(&core("a | b", "a | b")));
        assert!(!is_proven(&core("a & b", "a ^ b")));
    }
}
