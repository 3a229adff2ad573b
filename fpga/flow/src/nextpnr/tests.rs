use super::*;

#[test]
fn the_step_is_that_of_the_last_line_that_tells() {
    assert_eq!(progress_of(""), "reading");
    assert_eq!(progress_of("Info: Packing carries...\nInfo: Checksum: 0xa4637357\n"), "packing");
    let placing =
        "Info: Packing FFs...\nInfo: Running main analytical placer, max placement attempts\nInfo:     at 2\n";
    assert_eq!(progress_of(placing), "placing");
    assert_eq!(progress_of(&format!("{placing}Info: Routing..\nInfo:    1000 | 200\n")), "routing");
}

#[test]
fn a_router_tells_what_is_left() {
    let begun = "Info: Routing..\nInfo: Setting up routing queue.\nInfo: Routing 1563 arcs.\n";
    assert_eq!(progress_of(begun), "routing");
    let heading = "Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |   pending| batch(sec) total(sec)|\n";
    let line = "Info:       1000 |       14        977 |   14   977 |       626|       0.02       0.02|\n";
    for log in [&format!("{begun}{heading}{line}"), line, &format!("{line}{heading}")] {
        assert_eq!(progress_of(log), "routing, 626 connections left", "{log}");
    }
}
