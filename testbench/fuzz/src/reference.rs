//! QEMU as a reference: it runs each program hart by hart, with many harts and programs in one process.
//!
//! That works only for [independent](crate::program::Program::independent) programs: their harts do not depend on
//! each other or on the lanes that run with them.
//! QEMU's RAM is a file. A batch is written to it with a handler that runs the batch, and the results are read from
//! it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use testbench::Report;
use tools::{Tool, ToolError};
use weft_config::{Config, RAM_BASE};

use crate::build::{AssembleError, Assembler};

const HANDLER: &str = include_str!("reference/handler.S");
const HANDLER_AT: u32 = 0x8400_0000;
const JOBS_AT: u32 = 0x8401_0000;
const IMAGES_AT: u32 = 0x8500_0000;
const JOB_WORDS: usize = 16;
/// Space behind the images, where QEMU puts its device tree.
const BEHIND: u32 = 32 << 20;
/// `lui t0, HANDLER_AT >> 12; jr t0`: QEMU starts at the beginning of RAM.
const BOOT: [u32; 2] = [(HANDLER_AT & 0xffff_f000) | 0x2b7, 0x0002_8067];

const LIMIT: Duration = Duration::from_secs(60);

/// Maximum number of jobs in a batch, limited by the room before the images.
pub const MOST_JOBS: usize = 512;

pub struct Job {
    /// The bytes from the start of RAM.
    pub image: Vec<u8>,
    pub entry: u32,
    pub config: Config,
    /// First address of the results, and the address after them.
    pub results: [u32; 2],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Results(Vec<u32>),
    Trap {
        cause: u32,
        pc: u32,
        hart: u32,
    },
    /// QEMU was stopped while it ran.
    Endless,
}

#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: {what}", path.display())]
    Qemu { path: PathBuf, what: String },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> ReferenceError {
    move |source| ReferenceError::Io { path: path.into(), source }
}

pub struct Reference {
    qemu: PathBuf,
    version: String,
    handler: Vec<u8>,
    folder: tempfile::TempDir,
    limit: Duration,
}

impl Reference {
    /// Finds QEMU by `$WEFT_QEMU`, else in `PATH`.
    pub fn find(assembler: &Assembler) -> Result<Self, ReferenceError> {
        let qemu = tools::find(Tool::Qemu)?;
        let version = tools::version(Tool::Qemu, &qemu)?;
        let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
        Ok(Self { qemu, version, handler: assembler.binary(HANDLER, HANDLER_AT)?, folder, limit: LIMIT })
    }

    /// Sets the time limit of a batch, instead of a minute.
    #[must_use]
    pub fn limited_to(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs a batch of at most [`MOST_JOBS`]. Jobs after one that does not end are run without it. Several threads
    /// may call this at once.
    pub fn run(&self, jobs: &[Job]) -> Result<Vec<Ended>, ReferenceError> {
        assert!(jobs.len() <= MOST_JOBS, "too many jobs for a batch");
        let mut ended = Vec::with_capacity(jobs.len());
        while ended.len() < jobs.len() {
            ended.extend(self.run_once(&jobs[ended.len()..])?);
        }
        Ok(ended)
    }

    /// Runs a batch to its end, or up to the first job that does not end.
    fn run_once(&self, jobs: &[Job]) -> Result<Vec<Ended>, ReferenceError> {
        // Each batch has its own file, because other threads have batches too.
        let file = tempfile::NamedTempFile::new_in(self.folder.path()).map_err(at(self.folder.path()))?;
        let ram = Ram { file: file.as_file(), path: file.path() };
        // Memory behind the jobs, allocated from low to high addresses.
        let mut end = IMAGES_AT;
        let mut take = |bytes: u32| {
            let at = end;
            end = (at + bytes).next_multiple_of(64);
            at
        };
        let places: Vec<[u32; 2]> =
            jobs.iter().map(|job| [take(job.image.len() as u32), take(job.results[1] - job.results[0])]).collect();
        let bytes = (end - RAM_BASE + BEHIND).next_multiple_of(1 << 20);
        ram.file.set_len(bytes.into()).map_err(at(ram.path))?;
        ram.write(RAM_BASE, &words(&BOOT))?;
        ram.write(HANDLER_AT, &self.handler)?;
        ram.write(JOBS_AT, &(jobs.len() as u32).to_le_bytes())?;
        for (number, (job, [image, results])) in jobs.iter().zip(&places).enumerate() {
            ram.write(*image, &job.image)?;
            ram.write(job_at(number), &words(&job.words(*image, *results)))?;
        }
        self.start(ram.path, bytes)?;
        let mut ended = Vec::with_capacity(jobs.len());
        for (number, (job, places)) in jobs.iter().zip(&places).enumerate() {
            ended.push(ram.ended(number, job, places[1])?);
            if ended.last() == Some(&Ended::Endless) {
                break;
            }
        }
        Ok(ended)
    }

    fn start(&self, ram: &Path, bytes: u32) -> Result<(), ReferenceError> {
        let memory = format!("memory-backend-file,id=ram,size={bytes},mem-path={},share=on", ram.display());
        let failed = |what: String| ReferenceError::Qemu { path: self.qemu.clone(), what };
        let mut child = Command::new(&self.qemu)
            .args(["-M", "virt,memory-backend=ram", "-m", &format!("{}M", bytes >> 20), "-object", &memory])
            .args(["-cpu", "rv32,zba=true,zbb=true"])
            .args(["-bios", "-display", "-serial", "-monitor"].iter().flat_map(|device| [device, "none"]))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let start = Instant::now();
        loop {
            match child.try_wait().map_err(|error| failed(error.to_string()))? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(failed(status.to_string())),
                // The status of each job shows whether it is done.
                None if start.elapsed() > self.limit => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Ok(());
                }
                None => std::thread::sleep(Duration::from_millis(3)),
            }
        }
    }
}

impl Job {
    /// Loads the program of an ELF file; `results_begin` and `results_end` enclose its results.
    ///
    /// # Panics
    ///
    /// If one of these symbols is missing.
    pub fn load(config: &Config, elf: &[u8]) -> Result<Self, sim::ElfError> {
        let program = sim::Program::load("program", elf, config)?;
        let end = program.segments.iter().map(|segment| segment.address + segment.bytes.len() as u32).max();
        let mut image = vec![0; (end.unwrap_or(RAM_BASE) - RAM_BASE) as usize];
        for segment in &program.segments {
            let at = (segment.address - RAM_BASE) as usize;
            image[at..at + segment.bytes.len()].copy_from_slice(&segment.bytes);
        }
        let last = image.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        image.truncate(last.next_multiple_of(4));
        let symbol = |name: &str| program.symbol(name).expect("every program has it");
        let results = [symbol("results_begin"), symbol("results_end")];
        Ok(Self { image, entry: program.entry, config: config.clone(), results })
    }

    fn words(&self, image: u32, results: u32) -> [u32; JOB_WORDS] {
        let Config { warps, threads, memory, .. } = &self.config;
        let harts = warps * threads;
        let first_stack = RAM_BASE + memory.ram_bytes - (harts - 1) * memory.stack_bytes;
        let bytes = self.results[1] - self.results[0];
        let image_bytes = (self.image.len() as u32).next_multiple_of(4);
        let mut words = [0; JOB_WORDS];
        words[..12].copy_from_slice(&[
            image,
            image_bytes,
            self.entry,
            memory.ram_bytes,
            harts,
            *threads,
            *warps,
            first_stack,
            memory.stack_bytes,
            self.results[0],
            bytes,
            results,
        ]);
        words
    }
}

fn job_at(number: usize) -> u32 {
    JOBS_AT + 4 * (JOB_WORDS * (number + 1)) as u32
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

struct Ram<'a> {
    file: &'a File,
    path: &'a Path,
}

impl Ram<'_> {
    fn write(&self, address: u32, bytes: &[u8]) -> Result<(), ReferenceError> {
        self.file.write_all_at(bytes, (address - RAM_BASE).into()).map_err(at(self.path))
    }

    fn read(&self, address: u32, count: usize) -> Result<Vec<u32>, ReferenceError> {
        let mut bytes = vec![0; 4 * count];
        self.file.read_exact_at(&mut bytes, (address - RAM_BASE).into()).map_err(at(self.path))?;
        Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    fn ended(&self, number: usize, job: &Job, results: u32) -> Result<Ended, ReferenceError> {
        let status = self.read(job_at(number) + 48, 3)?;
        Ok(match status[0] {
            0 => Ended::Endless,
            1 => Ended::Results(self.read(results, (job.results[1] - job.results[0]) as usize / 4)?),
            cause => Ended::Trap { cause: cause & 0xff, pc: status[1], hart: status[2] },
        })
    }
}

/// Describes the first difference between the reference and the core.
pub fn difference(job: &Job, report: &Report, ended: &Ended) -> Option<String> {
    match ended {
        Ended::Trap { cause, pc, hart } => Some(format!("hart {hart} trapped at {pc:#010x}, cause {cause}")),
        Ended::Endless => Some("no end within the time of the reference".into()),
        Ended::Results(words) => words.iter().enumerate().find_map(|(index, expected)| {
            let address = job.results[0] + 4 * index as u32;
            let found = report.memory.read_word(address).expect("results are in RAM");
            (found != *expected)
                .then(|| format!("the word at {address:#010x} is {found:#010x}, and {expected:#010x} in the reference"))
        }),
    }
}
