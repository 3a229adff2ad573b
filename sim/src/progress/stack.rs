//! Watches the stack pointer of each hart. It must stay in the hart's stack, or in memory of section `.weft.stack`.
//!
//! A hart is watched from the commit on that sets `sp` to an address of its stack. A program may use `x2` otherwise.

use std::ops::Range;

use weft_config::Config;
use weft_trace::Commit;

use crate::{Program, Stacks};

const SP: u8 = 2;

#[derive(Clone, Debug)]
pub(super) struct StackPointers {
    stacks: Stacks,
    bytes: u32,
    threads: u32,
    declared: Vec<Range<u32>>,
    /// Per hart, whether it is watched.
    watched: Vec<bool>,
    /// The most bytes that a hart has used of its stack, if one was watched.
    deepest: Option<u32>,
    /// The first hart that left its stack, with pc and new `sp`, and how many more did.
    left: Option<(u32, u32, u32)>,
    more: u32,
}

impl StackPointers {
    pub(super) fn new(config: &Config, program: &Program) -> Self {
        Self {
            stacks: Stacks::new(config),
            bytes: config.memory.stack_bytes,
            threads: config.threads,
            declared: program.stacks().to_vec(),
            watched: vec![false; (config.warps * config.threads) as usize],
            deepest: None,
            left: None,
            more: 0,
        }
    }

    pub(super) fn commit(&mut self, commit: &Commit) {
        // `lui` and `auipc` make the upper half of an address.
        if commit.rd != SP || matches!(commit.instruction & 0x7f, 0x17 | 0x37) {
            return;
        }
        for lane in (0..self.threads).filter(|lane| commit.served >> lane & 1 != 0) {
            let (hart, sp) = (commit.warp * self.threads + lane, commit.values[lane as usize]);
            let depth = self.stacks.end(hart).wrapping_sub(sp);
            let watched = &mut self.watched[hart as usize];
            if depth <= self.bytes {
                *watched = true;
                self.deepest = self.deepest.max(Some(depth));
            } else if *watched && !self.declared.iter().any(|range| (range.start..=range.end).contains(&sp)) {
                *watched = false;
                self.more += u32::from(self.left.is_some());
                self.left.get_or_insert((hart, commit.pc, sp));
            }
        }
    }

    pub(super) fn deepest(&self) -> Option<u32> {
        self.deepest
    }

    pub(super) fn warning(&self, program: &Program) -> Option<String> {
        let (hart, pc, sp) = self.left?;
        let (warp, lane) = (hart / self.threads, hart % self.threads);
        let more = if self.more > 0 { format!(", and later {} more harts theirs", self.more) } else { String::new() };
        Some(format!(
            "warning: hart {hart} (warp {warp}, lane {lane}) left its stack of {} bytes at {}: sp = {sp:#010x}{more}; \
             raise memory.stack_bytes, or declare another stack in section .weft.stack",
            self.bytes,
            program.source(pc)
        ))
    }
}
