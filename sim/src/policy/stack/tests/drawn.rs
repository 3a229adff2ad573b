//! A warp of four threads whose stack is printed as in the figures of the paper: a block has a letter, and a mask
//! begins with thread 0.

use weft_trace::{Moves, PathRecord};

use crate::control_flow::Reconvergence;
use crate::policy::dual_path::{DualPath, Halves};
use crate::policy::dws::Dws;
use crate::policy::forwarding::Forwarding;
use crate::policy::mimd::Mimd;
use crate::policy::minority_first::MinorityFirst;
use crate::policy::multi_path::MultiPath;
use crate::policy::pdom_stack::PdomStack;
use crate::policy::serial::Serial;
use crate::policy::stack::{RETURN, Rpc, Side};
use crate::policy::{Next, Policy, Start};

/// `beq x0, x0, 0`, and `jr x5`
pub(super) const BRANCH: u32 = 0x0000_0063;
pub(super) const JUMP_REGISTER: u32 = 0x0002_8067;

/// A unit under test, as text.
pub(super) trait Unit: Policy {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)>;

    /// Number of rows that the bound of the unit is about.
    fn height(&self) -> u32 {
        self.held()
    }

    /// Whether the threads that an instruction lets diverge reconverge at its point.
    fn reconverges(&self, _next: &Next) -> bool {
        true
    }

    /// The rows from the bottom: `B1000 C0111 >G`. An apostrophe marks a block one call deeper, an asterisk a parked
    /// side; a slash precedes the threads that are not served yet.
    fn drawn(&self) -> Vec<String> {
        self.rows().into_iter().map(|(sides, rpc)| format!("{}{}", sides_of(&sides), point(rpc))).collect()
    }

    /// The threads in a slot execute an instruction and continue at a block.
    fn goes(&mut self, slot: u32, to: char) -> Moves {
        let path = self.path(slot).expect("a path");
        let a = PathRecord { pc: pc(to), ..path };
        self.resolve(slot, &Next::of(Some(a), None))
    }

    /// They wait at the barrier before a block.
    fn parks(&mut self, slot: u32, before: char) -> Moves {
        let path = self.path(slot).expect("a path");
        let a = PathRecord { pc: pc(before), parked: true, ..path };
        self.resolve(slot, &Next::of(Some(a), None))
    }

    fn ends(&mut self, slot: u32) -> Moves {
        self.resolve(slot, &Next::of(None, None))
    }

    /// They call, or return to, a block.
    fn deeper(&mut self, slot: u32, to: char, by: i8) -> Moves {
        let path = self.path(slot).expect("a path");
        let a = PathRecord { pc: pc(to), depth: path.depth.wrapping_add_signed(by), ..path };
        self.resolve(slot, &Next::of(Some(a), None))
    }

    /// They diverge: those of `mask` go to the first block, the others to the second.
    fn parts(&mut self, slot: u32, mask: &str, to: [char; 2], meet: Reconvergence) -> Moves {
        let path = self.path(slot).expect("a path");
        let lanes = lanes(mask) & path.mask;
        let a = PathRecord { pc: pc(to[0]), mask: lanes, ..path };
        let b = PathRecord { pc: pc(to[1]), mask: path.mask & !lanes, ..path };
        self.resolve(slot, &Next { reconvergence: meet, ..Next::of(Some(a), Some(b)) })
    }

    /// A `jalr` to itself calls or returns for those of `mask`, and has not served the others.
    fn jumps(&mut self, slot: u32, mask: &str, by: i8, meet: Reconvergence) -> Moves {
        let path = self.path(slot).expect("a path");
        let a = PathRecord { mask: path.mask & lanes(mask), depth: path.depth.wrapping_add_signed(by), ..path };
        let b = PathRecord { mask: path.mask & !a.mask, ..path };
        self.resolve(slot, &Next { unserved: true, reconvergence: meet, ..Next::of(Some(a), Some(b)) })
    }

    /// A memory instruction serves those of `mask`.
    fn serves(&mut self, slot: u32, mask: &str) -> Moves {
        let path = self.path(slot).expect("a path");
        let a = PathRecord { pc: path.pc + 4, mask: path.mask & lanes(mask), ..path };
        let b = PathRecord { mask: path.mask & !lanes(mask), ..path };
        self.resolve(slot, &Next { replays: true, ..Next::of(Some(a), Some(b).filter(|rest| rest.mask != 0)) })
    }

    /// They divide: those of `mask` wait for a load that missed.
    fn misses(&mut self, slot: u32, mask: &str) -> Option<Moves> {
        self.divide_on_miss(slot, Some(0x13), lanes(mask))
    }

    /// Rotates, if a rotation is due before a branch.
    fn branches(&mut self, slot: u32) -> Option<Moves> {
        self.must_rotate(slot, Some(BRANCH)).then(|| self.rotate(slot))
    }

    /// Rotates, if a rotation is due before an instruction that is not `ret`.
    fn rotates(&mut self, slot: u32) -> Option<Moves> {
        self.must_rotate(slot, Some(0x13)).then(|| self.rotate(slot))
    }

    /// Rotates, if a rotation is due before `ret`.
    fn returns(&mut self, slot: u32) -> Option<Moves> {
        self.must_rotate(slot, Some(RETURN)).then(|| self.rotate(slot))
    }

    fn listed(&self) -> Vec<String> {
        self.list().into_iter().map(|path| sides_of(&[Side::of(path)])).collect()
    }
}

impl Unit for PdomStack {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        Self::rows(self)
    }
}

impl Unit for DualPath {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        Self::rows(self)
    }
}

impl Unit for Halves {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        self.stack().rows()
    }
}

impl Unit for Forwarding {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        Self::rows(self)
    }
}

impl Unit for MinorityFirst {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        Self::rows(self)
    }

    fn height(&self) -> u32 {
        Self::height(self)
    }

    /// Those of the outermost divergence do.
    fn reconverges(&self, _next: &Next) -> bool {
        self.held() == 1
    }
}

impl Unit for Serial {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        Self::rows(self)
    }

    fn reconverges(&self, _next: &Next) -> bool {
        false
    }
}

impl Unit for Mimd {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        self.list().into_iter().map(|thread| (vec![Side::of(thread)], Rpc::None)).collect()
    }
}

impl Unit for Dws {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        Self::rows(self)
    }

    /// Those of a row that is divided reconverge at the point of the row.
    fn reconverges(&self, next: &Next) -> bool {
        !self.divides(next)
    }
}

impl Unit for MultiPath {
    fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        Self::rows(self)
    }
}

pub(super) const NOTHING: Moves = Moves { yields: false, inserts: false, extracts: false, pushes: false, pops: false };
pub(super) const PUSHES: Moves = Moves { pushes: true, ..NOTHING };
pub(super) const POPS: Moves = Moves { pops: true, ..NOTHING };

pub(super) fn start() -> Start {
    Start { mask: 0b1111, entry: pc('A'), fair_after: 0, slice: 64 }
}

pub(super) fn at(block: char) -> Reconvergence {
    Reconvergence::At(pc(block))
}

fn pc(block: char) -> u32 {
    0x100 * (u32::from(block) - u32::from('A'))
}

fn lanes(mask: &str) -> u64 {
    mask.bytes().enumerate().map(|(lane, digit)| u64::from(digit == b'1') << lane).sum()
}

fn digits(mask: u64) -> String {
    (0..4).map(|lane| if mask >> lane & 1 == 1 { '1' } else { '0' }).collect()
}

/// The text of a pc: its block, and the number of instructions after the first.
fn place(pc: u32, depth: u8) -> String {
    let block = char::from(b'A' + (pc / 0x100) as u8);
    let offset = if pc.is_multiple_of(0x100) { String::new() } else { format!("+{}", pc % 0x100 / 4) };
    format!("{block}{offset}{}", "'".repeat(depth.into()))
}

fn sides_of(sides: &[Side]) -> String {
    let side = |side: &Side| {
        if side.mask == 0 {
            return "-".to_owned();
        }
        let replay = if side.replay == 0 { String::new() } else { format!("/{}", digits(side.replay)) };
        let parked = if side.parked { "*" } else { "" };
        format!("{} {}{replay}{parked}", place(side.pc, side.depth), digits(side.mask))
    };
    sides.iter().map(side).collect::<Vec<_>>().join(" | ")
}

fn point(rpc: Rpc) -> String {
    match rpc {
        Rpc::None => String::new(),
        Rpc::At { pc, depth } => format!(" > {}", place(pc, depth)),
        Rpc::Return { depth, first } => {
            let first = first.map_or(String::new(), |pc| format!(" at {}", place(pc, 0)));
            format!(" > return{}{first}", "'".repeat(depth.into()))
        }
    }
}
