//! An issued instruction commits in S8, or is squashed and reported in S7.

use crate::support;

use words::*;

#[test]
fn issues_squashes_and_commits_go_together() {
    let config = support::config(2, 2);
    // Each branch is taken, against its prediction: the instructions issued after it are squashed.
    let program = [&[beq(0, 0, 8), addi(5, 5, 1), addi(6, 6, 1)].repeat(8)[..], &[csrw(0x800, 0)]].concat();
    assert!(support::agrees(&config, &program));
    let faults = [
        "s7_commit.reports_no_squash",
        "s7_commit.reports_commits_as_squashes",
        "s3_schedule.reports_issues_of_the_other_slot",
    ];
    assert_eq!(support::found(&config, &program, &faults), faults);
}
