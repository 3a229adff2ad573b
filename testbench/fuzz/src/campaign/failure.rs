//! A failing program: shrunk, and stored with everything needed to reproduce the failure.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use testbench::BuiltCore;

use super::drawn::Drawn;
use super::folder::Folder;
use super::{CampaignError, Request};
use crate::assembly;
use crate::build::{ASSEMBLE, Assembler, LAYOUT, LAYOUT_TEXT, LINK};
use crate::program::Program;
use crate::reference::{Job, Reference, difference};
use crate::shrink::shrink;
use crate::trial::{self, Verdict};

const LIMIT: Duration = Duration::from_secs(120);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    Core { how: &'static str, message: String },
    Reference { message: String },
    Endless,
}

impl Failure {
    /// Whether a smaller program fails in the same way.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Core { how: one, .. }, Self::Core { how: other, .. }) => one == other,
            (Self::Reference { .. }, Self::Reference { .. }) | (Self::Endless, Self::Endless) => true,
            _ => false,
        }
    }

    fn message(&self) -> &str {
        match self {
            Self::Core { message, .. } | Self::Reference { message } => message,
            Self::Endless => "the limit of cycles was reached: the generator made a program that does not end",
        }
    }
}

pub struct Shrinker<'a> {
    pub request: &'a Request,
    pub assembler: &'a Assembler,
    pub core: &'a BuiltCore,
    pub reference: Option<&'a Reference>,
}

impl Shrinker<'_> {
    pub fn keep(&self, folder: &Path, drawn: &Drawn, failure: &Failure) -> Result<(), CampaignError> {
        let heading = self.heading(drawn);
        let write = |name: &str, bytes: &[u8]| Folder::write(&folder.join(name), bytes);
        write("program.S", assembly::print(&drawn.program, &heading).as_bytes())?;
        write(LAYOUT, LAYOUT_TEXT.as_bytes())?;
        write("config.toml", drawn.config.to_commented_toml().as_bytes())?;
        // An intermittent failure cannot be shrunk: any program could be the result.
        let again = self.fails(drawn, &drawn.program);
        let repeats = again.as_ref().is_some_and(|found| found.is_like(failure));
        let start = Instant::now();
        let mut trials = 0;
        let least = shrink(&drawn.program, &mut |program| {
            trials += 1;
            (repeats && start.elapsed() < LIMIT)
                .then(|| self.fails(drawn, program).is_some_and(|found| found.is_like(failure)))
        });
        let text = assembly::print(&least, &heading);
        write("shrunk.S", text.as_bytes())?;
        write("shrunk.elf", &self.assembler.elf(&text)?)?;
        let found = self.fails(drawn, &least);
        let mut report = heading;
        let (before, after) = (drawn.program.statements(), least.statements());
        let _ = write!(
            report,
            "\nshrunk from {before} statements to {after} in {trials} trials\n\n\
             To see it again:\n  weft cosim shrunk.elf --config config.toml\n\
             shrunk.elf is shrunk.S by\n  riscv64-unknown-elf-as {} shrunk.S -o shrunk.o\n  \
             riscv64-unknown-elf-ld {} shrunk.o -o shrunk.elf\n\n\
             The shrunk program:\n{}\n\nThe whole program:\n{}\n",
            ASSEMBLE.join(" "),
            LINK.join(" "),
            if repeats {
                found.as_ref().map_or("it no longer fails", Failure::message)
            } else {
                again.as_ref().map_or("the whole program did not fail a second time", Failure::message)
            },
            failure.message()
        );
        write("report.txt", report.as_bytes())?;
        Ok(())
    }

    fn heading(&self, drawn: &Drawn) -> String {
        let config = &drawn.config;
        format!(
            "program {} of seed {}, profile {}, for {} of {} warps of {} threads\n",
            drawn.number, self.request.seed, drawn.profile.name, config.divergence.unit, config.warps, config.threads
        )
    }

    /// How a program fails; `None` if it does not, or if it cannot be run.
    fn fails(&self, drawn: &Drawn, program: &Program) -> Option<Failure> {
        let elf = self.assembler.elf(&assembly::print(program, "")).ok()?;
        match trial::run(self.core, &drawn.config, &elf, program.may_fault).ok()? {
            Verdict::Fails { how, message } => Some(Failure::Core { how, message }),
            Verdict::Endless => Some(Failure::Endless),
            Verdict::Agrees(report) => {
                let reference = self.reference.filter(|_| program.independent)?;
                let job = Job::load(&drawn.config, &elf).ok()?;
                let ended = reference.run(std::slice::from_ref(&job)).ok()?;
                let message = difference(&job, &report, ended.first()?)?;
                Some(Failure::Reference { message })
            }
        }
    }
}
