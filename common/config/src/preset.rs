//! The presets: named configurations that are part of the program.

pub struct Preset {
    pub name: &'static str,
    /// The keys that the preset sets; every other key has its default.
    pub toml: &'static str,
}

/// Every preset, with the default first.
pub const PRESETS: &[Preset] = &[
    Preset { name: "default", toml: include_str!("../presets/default.toml") },
    Preset { name: "tiny", toml: include_str!("../presets/tiny.toml") },
    Preset { name: "rv32i-8x4", toml: include_str!("../presets/rv32i-8x4.toml") },
    Preset { name: "bram-4x4", toml: include_str!("../presets/bram-4x4.toml") },
    Preset { name: "accelerator", toml: include_str!("../presets/accelerator.toml") },
    Preset { name: "wide", toml: include_str!("../presets/wide.toml") },
];

impl Preset {
    /// Returns the purpose in one sentence, from the comment on the first line.
    pub fn summary(&self) -> &'static str {
        self.toml.lines().next().map_or("", |line| line.trim_start_matches(['#', ' ']))
    }
}
