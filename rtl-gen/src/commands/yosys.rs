//! A note about the Yosys in use.

use tools::Tool;

/// Warns on standard error if a Yosys in `PATH` has precedence over the one in the virtual environment. The figures in the
/// documentation come from the Yosys that `scripts/setup.sh --synthesis` installs.
pub fn say_which() {
    let (Ok(taken), Some(other)) = (tools::find(Tool::Yosys), tools::passed_over(Tool::Yosys)) else { return };
    eprintln!(
        "note: using {}, not {}; the figures in the documentation come from the Yosys that scripts/setup.sh --synthesis \
         installs into .venv; set {} to choose",
        taken.display(),
        other.display(),
        Tool::Yosys.variable()
    );
}
