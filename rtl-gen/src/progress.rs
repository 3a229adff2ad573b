//! Progress of a long run, on stderr: a line that is drawn anew if that is a terminal, and if it is a file or a pipe a
//! line every few minutes.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often a run tells how far it is, on a terminal.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often a line goes into a log.
const LOG_INTERVAL: Duration = Duration::from_secs(300);

/// The line.
pub struct Progress {
    terminal: bool,
    drawn: bool,
    started: Option<(Instant, u64)>,
    next: Instant,
}

impl Progress {
    /// Nothing is shown before the first interval has passed.
    pub fn new() -> Self {
        Self::on(io::stderr().is_terminal())
    }

    fn on(terminal: bool) -> Self {
        let interval = if terminal { INTERVAL } else { LOG_INTERVAL };
        Self { terminal, drawn: false, started: None, next: Instant::now() + interval }
    }

    /// The run of a program has come this far. Shown on a terminal alone: what the program prints may stand in a log.
    pub fn at(&mut self, cycles: u64) {
        let now = Instant::now();
        if !self.terminal || now < self.next {
            return;
        }
        self.next = now + INTERVAL;
        let (start, from) = *self.started.get_or_insert((now, cycles));
        let seconds = (now - start).as_secs_f64();
        let kilohertz = (cycles - from) as f64 / seconds / 1e3;
        let rate = if kilohertz.is_finite() { format!(", {kilohertz:.0} kHz") } else { String::new() };
        self.say(&format!("{cycles} cycles{rate}"));
    }

    /// Shows a text in place of the line.
    pub fn say(&mut self, text: &str) {
        if let Some(line) = self.line(text, Instant::now()) {
            // Progress is a courtesy: a terminal that went away is no error.
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }

    /// What is written for a text at this time.
    fn line(&mut self, text: &str, now: Instant) -> Option<String> {
        if self.terminal {
            self.drawn = true;
            return Some(format!("\r\x1b[K{text}"));
        }
        if now < self.next {
            return None;
        }
        self.next = now + LOG_INTERVAL;
        Some(format!("{text}\n"))
    }

    /// Removes the line, before anything else is written.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
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
}
