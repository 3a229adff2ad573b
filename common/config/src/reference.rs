//! The reference of all keys and presets for the documentation.

use std::fmt::Write;

use crate::keys::Config;
use crate::preset::PRESETS;
use crate::resolve::Base;
use crate::table::{KEYS, Key};

pub fn reference() -> String {
    let mut text = String::from(include_str!("reference.md"));
    text.push_str("\n## Keys\n\n<!-- keys: begin -->\n| key | values | default | in hardware |\n|---|---|---|---|\n");
    for key in KEYS {
        let hardware = if key.in_hardware { "yes" } else { "no" };
        let (name, values, default) = (key.name, key.values(), key.text(&Config::default()));
        let _ = writeln!(text, "| `{name}` | {values} | `{default}` | {hardware} |");
    }
    text.push('\n');
    for key in KEYS {
        text += &item(&format!("`{}`: {}", key.name, key.summary));
    }
    text.push_str("<!-- keys: end -->\n\n## Presets\n\n");
    for preset in PRESETS {
        let sets = differences(preset.name);
        text += &item(&format!("`{}`: {} It sets {sets}.", preset.name, preset.summary()));
    }
    text
}

/// Makes an item of a list, in lines of at most 120 characters.
fn item(text: &str) -> String {
    let mut lines = vec!["-".to_owned()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= 120 => *line += &format!(" {word}"),
            _ => lines.push(format!("  {word}")),
        }
    }
    lines.join("\n") + "\n"
}

/// Lists the keys of a preset that differ from the defaults.
fn differences(preset: &str) -> String {
    let config = Config::resolve(&Base::Preset(preset.into()), &[""; 0]).unwrap_or_default();
    let differs = |key: &&Key| key.value(&config) != key.default();
    let changes: Vec<String> =
        KEYS.iter().filter(differs).map(|key| format!("`{} = {}`", key.name, key.text(&config))).collect();
    if changes.is_empty() { "nothing".into() } else { changes.join(", ") }
}
