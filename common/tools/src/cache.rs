//! The build cache: folders keyed by the content of all their inputs.
//!
//! `<root>/<kind>/<key>/` is a finished entry and never changes, unless a new build replaces it. A build uses a sibling
//! `<key>.XXXXXX.partial` under the lock file `<key>.lock`, and renames it after all files are on disk.
//!
//! An interrupted build removes its `.partial` folder ([`remove_unfinished`]). After a kill, the next build of the key
//! removes it. A compiler that survives its killed parent writes to a folder name that no other build uses.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use sha2::{Digest, Sha256};

/// Returns the root: `$WEFT_CACHE`, else `$XDG_CACHE_HOME/weft`, else `~/.cache/weft`.
pub fn path() -> PathBuf {
    path_from(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn path_from(variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    let chosen = variable("WEFT_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("weft")))
        .or_else(|| Some(variable("HOME").or_else(std::env::home_dir)?.join(".cache/weft")))
        .unwrap_or_else(|| std::env::temp_dir().join("weft-cache"));
    std::path::absolute(&chosen).unwrap_or(chosen)
}

/// A folder or file of the cache cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}; WEFT_CACHE names another folder for the build cache", .path.display())]
pub struct CacheError {
    path: PathBuf,
    source: io::Error,
}

/// The folders that this process currently builds. While the lock is held, no build can begin, finish or be dropped.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the folders that this process currently builds, for a signal handler. The caller must ask the compilers that
/// write to them to end; removal is retried for two seconds while they do. While the result is held, no entry begins or
/// finishes.
pub fn remove_unfinished() -> impl Sized {
    let lock = unfinished();
    for folder in lock.iter() {
        for _ in 0..100 {
            match fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => thread::sleep(Duration::from_millis(20)),
                _ => break,
            }
        }
    }
    lock
}

/// A folder in which an entry is built. It is removed when dropped.
struct Partial {
    folder: tempfile::TempDir,
}

impl Partial {
    /// Creates an empty folder inside `kind`.
    fn of(key: &Key, kind: &Path) -> io::Result<Self> {
        let mut unfinished = unfinished();
        let folder = tempfile::Builder::new().prefix(&format!("{}.", key.0)).suffix(".partial").tempdir_in(kind)?;
        unfinished.push(folder.path().to_owned());
        Ok(Self { folder })
    }

    fn finish(self, place: &Path) -> io::Result<()> {
        let guard = unfinished();
        let renamed = fs::rename(self.folder.path(), place);
        drop(guard);
        renamed
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        unfinished.retain(|path| path != self.folder.path());
        // If this fails, the next build of the key removes the folder.
        let _ = fs::remove_dir_all(self.folder.path());
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    pub entries: u64,
    /// Bytes, unfinished entries included.
    pub bytes: u64,
    /// Entries that remain because a process is building them.
    pub busy: u64,
}

/// Removes every entry except those being built.
pub fn clean() -> Result<Cleaned, CacheError> {
    Cache::at(path()).clean()
}

/// The name of an entry: a digest of all inputs of its content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// Computes the key of these parts in this order. The boundaries between parts count.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
        Self(digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    pub fn of_user() -> Self {
        Self::at(path())
    }

    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub fn find(&self, kind: &str, key: &Key) -> Option<PathBuf> {
        Some(self.root.join(kind).join(&key.0)).filter(|folder| folder.is_dir())
    }

    /// Returns the folder of an entry; `build` fills a new folder if there is none yet. One process at a time builds an
    /// entry, and the others wait for it.
    pub fn entry<E: From<CacheError>>(
        &self,
        kind: &str,
        key: &Key,
        build: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        let finished = self.root.join(kind).join(&key.0);
        if finished.is_dir() {
            return Ok(finished);
        }
        let _lock = self.lock(kind, key)?;
        if finished.is_dir() {
            return Ok(finished);
        }
        self.build(kind, key, build)
    }

    /// Does the same, but rebuilds an existing entry. A kill in between leaves no entry.
    pub fn replace<E: From<CacheError>>(
        &self,
        kind: &str,
        key: &Key,
        build: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        let _lock = self.lock(kind, key)?;
        self.build(kind, key, build)
    }

    /// Waits until no other process builds the entry. The lock lasts until the file is dropped.
    fn lock(&self, kind: &str, key: &Key) -> Result<File, CacheError> {
        let folder = self.root.join(kind);
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let path = folder.join(format!("{}.lock", key.0));
        let lock = File::create(&path).map_err(at(&path))?;
        lock.lock().map_err(at(&path))?;
        Ok(lock)
    }

    fn build<E: From<CacheError>>(
        &self,
        kind: &str,
        key: &Key,
        build: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        let folder = self.root.join(kind);
        let finished = folder.join(&key.0);
        for stale in children(&folder)?.into_iter().filter(|path| path.is_dir() && key_of(path) == key.0) {
            fs::remove_dir_all(&stale).map_err(at(&stale))?;
        }
        // The folder is removed on drop if the build fails.
        let partial = Partial::of(key, &folder).map_err(at(&folder))?;
        let path = partial.folder.path();
        build(path)?;
        sync(path).map_err(at(path))?;
        partial.finish(&finished).map_err(at(&finished))?;
        Ok(finished)
    }

    /// Removes every entry except those being built.
    pub fn clean(&self) -> Result<Cleaned, CacheError> {
        let mut cleaned = Cleaned::default();
        for kind in children(&self.root)?.into_iter().filter(|path| path.is_dir()) {
            for entry in children(&kind)?.into_iter().filter(|path| path.is_dir()) {
                let lock_path = kind.join(format!("{}.lock", key_of(&entry)));
                let lock = File::create(&lock_path).map_err(at(&lock_path))?;
                match lock.try_lock() {
                    Ok(()) => {}
                    Err(TryLockError::WouldBlock) => {
                        cleaned.busy += 1;
                        continue;
                    }
                    Err(TryLockError::Error(source)) => return Err(CacheError { path: lock_path, source }),
                }
                cleaned.bytes += size(&entry)?;
                cleaned.entries += u64::from(entry.extension().is_none());
                fs::remove_dir_all(&entry).map_err(at(&entry))?;
            }
        }
        Ok(cleaned)
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CacheError {
    move |source| CacheError { path: path.to_owned(), source }
}

/// Returns the key of a folder of the cache, finished or partial.
fn key_of(entry: &Path) -> &str {
    let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split('.').next().unwrap_or_default()
}

/// Flushes the files of a folder, so that a power cut cannot leave a renamed entry with empty files.
fn sync(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { sync(&entry.path())? } else { File::open(entry.path())?.sync_all()? }
    }
    Ok(())
}

fn children(folder: &Path) -> Result<Vec<PathBuf>, CacheError> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry.map_err(at(folder))?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(CacheError { path: folder.to_owned(), source }),
    }
}

fn size(path: &Path) -> Result<u64, CacheError> {
    let metadata = path.symlink_metadata().map_err(at(path))?;
    if !metadata.is_dir() {
        return Ok(metadata.len());
    }
    children(path)?.iter().map(|child| size(child)).sum()
}

#[cfg(test)]
mod tests;
