//! The reference of all keys and presets for the documentation.

use std::fmt::Write;

use crate::keys::Config;
use crate::preset::PRESETS;
use crate::resolve::Base;
use crate::table::{KEYS, Key};

/// Returns the text of `docs/manual/configuration.md`.
pub fn reference() -> String {
    let mut text = String::from(include_str!("reference.md"));
    text.push_str("\n## Keys\n\n| key | values | default | in hardware | meaning |\n|---|---|---|---|---|\n");
    for key in KEYS {
        let hardware = if key.in_hardware { "yes" } else { "no" };
        let (name, values, default, summary) = (key.name, key.values(), key.default(), key.summary);
        let _ = writeln!(text, "| `{name}` | {values} | `{default}` | {hardware} | {summary} |");
    }
    text.push_str("\n## Presets\n\n| preset | sets | meaning |\n|---|---|---|\n");
    for preset in PRESETS {
        let _ = writeln!(text, "| `{}` | {} | {} |", preset.name, differences(preset.name), preset.summary());
    }
    text
}

/// Lists the keys of a preset that differ from the defaults.
fn differences(preset: &str) -> String {
    let config = Config::resolve(&Base::Preset(preset.into()), &[""; 0]).unwrap_or_default();
    let differs = |key: &&Key| key.value(&config) != key.default();
    let changes: Vec<String> =
        KEYS.iter().filter(differs).map(|key| format!("`{} = {}`", key.name, key.value(&config))).collect();
    if changes.is_empty() { "nothing".into() } else { changes.join(", ") }
}
