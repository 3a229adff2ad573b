//! Progress of a long run: one line on stderr if that is a terminal, nothing otherwise.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(250);

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
        Self { terminal: io::stderr().is_terminal(), drawn: false, started: None, next: Instant::now() + INTERVAL }
    }

    /// The run has come this far.
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
        if self.terminal {
            self.drawn = true;
            // Progress is a courtesy: a terminal that went away is no error.
            let _ = write!(io::stderr(), "\r\x1b[K{text}");
        }
    }

    /// Removes the line, before anything else is written.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
