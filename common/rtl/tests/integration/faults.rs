//! A fault point changes a module only where a test plants the fault.

use std::panic::catch_unwind;

use rtl::{Builder, Module, fault_points, lit, with_fault};

/// Builds a counter that wraps at 9, with two fault points.
fn decade() -> Module {
    let m = Builder::new("decade", "Counts to nine.");
    let count = m.register("count", 4);
    let last = m.wire("last", &count.is(m.fault("counts_to_ten", &9, &10)));
    let next = m.fault("never_wraps", &last.mux(&lit(4, 0), &(&*count + lit(4, 1))), &(&*count + lit(4, 1)));
    count.next(&next).reset(0);
    m.output("value", &count);
    m.finish().expect("a whole module")
}

fn text(module: &Module) -> String {
    module.verilog()[0].text.clone()
}

#[test]
fn a_point_is_not_in_the_text() {
    assert!(text(&decade()).contains("value <= last ? 4'd0 : (value + 4'd1);"), "{}", text(&decade()));
    assert!(!text(&decade()).contains("wraps"));
}

#[test]
fn the_named_point_alone_is_broken() {
    let broken = text(&with_fault("decade.counts_to_ten", decade));
    assert_eq!(broken, text(&decade()).replace("4'd9", "4'ha"));
    let broken = text(&with_fault("decade.never_wraps", decade));
    assert!(broken.contains("value <= value + 4'd1;"), "{broken}");
    assert_eq!(text(&decade()), text(&decade()), "nothing is left of a fault");
}

#[test]
fn points_are_listed() {
    let points: Vec<String> = fault_points(decade).into_iter().collect();
    assert_eq!(points, ["decade.counts_to_ten", "decade.never_wraps"]);
}

#[test]
fn a_point_that_is_not_met_is_refused_and_leaves_nothing_behind() {
    let error = catch_unwind(|| with_fault("decade.stops", decade)).err().expect("a panic");
    let message = error.downcast_ref::<String>().expect("a message");
    assert_eq!(
        message,
        "no fault point `decade.stops` was met; there are:\n  decade.counts_to_ten\n  decade.never_wraps"
    );
    assert!(text(&with_fault("decade.never_wraps", decade)).contains("value <= value + 4'd1;"));
}
