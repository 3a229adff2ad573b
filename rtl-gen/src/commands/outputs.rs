//! The output files of a run: checked before the run, published after it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::arguments::FileArguments;
use crate::error::RequestError;
use crate::staging::StagedFile;

pub struct Outputs {
    stats: Option<StagedFile>,
    commits: Option<StagedFile>,
    trace: Option<StagedFile>,
    wave: Option<StagedFile>,
    signature: Option<StagedFile>,
}

impl Outputs {
    /// Checks that each file can be written, that no two are the same, and that none is the program.
    pub fn prepare(arguments: &FileArguments, program: &Path) -> Result<Self, RequestError> {
        let stage =
            |option, path: &Option<PathBuf>| path.as_deref().map(|path| StagedFile::prepare(option, path)).transpose();
        let outputs = Self {
            stats: stage("--stats", &arguments.stats)?,
            commits: stage("--commits", &arguments.commits)?,
            trace: stage("--trace", &arguments.trace)?,
            wave: stage("--wave", &arguments.wave)?,
            signature: stage("--signature", &arguments.signature)?,
        };
        outputs.check_distinct(program)?;
        Ok(outputs)
    }

    fn check_distinct(&self, program: &Path) -> Result<(), RequestError> {
        let same = |file: &StagedFile, what: &str| {
            let message = format!("{}: {} names {what}; expected another file", file.target().display(), file.option());
            Err(RequestError::new("same-file", message))
        };
        let files: Vec<&StagedFile> =
            [&self.stats, &self.commits, &self.trace, &self.wave, &self.signature].into_iter().flatten().collect();
        for (index, file) in files.iter().enumerate() {
            if file.is_same(program) {
                return same(file, "the program itself");
            }
            if let Some(earlier) = files[..index].iter().find(|earlier| file.is_same(earlier.target())) {
                return same(file, &format!("the same file as {}", earlier.option()));
            }
        }
        Ok(())
    }

    pub fn wave(&self) -> Option<PathBuf> {
        self.wave.as_ref().map(StagedFile::path)
    }

    pub fn commits(&self) -> Result<Option<Stream<'_>>, RequestError> {
        self.commits.as_ref().map(Stream::open).transpose()
    }

    pub fn trace(&self) -> Result<Option<Stream<'_>>, RequestError> {
        self.trace.as_ref().map(Stream::open).transpose()
    }

    pub fn write_stats(&self, statistics: &Value) -> Result<(), RequestError> {
        let Some(stats) = &self.stats else { return Ok(()) };
        writeln!(stats.create()?, "{statistics:#}").map_err(|error| stats.fail(&error))
    }

    pub fn write_signature(&self, words: impl Iterator<Item = u32>) -> Result<(), RequestError> {
        let Some(signature) = &self.signature else { return Ok(()) };
        let mut file = BufWriter::new(signature.create()?);
        for word in words {
            writeln!(file, "{word:08x}").map_err(|error| signature.fail(&error))?;
        }
        file.flush().map_err(|error| signature.fail(&error))
    }

    /// Moves all files to their final paths.
    pub fn publish(self) -> Result<(), RequestError> {
        [self.stats, self.commits, self.trace, self.wave, self.signature]
            .into_iter()
            .flatten()
            .try_for_each(StagedFile::publish)
    }
}

pub struct Stream<'a> {
    writer: BufWriter<File>,
    file: &'a StagedFile,
}

impl<'a> Stream<'a> {
    fn open(file: &'a StagedFile) -> Result<Self, RequestError> {
        Ok(Self { writer: BufWriter::new(file.create()?), file })
    }

    pub fn writer(&mut self) -> &mut dyn Write {
        &mut self.writer
    }

    pub fn finish(mut self) -> Result<(), RequestError> {
        self.writer.flush().map_err(|error| self.file.fail(&error))
    }
}
