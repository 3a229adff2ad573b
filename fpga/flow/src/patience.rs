//! Runs that timed out, with their limit. The build cache keeps them, so that a run with the same limit is not repeated.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tools::cache::{Cache, Key};

use crate::error::SynthesisError;
use crate::process::at;

const KIND: &str = "given-up";
const FILE: &str = "given-up.json";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GivenUp {
    waited: Duration,
    /// The step at which the run ended.
    step: String,
}

impl GivenUp {
    pub fn after(patience: Duration, step: String) -> Self {
        Self { waited: patience, step }
    }

    /// Returns the record of an earlier run with this key, if its limit was at least `patience`. Without a limit the run is
    /// always repeated.
    pub fn known(cache: &Cache, key: &Key, patience: Option<Duration>) -> Option<Self> {
        // An unreadable record counts as none.
        let known = Self::read(&cache.find(KIND, key)?)?;
        (known.waited >= patience?).then_some(known)
    }

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

    pub fn reason(&self) -> String {
        // Rounding hides digits that come from binary fractions.
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
