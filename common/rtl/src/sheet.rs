//! A page of Verilog: lines, comments and blocks, with the blank lines between them.

use crate::print::{LINE, words};

#[derive(Default)]
pub(crate) struct Sheet {
    text: String,
    /// Whether a blank line precedes the next line.
    gap: bool,
    after_comment: bool,
    /// Whether the last lines are a block of a single line.
    after_short: bool,
    /// Kind and range of the declaration on the last line, to which another name can be added.
    declares: Option<String>,
}

impl Sheet {
    /// Requests a blank line before the next line, unless a comment precedes it.
    pub fn gap(&mut self) {
        self.gap = !self.after_comment;
    }

    pub fn lines(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.gap {
            self.text += "\n";
        }
        self.text += text;
        self.gap = false;
        self.after_comment = false;
        self.after_short = false;
        self.declares = None;
    }

    /// Declares a name, on the line of the previous declaration if that has the same kind.
    pub fn declare(&mut self, kind: &str, name: &str) {
        let line = self.text.trim_end_matches(";\n").rsplit('\n').next().unwrap_or_default().len();
        if !self.gap && self.declares.as_deref() == Some(kind) && line + name.len() + 3 <= LINE {
            self.text.truncate(self.text.len() - ";\n".len());
            self.text += &format!(", {name};\n");
        } else {
            self.lines(&format!("    {kind} {name};\n"));
        }
        self.declares = Some(kind.to_owned());
    }

    /// Adds lines with a blank line before and after them, unless they are one line after another.
    pub fn block(&mut self, text: &str) {
        let is_short = text.lines().count() == 1;
        self.gap = !(self.after_comment || self.after_short && is_short);
        self.lines(text);
        self.after_short = is_short;
        self.gap();
    }

    pub fn comment(&mut self, indent: &str, text: &str) {
        for line in words(text, LINE - indent.len() - 3) {
            self.lines(&format!("{indent}// {line}\n"));
        }
        self.after_comment = true;
    }

    pub fn close(self, last: &str) -> String {
        self.text + last
    }
}
