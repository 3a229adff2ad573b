//! Output that appears completely or not at all. It is written to a hidden folder next to its final path and renamed when
//! finished. An error or a signal removes the hidden folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::RequestError;

/// The existing staging folders. While the lock is held, no signal interrupts, and no folder begins or ends.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every staging folder. No new one begins while the result is held.
pub fn remove_all() -> MutexGuard<'static, Vec<PathBuf>> {
    let mut list = folders();
    for folder in list.drain(..) {
        let _ = fs::remove_dir_all(folder);
    }
    list
}

/// A hidden folder that is removed when dropped.
pub struct StagingFolder {
    path: PathBuf,
}

impl StagingFolder {
    /// Makes a folder inside `parent`, so that renames out of it stay on one file system.
    pub fn inside(parent: &Path) -> io::Result<Self> {
        let mut list = folders();
        // An existing name belongs to a killed process.
        let path = (0u32..).map(|n| parent.join(format!(".weft-{}-{n}", process::id()))).find(|path| !path.exists());
        let path = path.unwrap_or_else(|| parent.join(".weft"));
        fs::create_dir(&path).map_err(|error| {
            let message = format!("cannot make a folder in {}: {error}", parent.display());
            io::Error::new(error.kind(), message)
        })?;
        list.push(path.clone());
        Ok(Self { path })
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Moves finished files to their final paths; a signal waits until `moves` is done.
    pub fn publish<R>(self, moves: impl FnOnce(&Self) -> R) -> R {
        let list = folders();
        let result = moves(&self);
        drop(list);
        result
    }
}

impl Drop for StagingFolder {
    fn drop(&mut self) {
        let mut list = folders();
        list.retain(|path| *path != self.path);
        // If this fails, the folder stays hidden.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A file that a run writes at its end. It is checked to be writable before the run.
pub struct StagedFile {
    option: &'static str,
    target: PathBuf,
    /// `None` for a device or pipe, which is written directly.
    staging: Option<StagingFolder>,
}

const STAGED_NAME: &str = "file";

impl StagedFile {
    pub fn prepare(option: &'static str, path: &Path) -> Result<Self, RequestError> {
        let fail = |reason: String| RequestError::unwritable(path, format!("{reason} ({option})"));
        let target = match path.metadata() {
            Ok(metadata) if metadata.is_dir() => return Err(fail("it is a folder; expected a file name".into())),
            Ok(metadata) => {
                OpenOptions::new().append(true).open(path).map_err(|error| fail(error.to_string()))?;
                if !metadata.is_file() {
                    return Ok(Self { option, target: path.into(), staging: None });
                }
                path.canonicalize().map_err(|error| fail(error.to_string()))?
            }
            Err(_) => path.to_owned(),
        };
        let parent = folder_of(&target).ok_or_else(|| fail("expected a file name".into()))?;
        if !parent.is_dir() {
            return Err(fail(format!("there is no folder {}", parent.display())));
        }
        let staging = StagingFolder::inside(parent).map_err(|error| fail(error.to_string()))?;
        Ok(Self { option, target, staging: Some(staging) })
    }

    /// Checks that the file is not `other`, which `what` describes.
    pub fn differs_from(&self, other: &Path, what: &str) -> Result<(), RequestError> {
        if !self.is_same(other) {
            return Ok(());
        }
        let message = format!("{}: {} names {what}; expected another file", self.target.display(), self.option);
        Err(RequestError::new("same-file", message))
    }

    pub fn path(&self) -> PathBuf {
        self.staging.as_ref().map_or_else(|| self.target.clone(), |staging| staging.join(STAGED_NAME))
    }

    pub fn create(&self) -> Result<File, RequestError> {
        let create = self.staging.is_some();
        OpenOptions::new().write(true).create(create).open(self.path()).map_err(|error| self.fail(&error))
    }

    pub fn write(&self, contents: &[u8]) -> Result<(), RequestError> {
        self.create()?.write_all(contents).map_err(|error| self.fail(&error))
    }

    pub fn publish(self) -> Result<(), RequestError> {
        let Self { option, target, staging } = self;
        let Some(staging) = staging else { return Ok(()) };
        staging
            .publish(|staging| fs::rename(staging.join(STAGED_NAME), &target))
            .map_err(|error| RequestError::unwritable(&target, format!("{error} ({option})")))
    }

    pub fn fail(&self, error: &io::Error) -> RequestError {
        RequestError::unwritable(&self.target, format!("{error} ({})", self.option))
    }

    fn is_same(&self, other: &Path) -> bool {
        self.staging.is_some() && same_place(&self.target, other)
    }

    pub fn option(&self) -> &'static str {
        self.option
    }

    pub fn target(&self) -> &Path {
        &self.target
    }
}

/// Returns the folder of `path`; `.` for a bare name.
pub fn folder_of(path: &Path) -> Option<&Path> {
    path.file_name()?;
    let parent = path.parent()?;
    Some(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
}

fn same_place(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        path.canonicalize().ok().or_else(|| Some(folder_of(path)?.canonicalize().ok()?.join(path.file_name()?)))
    };
    place(a).is_some_and(|a| place(b) == Some(a))
}
