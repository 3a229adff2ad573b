//! The version text of `weft --version`.

use std::sync::LazyLock;

use serde_json::{Value, json};

const GIT_HASH: &str = env!("WEFT_GIT_HASH");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns version, configuration schema and git hash in one line.
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| format!("{VERSION} (configuration schema {}, git {GIT_HASH})", weft_config::SCHEMA));
    &TEXT
}

pub fn object() -> Value {
    json!({ "version": VERSION, "configuration_schema": weft_config::SCHEMA, "git": GIT_HASH })
}
