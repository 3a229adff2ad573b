//! What a full disk or a power cut has damaged in the folder of a comparison is removed, so that its steps are done again.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde_json::{Value, json};

use super::plan::{KERNELS, Plan};
use crate::error::RequestError;

/// Removes the results of steps that are none, or are of other commands, and that of the building of the kernels where one of them is not there.
/// Gives the names of the files.
pub fn mend(folder: &Path, plan: &Plan) -> Result<Vec<String>, RequestError> {
    let mut removed = Vec::new();
    let mut remove_unless = |name: String, is_whole: &dyn Fn(&Path) -> bool| {
        let path = folder.join(&name);
        if !path.exists() || is_whole(&path) {
            return Ok(());
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(RequestError::unwritable(&path, error)),
            _ => {
                removed.push(name);
                Ok(())
            }
        }
    };
    for step in &plan.steps {
        let is_of = |path: &Path, key: &str| has(path, key).is_some_and(|object| object["step"] == json!(step));
        remove_unless(format!("results/{}.json", step.name), &|path| is_of(path, "answer"))?;
        remove_unless(format!("failed/{}.json", step.name), &|path| is_of(path, "error"))?;
    }
    remove_unless(format!("failed/{KERNELS}.json"), &|path| has(path, "error").is_some())?;
    let kernels = plan.steps.iter().filter_map(|step| step.program());
    let are_built = kernels.into_iter().all(|kernel| is_program(&folder.join(kernel)));
    remove_unless(format!("results/{KERNELS}.json"), &|path| are_built && has(path, "answer").is_some())?;
    Ok(removed)
}

/// The JSON of a file, if it is an object with such an object in it.
fn has(path: &Path, key: &str) -> Option<Value> {
    let object = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    object.filter(|object| object[key].is_object())
}

/// Whether a file begins as an ELF does.
fn is_program(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"\x7fELF"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_or_something_else_is_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        let written = |text: &str| {
            fs::write(&file, text).expect("a file");
            (has(&file, "answer").is_some(), is_program(&file))
        };
        assert_eq!(written(r#"{ "step": {}, "answer": { "cycles": 1 } }"#), (true, false));
        for damaged in ["", "{", "[]", "{}", "null", r#"{ "answer": null }"#, r#"{ "answer": { "cycles""#] {
            assert_eq!(written(damaged), (false, false), "{damaged}");
        }
        assert_eq!(written("\x7fELF\x01"), (false, true));
        assert!(!is_program(&folder.path().join("none")) && has(&folder.path().join("none"), "answer").is_none());
    }
}
