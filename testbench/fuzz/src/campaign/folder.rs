//! The folder of a campaign.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{Request, Tried};

pub const REQUEST: &str = "campaign.json";
pub const PROGRAMS: &str = "programs.jsonl";
/// How long a folder is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It holds something, and it was not asked to go on with it.
    #[error("{}: holds a campaign; go on with it by --resume, or choose another folder", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// It holds other files.
    #[error("{}: holds files that are no campaign's; choose another folder", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// There is nothing to go on with.
    #[error("{}: holds no campaign to go on with; start one without --resume", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// It holds a campaign of another request.
    #[error("{}: holds another campaign ({what}); choose another folder, or ask for the same", path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// Another process is at work there.
    #[error("{}: a campaign is at work there; wait for it, or interrupt it and go on by --resume", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A file of it is not what it should be.
    #[error("{}: line {line} is damaged: {reason}; remove the folder and start anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        line: usize,
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    move |source| FolderError::Io { path: path.into(), source }
}

/// The folder, to which nobody else writes.
pub struct Folder {
    path: PathBuf,
    /// Its programs, locked.
    programs: File,
}

impl Folder {
    /// A new folder, or with `resume` one that holds the same campaign, and what it holds.
    pub fn open(path: &Path, request: &Request, resume: bool) -> Result<(Self, Vec<Tried>), FolderError> {
        let header = path.join(REQUEST);
        match (header.exists(), resume) {
            (true, false) => Err(FolderError::Occupied { path: path.into() }),
            (false, true) => Err(FolderError::Nothing { path: path.into() }),
            (true, true) => {
                let text = read(&header)?;
                let held: Request = serde_json::from_str(&text).map_err(|error| FolderError::Damaged {
                    path: header.clone(),
                    line: error.line(),
                    reason: error.to_string(),
                })?;
                if let Some(what) = difference(&held, request) {
                    return Err(FolderError::Other { path: path.into(), what });
                }
                let folder = Self::lock(path)?;
                let earlier = folder.earlier(request)?;
                Ok((folder, earlier))
            }
            (false, false) => {
                let occupied = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
                if occupied {
                    return Err(FolderError::Foreign { path: path.into() });
                }
                fs::create_dir_all(path).map_err(at(path))?;
                let folder = Self::lock(path)?;
                let text = serde_json::to_string_pretty(request).expect("a request is plain data");
                fs::write(&header, text + "\n").map_err(at(&header))?;
                Ok((folder, Vec::new()))
            }
        }
    }

    /// Keeps others out, as long as it lives.
    fn lock(path: &Path) -> Result<Self, FolderError> {
        let log = path.join(PROGRAMS);
        let programs = OpenOptions::new().create(true).append(true).open(&log).map_err(at(&log))?;
        let asked = Instant::now();
        loop {
            match programs.try_lock() {
                Ok(()) => return Ok(Self { path: path.into(), programs }),
                // A program that is being started still holds what this process has just let go.
                Err(TryLockError::WouldBlock) if asked.elapsed() < PATIENCE => thread::sleep(PATIENCE / 10),
                Err(TryLockError::WouldBlock) => return Err(FolderError::InUse { path: path.into() }),
                Err(TryLockError::Error(error)) => return Err(at(&log)(error)),
            }
        }
    }

    /// What was found before. A last line that is cut off was being written when the campaign was interrupted.
    fn earlier(&self, request: &Request) -> Result<Vec<Tried>, FolderError> {
        let path = self.path.join(PROGRAMS);
        let text = read(&path)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            fs::write(&path, &text[..whole]).map_err(at(&path))?;
        }
        let mut known = BTreeSet::new();
        let lines = text[..whole].lines().enumerate();
        let read = lines.map(|(number, line)| {
            let damaged = |reason| FolderError::Damaged { path: path.clone(), line: number + 1, reason };
            let tried: Tried = serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
            let Tried { program, .. } = tried;
            if program >= request.count {
                return Err(damaged(format!("there is no program {program}")));
            }
            if !known.insert(program) {
                return Err(damaged(format!("program {program} has a line already")));
            }
            Ok(tried)
        });
        read.collect()
    }

    /// Writes a line for a program, at once.
    pub fn log(&self, tried: &Tried) -> Result<(), FolderError> {
        let line = serde_json::to_string(tried).expect("plain data") + "\n";
        (&self.programs).write_all(line.as_bytes()).map_err(at(&self.path.join(PROGRAMS)))
    }

    /// The folder that a program left when it failed.
    pub fn left_by(&self, tried: &Tried) -> Option<PathBuf> {
        Some(self.failure_path(tried.program)).filter(|path| tried.result.is_failure() && path.is_dir())
    }

    fn failure_path(&self, program: u64) -> PathBuf {
        self.path.join(format!("failure-{program}"))
    }

    /// A folder for a program that failed, made anew.
    pub fn failure(&self, program: u64) -> Result<PathBuf, FolderError> {
        let path = self.failure_path(program);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(at(&path))?;
        }
        fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(path)
    }

    /// Writes a file of such a folder.
    pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
        fs::write(path, bytes).map_err(at(path))
    }
}

/// What differs between two requests, in words.
fn difference(held: &Request, asked: &Request) -> Option<String> {
    let [held, asked] = [held, asked].map(|request| serde_json::to_value(request).expect("plain data"));
    let (held, asked) = (held.as_object()?, asked.as_object()?);
    held.iter().find_map(|(key, value)| {
        let other = asked.get(key)?;
        (value != other).then(|| format!("{key} {value}, not {other}"))
    })
}

/// The text of a file of the folder.
fn read(path: &Path) -> Result<String, FolderError> {
    fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::IsADirectory => {
            FolderError::Damaged { path: path.into(), line: 1, reason: error.to_string() }
        }
        _ => at(path)(error),
    })
}
