use super::*;

fn part(mask: u64, served: u64, divergent: bool) -> Commit {
    Commit { mask, served, divergent, ..Commit::default() }
}

#[test]
fn a_replayed_instruction_counts_once_and_each_part_as_an_issue() {
    let mut counts = Statistics::default();
    // A load has three parts: the rest of each part is the mask of the next.
    for commit in [part(0b1111, 0b0101, false), part(0b1010, 0b0010, false), part(0b1000, 0b1000, false)] {
        counts.commit(&commit);
    }
    // One branch has all lanes, and two have one lane each.
    counts.commit(&part(0b1111, 0b1111, true));
    counts.commit(&part(0b0001, 0b0001, false));
    counts.commit(&part(0b0010, 0b0010, false));
    assert_eq!((counts.issues, counts.warp_instructions, counts.replays()), (6, 4, 2));
    assert_eq!((counts.thread_instructions, counts.divergent_branches), (4 + 4 + 2, 1));
    assert_eq!(counts.lane_utilisation(4), 10.0 / 24.0);
}

/// The example of the paper's section on path parallelism. A unit that interleaves both sides of a branch can choose
/// between two paths while both run, and has one otherwise.
#[test]
fn avg_path_is_the_mean_over_the_issues_of_the_paths_that_could_be_scheduled() {
    let mut counts = Statistics::default();
    for (schedulable, held) in [(1, 1), (1, 3), (2, 3), (2, 3), (2, 2), (1, 1)] {
        counts.schedulable(schedulable);
        counts.held(held);
    }
    assert_eq!(counts.avg_path(), Some(9.0 / 6.0));
    assert_eq!(counts.high_water(), Some(3));
}

#[test]
fn nothing_is_made_up_where_nothing_was_counted() {
    let counts = Statistics::default();
    assert_eq!((counts.avg_path(), counts.high_water()), (None, None));
    assert_eq!((counts.replays(), counts.lane_utilisation(8)), (0, 0.0));
}
