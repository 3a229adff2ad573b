//! The folder of a campaign.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Request, Tried};

const REQUEST: &str = "campaign.json";
const PROGRAMS: &str = "programs.jsonl";

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
    /// A file of it is not what it should be.
    #[error("{}: line {line} is damaged: {reason}; remove the folder and start anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        line: usize,
        /// How.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    move |source| FolderError::Io { path: path.into(), source }
}

/// The folder.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A new folder, or with `resume` one that holds the same campaign, and what it holds.
    pub fn open(path: &Path, request: &Request, resume: bool) -> Result<(Self, Vec<Tried>), FolderError> {
        let header = path.join(REQUEST);
        let folder = Self { path: path.into() };
        match (header.exists(), resume) {
            (true, false) => Err(FolderError::Occupied { path: path.into() }),
            (false, true) => Err(FolderError::Nothing { path: path.into() }),
            (true, true) => {
                let text = fs::read_to_string(&header).map_err(at(&header))?;
                let held: Request = serde_json::from_str(&text).map_err(|error| FolderError::Damaged {
                    path: header.clone(),
                    line: error.line(),
                    reason: error.to_string(),
                })?;
                if let Some(what) = difference(&held, request) {
                    return Err(FolderError::Other { path: path.into(), what });
                }
                let earlier = folder.earlier()?;
                Ok((folder, earlier))
            }
            (false, false) => {
                let occupied = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
                if occupied {
                    return Err(FolderError::Foreign { path: path.into() });
                }
                fs::create_dir_all(path).map_err(at(path))?;
                let text = serde_json::to_string_pretty(request).expect("a request is plain data");
                fs::write(&header, text + "\n").map_err(at(&header))?;
                Ok((folder, Vec::new()))
            }
        }
    }

    /// What was found before. A last line that is cut off was being written when the campaign was interrupted.
    fn earlier(&self) -> Result<Vec<Tried>, FolderError> {
        let path = self.path.join(PROGRAMS);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(at(&path)(error)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            fs::write(&path, &text[..whole]).map_err(at(&path))?;
        }
        let lines = text[..whole].lines().enumerate();
        let read = lines.map(|(number, line)| {
            let damaged = |error: serde_json::Error| FolderError::Damaged {
                path: path.clone(),
                line: number + 1,
                reason: error.to_string(),
            };
            serde_json::from_str(line).map_err(damaged)
        });
        read.collect()
    }

    /// The file with a line for each program.
    pub fn log(&self) -> Result<Log, FolderError> {
        let path = self.path.join(PROGRAMS);
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(at(&path))?;
        Ok(Log { file, path })
    }

    /// A folder for a program that failed, made anew.
    pub fn failure(&self, program: u64) -> Result<PathBuf, FolderError> {
        let path = self.path.join(format!("failure-{program}"));
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

/// A line for each program, written at once.
pub struct Log {
    file: File,
    path: PathBuf,
}

impl Log {
    /// Writes one.
    pub fn write(&mut self, tried: &Tried) -> Result<(), FolderError> {
        let line = serde_json::to_string(tried).expect("plain data") + "\n";
        self.file.write_all(line.as_bytes()).map_err(at(&self.path))
    }
}
