//! The presets: named configurations that come with the program.

/// A named configuration.
pub struct Preset {
    /// What `--preset` takes.
    pub name: &'static str,
    /// What it sets; every other key has its default.
    pub toml: &'static str,
}

/// Every preset, the default first.
pub const PRESETS: &[Preset] = &[
    Preset { name: "default", toml: include_str!("../presets/default.toml") },
    Preset { name: "tiny", toml: include_str!("../presets/tiny.toml") },
    Preset { name: "rv32i-8x4", toml: include_str!("../presets/rv32i-8x4.toml") },
    Preset { name: "bram-4x4", toml: include_str!("../presets/bram-4x4.toml") },
    Preset { name: "wide", toml: include_str!("../presets/wide.toml") },
];

impl Preset {
    /// What it is for, in one sentence: the comment on its first line.
    pub fn summary(&self) -> &'static str {
        self.toml.lines().next().map_or("", |line| line.trim_start_matches(['#', ' ']))
    }
}
