//! The configuration of a Weft core and of its test bench: keys, ranges, presets, error texts.
//!
//! ```
//! use weft_config::{Base, Config};
//!
//! let config = Config::resolve(&Base::default(), &["warps=3", "memory.latency=1..60"])?;
//! assert_eq!((config.warps, config.memory.latency.max), (3, 60));
//! # Ok::<(), weft_config::ConfigError>(())
//! ```

mod check;
mod error;
pub mod extension;
mod external;
mod keys;
mod model;
mod preset;
mod print;
mod reference;
mod resolve;
mod suggest;
mod table;
mod unit;
mod value;
mod window;

pub use error::{ConfigError, Origin};
pub use extension::{EXTENSIONS, Extension, Isa};
pub use external::{External, ExternalPort, PARAMETERS};
pub use keys::*;
pub use preset::{PRESETS, Preset};
pub use reference::reference;
pub use resolve::{Base, Origins};
pub use suggest::{did_you_mean, nearest};
pub use table::{KEYS, Key};
pub use unit::*;
pub use window::Window;

/// The version of the configuration schema. It grows whenever a key changes its name or meaning.
pub const SCHEMA: u32 = 2;

/// The first byte of RAM by default (`memory.base`). RAM ends at or below the end of the 32-bit address space.
pub const RAM_BASE: u32 = 0x8000_0000;

/// The lowest first byte of RAM. Below are the console and the scratchpad.
pub const LOWEST_RAM: u32 = 0x4000_0000;

/// The first byte of the scratchpad.
pub const SCRATCHPAD_BASE: u32 = 0x2000_0000;
