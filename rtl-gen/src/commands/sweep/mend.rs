//! Removes files of a sweep that a full disk or a power cut damaged, so that their steps run again.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde_json::{Value, json};

use super::{KERNELS, MINUTES, Step};
use crate::error::RequestError;

pub struct Removed {
    pub file: String,
    pub why: &'static str,
}

const DAMAGED: &str = "damaged";
const TRIED_LESS: &str = "timed out with a shorter limit";

/// Removes unusable results: damaged ones, those of other commands, the build of the kernels if a kernel is missing, and
/// cores that timed out with a shorter limit than the present one.
pub fn mend(folder: &Path, steps: &[Step]) -> Result<Vec<Removed>, RequestError> {
    let mut removed = Vec::new();
    let mut remove_if = |file: String, why_not: &dyn Fn(&Path) -> Option<&'static str>| {
        let path = folder.join(&file);
        let Some(why) = Some(&path).filter(|path| path.exists()).and_then(|path| why_not(path)) else { return Ok(()) };
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(RequestError::unwritable(&path, error)),
            _ => {
                removed.push(Removed { file, why });
                Ok(())
            }
        }
    };
    let unless = |is_whole: bool| (!is_whole).then_some(DAMAGED);
    for step in steps {
        let step_now = json!(step);
        let is_of = |object: &Value| without_minutes(&object["step"]) == without_minutes(&step_now);
        let tried_less =
            |object: &Value| object["answer"]["outcome"] == "given-up" && minutes(&object["step"]) < minutes(&step_now);
        remove_if(format!("results/{}.json", step.name), &|path| match has(path, "answer").filter(is_of) {
            None => Some(DAMAGED),
            Some(object) => tried_less(&object).then_some(TRIED_LESS),
        })?;
        remove_if(format!("failed/{}.json", step.name), &|path| unless(has(path, "error").is_some_and(|o| is_of(&o))))?;
    }
    remove_if(format!("failed/{KERNELS}.json"), &|path| unless(has(path, "error").is_some()))?;
    let kernels = steps.iter().filter_map(|step| step.program());
    let are_built = kernels.into_iter().all(|kernel| is_program(&folder.join(kernel)));
    remove_if(format!("results/{KERNELS}.json"), &|path| unless(are_built && has(path, "answer").is_some()))?;
    Ok(removed)
}

/// Removes the results that the report could not read, and returns their number. `failed` is the list of
/// results.json.
pub fn remove_odd(folder: &Path, failed: &Value) -> Result<usize, RequestError> {
    let odd = failed.as_array().into_iter().flatten().filter(|step| step["error"]["kind"] == "odd-result");
    let mut removed = 0;
    for name in odd.filter_map(|step| step["name"].as_str()) {
        let path = folder.join(format!("results/{name}.json"));
        fs::remove_file(&path).map_err(|error| RequestError::unwritable(&path, error))?;
        removed += 1;
    }
    Ok(removed)
}

fn position_of_minutes(step: &Value) -> Option<usize> {
    Some(step["command"].as_array()?.iter().position(|word| word == MINUTES)? + 1)
}

fn minutes(step: &Value) -> Option<f64> {
    step["command"][position_of_minutes(step)?].as_str()?.parse().ok()
}

fn without_minutes(step: &Value) -> Value {
    let mut step = step.clone();
    if let Some(position) = position_of_minutes(&step)
        && let Some(minutes) = step["command"].get_mut(position)
    {
        *minutes = Value::Null;
    }
    step
}

/// Returns the JSON of a file, if it is an object that has an object under `key`.
fn has(path: &Path, key: &str) -> Option<Value> {
    let object = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    object.filter(|object| object[key].is_object())
}

/// Returns whether a file begins with the magic number of an ELF file.
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
