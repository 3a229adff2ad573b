//! What was given up, and after how long: kept in the build cache, so that nobody waits as long for the same once more.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tools::cache::{Cache, Key};

use crate::error::SynthesisError;
use crate::process::at;

const KIND: &str = "given-up";
const FILE: &str = "given-up.json";

/// A run that did not come to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GivenUp {
    /// How long it was waited for.
    waited: Duration,
    /// What it was at then.
    step: String,
}

impl GivenUp {
    /// A run that was ended after `patience`.
    pub fn after(patience: Duration, step: String) -> Self {
        Self { waited: patience, step }
    }

    /// What is known of a run that has this key, if it was waited for as long as `patience` before. Without a limit a run
    /// always is worth beginning.
    pub fn known(cache: &Cache, key: &Key, patience: Option<Duration>) -> Option<Self> {
        // What cannot be read is not known.
        let known = Self::read(&cache.find(KIND, key)?)?;
        (known.waited >= patience?).then_some(known)
    }

    /// Keeps it, in place of what was known.
    pub fn keep(&self, cache: &Cache, key: &Key) -> Result<(), SynthesisError> {
        let write = |folder: &Path| {
            let path = folder.join(FILE);
            let text = serde_json::to_string(self).expect("a duration and a text");
            fs::write(&path, text + "\n").map_err(at(&path))
        };
        cache.replace(KIND, key, write).map(drop)
    }

    fn read(folder: &Path) -> Option<Self> {
        serde_json::from_str(&fs::read_to_string(folder.join(FILE)).ok()?).ok()
    }

    /// In words.
    pub fn reason(&self) -> String {
        // Without the last digits of what is no binary fraction.
        let minutes = (self.waited.as_secs_f64() / 60.0 * 1e6).round() / 1e6;
        format!("timed out after {minutes} min, {}", self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_to_who_waits_no_longer() {
        let root = tempfile::tempdir().unwrap();
        let (cache, key) = (Cache::at(root.path()), Key::of(["netlist"]));
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        let known = |patience| GivenUp::known(&cache, &key, patience).map(|given_up| given_up.reason());
        assert_eq!(known(Some(minutes(1))), None);
        for longest in [90, 170] {
            GivenUp::after(minutes(longest), "routing".to_owned()).keep(&cache, &key).unwrap();
            let reason = Some(format!("timed out after {longest} min, routing"));
            assert_eq!((known(Some(minutes(1))), known(Some(minutes(longest)))), (reason.clone(), reason));
            assert_eq!((known(Some(minutes(longest + 1))), known(None)), (None, None));
        }
        fs::write(cache.find(KIND, &key).unwrap().join(FILE), "{").unwrap();
        assert_eq!(known(Some(minutes(1))), None);
    }
}
