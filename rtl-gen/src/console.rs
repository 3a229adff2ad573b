//! The console of a running program.

use std::cell::RefCell;
use std::io::{self, Write};

use crate::progress::Progress;
use crate::report::tolerate_closed_pipe;

pub struct Console<'a> {
    to: Box<dyn Write>,
    progress: &'a RefCell<Progress>,
    line_is_open: bool,
}

impl<'a> Console<'a> {
    /// Writes to stdout, or to stderr if stdout is reserved for one JSON object.
    pub fn new(json: bool, progress: &'a RefCell<Progress>) -> Self {
        let to: Box<dyn Write> = if json { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
        Self { to, progress, line_is_open: false }
    }

    /// Ends an unfinished last line.
    pub fn finish(mut self) -> io::Result<()> {
        if self.line_is_open {
            self.write_all(b"\n")?;
        }
        self.flush()
    }
}

impl Write for Console<'_> {
    /// A reader that closes the pipe, such as `head`, does not end the run.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.progress.borrow_mut().clear();
        self.line_is_open = bytes.last().is_some_and(|byte| *byte != b'\n');
        tolerate_closed_pipe(self.to.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        tolerate_closed_pipe(self.to.flush(), ())
    }
}
