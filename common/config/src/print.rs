//! Prints a configuration: the commented file, and the keys on which the hardware depends.

use std::fmt::Write;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::SCHEMA;
use crate::keys::Config;
use crate::suggest::split;
use crate::table::{KEYS, Key};

impl Config {
    /// Prints the whole configuration as a TOML file with a comment on each key. Reading the file gives the same values.
    pub fn to_commented_toml(&self) -> String {
        let mut text = format!("# Configuration of a Weft core, schema {SCHEMA}.\n");
        let mut table = "";
        for key in KEYS {
            let (own_table, leaf) = split(key.name);
            if own_table != table {
                table = own_table;
                let _ = write!(text, "\n[{table}]");
            }
            let (values, default) = (key.values(), key.text(&Config::defaults_beside(self)));
            let _ = write!(text, "\n# {}\n# {}; default {default}.\n", key.summary, capitalised(&values));
            // A file cannot set a key without effect.
            let unset = if key.is_ignored(self) { "# " } else { "" };
            let _ = writeln!(text, "{unset}{leaf} = {}", key.text(self));
        }
        text
    }

    /// Prints the keys on which the emitted Verilog depends, one `key = value` per line. The configuration hash in emitted
    /// headers and the cache of built models are computed from it.
    ///
    /// Left out are empty names, absent extensions that are off by default, and the keys of an absent scratchpad,
    /// cache, divider or control port, and the width of a bus that is a line. For a unit in Verilog the text counts, not its path.
    pub fn rtl_hash_text(&self) -> String {
        let mut text = format!("schema = {SCHEMA}\n");
        let counts = |key: &&Key| {
            let is_empty = key.is_empty(self) || key.is_absent_extension(self) || key.is_of_absent_part(self);
            key.in_hardware && !is_empty && key.name != "divergence.file"
        };
        for key in KEYS.iter().filter(counts) {
            let _ = writeln!(text, "{} = {}", key.name, key.text(self));
        }
        if let Some(external) = &self.divergence.external {
            let _ = writeln!(text, "{}", external.text);
        }
        text
    }
}

/// Writes every key with its value, in the order and the tables of the file.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = |key: &Key| split(key.name).0;
        let mut map = serializer.serialize_map(None)?;
        for keys in KEYS.chunk_by(|one, other| table(one) == table(other)) {
            match table(&keys[0]) {
                "" => keys.iter().try_for_each(|key| map.serialize_entry(key.name, &key.value(self)))?,
                name => map.serialize_entry(name, &Keys { config: self, keys })?,
            }
        }
        map.end()
    }
}

struct Keys<'a> {
    config: &'a Config,
    keys: &'a [Key],
}

impl Serialize for Keys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.keys.iter().map(|key| (split(key.name).1, key.value(self.config))))
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
