//! Lanes that go anywhere, one by one, to compare a unit's paths with.

use super::*;

/// The state of each lane: its pc, depth, and whether it is parked; `None` after it has ended.
pub struct Lanes(pub Vec<Option<(u32, u8, bool)>>);

impl Lanes {
    pub fn commit(&mut self, executed: u64, next: &Next) {
        for (lane, state) in self.0.iter_mut().enumerate().filter(|(lane, _)| executed >> lane & 1 == 1) {
            let path = [next.a, next.b].into_iter().flatten().find(|path| path.mask >> lane & 1 == 1);
            *state = path.map(|path| (path.pc, path.depth, path.parked));
        }
    }

    pub fn release(&mut self) {
        self.0.iter_mut().flatten().for_each(|(_, _, parked)| *parked = false);
    }

    /// Checks that the list contains each live lane once, in its state, and nothing else.
    pub fn check(&self, paths: &[PathRecord], place: &str) {
        for (lane, state) in self.0.iter().enumerate() {
            let mine = paths.iter().filter(|path| path.mask >> lane & 1 == 1);
            let places: Vec<_> = mine.map(|path| (path.pc, path.depth, path.parked)).collect();
            assert_eq!(places, Vec::from_iter(*state), "{place}: lane {lane}");
        }
        let lanes = u64::MAX >> (64 - self.0.len());
        assert!(paths.iter().all(|path| path.mask != 0 && path.mask & !lanes == 0), "{place}");
    }
}

pub fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 24
}

/// A path at one of a few pcs, so that paths often merge.
pub fn near(path: &PathRecord, places: u64, mask: u64, state: &mut u64) -> Option<PathRecord> {
    let pc = 0x8000_0000 + 4 * (random(state) % places) as u32;
    let depth = (path.depth + (random(state) % 9 / 8) as u8).saturating_sub((random(state) % 9 / 8) as u8);
    let parked = random(state).is_multiple_of(12);
    (mask != 0).then_some(PathRecord { pc, depth, mask, parked })
}
