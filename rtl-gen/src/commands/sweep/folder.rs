//! The folder of a sweep: new, empty, or of an earlier run of the same command.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::RequestError;
use crate::staging::StagedFile;

/// A kind of report that is written into a folder of its own.
pub struct Kind {
    /// The file that identifies the report. It is written first, and its content never changes.
    pub marker: &'static str,
    /// The command that writes it.
    pub command: &'static str,
    /// What the folder holds, with its article in front: "comparison", "a comparison".
    pub what: [&'static str; 2],
    /// What the command does with the keys of its request: "compares".
    pub verb: &'static str,
}

pub const COMPARISON: Kind =
    Kind { marker: "compare.json", command: "weft compare", what: ["comparison", "a comparison"], verb: "compares" };
pub const PAPERS: Kind = Kind {
    marker: "papers.json",
    command: "weft papers",
    what: ["report on the papers", "a report on the papers"],
    verb: "examines",
};
/// Every kind, so that a folder of another one is named.
const KINDS: [&Kind; 2] = [&COMPARISON, &PAPERS];

/// The lock of every process that writes to the folder.
const LOCK: &str = ".lock";

/// A folder to which no other sweep writes.
pub struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Opens or creates the folder `out`. `identity` has the inputs of its results: `weft`, `tools` and `request`.
    pub fn open(kind: &Kind, out: &Path, identity: &Value) -> anyhow::Result<Self> {
        let fail = |error: io::Error| RequestError::unwritable(out, format!("{error} (--out)"));
        let marker = out.join(kind.marker);
        let existing = match fs::read(&marker) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) if out.is_dir() => return Err(RequestError::unreadable(&marker, &error).into()),
            Err(error) => return Err(fail(error).into()),
        };
        match &existing {
            Some(bytes) => check_same(kind, out, bytes, identity)?,
            None => check_empty(kind, out)?,
        }
        fs::create_dir_all(out).map_err(fail)?;
        let lock = File::options().create(true).append(true).open(out.join(LOCK)).map_err(fail)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                let message = format!(
                    "{}: another {} uses this folder; wait for it, or interrupt it and continue with the same command",
                    out.display(),
                    kind.what[0]
                );
                RequestError::new("folder-in-use", message)
            }
            TryLockError::Error(error) => fail(error),
        })?;
        let folder = Self { path: out.canonicalize().map_err(fail)?, lock };
        if existing.is_none() {
            folder.write(kind.marker, &format!("{identity:#}\n"))?;
        }
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file of the folder, completely or not at all.
    pub fn write(&self, name: &str, text: &str) -> Result<(), RequestError> {
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| RequestError::unwritable(parent, error))?;
        }
        let staged = StagedFile::prepare("--out", &path)?;
        staged.write(text.as_bytes())?;
        staged.publish()
    }

    /// Returns the lock, for a process that must hold it too until the last of its children has ended.
    pub fn lock(&self) -> io::Result<File> {
        self.lock.try_clone()
    }
}

fn check_empty(kind: &Kind, out: &Path) -> Result<(), RequestError> {
    if let Some(other) = KINDS.iter().find(|other| out.join(other.marker).exists()) {
        let message = format!(
            "{}: the folder holds {}, of {}, and {} writes {}; expected a new or empty folder",
            out.display(),
            other.what[1],
            other.command,
            kind.command,
            kind.what[1]
        );
        return Err(RequestError::new("folder-not-empty", message));
    }
    match fs::read_dir(out) {
        Ok(mut entries) => match entries.find(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name() != LOCK)) {
            None => Ok(()),
            Some(_) => {
                let message = format!(
                    "{}: the folder is not empty and holds no {}; expected a new or empty one, or one that {} began",
                    out.display(),
                    kind.what[0],
                    kind.command
                );
                Err(RequestError::new("folder-not-empty", message))
            }
        },
        Err(error) if error.kind() == ErrorKind::NotFound && out.symlink_metadata().is_err() => Ok(()),
        Err(error) => Err(RequestError::unwritable(out, format!("{error} (--out)"))),
    }
}

/// Checks that the folder has the same version of Weft, the same tools and the same request.
fn check_same(kind: &Kind, out: &Path, marker: &[u8], identity: &Value) -> Result<(), RequestError> {
    let refuse = |what: String| {
        let message = format!("{}: {what}; nothing was changed. Choose another folder", out.display());
        Err(RequestError::new("other-comparison", message))
    };
    let foreign = |why: String| refuse(format!("its {} is not one that {} wrote ({why})", kind.marker, kind.command));
    let found: Value = match serde_json::from_slice(marker) {
        Ok(found) => found,
        Err(error) => return foreign(error.to_string()),
    };
    match (&found["schema"], &identity["schema"]) {
        (Value::Null, _) => return foreign("it has no `schema`".into()),
        (begun, now) if begun != now => {
            return refuse(format!("its files have version {begun}, and this weft writes version {now}"));
        }
        _ => {}
    }
    if found["weft"] != identity["weft"] {
        let version = |identity: &Value| {
            let text = |key: &str| identity["weft"][key].as_str().unwrap_or("unknown").to_owned();
            format!("{} (git {}, build {})", text("version"), text("git"), text("build"))
        };
        return refuse(format!(
            "it holds {} by weft {}, and this is {}",
            kind.what[1],
            version(&found),
            version(identity)
        ));
    }
    let verb = kind.verb;
    // The request determines the tools, so it is compared first.
    if let Some((key, begun, now)) = first_difference(&found["request"], &identity["request"]) {
        return refuse(format!("it {verb} {key} {begun}, and this command {verb} {now}"));
    }
    if let Some((tool, begun, now)) = first_difference(&found["tools"], &identity["tools"]) {
        return refuse(format!("it was begun with {tool} {begun}, and the version is now {now}"));
    }
    Ok(())
}

/// Returns the first key with different values, and both values.
fn first_difference(a: &Value, b: &Value) -> Option<(String, String, String)> {
    let none = serde_json::Map::new();
    let (a, b) = (a.as_object().unwrap_or(&none), b.as_object().unwrap_or(&none));
    let text = |value: Option<&Value>| match value {
        None => "missing".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let differs = |key: &&String| a.get(*key) != b.get(*key);
    let key = a.keys().chain(b.keys()).find(differs)?;
    Some((key.clone(), text(a.get(key)), text(b.get(key))))
}
