//! Progress of a long run on stderr: an updated line on a terminal, or a line every few minutes in a file or pipe.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The minimum time between updates on a terminal.
const INTERVAL: Duration = Duration::from_millis(250);
/// The minimum time between lines in a log.
const LOG_INTERVAL: Duration = Duration::from_secs(300);

pub struct Progress {
    terminal: bool,
    drawn: bool,
    started: Option<(Instant, u64)>,
    next: Instant,
}

impl Progress {
    /// Makes a progress line that appears after the first interval.
    pub fn new() -> Self {
        Self::on(io::stderr().is_terminal())
    }

    fn on(terminal: bool) -> Self {
        let interval = if terminal { INTERVAL } else { LOG_INTERVAL };
        Self { terminal, drawn: false, started: None, next: Instant::now() + interval }
    }

    /// Shows the cycles of a run, on a terminal only: a log may already have the output of the program.
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

    pub fn say(&mut self, text: &str) {
        if let Some(line) = self.line(text, Instant::now()) {
            // A closed terminal is not an error of the run.
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }

    /// Returns the characters to write for a text at this time.
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

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests;
