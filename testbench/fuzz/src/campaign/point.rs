use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::Instant;

use testbench::{BuiltCore, Report};
use weft_config::RAM_BASE;

use super::drawn::{Drawn, core_of, draw};
use super::failure::{self, Failure};
use super::{CampaignError, Event, Found, Shared, Tried};
use crate::assembly;
use crate::build::Assembler;
use crate::reference::{Job, difference};
use crate::trial::{self, TrialError, Verdict};

const BATCH: usize = 64;
/// Failures after which the other programs of a core are skipped: one bug makes many fail.
const ENOUGH: u32 = 3;

pub fn work(
    shared: &Shared<'_>,
    assembler: &Assembler,
    number: u64,
    done: &BTreeSet<u64>,
    events: &Sender<Event>,
) -> Result<(), CampaignError> {
    let request = shared.request;
    let programs = (number..request.count).step_by(request.points as usize);
    let mut left = programs.filter(|program| !done.contains(program)).peekable();
    if left.peek().is_none() {
        return Ok(());
    }
    let config = core_of(shared, number);
    let name = format!("{} {}x{}", config.divergence.unit, config.warps, config.threads);
    // The receiver is gone only after the end of the campaign.
    let tell = |event: Event| drop(events.send(event));
    tell(Event::Building(name));
    let built = match shared.counters {
        Some(counters) => BuiltCore::counting(&config, RAM_BASE, counters),
        None => BuiltCore::of(&config, RAM_BASE, false),
    };
    let built = built.map_err(TrialError::from)?;
    let mut worker = Worker { shared, assembler, core: built, point: number, waiting: Vec::new(), failed: 0, tell };
    for program in left {
        if shared.stop.load(Ordering::Relaxed) {
            break;
        }
        let drawn = draw(shared, &config, program);
        worker.program(drawn)?;
    }
    worker.reference()?;
    if shared.counters.is_some() {
        let points = worker.core.coverage().map_err(TrialError::from)?;
        (worker.tell)(Event::Covered(config.divergence.unit, points));
    }
    Ok(())
}

/// A program that agreed with the model and waits for the reference.
struct Waiting {
    drawn: Drawn,
    elf: Vec<u8>,
    report: Box<Report>,
    tried: Tried,
}

struct Worker<'a, T: Fn(Event)> {
    shared: &'a Shared<'a>,
    assembler: &'a Assembler,
    core: BuiltCore,
    point: u64,
    waiting: Vec<Waiting>,
    failed: u32,
    tell: T,
}

impl<T: Fn(Event)> Worker<'_, T> {
    fn tried(&self, drawn: &Drawn, result: Found, report: Option<&Report>) -> Tried {
        Tried {
            program: drawn.number,
            point: self.point,
            unit: drawn.config.divergence.unit.clone(),
            profile: drawn.profile.name.into(),
            result,
            referenced: false,
            faulted: report.is_some_and(|report| report.fault.is_some()),
            cycles: report.and_then(|report| report.cycles).unwrap_or(0),
            commits: report.map_or(0, |report| report.statistics.issues),
        }
    }

    fn program(&mut self, drawn: Drawn) -> Result<(), CampaignError> {
        if self.failed >= ENOUGH {
            (self.tell)(Event::Tried(self.tried(&drawn, Found::Skipped, None)));
            return Ok(());
        }
        let start = Instant::now();
        let elf = self.assembler.elf(&assembly::print(&drawn.program, ""))?;
        let verdict = trial::run(&self.core, &drawn.config, &elf, drawn.program.may_fault)?;
        (self.tell)(Event::Ran(start.elapsed()));
        match verdict {
            Verdict::Agrees(report) => {
                let tried = self.tried(&drawn, Found::Agrees, Some(&report));
                if self.shared.reference.is_some() && drawn.program.independent {
                    self.waiting.push(Waiting { drawn, elf, report, tried });
                    if self.waiting.len() >= BATCH {
                        self.reference()?;
                    }
                } else {
                    (self.tell)(Event::Tried(tried));
                }
            }
            Verdict::Endless => self.fails(&drawn, Failure::Endless, Found::Endless)?,
            Verdict::Fails { how, message } => {
                self.fails(&drawn, Failure::Core { how, message }, Found::Fails)?;
            }
        }
        Ok(())
    }

    fn fails(&mut self, drawn: &Drawn, failure: Failure, result: Found) -> Result<(), CampaignError> {
        self.failed += 1;
        let folder = self.shared.folder.failure(drawn.number)?;
        (self.tell)(Event::Failed(folder.clone()));
        let shrinker = failure::Shrinker {
            request: self.shared.request,
            assembler: self.assembler,
            core: &self.core,
            reference: self.shared.reference,
        };
        shrinker.keep(&folder, drawn, &failure)?;
        (self.tell)(Event::Tried(self.tried(drawn, result, None)));
        Ok(())
    }

    fn reference(&mut self) -> Result<(), CampaignError> {
        let Some(reference) = self.shared.reference else { return Ok(()) };
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        let jobs = waiting.iter().map(|one| Job::load(&one.drawn.config, &one.elf)).collect::<Result<Vec<_>, _>>();
        let jobs = jobs.map_err(TrialError::from)?;
        let ended = reference.run(&jobs)?;
        (self.tell)(Event::Ran(start.elapsed()));
        for ((one, job), ended) in waiting.into_iter().zip(&jobs).zip(&ended) {
            match difference(job, &one.report, ended) {
                None => (self.tell)(Event::Tried(Tried { referenced: true, ..one.tried })),
                Some(message) => {
                    self.fails(&one.drawn, Failure::Reference { message }, Found::DiffersFromReference)?;
                }
            }
        }
        Ok(())
    }
}
