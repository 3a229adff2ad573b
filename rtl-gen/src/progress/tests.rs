use super::*;

#[test]
fn a_terminal_has_one_line_that_is_drawn_anew() {
    let mut progress = Progress::on(true);
    let now = Instant::now();
    assert_eq!(progress.line("1 of 9", now).as_deref(), Some("\r\x1b[K1 of 9"));
    assert_eq!(progress.line("2 of 9", now).as_deref(), Some("\r\x1b[K2 of 9"));
    assert!(progress.drawn);
}

#[test]
fn a_log_has_a_line_every_few_minutes() {
    let mut progress = Progress::on(false);
    let start = Instant::now();
    assert_eq!(progress.line("1 of 9", start), None);
    let later = start + LOG_INTERVAL;
    assert_eq!(progress.line("2 of 9", later).as_deref(), Some("2 of 9\n"));
    assert_eq!(progress.line("3 of 9", later + LOG_INTERVAL / 2), None);
    assert_eq!(progress.line("4 of 9", later + LOG_INTERVAL).as_deref(), Some("4 of 9\n"));
    assert!(!progress.drawn);
}
