//! Which Yosys is taken, where it may not be the one that is meant.

use tools::Tool;

/// Says on standard error that the Yosys of `PATH` is taken and another, of the virtual environment, is not: areas and
/// frequencies in the documentation are of the one that `scripts/setup.sh --synthesis` puts there.
pub fn say_which() {
    let (Ok(taken), Some(other)) = (tools::find(Tool::Yosys), tools::passed_over(Tool::Yosys)) else { return };
    eprintln!(
        "note: {} is taken, and not {}; the documentation's figures are of the Yosys that scripts/setup.sh --synthesis \
         puts into .venv; {}=... names the one to take",
        taken.display(),
        other.display(),
        Tool::Yosys.variable()
    );
}
