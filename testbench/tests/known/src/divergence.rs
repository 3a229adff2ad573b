//! The number of divergent branches of each kernel, derived from its algorithm.
//!
//! There is one function per kernel, a transcription of its control flow for one warp. Every conditional branch that
//! depends on the thread is a [`Warp::branch`] over the lanes that reach it together.
//! This is exact for a unit that follows the path of greatest call depth and smallest pc. The compiler keeps the
//! blocks of these kernels in source order (through `FLAGS`). Lanes that diverge in a loop or an `if` therefore
//! reconverge at its end, and the code after it is executed once for all.
//! Branches with the same outcome in all threads (loops over W or T) are left out.

mod control;
mod data;
mod interleavable;
mod not_interleavable;

pub(super) use control::{bitonic_sort, collatz, interpreter, quicksort, quotations, string_search};
pub(super) use data::{breadth_first_search, histogram, pointer_chase, scan, sparse_matrix_vector};
pub(super) use interleavable::{lu_decomposition, partition_sort, photon_walk, ray_casting, stencil_3d, suffix_match};
pub(super) use not_interleavable::{
    back_propagation, block_compression, breadth_first_frontier, hot_spot, needleman_wunsch, path_finder,
};

/// Bit i = lane i.
type Lanes = u64;

struct Warp {
    index: u32,
    threads: u32,
    divergent: u64,
}

impl Warp {
    fn hart(&self, lane: u32) -> u32 {
        self.index * self.threads + lane
    }

    fn all(&self) -> Lanes {
        Lanes::MAX >> (64 - self.threads)
    }

    /// A conditional branch of `lanes`. Returns those for which `condition(lane)` holds. It is divergent when both
    /// sides have lanes.
    fn branch(&mut self, lanes: Lanes, condition: impl Fn(u32) -> bool) -> Lanes {
        let taken =
            (0..64).filter(|&lane| lanes >> lane & 1 == 1 && condition(lane)).fold(0, |set, lane| set | 1 << lane);
        self.divergent += u64::from(taken != 0 && taken != lanes);
        taken
    }

    /// An indirect jump or call. The lanes that are left behind go next, so it counts once.
    fn indirect_jump<P: PartialEq>(&mut self, lanes: Lanes, place: impl Fn(u32) -> P) {
        let mut places = (0..64).filter(|lane| lanes >> lane & 1 == 1).map(place);
        let leader = places.next();
        self.divergent += u64::from(places.any(|place| Some(place) != leader));
    }

    /// A loop with its own number of iterations in each lane.
    fn turns(&mut self, mut lanes: Lanes, turns: impl Fn(u32) -> u32) {
        let mut turn = 0;
        while lanes != 0 {
            lanes = self.branch(lanes, |lane| turn < turns(lane));
            turn += 1;
        }
    }

    /// `for (i = hart; i < length; i += W * T) body(i)`. The body receives its lanes and the i of lane 0.
    fn stride(&mut self, warps: u32, length: u32, mut body: impl FnMut(&mut Self, Lanes, u32)) {
        let mut first = self.hart(0);
        let mut lanes = self.all();
        loop {
            lanes = self.branch(lanes, |lane| first + lane < length);
            if lanes == 0 {
                return;
            }
            body(self, lanes, first);
            first += warps * self.threads;
        }
    }

    /// The comparison of the sixteen digests of a kernel's results (`weft_differ`).
    fn digests(&mut self, warps: u32) {
        self.stride(warps, 16, |_, _, _| {});
    }

    /// libgcc's multiplication: shift and add over the bits of the second factor.
    fn multiply(&mut self, mut lanes: Lanes, factor: impl Fn(u32) -> u32) {
        let mut bit = 0;
        while lanes != 0 {
            self.branch(lanes, |lane| factor(lane) >> bit & 1 == 0);
            bit += 1;
            lanes = self.branch(lanes, |lane| factor(lane) >> bit != 0);
        }
    }
}

fn count(warps: u32, threads: u32, kernel: impl Fn(&mut Warp)) -> u64 {
    let run = |index| {
        let mut warp = Warp { index, threads, divergent: 0 };
        kernel(&mut warp);
        warp.divergent
    };
    (0..warps).map(run).sum()
}

/// Three loops over 250 elements: initialise, add, check.
pub(super) fn vector_add(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        for _ in 0..3 {
            warp.stride(warps, 250, |_, _, _| {});
        }
    })
}

/// Three loops over 64 elements; multiplications in the second and the third.
pub(super) fn matrix_multiply(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        warp.stride(warps, 64, |_, _, _| {});
        warp.stride(warps, 64, |warp, lanes, first| {
            for k in 0..8 {
                warp.multiply(lanes, |lane| k + 2 * ((first + lane) % 8));
            }
        });
        warp.stride(warps, 64, |warp, lanes, first| {
            warp.multiply(lanes, |lane| (first + lane) % 8);
        });
    })
}

/// At each level the threads below `half` add, if they have a partner.
pub(super) fn reduction(warps: u32, threads: u32) -> u64 {
    let total = warps * threads;
    count(warps, threads, |warp| {
        let mut half = total.next_power_of_two() / 2;
        while half > 0 {
            let first = warp.hart(0);
            let lower = warp.branch(warp.all(), |lane| first + lane < half);
            warp.branch(lower, |lane| first + lane + half < total);
            half /= 2;
        }
    })
}

pub(super) fn gcd(warps: u32, threads: u32) -> u64 {
    let scatter = |x: u32| {
        let x = x ^ x << 5;
        ((x ^ x >> 3) & 127) + 1
    };
    count(warps, threads, |warp| {
        let harts: Vec<u32> = (0..threads).map(|lane| warp.hart(lane)).collect();
        let a: Vec<u32> = harts.iter().map(|hart| scatter(3 * hart + 1)).collect();
        let b: Vec<u32> = harts.iter().map(|hart| scatter(5 * hart + 11)).collect();
        gcd_euclid(warp, a.clone(), b.clone());
        gcd_binary(warp, a, b);
    })
}

fn gcd_euclid(warp: &mut Warp, mut a: Vec<u32>, mut b: Vec<u32>) {
    let mut outer = warp.all();
    while outer != 0 {
        let mut inner = warp.branch(outer, |lane| a[lane as usize] >= b[lane as usize]);
        while inner != 0 {
            each(inner, |lane| a[lane] -= b[lane]);
            inner = warp.branch(inner, |lane| a[lane as usize] >= b[lane as usize]);
        }
        each(outer, |lane| std::mem::swap(&mut a[lane], &mut b[lane]));
        outer = warp.branch(outer, |lane| b[lane as usize] != 0);
    }
}

fn gcd_binary(warp: &mut Warp, mut a: Vec<u32>, mut b: Vec<u32>) {
    let even = |x: &[u32], lane: u32| x[lane as usize] & 1 == 0;
    let mut lanes = warp.branch(warp.all(), |lane| even(&a, lane) && even(&b, lane));
    while lanes != 0 {
        each(lanes, |lane| {
            a[lane] >>= 1;
            b[lane] >>= 1;
        });
        lanes = warp.branch(lanes, |lane| even(&a, lane) && even(&b, lane));
    }
    let mut lanes = warp.branch(warp.all(), |lane| even(&a, lane));
    while lanes != 0 {
        each(lanes, |lane| a[lane] >>= 1);
        lanes = warp.branch(lanes, |lane| even(&a, lane));
    }
    let mut outer = warp.all();
    while outer != 0 {
        let mut lanes = warp.branch(outer, |lane| even(&b, lane));
        while lanes != 0 {
            each(lanes, |lane| b[lane] >>= 1);
            lanes = warp.branch(lanes, |lane| even(&b, lane));
        }
        let swapped = warp.branch(outer, |lane| a[lane as usize] > b[lane as usize]);
        each(swapped, |lane| std::mem::swap(&mut a[lane], &mut b[lane]));
        each(outer, |lane| b[lane] -= a[lane]);
        outer = warp.branch(outer, |lane| b[lane as usize] != 0);
    }
}

fn each(lanes: Lanes, body: impl FnMut(usize)) {
    (0..64).filter(|lane| lanes >> lane & 1 == 1).for_each(body);
}

/// A: threads 1 of four leave; B: threads 0 of four diverge from 2 and 3.
pub(super) fn short_circuit(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        let first = warp.hart(0);
        let in_b = warp.branch(warp.all(), |lane| (first + lane) % 4 != 1);
        warp.branch(in_b, |lane| (first + lane).is_multiple_of(4));
    })
}

/// Deeper calls come first: the lanes of one call return before the next one is made. All lanes of an invocation come
/// from one call, and no return is divergent.
pub(super) fn recursion(warps: u32, threads: u32) -> u64 {
    fn fibonacci(warp: &mut Warp, lanes: Lanes, n: &dyn Fn(u32) -> u32) {
        let deeper = warp.branch(lanes, |lane| n(lane) >= 2);
        if deeper != 0 {
            fibonacci(warp, deeper, &|lane| n(lane) - 1);
            fibonacci(warp, deeper, &|lane| n(lane) - 2);
        }
    }
    count(warps, threads, |warp| {
        let first = warp.hart(0);
        fibonacci(warp, warp.all(), &|lane| ((first + lane) ^ (first + lane) >> 3) & 7);
    })
}

/// Eight rounds; in each every four neighbours call four functions.
pub(super) fn indirect_call(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        let first = warp.hart(0);
        for round in 0..8 {
            warp.indirect_jump(warp.all(), |lane| (first + lane + round) % 4);
        }
    })
}

/// The odd lanes under their partial mask; nothing else depends on the thread.
pub(super) fn memory_patterns(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        warp.branch(warp.all(), |lane| lane % 2 == 1);
    })
}

/// Odd and even lanes, the last lane, and the harts that have a predecessor with one.
pub(super) fn csr(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        let first = warp.hart(0);
        warp.branch(warp.all(), |lane| lane % 2 == 1);
        warp.branch(warp.all(), |lane| lane == threads - 1);
        warp.branch(warp.all(), |lane| first + lane > 1);
    })
}

/// Hart 0 prints the heading, lane 0 of every warp ends its line.
pub(super) fn console(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        let first = warp.hart(0);
        warp.branch(warp.all(), |lane| first + lane == 0);
        warp.branch(warp.all(), |lane| lane == 0);
    })
}

#[cfg(test)]
mod tests;
