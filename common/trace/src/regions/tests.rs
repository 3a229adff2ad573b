use super::*;

fn commit(warp: u32, region: u8, served: u64) -> Commit {
    Commit { warp, region, mask: 0b11, served, ..Commit::default() }
}

#[test]
fn a_cycle_counts_in_each_region_with_a_live_warp() {
    let mut regions = Regions::new(2, 2);
    regions.commit(&commit(0, 1, 0b11), 10, 0);
    regions.commit(&commit(0, 1, 0b01), 12, 0);
    regions.commit(&commit(1, 1, 0b11), 15, 0);
    regions.commit(&commit(0, 1, 0b11), 20, 0b11);
    regions.commit(&commit(1, 0, 0b11), 30, 0);
    regions.commit(&commit(1, 0, 0b11), 40, 0b11);
    let counts = |region, cycles, issues, warp_instructions, thread_instructions| Region {
        region,
        cycles,
        issues,
        warp_instructions,
        thread_instructions,
    };
    // Region 0 has warp 1 until cycle 15 and from 30 on; region 1 has a warp from 10 to 30.
    assert_eq!(regions.ended(40), [counts(0, 25, 2, 2, 4), counts(1, 20, 4, 3, 7)]);
}
