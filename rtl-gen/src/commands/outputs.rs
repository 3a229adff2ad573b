//! The output files of a run: checked before the run, published after it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::arguments::FileArguments;
use crate::error::RequestError;
use crate::staging::StagedFile;

/// The requested files.
pub struct Outputs(Vec<StagedFile>);

const STATS: &str = "--stats";
const COMMITS: &str = "--commits";
const TRACE: &str = "--trace";
const WAVE: &str = "--wave";
const SIGNATURE: &str = "--signature";

impl Outputs {
    /// Checks that each file can be written, that no two are the same, and that none is the program.
    pub fn prepare(arguments: &FileArguments, program: &Path) -> Result<Self, RequestError> {
        let FileArguments { stats, commits, trace, wave, signature } = arguments;
        let options = [(STATS, stats), (COMMITS, commits), (TRACE, trace), (WAVE, wave), (SIGNATURE, signature)];
        let requested = options.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)));
        let files = requested.map(|(option, path)| StagedFile::prepare(option, path)).collect::<Result<Vec<_>, _>>()?;
        for (index, file) in files.iter().enumerate() {
            file.differs_from(program, "the program itself")?;
            for earlier in &files[..index] {
                file.differs_from(earlier.target(), &format!("the same file as {}", earlier.option()))?;
            }
        }
        Ok(Self(files))
    }

    fn find(&self, option: &str) -> Option<&StagedFile> {
        self.0.iter().find(|file| file.option() == option)
    }

    pub fn wave(&self) -> Option<PathBuf> {
        self.find(WAVE).map(StagedFile::path)
    }

    pub fn commits(&self) -> Result<Option<Stream<'_>>, RequestError> {
        self.find(COMMITS).map(Stream::open).transpose()
    }

    pub fn trace(&self) -> Result<Option<Stream<'_>>, RequestError> {
        self.find(TRACE).map(Stream::open).transpose()
    }

    pub fn write_stats(&self, statistics: &Value) -> Result<(), RequestError> {
        self.find(STATS).map_or(Ok(()), |file| file.write(format!("{statistics:#}\n").as_bytes()))
    }

    pub fn write_signature(&self, words: impl Iterator<Item = u32>) -> Result<(), RequestError> {
        let lines = || words.map(|word| format!("{word:08x}\n")).collect::<String>();
        self.find(SIGNATURE).map_or(Ok(()), |file| file.write(lines().as_bytes()))
    }

    /// Moves all files to their final paths.
    pub fn publish(self) -> Result<(), RequestError> {
        self.0.into_iter().try_for_each(StagedFile::publish)
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
