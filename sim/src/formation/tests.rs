//! Hand-worked cases of the paper, and the rules of table and pool under random arrivals.

use std::collections::BTreeMap;

use weft_config::{Config, FormedLanes, IssueHeuristic};

use super::*;
use crate::RAM_BASE;

fn config(warps: u32, threads: u32, lanes: FormedLanes, issue: IssueHeuristic) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    (config.dwf.lanes, config.dwf.issue) = (lanes, issue);
    config
}

fn formation(config: &Config) -> Formation {
    Formation::new(config, &Program::from_words("none", RAM_BASE, &[0x13]))
}

fn issued(formation: &mut Formation) -> Vec<(u32, Vec<Option<Hart>>)> {
    std::iter::from_fn(|| formation.issue()).map(|warp| (warp.pc, warp.threads)).collect()
}

const A: u32 = RAM_BASE + 0x10;
const B: u32 = RAM_BASE + 0x40;

/// Figure 9: two warps of four threads diverge; threads of both form a full warp for each block.
#[test]
fn two_warps_that_diverge_form_a_full_warp_for_each_side() {
    let mut formation = formation(&config(2, 4, FormedLanes::LaneAware, IssueHeuristic::TimeStamp));
    formation.arrive(A, &[0, 1], false);
    formation.arrive(B, &[2, 3], false);
    formation.arrive(A, &[6, 7], false);
    formation.arrive(B, &[4, 5], false);
    let full = |threads: [Hart; 4]| threads.map(Some).to_vec();
    assert_eq!(issued(&mut formation), [(A, full([0, 1, 6, 7])), (B, full([4, 5, 2, 3]))]);
    assert!(formation.is_empty());
}

/// Section 4.2: threads whose lane is taken form another warp, which the table points to from then on. The older one is
/// never updated again, though it has a free lane for thread 11.
#[test]
fn a_thread_whose_lane_is_taken_begins_another_warp() {
    let mut formation = formation(&config(3, 4, FormedLanes::LaneAware, IssueHeuristic::TimeStamp));
    formation.arrive(A, &[0, 1], false);
    formation.arrive(A, &[5, 6], false);
    formation.arrive(A, &[11], false);
    let older = vec![Some(0), Some(1), Some(6), None];
    assert_eq!(issued(&mut formation), [(A, older), (A, vec![None, Some(5), None, Some(11)])]);
}

/// With any lane for any thread the same arrivals fill the first warp.
#[test]
fn an_ideal_warp_takes_threads_of_one_lane() {
    for (lanes, rounds) in [(FormedLanes::Ideal, 1), (FormedLanes::Conflict, 2)] {
        let mut formation = formation(&config(3, 4, lanes, IssueHeuristic::TimeStamp));
        formation.arrive(A, &[0, 1], false);
        formation.arrive(A, &[5, 6], false);
        formation.arrive(A, &[11], false);
        let first = formation.issue().expect("a warp");
        assert_eq!(first.threads, [0, 1, 5, 6].map(Some));
        assert_eq!(formation.rounds(&first), rounds, "threads 1 and 5 have their registers in lane 1");
        assert_eq!(formation.issue().map(|warp| warp.threads), Some(vec![Some(11), None, None, None]));
    }
}

/// Section 4.1: even lanes take a branch and odd ones do not, in both warps. Only swizzling fills warps.
#[test]
fn swizzling_fills_warps_where_even_and_odd_lanes_diverge() {
    for (swizzle, full) in [(false, 0), (true, 2)] {
        let mut config = config(2, 4, FormedLanes::LaneAware, IssueHeuristic::TimeStamp);
        config.dwf.swizzle = swizzle;
        let mut formation = formation(&config);
        for first in [0, 4] {
            formation.arrive(A, &[first, first + 2], false);
            formation.arrive(B, &[first + 1, first + 3], false);
        }
        let warps = issued(&mut formation);
        let complete = warps.iter().filter(|(_, threads)| threads.iter().all(Option::is_some)).count();
        assert_eq!((complete, warps.len()), (full, 4 - full));
    }
}

/// Two entries: a third pc takes the place of the one that was used least recently, whose warp nothing joins any more.
#[test]
fn a_replaced_entry_leaves_its_warp_as_it_is() {
    let mut config = config(4, 4, FormedLanes::LaneAware, IssueHeuristic::TimeStamp);
    *config.unit_keys.get_mut("dwf.table_entries") = 2;
    let mut formation = formation(&config);
    for (pc, hart) in [(A, 0), (B, 1), (A, 5), (A + 4, 2), (B, 6), (A, 7)] {
        formation.arrive(pc, &[hart], false);
    }
    let pcs: Vec<(u32, usize)> =
        issued(&mut formation).into_iter().map(|(pc, threads)| (pc, threads.iter().flatten().count())).collect();
    // B was replaced by A + 4, then A by the new B, then A + 4 by the new A.
    assert_eq!(pcs, [(A, 2), (B, 1), (A + 4, 1), (B, 1), (A, 1)]);
}

/// Section 4.3. At A are one thread, at B five in two warps, at C two that came between.
#[test]
fn each_heuristic_has_its_order() {
    const C: u32 = RAM_BASE + 0x80;
    for (issue, order) in [
        (IssueHeuristic::Majority, [B, B, C, A]),
        (IssueHeuristic::Minority, [A, C, B, B]),
        (IssueHeuristic::TimeStamp, [B, C, B, A]),
        (IssueHeuristic::ProgramCounter, [A, B, B, C]),
    ] {
        let mut formation = formation(&config(3, 4, FormedLanes::LaneAware, issue));
        formation.arrive(B, &[0, 1, 2], false);
        formation.arrive(C, &[8, 9], false);
        formation.arrive(B, &[4, 5], false);
        formation.arrive(A, &[3], false);
        let pcs: Vec<u32> = issued(&mut formation).into_iter().map(|(pc, _)| pc).collect();
        assert_eq!(pcs, order, "{}", issue.name());
    }
}

/// All warps at one pc issue before another pc is chosen, even if that has become more common.
#[test]
fn a_majority_lasts_until_no_warp_is_at_its_pc() {
    let mut formation = formation(&config(3, 4, FormedLanes::LaneAware, IssueHeuristic::Majority));
    formation.arrive(A, &[0, 1], false);
    formation.arrive(A, &[4, 5], false);
    assert_eq!(formation.issue().map(|warp| warp.pc), Some(A));
    formation.arrive(B, &[8, 9, 10, 11], false);
    assert_eq!(formation.issue().map(|warp| warp.pc), Some(A));
    assert_eq!(formation.issue().map(|warp| warp.pc), Some(B));
}

/// Random arrivals and issues. Each thread is in the pool exactly from its arrival to the issue of its warp, which has the
/// pc at which it arrived; a lane-aware warp has it in the lane of its registers. `spoil` breaks the table after each
/// arrival. Returns what was found.
fn random(lanes: FormedLanes, issue: IssueHeuristic, seed: u64, spoil: impl Fn(&mut Formation)) -> Option<String> {
    let (warps, threads) = (4, 8);
    let mut config = config(warps, threads, lanes, issue);
    *config.unit_keys.get_mut("dwf.table_entries") = 4;
    config.dwf.swizzle = lanes != FormedLanes::Ideal && seed.is_multiple_of(2);
    let mut formation = formation(&config);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut inside: BTreeMap<Hart, u32> = BTreeMap::new();
    for _ in 0..400 {
        if random.bool() {
            let warp = random.u32(0..warps);
            let outside = |hart: &Hart| !inside.contains_key(hart);
            let free: Vec<Hart> = (warp * threads..(warp + 1) * threads).filter(outside).collect();
            let harts: Vec<Hart> = free.into_iter().filter(|_| random.bool()).collect();
            let pc = RAM_BASE + 4 * random.u32(0..6);
            if !harts.is_empty() {
                formation.arrive(pc, &harts, false);
                spoil(&mut formation);
                inside.extend(harts.iter().map(|hart| (*hart, pc)));
            }
        } else if let Some(warp) = formation.issue() {
            for (lane, hart) in warp.threads.iter().enumerate().filter_map(|(lane, hart)| Some((lane, (*hart)?))) {
                if inside.remove(&hart) != Some(warp.pc) {
                    return Some(format!("thread {hart} was not at {:#x}", warp.pc));
                }
                if lanes == FormedLanes::LaneAware && formation.lanes.home(hart) as usize != lane {
                    return Some(format!("thread {hart} is in lane {lane}"));
                }
            }
        } else if !inside.is_empty() {
            return Some("threads are lost".into());
        }
        let mut harts = formation.harts();
        harts.sort_unstable();
        if !harts.iter().eq(inside.keys()) {
            return Some(format!("{harts:?} in the pool, not {inside:?}"));
        }
    }
    None
}

#[test]
fn a_thread_is_in_one_place() {
    for lanes in FormedLanes::ALL {
        for issue in IssueHeuristic::ALL {
            for seed in 0..40 {
                assert_eq!(random(*lanes, *issue, seed, |_| {}), None, "{}, {}, {seed}", lanes.name(), issue.name());
            }
        }
    }
}

/// A table that loses which lanes are occupied puts two threads into one: the search finds the lost thread.
#[test]
fn the_search_finds_a_table_without_occupied_lanes() {
    let spoil = |formation: &mut Formation| formation.table.clear_occupied();
    let found = (0..40).filter_map(|seed| random(FormedLanes::LaneAware, IssueHeuristic::TimeStamp, seed, spoil));
    assert!(found.count() >= 35);
}
