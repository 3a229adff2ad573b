//! Finds the smallest program that still fails: removes statements, then lines, one by one, for as long as it fails.
//!
//! Any removal leaves a program that ends (see [`program`](crate::program)). A program that does not assemble, or
//! fails in another way, does not count as failing.

use crate::program::{Block, End, Lock, Loop, Program, Statement};

/// Shrinks until no cut is left, or until `fails` returns `None`, which stops the search.
pub fn shrink(program: &Program, fails: &mut dyn FnMut(&Program) -> Option<bool>) -> Program {
    let mut least = program.clone();
    loop {
        let mut shrunk = false;
        let mut cut = 0;
        while let Some(smaller) = without(&least, cut) {
            match fails(&smaller) {
                Some(true) => {
                    least = smaller;
                    shrunk = true;
                }
                Some(false) => cut += 1,
                None => return least,
            }
        }
        if !shrunk {
            return least;
        }
    }
}

/// The program after the cut of this number; `None` if there are fewer.
fn without(program: &Program, cut: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let mut cuts = Cuts { before: cut };
    let done = smaller.functions.iter_mut().any(|function| cuts.body(&mut function.body))
        || cuts.values(&mut smaller.values)
        || (smaller.level.is_some() && cuts.here() && smaller.level.take().is_some())
        || (smaller.fuel > 1 && cuts.here() && {
            smaller.fuel /= 2;
            true
        });
    done.then_some(smaller)
}

/// Counts cuts and makes the selected one: every method returns whether it did.
struct Cuts {
    before: usize,
}

impl Cuts {
    fn here(&mut self) -> bool {
        let here = self.before == 0;
        self.before = self.before.wrapping_sub(1);
        here
    }

    fn values(&mut self, values: &mut [Option<u32>]) -> bool {
        values.iter_mut().any(|value| value.is_some() && self.here() && value.take().is_some())
    }

    /// Cuts halves first, then each statement, then its contents.
    fn body(&mut self, body: &mut Vec<Statement>) -> bool {
        let half = body.len() / 2;
        if half > 1 {
            if self.here() {
                body.drain(half..);
                return true;
            }
            if self.here() {
                body.drain(..half);
                return true;
            }
        }
        for index in 0..body.len() {
            if self.here() {
                body.remove(index);
                return true;
            }
            if let Some(instead) = self.opened(&mut body[index]) {
                body.splice(index..=index, instead);
                return true;
            }
            if self.inside(&mut body[index]) {
                return true;
            }
        }
        false
    }

    /// The contents of a statement, as a replacement for it.
    fn opened(&mut self, statement: &mut Statement) -> Option<Vec<Statement>> {
        let bodies: Vec<&mut Vec<Statement>> = match statement {
            Statement::If { then, otherwise, .. } => vec![then, otherwise],
            Statement::Loop(Loop { body, .. }) | Statement::Lock(Lock { body, .. }) => vec![body],
            Statement::Switch { arms, .. } => arms.iter_mut().collect(),
            Statement::Graph(blocks) => blocks.iter_mut().map(|block| &mut block.code).collect(),
            Statement::Code(_) | Statement::Call { .. } | Statement::Copied { .. } => Vec::new(),
            Statement::Rewritten { .. } | Statement::Leave { .. } | Statement::Barrier => Vec::new(),
        };
        let mut full = bodies.into_iter().filter(|body| !body.is_empty());
        full.find_map(|body| self.here().then(|| std::mem::take(body)))
    }

    fn inside(&mut self, statement: &mut Statement) -> bool {
        match statement {
            Statement::Code(lines) => self.lines(lines),
            Statement::If { then, otherwise, .. } => self.body(then) || self.body(otherwise),
            Statement::Loop(Loop { body, trips, most, .. }) => {
                if *most > 1 && self.here() {
                    *most /= 2;
                    return true;
                }
                (trips.is_some() && self.here() && trips.take().is_some()) || self.body(body)
            }
            Statement::Switch { arms, .. } => {
                if arms.len() > 2 && self.here() {
                    arms.truncate(arms.len() / 2);
                    return true;
                }
                arms.iter_mut().any(|arm| self.body(arm))
            }
            Statement::Lock(Lock { body, .. }) => self.body(body),
            Statement::Graph(blocks) => self.graph(blocks),
            Statement::Call { callees, .. } => {
                let one = callees.len() > 1 && self.here();
                if one {
                    callees.truncate(1);
                }
                one
            }
            Statement::Copied { routines, .. } => {
                let alone = (routines.len() > 1).then(|| (0..routines.len()).find(|_| self.here())).flatten();
                if let Some(routine) = alone {
                    routines.swap(0, routine);
                    routines.truncate(1);
                }
                alone.is_some() || routines.iter_mut().any(|routine| self.lines(routine))
            }
            Statement::Rewritten { instructions } => self.lines(instructions),
            Statement::Leave { .. } | Statement::Barrier => false,
        }
    }

    fn lines<T>(&mut self, lines: &mut Vec<T>) -> bool {
        if lines.len() < 2 {
            return false;
        }
        for index in 0..lines.len() {
            if self.here() {
                lines.remove(index);
                return true;
            }
        }
        false
    }

    /// Cuts code of blocks, ends of blocks, and the last block.
    fn graph(&mut self, blocks: &mut Vec<Block>) -> bool {
        let last = blocks.len() - 1;
        if last > 0 && self.here() {
            blocks.pop();
            for block in blocks {
                block.end.no_further_than(last);
            }
            return true;
        }
        for (number, block) in blocks.iter_mut().enumerate() {
            if self.body(&mut block.code) {
                return true;
            }
            if block.end != End::To(number + 1) && self.here() {
                block.end = End::To(number + 1);
                return true;
            }
        }
        false
    }
}

impl End {
    fn no_further_than(&mut self, last: usize) {
        let targets = match self {
            Self::To(to) => vec![to],
            Self::Either(_, one, other) => vec![one, other],
            Self::Any(_, targets) => targets.iter_mut().collect(),
        };
        for target in targets {
            *target = last.min(*target);
        }
    }
}

#[cfg(test)]
mod tests;
