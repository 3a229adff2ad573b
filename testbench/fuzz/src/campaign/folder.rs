use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{Request, Tried};

pub const REQUEST: &str = "campaign.json";
pub const PROGRAMS: &str = "programs.jsonl";
/// Maximum time to wait for the lock of a folder.
const PATIENCE: Duration = Duration::from_millis(500);

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It holds a campaign, and `--resume` was not given.
    #[error("{}: holds a campaign; continue it with --resume, or choose another folder", path.display())]
    Occupied { path: PathBuf },
    #[error("{}: holds files that do not belong to a campaign; choose another folder", path.display())]
    Foreign { path: PathBuf },
    #[error("{}: holds no campaign to resume; start one without --resume", path.display())]
    Nothing { path: PathBuf },
    #[error("{}: holds another campaign ({what}); choose another folder, or ask for the same", path.display())]
    Other { path: PathBuf, what: String },
    #[error("{}: a campaign is running there; wait for it, or interrupt it and continue with --resume", path.display())]
    InUse { path: PathBuf },
    #[error("{}: line {line} is damaged: {reason}; remove the folder and start again", path.display())]
    Damaged { path: PathBuf, line: usize, reason: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    move |source| FolderError::Io { path: path.into(), source }
}

/// A locked folder: only this process writes to it.
pub struct Folder {
    path: PathBuf,
    /// The file of programs, locked.
    programs: File,
}

impl Folder {
    /// Opens a new folder, or with `resume` one with the same campaign. Also returns the programs that it holds.
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

    /// Locks the folder until the value is dropped.
    fn lock(path: &Path) -> Result<Self, FolderError> {
        let log = path.join(PROGRAMS);
        let programs = OpenOptions::new().create(true).append(true).open(&log).map_err(at(&log))?;
        let asked = Instant::now();
        loop {
            match programs.try_lock() {
                Ok(()) => return Ok(Self { path: path.into(), programs }),
                // A child process that is just being started may still hold a lock that this process has released.
                Err(TryLockError::WouldBlock) if asked.elapsed() < PATIENCE => thread::sleep(PATIENCE / 10),
                Err(TryLockError::WouldBlock) => return Err(FolderError::InUse { path: path.into() }),
                Err(TryLockError::Error(error)) => return Err(at(&log)(error)),
            }
        }
    }

    /// The earlier results. A truncated last line comes from an interrupted write and is ignored.
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

    /// Appends a line for a program immediately.
    pub fn log(&self, tried: &Tried) -> Result<(), FolderError> {
        let line = serde_json::to_string(tried).expect("plain data") + "\n";
        (&self.programs).write_all(line.as_bytes()).map_err(at(&self.path.join(PROGRAMS)))
    }

    pub fn left_by(&self, tried: &Tried) -> Option<PathBuf> {
        Some(self.failure_path(tried.program)).filter(|path| tried.result.is_failure() && path.is_dir())
    }

    fn failure_path(&self, program: u64) -> PathBuf {
        self.path.join(format!("failure-{program}"))
    }

    pub fn failure(&self, program: u64) -> Result<PathBuf, FolderError> {
        let path = self.failure_path(program);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(at(&path))?;
        }
        fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(path)
    }

    pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
        fs::write(path, bytes).map_err(at(path))
    }
}

fn difference(held: &Request, asked: &Request) -> Option<String> {
    let [held, asked] = [held, asked].map(|request| serde_json::to_value(request).expect("plain data"));
    let (held, asked) = (held.as_object()?, asked.as_object()?);
    held.iter().find_map(|(key, value)| {
        let other = asked.get(key)?;
        (value != other).then(|| format!("{key} {value}, not {other}"))
    })
}

fn read(path: &Path) -> Result<String, FolderError> {
    fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::IsADirectory => {
            FolderError::Damaged { path: path.into(), line: 1, reason: error.to_string() }
        }
        _ => at(path)(error),
    })
}
