//! Kernels of the comparison of reconvergence stacks whose divergent branches have work on both sides.

use super::{count, each};
use crate::results::photon_walk::{self, Event, PHOTONS};
use crate::results::ray_casting::{self, Line, VIEW};
use crate::results::suffix_match::{self, QUERIES};

/// In each step the odd threads take a column, the even ones a row; both sides have the same number of iterations.
pub fn lu_decomposition(warps: u32, threads: u32) -> u64 {
    const N: u32 = 16;
    count(warps, threads, |warp| {
        warp.stride(warps, N * N, |_, _, _| {});
        for k in 0..N {
            warp.stride(warps, 2 * (N - k) - 1, |warp, lanes, first| {
                warp.branch(lanes, |lane| (first + lane) % 2 == 1);
            });
            warp.stride(warps, N - k - 1, |_, _, _| {});
        }
        warp.stride(warps, N * N, |_, _, _| {});
    })
}

/// Each lane has its own array, and its own waiting parts.
pub fn partition_sort(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        let mut sorters: Vec<Sorter> = (0..threads).map(|lane| Sorter::new(warp.hart(lane))).collect();
        let mut lanes = warp.all();
        while lanes != 0 {
            let mut sorting = warp.branch(lanes, |lane| sorters[lane as usize].has_work());
            while sorting != 0 {
                each(sorting, |lane| sorters[lane].begin());
                let mut turning = sorting;
                while turning != 0 {
                    warp.branch(turning, |lane| sorters[lane as usize].goes_to_front());
                    each(turning, |lane| sorters[lane].place());
                    turning = warp.branch(turning, |lane| sorters[lane as usize].is_apart());
                }
                warp.branch(sorting, |lane| sorters[lane as usize].front_is_smaller());
                each(sorting, |lane| sorters[lane].divide());
                sorting = warp.branch(sorting, |lane| sorters[lane as usize].has_work());
            }
            lanes = warp.branch(lanes, |lane| !sorters[lane as usize].waiting.is_empty());
            each(lanes, |lane| sorters[lane].resume());
        }
    })
}

#[derive(Default)]
struct Sorter {
    keys: Vec<u32>,
    part: (usize, usize),
    waiting: Vec<(usize, usize)>,
    pivot: u32,
    key: u32,
    front: usize,
    back: usize,
}

impl Sorter {
    fn new(hart: u32) -> Self {
        let scatter = |x: u32| {
            let x = (x ^ hart) & 15;
            let x = x ^ (x << 1 & 15);
            let x = x ^ x >> 2;
            let x = (x + (hart >> 4)) & 15;
            x ^ (x << 3 & 15)
        };
        Self { keys: (0..16).map(scatter).collect(), part: (0, 16), ..Self::default() }
    }

    fn has_work(&self) -> bool {
        self.part.1 - self.part.0 > 1
    }

    fn begin(&mut self) {
        (self.front, self.back) = (self.part.0, self.part.1 - 1);
        (self.pivot, self.key) = (self.keys[self.front], self.keys[self.back]);
    }

    fn goes_to_front(&self) -> bool {
        self.key < self.pivot
    }

    fn place(&mut self) {
        let to_front = self.goes_to_front();
        let place = if to_front { &mut self.front } else { &mut self.back };
        self.keys[*place] = self.key;
        *place = if to_front { *place + 1 } else { *place - 1 };
        self.key = self.keys[*place];
    }

    fn is_apart(&self) -> bool {
        self.front < self.back
    }

    fn front_is_smaller(&self) -> bool {
        self.front - self.part.0 < self.part.1 - self.front
    }

    fn divide(&mut self) {
        let before = (self.part.0, self.front);
        let after = (self.front + 1, self.part.1);
        self.keys[self.front] = self.pivot;
        let (now, later) = if self.front_is_smaller() { (before, after) } else { (after, before) };
        self.waiting.push(later);
        self.part = now;
    }

    fn resume(&mut self) {
        self.part = self.waiting.pop().expect("a part waits");
    }
}

/// In each step every cell is inside or at the boundary.
pub fn stencil_3d(warps: u32, threads: u32) -> u64 {
    let inside = |cell: u32| [cell % 8, cell / 8 % 8, cell / 64].iter().all(|place| (1..7).contains(place));
    count(warps, threads, |warp| {
        warp.stride(warps, 512, |_, _, _| {});
        for _ in 0..2 {
            warp.stride(warps, 512, |warp, lanes, first| {
                warp.branch(lanes, |lane| inside(first + lane));
            });
        }
        warp.stride(warps, 512, |_, _, _| {});
    })
}

/// Line by line until all rays have hit a wall or the end of the view.
pub fn ray_casting(warps: u32, threads: u32) -> u64 {
    let rays: Vec<_> = (0..256).map(ray_casting::ray).collect();
    count(warps, threads, |warp| {
        for length in [256, 64, 17] {
            warp.stride(warps, length, |_, _, _| {});
        }
        warp.stride(warps, 256, |warp, lanes, first| {
            let ray = |lane: u32| &rays[(first + lane) as usize];
            let (mut going, mut line) = (lanes, 0);
            while going != 0 {
                warp.branch(going, |lane| ray(lane).lines[line] == Line::Column);
                line += 1;
                going = warp.branch(going, |lane| ray(lane).hit == 0 || ray(lane).lines.len() > line);
                going = warp.branch(going, |_| line < VIEW);
            }
            warp.branch(lanes, |lane| ray(lane).hit > 0);
        });
        warp.digests(warps);
    })
}

/// Each query has the same number of iterations: one for each letter, one for each match.
pub fn suffix_match(warps: u32, threads: u32) -> u64 {
    let turns = |query: u32| {
        let (mut turns, mut at) = (Vec::new(), 0);
        for (begin, length) in suffix_match::lengths(query).into_iter().enumerate() {
            turns.extend((at..begin + length).map(|_| true));
            turns.push(false);
            at = begin + length;
        }
        turns
    };
    let queries: Vec<Vec<bool>> = (0..QUERIES).map(turns).collect();
    let goes_on = |query: u32, turn: usize| queries[query as usize][turn];
    count(warps, threads, |warp| {
        warp.stride(warps, 64, |_, _, _| {});
        warp.stride(warps, QUERIES, |_, _, _| {});
        warp.stride(warps, QUERIES, |warp, lanes, first| {
            for turn in 0..16 {
                warp.branch(lanes, |lane| goes_on(first + lane, turn));
            }
        });
        warp.digests(warps);
    })
}

/// Event by event until all photons have left the layers or been absorbed.
pub fn photon_walk(warps: u32, threads: u32) -> u64 {
    let walks: Vec<_> = (0..PHOTONS).map(photon_walk::walk).collect();
    count(warps, threads, |warp| {
        warp.stride(warps, PHOTONS, |warp, lanes, first| {
            let walk = |lane: u32| &walks[(first + lane) as usize];
            let (mut going, mut at) = (lanes, 0);
            while going != 0 {
                let event = |lane: u32| walk(lane).events[at].0;
                let little = |lane: u32| walk(lane).events[at].1;
                let scattered = warp.branch(going, |lane| event(lane) == Event::Scattered);
                warp.branch(going & !scattered, |lane| event(lane) == Event::Reflected);
                warp.branch(going, little);
                at += 1;
                let goes_on = |lane: u32| walk(lane).events.len() > at;
                going = warp.branch(going, |lane| goes_on(lane) || !walk(lane).ended_inside);
                going = warp.branch(going, goes_on);
            }
        });
        warp.digests(warps);
    })
}
