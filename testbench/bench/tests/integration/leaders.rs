//! The leader of more than eight threads, elected in groups of eight lanes. Each lane leads once; the test also
//! detects broken elections.

use crate::support;

use words::*;

/// Each thread writes its own line, reads it back, and jumps to its own word: as many parts as threads.
fn program() -> Vec<u32> {
    let (hart, at, target) = (5, 6, 7);
    let mut words = vec![csrr(hart, 0xf14), slli(at, hart, 8), lui(8, 0x80010), add(at, at, 8)];
    words.extend([sw(hart, at, 0), lw(9, at, 0), sb(hart, at, 5), lhu(10, at, 4)]);
    words.extend([slli(target, hart, 3), auipc(8, 0), add(target, target, 8), jalr(1, target, 12)]);
    // Two words for each thread, so that no thread continues at another's target.
    words.extend((0..128).flat_map(|_| [addi(11, 1, 0), csrw(0x800, 0)]));
    words
}

#[test]
fn every_lane_is_elected_once_those_below_have_been_served() {
    for (threads, unit) in [(16, "dual-path"), (32, "pdom-stack"), (64, "sorted-table")] {
        let mut config = support::config(2, threads);
        config.divergence.unit = unit.into();
        assert!(support::agrees(&config, &program()), "{threads} threads with {unit}");
    }
}

#[test]
fn an_election_that_is_broken_is_found() {
    let faults = [
        "s6_leader.elects_the_highest_group",
        "s6_leader.group_1_elects_its_second_lane_as_well",
        "s6_execute.leader_number_is_of_another_group",
        "s6_execute.group_1_leads_without_election",
        "s6_execute.leader_number_lacks_its_group",
        "s6_execute.leader_sum_is_of_another_group",
    ];
    let config = support::config(2, 16);
    assert!(support::agrees(&config, &program()));
    assert_eq!(support::found(&config, &program(), &faults), faults);
    // Four warps issue every four cycles: an election reads the threads in the cycle in which they are written.
    let (config, fault) = (support::config(4, 16), ["s6_leader.masks_are_not_forwarded"]);
    assert!(support::agrees(&config, &program()));
    assert_eq!(support::found(&config, &program(), &fault), fault);
}
