use super::*;
use serde_json::json;
use weft_config::{ARBITER, DUAL_PATH};

#[test]
fn figures_are_aligned_and_unknown_ones_left_out() {
    let statistics = json!({
        "cycles": 1_234_567, "ipc": 0.93451, "lane_utilisation": 0.5, "issues": 999, "replays": 0,
        "idle_cycles": null, "wall_seconds": 1.5,
    });
    insta::assert_snapshot!(text(&statistics, "pass: p.elf\n"), @r"
    pass: p.elf
      cycles                1 234 567
      IPC                       0.935
      lane utilisation         50.0 %
      issues                      999
      of them replays               0
      seconds                   1.500
    ");
}

#[test]
fn a_stack_holds_rows_and_may_have_two_paths_to_choose_from() {
    let statistics =
        |unit: &str| json!({ "config": { "divergence": { "unit": unit } }, "avg_path": 1.25, "high_water": 3 });
    insta::assert_snapshot!(text(&statistics(DUAL_PATH.name), "pass"), @r"
    pass
      schedulable paths     1.250
      most rows of a stack      3
    ");
    insta::assert_snapshot!(text(&statistics(ARBITER.name), "pass"), @r"
    pass
      most paths in a warp  3
    ");
}
