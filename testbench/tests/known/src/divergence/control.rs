//! Kernels whose threads have independent control flow over their own data.

use super::{Lanes, Warp, count, each};

/// Both counts, lane by lane in step.
pub fn collatz(warps: u32, threads: u32) -> u64 {
    let odd = |n: &[u32], lane: u32| n[lane as usize] & 1 == 1;
    let one = |n: &[u32], lane: u32| n[lane as usize] == 1;
    count(warps, threads, |warp| {
        let start: Vec<u32> = (0..threads).map(|lane| 1 + (warp.hart(lane) & 31)).collect();

        let mut n = start.clone();
        let mut lanes = warp.branch(warp.all(), |lane| !one(&n, lane));
        while lanes != 0 {
            warp.branch(lanes, |lane| odd(&n, lane));
            each(lanes, |lane| n[lane] = if n[lane] & 1 == 1 { 3 * n[lane] + 1 } else { n[lane] / 2 });
            lanes = warp.branch(lanes, |lane| !one(&n, lane));
        }

        let mut n = start;
        let mut lanes = warp.all();
        while lanes != 0 {
            let mut even = warp.branch(lanes, |lane| !odd(&n, lane));
            while even != 0 {
                each(even, |lane| n[lane] /= 2);
                even = warp.branch(even, |lane| !odd(&n, lane));
            }
            lanes = warp.branch(lanes, |lane| !one(&n, lane));
            each(lanes, |lane| n[lane] = 3 * n[lane] + 1);
        }
    })
}

/// Every comparator of the network, in the warp that executes it.
pub fn bitonic_sort(warps: u32, threads: u32) -> u64 {
    const LENGTH: usize = 128;
    let mut keys: Vec<usize> = (0..LENGTH).map(|x| x ^ (x << 3 & (LENGTH - 1))).map(|x| x ^ x >> 2).collect();
    let mut steps = Vec::new();
    for run in (1..=7).map(|log2| 1usize << log2) {
        for distance in (0..run.ilog2()).rev().map(|log2| 1usize << log2) {
            let mut exchanged = Vec::new();
            for low in (0..LENGTH).filter(|low| low & distance == 0) {
                let descending = low & run != 0;
                exchanged.push((keys[low + distance] < keys[low]) != descending);
                if exchanged.ends_with(&[true]) {
                    keys.swap(low, low + distance);
                }
            }
            steps.push(exchanged);
        }
    }
    count(warps, threads, |warp| {
        warp.stride(warps, 128, |_, _, _| {});
        for exchanged in &steps {
            warp.stride(warps, 64, |warp, lanes, first| {
                warp.branch(lanes, |lane| exchanged[(first + lane) as usize]);
            });
        }
        warp.stride(warps, 128, |_, _, _| {});
    })
}

/// Each lane's own array. All lanes in the loop make the call for the part before the pivot.
pub fn quicksort(warps: u32, threads: u32) -> u64 {
    count(warps, threads, |warp| {
        let random = |hart: u32| {
            let next = |x: &u32| {
                let x = x ^ x << 13;
                let x = x ^ x >> 17;
                Some(x ^ x << 5)
            };
            std::iter::successors(Some(hart + 1), next).skip(1).take(12).collect::<Vec<u32>>()
        };
        let mut keys: Vec<Vec<u32>> = (0..threads).map(|lane| random(warp.hart(lane))).collect();
        sort(warp, warp.all(), &mut keys, vec![0; threads as usize], &vec![11; threads as usize]);
    })
}

fn sort(warp: &mut Warp, lanes: Lanes, keys: &mut [Vec<u32>], mut first: Vec<i32>, last: &[i32]) {
    let mut lanes = warp.branch(lanes, |lane| first[lane as usize] < last[lane as usize]);
    while lanes != 0 {
        let (mut i, mut middle) = (first.clone(), first.clone());
        let mut inside = lanes;
        while inside != 0 {
            let at = |place: &[i32], lane: usize| place[lane] as usize;
            let less = warp.branch(inside, |lane| {
                let lane = lane as usize;
                keys[lane][at(&i, lane)] < keys[lane][at(last, lane)]
            });
            each(less, |lane| {
                keys[lane].swap(at(&i, lane), at(&middle, lane));
                middle[lane] += 1;
            });
            each(inside, |lane| i[lane] += 1);
            inside = warp.branch(inside, |lane| i[lane as usize] < last[lane as usize]);
        }
        each(lanes, |lane| keys[lane].swap(last[lane] as usize, middle[lane] as usize));
        let before: Vec<i32> = middle.iter().map(|middle| middle - 1).collect();
        sort(warp, lanes, keys, first.clone(), &before);
        each(lanes, |lane| first[lane] = middle[lane] + 1);
        lanes = warp.branch(lanes, |lane| first[lane as usize] < last[lane as usize]);
    }
}

/// Letter by letter; the second algorithm keeps the lanes together.
pub fn string_search(warps: u32, threads: u32) -> u64 {
    const TEXT: &[u8] = b"abracadabraabcacbdacabradabacabbacadacra";
    count(warps, threads, |warp| {
        let first = warp.hart(0);
        let word = |lane: u32| {
            let hart = (first + lane) as usize;
            let (begin, length) = (3 + ((11 * hart) & 31), 2 + ((hart >> 1) & 3));
            &TEXT[begin..begin + length]
        };
        let mut searching = warp.all();
        let mut at = 0;
        while searching != 0 {
            let mut same = 0;
            let mut alike = warp.branch(searching, |lane| TEXT[at] == word(lane)[0]);
            while alike != 0 {
                same += 1;
                let found = warp.branch(alike, |lane| word(lane).len() == same);
                searching &= !found;
                alike = warp.branch(alike & !found, |lane| TEXT[at + same] == word(lane)[same]);
            }
            at += 1;
        }
    })
}

/// Block by block, because the loops jump into each other: the path at the first block goes next.
pub fn quotations(warps: u32, threads: u32) -> u64 {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum At {
        Outside,
        OutsideLetter,
        Inside,
        InsideLetter,
        End,
    }
    const TEXT: &[u8] = b"ab \"cd e\" fg \"h\" i jk \"lm no\" \"p\" qr s \"tu v\" w xy\0";
    count(warps, threads, |warp| {
        let first = warp.hart(0);
        let begin = |lane: u32| ((7 * (first + lane)) & 31) as usize;
        let mut place: Vec<usize> = (0..threads).map(begin).collect();
        let mut at = vec![At::Outside; threads as usize];
        let quoted = warp.branch(warp.all(), |lane| (first + lane) & 1 == 1);
        each(quoted, |lane| at[lane] = At::Inside);
        while let Some(&block) = at.iter().min().filter(|block| **block != At::End) {
            let lanes = (0..threads).filter(|lane| at[*lane as usize] == block).fold(0, |set, lane| set | 1 << lane);
            let letter = |lane: u32| TEXT[place[lane as usize]];
            let (jumps, to, other) = match block {
                At::Outside => (warp.branch(lanes, |lane| letter(lane) == b'"'), At::Inside, At::OutsideLetter),
                At::Inside => (warp.branch(lanes, |lane| letter(lane) == b'"'), At::Outside, At::InsideLetter),
                At::OutsideLetter => (warp.branch(lanes, |lane| letter(lane) != 0), At::Outside, At::End),
                _ => (warp.branch(lanes, |lane| letter(lane) != 0), At::Inside, At::End),
            };
            each(jumps, |lane| (at[lane], place[lane]) = (to, place[lane] + 1));
            each(lanes & !jumps, |lane| at[lane] = other);
        }
        // The other count: a round for each letter.
        warp.turns(warp.all(), |lane| (TEXT.len() - 2 - begin(lane)) as u32);
    })
}

/// Each lane's program, one instruction at a time. Operations diverge at the `switch`, jumps at their condition,
/// halts at the end of the loop.
pub fn interpreter(warps: u32, threads: u32) -> u64 {
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    enum Next {
        Other(u8),
        Jump { again: bool },
        Halt,
    }
    use Next::{Halt, Jump, Other};
    const CONSTANT: Next = Other(0);
    const MOVE: Next = Other(1);
    const ADD: Next = Other(2);
    const SUBTRACT: Next = Other(3);
    const SHIFT: Next = Other(4);
    const AND: Next = Other(5);
    // The instructions of a program: its beginning, then its loop as often as it says.
    let executes = |hart: u32| {
        let n = 1 + (hart >> 2 & 7);
        let (begin, body, turns): (&[Next], &[Next], u32) = match hart & 3 {
            0 => (&[CONSTANT, CONSTANT], &[ADD, SUBTRACT], n),
            1 => (&[CONSTANT, CONSTANT], &[MOVE, ADD, MOVE, MOVE, CONSTANT, SUBTRACT], n),
            2 => (&[CONSTANT, CONSTANT], &[MOVE, AND, ADD, SHIFT], n.ilog2() + 1),
            _ => (&[CONSTANT, CONSTANT, MOVE], &[ADD, SUBTRACT], 4),
        };
        let mut all = begin.to_vec();
        for turn in 1..=turns {
            all.extend(body);
            all.push(Jump { again: turn < turns });
        }
        all.push(Halt);
        all
    };
    count(warps, threads, |warp| {
        let programs: Vec<Vec<Next>> = (0..threads).map(|lane| executes(warp.hart(lane))).collect();
        let mut lanes = warp.all();
        let mut at = 0;
        while lanes != 0 {
            let next = |lane: u32| programs[lane as usize][at];
            let is_jump = |lane: u32| matches!(next(lane), Jump { .. });
            warp.indirect_jump(lanes, |lane| match next(lane) {
                Other(operation) => operation,
                Jump { .. } => 6,
                Halt => 7,
            });
            let jumping = (0..threads).filter(|lane| lanes >> lane & 1 == 1 && is_jump(*lane));
            let jumping: Lanes = jumping.fold(0, |set, lane| set | 1 << lane);
            warp.branch(jumping, |lane| next(lane) == Jump { again: true });
            lanes = warp.branch(lanes, |lane| next(lane) != Halt);
            at += 1;
        }
    })
}
