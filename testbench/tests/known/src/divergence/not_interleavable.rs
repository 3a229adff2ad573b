//! Kernels of the comparison of reconvergence stacks whose divergent branches are `if` without `else`.

use super::{Lanes, Warp, count};
use crate::results::back_propagation::{HIDDEN, INPUTS, Range, train};
use crate::results::block_compression::{self, BLOCKS};
use crate::results::breadth_first_frontier::{VERTICES, distances, targets};
use crate::results::needleman_wunsch::{self, LETTERS, PAIRS};
use crate::results::path_finder::{self, COLUMNS, ROWS};

/// Level by level: vertices in the frontier, new neighbours, vertices that were found.
pub fn breadth_first_frontier(warps: u32, threads: u32) -> u64 {
    let distance = distances();
    let targets: Vec<Vec<usize>> = (0..VERTICES).map(|vertex| targets(vertex).collect()).collect();
    let levels = *distance.iter().max().expect("a vertex");
    count(warps, threads, |warp| {
        warp.stride(warps, VERTICES as u32, |_, _, _| {});
        for level in 0..=levels {
            warp.stride(warps, VERTICES as u32, |warp, lanes, first| {
                let vertex = |lane: u32| (first + lane) as usize;
                let mut visiting = warp.branch(lanes, |lane| distance[vertex(lane)] == level);
                let mut k = 0;
                while visiting != 0 {
                    warp.branch(visiting, |lane| distance[targets[vertex(lane)][k]] > level);
                    k += 1;
                    visiting = warp.branch(visiting, |lane| k < targets[vertex(lane)].len());
                }
            });
            warp.stride(warps, VERTICES as u32, |warp, lanes, first| {
                warp.branch(lanes, |lane| distance[(first + lane) as usize] == level + 1);
            });
        }
        warp.digests(warps);
    })
}

/// In each cell: whether there is a left one, whether it is better, and the same to the right.
pub fn path_finder(warps: u32, threads: u32) -> u64 {
    let ways = path_finder::ways();
    count(warps, threads, |warp| {
        warp.stride(warps, COLUMNS as u32, |_, _, _| {});
        for before in &ways[..ROWS - 1] {
            warp.stride(warps, COLUMNS as u32, |warp, lanes, first| {
                let column = |lane: u32| (first + lane) as usize;
                let with_left = warp.branch(lanes, |lane| column(lane) > 0);
                let left = warp.branch(with_left, |lane| before[column(lane) - 1] < before[column(lane)]);
                let best = |lane: u32| before[column(lane) - (left >> lane & 1) as usize];
                let with_right = warp.branch(lanes, |lane| column(lane) < COLUMNS - 1);
                warp.branch(with_right, |lane| before[column(lane) + 1] < best(lane));
            });
        }
        warp.digests(warps);
    })
}

/// Diagonal by diagonal: the columns that have a cell there, and the comparisons for its score.
pub fn needleman_wunsch(warps: u32, threads: u32) -> u64 {
    let words: Vec<_> = (0..PAIRS).map(needleman_wunsch::words).collect();
    let scores: Vec<_> = (0..PAIRS).map(needleman_wunsch::scores).collect();
    let columns = (PAIRS * LETTERS) as u32;
    count(warps, threads, |warp| {
        warp.stride(warps, columns, |_, _, _| {});
        warp.stride(warps, (PAIRS * (LETTERS + 1)) as u32, |_, _, _| {});
        for step in 0..2 * LETTERS - 1 {
            warp.stride(warps, columns, |warp, lanes, first| {
                let place = |lane: u32| ((first + lane) as usize / LETTERS, (first + lane) as usize % LETTERS);
                let on_diagonal = |lane: u32| (0..LETTERS).contains(&step.wrapping_sub(place(lane).1));
                let working = warp.branch(lanes, on_diagonal);
                let cell = |lane: u32| {
                    let (pair, column) = place(lane);
                    let row = step - column;
                    let same = words[pair][0][row] == words[pair][1][column];
                    let [up, left] = [scores[pair][row][column + 1] - 2, scores[pair][row + 1][column] - 2];
                    (same, up, left, scores[pair][row][column] + if same { 3 } else { -1 })
                };
                warp.branch(working, |lane| cell(lane).0);
                warp.branch(working, |lane| cell(lane).2 > cell(lane).1);
                warp.branch(working, |lane| cell(lane).1.max(cell(lane).2) > cell(lane).3);
            });
        }
        warp.digests(warps);
    })
}

/// In each cell: whether there is a row above, a row below, a column to the left, a column to the right.
pub fn hot_spot(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        warp.stride(warps, 256, |_, _, _| {});
        for _ in 0..3 {
            warp.stride(warps, 256, |warp, lanes, first| {
                let (row, column) = (|lane: u32| (first + lane) / 16, |lane: u32| (first + lane) % 16);
                warp.branch(lanes, |lane| row(lane) > 0);
                warp.branch(lanes, |lane| row(lane) < 15);
                warp.branch(lanes, |lane| column(lane) > 0);
                warp.branch(lanes, |lane| column(lane) < 15);
            });
        }
        warp.stride(warps, 256, |_, _, _| {});
    })
}

/// The extremes of each block; then three comparisons for each pixel.
pub fn block_compression(warps: u32, threads: u32) -> u64 {
    let blocks: Vec<_> = (0..BLOCKS).map(block_compression::pixels).collect();
    let palettes: Vec<_> = blocks.iter().map(|pixels| block_compression::palette(pixels)).collect();
    count(warps, threads, |warp| {
        warp.stride(warps, BLOCKS, |_, _, _| {});
        warp.stride(warps, BLOCKS, |warp, lanes, first| {
            let pixels = |lane: u32| &blocks[(first + lane) as usize];
            let distance = |lane: u32, pixel: usize, index: usize| {
                (pixels(lane)[pixel] - palettes[(first + lane) as usize][index]).abs()
            };
            for pixel in 0..16 {
                let before = |lane: u32| pixels(lane).iter().take(pixel).copied();
                warp.branch(lanes, |lane| pixels(lane)[pixel] < before(lane).min().unwrap_or(255));
                warp.branch(lanes, |lane| pixels(lane)[pixel] > before(lane).max().unwrap_or(0));
            }
            for pixel in 0..16 {
                for index in 1..4 {
                    let least = |lane: u32| (0..index).map(|index| distance(lane, pixel, index)).min();
                    warp.branch(lanes, |lane| Some(distance(lane, pixel, index)) < least(lane));
                }
            }
        });
        warp.digests(warps);
    })
}

/// The trees over the edges and over the hidden units, and the ranges of the latter.
pub fn back_propagation(warps: u32, threads: u32) -> u64 {
    let add_up = |warp: &mut Warp, count: u32| {
        for distance in [1, 2, 4, 8] {
            warp.stride(warps, count, |warp, lanes, first| {
                warp.branch(lanes, |lane| (first + lane).is_multiple_of(2 * distance));
            });
        }
    };
    let (edges, hidden) = ((INPUTS * HIDDEN) as u32, HIDDEN as u32);
    let epochs = train().1;
    count(warps, threads, |warp| {
        let nothing = |_: &mut Warp, _: Lanes, _: u32| {};
        warp.stride(warps, INPUTS as u32, nothing);
        warp.stride(warps, edges + hidden, nothing);
        for ranges in &epochs {
            warp.stride(warps, edges, nothing);
            add_up(warp, edges);
            warp.stride(warps, hidden, |warp, lanes, first| {
                let range = |lane: u32| ranges[(first + lane) as usize];
                warp.branch(lanes, |lane| range(lane) == Range::Below);
                warp.branch(lanes, |lane| range(lane) == Range::Above);
            });
            warp.stride(warps, hidden, nothing);
            add_up(warp, hidden);
            warp.stride(warps, hidden, nothing);
            warp.stride(warps, edges, nothing);
        }
        warp.digests(warps);
    })
}
