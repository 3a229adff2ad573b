//! Alignment of traces: an order that has each of them in it and shares as many issues as possible (S. Needleman and
//! C. Wunsch, *A general method applicable to the search for similarities in the amino acid sequence of two proteins*,
//! 1970; in linear space after D. Hirschberg, 1975).
//!
//! What only one trace has costs nothing. A shared block has points for its instructions, fewer for accesses to different lines,
//! which memory serves one by one. Two traces are aligned as well as possible. More are not: the two that share most are aligned,
//! and then stand for one; of threads that share a block one alone is asked for its lines. Time: the product of the numbers
//! of blocks, without those that both have at the beginning. Of long traces the first two are aligned, then the next two. Of equally good orders the one is taken that shares early:
//! threads of which one repeats a loop more often begin it together.

use std::cmp::Reverse;

use super::Step;

/// Points of an instruction that is issued once instead of twice.
const SHARED: u32 = 8;
/// Points of an access that is issued twice, but by one path.
const TOGETHER: u32 = 1;

/// Most blocks of a warp of which all pairs of threads are tried.
const TRIED: usize = 1 << 15;

/// Most pairs of blocks whose scores are kept, one byte each. Above it, one trace is halved.
const TABLE: usize = 1 << 24;

/// Aligns any number of traces of disjoint threads.
pub(super) fn of_all(mut traces: Vec<Vec<Step>>, lines: &[u32]) -> Vec<Step> {
    let aligner = Aligner { lines };
    let blocks: usize = traces.iter().map(Vec::len).sum();
    let tries_all = blocks <= TRIED;
    let shared = |one: &[Step], other: &[Step]| if tries_all { aligner.shared(one, other) } else { 0 };
    // For each trace, what it shares with each before it.
    let with_all = |one: &[Step], before: &[Vec<Step>]| before.iter().map(|other| shared(one, other)).collect();
    let mut scores: Vec<Vec<u32>> = (0..traces.len()).map(|one| with_all(&traces[one], &traces[..one])).collect();
    while traces.len() > 1 {
        let pairs = (1..traces.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
        let best = |(one, other): &(usize, usize)| (scores[*other][*one], Reverse((*other, *one)));
        let (one, other) = pairs.max_by_key(best).expect("a pair");
        let aligned = aligner.of_two(&traces[one], &traces[other]);
        for gone in [other, one] {
            traces.remove(gone);
            scores.remove(gone);
            for row in &mut scores[gone..] {
                row.remove(gone);
            }
        }
        scores.push(with_all(&aligned, &traces));
        traces.push(aligned);
    }
    traces.pop().unwrap_or_default()
}

pub(super) struct Aligner<'a> {
    pub(super) lines: &'a [u32],
}

impl Aligner<'_> {
    pub(super) fn of_two(&self, one: &[Step], other: &[Step]) -> Vec<Step> {
        let mut aligned = Vec::with_capacity(one.len().max(other.len()));
        self.align(one, other, &mut aligned);
        aligned
    }

    /// Number of steps at the beginning of both that are best shared.
    fn in_common(&self, one: &[Step], other: &[Step]) -> usize {
        let is_best = |one: &Step, other: &Step| self.points(one, other) == Some(SHARED * one.instructions);
        one.iter().zip(other).take_while(|(one, other)| is_best(one, other)).count()
    }

    /// The points of the best order.
    fn shared(&self, one: &[Step], other: &[Step]) -> u32 {
        let first = self.in_common(one, other);
        let (common, one) = one.split_at(first);
        let scores = self.scores(one.iter(), other.len() - first, || other[first..].iter());
        common.iter().map(|step| SHARED * step.instructions).sum::<u32>() + scores[other.len() - first]
    }

    fn align(&self, one: &[Step], other: &[Step], aligned: &mut Vec<Step>) {
        let first = self.in_common(one, other);
        aligned.extend(one.iter().zip(other).take(first).map(|(one, other)| both(one, other)));
        let (one, other) = (&one[first..], &other[first..]);
        if one.is_empty() || other.is_empty() {
            aligned.extend(one.iter().chain(other));
        } else if one.len() == 1 || one.len() * other.len() <= TABLE {
            self.by_table(one, other, aligned);
        } else {
            let (before, after) = one.split_at(one.len() / 2);
            let middle = self.middle(before, after, other);
            self.align(before, &other[..middle], aligned);
            self.align(after, &other[middle..], aligned);
        }
    }

    /// The points if both are one step; `None` if they are different code.
    pub(super) fn points(&self, one: &Step, other: &Step) -> Option<u32> {
        if (one.pc, one.depth) != (other.pc, other.depth) {
            return None;
        }
        let [one_lines, other_lines] =
            [one, other].map(|step| &self.lines[step.accesses.0 as usize..step.accesses.1 as usize]);
        let apart = one_lines.iter().zip(other_lines).filter(|(one, other)| one != other).count() as u32;
        Some(SHARED * one.instructions - (SHARED - TOGETHER) * apart)
    }

    /// Where to divide `other`, so that its first part is aligned with `before` and its second with `after`.
    fn middle(&self, before: &[Step], after: &[Step], other: &[Step]) -> usize {
        let up_to = self.scores(before.iter(), other.len(), || other.iter());
        let from = self.scores(after.iter().rev(), other.len(), || other.iter().rev());
        let sums = up_to.iter().zip(from.iter().rev()).map(|(one, other)| one + other);
        sums.enumerate().max_by_key(|(place, sum)| (*sum, Reverse(*place))).map_or(0, |(place, _)| place)
    }

    /// The scores of all of `one` with each beginning of `other`.
    fn scores<'s, I: Iterator<Item = &'s Step>>(
        &self,
        one: impl Iterator<Item = &'s Step>,
        length: usize,
        other: impl Fn() -> I,
    ) -> Vec<u32> {
        let mut row = vec![0; length + 1];
        one.for_each(|step| self.next_row(&mut row, step, other(), |_| ()));
        row
    }

    /// The scores of one step more. `see` is told, for each, from where it comes.
    fn next_row<'s>(
        &self,
        row: &mut [u32],
        step: &Step,
        other: impl Iterator<Item = &'s Step>,
        mut see: impl FnMut(Last),
    ) {
        let mut diagonal = 0;
        for (place, other) in other.enumerate() {
            let (above, left) = (row[place + 1], row[place]);
            let shared = self.points(step, other).map_or(0, |points| diagonal + points);
            let best = shared.max(above).max(left);
            see(match best {
                _ if best == above => Last::One,
                _ if best == left => Last::Other,
                _ => Last::Both,
            });
            row[place + 1] = best;
            diagonal = above;
        }
    }

    fn by_table(&self, one: &[Step], other: &[Step], aligned: &mut Vec<Step>) {
        let width = other.len();
        let mut row = vec![0; width + 1];
        let mut table = Vec::with_capacity(one.len() * width);
        for step in one {
            self.next_row(&mut row, step, other.iter(), |last| table.push(last));
        }
        let start = aligned.len();
        let (mut left, mut right) = (one, other);
        while let ([one_before @ .., one], [other_before @ .., other]) = (left, right) {
            let last = table[one_before.len() * width + other_before.len()];
            aligned.push(match last {
                Last::One => *one,
                Last::Other => *other,
                Last::Both => both(one, other),
            });
            left = if last == Last::Other { left } else { one_before };
            right = if last == Last::One { right } else { other_before };
        }
        aligned.extend(left.iter().chain(right).rev());
        aligned[start..].reverse();
    }
}

/// The trace whose last block is last in the best order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    One,
    Other,
    Both,
}

fn both(one: &Step, other: &Step) -> Step {
    Step { mask: one.mask | other.mask, ..*one }
}
