//! Kernels that walk over shared data, which decide the branches.

use super::{Lanes, Warp, count};

/// At each distance the threads with a thread to their left; at the end all but the first.
pub fn scan(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        let first = warp.hart(0);
        let mut distance = 1;
        while distance < warps * threads {
            warp.branch(warp.all(), |lane| first + lane >= distance);
            distance *= 2;
        }
        warp.branch(warp.all(), |lane| first + lane > 0);
    })
}

/// Loops over rows of 0 to 7 elements, to create the matrix and to multiply.
pub fn sparse_matrix_vector(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        let rows = |warp: &mut Warp| {
            warp.stride(warps, 80, |warp, lanes, first| {
                warp.turns(lanes, |lane| 5 * (first + lane) % 8);
            });
        };
        rows(warp);
        warp.stride(warps, 64, |_, _, _| {});
        rows(warp);
        warp.stride(warps, 80, |_, _, _| {});
    })
}

/// Each vertex without a distance checks its edges until it finds a source in the level.
pub fn breadth_first_search(warps: u32, threads: u32) -> u64 {
    const VERTICES: usize = 96;
    let by_formula = |vertex: usize, k: usize| vertex + 5 + 13 * k;
    let edges = |vertex: usize| 1 + vertex % 4;
    let source = |vertex: usize, k: usize| {
        if k == vertex % 4 { vertex / 2 } else { by_formula(vertex, k) % VERTICES }
    };
    let mut distance = [usize::MAX; VERTICES];
    distance[0] = 0;
    let mut levels = 0;
    while distance.contains(&levels) {
        for vertex in 0..VERTICES {
            if distance[vertex] == usize::MAX && (0..edges(vertex)).any(|k| distance[source(vertex, k)] == levels) {
                distance[vertex] = levels + 1;
            }
        }
        levels += 1;
    }

    count(warps, threads, |warp| {
        warp.stride(warps, VERTICES as u32, |warp, lanes, first| {
            let vertex = |lane: u32| (first + lane) as usize;
            for k in 0..4 {
                let others = warp.branch(lanes, |lane| k != vertex(lane) % 4);
                warp.branch(others, |lane| by_formula(vertex(lane), k) < VERTICES);
            }
        });
        for level in 0..levels {
            warp.stride(warps, VERTICES as u32, |warp, lanes, first| {
                let vertex = |lane: u32| (first + lane) as usize;
                let mut asking = warp.branch(lanes, |lane| distance[vertex(lane)] > level);
                let mut k = 0;
                while asking != 0 {
                    asking = warp.branch(asking, |lane| distance[source(vertex(lane), k)] != level);
                    k += 1;
                    asking = warp.branch(asking, |lane| k < edges(vertex(lane)));
                }
            });
        }
        warp.stride(warps, VERTICES as u32, |_, _, _| {});
    })
}

/// A loop over the trailing zeros of each number. The atomic additions never diverge.
pub fn histogram(warps: u32, threads: u32) -> u64 {
    let scatter = |x: u32| {
        let x = x ^ (x << 3 & 255);
        x ^ x >> 2
    };
    count(warps, threads, |warp| {
        warp.stride(warps, 256, |warp, lanes, first| {
            warp.turns(lanes, |lane| (scatter(first + lane) | 256).trailing_zeros());
        });
    })
}

/// To the end of the list; then the same in numbers, which ends one element earlier.
pub fn pointer_chase(warps: u32, threads: u32) -> u64 {
    let step = |number: u32| 1 + (((7 * number) >> 2) & 7);
    let successor = |number: u32| if step(number) < number { number - step(number) } else { 0 };
    let after_first = |number: u32| std::iter::successors(Some(number), |n| Some(successor(*n))).position(|n| n == 0);
    count(warps, threads, |warp| {
        warp.stride(warps, 128, |warp, lanes, first| {
            let not_last = warp.branch(lanes, |lane| first + lane > 0);
            warp.branch(not_last, |lane| step(first + lane) < first + lane);
        });
        let first = warp.hart(0);
        let length = |lane: u32| after_first(127 - ((23 * (first + lane)) & 127)).unwrap_or(0) as u32;
        let all: Lanes = warp.all();
        warp.turns(all, length);
        warp.turns(all, length);
    })
}
